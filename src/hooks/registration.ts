// Registering a hook: the same rules for the REPL, the shell and the wire.
import { CodedError } from '../base/coded-error.ts'
import type { CommandCall } from '../language/chain.ts'
import { callsIn, expandAlias } from '../language/expansion.ts'
import { refuseFocusTaken, type SymbolTable } from '../language/focus-taken.ts'
import { bindSlots, parseHookChain, type SlotValues, sampleValues, slotsIn } from '../language/hook-chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { printable } from '../language/printable.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { AccountStore } from '../stores/accounts.ts'
import type { Hook, HookStore, NewHook } from '../stores/hooks.ts'
import type { TextMapStore } from '../stores/rows.ts'
import { alertTermsOf } from './alert.ts'

type HookErrorCode = 'unknown-account'

/** Why a hook cannot be registered, beyond what is wrong with its body or its name. */
class HookError extends CodedError<HookErrorCode> {
  override readonly name = 'HookError'
}

// Whether a hook's body can run at all, asked when it is registered: an alert that fires at night is a bad time to learn
// of a typing mistake.

/** The command table, as far as a body is checked against it. */
export interface BodyCommands extends SymbolTable {
  /** Resolves the call, asks whether a hook may run it, and reads its arguments. @throws {LanguageError} at the call's column */
  checkCall(call: CommandCall): void
}

/**
 * Parses the body, resolves every command in it, through aliases and groups, and reads their arguments; where it has slots, with values as
 * alerts may have them. Where one step names a symbol, each later one must, too: what will be in focus is not known.
 * @param aliases name → chain @param variables as they are now: what kind of word each stands for
 * @throws {LanguageError} the column counts within the body
 */
export function checkHookBody(
  body: string,
  commands: BodyCommands,
  aliases: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): void {
  const chain = parseHookChain(body)
  if (chain.stages.length === 0) throw new LanguageError('missing-command', 'it has no command', 1)
  const slots = slotsIn(chain)
  const bodies = slots.length === 0 ? [chain] : sampleValues(slots).map((values) => bindSlots(chain, values))
  for (const each of bodies) for (const call of callsIn(each)) checkCall(call, commands, aliases)
  const read = (line: string, values?: SlotValues) => {
    const parsed = parseHookChain(line)
    return values === undefined ? parsed : bindSlots(parsed, values)
  }
  for (const values of slots.length === 0 ? [undefined] : sampleValues(slots)) {
    refuseFocusTaken(body, (line) => read(line, values), { table: commands, aliases, variables })
  }
}

function checkCall(call: CommandCall, commands: BodyCommands, aliases: Readonly<Record<string, string>>): void {
  const expanded = commands.has(call.name) ? undefined : expandAlias(call, aliases)
  if (expanded === undefined) return commands.checkCall(call)
  for (const inner of callsIn(expanded)) checkCall(inner, commands, aliases)
}

// How to fire a hook, ready to paste.

/** Seconds since the epoch, by the shell. */
const NOW = '$(date +%s)'

interface FireInstructions {
  readonly url: string
  readonly token: string
  /** For a POSIX shell. */
  readonly curl: string
}

/**
 * With values that its slots would take, where it has some; an alert's own id and time are those of the moment when the line runs.
 * @param token the secret, or what is shown instead where it must stay hidden
 */
export function fireInstructions(hook: Pick<Hook, 'id' | 'command'>, token: string): FireInstructions {
  const url = `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${hook.id}`
  const { slots, stamps } = alertTermsOf(hook.command)
  const [values] = sampleValues(slots)
  const stamped = Object.values(stamps).map(({ name }) => [name, NOW] as const)
  const fields = { ...values, ...Object.fromEntries(stamped) }
  // Names and values have no apostrophe.
  const body = Object.keys(fields).length === 0 ? '' : `-d '${JSON.stringify(fields).replaceAll(NOW, `'"${NOW}"'`)}' `
  return { url, token, curl: `curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${token}' ${body}${url}` }
}

interface RegistrationPorts {
  readonly hooks: HookStore
  readonly accounts: AccountStore
  readonly aliases: TextMapStore
  /** What their words stand for now. */
  readonly variables?: Pick<TextMapStore, 'read'>
}

/**
 * Creates a hook whose body parses and names only commands that a hook may run, on an account that exists.
 * @param maxHooks how many there may be; default: any number
 * @throws as `requireRegistrable` @throws {StoreError} the name, or the file
 */
export async function registerHook(
  ports: RegistrationPorts,
  commands: BodyCommands,
  input: NewHook,
  maxHooks?: number,
): Promise<Hook> {
  await requireRegistrable(ports, commands, input)
  return ports.hooks.create(input, maxHooks)
}

/** @throws {LanguageError} the body; its column counts within the body @throws {HookError} `unknown-account` */
export async function requireRegistrable(
  { accounts, aliases, variables }: Omit<RegistrationPorts, 'hooks'>,
  commands: BodyCommands,
  { command, account }: Pick<NewHook, 'command' | 'account'>,
): Promise<void> {
  checkHookBody(command, commands, aliases.read(), variables?.read())
  if (account !== undefined && accounts.find(account) === undefined) {
    throw new HookError('unknown-account', `no account ${printable(account, 40)} found`, {
      hint: '`account` lists them',
    })
  }
}
