// MEXC's streams are protobuf. ccxt reads them with a package that hookline does not bring: here is what of the messages hookline listens to, by the
// numbers of the venue's public .proto files (PushDataV3ApiWrapper and what it wraps).
import type { CcxtClient } from '../ccxt-client.ts'
import {
  codeIn,
  DEFAULT_PROFILE,
  isJson,
  KEY_HINTS,
  optionsOf,
  placeWithoutGtc,
  referUnified,
  type StatusWords,
  statusIn,
} from '../default-profile.ts'
import type { VenueProfile } from '../profile.ts'
import { joinPrices, lastTraded } from '../streams/joined-prices.ts'

type Kind = 'text' | 'number'
interface Message {
  readonly name: string
  readonly fields: Fields
  readonly isList?: boolean
}
/** By field number: a plain field's name and kind, or a message within the message. */
type Fields = Readonly<Record<number, readonly [name: string, kind: Kind] | Message>>

const text = (name: string) => [name, 'text'] as const
const number = (name: string) => [name, 'number'] as const

const ORDER: Fields = {
  1: text('id'),
  2: text('clientId'),
  3: text('price'),
  4: text('quantity'),
  5: text('amount'),
  6: text('avgPrice'),
  7: number('orderType'),
  8: number('tradeType'),
  11: text('remainQuantity'),
  13: text('cumulativeQuantity'),
  14: text('cumulativeAmount'),
  15: number('status'),
  16: number('createTime'),
  19: text('triggerPrice'),
}
const TRADE: Fields = { 1: text('price'), 2: text('quantity'), 3: number('tradeType'), 4: number('time') }
const TOUCH: Fields = { 1: text('bidPrice'), 2: text('bidQuantity'), 3: text('askPrice'), 4: text('askQuantity') }
const LEVEL: Fields = { 1: text('price'), 2: text('quantity') }
const DEPTHS: Fields = {
  1: { name: 'asks', fields: LEVEL, isList: true },
  2: { name: 'bids', fields: LEVEL, isList: true },
  3: text('eventType'),
  4: text('fromVersion'),
  5: text('toVersion'),
}
const WRAPPER: Fields = {
  1: text('channel'),
  3: text('symbol'),
  5: number('createTime'),
  6: number('sendTime'),
  304: { name: 'privateOrders', fields: ORDER },
  313: { name: 'publicAggreDepths', fields: DEPTHS },
  314: {
    name: 'publicAggreDeals',
    fields: { 1: { name: 'deals', fields: TRADE, isList: true }, 2: text('eventType') },
  },
  315: { name: 'publicAggreBookTicker', fields: TOUCH },
}

/** From now on the class reads them without its package. */
export function readPushes(client: CcxtClient): void {
  Object.assign(client, { decodeProtoMsg: (data: Uint8Array) => readMessage(data, WRAPPER) })
}

const [VARINT, EIGHT_BYTES, COUNTED, FOUR_BYTES] = [0, 1, 2, 5]

/** Numbers as text, as protobuf says them in JSON. @throws for what is cut */
export function readMessage(data: Uint8Array, fields: Fields = WRAPPER): Readonly<Record<string, unknown>> {
  const read: Record<string, unknown> = {}
  let at = 0

  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at]
      if (byte === undefined) throw new Error('a message was cut')
      at += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Error('a number has no end')
  }

  function bytes(count: number): Uint8Array {
    if (at + count > data.length) throw new Error('a message was cut')
    at += count
    return data.subarray(at - count, at)
  }

  function value(wire: number): bigint | Uint8Array {
    if (wire === VARINT) return varint()
    if (wire === COUNTED) return bytes(Number(varint()))
    if (wire === EIGHT_BYTES) return bytes(8)
    if (wire === FOUR_BYTES) return bytes(4)
    throw new Error('a field is of no known kind')
  }

  while (at < data.length) {
    const tag = Number(varint())
    const [found, field] = [value(tag & 7), fields[tag >> 3]]
    if (field === undefined) continue
    if ('fields' in field) keep(read, field, found)
    else if (field[1] === 'text' && found instanceof Uint8Array) read[field[0]] = Buffer.from(found).toString('utf8')
    else if (field[1] === 'number' && typeof found === 'bigint') read[field[0]] = BigInt.asIntN(64, found).toString()
  }
  return read
}

function keep(read: Record<string, unknown>, { name, fields, isList = false }: Message, found: unknown): void {
  if (!(found instanceof Uint8Array)) return
  const inner = readMessage(found, fields)
  read[name] = isList ? [...((read[name] ?? []) as readonly unknown[]), inner] : inner
}

// MEXC, spot: time in force is a type of order, and open orders are told of one symbol at a time.

/** Its streams have numbers. */
export const WORDS: StatusWords = {
  NEW: 'open',
  PARTIALLY_FILLED: 'open',
  FILLED: 'closed',
  CANCELED: 'canceled',
  PARTIALLY_CANCELED: 'canceled',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
  '1': 'open',
  '2': 'closed',
  '3': 'open',
  '4': 'canceled',
  '5': 'canceled',
}

export const MEXC: VenueProfile = {
  ...DEFAULT_PROFILE,
  id: 'mexc',
  name: 'MEXC Global',
  // On contracts ccxt sends every stop as one above the price, and a market order as another kind.
  classes: { spot: 'mexc' },
  options: (kind) => ({
    ...optionsOf(kind),
    fetchMarkets: { types: { spot: true, swap: { linear: false, inverse: false } } },
  }),
  demo: 'none',
  // Rows by protobuf, which say neither time in force nor trigger as its answers do: hints. Tickers are the best bid and ask alone.
  streams: () => ({ orders: [{ isHint: true }], fills: [], triggers: 'streamed' }),
  adjust(client) {
    // ccxt asks for the contracts too, and counts five seconds for it.
    Object.assign(client, { fetchSwapMarkets: async () => [] })
    readPushes(client)
    joinPrices(client, (streams) => ({
      last: (symbol) => lastTraded(streams, symbol),
      top: (symbol) => streams.watchTicker(symbol),
      end: (symbol) => Promise.all([streams.unWatchTicker?.(symbol), streams.unWatchTrades?.(symbol)]),
    }))
  },
  orderTypes: () => ['market', 'limit'],
  place: placeWithoutGtc,
  refer: referUnified,
  // An assumption: its documents do not say; its list of orders goes back 24 hours unless asked for more.
  findableMs: () => 86_400_000,
  statusOf: statusIn(WORDS, 'status'),
  openOrdersNeedSymbol: () => true,
  buysByCost: () => true,
  tradesNewestFirst: true,
  // Account Trade List: "only the transaction records in the past 1 month can be queried".
  tradesKeptMs: () => 30 * 86_400_000,
  isAnswer: isJson,
  codeOf: codeIn('code'),
  codes: {
    '-2011': 'order-not-found',
    '-2013': 'order-not-found',
    '-1121': 'bad-symbol',
    '10007': 'bad-symbol',
    '10072': 'authentication',
    '10073': 'authentication',
    '10101': 'insufficient-funds',
    '30002': 'invalid-order',
    '30004': 'insufficient-funds',
    '30005': 'insufficient-funds',
    '30014': 'bad-symbol',
    '30016': 'unavailable',
    '30018': 'invalid-order',
    '700001': 'authentication',
    '700002': 'authentication',
    '700003': 'clock',
    '700004': 'invalid-order',
    '700005': 'invalid-order',
    '700006': 'permission',
    '700007': 'permission',
    '730100': 'authentication',
    '429': 'rate-limited',
  },
  hints: { '700006': KEY_HINTS.address, '700007': KEY_HINTS.rights },
  unknownCodes: ['500', '503', '504'],
}
