// Several lines were pasted: nothing of them runs before a key is pressed for it. One key, so that nothing else pasted can be the answer.
import type { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { takeKeys } from './key-owner.ts'

const SHOWN_LINES = 5
const SHOWN_LENGTH = 200
/** A key that was already on its way when the question came is not its answer. */
export const READING_MS = 250

/** What was pasted, for the operator to look at. */
export function describeBlock(lines: readonly string[]): string {
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `  ${line.slice(0, SHOWN_LENGTH)}`)
  const more = lines.length > shown.length ? [`  … ${lines.length - shown.length} more`] : []
  return [`${lines.length} lines were pasted:`, ...shown, ...more].join('\n')
}

export function blockQuestion(lines: readonly string[]): string {
  return `run these ${lines.length} lines? y or n > `
}

interface BlockQuestion {
  cancel(): void
}

/** Takes all keys of `input` until it is answered: `y`, or `n`, Esc, Ctrl-C, Ctrl-D. Enter does not answer it: people press it after a paste by habit. */
export function askAboutBlock(input: EventEmitter, answered: (isYes: boolean) => void): BlockQuestion {
  const askedAt = performance.now()
  const finish = (isYes: boolean) => {
    giveBack()
    answered(isYes)
  }
  const onKey = (text: string | undefined, { name = '', ctrl = false }: Key) => {
    if (name === 'escape' || (ctrl && (name === 'c' || name === 'd'))) return finish(false)
    if (performance.now() - askedAt < READING_MS) return
    if (text === 'y' || text === 'Y') finish(true)
    else if (text === 'n' || text === 'N') finish(false)
  }
  const giveBack = takeKeys(input, onKey)
  return { cancel: () => finish(false) }
}
