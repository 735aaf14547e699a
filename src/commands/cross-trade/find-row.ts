// The row that was meant, and whether it could be traded.
import { checkRows } from '../../cross-trade/rows-check.ts'
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import type { CrossTradeConfig } from '../../stores/cross-trade.ts'
import { findByIdPrefix } from '../../stores/rows.ts'
import type { CompletionContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { requireText } from '../kit/read-arguments.ts'
import { shortId } from './row-words.ts'

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
