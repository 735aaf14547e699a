// Accounts by the name that was typed.
import type { Argument } from '../../language/chain.ts'
import { printable } from '../../language/printable.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import { CommandError } from '../kit/command-error.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

/** @throws {LanguageError} {CommandError} `unknown-account` */
export function requireAccount(accounts: Pick<AccountStore, 'find'>, args: readonly Argument[]): string {
  const name = requireText(args, 0, "the account's name")
  refuseMoreThan(1, args)
  if (accounts.find(name) !== undefined) return name
  throw unknownAccount(name)
}

/** For an account that is not in the list. */
export function unknownAccount(name: string): CommandError {
  return new CommandError('unknown-account', `there is no account ${printable(name, 40)}`, {
    hint: '`account` lists them',
  })
}
