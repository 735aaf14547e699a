// Registering a hook: the same rules for the REPL, the shell and the wire.
import { printable } from '../language/printable.ts'
import type { AccountStore } from '../stores/accounts.ts'
import type { Hook, HookStore, NewHook } from '../stores/hooks.ts'
import type { TextMapStore } from '../stores/text-map.ts'
import { type BodyCommands, checkHookBody } from './body-check.ts'
import { HookError } from './hook-error.ts'

export interface RegistrationPorts {
  readonly hooks: HookStore
  readonly accounts: AccountStore
  readonly aliases: TextMapStore
  /** What their words stand for now. */
  readonly variables?: Pick<TextMapStore, 'read'>
}

/**
 * Creates a hook whose body parses and names only commands that a hook may run, on an account that exists.
 * @param maxHooks how many there may be; default: any number
 * @throws {LanguageError} the body; its column counts within the body
 * @throws {HookError} `unknown-account`
 * @throws {StoreError} the name, or the file
 */
export async function registerHook(
  { hooks, accounts, aliases, variables }: RegistrationPorts,
  commands: BodyCommands,
  input: NewHook,
  maxHooks?: number,
): Promise<Hook> {
  const { account } = input
  checkHookBody(input.command, commands, aliases.read(), variables?.read())
  if (account !== undefined && accounts.find(account) === undefined) {
    throw new HookError('unknown-account', `there is no account ${printable(account, 40)}`, {
      hint: '`account` lists them',
    })
  }
  return hooks.create(input, maxHooks)
}
