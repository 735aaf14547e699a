// Pages of the run journal: places that stay, ends that are found, and work that is bounded.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import type { RunSummary } from '../../src/runs/run.ts'
import { type RunFilters, RunPages, type RunPagesOptions } from '../../src/runtime/run-pages.ts'

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`

const start = (n: number, more: object = {}) =>
  JSON.stringify({
    t: 'start',
    runId: idOf(n),
    at: n,
    source: 'hook',
    origin: 'dip',
    hook: 'h1',
    command: `buy $${n} BTCUSDT`,
    account: 'paper',
    pid: 1,
    ...more,
  })
const done = (n: number, error?: string) =>
  JSON.stringify({ t: 'done', runId: idOf(n), at: n + 5, ok: error === undefined, error })

function journal(lines: readonly string[], options: Partial<RunPagesOptions> = {}) {
  const path = join(tempDirectory(), 'runs.jsonl')
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  const pages = () => new RunPages({ path, ownRuns: () => [], isRunning: () => false, ...options })
  return { path, pages, add: (...more: string[]) => appendFileSync(path, more.map((line) => `${line}\n`).join('')) }
}

/** All pages, and how many there were. */
async function readAll(pages: RunPages, limit: number, filters: RunFilters = {}) {
  const runs: RunSummary[] = []
  let count = 0
  let cursor: string | undefined
  do {
    const page = await pages.page(limit, filters, cursor)
    runs.push(...page.runs)
    count += 1
    cursor = page.next
  } while (cursor !== undefined)
  return { runs, count, ids: runs.map(({ startedAt }) => startedAt) }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const ended = (from: number, to: number) => range(from, to).flatMap((n) => [start(n), done(n)])

describe('pages of the run journal', () => {
  it('have the outcome of a run, where its line has one', async () => {
    const outcome = 'bought 0.01 BTCUSDT at 65,000.1'
    const { pages } = journal([start(1), JSON.stringify({ ...JSON.parse(done(1)), outcome }), ...ended(2, 2)])
    const { runs } = await readAll(pages(), 10)
    expect(runs.map((run) => run.outcome)).toEqual([undefined, outcome])
  })

  it('have the mark of a run that warned, also where its end is met behind the page', async () => {
    const warned = JSON.stringify({ ...JSON.parse(done(1)), warned: true })
    const { pages } = journal([start(1), ...ended(2, 3), warned])
    expect((await readAll(pages(), 10)).runs.map((run) => run.warned)).toEqual([undefined, undefined, true])
    const first = await pages().page(2, {})
    expect((await pages().page(1, {}, first.next)).runs.map((run) => run.warned)).toEqual([true])
    expect(await pages().find(idOf(1))).toMatchObject({ state: 'done', warned: true })
  })

  it('give every run once, newest first, with how it ended', async () => {
    const { pages } = journal([...ended(1, 24), start(25), done(25, 'no funds')])
    const { ids, runs, count } = await readAll(pages(), 10)
    expect(ids).toEqual(range(1, 25).toReversed())
    expect(count).toBe(3)
    expect(runs[0]).toMatchObject({ state: 'failed', error: 'no funds', finishedAt: 30, hookId: 'h1' })
    expect(runs.slice(1).every(({ state }) => state === 'done')).toBe(true)
  })

  it('stay where they are while new runs come, and when the file becomes its own backup', async () => {
    const { pages, path, add } = journal(ended(1, 20))
    const each = pages()
    const first = await each.page(5, {})
    add(...ended(21, 30))
    const second = await each.page(5, {}, first.next)
    expect(second.runs.map(({ startedAt }) => startedAt)).toEqual([15, 14, 13, 12, 11])
    renameSync(path, `${path}.1`)
    writeFileSync(path, `${ended(31, 32).join('\n')}\n`)
    const third = await each.page(5, {}, second.next)
    expect(third.runs.map(({ startedAt }) => startedAt)).toEqual([10, 9, 8, 7, 6])
    expect((await readAll(pages(), 7)).ids).toEqual(range(1, 32).toReversed())
  })

  it('know the end of a run that ended after the page, also when nobody has read that part before', async () => {
    const { pages } = journal([start(1), ...ended(2, 20), done(1, 'late'), ...ended(21, 30)])
    const first = await pages().page(29, {})
    const second = await pages().page(5, {}, first.next)
    expect(second.runs).toMatchObject([{ startedAt: 1, state: 'failed', error: 'late' }])
  })

  it('take what is under way here from here, and call what nobody works on interrupted', async () => {
    const own: RunSummary = { runId: idOf(2), source: 'hook', command: 'buy', startedAt: 2, state: 'running' }
    const { pages } = journal([start(1), start(2), start(3, { pid: 77 })], {
      ownRuns: () => [own],
      isRunning: (pid) => pid === 77,
    })
    const { runs } = await pages().page(10, {})
    expect(runs.map(({ state }) => state)).toEqual(['running', 'running', 'interrupted'])
  })

  it.each<[string, RunFilters, number[]]>([
    ['hook by id', { hookId: 'h2' }, [5]],
    ['hook by name', { hookId: 'DIP' }, [6, 3, 2, 1]],
    ['source', { source: 'web' }, [4]],
    ['account', { account: 'live' }, [3]],
    ['symbol in the command', { symbol: 'ethusdt' }, [4]],
    ['symbol in the alert', { symbol: 'SOLUSDT' }, [6]],
    ['status', { status: 'failed' }, [2]],
    ['text of the error, in any case', { text: 'NO FUNDS' }, [2]],
    ['text of the command', { text: '$3' }, [3]],
    ['time', { from: 2, to: 4 }, [3, 2]],
    ['all of them', { hookId: 'dip', account: 'paper', from: 2 }, [6, 2]],
    ['one that nothing fits', { status: 'skipped' }, []],
  ])('filter by %s', async (_what, filters, expected) => {
    const { pages } = journal([
      start(1),
      done(1),
      start(2),
      done(2, 'no funds'),
      start(3, { account: 'live' }),
      done(3),
      start(4, { source: 'web', origin: 'Console', hook: undefined, command: 'sell all ETHUSDT' }),
      done(4),
      start(5, { origin: 'rip', hook: 'h2' }),
      done(5),
      start(6, { command: 'buy $5 {s:in(SOLUSDT)}', values: { s: 'SOLUSDT' } }),
      done(6),
    ])
    expect((await readAll(pages(), 2, filters)).ids).toEqual(expected)
  })

  it('look through no more than their share, and say where the next one begins', async () => {
    const { pages } = journal([start(1, { command: 'rare' }), done(1), ...ended(2, 3_000)], { maxBytes: 300_000 })
    const first = await pages().page(10, { text: 'rare' })
    expect(first).toEqual({ runs: [], next: expect.any(String) })
    const { ids, count } = await readAll(pages(), 10, { text: 'rare' })
    expect(ids).toEqual([1])
    expect(count).toBeGreaterThan(2)
  })

  it('end where nothing that is asked for can be older', async () => {
    const at = (n: number) => ({ at: n * 100_000 })
    const lines = range(1, 3_000).flatMap((n) => [start(n, at(n)), done(n)])
    const { pages } = journal(lines, { maxBytes: 100_000 })
    expect((await readAll(pages(), 10, { from: 299_900_000 })).count).toBe(1)
  })

  it('refuse a place that was never given, and do no harm with one that is made up', async () => {
    const { pages, path } = journal(ended(1, 10))
    for (const cursor of [
      '',
      'x',
      'r1.1',
      'r1.-1.2',
      'r1.1.2.3',
      'r1.1.1e3',
      `r1.1.${'9'.repeat(40)}`,
      '../etc/passwd',
    ])
      await expect(pages().page(5, {}, cursor)).rejects.toMatchObject({ code: 'invalid-field' })
    const { next = '' } = await pages().page(1, {})
    const [, inode] = next.split('.')
    for (let offset = 0; offset < 400; offset += 7) {
      const { runs } = await pages().page(5, {}, `r1.${inode}.${offset}`)
      for (const { startedAt, runId } of runs) expect(runId).toBe(idOf(startedAt))
    }
    expect((await pages().page(20, {}, `r1.${inode}.999999999999`)).runs).toHaveLength(10)
    expect(await pages().page(5, {}, 'r1.1.100')).toEqual({ runs: [] })
    renameSync(path, `${path}.gone`)
    expect(await pages().page(5, {}, next)).toEqual({ runs: [] })
  })

  it('leave out a torn line, an empty one and one that an editor has spoiled', async () => {
    const { pages, path } = journal([start(1), done(1), '', '{"t":"start","runId":"x', 'null', start(2)])
    appendFileSync(path, start(3).slice(0, 40))
    expect((await readAll(pages(), 10)).ids).toEqual([2, 1])
  })
})

describe('one run of the journal', () => {
  it('is found by its id or how that begins, with its end, also in the backup', async () => {
    const { pages, path, add } = journal(ended(1, 5))
    renameSync(path, `${path}.1`)
    add(start(6))
    expect(await pages().find(idOf(3))).toMatchObject({ startedAt: 3, state: 'done' })
    expect(await pages().find('00000006')).toMatchObject({ startedAt: 6, state: 'interrupted' })
    expect(await pages().find('ffffffff')).toBeUndefined()
  })
})
