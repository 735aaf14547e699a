import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { RunRow } from '../../src/protocol/frames.ts'
import { RunFacts } from '../../src/web/pages/journal/run-detail.tsx'
import { timelineOf } from '../../src/web/pages/journal/timeline.ts'
import {
  broughtBy,
  countNew,
  lineToRunAgain,
  mergeRuns,
  outcomeOf,
  passes,
  questionOf,
  readFilters,
  showSpan,
  updateRuns,
  whoRan,
  writeFilters,
} from '../../src/web/runs/use-runs.ts'
import { outcomeOfRun, toneOfOutcome } from '../../src/web/state/console-state.ts'

const run = (runId: string, startedAt: number, more: Partial<RunRow> = {}): RunRow => ({
  runId,
  source: 'hook',
  command: 'buy $5',
  startedAt,
  state: 'running',
  ...more,
})

describe('a run in the journal', () => {
  it('says how it went, and what never began is no failure', () => {
    expect(outcomeOf({ state: 'done' })).toBe('ok')
    expect(outcomeOf({ state: 'done', warned: true })).toBe('warning')
    expect(outcomeOf({ state: 'done', declined: true })).toBe('canceled')
    expect(outcomeOf({ state: 'failed' })).toBe('failed')
    expect(outcomeOf({ state: 'failed', unbegun: 'skipped' })).toBe('skipped')
    expect(outcomeOf({ state: 'interrupted' })).toBe('interrupted')
  })

  it('names its hook or page, and otherwise where it was typed', () => {
    expect(whoRan({ source: 'hook', origin: 'dip' })).toBe('dip')
    expect(whoRan({ source: 'repl' })).toBe('terminal')
  })

  it('says what it brought, and of a line of the operator where that is shown', () => {
    const brought = (more: Partial<RunRow>) => broughtBy(run('a', 1, { state: 'done', ...more }))?.text
    expect(brought({ source: 'web', outcome: 'bought 0.003' })).toBe('bought 0.003')
    expect(brought({ source: 'repl' })).toBe('Result in the terminal.')
    expect(brought({ source: 'exec' })).toBe('Result in the script.')
    expect(brought({ source: 'repl', state: 'failed', error: 'no funds' })).toBe('no funds')
    expect([brought({ source: 'repl', state: 'running' }), brought({ source: 'web' })]).toEqual([undefined, undefined])
  })

  it('took ms, seconds, minutes or hours', () => {
    expect([96, 2_440, 180_000, 7_300_000].map(showSpan)).toEqual(['96 ms', '2.4 s', '3 min', '2 h'])
  })

  it('is run again with what its alert said, and not where that does not fit', () => {
    const command = 'buy {size:usd<=500} BTCUSDT; echo "a b"'
    expect(lineToRunAgain(run('a', 1, { command, values: { size: '250' } }))).toBe('buy $250 BTCUSDT; echo "a b"')
    expect(lineToRunAgain(run('a', 1, { command, values: { size: '900' } }))).toBeUndefined()
    expect(lineToRunAgain(run('a', 1))).toBe('buy $5')
  })
})

describe('the filters of the journal', () => {
  it('survive the address, and what is not one is left out', () => {
    const filters = { hook: 'dip 2', state: 'skipped', span: '24h' }
    expect(readFilters(writeFilters(filters))).toEqual(filters)
    expect(writeFilters({ hook: '' })).toBe('')
    expect(readFilters('?page=3&text=')).toEqual({})
  })

  it('are asked in the words of the wire, and what hookline does not tell apart is told apart here', () => {
    expect(questionOf({ state: 'skipped', span: '1h', symbol: 'btcusdt', hook: 'dip' }, 4_000_000)).toEqual({
      status: 'failed',
      from: 400_000,
      symbol: 'BTCUSDT',
      hookId: 'dip',
    })
    expect(questionOf({ span: 'a-later-word' }, 5)).toEqual({})
    const skipped = { source: 'hook', state: 'failed', unbegun: 'skipped' }
    expect(passes(skipped, { state: 'failed' })).toBe(false)
    expect(passes(skipped, { state: 'skipped' })).toBe(true)
    expect(passes({ source: 'web', state: 'done' }, {})).toBe(true)
  })

  it('show a fire by hand that was skipped once: the row of the fire', () => {
    const rows = ['hook', 'web'].map((source) => ({ source, state: 'failed', unbegun: 'skipped' }))
    expect(rows.filter((row) => passes(row, {})).map(({ source }) => source)).toEqual(['hook'])
    expect(passes({ source: 'web', state: 'failed', unbegun: 'skipped' }, { source: 'web' })).toBe(true)
    expect(toneOfOutcome(outcomeOfRun({ success: false, error: 'x', unbegun: 'skipped' }, 'hook fire dip'))).toBe(
      'warn',
    )
  })
})

describe('the runs that a page holds', () => {
  it('are each there once, newest first, and an end is not undone by an answer that it overtook', () => {
    const ended = run('b', 2, { state: 'done', finishedAt: 3 })
    const held = mergeRuns([run('b', 2), run('a', 1)], [ended, run('c', 5)])
    expect(held.map(({ runId }) => runId)).toEqual(['c', 'b', 'a'])
    expect(mergeRuns(held, [run('b', 2)])[1]).toBe(ended)
  })

  it('are brought up to date without taking new ones in, which are counted', () => {
    const held = [run('a', 1)]
    const news = [run('a', 1, { state: 'done', finishedAt: 2 }), run('b', 2)]
    expect(updateRuns(held, news).map(({ runId, state }) => [runId, state])).toEqual([['a', 'done']])
    expect(countNew(held, news)).toBe(1)
  })
})

describe('what a run brought', () => {
  const classOf = (more: Partial<RunRow>) =>
    /<p class="([^"]*)">why</.exec(renderToStaticMarkup(createElement(RunFacts, { run: run('a', 1, more) })))?.[1]

  it('has the colour of its end, and is no box', () => {
    expect(classOf({ state: 'done', outcome: 'why' })).toBe('breaks')
    expect(classOf({ state: 'done', outcome: 'why', warned: true })).toBe('breaks run-error warn')
    expect(classOf({ state: 'failed', error: 'why' })).toBe('breaks run-error failed')
    expect(classOf({ state: 'failed', error: 'why', unbegun: 'skipped' })).toBe('breaks run-error skipped')
  })
})

describe('the timeline of a run', () => {
  it('gives each step what was printed up to its end, and the rest to the end', () => {
    const line = (afterMs: number, text: string) => ({ afterMs, kind: 'print' as const, text })
    const moments = timelineOf({
      run: run('a', 100, { state: 'failed', finishedAt: 230 }),
      steps: [
        { afterMs: 10, tookMs: 80, success: true, text: 'buy $5' },
        { afterMs: 90, tookMs: 30, success: false, text: 'stop at -2%' },
      ],
      output: [line(50, 'bought'), line(110, 'no'), line(125, 'late')],
    })
    expect(
      moments.map(({ title, atMs, took, tone, lines }) => [title, atMs, took, tone, lines.map(({ text }) => text)]),
    ).toEqual([
      ['Alert received', 0, undefined, 'plain', []],
      ['buy $5', 10, '80 ms', 'good', ['bought']],
      ['stop at -2%', 90, '30 ms', 'bad', ['no']],
      ['Failed', 130, '130 ms', 'bad', ['late']],
    ])
    const warned = run('b', 100, { state: 'done', warned: true, finishedAt: 110 })
    expect(timelineOf({ run: warned, steps: [], output: [] }).at(-1)).toMatchObject({
      title: 'Done, with a warning',
      tone: 'warn',
    })
  })
})
