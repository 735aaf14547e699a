// Answers that no venue gives, of a venue gone mad or of somebody who sits between: what they may not do to hookline.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { OrderRequest } from '../../../src/exchange/order.ts'
import type { CcxtClient } from '../../../src/exchanges/ccxt/ccxt-client.ts'
import { decimalText } from '../../../src/exchanges/ccxt/decimals.ts'
import { readBalances } from '../../../src/exchanges/ccxt/holdings.ts'
import { connectVenue, openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { createAccountStreams } from '../../../src/exchanges/ccxt/streams/account-streams.ts'
import { BINANCE_LINEAR, RESTING } from './binance-linear.ts'
import { createCaseWire } from './case-wire.ts'
import { type Answer, KEYS, NOW, openScripted, type Script, scriptedTransport } from './scripted-venue.ts'
import { readVenueCases, type Step } from './venue-cases.ts'

const ORDER: OrderRequest = {
  clientOrderId: '0123456789abcdef0123456789abcdef',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  price: '49000',
}
const POST = 'POST /fapi/v1/order'
const place = (answer: Answer, more: Script = []) =>
  openScripted('binance', 'linear', [...more, [POST, answer], ...BINANCE_LINEAR])

describe('the fate of an order', () => {
  it.each<[string, Answer]>([
    ['a message that is no text', { status: 400, text: '{"error":{"message":{"toString":"x","valueOf":1}}}' }],
    ['nothing but nesting', { status: 200, text: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
    ['a code nested in itself', { status: 200, text: `${'{"code":'.repeat(50_000)}1${'}'.repeat(50_000)}` }],
    ['a name of the language as its code: constructor', { status: 200, text: '{"code":"constructor","msg":"no"}' }],
    ['a name of the language as its code: __proto__', { status: 500, text: '{"code":"__proto__","msg":"no"}' }],
    ['a name of the language as its code: toString', { status: 500, text: '{"code":"toString","msg":"no"}' }],
  ])('is told by outcome, not by a fault of ours, for an answer with %s', async (_what, answer) => {
    const venue = await place(answer)
    const outcome = await venue.exchange.createOrder(ORDER)
    const status = (answer as { status: number }).status
    expect(outcome.kind).toBe(status === 400 ? 'refused' : 'unknown')
    expect(outcome).toMatchObject({ error: { name: 'ExchangeError', code: expect.any(String) } })
    expect(venue.sent(POST)).toHaveLength(1)
  })
})

describe('a figure', () => {
  it.each(['1e400', '1e400000000', '1e-400000000', `1${'0'.repeat(101)}`, 'NaN', 'Infinity', '0x10', '1_000'])(
    'that no market has is none: %s',
    (text) => {
      expect(decimalText(text)).toBeUndefined()
    },
  )

  it.each([
    ['1e-8', '0.00000001'],
    ['-2.5E+3', '-2500'],
    ['123456789012345678901234.123456789012345678', '123456789012345678901234.123456789012345678'],
  ])('that one may have is read exactly: %s', (text, read) => {
    expect(decimalText(text)).toBe(read)
  })
})

describe('a text', () => {
  it.each(['\u001b[2Jx', 'a\nerror: b', '\u202eb', 'a\u0000', 'x'.repeat(300), '\ud800'])(
    'that steers terminals or has no end names neither an order nor a currency: %j',
    async (text) => {
      const venue = await place({ ...RESTING, orderId: text })
      expect(await venue.exchange.createOrder(ORDER)).toMatchObject({ kind: 'unknown' })
      expect(readBalances({ [text]: { total: '1' }, USDT: { total: '2' } })).toMatchObject([{ currency: 'USDT' }])
    },
  )
})

describe('what goes wrong where no command waits for it', () => {
  it('is told without the keys and the address of the stream', async () => {
    const told: unknown[] = []
    let tell: (problem: unknown) => void = () => undefined
    const exchange = await openCcxtExchange({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys: KEYS,
      now: () => NOW,
      onProblem: (problem) => told.push(problem),
      createStreams: (given) => {
        tell = given.onProblem
        return createAccountStreams(given)
      },
    })
    const listenKey = 'pqia91ma19a5s61cv6a81va65sdf19v8a65a1a5s61cv6a81va65sdf19v8a65a1'
    const failure = new Error(`Connection to wss://fstream.binance.com/ws/${listenKey} failed`, {
      cause: new Error(`GET https://fapi.binance.com/fapi/v1/order?signature=abc&apiKey=${KEYS.apiKey}`),
    })
    tell(Object.assign(failure, { url: listenKey, response: { apiKey: KEYS.secret } }))
    expect(told).toHaveLength(1)
    const written = inspect(told, { depth: 9, showHidden: true })
    expect(written).toContain('Connection to wss://fstream.binance.')
    for (const secret of [listenKey, KEYS.apiKey, KEYS.secret, 'abc']) expect(written).not.toContain(secret)
    await exchange.close()
  })
})

describe('an address', () => {
  const connect = async (venue: string, script: Script) => {
    const scripted = scriptedTransport(script)
    const connected = await connectVenue({
      venue,
      kind: 'spot',
      environment: 'live',
      keys: {},
      now: Date.now,
      transport: scripted.transport,
    })
    return { ...scripted, client: connected.client as CcxtClient & Record<string, never> }
  }

  it.each([
    'wss://venue.example/',
    'ws://127.0.0.1:1/',
    'ws://ws-api-spot.kucoin.com/',
    'wss://kucoin.com.example/',
    '',
  ])('of a stream that an answer names is not dialled where it is not the venue: %s', async (endpoint) => {
    const token = { code: '200000', data: { token: 't', instanceServers: [{ endpoint, pingInterval: 1_000 }] } }
    const { client } = await connect('kucoin', [['POST /api/v1/bullet-public', token]])
    const streams = client as unknown as {
      watchTrades(symbol: string): Promise<unknown>
      clients?: Record<string, { startedConnecting: boolean }>
    }
    Object.assign(client, { loadMarkets: async () => ({}), market: () => ({ id: 'BTC-USDT', symbol: 'BTC/USDT' }) })
    await expect(streams.watchTrades('BTC/USDT')).rejects.toMatchObject({
      message: expect.stringContaining('does not belong to the venue'),
    })
    expect(Object.values(streams.clients ?? {}).filter(({ startedConnecting }) => startedConnecting)).toEqual([])
  })

  it.each(['https://venue.example/api', 'http://api.kucoin.com/api', 'https://127.0.0.1/', 'file:///etc/passwd', 'x'])(
    'of a request that is not of the venue gets nothing: %s',
    async (url) => {
      const { client, requests } = await connect('kucoin', [['GET', { code: '200000', data: {} }]])
      const send = client.fetchImplementation as unknown as (url: string, options: object) => Promise<unknown>
      await expect(send(url, { method: 'GET' })).rejects.toMatchObject({ name: 'ForeignAddress' })
      expect(requests).toEqual([])
      await send('https://api.kucoin.com/api', { method: 'GET' })
      expect(requests).toHaveLength(1)
    },
  )
})

describe('an account that was closed, by `vault lock` or by an edit', () => {
  it('sends nothing for a run that still holds it', async () => {
    const venue = await place(RESTING)
    await venue.exchange.loadMarkets()
    await venue.exchange.close()
    const before = venue.requests.length
    expect(await venue.exchange.createOrder(ORDER)).toMatchObject({ kind: 'refused' })
    await expect(venue.exchange.fetchOpenOrders('BTCUSDT')).rejects.toMatchObject({ name: 'ExchangeError' })
    expect(venue.requests).toHaveLength(before)
  })
})

/** Names that prototypes are reached by, beside every name of an answer and in the place of what it names. */
const POISON: object = JSON.parse(
  '{"__proto__":{"polluted":1,"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}}',
)

function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.map(poisoned), POISON]
  if (typeof value !== 'object' || value === null) return value
  const rows = Object.entries(value).map(([key, each]) => [
    key,
    /^(asset|coin|ccy|currency|base|quote)/i.test(key) && typeof each === 'string' ? '__proto__' : poisoned(each),
  ])
  return Object.defineProperties(Object.fromEntries(rows), Object.getOwnPropertyDescriptors(POISON))
}

describe('names of prototypes in answers', () => {
  const counted = () =>
    [Object.prototype, Array.prototype, Function.prototype].map((each) => Reflect.ownKeys(each).length)
  const before = counted()

  it.each(readVenueCases().map((venue) => [venue.venue, venue] as const))(
    'change nothing of the program: %s',
    async (_id, venue) => {
      const poison = (body: unknown) => JSON.stringify(poisoned(typeof body === 'string' ? {} : body))
      const background = venue.background.map((each) => ({ ...each, httpResponse: poison(each.httpResponse) }))
      for (const [method, [first]] of Object.entries(venue.methods)) {
        if (first === undefined) continue
        const steps = (first.requests ?? [first]) as readonly Step[]
        const wire = createCaseWire(
          { ...venue, background },
          steps.map((step) => ({ ...step, httpResponse: poison(step.httpResponse) })),
        )
        const exchange = await openCcxtExchange({
          venue: venue.venue,
          kind: first.kind,
          environment: 'live',
          keys: venue.keys,
          transport: wire.transport,
          now: () => NOW,
          onProblem: () => undefined,
        })
        const call = (exchange as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[method]
        // What comes of it is the venue's own fault; what it does to everybody else is looked at.
        await call?.apply(exchange, [...first.input]).catch(() => undefined)
        await exchange.close()
      }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      expect(counted()).toEqual(before)
    },
  )
})
