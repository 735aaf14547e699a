// A row of the open orders in which something is missing: it is read, or named as one that cannot be, or the whole answer is refused; the list is never
// shorter without a word, and the order beside it is there.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { Transport, WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { createCaseWire } from './case-wire.ts'
import { keysOf } from './venue-cases.ts'
import { casesOf, NOW, placeOf, type Row, rowOf, withFields } from './venue-rows.ts'

interface Listing {
  /** The words of the requests that ask for open orders: the first list has the rows, the others are empty. */
  readonly asks: readonly string[]
  readonly answer: (rows: readonly Row[]) => unknown
  /** The id of the order beside it. */
  readonly beside: Row
  /** What a row must have. */
  readonly fields: readonly string[]
  /** Where a word is that nothing here knows. */
  readonly word?: string
}

const LISTINGS: Readonly<Record<string, Listing>> = {
  binance: {
    asks: ['/openOrders', '/openAlgoOrders'],
    answer: (rows) => rows,
    beside: { orderId: 7 },
    fields: ['orderId', 'symbol', 'side', 'origQty', 'executedQty', 'price', 'type', 'status', 'time'],
    word: 'status',
  },
  bitget: {
    asks: ['/orders-pending', '/orders-plan-pending'],
    answer: (rows) => ({ code: '00000', msg: 'success', requestTime: NOW, data: { entrustedList: rows, endId: '1' } }),
    beside: { orderId: '7', clientOid: 'c' },
    fields: ['orderId', 'symbol', 'side', 'size', 'baseVolume', 'price', 'orderType', 'state', 'cTime'],
    word: 'state',
  },
  bybit: {
    asks: ['/order/realtime'],
    answer: (list) => ({ retCode: 0, retMsg: 'OK', result: { category: 'linear', nextPageCursor: '', list } }),
    beside: { orderId: '7' },
    fields: ['orderId', 'symbol', 'side', 'qty', 'cumExecQty', 'price', 'orderType', 'orderStatus', 'createdTime'],
    word: 'orderStatus',
  },
  coinbase: {
    asks: ['/orders/historical/batch'],
    answer: (orders) => ({ orders, has_next: false, cursor: '' }),
    beside: { order_id: '7' },
    fields: [
      'order_id',
      'product_id',
      'side',
      'order_configuration.limit_limit_gtc.base_size',
      'filled_size',
      'status',
    ],
    word: 'status',
  },
  deribit: {
    asks: ['/get_open_orders_by_instrument'],
    answer: (result) => ({ jsonrpc: '2.0', result }),
    beside: { order_id: '7' },
    fields: [
      'order_id',
      'instrument_name',
      'direction',
      'amount',
      'filled_amount',
      'price',
      'order_type',
      'order_state',
    ],
    word: 'order_state',
  },
  gate: {
    asks: ['/futures/usdt/orders', '/futures/usdt/price_orders'],
    answer: (rows) => rows,
    beside: { id: 7 },
    fields: ['id', 'contract', 'size', 'left', 'price', 'tif', 'status', 'create_time'],
    word: 'status',
  },
  hyperliquid: {
    asks: ['frontendOpenOrders'],
    answer: (rows) => rows.map(({ order }) => order),
    beside: { 'order.oid': 7 },
    fields: ['oid', 'coin', 'side', 'sz', 'origSz', 'limitPx', 'orderType', 'timestamp'].map((name) => `order.${name}`),
  },
  kraken: {
    asks: ['/private/OpenOrders'],
    answer: (rows) => ({ error: [], result: { open: Object.fromEntries(rows.map(({ id, ...row }) => [id, row])) } }),
    beside: { id: 'O7' },
    fields: ['descr.pair', 'descr.type', 'descr.ordertype', 'vol', 'vol_exec', 'status', 'opentm'],
    word: 'status',
  },
  krakenfutures: {
    asks: ['/openorders'],
    answer: (openOrders) => ({ result: 'success', openOrders, serverTime: '2023-11-14T22:13:20.000Z' }),
    beside: { order_id: '7' },
    fields: ['order_id', 'symbol', 'side', 'unfilledSize', 'filledSize', 'orderType', 'status', 'receivedTime'],
    word: 'status',
  },
  kucoin: {
    asks: ['/hf/orders/active?', '/stop-order'],
    answer: (data) => ({ code: '200000', data }),
    beside: { id: '7' },
    fields: ['id', 'symbol', 'side', 'size', 'dealSize', 'price', 'type', 'active', 'createdAt'],
  },
  mexc: {
    asks: ['/openOrders'],
    answer: (rows) => rows,
    beside: { orderId: '7' },
    fields: ['orderId', 'symbol', 'side', 'origQty', 'executedQty', 'price', 'type', 'status', 'time'],
    word: 'status',
  },
  okx: {
    asks: ['/orders-pending', '/orders-algo-pending'],
    answer: (data) => ({ code: '0', msg: '', data }),
    beside: { ordId: '7' },
    fields: ['ordId', 'instId', 'side', 'sz', 'accFillSz', 'px', 'ordType', 'state', 'cTime'],
    word: 'state',
  },
}

interface Account {
  readonly exchange: Exchange
  readonly problems: unknown[]
  list(rows: readonly Row[]): Promise<unknown>
}

async function openAccount(venue: string, { asks, answer }: Listing): Promise<Account> {
  const cases = casesOf(venue)
  const [kind, , , symbol] = placeOf(venue)
  const background = createCaseWire(cases, []).transport
  const problems: unknown[] = []
  let rows: readonly Row[] = []
  const transport: Transport = async (request) => {
    const index = asks.findIndex((words) => has(request, words))
    if (index === -1) return background(request)
    const text = JSON.stringify(answer(index === 0 ? rows : []))
    return { status: 200, headers: { 'content-type': 'application/json' }, text }
  }
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: keysOf(cases),
    now: () => NOW,
    transport,
    onProblem: (problem) => problems.push(problem),
  })
  return {
    exchange,
    problems,
    list(wanted) {
      rows = wanted
      return exchange.fetchOpenOrders(symbol)
    },
  }
}

function has({ url, body = '' }: WireRequest, words: string): boolean {
  return `${url} ${body}`.includes(words)
}

/** Kraken answers a question a second. */
const LONG_MS = 60_000

describe.each(Object.entries(LISTINGS))('the open orders of %s', (venue, listing) => {
  it('are never fewer without a word, whatever field of one is missing', { timeout: LONG_MS }, async () => {
    const { exchange, list } = await openAccount(venue, listing)
    const [row, beside] = [rowOf(venue), withFields(rowOf(venue), listing.beside)]
    expect(await list([row, beside])).toHaveLength(2)
    const besideId = String(Object.values(listing.beside)[0])
    for (const field of listing.fields) {
      const listed = await list([withFields(row, { [field]: null }), beside]).catch((error: unknown) => error)
      if (listed instanceof Error) {
        expect(listed, field).toBeInstanceOf(ExchangeError)
        continue
      }
      const orders = listed as readonly { readonly id: string }[]
      expect(
        orders.map(({ id }) => id),
        field,
      ).toContain(besideId)
      expect(orders.length + (exchange.unread?.length ?? 0), field).toBe(2)
    }
    await exchange.close()
  })

  it('have one beside those whose id could become a command, named as one that cannot be read', {
    timeout: LONG_MS,
  }, async () => {
    const { exchange, list } = await openAccount(venue, listing)
    const [field = ''] = Object.keys(listing.beside)
    const beside = withFields(rowOf(venue), listing.beside)
    const listed = await list([withFields(rowOf(venue), { [field]: 'p1||buy $777 BTCUSDT' }), beside]).catch(
      (error: unknown) => error,
    )
    if (listed instanceof Error) expect(listed).toBeInstanceOf(ExchangeError)
    else expect([(listed as unknown[]).length, exchange.unread?.length]).toEqual([1, 1])
    await exchange.close()
  })

  it.skipIf(listing.word === undefined)('have the one in a word of tomorrow beside them, told once', async () => {
    const { exchange, problems, list } = await openAccount(venue, listing)
    const [row, beside] = [rowOf(venue), withFields(rowOf(venue), listing.beside)]
    const strange = withFields(row, { [listing.word ?? '']: 'a_word_of_tomorrow' })
    for (const _ of ['first', 'again']) expect(await list([strange, beside])).toHaveLength(1)
    const [unread] = exchange.unread ?? []
    expect(exchange.unread).toEqual([
      { what: 'order', id: expect.any(String), symbol: placeOf(venue)[3], why: 'its status is not known' },
    ])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ code: 'network', message: expect.stringContaining(unread?.id ?? '?') })
    await list([beside])
    expect(exchange.unread).toEqual([])
    await exchange.close()
  })
})
