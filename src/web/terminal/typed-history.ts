// Lines typed in this browser, newest last. A line that begins with a space stays out on purpose, as in a shell. Keys, passphrases and tokens
// that were typed where none belong are not kept; which hex is a hook's token no page knows, so all of that length is taken for one.
import { readJson, type TextStorage, writeJson } from '../../client/text-storage.ts'
import { hideTyped } from '../../language/printable.ts'

// --- recall: step by step under the arrows, by a piece of them after Ctrl R, and as a ghost behind what is being typed.

interface Recall {
  /** How many lines back; 0: what is being typed. */
  readonly back: number
  /** The text before the history was entered. */
  readonly draft: string
}

export const NOT_RECALLING: Recall = { back: 0, draft: '' }

/** @param history oldest first @param by 1: older @returns undefined where there is no such line */
export function recalled(
  typed: string,
  { back, draft }: Recall,
  by: 1 | -1,
  history: readonly string[],
): { readonly text: string; readonly recall: Recall } | undefined {
  const next = back + by
  if (next < 0 || next > history.length) return undefined
  const kept = back === 0 ? typed : draft
  return { text: next === 0 ? kept : (history.at(-next) ?? ''), recall: { back: next, draft: kept } }
}

/** Newest first, each once. */
export function matching(history: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase()
  return [...new Set([...history].reverse())].filter((line) => line.toLowerCase().includes(wanted))
}

/** The rest of the last line that begins with `typed`. */
export function ghostOf(typed: string, history: readonly string[]): string {
  if (typed.trim() === '') return ''
  return history.findLast((line) => line.startsWith(typed) && line !== typed)?.slice(typed.length) ?? ''
}

export interface TypedHistory {
  lines(): readonly string[]
  add(line: string): void
}

const MAX_LINES = 500

/** Read anew at each use, so that tabs share it. Where storage is forbidden it lasts as long as the page. */
export function openTypedHistory(storage: TextStorage, key = 'hookline.history'): TypedHistory {
  let memory: readonly string[] = []
  let isKept = true
  const lines = () => {
    if (isKept) memory = linesIn(readJson(key, storage))
    return memory
  }
  return {
    lines,
    add(typed) {
      const before = lines()
      const line = hideTyped(typed)
      if (line.startsWith(' ') || line.trim() === '' || line === before.at(-1)) return
      memory = [...before, line].slice(-MAX_LINES)
      isKept = writeJson(key, memory, storage)
    },
  }
}

function linesIn(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((line) => typeof line === 'string').map(hideTyped) : []
}
