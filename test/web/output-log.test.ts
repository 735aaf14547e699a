import { describe, expect, it } from 'vitest'
import { MAX_ENTRIES, OutputLog } from '../../src/web/terminal/output-log.ts'
import { toneOf } from '../../src/web/terminal/transcript.tsx'

/** Drawn at each call of `draw`. */
function openLog() {
  let draw = () => {}
  const log = new OutputLog({
    beforeDrawing(callback) {
      draw = callback
      return () => {}
    },
    after: () => () => {},
  })
  return { log, draw: () => draw(), texts: () => log.entries().map(({ text }) => text) }
}

describe('the output log', () => {
  it('takes a text of several lines apart, and says in words what the colour says', () => {
    const { log, draw, texts } = openLog()
    log.print({ kind: 'error', text: 'no\nbecause' }, 1)
    log.print({ kind: 'warn', text: 'mind' }, 1)
    draw()
    expect(texts()).toEqual(['error: no', 'because', 'warning: mind'])
  })

  it('has no colour of profit for what is done: a fill may be at a loss', () => {
    expect([toneOf('success'), toneOf('error')]).toEqual(['', 'toned error'])
  })

  it('folds equal lines of the same source, and no others', () => {
    const { log, draw } = openLog()
    for (const source of ['[hook:a] ', '[hook:a] ', '[hook:b] ']) log.print({ kind: 'print', text: 'tick' }, 1, source)
    draw()
    expect(log.entries().map(({ source, times }) => [source, times])).toEqual([
      ['[hook:a] ', 2],
      ['[hook:b] ', 1],
    ])
  })

  it('never folds what was typed', () => {
    const { log, draw } = openLog()
    log.typed('paper > ', 'buy $1', 1)
    log.typed('paper > ', 'buy $1', 2)
    draw()
    expect(log.entries()).toHaveLength(2)
  })

  it('folds across drawings, and says when it was said last', () => {
    const { log, draw } = openLog()
    log.print({ kind: 'print', text: 'tick' }, 1)
    draw()
    log.print({ kind: 'print', text: 'tick' }, 5)
    draw()
    expect(log.entries()).toEqual([expect.objectContaining({ text: 'tick', at: 5, times: 2 })])
  })

  it('keeps the last lines only', () => {
    const { log, draw, texts } = openLog()
    for (let line = 0; line < MAX_ENTRIES + 10; line++) log.print({ kind: 'print', text: String(line) }, 1)
    draw()
    expect(log.entries()).toHaveLength(MAX_ENTRIES)
    expect([texts()[0], log.entries().at(-1)?.text]).toEqual(['10', String(MAX_ENTRIES + 9)])
  })

  it('tells its readers once per drawing', () => {
    const { log, draw } = openLog()
    let told = 0
    log.subscribe(() => told++)
    for (let line = 0; line < 100; line++) log.print({ kind: 'print', text: String(line) }, 1)
    draw()
    expect(told).toBe(1)
  })

  it('shows nothing that could move the cursor or hide text', () => {
    const { log, draw, texts } = openLog()
    log.print({ kind: 'print', text: 'a\x1b[2Jb\u202ec' }, 1, '\x1b[31mhook ')
    draw()
    expect(`${log.entries()[0]?.source}${texts()[0]}`).not.toMatch(/[\x1b\u202e]/)
  })

  it('is empty once it is cleared, also of what waits', () => {
    const { log, texts } = openLog()
    log.print({ kind: 'print', text: 'a' }, 1)
    log.clear()
    expect(texts()).toEqual([])
  })
})
