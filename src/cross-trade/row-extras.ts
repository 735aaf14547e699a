// Fields of rows that only hookline's own commands write. Pages and older hooklines keep them as they are; a value that is none counts as
// absent.
import { type CrossTradeConfig, type CrossTradeCopier, DEFAULT_SLIPPAGE } from '../stores/cross-trade.ts'

interface RowExtras {
  /** The first baseline is zero: what the master holds already is copied too. Said again only with another `enabledAt`, so never by a page. */
  readonly sync: boolean
  /** When a command enabled it, ms since the epoch. Another one than before: the row begins anew, with a new baseline. */
  readonly enabledAt?: number
  /** When a command enabled it though it was. Another one than before: its paused copiers go on; baseline and all else stay. */
  readonly wokenAt?: number
}

/** A row as a page sends it: what only commands say is not taken from it, and stays as it is stored. */
export function withoutExtras<Row extends object>(row: Row): Row {
  const { sync, enabledAt, wokenAt, ...plain } = row as Row & Readonly<Record<string, unknown>>
  return plain as unknown as Row
}

const MAX_SLIPPAGE = 50

export function extrasOf(row: CrossTradeConfig): RowExtras {
  const { sync, enabledAt, wokenAt } = row as Readonly<Record<string, unknown>>
  return {
    sync: sync === true,
    ...(typeof enabledAt === 'number' ? { enabledAt } : {}),
    ...(typeof wokenAt === 'number' ? { wokenAt } : {}),
  }
}

/** `slippage` of a copier: a number, or text such as `0.5` and `0.5%`. In percent; undefined: a value that is none, and the copier may not trade. */
export function slippageOf(copier: CrossTradeCopier): string | undefined {
  const { slippage } = copier as Readonly<Record<string, unknown>>
  if (slippage === undefined) return DEFAULT_SLIPPAGE
  const text = typeof slippage === 'number' ? String(slippage) : typeof slippage === 'string' ? slippage : ''
  const [, figure] = /^(\d{1,2}(?:\.\d{1,6})?)%?$/.exec(text) ?? []
  return figure !== undefined && Number(figure) > 0 && Number(figure) <= MAX_SLIPPAGE ? figure : undefined
}
