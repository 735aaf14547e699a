import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/commands/catalogue.ts'
import { renderTable } from '../../src/commands/kit/lines.ts'
import { describeAll, describeTopics } from '../../src/commands/session/help.ts'
import { fitLines } from '../../src/terminal/fit.ts'
import { renderLines } from '../../src/terminal/render.ts'
import { cellWidth } from '../../src/terminal/width.ts'

const RUNS = renderTable(
  [
    { title: 'run' },
    { title: 'started (UTC)' },
    { title: 'took', align: 'right' },
    { title: 'state' },
    { title: 'command' },
  ],
  [
    ['cccccccc', '2025-12-31 23:59:58', '2s', 'running', 'buy $250 BTCUSDT; stop at -2%'],
    ['bbbbbbbb', '2025-12-31 23:58:58', '250ms', 'failed', ''],
  ],
).split('\n')

describe('lines wider than the terminal', () => {
  it('stay as they are where they fit', () => {
    expect(fitLines(RUNS, 100)).toBe(RUNS)
  })

  it.each([
    ['CSV', 'time,symbol,side,note', `2026-01-01T00:00:00Z,BTCUSDT,buy,"a note of several words  with a gap"`],
    ['JSON', '{', ' "symbol": "BTCUSDT", "note": "a note of several words  with a gap"', '}'],
    ['JSON on one line', '[{"symbol":"BTCUSDT","note":"a note of several words"}]'],
  ])('stay as they are where they are %s', (_form, ...lines) => {
    expect(fitLines(lines, 20)).toBe(lines)
  })

  it('keep a line to type in one piece where there is room for it', () => {
    const line =
      'twap a155db74: buys 4 SOLUSDT in 4 slices of about 1 over 20m (`tasks show a155db74`, `tasks cancel a155db74`)'
    expect(fitLines([line], 80)).toEqual([
      'twap a155db74: buys 4 SOLUSDT in 4 slices of about 1 over 20m',
      '  (`tasks show a155db74`, `tasks cancel a155db74`)',
    ])
    for (const row of fitLines([line], 40)) expect(cellWidth(row)).toBeLessThanOrEqual(40)
  })

  it('break the last column of a table between words, under itself', () => {
    expect(fitLines(RUNS, 74)).toEqual([
      'run       started (UTC)         took  state    command',
      'cccccccc  2025-12-31 23:59:58     2s  running  buy $250 BTCUSDT; stop at',
      '                                               -2%',
      'bbbbbbbb  2025-12-31 23:58:58  250ms  failed',
    ])
  })

  it('put columns that do not fit into a table below, with the first one again', () => {
    expect(fitLines(RUNS, 40)).toEqual([
      'run       started (UTC)         took',
      'cccccccc  2025-12-31 23:59:58     2s',
      'bbbbbbbb  2025-12-31 23:58:58  250ms',
      'run       state',
      'cccccccc  running',
      'bbbbbbbb  failed',
      'run       command',
      'cccccccc  buy $250 BTCUSDT; stop at -2%',
    ])
  })

  it('put one long text below its row', () => {
    const table = [['a name of some length', 'what it is for, in a few more words']]
    const lines = renderTable([{ title: '' }, { title: '' }], table).split('\n')
    expect(fitLines(lines, 40)).toEqual(['a name of some length', '    what it is for, in a few more words'])
  })

  it.each(Array.from({ length: 8 }, (_, index) => 60 + index * 20))(
    'keep the cells of a row below their titles at %i columns',
    (width) => {
      const titles = [
        'symbol',
        'side',
        'amount',
        'value',
        'entry',
        'mark',
        'leverage',
        'margin',
        'pnl',
        'stop',
        'target',
      ]
      const rows = ['BTCUSDT', 'ETHUSDT'].map((symbol) => [
        symbol,
        ...titles.slice(1).map((title) => `${title} 12,345`),
      ])
      const lines = fitLines(
        renderTable(
          titles.map((title) => ({ title })),
          rows,
        ).split('\n'),
        width,
      )
      expect(lines.filter((line) => cellWidth(line) > width)).toEqual([])
      const headings = lines.flatMap((line, index) => (/^symbol/.test(line) ? [index] : []))
      expect(lines).toHaveLength(headings.length * 3)
      for (const at of headings) {
        for (const { 0: title, index } of (lines[at] ?? '').matchAll(/\S+/g)) {
          for (const row of lines.slice(at + 1, at + 3)) {
            expect(row.slice(index)).toMatch(title === 'symbol' ? /^[BE]T[CH]USDT/ : new RegExp(`^${title} 12,345`))
          }
        }
      }
    },
  )

  it('break prose between words, and go on a little further in', () => {
    expect(fitLines(['  the stop could not be placed yet', 'ok'], 20)).toEqual([
      '  the stop could not',
      '    be placed yet',
      'ok',
    ])
  })

  it('leave alone what is there to be copied, and what a caret points at', () => {
    const curl = `curl -sS -X POST -H 'X-Hook-Token: abc' http://127.0.0.1:53219/hook/abc`
    expect(fitLines([curl], 40)).toEqual([curl])
    const pointed = ['unknown command, which is a long story', `echo ${'x '.repeat(20)}bogus`, `${' '.repeat(45)}^`]
    expect(fitLines(pointed, 30)).toEqual(['unknown command, which is a', '  long story', ...pointed.slice(1)])
  })

  it('leave a word whole that is wider than the terminal', () => {
    expect(fitLines([`the id ${'a'.repeat(32)} is new`], 20)).toEqual(['the id', `  ${'a'.repeat(32)}`, '  is new'])
  })

  it('count a prefix, and take it over to each line', () => {
    const lines = renderLines('success', 'bought 0.004 BTCUSDT at 54,862.9', {
      coloured: false,
      prefix: '[hook:dip] ',
      width: 32,
    })
    expect(lines).toEqual(['[hook:dip] bought 0.004 BTCUSDT', '[hook:dip]   at 54,862.9'])
  })

  it.each([80, 40, 30])('help at %i columns breaks no word and loses none', (width) => {
    for (const part of [...describeTopics(commands), ...describeAll(commands)]) {
      const before = part.split('\n')
      const after = fitLines(before, width)
      expect(after.filter((line) => cellWidth(line) > width)).toEqual([])
      expect(words(after)).toEqual(words(before))
    }
  })

  it('keep every word of every table at every width', () => {
    const cell = fc.constantFrom('', 'a', 'some text', '日本 語', 'e\u0301', '🚀🚀', 'averylongword', '1,234.5')
    const row = fc.array(cell, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), fc.integer({ min: 20, max: 60 }), (rows, width) => {
        const columns = [{ title: 'one' }, { title: 'two', align: 'right' as const }, { title: 'three and more' }]
        const before = renderTable(columns, rows).split('\n')
        const after = fitLines(before, width)
        // Only the first column comes again.
        const more = [...words(after)]
        for (const word of words(before)) more.splice(more.indexOf(word), 1)
        expect(words(after).length - more.length).toBe(words(before).length)
        expect(words([...rows.map(([first = '']) => first), 'one'])).toEqual(expect.arrayContaining(more))
        expect(after.filter((line) => cellWidth(line) > width)).toEqual([])
      }),
    )
  })
})

function words(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' ').filter(Boolean))
}
