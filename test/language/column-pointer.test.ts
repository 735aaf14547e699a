import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pointAt } from '../../src/language/language-error.ts'
import { printable, shown } from '../../src/language/printable.ts'
import { anyUnits } from './arbitraries.ts'

describe('pointAt', () => {
  test.each([
    ['buy 250', 5, 'buy 250\n    ^'],
    ['buy', 1, 'buy\n^'],
    ['buy', 4, 'buy\n   ^'],
    ['', 1, '\n^'],
    ['buy', 0, 'buy\n^'],
    ['buy', -3, 'buy\n^'],
    ['buy', 99, 'buy\n   ^'],
    ['buy', Number.NaN, 'buy\n^'],
    ['a\tb\u001b[2Jc\r\n', 3, 'a b [2Jc  \n  ^'],
    ['a\u202eb', 3, 'a b\n  ^'],
    ['a\ud800b', 3, 'a b\n  ^'],
    ['😀 b', 4, '😀 b\n   ^'],
  ])('of %j at %d', (line, column, pointer) => {
    expect(pointAt(line, column)).toBe(pointer)
  })

  test.each([
    [1, `${'a'.repeat(99)}…`, 0],
    [51, `${'a'.repeat(99)}…`, 50],
    [150, `…${'a'.repeat(98)}…`, 50],
    [300, `…${'a'.repeat(99)}`, 99],
    [301, `…${'a'.repeat(99)}`, 100],
  ])('cuts a line of 300 around column %i', (column, shownLine, caretAt) => {
    expect(pointAt('a'.repeat(300), column)).toBe(`${shownLine}\n${' '.repeat(caretAt)}^`)
  })

  test('is always two short lines without controls, with the caret under the same character', () => {
    fc.assert(
      fc.property(anyUnits(300), fc.integer({ min: 1, max: 310 }), (text, column) => {
        const [first = '', second = '', ...more] = pointAt(text, column).split('\n')
        expect(more).toEqual([])
        expect(first.length).toBe(Math.min(text.length, 100))
        expect(first).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        expect(second).toMatch(/^ {0,100}\^$/)
        if (column <= text.length && /[!-~]/.test(text.charAt(column - 1))) {
          expect(first.charAt(second.length - 1)).toBe(text.charAt(column - 1))
        }
      }),
    )
  })
})

describe('printable', () => {
  test('keeps the length and blanks what steers a terminal', () => {
    expect(printable('a\u001b[31mb\u200f\u2028\u{e0001}c')).toBe('a [31mb    c')
  })

  test('cuts at the length given', () => {
    expect(printable('abcdef', 6)).toBe('abcdef')
    expect(printable('abcdef', 5)).toBe('abcd…')
    expect(printable('ab😀d', 4)).toBe('ab …')
  })

  test('is quoted and cut inside messages', () => {
    expect(shown('x\ny')).toBe('`x y`')
    expect(shown('x'.repeat(50))).toBe(`\`${'x'.repeat(39)}…\``)
  })
})
