// Lists of fills, asked of venues that answer for a window of time, page after page, as their documents say.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import type { WireRequest } from '../../../src/exchanges/ccxt/transport.ts'
import { createCaseWire } from './case-wire.ts'
import { KEYS } from './scripted-venue.ts'
import { readVenueCases } from './venue-cases.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const MINUTE = 60_000
const DAY = 86_400_000
const CASES = readVenueCases()

type Fields = Readonly<Record<string, string>>

/** What a venue does with a question for fills. Each fill is a time. */
interface ListedVenue {
  readonly venue: string
  readonly kind: MarketKind
  readonly symbol: string
  readonly path: string
  /** The first and the last moment that it answers for. */
  readonly span: (fields: Fields) => readonly [number, number]
  readonly newestFirst: boolean
  readonly most: (fields: Fields) => number
  readonly row: (at: number) => object
  readonly answer: (rows: readonly object[]) => unknown
  readonly keptDays?: number
}

const at = (text: string | undefined, or: number) => (text === undefined ? or : Number(text))

/** "Only startTime: to startTime + 7 days. Only endTime: from endTime - 7 days. Neither: the last 7 days." */
function week(start: string, end: string, ms = 7 * DAY) {
  return (fields: Fields): readonly [number, number] => {
    const [from, until] = [fields[start], fields[end]]
    if (from === undefined) return [at(until, NOW) - ms, at(until, NOW)]
    return [Number(from), Math.min(at(until, Number(from) + ms), Number(from) + ms)]
  }
}

const binance = (path: string, symbol: string, id: string) => ({
  venue: 'binance',
  symbol,
  path,
  span: week('startTime', 'endTime'),
  newestFirst: false,
  most: ({ limit }: Fields) => at(limit, 500),
  row: (time: number) => ({
    symbol: id,
    id: time,
    orderId: 22542179,
    price: '59999.90',
    qty: '1',
    commission: '0',
    commissionAsset: 'USDT',
    realizedPnl: '0',
    side: 'BUY',
    buyer: true,
    maker: false,
    positionSide: 'BOTH',
    time,
  }),
  answer: (rows: readonly object[]) => rows,
})

const bybitRow = (time: number) => ({
  symbol: 'BTCUSDT',
  orderType: 'Limit',
  orderLinkId: '',
  orderId: 'o1',
  side: 'Buy',
  orderPrice: '60000',
  orderQty: '1',

  execId: `e${time}`,
  execFee: '0',
  execPrice: '59999.9',
  execQty: '0.125',
  execType: 'Trade',
  execTime: String(time),
  isMaker: false,
  execPnl: '0',
  closedSize: '0',
  createType: 'CreateByUser',
})

const VENUES: readonly ListedVenue[] = [
  { ...binance('/fapi/v1/userTrades', 'BTCUSDT', 'BTCUSDT'), kind: 'linear', keptDays: 180 },
  { ...binance('/dapi/v1/userTrades', 'BTCUSD', 'BTCUSD_PERP'), kind: 'inverse' },
  {
    venue: 'bybit',
    kind: 'linear',
    symbol: 'BTCUSDT',
    path: '/v5/execution/list',
    newestFirst: true,
    keptDays: 730,
    span: week('startTime', 'endTime'),
    most: ({ limit }) => Math.min(at(limit, 50), 100),
    row: bybitRow,
    answer: (list) => ({ retCode: 0, retMsg: 'OK', result: { category: 'linear', nextPageCursor: '', list } }),
  },
  {
    venue: 'kucoin',
    kind: 'linear',
    symbol: 'BTCUSDT',
    path: '/api/v1/fills',
    newestFirst: true,
    keptDays: 90,
    // "If only the start time is specified, end time = start time + 24 hours"; more than 7 × 24 hours are cut.
    span({ startAt, endAt }) {
      if (startAt === undefined || endAt === undefined)
        return week('startAt', 'endAt', DAY)({ ...(startAt && { startAt }) })
      return [Math.max(Number(startAt), Number(endAt) - 7 * DAY), Number(endAt)]
    },
    most: ({ pageSize }) => at(pageSize, 50),
    row: (time) => ({
      symbol: 'XBTUSDTM',
      tradeId: `t${time}`,
      orderId: 'o1',
      side: 'buy',
      liquidity: 'taker',
      price: '59999.9',
      size: 1,

      value: '60',
      fee: '0.03',
      feeCurrency: 'USDT',
      tradeType: 'trade',
      createdAt: time,
      tradeTime: time * 1_000_000,
    }),
    answer: (items) => ({
      code: '200000',
      data: { currentPage: 1, pageSize: 50, totalNum: items.length, totalPage: 1, items },
    }),
  },
  {
    venue: 'gate',
    kind: 'spot',
    symbol: 'BTCUSDT',
    path: '/api/v4/spot/my_trades',
    newestFirst: true,
    // "If you don't specify from and/or to, only the last 7 days. The range of from and to is not allowed to exceed 30 days."
    span({ from, to }) {
      if (from === undefined || to === undefined) return [NOW - 7 * DAY, NOW]
      if (Number(to) - Number(from) > 30 * 86_400) throw new Error('the range exceeds 30 days')
      return [Number(from) * 1000, Number(to) * 1000]
    },
    most: ({ limit }) => at(limit, 100),
    row: (time) => ({
      id: `t${time}`,
      create_time: String(Math.floor(time / 1000)),
      create_time_ms: `${time}.000000`,
      side: 'buy',
      role: 'taker',

      currency_pair: 'BTC_USDT',
      amount: '1',
      price: '59999.9',
      order_id: 'o1',
      fee: '0',
      fee_currency: 'USDT',
      text: 'web',
    }),
    answer: (rows) => rows,
  },
]

interface Opened {
  readonly exchange: Exchange
  readonly asked: WireRequest[]
}

async function open({ venue, kind, path, ...listed }: ListedVenue, fills: readonly number[]): Promise<Opened> {
  const cases = CASES.find((each) => each.venue === venue)
  if (cases === undefined) throw new Error(`there are no cases of ${venue}`)
  const wire = createCaseWire(cases, [])
  const asked: WireRequest[] = []
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: KEYS,
    now: () => NOW,
    onProblem: () => {},
    delay: async () => {},
    async transport(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (!pathname.endsWith(path)) return wire.transport(request)
      asked.push(request)
      const fields: Fields = Object.fromEntries(searchParams)
      const [first, last] = listed.span(fields)
      const oldest = Math.max(first, NOW - (listed.keptDays ?? 10_000) * DAY)
      const found = fills.filter((time) => time >= oldest && time <= last).sort((a, b) => a - b)
      // Without a time they are the newest, whichever way they are listed.
      const isNewest = listed.newestFirst || Object.keys(fields).every((name) => !/start|end|from|to\b/i.test(name))
      const page = isNewest ? found.slice(-listed.most(fields)) : found.slice(0, listed.most(fields))
      const rows = (listed.newestFirst ? page.reverse() : page).map(listed.row)
      return { status: 200, headers: {}, text: JSON.stringify(listed.answer(rows)) }
    },
  })
  return { exchange, asked }
}

const times = (trades: readonly { readonly timestamp: number }[]) => trades.map(({ timestamp }) => timestamp)

describe.each(VENUES)('$venue $kind', (listed) => {
  const { symbol } = listed
  const fills = [45, 29, 22.5, 20, 12, 8, 7, 6.9, 1, 0.01].map((days) => NOW - Math.round(days * DAY))

  it('lists every fill since a moment, whatever window it answers for', async () => {
    const { exchange } = await open(listed, fills)
    const since = NOW - 30 * DAY
    const history = await exchange.fetchTradeHistory?.({ symbol, since, limit: 500 })
    expect(times(history?.trades ?? [])).toEqual(fills.filter((time) => time >= since))
    expect(history?.wholeSince).toBeUndefined()
    expect(times(await exchange.fetchMyTrades({ symbol, since, limit: 500 }))).toEqual(times(history?.trades ?? []))
  })

  it('asks once for what is newer than its window', async () => {
    const { exchange, asked } = await open(listed, fills)
    expect(times(await exchange.fetchMyTrades({ symbol, since: NOW - 2 * DAY }))).toEqual(fills.slice(-2))
    expect(asked).toHaveLength(1)
  })

  it('lists the newest of several windows, and says from when they are whole', async () => {
    const { exchange } = await open(listed, fills)
    const newest = await exchange.fetchTradeHistory?.({ symbol, since: NOW - 30 * DAY, limit: 5 })
    expect(times(newest?.trades ?? [])).toEqual(fills.slice(-5))
    expect(newest?.wholeSince).toBe(fills.at(-5))
  })

  it('lists 30 days where nobody says since when, and says that', async () => {
    const { exchange } = await open(listed, fills)
    const history = await exchange.fetchTradeHistory?.({ symbol, limit: 100 })
    expect(times(history?.trades ?? [])).toEqual(fills.slice(1))
    expect(history?.wholeSince).toBe(NOW - 30 * DAY)
  })

  it('reads page after page within a window', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => NOW - 10 * DAY + index * MINUTE)
    const { exchange } = await open(listed, many)
    // More than two of the largest pages, in two windows.
    const asked = listed.newestFirst ? many.slice(0, 1_250) : many
    const { exchange: fewer } = await open(listed, asked)
    const since = NOW - 20 * DAY
    expect(times(await fewer.fetchMyTrades({ symbol, since, limit: 5_000 }))).toEqual(asked)
    expect(times(await exchange.fetchMyTrades({ symbol, since, limit: 300 }))).toEqual(many.slice(-300))
  })

  const { keptDays } = listed
  if (keptDays !== undefined) {
    it(`says that it keeps fills for ${keptDays} days`, async () => {
      const { exchange } = await open(listed, fills)
      const history = await exchange.fetchTradeHistory?.({ symbol, since: NOW - (keptDays + 20) * DAY, limit: 500 })
      expect(times(history?.trades ?? [])).toEqual(fills)
      expect(history?.wholeSince).toBe(NOW - keptDays * DAY + MINUTE)
    })
  }
})

describe('deribit linear', () => {
  /** "Recent records: trades for 24h"; historical ones, where "recent data is not included". */
  async function openTwoLists(fills: readonly number[]): Promise<Opened> {
    return open(
      {
        venue: 'deribit',
        kind: 'linear',
        symbol: 'BTCUSDC',
        newestFirst: true,
        path: '/private/get_user_trades_by_instrument_and_time',
        span({ historical, start_timestamp: start, end_timestamp: end }) {
          const [from, until] = historical === 'true' ? [0, NOW - DAY - 1] : [NOW - DAY, NOW]
          return [Math.max(from, at(start, 0)), Math.min(until, at(end, NOW))]
        },
        most: ({ count }) => Math.min(at(count, 10), 1000),
        row: (time) => ({
          trade_id: `t${time}`,
          trade_seq: 1,
          timestamp: time,
          instrument_name: 'BTC_USDC-PERPETUAL',
          order_id: 'USDC-1',
          direction: 'buy',
          price: 60_000,
          amount: 1,
          fee: 0,
          fee_currency: 'USDC',
          liquidity: 'T',
          label: '',
          order_type: 'market',
          state: 'filled',
        }),
        answer: (trades) => ({ jsonrpc: '2.0', result: { trades, has_more: false } }),
      },
      fills,
    )
  }
  const symbol = 'BTCUSDC'
  const fills = [45, 29, 8, 1.5, 0.9, 0.01].map((days) => NOW - Math.round(days * DAY))

  it('lists recent fills and those of its history, once each', async () => {
    const { exchange } = await openTwoLists(fills)
    expect(times(await exchange.fetchMyTrades({ symbol }))).toEqual(fills)
    const history = await exchange.fetchTradeHistory?.({ symbol, since: NOW - 30 * DAY, limit: 500 })
    expect([times(history?.trades ?? []), history?.wholeSince]).toEqual([fills.slice(1), undefined])
  })

  it('reads page after page of its history', async () => {
    const many = Array.from({ length: 450 }, (_, index) => NOW - 10 * DAY + index * MINUTE)
    const { exchange } = await openTwoLists([...many, NOW - MINUTE])
    const since = NOW - 20 * DAY
    expect(times(await exchange.fetchMyTrades({ symbol, since, limit: 5_000 }))).toEqual([...many, NOW - MINUTE])
  })

  it('asks once where recent fills are enough', async () => {
    const { exchange, asked } = await openTwoLists(fills)
    expect(times(await exchange.fetchMyTrades({ symbol, since: NOW - DAY / 2 }))).toEqual(fills.slice(-1))
    expect(times(await exchange.fetchMyTrades({ symbol, limit: 2 }))).toEqual(fills.slice(-2))
    expect(asked).toHaveLength(2)
  })
})

it('a list of which there is more than can be read is an error, and its history says from when it is whole', async () => {
  // A venue that lists the fills of all symbols, 50 at a time.
  const [kraken] = CASES.filter(({ venue }) => venue === 'kraken')
  if (kraken === undefined) throw new Error('there are no cases of kraken')
  const wire = createCaseWire(kraken, [])
  const exchange = await openCcxtExchange({
    venue: 'kraken',
    kind: 'spot',
    environment: 'live',
    keys: kraken.keys,
    now: () => NOW,
    onProblem: () => {},
    delay: async () => {},
    async transport(request) {
      if (!request.url.endsWith('/TradesHistory')) return wire.transport(request)
      const until = Number(new URLSearchParams(request.body).get('end') ?? NOW / 1000)
      const rows = Array.from({ length: 50 }, (_, index) => [
        `T${until - index}`,
        {
          ordertxid: 'O',
          pair: 'XXBTZUSD',
          time: until - index,
          type: 'buy',
          ordertype: 'limit',
          price: '1',
          cost: '1',
          fee: '0',
          vol: '1',
          maker: false,
        },
      ])
      return {
        status: 200,
        headers: {},
        text: JSON.stringify({ error: [], result: { trades: Object.fromEntries(rows) } }),
      }
    },
  })
  const query = { symbol: 'BTCUSD', since: NOW - 30 * DAY, limit: 100_000 }
  await expect(exchange.fetchMyTrades(query)).rejects.toMatchObject({ code: 'network', hint: 'ask for fewer days' })
  const history = await exchange.fetchTradeHistory?.(query)
  expect(history?.trades.length).toBeGreaterThan(900)
  expect(history?.wholeSince).toBe(history?.trades[0]?.timestamp)
})
