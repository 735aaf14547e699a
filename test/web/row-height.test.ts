import { describe, expect, it } from 'vitest'
import { type LogEntry, MAX_ENTRIES } from '../../src/web/terminal/output-log.ts'
import { isOneRow, sizeKey } from '../../src/web/terminal/transcript.tsx'

const entry = (text: string, more: Partial<LogEntry> = {}): LogEntry => ({
  key: 1,
  at: 1,
  kind: 'print',
  source: '[hook:a] ',
  text,
  times: 1,
  ...more,
})

describe('a line of the transcript', () => {
  it.for([
    ['a short one', entry('buys 1 at 2'), 1_300, true],
    ['one that may be wider than the window', entry('x'.repeat(110)), 1_300, false],
    ['a short one in a narrow window', entry('buys 1 BTCUSDT at 65,000'), 390, false],
    ['one with a tab', entry('a\tb'), 1_300, false],
    ['one with wide letters', entry('買う'), 1_300, false],
    ['one of a hook with wide letters', entry('ok', { source: '[hook:買う] ' }), 1_300, false],
    ['one in a window of unknown width', entry('ok'), undefined, false],
  ] as const)('needs measuring or not: %s', ([, line, width, isFlat]) => {
    expect(isOneRow(line, width)).toBe(isFlat)
  })

  it('makes room for how often it came', () => {
    const text = 'x'.repeat(95)
    expect(isOneRow(entry(text), 1_300)).toBe(true)
    expect(isOneRow(entry(text, { times: 2 }), 1_300)).toBe(false)
  })

  it('has a size key of its own among all that are held, from a bounded number of keys', () => {
    const keys = Array.from({ length: MAX_ENTRIES * 5 }, (_, key) => sizeKey(entry('', { key })))
    const held = keys.slice(-MAX_ENTRIES)
    expect(new Set(held).size).toBe(MAX_ENTRIES)
    expect(new Set(keys).size).toBe(2 * MAX_ENTRIES)
  })
})
