// What Tab offers: commands from hookline's own table, and the names that this page has seen.
import { completionTarget, goesOn, typableNames } from '../../language/completion.ts'

export interface TypeableCommand {
  readonly names: readonly string[]
  /** `create`, `rotate`, …; empty for commands of one form. */
  readonly forms: readonly string[]
}

export interface SeenNames {
  readonly symbols: readonly string[]
  readonly accounts: readonly string[]
  readonly hookIds: readonly string[]
  readonly orderIds: readonly string[]
}

export interface Completion {
  /** What all candidates have in common, to replace `line.slice(start, cursor)`. */
  readonly text: string
  readonly start: number
  /** Empty when there is nothing to choose between. */
  readonly choices: readonly string[]
}

/** @returns undefined where nothing fits */
export function complete(
  beforeCursor: string,
  commands: readonly TypeableCommand[],
  seen: SeenNames,
): Completion | undefined {
  const { call, fragment, start } = completionTarget(beforeCursor, beforeCursor.length)
  const print = (names: readonly string[]) => typableNames(names, beforeCursor, fragment)
  const [symbols, accounts, orderIds] = [print(seen.symbols), print(seen.accounts), print(seen.orderIds)]
  const names = { symbols, accounts, orderIds, hookIds: print(seen.hookIds) }
  const fitting = candidates(call, commands, names).filter((name) => goesOn(name, fragment))
  const choices = [...new Set(fitting)].sort()
  const [first] = choices
  if (first === undefined) return undefined
  if (choices.length === 1) return { text: `${first} `, start, choices: [] }
  const common = commonStart(choices)
  // `B` and `b` both fit `b`: what was typed is only replaced by more of it.
  return { text: common.length > fragment.length ? common : fragment, start, choices }
}

function candidates(
  call: { readonly name: string; readonly words: readonly string[] } | undefined,
  commands: readonly TypeableCommand[],
  seen: SeenNames,
): readonly string[] {
  if (call === undefined) return commands.flatMap(({ names }) => names)
  const name = call.name.toLowerCase()
  const command = commands.find(({ names }) => names.includes(name))
  if (command === undefined) return []
  if (command.names.includes('help')) return call.words.length === 0 ? commands.flatMap(({ names }) => names) : []
  if (call.words.at(-1) === '--account') return seen.accounts
  if (command.forms.length > 0) {
    if (call.words.length === 0) return command.forms
    return command.names.includes('hook') ? seen.hookIds : seen.accounts
  }
  return command.names.includes('cancel') ? [...seen.orderIds, ...seen.symbols, 'all'] : seen.symbols
}

function commonStart(names: readonly string[]): string {
  const [first = ''] = names
  const end = [...first].findIndex((_, index) => names.some((name) => name[index] !== first[index]))
  return end < 0 ? first : first.slice(0, end)
}
