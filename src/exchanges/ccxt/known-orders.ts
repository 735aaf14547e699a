// The orders that this process has seen or sent, as last told: what an answer leaves out is read here, and an id that was sent is not sent again
// before the venue was asked for it.

import { BoundedMap, BoundedSet } from '../../base/concurrency.ts'
import { defined } from '../../base/defined.ts'
import type { UnreadRow } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { type Order, type OrderRef, orderKey } from '../../exchange/order.ts'
import { word } from './decimals.ts'
import type { MarketBook } from './markets.ts'

const MOST = 5_000

export interface KnownOrders {
  remember(order: Order): Order
  find(ref: OrderRef): Order | undefined
  /** Of those that were open when last seen. */
  openSymbols(): readonly string[]
  /** @returns whether it had been sent before */
  noteSent(clientOrderId: string): boolean
}

export function createKnownOrders(): KnownOrders {
  const byId = new BoundedMap<string, Order>(MOST)
  const byClientOrderId = new BoundedMap<string, Order>(MOST)
  const sent = new BoundedSet<string>(MOST)
  return {
    remember(order) {
      byId.set(orderKey(order.symbol, order.id), order)
      if (order.clientOrderId !== undefined) byClientOrderId.set(order.clientOrderId, order)
      return order
    },
    find({ symbol, id, clientOrderId }) {
      const named = id === undefined ? undefined : byId.get(orderKey(symbol, id))
      if (named !== undefined || clientOrderId === undefined) return named
      const ours = byClientOrderId.get(clientOrderId)
      return ours?.symbol === symbol ? ours : undefined
    },
    openSymbols: () => [
      ...new Set([...byId.values()].flatMap(({ status, symbol }) => (status === 'open' ? [symbol] : []))),
    ],
    noteSent(clientOrderId) {
      if (sent.has(clientOrderId)) return true
      sent.add(clientOrderId)
      return false
    },
  }
}

// Rows of a venue's lists that could not be read. They are set aside and named: one of them takes no other with it, and none goes missing unsaid.

const MOST_UNREAD = 100

export interface UnreadRows {
  /** The newest, each once. */
  readonly list: readonly UnreadRow[]
  /** Sets a row aside; each is a problem once. */
  add(row: UnreadRow): void
  /** Before a list is asked for anew: what it named before, of one symbol where given. */
  clear(what: UnreadRow['what'], symbol?: string): void
}

export function createUnreadRows(onProblem: (problem: unknown) => void): UnreadRows {
  const rows = new BoundedMap<string, UnreadRow>(MOST_UNREAD)
  const stated = new BoundedSet<string>(MOST_UNREAD)
  return {
    get list() {
      return [...rows.values()]
    },
    add(row) {
      const key = `${row.what} ${orderKey(row.symbol ?? '', row.id ?? '')}`
      rows.set(key, row)
      if (stated.has(key)) return
      stated.add(key)
      onProblem(unreadable(row))
    },
    clear(what, symbol) {
      for (const [key, row] of rows) {
        if (row.what === what && (symbol === undefined || row.symbol === symbol)) rows.delete(key)
      }
    },
  }
}

/** What names a row of ccxt's that could not be read; undefined where it is of a market that is not traded here. */
export function unreadRow(what: UnreadRow['what'], row: unknown, markets: MarketBook): UnreadRow | undefined {
  const fields = typeof row === 'object' && row !== null ? (row as Readonly<Record<string, unknown>>) : {}
  const [symbol, id] = [word.parse(fields.symbol), word.parse(fields.id)]
  const market = symbol === undefined ? undefined : markets.bySymbol(symbol)
  if (symbol !== undefined && market === undefined) return undefined
  return { what, ...defined({ symbol: market?.market.symbol, id }) }
}

function unreadable({ what, symbol, id, why }: UnreadRow): ExchangeError {
  const of = symbol === undefined ? '' : ` of ${symbol}`
  const name = [id, why].filter((part) => part !== undefined).join(': ')
  return new ExchangeError(
    'network',
    `the venue listed ${what === 'order' ? 'an' : 'a'} ${what}${of} that cannot be read${name === '' ? '' : `: ${name}`}`,
    {
      hint: 'check it at the venue',
    },
  )
}
