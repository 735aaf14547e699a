// What a hook's limits count survives the file it was written to (behaviour 47).
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openRunJournal, type RunJournal } from '../../src/runtime/run-journal.ts'

it('the runs that a hook has begun are known after the journal was cut many times, by a process that comes later', async () => {
  const path = join(tempDirectory(), 'runs.jsonl')
  const options = { path, maxBytes: 4_000, countedRuns: (hook: string) => (hook === 'limited' ? 3 : 0) }
  const journal = openRunJournal(options)
  const run = async (hookId: string, runId: string, begun: number) => {
    await new Promise<boolean>((written) => {
      const started = journal.start({ runId, source: 'hook', command: 'echo', hookId }, 'paper', written)
      started.begun = begun
      journal.fires.began(hookId, { runId, at: begun, resumed: 0 })
      journal.done(started, { success: true })
    })
  }
  for (let index = 1; index <= 5; index++) await run('limited', `l${index}`, index)
  for (let index = 0; index < 200; index++) await run('other', `o${index}`, 10 + index)
  journal.close()
  const later = openRunJournal(options)
  expect(later.fires.of('limited').begun.map(({ runId, at }) => `${runId}@${at}`)).toEqual(['l3@3', 'l4@4', 'l5@5'])
  later.close()
})

it('the runs and keys of another process are known after this one has cut the journal many times', async () => {
  const path = join(tempDirectory(), 'runs.jsonl')
  const options = { path, maxBytes: 4_000, countedRuns: (hook: string) => (hook === 'limited' ? 3 : 0), now: () => 100 }
  const [one, other] = [openRunJournal(options), openRunJournal(options)]
  const run = (journal: RunJournal, hookId: string, runId: string) =>
    new Promise<boolean>((written) => {
      const key = hookId === 'limited' ? { key: runId } : {}
      const started = journal.start({ runId, source: 'hook', command: 'echo', hookId, ...key }, 'paper', written)
      started.begun = 50
      journal.fires.began(hookId, { runId, at: 50, resumed: 0 })
      journal.done(started, { success: true })
    })
  // It has read all that there is by now, and counts its own from here on.
  await run(one, 'limited', 'own')
  expect(one.fires.of('limited').begun).toHaveLength(1)
  expect(one.firstRun('limited', 'own')).toBe('own')
  await run(other, 'limited', 'of-another')
  for (let index = 0; index < 200; index++) await run(one, 'busy', `b${index}`)
  const later = openRunJournal(options)
  for (const journal of [one, later]) {
    expect(
      journal.fires
        .of('limited')
        .begun.map(({ runId }) => runId)
        .sort(),
    ).toEqual(['of-another', 'own'])
    expect(journal.firstRun('limited', 'of-another')).toBe('of-another')
  }
  for (const journal of [one, other, later]) journal.close()
})
