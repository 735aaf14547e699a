// The line being typed: (line, key) → line. Columns are UTF-16 units, and the cursor is never inside a character.
import { printable } from '../../language/printable.ts'
import type { EditKey } from './keys.ts'

export interface EditedLine {
  readonly text: string
  /** 0-based, before the unit it names. */
  readonly cursor: number
  /** How many lines back in the history this one is; 0: it is none of them. */
  readonly back: number
  /** What was typed before the history was entered. */
  readonly draft: string
}

export const EMPTY_LINE: EditedLine = { text: '', cursor: 0, back: 0, draft: '' }

/** The wire takes no longer command. */
export const MAX_LENGTH = 8_192

/** @returns undefined where it would be too long: half an order is another order, so nothing is ever cut */
export function insert(line: EditedLine, typed: string): EditedLine | undefined {
  const text = printable(typed)
  if (line.text.length + text.length > MAX_LENGTH) return undefined
  return replaced(line, line.cursor, line.cursor, text)
}

/** @param start and `end` of what is replaced; the cursor is then behind the new text */
export function replaced(line: EditedLine, start: number, end: number, text: string): EditedLine {
  return { ...line, text: line.text.slice(0, start) + text + line.text.slice(end), cursor: start + text.length }
}

/** @param history oldest first */
export function edit(line: EditedLine, key: EditKey, history: readonly string[]): EditedLine {
  const { text, cursor } = line
  switch (key) {
    case 'left':
      return { ...line, cursor: before(text, cursor) }
    case 'right':
      return { ...line, cursor: after(text, cursor) }
    case 'word-left':
      return { ...line, cursor: wordStart(text, cursor) }
    case 'word-right':
      return { ...line, cursor: wordEnd(text, cursor) }
    case 'home':
      return { ...line, cursor: 0 }
    case 'end':
      return { ...line, cursor: text.length }
    case 'backspace':
      return replaced(line, before(text, cursor), cursor, '')
    case 'delete':
      return { ...replaced(line, cursor, after(text, cursor), ''), cursor }
    case 'kill-word':
      return replaced(line, wordStart(text, cursor), cursor, '')
    case 'kill-to-start':
      return replaced(line, 0, cursor, '')
    case 'kill-to-end':
      return replaced(line, cursor, text.length, '')
    case 'older':
      return recalled(line, line.back + 1, history)
    case 'newer':
      return recalled(line, line.back - 1, history)
  }
}

function recalled(line: EditedLine, back: number, history: readonly string[]): EditedLine {
  if (back < 0 || back > history.length) return line
  const draft = line.back === 0 ? line.text : line.draft
  const text = back === 0 ? draft : (history.at(-back) ?? '')
  return { text, cursor: text.length, back, draft }
}

function before(text: string, cursor: number): number {
  const last = [...text.slice(Math.max(0, cursor - 2), cursor)].at(-1) ?? ''
  return cursor - last.length
}

function after(text: string, cursor: number): number {
  const [next = ''] = text.slice(cursor, cursor + 2)
  return cursor + next.length
}

/** Words end at blanks, as in a shell. */
function wordStart(text: string, cursor: number): number {
  return text.slice(0, cursor).replace(/\S+\s*$|^\s+$/, '').length
}

function wordEnd(text: string, cursor: number): number {
  return cursor + (/^\s*\S+|^\s+/.exec(text.slice(cursor))?.[0].length ?? 0)
}
