// What a run is called on its page: how it went, how long it took, whose it is. Pure.

import { bindSlots, parseHookChain } from '../../language/hook-chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printChain } from '../../language/print.ts'
import type { RunRow } from '../../protocol/frames.ts'

/** `ok`, `failed`, `skipped`, `expired`, `refused`, `stopped`, `interrupted`, `running`, `waiting`, or a later word. */
export function outcomeOf({ state, unbegun }: Pick<RunRow, 'state' | 'unbegun'>): string {
  if (state === 'done') return 'ok'
  return state === 'failed' ? (unbegun ?? 'failed') : state
}

const SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ repl: 'terminal', exec: 'script', hook: 'hook', web: 'page' }),
)

/** The hook's or the page's name, and otherwise where it was typed. */
export function whoRan({ source, origin }: Pick<RunRow, 'source' | 'origin'>): string {
  return origin ?? SOURCES.get(source) ?? source
}

export function sourceWord(source: string): string {
  return SOURCES.get(source) ?? source
}

/** `96 ms`, `2.4 s`, `3 min`, `2 h`. */
export function showSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${Math.floor(ms / 100) / 10} s`
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`
}

/** @returns undefined where its end is not known */
export function tookOf({ startedAt, finishedAt }: RunRow): string | undefined {
  return finishedAt === undefined ? undefined : showSpan(finishedAt - startedAt)
}

/** The line as it ran, with what the alert filled in. @returns undefined where it cannot be told */
export function lineToRunAgain({ command, values }: RunRow): string | undefined {
  if (values === undefined) return command
  try {
    return printChain(bindSlots(parseHookChain(command), values))
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}
