// What an order of some venues leaves with that a case does not look at: how long it may be under way, and prices that a grid has or has not.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { type OrderRequest, refOf } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { createCaseWire } from './case-wire.ts'
import { keysOf } from './venue-cases.ts'
import { casesOf, NOW, placeOf, rowOf, withFields } from './venue-rows.ts'

type Answer = object | undefined

/** @param answer to what is no question of the background */
async function openVenue(venue: string, answer: (request: WireRequest) => Answer) {
  const cases = casesOf(venue)
  const requests: WireRequest[] = []
  const background = createCaseWire(cases, []).transport
  const exchange = await openCcxtExchange({
    venue,
    kind: placeOf(venue)[0],
    environment: 'live',
    keys: keysOf(cases),
    now: () => NOW,
    onProblem: () => undefined,
    async transport(request) {
      const json = answer(request)
      if (json === undefined) return background(request)
      requests.push(request)
      return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(json) }
    },
  })
  return { exchange, requests }
}

const order = (symbol: string, more: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: '0123456789abcdef0123456789abcdef',
  symbol,
  side: 'buy',
  type: 'limit',
  amount: '0.5',
  price: '60000',
  ...more,
})

describe('an order to Hyperliquid', () => {
  const accepted = { status: 'ok', response: { type: 'order', data: { statuses: [{ resting: { oid: 77738308 } }] } } }
  const open = () => openVenue('hyperliquid', ({ url }) => (url.endsWith('/exchange') ? accepted : undefined))

  it('is taken for 30 s after its number, and no longer; a cancel at any time', async () => {
    const { exchange, requests } = await open()
    expect(await exchange.createOrder(order('BTCUSDC'))).toMatchObject({ kind: 'placed' })
    const { nonce, expiresAfter } = JSON.parse(requests[0]?.body ?? '{}')
    expect(expiresAfter).toBe(nonce + 30_000)
    await exchange.cancelOrder({ symbol: 'BTCUSDC', id: '77738308' }).catch(() => undefined)
    expect(JSON.parse(requests[1]?.body ?? '{}')).toMatchObject({ action: { type: 'cancel' } })
    expect(JSON.parse(requests[1]?.body ?? '{}')).not.toHaveProperty('expiresAfter')
    await exchange.close()
  })

  it('may have any whole price, also with more than five digits', async () => {
    const { exchange, requests } = await open()
    expect(await exchange.createOrder(order('BTCUSDC', { price: '117913' }))).toMatchObject({ kind: 'placed' })
    expect(requests[0]?.body).toContain('"p":"117913"')
    await exchange.close()
  })

  it('has no price of six digits with a fraction', async () => {
    const { exchange, requests } = await open()
    expect(await exchange.createOrder(order('BTCUSDC', { price: '117913.5' }))).toMatchObject({ kind: 'refused' })
    expect(requests).toEqual([])
    await exchange.close()
  })
})

describe('an order to Kraken', () => {
  const limit = order('BTCUSD')
  const { price: _, ...rest } = limit
  const stop: OrderRequest = { ...rest, type: 'stop', side: 'sell', triggerPrice: '58000' }

  it.each([limit, stop])('is taken for 30 s after it was made: %j', async (request) => {
    const what = request.type === 'stop' ? 'stop loss 58000.0' : 'limit 60000.0'
    const order = `${request.side} 0.50000000 XBTUSD @ ${what}`
    const answer = { error: [], result: { descr: { order }, txid: ['O1'] } }
    const { exchange, requests } = await openVenue('kraken', ({ url }) => (/AddOrder/.test(url) ? answer : undefined))
    const before = Date.now()
    expect(await exchange.createOrder(request)).toMatchObject({ kind: 'placed' })
    const deadline = Date.parse(new URLSearchParams(requests[0]?.body).get('deadline') ?? '')
    expect(deadline - before).toBeGreaterThanOrEqual(30_000)
    expect(deadline - Date.now()).toBeLessThanOrEqual(30_000)
    await exchange.close()
  })
})

describe('an order to Deribit and to Kraken Futures', () => {
  it.each([
    ['deribit', /private\/buy/, 'valid_until', { jsonrpc: '2.0', result: { order: rowOf('deribit'), trades: [] } }],
    [
      'krakenfutures',
      /sendorder/,
      'processBefore',
      { result: 'success', sendStatus: { order_id: 'o', status: 'placed', orderEvents: [] }, serverTime: '' },
    ],
  ] as const)('is taken for 30 s after it was made: %s', async (venue, path, field, answer) => {
    const { exchange, requests } = await openVenue(venue, ({ url }) => (path.test(url) ? answer : undefined))
    const before = Date.now()
    await exchange.createOrder(order('BTCUSD', { amount: venue === 'deribit' ? '1000' : '0.5' }))
    const [sent] = requests
    const query = new URL(sent?.url ?? '').searchParams.get(field) ?? new URLSearchParams(sent?.body).get(field) ?? ''
    const until = /^\d+$/.test(query) ? Number(query) : Date.parse(query)
    // Deribit's clock is asked, and stands at that moment in the cases.
    expect(Math.abs(until - (venue === 'deribit' ? NOW : before) - 30_000)).toBeLessThan(5_000)
    await exchange.close()
  })
})

describe('an order to KuCoin contracts', () => {
  it('has no fill-or-kill, which only spot knows', async () => {
    const cases = casesOf('kucoin')
    const timesOf = async (kind: 'spot' | 'linear') => {
      const transport = createCaseWire(cases, []).transport
      const options = { venue: 'kucoin', kind, environment: 'live', keys: keysOf(cases), now: () => NOW } as const
      const exchange: Exchange = await openCcxtExchange({ ...options, onProblem: () => undefined, transport })
      await exchange.close()
      return exchange.capabilities.timeInForce
    }
    expect(await timesOf('spot')).toEqual(['gtc', 'ioc', 'fok'])
    expect(await timesOf('linear')).toEqual(['gtc', 'ioc'])
  })
})

describe('a stop that closes the whole position', () => {
  it('is canceled where it was listed, as any other is', async () => {
    const row = withFields(rowOf('binance'), {
      orderId: undefined,
      status: undefined,
      stopPrice: undefined,
      origQty: undefined,
      executedQty: undefined,
      algoId: 2146760,
      algoStatus: 'NEW',
      orderType: 'STOP_MARKET',
      side: 'SELL',
      quantity: '0',
      triggerPrice: '58000.00',
      price: '0',
      closePosition: true,
    })
    const { exchange, requests } = await openVenue('binance', ({ method, url }) => {
      if (/openAlgoOrders/.test(url)) return [row]
      if (/openOrders/.test(url)) return []
      if (method === 'DELETE') return { algoId: 2146760, clientAlgoId: 'w', code: '200', msg: 'success' }
      return /algoOrder/.test(url) ? { ...row, algoStatus: 'CANCELED' } : undefined
    })
    const [whole] = await exchange.fetchOpenOrders('BTCUSDT')
    if (whole === undefined) throw new Error('it is not listed')
    expect(whole).toMatchObject({ id: '2146760', closesPosition: true })
    expect(await exchange.cancelOrder(refOf(whole))).toMatchObject({ id: '2146760', status: 'canceled' })
    const [sent] = requests.filter(({ method }) => method === 'DELETE')
    expect(new URL(sent?.url ?? '').pathname).toBe('/fapi/v1/algoOrder')
    expect(await exchange.cancelAllOrders('BTCUSDT')).toMatchObject([{ id: '2146760' }])
    await exchange.close()
  })
})

describe('what a Bybit key is good for', () => {
  it.each([
    ['1970-01-01T00:00:00Z', []],
    ['', []],
    ['2030-01-01T00:00:00Z', ['the key ends on 2030-01-01']],
  ])('a key of %j', async (expiredAt, remarks) => {
    const result = { readOnly: 0, permissions: { ContractTrade: ['Order'] }, ips: ['203.0.113.1'], expiredAt, uta: 1 }
    const answer = { retCode: 0, retMsg: '', result, retExtInfo: {}, time: NOW }
    const { exchange } = await openVenue('bybit', ({ url }) => (/query-api/.test(url) ? answer : undefined))
    expect((await exchange.checkAccess?.())?.remarks).toEqual(remarks)
    await exchange.close()
  })
})

describe('the balance of a Hyperliquid account', () => {
  it('is not nothing where the answer lacks its sums', async () => {
    const half = { assetPositions: [], crossMarginSummary: {}, withdrawable: '100.0', time: NOW }
    const { exchange } = await openVenue('hyperliquid', ({ body = '' }) =>
      /clearinghouseState/.test(body) ? half : undefined,
    )
    await expect(exchange.fetchBalances()).rejects.toMatchObject({ code: 'network' })
    await exchange.close()
  })
})
