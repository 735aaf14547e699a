// Cross-trade rows in words, as tables, and as data.
import { defined } from '../../base/defined.ts'
import { engineOf } from '../../cross-trade/engine-lease.ts'
import type { CopierState } from '../../cross-trade/engine-port.ts'
import { checkRows, extrasOf } from '../../cross-trade/rows-check.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import type { CopierStateRow } from '../../protocol/rows.ts'
import type { CrossTradeConfig, CrossTradeCopier } from '../../stores/cross-trade.ts'
import { findByIdPrefix, MIN_PREFIX_LENGTH } from '../../stores/rows.ts'
import { showMoment } from '../../trading/figures.ts'
import type { CommandContext, CompletionContext } from '../kit/command.ts'
import type { CrossTradeRowData } from '../kit/data.ts'
import { CommandError } from '../kit/errors.ts'
import { renderTable } from '../kit/lines.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { requireText } from '../kit/read-arguments.ts'

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

// The row that was meant, and whether it could be traded.

/** @throws {StoreError} `prefix-too-short`, `ambiguous`, `not-found` @throws {LanguageError} */
export function requireRow(rows: readonly CrossTradeConfig[], args: readonly Argument[]): CrossTradeConfig {
  const prefix = requireText(args, 0, "the row's id")
  return findByIdPrefix(rows, { prefix, idOf: ({ id }) => id, noun: 'cross-trade row' })
}

/** Whether the row could be traded beside those that are on. @throws {CommandError} `row-refused` */
export function requireTradable(
  row: CrossTradeConfig,
  { crossTrade, accounts }: Pick<CommandPorts, 'crossTrade' | 'accounts'>,
): void {
  // One that waits for a yes copies nothing, and takes no place from another.
  const others = crossTrade.approved().filter(({ id }) => id !== row.id)
  const isAccount = (name: string) => accounts.find(name) !== undefined
  const problem = checkRows([...others, { ...row, enabled: true }], isAccount).find(
    ({ configId }) => configId === row.id,
  )
  if (problem === undefined) return
  throw new CommandError('row-refused', `row ${shortId(row.id)} cannot be traded: ${printable(problem.why, 160)}`, {
    hint: '`cross-trade` lists the rows, `account` the accounts',
  })
}

/** Why rows that are on cannot be traded, by id. */
export function problemsOf({
  crossTrade,
  accounts,
}: Pick<CommandPorts, 'crossTrade' | 'accounts'>): ReadonlyMap<string, string> {
  const problems = checkRows(crossTrade.approved(), (name) => accounts.find(name) !== undefined)
  return new Map(problems.map(({ configId, why }) => [configId, why]))
}

export function completeRow({ words, crossTradeRows = [] }: CompletionContext): readonly string[] {
  return words.length === 0 ? crossTradeRows : []
}

// Whether what was written is traded by anybody.

export const START_HINT =
  'start it with `hookline cross-trade run` in a shell, or with `cross-trade start` at the prompt'

/** One line: `the engine runs with pid 4711 since …`. */
export function describeEngine({ ports, clock }: CommandContext<'crossTradeEngine'>): string {
  const { running, pid, startedAt } = ports.crossTradeEngine.read()
  const since = startedAt === undefined ? '' : ` since ${showMoment(startedAt)}`
  if (running) return `the engine runs${whoIs(pid)}${since}`
  if (engineOf(ports.crossTradeEngine.readFile(), clock.now()) === undefined)
    return 'no engine runs, so nothing is copied'
  return `the engine${whoIs(pid)} is silent, so nothing is copied: its accounts do not answer, or it hangs`
}

/** To be told, and to whom: an engine that runs is nothing to warn of. */
export function printEngine(context: CommandContext<'crossTradeEngine'>): void {
  const { out, ports, clock } = context
  const text = describeEngine(context)
  if (ports.crossTradeEngine.read().running) out.info(text)
  else if (engineOf(ports.crossTradeEngine.readFile(), clock.now()) !== undefined) out.warn(text)
  else out.warn(`${text}; ${START_HINT}`)
}

/** After a row was turned on. */
export function warnIfStopped(context: CommandContext<'crossTradeEngine'>): void {
  if (!context.ports.crossTradeEngine.read().running) printEngine(context)
}

/** What a page wrote, and what copies it. */
export function warnOfWaiting(
  { out, ports }: CommandContext<'crossTrade'>,
  ...rows: readonly CrossTradeConfig[]
): void {
  const waiting = ports.crossTrade.waiting()
  for (const row of rows) {
    const what = waiting.get(row.id)
    if (what !== undefined)
      out.warn(`${describeRow(row)} ${describeWaiting(what)}: \`cross-trade enable ${shortId(row.id)}\``)
  }
}

function whoIs(pid: number | undefined): string {
  if (pid === undefined) return ''
  return pid === process.pid ? ' in this process' : ` with pid ${pid}`
}

/** Labels come from pages. */
export function namePages(labels: readonly string[]): string {
  return labels.map((label) => printable(label === '' ? 'a page without a label' : label, 40)).join(', ')
}
