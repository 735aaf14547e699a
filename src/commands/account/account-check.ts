// `account check`: what the keys of an account are good for now, how fast its venue answers, and whether the clocks agree.
import { defined } from '../../base/defined.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import type { AccountRow } from '../../stores/accounts.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'
import { type Access, askAccess, describeAccess, requireUsable, withinPatience } from './access.ts'
import { unknownAccount } from './account-name.ts'
import { describeKeys, describeVenue } from './account-words.ts'

export const check: CommandForm<'accounts' | 'connect'> = {
  name: 'check',
  usage: '[name]',
  summary: 'check the keys of an account at the venue: permissions, mode, clock and latency',
  where: 'trusted',
  rows: true,
  immediate: true,
  examples: [
    { line: 'account check', meaning: 'of the account in focus' },
    { line: 'account check main', meaning: 'access, mode, clock and latency' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : []),
  async run(context, args) {
    const row = findRow(context, args)
    const { name } = row
    context.out.print(`${printable(name, 40)}: ${describeVenue(row)}; keys: ${describeKeys(row)}`)
    const asking = context.ports.connect(name).then(({ venue }) => askAccess(context, venue))
    const access = await withinPatience(context, row.exchange, asking)
    const may = access.report
    await context.audit('account check', { name, ...may })
    print(context, row, access)
    requireUsable(access, row.exchange)
    context.out.success(`account ${printable(name, 40)} is ready to trade`)
  },
}

function findRow(context: CommandContext<'accounts'>, args: readonly Argument[]): AccountRow {
  refuseMoreThan(1, args)
  const name = args.length === 0 ? context.accountName : requireText(args, 0, "the account's name")
  const row = context.ports.accounts.find(name)
  if (row === undefined) throw unknownAccount(name)
  return row
}

/** Beyond that, venues refuse what was signed. */
const CLOCK_MS = 1_000

function print({ out }: CommandContext, row: AccountRow, { report, balances, tookMs }: Access): void {
  const { clockDifferenceMs, mayTrade, mayWithdraw, positionMode } = report
  out.print(`access   ${row.exchange === 'paper' ? 'simulated, without keys' : describeAccess(report)}`, {
    type: 'account-check',
    account: row.name,
    exchange: row.exchange,
    latencyMs: Math.round(tookMs),
    currencies: balances.length,
    ...defined({ clockDifferenceMs, mayTrade, mayWithdraw, positionMode }),
    remarks: report.remarks,
  })
  out.print(`latency  ${Math.round(tookMs)} ms`)
  if (clockDifferenceMs !== undefined) {
    const ahead = clockDifferenceMs < 0 ? 'behind' : 'ahead of'
    out.print(`clock    the venue's is ${Math.abs(Math.round(clockDifferenceMs))} ms ${ahead} this machine's`)
    if (Math.abs(clockDifferenceMs) > CLOCK_MS)
      out.warn('the clocks differ by more than 1 s: set the clock of this machine')
  }
  for (const remark of report.remarks) out.warn(printable(remark, 200))
}
