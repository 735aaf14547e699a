// MEXC, spot: time in force is a type of order, and open orders are told of one symbol at a time.
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
import { readPushes } from './mexc-pushes.ts'

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
