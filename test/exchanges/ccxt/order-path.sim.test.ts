// Between an order and the wire: what must be on the disk first, what goes ahead of it, and what a venue that wants quiet still gets.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { OrderRequest } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { Transport, WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { BINANCE_LINEAR, EXCHANGE_INFO, RESTING } from './binance-linear.ts'
import { KEYS, NOW, openScripted, type Script, scriptedTransport } from './scripted-venue.ts'

const POST = 'POST /fapi/v1/order'
let count = 0
const order = (terms: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: (++count).toString(16).padStart(32, '0'),
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  price: '49000',
  ...terms,
})
const placed: Script = [[POST, (request) => ({ ...RESTING, clientOrderId: idIn(request) })], ...BINANCE_LINEAR]
const idIn = ({ body = '' }: WireRequest) => new URLSearchParams(body).get('newClientOrderId') ?? ''
const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('an order that is held', () => {
  it('leaves when it is released, and not before', async () => {
    const venue = await openScripted('binance', 'linear', placed)
    let free: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      free = resolve
    })
    const outcome = venue.exchange.createOrder(order(), { release: () => released })
    await settled()
    expect(venue.sent(POST)).toEqual([])
    free()
    expect((await outcome).kind).toBe('placed')
  })

  it('is refused and never leaves where it is not released', async () => {
    const venue = await openScripted('binance', 'linear', placed)
    const outcome = await venue.exchange.createOrder(order(), {
      release: () => Promise.reject(new Error('the disk is full')),
    })
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'unavailable' } })
    expect(venue.sent(POST)).toEqual([])
  })
})

describe('a venue that wants quiet', () => {
  const limited = (status: number, headers = {}): Script => [
    [POST, { status, headers, json: { code: -1003, msg: 'no' } }],
  ]
  async function banned(status: number, headers = {}) {
    const clock = { now: NOW }
    const scripted = scriptedTransport([...limited(status, headers), ...placed])
    const exchange = await openCcxtExchange({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys: KEYS,
      transport: scripted.transport,
      now: () => clock.now,
      onProblem: () => undefined,
    })
    await exchange.createOrder(order())
    scripted.answer(...placed, ['DELETE /fapi/v1/order', { ...RESTING, status: 'CANCELED' }])
    return { exchange, clock, ...scripted }
  }

  it.each<[string, number, object, number]>([
    ['429 with Retry-After', 429, { 'retry-after': '7' }, 7_000],
    ['418 with Retry-After', 418, { 'retry-after': '300' }, 300_000],
    ['418 without Retry-After, for its shortest ban', 418, {}, 120_000],
  ])('gets no entry: %s', async (_what, status, headers, ms) => {
    const { exchange, clock, sent } = await banned(status, headers)
    clock.now += ms - 1
    const refused = await exchange.createOrder(order())
    expect(refused).toMatchObject({ kind: 'refused', error: { code: 'rate-limited', retryAfterMs: 1 } })
    expect(sent(POST)).toHaveLength(1)
    clock.now += 1
    expect((await exchange.createOrder(order())).kind).toBe('placed')
  })

  it('gets exits, stops and cancels', async () => {
    const { exchange, sent } = await banned(418, { 'retry-after': '300' })
    const exit = await exchange.createOrder(order({ reduceOnly: true }))
    expect(exit.kind).toBe('placed')
    if (exit.kind !== 'placed') return
    const canceled = exchange.cancelOrder({ symbol: 'BTCUSDT', id: exit.order.id })
    canceled.catch(() => undefined)
    await settled()
    expect(sent('DELETE /fapi/v1/order')).toHaveLength(1)
  })

  it('says nothing of entries with a 429 that names no time', async () => {
    const { exchange } = await banned(429)
    expect((await exchange.createOrder(order())).kind).toBe('placed')
  })

  it('is Bybit when it answers 403 without a code of its own', async () => {
    const venue = await openScripted('bybit', 'spot', [['GET', { status: 403, text: '<html>Access denied</html>' }]])
    await expect(venue.exchange.loadMarkets()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 600_000 })
  })
})

describe('a connection to the venue', () => {
  async function stage() {
    vi.useFakeTimers({ now: NOW })
    onTestFinished(() => void vi.useRealTimers())
    const scripted = scriptedTransport(placed)
    const exchange = await openCcxtExchange({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys: KEYS,
      transport: scripted.transport,
      now: () => Date.now(),
      onProblem: () => undefined,
    })
    await exchange.fetchOrder({ symbol: 'BTCUSDT', id: '1' }).catch(() => undefined)
    const asked = () => scripted.sent('GET /fapi/v1/time').length
    return { ...scripted, exchange, asked, before: asked() }
  }

  it('is kept in use every eight seconds from the first order on, for an hour after the last, and until it is closed', async () => {
    const { exchange, asked, before } = await stage()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked()).toBe(before)
    await exchange.createOrder(order())
    await vi.advanceTimersByTimeAsync(30_000)
    expect(asked()).toBe(before + 3)
    await vi.advanceTimersByTimeAsync(3_600_000)
    const inUse = asked()
    expect(inUse - before).toBeLessThanOrEqual(452)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(asked()).toBe(inUse)
    await exchange.createOrder(order())
    await exchange.close()
    const atClose = asked()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked()).toBe(atClose)
  })

  it('is left alone while the venue wants quiet', async () => {
    const { exchange, asked, before, answer } = await stage()
    answer([POST, { status: 418, headers: { 'retry-after': '300' }, json: { code: -1003, msg: 'no' } }])
    await exchange.createOrder(order())
    await vi.advanceTimersByTimeAsync(299_000)
    expect(asked()).toBe(before)
  })
})

describe('markets', () => {
  const info = (tickSize: string) => ({
    ...EXCHANGE_INFO,
    symbols: EXCHANGE_INFO.symbols.map((each) => ({
      ...each,
      filters: each.filters.map((filter) => ('tickSize' in filter ? { ...filter, tickSize } : filter)),
    })),
  })
  const INFO = 'GET /fapi/v1/exchangeInfo'
  const tickOf = async (exchange: Exchange) => (await exchange.loadMarkets())[0]?.priceGrid

  async function stage() {
    const clock = { now: NOW }
    const scripted = scriptedTransport(placed)
    const exchange = await openCcxtExchange({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys: KEYS,
      transport: scripted.transport,
      now: () => clock.now,
      onProblem: () => undefined,
    })
    await exchange.loadMarkets()
    return { exchange, clock, ...scripted }
  }

  it('are read again after an hour, behind who asks', async () => {
    const { exchange, clock, sent, answer } = await stage()
    answer([INFO, info('0.50')])
    clock.now += 3_600_000
    expect(await tickOf(exchange)).toMatchObject({ tick: '0.1' })
    await settled()
    expect(await tickOf(exchange)).toMatchObject({ tick: '0.5' })
    expect(sent(INFO)).toHaveLength(2)
  })

  it('stay as they are where they cannot be read again', async () => {
    const { exchange, clock, answer } = await stage()
    answer([INFO, new Error('gone')])
    clock.now += 3_600_000
    await tickOf(exchange)
    await settled()
    expect(await tickOf(exchange)).toMatchObject({ tick: '0.1' })
  })

  it.each([-1111, -4014, -1121])(
    'are read again before the next plan when an order is refused for them: %i',
    async (code) => {
      const { exchange, clock, answer } = await stage()
      clock.now += 61_000
      answer([INFO, info('0.50')], [POST, { status: 400, json: { code, msg: 'no' } }])
      expect((await exchange.createOrder(order())).kind).toBe('refused')
      expect(await tickOf(exchange)).toMatchObject({ tick: '0.5' })
    },
  )
})

describe('Kraken, which numbers its requests,', () => {
  const asset = (name: string) => ({
    aclass: 'currency',
    altname: name,
    decimals: 10,
    display_decimals: 5,
    status: 'enabled',
  })
  const pair = {
    altname: 'XBTUSDT',
    wsname: 'XBT/USDT',
    aclass_base: 'currency',
    base: 'XXBT',
    aclass_quote: 'currency',
    quote: 'USDT',
    cost_decimals: 5,
    pair_decimals: 1,
    lot_decimals: 8,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: [[0, 0.26]],
    fees_maker: [[0, 0.16]],
    ordermin: '0.0001',
    costmin: '0.5',
    tick_size: '0.1',
    status: 'online',
  }
  const answers: Script = [
    ['AssetPairs', { error: [], result: { XBTUSDT: pair } }],
    ['/Assets', { error: [], result: { XXBT: asset('XBT'), USDT: asset('USDT') } }],
    ['AddOrder', { error: [], result: { descr: { order: '' }, txid: ['OABC-DEFGH-IJKLMN'] } }],
    ['OpenOrders', { error: [], result: { open: {} } }],
    [
      'Ticker',
      { error: [], result: { XBTUSDT: { a: ['50001', '1'], b: ['49999', '1'], c: ['50000', '1'], o: '49000' } } },
    ],
  ]
  const nonceOf = ({ body = '' }: WireRequest) => Number(new URLSearchParams(body).get('nonce'))

  /** Its first question hangs until it is given up. */
  async function stage() {
    const scripted = scriptedTransport(answers)
    let hangs = 1
    const transport: Transport = async (request, terms) => {
      const answered = scripted.transport(request)
      if (!request.url.includes('OpenOrders') || hangs === 0) return answered
      hangs -= 1
      return new Promise((_resolve, reject) =>
        terms?.signal?.addEventListener('abort', () => reject(new TypeError('aborted'))),
      )
    }
    const exchange = await openCcxtExchange({
      venue: 'kraken',
      kind: 'spot',
      environment: 'live',
      transport,
      // Kraken's secrets are base64.
      keys: { ...KEYS, secret: 'c2VjcmV0LW9mLW5vYm9keQ==' },
      now: () => NOW,
      onProblem: () => undefined,
    })
    const [market] = await exchange.loadMarkets()
    return { exchange, symbol: market?.symbol ?? '', ...scripted }
  }

  it('gets an order at once while a question hangs, and the question again behind it', async () => {
    const { exchange, symbol, requests } = await stage()
    const question = exchange.fetchOpenOrders(symbol)
    await settled()
    const outcome = await exchange.createOrder(order({ symbol, price: '49000' }))
    expect(outcome).toMatchObject({ kind: 'placed' })
    expect(await question).toEqual([])
    const signed = requests.filter(({ url }) => url.includes('/private/'))
    expect(signed.map(({ url }) => url.split('/').at(-1))).toEqual(['OpenOrders', 'AddOrder', 'OpenOrders'])
    const nonces = signed.map(nonceOf)
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b))
  })

  it('gets orders one after the other, ahead of the questions that wait', async () => {
    const { exchange, symbol, requests } = await stage()
    const questions = [1, 2, 3].map(() => exchange.fetchOpenOrders(symbol))
    await settled()
    await Promise.all([1, 2].map(() => exchange.createOrder(order({ symbol, price: '49000' }))))
    await Promise.all(questions)
    const signed = requests.filter(({ url }) => url.includes('/private/'))
    expect(signed.map(({ url }) => url.split('/').at(-1)).slice(0, 3)).toEqual(['OpenOrders', 'AddOrder', 'AddOrder'])
    const nonces = signed.map(nonceOf)
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b))
  })

  it('is asked what is public outside of the line', async () => {
    const { exchange, symbol } = await stage()
    const question = exchange.fetchOpenOrders(symbol)
    await settled()
    expect((await exchange.fetchTicker(symbol)).last).toBe('50000')
    await exchange.createOrder(order({ symbol, price: '49000' }))
    await question
  })
})

describe('several hundred orders', () => {
  it('leave each as quickly as the first, with what a plan asks before it', async () => {
    const ticker = { symbol: 'BTCUSDT', lastPrice: '50000', bidPrice: '49999', askPrice: '50001', closeTime: NOW }
    const venue = await openScripted('binance', 'linear', [
      ['GET /fapi/v1/ticker', ticker],
      ['GET /fapi/v1/depth', { bids: [['49999', '1']], asks: [['50001', '1']], T: NOW, E: NOW }],
      ['GET /fapi/v1/openOrders', []],
      ['GET /fapi/v1/openAlgoOrders', []],
      ...placed,
    ])
    const times: number[] = []
    for (let round = 0; round < 400; round += 1) {
      const beganAt = performance.now()
      await venue.exchange.fetchTicker('BTCUSDT')
      await venue.exchange.fetchOpenOrders('BTCUSDT')
      expect((await venue.exchange.createOrder(order())).kind).toBe('placed')
      times.push(performance.now() - beganAt)
    }
    // The allowance that ccxt counts is used up threefold by then.
    expect(Math.max(...times.slice(-100))).toBeLessThan(1_000)
  }, 60_000)
})
