// What makes a row the row that it was.
import { defined } from '../base/defined.ts'
import type { CrossTradeConfig } from '../stores/cross-trade.ts'
import { extrasOf } from './row-extras.ts'
import type { RowTerms } from './state-lines.ts'

export function termsOf(row: CrossTradeConfig): RowTerms {
  const { enabledAt } = extrasOf(row)
  return { master: row.masterAccount, ...defined({ masterSymbol: row.masterSymbol, enabledAt }) }
}

export function isSameTerms(a: RowTerms, b: RowTerms): boolean {
  return a.master === b.master && a.masterSymbol === b.masterSymbol && a.enabledAt === b.enabledAt
}
