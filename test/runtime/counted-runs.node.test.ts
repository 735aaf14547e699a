// What a hook's limits count survives the file it was written to (behaviour 47).
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openRunJournal } from '../../src/runtime/run-journal.ts'

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
