// What the lines of tasks.jsonl add up to.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  encodeTaskLine,
  foldTasks,
  type JournalledTask,
  linesToKeep,
  MAX_HISTORY,
  type PlannedStep,
  type TaskRecord,
} from '../../src/tasks/task-record.ts'

const ID = 'a'
const by = { source: 'repl', runId: 'r' } as const
const seed = { kind: 'chase', account: 'paper', symbol: 'BTCUSDT', command: 'chase buy 1', by, params: {} }
const plan = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '1' } as const
const begun = { t: 'begun', id: ID, at: 1, seed } as const
const place = (...steps: readonly number[]): PlannedStep[] => steps.map((step) => ({ step, tag: 'peg', plan }))
const ended = { status: 'ended', filled: '1', cost: '65000', base: '1', orderId: 'p1' } as const

function fold(...lines: readonly JournalledTask[]): TaskRecord | undefined {
  return foldTasks(lines.map(encodeTaskLine)).get(ID)
}

const TABLE: readonly (readonly [string, readonly JournalledTask[], Partial<TaskRecord> | undefined])[] = [
  ['nothing', [], undefined],
  ['what was never begun', [{ t: 'ended', id: ID, n: 1, at: 2, status: 'done', reason: 'x' }], undefined],
  ['what has just begun', [begun], { status: 'running', lastLine: 0, nextStep: 0, isPaused: false }],
  [
    'an order about to be sent',
    [begun, { t: 'step', id: ID, n: 1, at: 2, state: { a: 1 }, places: place(0) }],
    { nextStep: 1, state: { a: 1 }, orders: [{ step: 0, tag: 'peg', plan, at: 2 }] },
  ],
  [
    'an order that is over',
    [
      begun,
      { t: 'step', id: ID, n: 1, at: 2, state: {}, places: place(0) },
      { t: 'settled', id: ID, n: 2, at: 3, step: 0, as: ended },
    ],
    { nextStep: 1, orders: [{ step: 0, tag: 'peg', plan, at: 2, settled: ended }] },
  ],
  [
    'a pause',
    [begun, { t: 'status', id: ID, n: 1, at: 2, status: 'running', isPaused: true, reason: 'why' }],
    { isPaused: true, reason: 'why' },
  ],
  [
    'a pause that is over',
    [
      begun,
      { t: 'status', id: ID, n: 1, at: 2, status: 'running', isPaused: true, reason: 'why' },
      { t: 'status', id: ID, n: 2, at: 3, status: 'running', isPaused: false },
    ],
    { isPaused: false },
  ],
  [
    'an end that is not done yet',
    [begun, { t: 'ending', id: ID, n: 1, at: 2, ending: { status: 'cancelled', reason: 'x', keeps: [] } }],
    { status: 'running', ending: { status: 'cancelled', reason: 'x', keeps: [] } },
  ],
  [
    'an end',
    [begun, { t: 'ended', id: ID, n: 1, at: 2, status: 'done', reason: 'x' }],
    { status: 'done', reason: 'x' },
  ],
  [
    'a request',
    [begun, { t: 'asked', id: ID, at: 2, ask: 'q', what: 'cancel', by }],
    { asks: [{ ask: 'q', what: 'cancel', at: 2, by }] },
  ],
  [
    'a request that was done',
    [begun, { t: 'asked', id: ID, at: 2, ask: 'q', what: 'cancel', by }, { t: 'answered', id: ID, at: 3, ask: 'q' }],
    { asks: [] },
  ],
]

describe('a journal', () => {
  it.each(TABLE)('of %s adds up', (_, lines, expected) => {
    if (expected === undefined) expect(fold(...lines)).toBeUndefined()
    else expect(fold(...lines)).toMatchObject(expected)
  })

  it.each(TABLE)('of %s, each line twice, adds up to the same', (_, lines) => {
    expect(fold(...lines.flatMap((line) => [line, line]))).toEqual(fold(...lines))
    expect(fold(...lines, ...lines)).toEqual(fold(...lines))
  })

  it('keeps the last lines of a history', () => {
    const said = Array.from({ length: MAX_HISTORY + 5 }, (_, index) => `line ${index}`)
    const lines = said.map(
      (text, index): JournalledTask => ({
        t: 'said',
        id: ID,
        n: index + 1,
        at: 2,
        line: { at: 2, level: 'info', text },
      }),
    )
    expect(fold(begun, ...lines)?.history.map(({ text }) => text)).toEqual(said.slice(-MAX_HISTORY))
  })

  it('leaves out lines that are not whole', () => {
    const lines = [
      '',
      '{',
      'null',
      '[]',
      '{"t":"begun","id":"a"}',
      '{"t":"step","id":"a"}',
      '{"t":"step","id":"a","n":1,"places":[{}]}',
    ]
    expect(foldTasks(lines).size).toBe(0)
    expect(foldTasks([encodeTaskLine(begun), ...lines]).get(ID)).toEqual(fold(begun))
  })

  it('forgets orders that ended without a fill, not what any has filled', () => {
    const lines = Array.from({ length: 200 }, (_, step): JournalledTask[] => [
      { t: 'step', id: ID, n: 2 * step + 1, at: 2, state: {}, places: place(step) },
      {
        t: 'settled',
        id: ID,
        n: 2 * step + 2,
        at: 2,
        step,
        as: step % 2 === 0 ? ended : { status: 'refused', filled: '0', cost: '0', base: '0', code: 'x' },
      },
    ])
    const record = fold(begun, ...lines.flat())
    expect(record?.nextStep).toBe(200)
    const filled = record?.orders.filter(({ settled }) => settled?.filled === '1').length ?? 0
    expect(filled + Number(record?.before.filled)).toBe(100)
    expect(record?.orders.length).toBeLessThan(200)
  })
})

/** A life of a task, as a driver writes it: orders are settled in any order, some never. */
const life = fc
  .array(fc.record({ places: fc.nat(3), settles: fc.array(fc.nat(20)), isSaid: fc.boolean() }), { maxLength: 12 })
  .map((turns) => {
    const lines: JournalledTask[] = [begun]
    let [n, step] = [0, 0]
    for (const { places, settles, isSaid } of turns) {
      n += 1
      const planned = place(...Array.from({ length: places }, (_, index) => step + index))
      step += places
      const said = isSaid ? { said: [{ at: 2, level: 'info', text: `turn ${n}` } as const] } : {}
      lines.push({ t: 'step', id: ID, n, at: 2, state: { n }, ...(places > 0 ? { places: planned } : {}), ...said })
      for (const settled of settles.filter((each) => each < step)) {
        n += 1
        lines.push({ t: 'settled', id: ID, n, at: 3, step: settled, as: ended })
      }
    }
    return lines
  })

describe('any beginning of a journal', () => {
  it('forgets no order that may have been sent, and gives no number twice', () => {
    fc.assert(
      fc.property(life, fc.nat(), (lines, cut) => {
        const before = lines.slice(0, 1 + (cut % lines.length))
        const record = fold(...before)
        const placed = before.flatMap((line) => (line.t === 'step' ? (line.places ?? []) : []))
        const settled = new Set(before.flatMap((line) => (line.t === 'settled' ? [line.step] : [])))
        const live = record?.orders.filter((order) => order.settled === undefined).map(({ step }) => step)
        expect(live).toEqual(placed.map(({ step }) => step).filter((step) => !settled.has(step)))
        expect(record?.nextStep).toBeGreaterThan(Math.max(-1, ...placed.map(({ step }) => step)))
      }),
    )
  })

  it('cut in the middle of a line, adds up to what was whole', () => {
    fc.assert(
      fc.property(life, fc.nat(), (lines, cut) => {
        const text = lines.map(encodeTaskLine).join('\n')
        const length = cut % text.length
        const pieces = text.slice(0, length).split('\n')
        // What lacks its line break alone is whole.
        const whole = text.charAt(length) === '\n' ? pieces : pieces.slice(0, -1)
        expect(foldTasks(pieces).get(ID)).toEqual(foldTasks(whole).get(ID))
      }),
    )
  })

  it('begun anew, adds up to the same, and so do lines that were written on both sides', () => {
    fc.assert(
      fc.property(life, fc.nat(), fc.nat(), (lines, cut, overlap) => {
        const texts = lines.map(encodeTaskLine)
        const at = cut % (texts.length + 1)
        const kept = linesToKeep(texts.slice(0, at))
        const again = texts.slice(Math.max(0, at - (overlap % 4)))
        expect(foldTasks([...kept, ...again]).get(ID)).toEqual(foldTasks(texts).get(ID))
      }),
    )
  })
})
