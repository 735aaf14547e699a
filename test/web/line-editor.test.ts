import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EditKey } from '../../src/web/terminal/keys.ts'
import { type EditedLine, EMPTY_LINE, edit, insert, MAX_LENGTH } from '../../src/web/terminal/line-editor.ts'

/** `|` is the cursor. */
function line(marked: string): EditedLine {
  return { ...EMPTY_LINE, text: marked.replace('|', ''), cursor: marked.indexOf('|') }
}
/** What fits. */
function type(before: EditedLine, text: string): EditedLine {
  const after = insert(before, text)
  if (after === undefined) throw new Error('it does not fit')
  return after
}
const marked = ({ text, cursor }: EditedLine) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

const KEYS: readonly EditKey[] = [
  ...(['left', 'right', 'word-left', 'word-right', 'home', 'end', 'backspace', 'delete'] as const),
  ...(['kill-word', 'kill-to-start', 'kill-to-end', 'older', 'newer'] as const),
]

describe('line editor', () => {
  it.each<[EditKey, string, string]>([
    ['left', 'ab|', 'a|b'],
    ['left', '|ab', '|ab'],
    ['right', 'a|b', 'ab|'],
    ['right', 'ab|', 'ab|'],
    ['left', 'a😀|', 'a|😀'],
    ['right', '|😀a', '😀|a'],
    ['word-left', 'buy $250 BTC|', 'buy $250 |BTC'],
    ['word-left', 'buy  |', '|buy  '],
    ['word-left', '  |', '|  '],
    ['word-right', '|buy $250', 'buy| $250'],
    ['word-right', 'buy| $250', 'buy $250|'],
    ['home', 'ab|c', '|abc'],
    ['end', 'a|bc', 'abc|'],
    ['backspace', 'a|b', '|b'],
    ['backspace', '|ab', '|ab'],
    ['backspace', '😀|', '|'],
    ['delete', 'a|b', 'a|'],
    ['delete', 'ab|', 'ab|'],
    ['delete', '|😀a', '|a'],
    ['kill-word', 'buy $250|', 'buy |'],
    ['kill-to-start', 'buy |$250', '|$250'],
    ['kill-to-end', 'buy |$250', 'buy |'],
  ])('%s makes of %s %s', (key, before, after) => expect(marked(edit(line(before), key, []))).toBe(after))

  it('types at the cursor and takes no control characters', () => {
    expect(marked(type(line('buy| BTC'), ' $2\x1b50'))).toBe('buy $2 50| BTC')
  })

  it('takes no line that the wire would refuse, and cuts none', () => {
    const full = type(EMPTY_LINE, 'x'.repeat(MAX_LENGTH))
    expect(full.text).toHaveLength(8_192)
    expect([insert(full, 'x'), insert(EMPTY_LINE, 'x'.repeat(MAX_LENGTH + 1))]).toEqual([undefined, undefined])
  })

  it('walks the history and comes back to what was typed', () => {
    const history = ['first', 'second']
    const press = (key: EditKey) => (before: EditedLine) => edit(before, key, history)
    const steps = (['older', 'older', 'older', 'newer', 'newer', 'newer'] as const).map(press)
    const seen: string[] = []
    steps.reduce(
      (before, step) => {
        const after = step(before)
        seen.push(after.text)
        return after
      },
      type(EMPTY_LINE, 'draft'),
    )
    expect(seen).toEqual(['second', 'first', 'first', 'second', 'draft', 'draft'])
  })

  it('keeps the cursor inside the line and between characters', () => {
    const presses = fc.array(fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'grapheme', maxLength: 3 })))
    fc.assert(
      fc.property(presses, (keys) => {
        const isKey = (key: string): key is EditKey => (KEYS as readonly string[]).includes(key)
        const end = keys.reduce(
          (before, key) => (isKey(key) ? edit(before, key, ['old 😀 line']) : type(before, key)),
          EMPTY_LINE,
        )
        const before = end.text.charCodeAt(end.cursor - 1)
        const splitsPair = before >= 0xd800 && before <= 0xdbff && end.cursor < end.text.length
        return end.cursor >= 0 && end.cursor <= end.text.length && !splitsPair
      }),
    )
  })
})
