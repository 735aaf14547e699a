import { describe, expect, it } from 'vitest'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseMoment } from '../../src/language/time.ts'

const NOW = Date.parse('2026-11-22T10:00:00Z')

describe('a time in the past', () => {
  it.each([
    ['30s', '2026-11-22T09:59:30Z'],
    ['15m', '2026-11-22T09:45:00Z'],
    ['2h', '2026-11-22T08:00:00Z'],
    ['7D', '2026-11-15T10:00:00Z'],
    ['1w', '2026-11-15T10:00:00Z'],
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['2026-11-21T14:30', '2026-11-21T14:30:00Z'],
    ['2026-11-21T14:30:05Z', '2026-11-21T14:30:05Z'],
    ['08:15', '2026-11-22T08:15:00Z'],
  ])('is read from %s', (text, time) => {
    expect(new Date(parseMoment(text, 1, NOW)).toISOString()).toBe(new Date(time).toISOString())
  })

  it.each(['', 'yesterday', '2h30m', '-2h', '2026-13-01', '25:00', '2026-11-21T99:00', '2020', '5'])(
    'is not %j',
    (text) => {
      expect(() => parseMoment(text, 3, NOW)).toThrow(LanguageError)
    },
  )

  it('begins at the epoch when the past is too short', () => {
    expect(parseMoment('999999w', 1, NOW)).toBe(0)
  })
})
