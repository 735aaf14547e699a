// Rows of a venue's lists that could not be read. They are set aside and named: one of them takes no other with it, and none goes missing unsaid.
import { BoundedMap, BoundedSet } from '../../base/concurrency.ts'
import type { UnreadRow } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { symbolKey } from '../../exchange/order.ts'
import { word } from './decimals.ts'
import { type MarketBook, present } from './markets.ts'

const MOST = 100

export interface UnreadRows {
  /** The newest, each once. */
  readonly list: readonly UnreadRow[]
  /** Sets a row aside; each is a problem once. */
  add(row: UnreadRow): void
  /** Before a list is asked for anew: what it named before, of one symbol where given. */
  clear(what: UnreadRow['what'], symbol?: string): void
}

export function createUnreadRows(onProblem: (problem: unknown) => void): UnreadRows {
  const rows = new BoundedMap<string, UnreadRow>(MOST)
  const said = new BoundedSet<string>(MOST)
  return {
    get list() {
      return [...rows.values()]
    },
    add(row) {
      const key = `${row.what} ${symbolKey(row.symbol ?? '', row.id ?? '')}`
      rows.set(key, row)
      if (said.has(key)) return
      said.add(key)
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
  return { what, ...present({ symbol: market?.market.symbol, id }) }
}

function unreadable({ what, symbol, id, why }: UnreadRow): ExchangeError {
  const of = symbol === undefined ? '' : ` of ${symbol}`
  const name = [id, why].filter((part) => part !== undefined).join(': ')
  return new ExchangeError(
    'network',
    `the venue listed ${what === 'order' ? 'an' : 'a'} ${what}${of} that cannot be read${name === '' ? '' : `: ${name}`}`,
    {
      hint: 'look at it at the venue',
    },
  )
}
