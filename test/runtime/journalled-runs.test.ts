import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { defined } from '../../src/base/defined.ts'
import type { RunQuery } from '../../src/runs/run.ts'
import { openRunJournal } from '../../src/runtime/run-journal.ts'
import { findJournalledRuns } from '../../src/runtime/run-pages.ts'

const HOOK = 'ac4de871068ca99e314bdbc8f52809f1'

function start(runId: string, at: number, more: object = {}): string {
  return JSON.stringify({ t: 'start', runId, at, source: 'repl', command: 'echo', account: 'paper', pid: 7, ...more })
}

const done = (runId: string, at: number, error?: string) =>
  JSON.stringify({ t: 'done', runId, at, ok: error === undefined, ...defined({ error }) })

async function find(lines: readonly string[], query: Partial<RunQuery> = {}, living: readonly number[] = []) {
  async function* backwards(): AsyncGenerator<readonly string[]> {
    for (const line of [...lines].reverse()) yield [line]
  }
  return findJournalledRuns(backwards(), { limit: 10, ...query }, (pid) => living.includes(pid))
}

describe('runs in the journal', () => {
  it('are found newest first, with how they ended', async () => {
    const lines = [start('a', 1), done('a', 2), start('b', 3), start('c', 4), done('b', 5, 'no')]
    expect(await find(lines, {}, [7])).toEqual([
      expect.objectContaining({ runId: 'c', state: 'running', startedAt: 4 }),
      expect.objectContaining({ runId: 'b', state: 'failed', error: 'no', startedAt: 3, finishedAt: 5 }),
      expect.objectContaining({ runId: 'a', state: 'done', startedAt: 1, finishedAt: 2 }),
    ])
  })

  it('say that a person answered their question with no', async () => {
    const path = join(tempDirectory(), 'runs.jsonl')
    const journal = openRunJournal({ path, now: () => 5 })
    const run = journal.start({ runId: 'a', source: 'repl', command: 'nuke' }, 'paper', () => {})
    journal.done(run, { success: true, declined: true })
    journal.close()
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(await find(lines)).toMatchObject([{ state: 'done', declined: true }])
  })

  it('are interrupted when their process is gone, told or not', async () => {
    const lines = [start('a', 1), JSON.stringify({ t: 'interrupted', runId: 'a', at: 9 }), start('b', 2)]
    expect(await find(lines)).toMatchObject([
      { runId: 'b', state: 'interrupted' },
      { runId: 'a', state: 'interrupted' },
    ])
  })

  it('are found by time, by hook, by id and by failure', async () => {
    const hook = { source: 'hook', origin: 'Dip', hook: HOOK }
    const lines = [
      start('aa', 1),
      done('aa', 2),
      start('ab', 3, hook),
      done('ab', 4, 'no'),
      start('b', 5),
      done('b', 6, 'no'),
    ]
    const ids = async (query: Partial<RunQuery>) => (await find(lines, query)).map(({ runId }) => runId)
    expect(await ids({ since: 3 })).toEqual(['b', 'ab'])
    expect(await ids({ hook: 'dip' })).toEqual(['ab'])
    expect(await ids({ hook: HOOK })).toEqual(['ab'])
    expect(await ids({ id: 'A' })).toEqual(['ab', 'aa'])
    expect(await ids({ failed: true })).toEqual(['b', 'ab'])
    expect(await ids({ failed: true, since: 4 })).toEqual(['b'])
    expect(await ids({ limit: 1 })).toEqual(['b'])
  })

  it('are found once when a new file began with what was open in the old one', async () => {
    const lines = [start('long', 1), start('b', 2), done('b', 3), start('long', 1), done('long', 4)]
    expect(await find(lines)).toMatchObject([
      { runId: 'b', state: 'done' },
      { runId: 'long', state: 'done', finishedAt: 4 },
    ])
  })

  it('leave out lines that are torn or were written by a person', async () => {
    const lines = [
      '{"t":"start","runId":"x","at":1,"comm',
      '{"t":"start","runId":"y","at":"now","source":"repl","command":"a","account":"p","pid":1}',
      '{"t":"start","runId":"z","at":1,"source":"elsewhere","command":"a","account":"p","pid":1}',
      '{"t":"start","runId":"w","runId":"v","at":1,"source":"repl","command":"a","account":"p","pid":1}',
      'not JSON',
      '[]',
      start('good', 2),
    ]
    expect((await find(lines)).map(({ runId }) => runId)).toEqual(['good'])
  })
})
