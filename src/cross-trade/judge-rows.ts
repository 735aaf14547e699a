// Which rows and copiers may copy, and which may not as they are (behaviour 42). One that may not does nothing; the others go on.
import type { CrossTradeConfig, CrossTradeCopier } from '../stores/cross-trade.ts'
import { slippageOf } from './row-extras.ts'
import { checkRows } from './rows-check.ts'

interface JudgedCopier {
  readonly copier: CrossTradeCopier
  /** Why it does nothing; absent: it copies. */
  readonly why?: string
}

export interface JudgedRow {
  readonly row: CrossTradeConfig
  /** Why none of its copiers does anything; absent: they copy, but for those that say otherwise. */
  readonly why?: string
  readonly copiers: readonly JudgedCopier[]
}

export function judgeRows(rows: readonly CrossTradeConfig[]): readonly JudgedRow[] {
  const problems = new Map(checkRows(rows).map(({ configId, why }) => [configId, why]))
  return rows.map((row) => {
    const why = problems.get(row.id)
    const copiers = row.copiers.map((copier) => {
      const isBad = copier.mode === 'LimitSlippage' && slippageOf(copier) === undefined
      return isBad ? { copier, why: 'its slippage is not a percentage between 0 and 50' } : { copier }
    })
    return why === undefined ? { row, copiers } : { row, why, copiers }
  })
}
