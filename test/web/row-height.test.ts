import { describe, expect, it } from 'vitest'
import { type LogEntry, MAX_ENTRIES, OutputLog } from '../../src/web/terminal/output-log.ts'
import { earlierLines, isOneRow, sizeKey } from '../../src/web/terminal/transcript.tsx'

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

describe('the terminal after a reload', () => {
  const run = (command: string, startedAt: number, more: object = {}) => ({
    run: {
      runId: command,
      source: 'web',
      origin: 'console',
      account: 'paper',
      command,
      startedAt,
      state: 'done',
      ...more,
    },
    output: [{ afterMs: 4, kind: 'error' as const, text: 'not found\n\u001b[31mlook again' }],
  })

  it('prints earlier runs under their lines, oldest first, and a hook under its name', () => {
    const lines = earlierLines([run('close', 20, { source: 'hook', origin: 'dip' }), run('mark', 10)])
    expect(lines.map(({ at, kind, source, text }) => [at, kind, source, text])).toEqual([
      [10, 'typed', 'paper > ', 'mark'],
      [14, 'error', '', 'error: not found'],
      [14, 'error', '', expect.stringMatching(/^[^\u001b]*look again$/)],
      [24, 'error', '[hook:dip] ', 'error: not found'],
      [24, 'error', '[hook:dip] ', expect.stringMatching(/^[^\u001b]*look again$/)],
    ])
  })

  it('stands above what was printed since, with keys of its own', () => {
    const log = new OutputLog({ beforeDrawing: () => () => {}, after: () => () => {} })
    log.print({ kind: 'print', text: 'now' }, 30)
    log.printBefore(earlierLines([run('mark', 10)]))
    expect(
      log
        .entries()
        .map(({ text }) => text)
        .at(-1),
    ).toBe('now')
    expect(log.entries()[0]?.text).toBe('mark')
    expect(new Set(log.entries().map(({ key }) => key)).size).toBe(4)
  })
})
