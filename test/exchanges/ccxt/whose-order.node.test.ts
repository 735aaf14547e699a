// Whose an order is, where a venue answers with a list: by the row's own ids, whatever else is in the list and whatever was seen before.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import type { OrderRef } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { profileOf } from '../../../src/exchanges/ccxt/profiles.ts'
import type { WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { createCaseWire } from './case-wire.ts'
import { readVenueCases, stepsOf, type VenueCases } from './venue-cases.ts'
import '../../../harness/tiers/runs.ts'

const OURS = '0123456789abcdef0123456789abcdef'
const KEYS = {
  apiKey: 'the-key',
  secret: 'c2VjcmV0',
  password: 'pass',
  privateKey: `0x${'1'.repeat(64)}`,
  walletAddress: `0x${'2'.repeat(40)}`,
}
const at = Date.now() - 60_000

/** An order in a list, in the venue's own numbers. */
interface Row {
  readonly id: string
  readonly clientOrderId: string
  readonly size: number
}

/** A venue that an order is looked for in a list of. */
interface Listing {
  readonly venue: string
  readonly kind: MarketKind
  readonly symbol: string
  readonly isTrigger?: boolean
  readonly where: string
  /** What a request is answered with; undefined where it is not one of the lists. */
  readonly answer: (request: WireRequest, rows: readonly object[]) => unknown
  readonly row: (row: Row) => object
  readonly idOf: (number: number) => string
  /** What it says of one order that it does not know. */
  readonly missing: { readonly status: number; readonly json: unknown }
}

const plain = String
/** Its id as a number; without one the row has no such field. */
const numbered = (name: string, id: string) => (id === '' ? {} : { [name]: Number(id) })
const uuid = (number: number) =>
  `${String(number).padStart(12, '0').slice(0, 8)}-0000-4000-8000-${String(number).padStart(12, '0')}`
const has = ({ method, url }: WireRequest, ...words: readonly string[]) =>
  words.every((word) => `${method} ${url}`.includes(word))

const GATE = { status: 404, json: { label: 'ORDER_NOT_FOUND', message: 'order not found' } }
const BINANCE = { status: 400, json: { code: -2013, msg: 'Order does not exist.' } }
const BITGET = { status: 400, json: { code: '40768', msg: 'Order does not exist', data: null } }
const KRAKENFUTURES = { status: 200, json: { result: 'success', cancelStatus: { status: 'notFound' } } }
const DERIBIT = { status: 400, json: { jsonrpc: '2.0', error: { code: 10004, message: 'order_not_found' } } }

const bitgetAnswer = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: at, data })
const deribitAnswer = (result: unknown) => ({ jsonrpc: '2.0', result, usIn: 1, usOut: 2, usDiff: 1, testnet: false })
const bybitAnswer = (list: unknown) => ({ retCode: 0, retMsg: 'OK', result: { list, nextPageCursor: '' }, time: at })

const algo =
  (symbol: string) =>
  ({ id, clientOrderId, size }: Row) => ({
    ...numbered('algoId', id),
    clientAlgoId: clientOrderId,
    algoType: 'CONDITIONAL',
    orderType: 'STOP_MARKET',
    symbol,
    side: 'SELL',
    positionSide: 'BOTH',
    timeInForce: 'GTC',
    quantity: String(size),
    algoStatus: 'NEW',
    triggerPrice: '58000',
    price: '0',
    reduceOnly: true,
    createTime: at,
    updateTime: at,
  })

const bybitRow =
  (symbol: string) =>
  ({ id, clientOrderId, size }: Row) => ({
    orderId: id,
    orderLinkId: clientOrderId,
    symbol,
    side: 'Buy',
    orderType: 'Limit',
    price: '60000',
    qty: String(size),
    cumExecQty: String(size),
    leavesQty: '0',
    orderStatus: 'Filled',
    timeInForce: 'GTC',
    triggerPrice: '',
    reduceOnly: false,
    createdTime: String(at),
    updatedTime: String(at),
  })

const deribitRow =
  (instrument_name: string) =>
  ({ id, clientOrderId, size }: Row) => ({
    order_id: id,
    label: clientOrderId,
    instrument_name,
    amount: size,
    filled_amount: 0,
    average_price: 0,

    order_state: 'open',
    order_type: 'limit',
    price: 60_000,
    direction: 'buy',
    time_in_force: 'good_til_cancelled',
    reduce_only: false,
    post_only: false,
    creation_timestamp: at,
    last_update_timestamp: at,
  })

const futuresOpen =
  (symbol: string) =>
  ({ id, clientOrderId, size }: Row) => ({
    order_id: id,
    ...(clientOrderId === '' ? {} : { cliOrdId: clientOrderId }),
    symbol,
    side: 'sell',
    orderType: 'stop',
    stopPrice: 58_000,
    unfilledSize: size,
    filledSize: 0,
    status: 'untouched',
    receivedTime: new Date(at).toISOString(),
    reduceOnly: true,
    lastUpdateTime: new Date(at).toISOString(),
  })

const futuresEnded =
  (tradeable: string) =>
  ({ id, clientOrderId, size }: Row) => ({
    uid: `event-${id}`,
    timestamp: at,
    event: {
      OrderCancelled: {
        order: {
          uid: id,
          tradeable,
          direction: 'Buy',
          quantity: String(size),
          filled: '0',
          limitPrice: '60000',
          timestamp: at,
          orderType: 'Limit',
          reduceOnly: false,
          lastUpdateTimestamp: at,
          ...(clientOrderId === '' ? {} : { clientId: clientOrderId }),
        },
        reason: 'cancelled_by_user',
      },
    },
  })

const krakenfutures = (kind: MarketKind, symbol: string, id: string): readonly Listing[] => {
  const shared = { venue: 'krakenfutures', kind, symbol, idOf: uuid, missing: KRAKENFUTURES }
  const open = (openOrders: unknown) => ({ result: 'success', openOrders, serverTime: new Date(at).toISOString() })
  const ended = (elements: readonly object[]) => ({ accountUid: 'a', len: elements.length, elements })
  return [
    {
      ...shared,
      where: 'those that rest',
      row: futuresOpen(id),
      answer: (request, rows) =>
        has(request, '/openorders') ? open(rows) : has(request, '/history/') ? ended([]) : undefined,
    },
    {
      ...shared,
      where: 'those that ended',
      row: futuresEnded(id),
      answer: (request, rows) =>
        has(request, '/openorders') ? open([]) : has(request, '/history/') ? ended(rows) : undefined,
    },
  ]
}

const deribit = (kind: MarketKind, symbol: string, instrument: string): readonly Listing[] => {
  const shared = { venue: 'deribit', kind, symbol, idOf: plain, missing: DERIBIT, row: deribitRow(instrument) }
  const listing = (where: string, words: string): Listing => ({
    ...shared,
    where,
    answer: (request, rows) => {
      if (has(request, words)) return deribitAnswer(rows)
      return has(request, 'get_order_state_by_label') || has(request, 'history') ? deribitAnswer([]) : undefined
    },
  })
  return [
    listing('those under a label', 'get_order_state_by_label'),
    listing('those that ended', 'get_order_history_by_instrument'),
  ]
}

const bybit = (kind: MarketKind, symbol: string): Listing => ({
  venue: 'bybit',
  kind,
  symbol,
  where: 'its history',
  idOf: uuid,
  row: bybitRow(symbol),
  missing: { status: 200, json: { retCode: 110001, retMsg: 'Order does not exist', result: {} } },
  answer: (request, rows) =>
    has(request, '/order/history') ? bybitAnswer(rows) : has(request, '/order/realtime') ? bybitAnswer([]) : undefined,
})

const LISTINGS: readonly Listing[] = [
  {
    venue: 'bitget',
    kind: 'linear',
    symbol: 'BTCUSDT',
    isTrigger: true,
    where: 'plan orders',
    idOf: plain,
    missing: BITGET,
    answer: (request, rows) =>
      has(request, 'orders-plan-pending')
        ? bitgetAnswer({ entrustedList: rows, endId: null })
        : has(request, 'orders-plan-history')
          ? bitgetAnswer({ entrustedList: null, endId: null })
          : undefined,
    row: ({ id, clientOrderId, size }) => ({
      planType: 'normal_plan',
      symbol: 'BTCUSDT',
      size: String(size / 1000),
      orderId: id,
      executeOrderId: '',
      clientOid: clientOrderId,
      planStatus: 'live',
      price: '',
      triggerPrice: '58000',
      marginCoin: 'usdt',
      side: 'sell',
      posSide: 'net',
      orderType: 'market',
      cTime: String(at),
      uTime: String(at),
    }),
  },
  {
    venue: 'bitget',
    kind: 'spot',
    symbol: 'BTCUSDT',
    isTrigger: true,
    where: 'plan orders',
    idOf: plain,
    missing: { ...BITGET, json: { ...BITGET.json, code: '43001' } },
    answer: (request, rows) =>
      has(request, 'current-plan-order')
        ? bitgetAnswer({ nextFlag: false, idLessThan: '0', orderList: rows })
        : has(request, 'history-plan-order')
          ? bitgetAnswer({ nextFlag: false, idLessThan: '0', orderList: [] })
          : undefined,
    row: ({ id, clientOrderId, size }) => ({
      orderId: id,
      clientOid: clientOrderId,
      symbol: 'BTCUSDT',
      size: String(size / 1000),
      status: 'live',
      executePrice: '',
      triggerPrice: '58000',
      orderType: 'market',
      side: 'sell',
      planType: 'amount',
      cTime: String(at),
      uTime: String(at),
    }),
  },
  {
    venue: 'gate',
    kind: 'linear',
    symbol: 'BTCUSDT',
    isTrigger: true,
    where: 'price orders',
    idOf: plain,
    missing: GATE,
    answer: (request, rows) => {
      if (has(request, 'GET', '/price_orders?')) return has(request, 'status=open') ? rows : []
      return has(request, 'GET', '/usdt/orders?') ? [] : undefined
    },
    row: ({ id, clientOrderId, size }) => ({
      initial: { contract: 'BTC_USDT', size: -size, price: '0', tif: 'ioc', text: clientOrderId, is_reduce_only: true },
      trigger: { strategy_type: 0, price_type: 0, price: '58000', rule: 2, expiration: 0 },
      ...numbered('id', id),
      create_time: Math.trunc(at / 1000),
      trade_id: 0,
      status: 'open',
      finish_as: '',
    }),
  },
  {
    venue: 'gate',
    kind: 'linear',
    symbol: 'BTCUSDT',
    where: 'those that ended',
    idOf: plain,
    missing: GATE,
    answer: (request, rows) =>
      has(request, 'GET', '/usdt/orders?', 'status=finished')
        ? rows
        : has(request, 'GET', '/price_orders?')
          ? []
          : undefined,
    row: ({ id, clientOrderId, size }) => ({
      ...numbered('id', id),
      contract: 'BTC_USDT',
      size,
      left: 0,
      price: '60000',
      fill_price: '59999',
      tif: 'gtc',
      text: clientOrderId,
      status: 'finished',
      finish_as: 'filled',
      create_time: Math.trunc(at / 1000),
    }),
  },
  {
    venue: 'gate',
    kind: 'spot',
    symbol: 'BTCUSDT',
    where: 'those that ended',
    idOf: plain,
    missing: GATE,
    answer: (request, rows) => (has(request, 'GET', '/spot/orders?', 'status=finished') ? rows : undefined),
    row: ({ id, clientOrderId, size }) => ({
      id,
      text: clientOrderId,
      currency_pair: 'BTC_USDT',
      status: 'closed',
      type: 'limit',
      account: 'spot',
      side: 'sell',
      amount: String(size / 1000),
      price: '60000',
      left: '0',
      filled_total: String(size * 60),
      avg_deal_price: '60000',
      time_in_force: 'gtc',
      create_time_ms: at,
      update_time_ms: at,
      finish_as: 'filled',
    }),
  },
  {
    venue: 'binance',
    kind: 'inverse',
    symbol: 'BTCUSD',
    isTrigger: true,
    where: 'algo orders',
    idOf: plain,
    missing: BINANCE,
    row: algo('BTCUSD_PERP'),
    answer: (request, rows) =>
      has(request, 'openAlgoOrders') ? rows : has(request, 'GET', 'allOrders') ? [] : undefined,
  },
  {
    venue: 'binance',
    kind: 'linear',
    symbol: 'BTCUSDT',
    isTrigger: true,
    where: 'algo orders',
    idOf: plain,
    missing: BINANCE,
    row: algo('BTCUSDT'),
    answer: (request, rows) => (has(request, 'openAlgoOrders') ? rows : has(request, 'allAlgoOrders') ? [] : undefined),
  },
  {
    venue: 'coinbase',
    kind: 'spot',
    symbol: 'BTCUSD',
    where: 'those of the product',
    idOf: uuid,
    missing: { status: 404, json: { error: 'NOT_FOUND', message: 'order not found' } },
    answer: (request, rows) => (has(request, 'orders/historical/batch') ? { orders: rows, cursor: '' } : undefined),
    row: ({ id, clientOrderId, size }) => ({
      order_id: id,
      client_order_id: clientOrderId,
      product_id: 'BTC-USD',
      side: 'BUY',
      status: 'OPEN',
      order_configuration: { limit_limit_gtc: { base_size: String(size / 1000), limit_price: '60000' } },
      filled_size: '0',
      average_filled_price: '0',
      created_time: new Date(at).toISOString(),
      time_in_force: 'GOOD_UNTIL_CANCELLED',
      order_type: 'LIMIT',
      trigger_status: 'INVALID_ORDER_TYPE',
    }),
  },
  {
    venue: 'kraken',
    kind: 'spot',
    symbol: 'BTCUSD',
    where: 'those that rest',
    idOf: (id) => `O${id}`,
    missing: { status: 200, json: { error: ['EOrder:Unknown order'] } },
    answer: (request, rows) =>
      has(request, '/OpenOrders')
        ? { error: [], result: { open: Object.assign({}, ...rows) } }
        : has(request, '/ClosedOrders')
          ? { error: [], result: { closed: {}, count: 0 } }
          : undefined,
    row: ({ id, clientOrderId, size }) => ({
      [id]: {
        userref: 0,
        ...(clientOrderId === '' ? {} : { cl_ord_id: clientOrderId }),
        status: 'open',
        descr: { pair: 'XBTUSD', type: 'buy', ordertype: 'limit', price: '60000.0', price2: '0', leverage: 'none' },

        opentm: at / 1000,
        vol: String(size / 1000),
        vol_exec: '0',
        cost: '0',
        fee: '0',
        price: '0',
        oflags: 'fciq',
      },
    }),
  },
  ...krakenfutures('linear', 'BTCUSD', 'PF_XBTUSD'),
  ...krakenfutures('inverse', 'BTCUSD', 'PI_XBTUSD'),
  ...deribit('linear', 'BTCUSDC', 'BTC_USDC-PERPETUAL'),
  ...deribit('inverse', 'BTCUSD', 'BTC-PERPETUAL'),
  bybit('linear', 'BTCUSDT'),
  bybit('spot', 'BTCUSDT'),
  bybit('inverse', 'BTCUSD'),
]

const venues = new Map(readVenueCases().map((each) => [each.venue, each]))

function venueOf(id: string): VenueCases {
  const found = venues.get(id)
  if (found === undefined) throw new Error(`no cases of ${id}`)
  return found
}

interface Stage {
  readonly exchange: Exchange
  /** What leaves, in words. */
  readonly sent: string[]
  /** The list from now on. */
  rows: readonly Row[]
}

async function stageOf(listing: Listing): Promise<Stage> {
  const venue = venueOf(listing.venue)
  const background = createCaseWire(venue, [])
  const sent: string[] = []
  const stage = { rows: [] as readonly Row[], sent }
  const exchange = await openCcxtExchange({
    venue: listing.venue,
    kind: listing.kind,
    environment: 'live',
    keys: KEYS,
    now: Date.now,
    onProblem: () => undefined,
    async transport(request) {
      sent.push(`${request.method} ${request.url} ${request.body ?? ''}`)
      const json = listing.answer(request, stage.rows.map(listing.row))
      if (json !== undefined) return { status: 200, headers: {}, text: JSON.stringify(json) }
      return background
        .transport(request)
        .catch(() => ({ status: listing.missing.status, headers: {}, text: JSON.stringify(listing.missing.json) }))
    },
  })
  await exchange.loadMarkets()
  return Object.assign(stage, { exchange })
}

/** The id that was found; undefined for `order-not-found`. Anything else fails the test. */
async function found(exchange: Exchange, ref: OrderRef): Promise<{ id: string; amount: string } | undefined> {
  try {
    const { id, amount } = await exchange.fetchOrder(ref)
    return { id, amount }
  } catch (error) {
    if (error instanceof ExchangeError && error.code === 'order-not-found') return undefined
    throw error
  }
}

/** Ids that no time and no signature has in it. */
const foreign = fc.record({
  number: fc.integer({ min: 770_000_001, max: 779_999_999 }),
  clientOrderId: fc.constantFrom('', 'web', '1234567890123456789', 't-web', 'ffffffffffffffffffffffffffffffff'),
  size: fc.integer({ min: 1, max: 40 }).map((tens) => tens * 1000),
})
const foreigners = fc.uniqueArray(foreign, { maxLength: 3, selector: ({ number }) => number })
const OWN_NUMBER = 123_456_789
const OWN_SIZE = 500

describe.each(LISTINGS)('$venue $kind, $where', (listing) => {
  const { symbol, isTrigger = false, idOf } = listing
  const toVenue = profileOf(listing.venue)?.clientOrderIds.toVenue ?? String
  const own: Row = { id: idOf(OWN_NUMBER), clientOrderId: toVenue(OURS), size: OWN_SIZE }
  const strangers = (rows: readonly { number: number; clientOrderId: string; size: number }[]) =>
    rows.map(({ number, clientOrderId, size }) => ({ id: idOf(number), clientOrderId, size }))

  it('an order of somebody else is never ours: not read, not shown, not canceled, whatever was known', async () => {
    await fc.assert(
      fc.asyncProperty(foreigners, foreigners, fc.boolean(), fc.boolean(), async (front, back, isThere, wasKnown) => {
        const before = strangers(front)
        const after = strangers(back)
        const stage = await stageOf(listing)
        const { exchange, sent } = stage
        try {
          stage.rows = [own]
          const ours = wasKnown ? await found(exchange, { symbol, clientOrderId: OURS, isTrigger }) : undefined
          if (wasKnown) expect(ours?.id).toBe(own.id)
          stage.rows = [...before, ...(isThere ? [own] : []), ...after]
          const byOurs = await found(exchange, { symbol, clientOrderId: OURS, isTrigger })
          expect(byOurs?.id).toBe(isThere ? own.id : undefined)
          if (wasKnown && isThere) expect(byOurs).toEqual(ours)
          const shown = await exchange.fetchOpenOrders(symbol).catch(() => [])
          for (const { id } of shown.filter((each) => each.clientOrderId === OURS)) expect(id).toBe(own.id)
          const byId = await found(exchange, { symbol, id: own.id, isTrigger })
          if (byId !== undefined) expect(byId).toEqual(byOurs)
          await exchange.cancelOrder({ symbol, clientOrderId: OURS, isTrigger }).catch(() => undefined)
          const theirs = [...before, ...after].map(({ id }) => id).filter((id) => id !== own.id)
          expect(sent.filter((each) => theirs.some((id) => each.includes(id)))).toEqual([])
        } finally {
          await exchange.close()
        }
      }),
      // Questions to these two wait for their pace.
      { numRuns: listing.venue.startsWith('kraken') ? 3 : 12 },
    )
  })

  it('a row without any id may be ours: it is not said that there is no such order', async () => {
    const stage = await stageOf(listing)
    try {
      stage.rows = [{ id: '', clientOrderId: '', size: OWN_SIZE }]
      const asked = found(stage.exchange, { symbol, clientOrderId: OURS, isTrigger })
      await expect(asked).rejects.toMatchObject({ code: 'network' })
    } finally {
      await stage.exchange.close()
    }
  })
})

/** Which venues have answered with another order below. */
const asked = new Set<string>()

describe('an answer about one order', () => {
  for (const venue of venues.values()) {
    const cases = (venue.methods.fetchOrder ?? []).filter(({ parsedResponse }) => 'id' in (parsedResponse as object))
    const first = cases.find((each) => stepsOf(each).length === 1)
    if (first === undefined) continue
    it(`is not of ours where it names another: ${venue.venue}`, async () => {
      const [step] = stepsOf(first)
      const [ref] = first.input as readonly [OrderRef]
      const { id } = first.parsedResponse as { readonly id: string }
      const toVenue = profileOf(venue.venue)?.clientOrderIds.toVenue ?? String
      const digits = id.replaceAll(/[1-9a-f]/gi, '7')
      const theirs = JSON.stringify(step?.httpResponse).replaceAll(toVenue(OURS), 'web').replaceAll(id, digits)
      const wire = createCaseWire(venue, [{ ...(step as NonNullable<typeof step>), httpResponse: theirs }])
      const exchange = await openCcxtExchange({
        venue: venue.venue,
        kind: first.kind,
        environment: 'live',
        keys: KEYS,
        now: () => at,
        onProblem: () => undefined,
        transport: wire.transport,
      })
      try {
        await expect(exchange.fetchOrder(ref)).rejects.toThrow(ExchangeError)
        expect(wire.order).toEqual([0])
        asked.add(venue.venue)
      } finally {
        await exchange.close()
      }
    })
  }

  afterAll(() => {
    expect([...asked].sort()).toEqual(
      [...venues.keys()].filter((venue) => !['kraken', 'krakenfutures'].includes(venue)),
    )
  })
})
