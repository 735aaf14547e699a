// What `runs` can show: everything under way, the last runs that ended, and no more than that in memory.
import { describe, expect, it } from 'vitest'
import { RunHistory } from '../../src/runtime/run-history.ts'

function accept(history: RunHistory, runId: string, at: number) {
  return history.accepted({ runId, source: 'hook', command: 'echo ok', origin: 'dip' }, 'paper', at)
}

describe('the run history', () => {
  it('lists runs newest first, with where they stand', () => {
    const history = new RunHistory(10)
    const first = accept(history, 'first', 1)
    accept(history, 'second', 2)
    history.started(first)
    history.done(first, { success: false, error: 'no funds' }, { endedAt: 4 })
    expect(history.list()).toMatchObject([
      { runId: 'second', state: 'waiting', startedAt: 2 },
      { runId: 'first', state: 'failed', startedAt: 1, finishedAt: 4, error: 'no funds', origin: 'dip' },
    ])
  })

  it('forgets the oldest that ended, also while an older run is still under way', () => {
    const history = new RunHistory(2)
    history.started(accept(history, 'long', 0))
    for (let at = 1; at <= 5; at++) history.done(accept(history, `short-${at}`, at), { success: true }, { endedAt: at })
    expect(history.list().map(({ runId }) => runId)).toEqual(['short-5', 'short-4', 'long'])
  })

  it('lists them in the order in which they were accepted, though the clock was set back between two', () => {
    const history = new RunHistory(10)
    accept(history, 'before', 3_600_000)
    accept(history, 'after', 1)
    expect(history.list().map(({ runId }) => runId)).toEqual(['after', 'before'])
  })

  it('lists no more than asked for', () => {
    const history = new RunHistory(10)
    for (let at = 1; at <= 5; at++) accept(history, `${at}`, at)
    expect(history.list(2).map(({ runId }) => runId)).toEqual(['5', '4'])
  })
})
