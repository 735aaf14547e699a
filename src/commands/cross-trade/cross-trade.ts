// `cross-trade list`, `show` and `status`: rows, and how their copiers are.

import { extrasOf } from '../../cross-trade/rows-check.ts'
import { printable } from '../../language/printable.ts'
import type { CopierStateRow } from '../../protocol/rows.ts'
import type { CrossTradeConfig } from '../../stores/cross-trade.ts'
import { ROW_LIMITS } from '../../stores/rows.ts'
import { type CommandContext, type CommandFamily, type CommandForm, mayRun } from '../kit/command.ts'
import type { CrossTradeData } from '../kit/data.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { add, copier } from './add.ts'
import { resync, start, stop } from './engine.ts'
import {
  auditedRow,
  completeRow,
  copiersTable,
  describeCopier,
  describeEngine,
  describeRow,
  namePages,
  printEngine,
  problemsOf,
  requireRow,
  requireTradable,
  rowData,
  rowsTable,
  warnIfStopped,
  warnOfWaiting,
} from './row-words.ts'

type Need = 'crossTrade' | 'accounts' | 'crossTradeEngine' | 'leadingPages'

const list: CommandForm<Need> = {
  name: 'list',
  usage: '',
  summary: 'rows, with master, copiers and state',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [{ line: 'cross-trade', meaning: 'each row with its copiers' }],
  run(context, args) {
    refuseMoreThan(0, args)
    const rows = context.ports.crossTrade.list()
    const problems = problemsOf(context.ports)
    const data = dataOf(context, rows, problems)
    if (rows.length === 0) {
      return context.out.info('no rows; `cross-trade add --master <account> --copier <account>` makes one', data)
    }
    const copiers = context.ports.crossTradeEngine.read().copiers ?? []
    const stateOf = (row: CrossTradeConfig) =>
      describeState(row, copiers, problems.get(row.id), isWaiting(context, row))
    context.out.print(rowsTable(rows, stateOf), data)
    printProblems(context, rows, problems)
    if (!rows.some(({ enabled }) => enabled)) return
    printEngine(context)
    printPages(context)
  },
}

const show: CommandForm<Need> = {
  name: 'show',
  usage: '<id | prefix>',
  summary: 'one row, with the state of each of its copiers',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [
    { line: 'cross-trade show 3f9c2a71', meaning: 'what each copier should hold, and what its orders have built' },
  ],
  complete: completeRow,
  run(context, args) {
    const row = requireRow(context.ports.crossTrade.list(), args)
    refuseMoreThan(1, args)
    const problems = problemsOf(context.ports)
    const copiers = (context.ports.crossTradeEngine.read().copiers ?? []).filter(({ configId }) => configId === row.id)
    const stateOf = () => describeState(row, copiers, problems.get(row.id), isWaiting(context, row))
    context.out.print(rowsTable([row], stateOf), dataOf(context, [row], problems))
    printProblems(context, [row], problems)
    context.out.info(
      `id ${row.id}${extrasOf(row).sync ? '; what the master held when it was enabled is copied too' : ''}`,
    )
    if (copiers.length > 0) context.out.print(copiersTable(copiers))
    printEngine(context)
    printPages(context)
  },
}

const status: CommandForm<Need> = {
  name: 'status',
  usage: '',
  summary: 'state of the engine and of each copier',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [
    {
      line: 'cross-trade status',
      meaning: 'what each copier should hold, what it has built, and why where they differ',
    },
  ],
  run(context, args) {
    refuseMoreThan(0, args)
    const { crossTrade, crossTradeEngine } = context.ports
    const rows = crossTrade.list()
    const { copiers = [] } = crossTradeEngine.read()
    const problems = problemsOf(context.ports)
    context.out.print(describeEngine(context), dataOf(context, rows, problems))
    printPages(context)
    printProblems(context, rows, problems)
    if (copiers.length > 0) context.out.print(copiersTable(copiers))
    else if (!rows.some(({ enabled }) => enabled)) context.out.info('no row is enabled')
  },
}

function dataOf(
  { ports }: CommandContext<Need>,
  rows: readonly CrossTradeConfig[],
  problems: ReadonlyMap<string, string>,
): CrossTradeData {
  const { copiers = [], ...engine } = ports.crossTradeEngine.read()
  const ids = new Set(rows.map(({ id }) => id))
  const waiting = ports.crossTrade.waiting()
  return {
    type: 'cross-trade',
    engine,
    pages: ports.leadingPages.read(),
    rows: rows.map((row) => rowData(row, problems.get(row.id), waiting.get(row.id))),
    copiers: copiers.filter(({ configId }) => ids.has(configId)),
  }
}

/** All of it waits for a yes; what copies in part is shown as it copies. */
function isWaiting({ ports }: CommandContext<Need>, { id }: CrossTradeConfig): boolean {
  return ports.crossTrade.waiting().has(id) && ports.crossTrade.approved().some((row) => row.id === id && !row.enabled)
}

/** `off`; `waiting`; `on`; `on: 2 in step, 1 blocked`. */
function describeState(
  row: CrossTradeConfig,
  copiers: readonly CopierStateRow[],
  problem: string | undefined,
  waits: boolean,
): string {
  if (!row.enabled) return 'off'
  if (waits) return 'waiting'
  if (problem !== undefined) return 'refused'
  const counts = new Map<string, number>()
  for (const { configId, state } of copiers) {
    if (configId === row.id) counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  const parts = [...counts].map(([state, count]) => `${count} ${printable(state.replaceAll('-', ' '), 20)}`)
  return parts.length === 0 ? 'on' : `on: ${parts.join(', ')}`
}

function printProblems(
  context: CommandContext<Need>,
  rows: readonly CrossTradeConfig[],
  problems: ReadonlyMap<string, string>,
): void {
  const { ports, out } = context
  for (const row of rows) {
    const why = problems.get(row.id)
    if (why !== undefined) out.warn(`${describeRow(row)} is enabled and not traded: ${printable(why, 160)}`)
  }
  warnOfWaiting(context, ...rows)
  for (const { message, line } of ports.crossTrade.problems()) {
    out.warn(`cross-trade.json${line === undefined ? '' : `, line ${line}`}: ${printable(message, 200)}`)
  }
}

function printPages({ out, ports }: CommandContext<Need>): void {
  const labels = ports.leadingPages.read()
  if (labels.length > 0) out.warn(`a page claims to lead cross-trading: ${namePages(labels)}`)
}

// `cross-trade enable`, `disable` and `remove`. Off is the safe direction, and anybody may turn a row off; what copiers hold stays.

const enable: CommandForm<'crossTrade' | 'accounts' | 'crossTradeEngine'> = {
  name: 'enable',
  neverGuessed: true,
  usage: '<id | prefix>',
  summary: 'copy by this row from now on; resumes paused copiers',
  where: 'trusted',
  examples: [{ line: 'cross-trade enable 3f9c2a71', meaning: 'what the master does from now on is copied' }],
  complete: completeRow,
  async run(context, args) {
    const { crossTrade } = context.ports
    const { updatedAt, ...row } = requireRow(crossTrade.list(), args)
    refuseMoreThan(1, args)
    requireTradable({ ...row, updatedAt }, context.ports)
    const now = context.clock.now()
    const copied = crossTrade.approved().some(({ id, enabled }) => id === row.id && enabled)
    const waits = crossTrade.waiting().get(row.id)
    // One that copies keeps its baseline: only what is paused begins again.
    const edit = copied ? { ...row, wokenAt: now } : { ...row, enabled: true, enabledAt: now }
    const { row: stored } = await crossTrade.merge(edit, { approved: true })
    const data = { type: 'cross-trade-row', done: 'enabled', row: rowData(stored) } as const
    if (waits !== undefined) {
      const copiers = stored.copiers.map(describeCopier).join('; ')
      context.out.success(`enabled ${describeRow(stored)} with all that waited: ${printable(copiers, 400)}`, data)
    } else if (copied) context.out.success(`${describeRow(stored)} is on already; its paused copiers continue`, data)
    else context.out.success(`enabled ${describeRow(stored)}`, data)
    await context.audit('cross-trade enable', auditedRow(stored))
    warnIfStopped(context)
  },
}

const disable: CommandForm<'crossTrade'> = {
  name: 'disable',
  usage: '<id | prefix>',
  summary: 'stop copying by this row; positions and orders stay',
  where: 'anywhere',
  immediate: true,
  underPanic: true,
  examples: [{ line: 'cross-trade disable 3f9c2a71', meaning: 'its copiers keep their positions' }],
  complete: completeRow,
  async run(context, args) {
    const { crossTrade } = context.ports
    const { updatedAt, ...row } = requireRow(crossTrade.list(), args)
    refuseMoreThan(1, args)
    const options = mayRun('trusted', context.source) ? {} : { maxRows: ROW_LIMITS.crossTrade }
    const { row: stored } = await crossTrade.merge({ ...row, enabled: false }, options)
    const data = { type: 'cross-trade-row', done: 'disabled', row: rowData(stored) } as const
    const what = row.enabled ? `disabled ${describeRow(stored)}` : `${describeRow(stored)} is off already`
    context.out.success(`${what}; its copiers keep their positions`, data)
    await context.audit('cross-trade disable', auditedRow(stored))
  },
}

const remove: CommandForm<'crossTrade'> = {
  name: 'remove',
  usage: '<id | prefix>',
  summary: 'remove a row; positions and orders stay',
  where: 'trusted',
  underPanic: true,
  examples: [{ line: 'cross-trade remove 3f9c2a71', meaning: 'its copiers keep their positions' }],
  complete: completeRow,
  async run(context, args) {
    const { crossTrade } = context.ports
    const row = requireRow(crossTrade.list(), args)
    refuseMoreThan(1, args)
    await crossTrade.remove(row.id)
    const data = { type: 'cross-trade-row', done: 'removed', row: rowData(row) } as const
    context.out.success(
      `removed ${describeRow(row)}, id ${printable(row.id, 36)}; its copiers keep their positions`,
      data,
    )
    await context.audit('cross-trade remove', auditedRow(row))
  },
}

// `cross-trade`: which account copies which, and the engine that does it (behaviours 24, 42).

export const crossTrade: CommandFamily = {
  name: 'cross-trade',
  aliases: ['ct'],
  group: 'cross-trade',
  summary: 'copy one account to another: list, add, copier, enable, disable, remove, resync, start, stop, status',
  bare: 'list',
  forms: [list, show, add, copier, enable, disable, remove, resync, start, stop, status],
}
