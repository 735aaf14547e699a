// Several lines were pasted: nothing of them runs before a key is pressed for it. One key, so that nothing else pasted can be the answer.
import type { EventEmitter } from 'node:events'
import type { Key } from 'node:readline'
import { takeKeys } from './key-owner.ts'

const SHOWN_LINES = 5
const SHOWN_LENGTH = 200
const MAX_TYPED = 1_000
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
  /** A piece of a line, which answers nothing by its letters; one that ends with CR ends the line. */
  take(text: string): void
}

/**
 * Takes all keys of `input` until it is answered: `y`, or `n`, Esc, Ctrl-C, Ctrl-D. Enter does not answer it: people press it after a paste by habit.
 * A line that is typed over the question is none of its answers, whatever letters are in it.
 * @param answered with undefined where it was withdrawn, and no key answered it
 * @param onLine such a line has ended; the caller decides about it
 */
export function askAboutBlock(
  input: EventEmitter,
  answered: (isYes: boolean | undefined) => void,
  onLine: (typed: string) => void = () => {},
): BlockQuestion {
  const askedAt = performance.now()
  let typed = ''
  const finish = (isYes: boolean | undefined) => {
    giveBack()
    answered(isYes)
  }
  const endLine = () => {
    const line = typed
    typed = ''
    if (line !== '') onLine(line)
  }
  const onKey = (text: string | undefined, key: Key) => {
    if (isLeaving(key)) return finish(false)
    const isEarly = performance.now() - askedAt < READING_MS
    const answer = /^[yn]$/i.test(text ?? '') ? text?.toLowerCase() : undefined
    if (answer !== undefined && typed === '') {
      if (!isEarly) finish(answer === 'y')
      return
    }
    if (key.name === 'return' || key.name === 'enter') endLine()
    else {
      typed = typedAfter(typed, text, key)
    }
  }
  const giveBack = takeKeys(input, onKey)
  const take = (text: string) => {
    typed = (typed + text.replace(/\r$/, '')).slice(0, MAX_TYPED)
    if (text.endsWith('\r')) endLine()
  }
  return { cancel: () => finish(undefined), take }
}

function isLeaving({ name, ctrl = false }: Key): boolean {
  return name === 'escape' || (ctrl && (name === 'c' || name === 'd'))
}

/** The line that is typed over the question. */
function typedAfter(typed: string, text: string | undefined, { name, ctrl = false }: Key): string {
  if (name === 'backspace') return typed.slice(0, -1)
  return text === undefined || ctrl || text.startsWith('\u001b') ? typed : (typed + text).slice(0, MAX_TYPED)
}
