// The exchanges this build can trade on. A live exchange is one more row here and an adapter behind the `Exchange` port.
import { printable } from '../language/printable.ts'
import { CommandError } from './command.ts'

export interface ExchangeKind {
  readonly id: string
  /** Whether an account on it has an API key and secret, asked for with hidden input. */
  readonly needsCredentials: boolean
}

export const exchangeKinds: readonly ExchangeKind[] = [{ id: 'paper', needsCredentials: false }]

/** Venues whose accounts a client may keep here, by ccxt id. Those that are no `exchangeKinds` cannot be traded on yet. */
const syncedExchanges: ReadonlySet<string> = new Set([
  ...exchangeKinds.map(({ id }) => id),
  ...[
    'binance',
    'binanceusdm',
    'bingx',
    'bitget',
    'bitmart',
    'bitmex',
    'blofin',
    'bybit',
    'coinbase',
    'coinex',
    'deribit',
  ],
  ...[
    'dydx',
    'gate',
    'htx',
    'hyperliquid',
    'kraken',
    'krakenfutures',
    'kucoin',
    'kucoinfutures',
    'mexc',
    'okx',
    'phemex',
    'woo',
  ],
])

/** @throws {CommandError} `unknown-exchange` */
export function requireExchange(id: string): void {
  if (syncedExchanges.has(id)) return
  throw new CommandError('unknown-exchange', `${printable(id, 32)} is no exchange known here`, {
    hint: 'use paper, or the ccxt id of a venue, such as bybit',
  })
}
