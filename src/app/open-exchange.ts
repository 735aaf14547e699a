// Which exchange serves an account row. Loaded at the first command that trades or asks for a price.
import { CommandError } from '../commands/kit/command-error.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { AccountRow } from '../stores/accounts.ts'
import { openPaper } from './open-paper.ts'

/** @throws {CommandError} `not-supported` for an exchange this version does not speak */
export async function openExchange(
  row: AccountRow,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<Exchange> {
  if (row.exchange === 'paper') return openPaper(row, directory, onProblem)
  throw new CommandError(
    'not-supported',
    `account ${row.name} is on ${row.exchange}, which this version cannot trade on`,
    { hint: 'use a paper account: `account add <name> paper`' },
  )
}
