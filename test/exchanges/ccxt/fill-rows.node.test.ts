// What is made of one row of a list of fills: kept, or set aside and named, and what the venue did by itself told from what people did.
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../../src/exchange/exchange.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { createCaseWire } from './case-wire.ts'
import { KEYS } from './scripted-venue.ts'
import { readVenueCases, stepsOf, type VenueCase, type VenueCases } from './venue-cases.ts'

const NOW = 1_700_000_000_000

type Row = Readonly<Record<string, unknown>>

const GATE_ROW: Row = {
  trade_id: '121234231',
  create_time: NOW / 1000,
  contract: 'BTC_USDT',
  order_id: '21893289839',
  size: 100,
  price: '60000',
  role: 'taker',
  text: 't-0123456789abcdef',
  fee: '0.01',
  point_fee: '0',
}

/** OKX: the order does not exist. */
const GONE = JSON.stringify({ code: '51603', msg: '', data: [] })

/** A venue's list of one fill, with its row to be changed. */
interface Listed {
  readonly venue: VenueCases
  readonly kind: MarketKind
  readonly symbol: string
  readonly row: Row
  readonly answer: (row: Row) => unknown
}

const CASES = readVenueCases()
const LISTS: readonly Listed[] = CASES.flatMap((venue) => {
  if (venue.venue === 'gate')
    return [{ venue, kind: 'linear', symbol: 'BTCUSDT', row: GATE_ROW, answer: (row: Row) => [row] }]
  return (venue.methods.fetchMyTrades ?? []).map((each) => listOf(venue, each))
})

function listOf(venue: VenueCases, each: VenueCase): Listed {
  const { kind, input } = each
  const [{ symbol }] = input as [{ symbol: string }]
  // The list of fills is asked for first.
  const httpResponse = stepsOf(each)[0]?.httpResponse
  const text = JSON.stringify(httpResponse)
  const row = rowIn(httpResponse)
  if (row === undefined) throw new Error(`there is no row in ${text}`)
  return {
    venue,
    kind,
    symbol,
    row,
    answer: (changed) => JSON.parse(text.replace(JSON.stringify(row), JSON.stringify(changed))),
  }
}

/** The first object in a list, or by an id as at Kraken. */
function rowIn(answer: unknown): Row | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  if ('ordertxid' in answer) return answer as Row
  const [first] = Array.isArray(answer) ? answer : []
  if (first !== undefined) return first
  return Object.values(answer)
    .map(rowIn)
    .find((found) => found !== undefined)
}

async function open(
  { venue, kind, answer }: Listed,
  row: Row,
  problems: unknown[] = [],
  forced: readonly Row[] = [],
): Promise<Exchange> {
  const wire = createCaseWire(venue, [])
  return openCcxtExchange({
    venue: venue.venue,
    kind,
    environment: 'live',
    now: () => NOW,
    delay: async () => {},
    keys: { ...KEYS, ...withoutMade(venue.keys) },
    onProblem: (problem) => problems.push(problem),
    async transport(request) {
      if (request.url.includes('/forceOrders?')) return { status: 200, headers: {}, text: JSON.stringify(forced) }
      // A fill without our id may be of a trigger order that fired: its order is asked for, and is of nobody here.
      if (request.url.includes('/trade/order?')) return { status: 200, headers: {}, text: GONE }
      const isList = /userTrades|myTrades|my_trades|execution\/list|fills|TradesHistory|get_user_trades/.test(
        request.url,
      )
      if (!isList && !request.body?.includes('userFills')) return wire.transport(request)
      return { status: 200, headers: {}, text: JSON.stringify(answer(row)) }
    },
  })
}

function withoutMade(keys: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => !value.startsWith('<')))
}

describe.each(LISTS.filter(({ venue }) => venue.venue !== 'coinbase'))('a fill of $venue.venue $kind', (listed) => {
  const { row, symbol } = listed

  it('is listed as it is', async () => {
    const exchange = await open(listed, row)
    expect(await exchange.fetchMyTrades({ symbol, limit: 1 })).toHaveLength(1)
    expect(exchange.unread).toEqual([])
  })

  it.each(Object.keys(row))('without its %s is kept, or set aside and named', async (field) => {
    const problems: unknown[] = []
    const exchange = await open(listed, { ...row, [field]: null }, problems)
    const trades = await exchange.fetchMyTrades({ symbol, limit: 1, since: NOW - 60_000 })
    const named = exchange.unread ?? []
    expect(trades.length + named.length).toBe(1)
    expect(problems).toHaveLength(named.length)
    for (const unread of named) expect(unread.what).toBe('fill')
  })
})

describe('what the venue does by itself', () => {
  const find = (venue: string, kind: MarketKind) => {
    const found = LISTS.find((each) => each.venue.venue === venue && each.kind === kind)
    if (found === undefined) throw new Error(`there is no list of ${venue} ${kind}`)
    return found
  }

  // Each word as the venue's document has it, or as a recording does.
  it.each([
    ['bybit', 'linear', { execType: 'BustTrade', execPnl: '-275' }, 'liquidation'],
    ['bybit', 'linear', { execType: 'AdlTrade' }, 'deleveraging'],
    ['bybit', 'linear', { execType: 'Delivery' }, 'settlement'],
    ['okx', 'linear', { subType: '104' }, 'liquidation'],
    ['okx', 'linear', { subType: '100' }, 'liquidation'],
    ['okx', 'linear', { subType: '125' }, 'deleveraging'],
    ['okx', 'linear', { subType: '112' }, 'settlement'],
    ['bitget', 'linear', { tradeSide: 'burst_sell_single' }, 'liquidation'],
    ['bitget', 'linear', { tradeSide: 'reduce_close_long' }, 'liquidation'],
    ['bitget', 'linear', { tradeSide: 'delivery_close_short' }, 'settlement'],
    ['gate', 'linear', { text: 'liq-1203981' }, 'liquidation'],
    ['gate', 'linear', { text: 'liquidation' }, 'liquidation'],
    ['gate', 'linear', { text: 'auto_deleveraging' }, 'deleveraging'],
    ['krakenfutures', 'linear', { fillType: 'liquidation' }, 'liquidation'],
    ['krakenfutures', 'linear', { fillType: 'partialLiquidation' }, 'liquidation'],
    ['krakenfutures', 'linear', { fillType: 'unwindCounterparty' }, 'deleveraging'],
    ['deribit', 'inverse', { liquidation: 'T', liquidity: 'T' }, 'liquidation'],
    ['deribit', 'inverse', { liquidation: 'MT', liquidity: 'M' }, 'liquidation'],
    ['deribit', 'inverse', { liquidation: 'M', liquidity: 'T' }, undefined],
    [
      'hyperliquid',
      'linear',
      { liquidation: { liquidatedUser: KEYS.walletAddress, markPx: '1', method: 'market' } },
      'liquidation',
    ],
    [
      'hyperliquid',
      'linear',
      { liquidation: { liquidatedUser: `0x${'9'.repeat(40)}`, markPx: '1', method: 'market' } },
      undefined,
    ],
    ['hyperliquid', 'linear', { dir: 'Auto-Deleveraging' }, 'deleveraging'],
  ] as const)('is told of a fill of %s %s by %o: %s', async (venue, kind, change, cause) => {
    const listed = find(venue, kind)
    const exchange = await open(listed, { ...listed.row, ...change })
    const [trade] = await exchange.fetchMyTrades({ symbol: listed.symbol, limit: 1 })
    expect(trade).toBeDefined()
    expect(trade?.cause).toBe(cause)
  })

  it.each([
    ['autoclose-1596107620040000020', 'liquidation'],
    ['adl_autoclose', 'deleveraging'],
    ['settlement_autoclose-1700000000', 'settlement'],
  ] as const)(
    'is named by its order at Binance, which a list of fills does not name: %s',
    async (clientOrderId, cause) => {
      for (const kind of ['linear', 'inverse'] as const) {
        const listed = find('binance', kind)
        const forced = [{ orderId: Number(listed.row.orderId), clientOrderId }]
        const exchange = await open(listed, listed.row, [], forced)
        const [trade] = await exchange.fetchMyTrades({ symbol: listed.symbol, limit: 1 })
        expect(trade?.cause).toBe(cause)
        const plain = await open(listed, listed.row)
        expect((await plain.fetchMyTrades({ symbol: listed.symbol, limit: 1 }))[0]?.cause).toBeUndefined()
      }
    },
  )

  it('is asked for at Bybit, and what is no fill is none', async () => {
    const listed = find('bybit', 'linear')
    for (const execType of ['Funding', 'Settle']) {
      const exchange = await open(listed, { ...listed.row, execType, execPrice: '' })
      expect(await exchange.fetchMyTrades({ symbol: listed.symbol, since: NOW - 60_000 })).toEqual([])
      expect(exchange.unread).toEqual([])
    }
    const liquidated = await open(listed, { ...listed.row, execType: 'BustTrade', side: 'Sell', execPnl: '-275' })
    const [trade] = await liquidated.fetchMyTrades({ symbol: listed.symbol, since: NOW - 60_000 })
    expect(trade).toMatchObject({ side: 'sell', realizedPnl: '-275', cause: 'liquidation' })
  })
})

it('a fill of an inverse contract of Kraken Futures has its amount in dollars', async () => {
  const venue = CASES.find((each) => each.venue === 'krakenfutures')
  const listed = LISTS.find((each) => each.venue === venue)
  if (listed === undefined) throw new Error('there are no cases of krakenfutures')
  // As the venue's own list of fills has it: 5,000 contracts of $1.
  const row = { ...listed.row, symbol: 'PI_XBTUSD', size: 5000, price: 27937.5 }
  const exchange = await open({ ...listed, kind: 'inverse' }, row)
  const inverse = (await exchange.loadMarkets()).find(({ base, active }) => base === 'BTC' && active)
  const trades = await exchange.fetchMyTrades({ symbol: inverse?.symbol ?? '', limit: 1 })
  expect(trades).toMatchObject([{ amount: '5000', price: '27937.5' }])
})

it("a fee of Hyperliquid has the builder's in it already", async () => {
  const listed = LISTS.find(({ venue }) => venue.venue === 'hyperliquid')
  if (listed === undefined) throw new Error('there are no cases of hyperliquid')
  // A fill as recorded: 0.019785 in all, of which 0.007914 to the builder.
  const exchange = await open(listed, { ...listed.row, fee: '0.019785', builderFee: '0.007914' })
  expect(await exchange.fetchMyTrades({ symbol: listed.symbol, limit: 1 })).toMatchObject([{ fee: '0.019785' }])
})
