// `cross-trade enable`, `disable` and `remove`. Off is the safe direction, and anybody may turn a row off; what copiers hold stays.
import { printable } from '../../language/printable.ts'
import { ROW_LIMITS } from '../../stores/rows.ts'
import { type CommandForm, mayRun } from '../kit/command.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { completeRow, requireRow, requireTradable } from './find-row.ts'
import { auditedRow, describeCopier, describeRow, rowData } from './row-words.ts'
import { sayWhetherItRuns } from './say-engine.ts'

export const enable: CommandForm<'crossTrade' | 'accounts' | 'crossTradeEngine'> = {
  name: 'enable',
  neverGuessed: true,
  usage: '<id | prefix>',
  summary: 'copy by this row from now on; wakes copiers that are paused',
  where: 'trusted',
  examples: [{ line: 'cross-trade enable 3f9c2a71', says: 'what the master does from now on is copied' }],
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
    } else if (copied) context.out.success(`${describeRow(stored)} is on already; its paused copiers go on`, data)
    else context.out.success(`enabled ${describeRow(stored)}`, data)
    await context.audit('cross-trade enable', auditedRow(stored))
    sayWhetherItRuns(context)
  },
}

export const disable: CommandForm<'crossTrade'> = {
  name: 'disable',
  usage: '<id | prefix>',
  summary: 'copy no more by this row; positions and orders stay',
  where: 'anywhere',
  immediate: true,
  underPanic: true,
  examples: [{ line: 'cross-trade disable 3f9c2a71', says: 'what its copiers hold stays' }],
  complete: completeRow,
  async run(context, args) {
    const { crossTrade } = context.ports
    const { updatedAt, ...row } = requireRow(crossTrade.list(), args)
    refuseMoreThan(1, args)
    const options = mayRun('trusted', context.source) ? {} : { maxRows: ROW_LIMITS.crossTrade }
    const { row: stored } = await crossTrade.merge({ ...row, enabled: false }, options)
    const data = { type: 'cross-trade-row', done: 'disabled', row: rowData(stored) } as const
    const what = row.enabled ? `disabled ${describeRow(stored)}` : `${describeRow(stored)} is off already`
    context.out.success(`${what}; what its copiers hold stays`, data)
    await context.audit('cross-trade disable', auditedRow(stored))
  },
}

export const remove: CommandForm<'crossTrade'> = {
  name: 'remove',
  usage: '<id | prefix>',
  summary: 'remove a row; positions and orders stay',
  where: 'trusted',
  underPanic: true,
  examples: [{ line: 'cross-trade remove 3f9c2a71', says: 'what its copiers hold stays' }],
  complete: completeRow,
  async run(context, args) {
    const { crossTrade } = context.ports
    const row = requireRow(crossTrade.list(), args)
    refuseMoreThan(1, args)
    await crossTrade.remove(row.id)
    const data = { type: 'cross-trade-row', done: 'removed', row: rowData(row) } as const
    context.out.success(`removed ${describeRow(row)}, id ${printable(row.id, 36)}; what its copiers hold stays`, data)
    await context.audit('cross-trade remove', auditedRow(row))
  },
}
