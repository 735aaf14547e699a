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

/**
 * Takes all keys of `input` until it is answered: `y`, or `n`, Esc, Ctrl-C, Ctrl-D. Enter does not answer it: people press it after a paste by habit.
 * A line that is typed over the question is none of its answers, whatever letters are in it.
 * @param onLine such a line has ended; nothing of it runs
 */
export function askAboutBlock(
  input: EventEmitter,
  answered: (isYes: boolean) => void,
  onLine: () => void = () => {},
): BlockQuestion {
  const askedAt = performance.now()
  let typed = 0
  const finish = (isYes: boolean) => {
    giveBack()
    answered(isYes)
  }
  const onKey = (text: string | undefined, key: Key) => {
    if (isLeaving(key)) return finish(false)
    const isEarly = performance.now() - askedAt < READING_MS
    const answer = /^[yn]$/i.test(text ?? '') ? text?.toLowerCase() : undefined
    if (answer !== undefined && typed === 0) {
      if (!isEarly) finish(answer === 'y')
      return
    }
    if (key.name === 'return' || key.name === 'enter') {
      if (typed > 0) onLine()
      typed = 0
    } else {
      typed = typedAfter(typed, text, key)
    }
  }
  const giveBack = takeKeys(input, onKey)
  return { cancel: () => finish(false) }
}

function isLeaving({ name, ctrl = false }: Key): boolean {
  return name === 'escape' || (ctrl && (name === 'c' || name === 'd'))
}

/** How many characters the line has that is typed over the question. */
function typedAfter(typed: number, text: string | undefined, { name, ctrl = false }: Key): number {
  if (name === 'backspace') return Math.max(0, typed - 1)
  return text === undefined || ctrl || text.startsWith('\u001b') ? typed : typed + 1
}
