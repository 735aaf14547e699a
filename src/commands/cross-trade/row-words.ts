// Cross-trade rows in words, as tables, and as data.
import { defined } from '../../base/defined.ts'
import type { CopierState } from '../../cross-trade/engine-port.ts'
import { extrasOf } from '../../cross-trade/row-extras.ts'
import { printable } from '../../language/printable.ts'
import type { CopierStateRow } from '../../protocol/rows.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../stores/cross-trade.ts'
import { MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import type { CrossTradeRowData } from '../kit/data.ts'
import { renderTable } from '../kit/lines.ts'

const MAX_NAME = 40
const RIGHT = 'right' as const

/** `1f9c2a71`: what can be typed for it. */
export function shortId(id: string): string {
  return id.slice(0, MIN_PREFIX_LENGTH)
}

/** `row 1f9c2a71 (main → swing, scalp)`. */
export function describeRow({ id, masterAccount, copiers }: CrossTradeConfig): string {
  const names = [...new Set(copiers.map(({ account }) => account))].join(', ')
  return `row ${shortId(id)} (${printable(masterAccount, MAX_NAME)} → ${printable(names, 80)})`
}

/** `waits for a yes at the terminal (swing × 2 Market)`. */
export function describeWaiting(what: readonly string[]): string {
  return `waits for a yes at the terminal (${printable(what.join('; '), 160)})`
}

/** `swing ETHUSDT × 0.5 LimitSlippage 0.2 %`. */
export function describeCopier({ account, symbol, weight, mode, slippage }: CrossTradeCopier): string {
  const parts = [
    printable(account, MAX_NAME),
    ...(symbol === undefined ? [] : [printable(symbol, MAX_NAME)]),
    `× ${weight}`,
    mode,
    ...(slippage === undefined ? [] : [`${printable(slippage, 12).replace(/%$/, '')} %`]),
  ]
  return parts.join(' ')
}

export function rowsTable(rows: readonly CrossTradeConfig[], stateOf: (row: CrossTradeConfig) => string): string {
  const columns = ['id', 'master', 'symbol', 'weight', 'copiers', 'state'].map((title) =>
    title === 'weight' ? { title, align: RIGHT } : { title },
  )
  // A copier a line: a row may have many.
  const cells = rows.flatMap((row) => {
    const [first, ...others] = row.copiers.map(describeCopier)
    const head = [
      shortId(row.id),
      printable(row.masterAccount, MAX_NAME),
      printable(row.masterSymbol ?? 'all', MAX_NAME),
      String(row.masterWeight),
      first ?? 'none',
      stateOf(row),
    ]
    return [head, ...others.map((copier) => ['', '', '', '', copier, ''])]
  })
  return renderTable(columns, cells)
}

export function copiersTable(copiers: readonly (CopierState | CopierStateRow)[]): string {
  const columns = [
    ...['row', 'copier', 'symbol', 'state'].map((title) => ({ title })),
    ...['should hold', 'built'].map((title) => ({ title, align: RIGHT })),
    { title: 'why' },
  ]
  const cells = copiers.map(({ configId, account, symbol, state, desired, owned, why }) => [
    shortId(printable(configId, 36)),
    printable(account, MAX_NAME),
    printable(symbol, MAX_NAME),
    printable(state, 20),
    printable(desired, 40),
    printable(owned, 40),
    printable(why ?? '', 120),
  ])
  return renderTable(columns, cells)
}

export function rowData(row: CrossTradeConfig, problem?: string, waits: readonly string[] = []): CrossTradeRowData {
  const { id, enabled, masterAccount, masterSymbol, masterWeight, updatedAt } = row
  return {
    id,
    enabled,
    masterAccount,
    ...defined({ masterSymbol }),
    masterWeight,
    sync: extrasOf(row).sync,
    copiers: row.copiers.map(({ account, symbol, weight, mode, slippage }) => ({
      account,
      weight,
      mode,
      ...defined({ symbol, slippage }),
    })),
    updatedAt,
    ...defined({ problem }),
    ...(waits.length === 0 ? {} : { waits }),
  }
}

/** As the audit log has it. */
export function auditedRow(row: CrossTradeConfig): Readonly<Record<string, unknown>> {
  const { id, masterAccount, masterSymbol } = row
  return {
    rowId: id,
    master: masterAccount,
    ...defined({ symbol: masterSymbol }),
    copiers: row.copiers.map(describeCopier).join('; '),
  }
}
