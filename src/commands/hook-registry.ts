// Registering a hook and telling how to fire it: the same rules for the REPL, the shell and the wire.
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { Hook } from '../stores/hooks.ts'
import { unknownAccount } from './account.ts'
import type { Services } from './command.ts'
import { checkHookBody } from './hook-body.ts'
import type { CommandLookup } from './resolve.ts'

export interface HookInput {
  readonly name: string
  readonly command: string
  readonly account?: string
}

/**
 * Creates a hook whose body parses and names only commands that a hook may run, on an account that exists.
 * @throws {LanguageError} the body; its column counts within the body
 * @throws {CommandError} `unknown-account`
 * @throws {StoreError} the name, or the file
 */
export async function registerHook(
  services: Pick<Services, 'hooks' | 'accounts' | 'aliases'>,
  lookup: CommandLookup,
  { name, command, account }: HookInput,
): Promise<Hook> {
  checkHookBody(command, lookup, services.aliases.read())
  if (account !== undefined && services.accounts.find(account) === undefined) throw unknownAccount(account)
  return services.hooks.create({ name, command, ...(account === undefined ? {} : { account }) })
}

export interface FireInstructions {
  readonly url: string
  readonly token: string
  /** Ready to paste. */
  readonly curl: string
}

/** @param token the secret, or what stands in its place where it must not be shown */
export function fireInstructions(hook: Pick<Hook, 'id'>, token: string): FireInstructions {
  const url = `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${hook.id}`
  return { url, token, curl: `curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${token}' ${url}` }
}
