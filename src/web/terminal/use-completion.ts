// What may come at the cursor, as hookline says it; where it does not, from the command table of the build and the names that this page has seen.
import { useEffect, useState } from 'react'
import type { Console } from '../console.ts'
import { isLive, scopeOf } from '../console-state.ts'
import { useConsole, useDesk } from '../use-console.ts'
import { COMMANDS } from './commands.ts'
import { complete } from './completion.ts'
import { seenNames } from './seen-names.ts'

export interface Offer {
  readonly start: number
  readonly choices: readonly Choice[]
}

export interface Choice {
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
  const own = complete(line.slice(0, cursor), COMMANDS, seenNames(console))
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

/** What the word being typed may become, while there is more than one way. */
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
