// Candidates at the cursor, by hookline; without its answer, from the command table of the build (vite.config.ts) and the names that this
// page has received.
import { useEffect, useState } from 'react'
import { completionTarget, goesOn, typableNames } from '../../language/completion.ts'
import type { Console } from '../console.ts'
import { isLive, scopeOf } from '../state/console-state.ts'
import { useConsole, useDesk } from '../state/use-console.ts'

interface Offer {
  readonly start: number
  readonly choices: readonly Choice[]
}

interface Choice {
  /** May take the place of the line from `start` to the cursor. */
  readonly text: string
  readonly label: string
  readonly detail?: string
}

const PAUSE_MS = 80

/** @param isHookBody the line is the command of a hook, which may have slots */
export async function offersFor(
  console: Console,
  line: string,
  cursor: number,
  { isHookBody = false }: { readonly isHookBody?: boolean } = {},
): Promise<Offer | undefined> {
  const state = console.getState()
  if (isLive(state)) {
    // A hookline that is too old, or that went away, leaves it to the page.
    const question = { line, cursor, ...scopeOf(state), ...(isHookBody ? { hook: true } : {}) }
    const answer = await console.ask.complete(question).catch(() => undefined)
    if (answer !== undefined) return { start: answer.from, choices: answer.items }
  }
  const own = complete(line.slice(0, cursor), __COMMANDS__, seenNames(console))
  const texts = own && (own.choices.length > 0 ? own.choices : [own.text.trimEnd()])
  return texts && { start: own.start, choices: texts.map((text) => ({ text, label: text })) }
}

/** @returns the line with the cursor's word replaced by what all choices have in common, and whether there is but one */
function applied(line: string, cursor: number, { start, choices: offered }: Offer): string {
  const choices = offered.map(({ text }) => text)
  const [first = ''] = choices
  const typed = line.slice(start, cursor)
  if (choices.length === 0) return line
  if (choices.length === 1)
    return `${line.slice(0, start)}${/\s$/.test(first) ? first : `${first} `}${line.slice(cursor).trimStart()}`
  const end = [...first].findIndex((letter, index) => choices.some((choice) => choice[index] !== letter))
  const common = end < 0 ? first : first.slice(0, end)
  return `${line.slice(0, start)}${common.length > typed.length ? common : typed}${line.slice(cursor)}`
}

/** The candidates for the word being typed, where there are several. */
export function useChoices(text: string): readonly string[] {
  const console = useConsole()
  useNamesBeforehand(console)
  const [known, setKnown] = useState<{ readonly text: string; readonly choices: readonly string[] }>()
  useEffect(() => {
    if (text === '' || /\s$/.test(text)) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const offer = await offersFor(console, text, text.length)
      if (!isOver) setKnown({ text, choices: offer?.choices.map(({ text: choice }) => choice) ?? [] })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text, console])
  return known?.text === text && known.choices.length > 1 ? known.choices : []
}

/** hookline learns the symbols of an account when it is first asked about it: the first Tab is to find them. */
function useNamesBeforehand(console: Console): void {
  const account = useDesk((state) => (isLive(state) ? scopeOf(state)?.account : undefined))
  useEffect(() => {
    if (account !== undefined) void offersFor(console, '', 0)
  }, [account, console])
}

export async function completedLine(console: Console, text: string, cursor: number): Promise<string> {
  const offer = await offersFor(console, text, cursor)
  return offer === undefined ? text : applied(text, cursor, offer)
}

// --- without an answer of hookline

function seenNames(console: Console): SeenNames {
  const state = console.getState()
  const { portfolio, accounts, hooks, tasks } = state
  const scope = scopeOf(state)
  const rows = [...(portfolio?.positions ?? []), ...(portfolio?.orders ?? []), ...(tasks ?? [])]
  return {
    symbols: [...(scope ? [scope.symbol] : []), ...rows.map(({ symbol }) => symbol)],
    accounts: accounts?.map(({ name }) => name) ?? [],
    hookIds: hooks?.map(({ id }) => id) ?? [],
    orderIds: portfolio?.orders.map(({ id }) => id) ?? [],
  }
}

declare const __COMMANDS__: readonly TypeableCommand[]

interface TypeableCommand {
  readonly names: readonly string[]
  /** `create`, `rotate`, …; empty for commands of one form. */
  readonly forms: readonly string[]
}

interface SeenNames {
  readonly symbols: readonly string[]
  readonly accounts: readonly string[]
  readonly hookIds: readonly string[]
  readonly orderIds: readonly string[]
}

interface Completion {
  /** The common prefix of all candidates, to replace `line.slice(start, cursor)`. */
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
