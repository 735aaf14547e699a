// Accounts by the name that was typed.
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable, shown } from '../../language/printable.ts'
import { nearest } from '../../language/typo-match.ts'
import type { AccountStore } from '../../stores/accounts.ts'
import { CommandError } from '../kit/errors.ts'
import { refuseMoreThan, requireText } from '../kit/read-arguments.ts'

/**
 * @param accounts with `list` where the one who asks may hear of a name that is near
 * @param every the hint at a word for all of them
 * @throws {LanguageError} {CommandError} `unknown-account`
 */
export function requireAccount(
  accounts: Pick<AccountStore, 'find'> & Partial<Pick<AccountStore, 'list'>>,
  args: readonly Argument[],
  every?: string,
): string {
  const name = requireText(args, 0, "the account's name")
  const [first] = args
  if (name.startsWith('--')) {
    const hint = 'press Tab for the options, or type `help` before the command'
    throw new LanguageError('unexpected-argument', `unknown option ${shown(name)}`, first?.column ?? 1, hint)
  }
  refuseMoreThan(1, args)
  if (accounts.find(name) !== undefined) return name
  if (every !== undefined && /^(all|everything|every|accounts)$/i.test(name)) {
    throw new CommandError('unknown-account', `no account ${printable(name, 40)} found`, { hint: every })
  }
  throw unknownAccount(name, nearest(name, accounts.list?.().map((row) => row.name) ?? []))
}

/** For an account that is not in the list. */
export function unknownAccount(name: string, near?: string): CommandError {
  return new CommandError('unknown-account', `no account ${printable(name, 40)} found`, {
    hint: near === undefined ? '`account` lists them' : `did you mean ${printable(near, 40)}?`,
  })
}
