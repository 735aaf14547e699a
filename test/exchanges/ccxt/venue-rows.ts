// One order of each named venue as the venue tells it, from the cases, and the account's own reading of such rows.
import { defined } from '../../../src/base/defined.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import type { Order } from '../../../src/exchange/order.ts'
import { connectVenue } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { readRow, type Unread } from '../../../src/exchanges/ccxt/orders.ts'
import { createCaseWire } from './case-wire.ts'
import { keysOf, readVenueCases, stepsOf, type VenueCase, type VenueCases } from './venue-cases.ts'

export const NOW = 1_700_000_000_000

export type Row = Readonly<Record<string, unknown>>
export type ReadRow = (row: Row) => Order | Unread

/** Where each venue's order is in the answer of a case, and how the account names its market. */
const PLACES: Readonly<Record<string, readonly [kind: MarketKind, call: string, path: string, symbol: string]>> = {
  binance: ['linear', 'fetchOpenOrders', '0', 'BTCUSDT'],
  bitget: ['linear', 'fetchOrder', 'data', 'BTCUSDT'],
  bybit: ['linear', 'fetchOpenOrders', 'result.list.0', 'BTCUSDT'],
  coinbase: ['spot', 'fetchOrder', 'order', 'BTCUSD'],
  deribit: ['inverse', 'fetchOpenOrders', 'result.0', 'BTCUSD'],
  gate: ['linear', 'fetchOrder', '', 'BTCUSDT'],
  hyperliquid: ['linear', 'fetchOrder', 'order', 'BTCUSDC'],
  kraken: ['spot', 'fetchOpenOrders', 'result.open.OUF4EM-FRGI2-MQMWZD', 'BTCUSD'],
  krakenfutures: ['linear', 'fetchOpenOrders', 'openOrders.0', 'BTCUSD'],
  kucoin: ['spot', 'fetchOpenOrders', 'data.0', 'BTCUSDT'],
  mexc: ['spot', 'fetchOrder', '', 'BTCUSDT'],
  okx: ['linear', 'fetchOpenOrders', 'data.0', 'BTCUSDT'],
}

/** Where the first case of the call is about an order of another sort. */
const DESCRIBED: Readonly<Record<string, string>> = { gate: 'by text, in', bitget: 'by clientOid' }

export function casesOf(venue: string): VenueCases {
  const found = readVenueCases().find((each) => each.venue === venue)
  if (found === undefined) throw new Error(`there are no cases of ${venue}`)
  return found
}

/** The order of a case, as its answer has it. */
export function rowOf(venue: string): Row {
  const [kind, call, path] = placeOf(venue)
  const isPlain = ({ description }: VenueCase) => description.startsWith(DESCRIBED[venue] ?? '')
  const first = casesOf(venue).methods[call]?.find((each) => each.kind === kind && isPlain(each))
  const answers = first === undefined ? [] : stepsOf(first).map(({ httpResponse }) => httpResponse)
  const rows = answers.map((answer) => valueAt(answer, path)).filter(isRow)
  // KuCoin's first answer is a list of symbols.
  const row = rows.at(0)
  if (row === undefined) throw new Error(`${venue} has no row at ${path}`)
  // A list of Kraken's has its ids as names.
  return venue === 'kraken' ? { ...row, id: 'OUF4EM-FRGI2-MQMWZD' } : row
}

export function placeOf(venue: string): readonly [MarketKind, string, string, string] {
  const place = PLACES[venue]
  if (place === undefined) throw new Error(`nothing says where ${venue} has its order`)
  return place
}

/** @returns what makes an order of one of the venue's rows, as it does for the rows of a list */
export async function openReading(venue: string, kind: MarketKind = placeOf(venue)[0]): Promise<ReadRow> {
  const cases = casesOf(venue)
  const { transport } = createCaseWire(cases, [])
  const { client, profile, connection } = await connectVenue({
    venue,
    kind,
    environment: 'live',
    keys: keysOf(cases),
    now: () => NOW,
    transport,
  })
  const markets = await connection.markets()
  const { clientOrderIds, statusOf, causeOf, hintsOf } = profile
  const market = client.markets?.[markets.byName(placeOf(venue)[3])?.symbol ?? '']
  return (row) => {
    const reading = { markets, clientOrderIds, now: () => NOW, hintsOf }
    return readRow(client.parseOrder(row, market), { ...reading, ...defined({ statusOf, causeOf }) })
  }
}

/** With what is at the paths put in: `descr.type`. */
export function withFields(row: Row, fields: Row): Row {
  return Object.entries(fields).reduce((changed, [path, value]) => put(changed, path.split('.'), value), row)
}

function put(row: Row, [name = '', ...rest]: readonly string[], value: unknown): Row {
  const inner = row[name]
  return { ...row, [name]: rest.length === 0 ? value : put(isRow(inner) ? inner : {}, rest, value) }
}

function valueAt(answer: unknown, path: string): unknown {
  if (path === '') return answer
  const names = path.split('.')
  return names.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), answer)
}

function isFields(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}

function isRow(value: unknown): value is Row {
  return isFields(value) && !Array.isArray(value) && Object.keys(value).length > 2
}
