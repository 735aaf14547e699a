// What became of a stop that fired, where that takes more than one answer, and for how long an order is found by our id.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { profileOf } from '../../../src/exchanges/ccxt/profiles.ts'
import type { WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { createCaseWire } from './case-wire.ts'
import { KEYS, openScripted } from './scripted-venue.ts'
import { readVenueCases } from './venue-cases.ts'

const OURS = '0123456789abcdef0123456789abcdef'
const MINUTE = 60_000

type Answers = readonly (readonly [words: string, json: unknown, status?: number])[]

/** On the background of the venue's cases; what has no answer is a request that fails. */
async function open(
  venue: string,
  kind: MarketKind,
  answers: Answers,
): Promise<{ exchange: Exchange; sent: string[] }> {
  const cases = readVenueCases().find((each) => each.venue === venue)
  if (cases === undefined) throw new Error(`no cases of ${venue}`)
  const background = createCaseWire(cases, [])
  const sent: string[] = []
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: KEYS,
    now: Date.now,
    onProblem: () => undefined,
    async transport(request: WireRequest) {
      const line = `${request.method} ${request.url} ${request.body ?? ''}`
      const found = answers.find(([words]) => words.split(' ').every((word) => line.includes(word)))
      if (found === undefined) return background.transport(request)
      sent.push(line)
      return { status: found[2] ?? 200, headers: {}, text: JSON.stringify(found[1]) }
    },
  })
  return { exchange, sent }
}

const bitget = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: Date.now(), data })

/** Bitget lists ended plan orders of the last 90 days. */
const executed = () => ({
  orderId: '111',
  clientOid: OURS,
  symbol: 'BTCUSDT',
  size: '0.5',
  executePrice: '0',
  triggerPrice: '58000',
  status: 'executed',
  orderType: 'market',
  side: 'sell',
  planType: 'amount',
  triggerType: 'fill_price',
  cTime: String(Date.now() - 2 * MINUTE),
  uTime: String(Date.now() - MINUTE),
})

const bitgetSpot = (subOrder: object, child?: object): Answers => [
  ['spot/trade/current-plan-order', bitget({ nextFlag: false, idLessThan: '0', orderList: [] })],
  ['spot/trade/history-plan-order', bitget({ nextFlag: false, idLessThan: '0', orderList: [executed()] })],
  ['spot/trade/plan-sub-order planOrderId=111', bitget([{ price: '0', type: 'market', ...subOrder }])],
  ...(child === undefined ? [] : [['spot/trade/orderInfo orderId=222', bitget([child])] as const]),
]

const bitgetChild = {
  symbol: 'BTCUSDT',
  orderId: '222',
  clientOid: '1234567890123456790',
  price: '0',
  size: '0.5',
  side: 'sell',
  orderType: 'market',
  status: 'filled',
  priceAvg: '57990',
  baseVolume: '0.5',
  quoteVolume: '28995',
  cTime: String(Date.now()),
  uTime: String(Date.now()),
}

const REF = { symbol: 'BTCUSDT', clientOrderId: OURS, isTrigger: true }

describe('a plan order of Bitget spot that was executed', () => {
  it('filled what its sub-order filled', async () => {
    const { exchange } = await open('bitget', 'spot', bitgetSpot({ orderId: '222', status: 'success' }, bitgetChild))
    const order = await exchange.fetchOrder(REF)
    expect(order).toMatchObject({ id: '111', clientOrderId: OURS, type: 'stop', filled: '0.5', status: 'closed' })
    expect(order).not.toHaveProperty('cause')
  })

  it('is rejected, with the reason, where its sub-order failed', async () => {
    const { exchange } = await open('bitget', 'spot', bitgetSpot({ orderId: '', status: 'fail' }))
    const order = await exchange.fetchOrder(REF)
    expect(order).toMatchObject({ id: '111', filled: '0', status: 'rejected', cause: 'trigger-failed' })
  })

  it('has ended without a fill where its order is listed no more and has none', async () => {
    const { exchange } = await open('bitget', 'spot', [
      ['spot/trade/orderInfo orderId=222', { code: '43001', msg: 'The order does not exist', data: null }, 400],
      ['spot/trade/fills', bitget([])],
      ...bitgetSpot({ orderId: '222', status: 'success' }),
    ])
    const order = await exchange.fetchOrder(REF)
    expect(order).toMatchObject({
      id: '111',
      filled: '0',
      remaining: '0.5',
      status: 'expired',
      cause: 'trigger-failed',
    })
  })

  it('is not said to be anything where another order is answered in the place of its own', async () => {
    const other = { ...bitgetChild, orderId: '333' }
    const { exchange } = await open('bitget', 'spot', bitgetSpot({ orderId: '222', status: 'success' }, other))
    await expect(exchange.fetchOrder(REF)).rejects.toMatchObject({ code: 'network' })
  })
})

const gatePrice = (more: object) => ({
  trigger: { strategy_type: 0, price_type: 0, price: '58000', rule: 2, expiration: 0 },
  initial: { contract: 'BTC_USDT', size: -5000, price: '57900', tif: 'gtc', text: 't-ASNFZ4mrze8BI0VniavN7w' },
  id: 1432329,
  trade_id: 0,
  status: 'open',
  finish_as: '',
  create_time: 1_700_000_000,
  ...more,
})

const gateChild = (more: object) => ({
  id: 999,
  contract: 'BTC_USDT',
  size: -5000,
  left: -5000,
  price: '57900',
  fill_price: '0',
  tif: 'gtc',
  text: 'ao-1432329',
  status: 'open',
  finish_as: '',
  create_time: 1_700_000_100,
  is_reduce_only: true,
  ...more,
})

describe('a stop-limit of Gate that fired', () => {
  it('is canceled under the id that its limit order rests under', async () => {
    const { exchange, sent } = await open('gate', 'linear', [
      ['DELETE price_orders/1432329', { label: 'AUTO_ORDER_NOT_FOUND', message: '' }, 400],
      ['DELETE usdt/orders/999', gateChild({ status: 'finished', finish_as: 'cancelled' })],
      ['GET price_orders/1432329', gatePrice({ status: 'finished', finish_as: 'succeeded', trade_id: 999 })],
      ['GET usdt/orders/999', gateChild({})],
    ])
    const resting = await exchange.fetchOrder({ symbol: 'BTCUSDT', id: '1432329', isTrigger: true })
    expect(resting).toMatchObject({ id: '1432329', type: 'stop-limit', status: 'open', filled: '0' })
    const ended = await exchange.cancelOrder({ symbol: 'BTCUSDT', id: '1432329', isTrigger: true })
    expect(ended).toMatchObject({ id: '1432329', clientOrderId: OURS, status: 'canceled' })
    expect(
      sent.filter((line) => line.startsWith('DELETE')).map((line) => new URL(line.split(' ')[1] ?? '').pathname),
    ).toEqual(['/api/v4/futures/usdt/price_orders/1432329', '/api/v4/futures/usdt/orders/999'])
  })
})

describe('a conditional order of Binance, as its stream has it', () => {
  const heard = (X: string, ai: string) => profileOf('binance')?.successorOf?.({ info: { aid: 2146760, X, ai } })

  it.each([
    ['NEW', '', undefined],
    ['CANCELED', '', undefined],
    ['TRIGGERING', '', undefined],
    ['TRIGGERED', '88937381063', '88937381063'],
    ['FINISHED', '88937381063', '88937381063'],
    // It has fired, and what it became is not named.
    ['FINISHED', '', ''],
  ])('%s with ai "%s" became %s', (status, ai, expected) => expect(heard(status, ai)).toBe(expected))
})

const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Undefined: for months. `?`: the documents do not say, a day is an assumption. */
const FINDABLE: readonly (readonly [venue: string, kind: MarketKind, ms: number | undefined, source: string])[] = [
  ['binance', 'spot', undefined, 'Query Order has no limit of age for orders of the last 90 days'],
  ['binance', 'linear', 3 * DAY, 'Query Order: CANCELED or EXPIRED without a fill, created time + 3 days'],
  ['binance', 'inverse', 3 * DAY, 'Query Order: CANCELED or EXPIRED without a fill, created time + 3 days'],
  ['bybit', 'linear', DAY, 'Get Order History: Cancelled, Rejected and Deactivated without a fill, last 24 hours'],
  ['bybit', 'spot', DAY, 'Get Order History: Cancelled, Rejected and Deactivated without a fill, last 24 hours'],
  ['bybit', 'inverse', DAY, 'Get Order History: Cancelled, Rejected and Deactivated without a fill, last 24 hours'],
  ['okx', 'spot', 2 * HOUR, 'Order history: canceled orders without a fill are only reserved for 2 hours'],
  ['okx', 'linear', 2 * HOUR, 'Order history: canceled orders without a fill are only reserved for 2 hours'],
  ['okx', 'inverse', 2 * HOUR, 'Order history: canceled orders without a fill are only reserved for 2 hours'],
  ['gate', 'linear', 10 * MINUTE, 'List futures orders: zero-fill orders for 10 minutes after cancellation'],
  ['gate', 'spot', HOUR, 'Get a single order: by text within 1 hour after the end of the order'],
  ['deribit', 'linear', 30 * MINUTE, 'historical: recent records are orders for 30 min'],
  ['deribit', 'inverse', 30 * MINUTE, 'historical: recent records are orders for 30 min'],
  ['kucoin', 'spot', 3 * DAY, 'HF order details: not active, within 3 * 24 hours'],
  ['kucoin', 'linear', DAY, '?'],
  ['kraken', 'spot', undefined, 'ClosedOrders takes cl_ord_id and goes back to the first order'],
  ['krakenfutures', 'linear', DAY, '?'],
  ['krakenfutures', 'inverse', DAY, '?'],
  ['bitget', 'spot', DAY, '?'],
  ['bitget', 'linear', DAY, '?'],
  ['hyperliquid', 'linear', DAY, '?'],
  ['coinbase', 'spot', DAY, '?'],
  ['mexc', 'spot', DAY, '?'],
]

describe('how long after its end an order is found by our id', () => {
  it.each(FINDABLE)('%s %s: %s ms (%s)', async (venue, kind, ms) => {
    const { exchange } = await openScripted(venue, kind, [])
    expect(exchange.findableMs).toBe(ms)
    await exchange.close()
  })
})
