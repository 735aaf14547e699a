// `runs.jsonl`: what the next start makes of the lines that another hookline left, whole or torn.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { interruptedNotice } from '../../../src/app/notices.ts'
import { type InterruptedRun, openRunJournal } from '../../../src/runtime/run-journal.ts'
import { privateDirectory } from '../store-target.ts'
import { bytesOf, type OpenTarget, promise } from '../target.ts'

/** Above what Linux gives to processes. */
const DEAD = 2 ** 22 + 1
const start = { t: 'start', runId: 'a', at: 1_773_239_400_000, source: 'hook', origin: 'dip', hook: '0'.repeat(32) }
const lines = [
  { ...start, command: 'buy $250 BTCUSDT', account: 'paper', pid: DEAD },
  { ...start, runId: 'b', command: 'echo ok', account: 'paper', pid: DEAD },
  { t: 'done', runId: 'b', at: 2, ok: false, error: 'why' },
  { t: 'interrupted', runId: 'c', at: 3 },
].map((line) => JSON.stringify(line))

export const open: OpenTarget = () => {
  const directory = privateDirectory()
  const path = join(directory, 'runs.jsonl')
  const openJournal = () => {
    const problems: Error[] = []
    const journal = openRunJournal({
      path,
      // Only the pids of sound lines are those of processes; of all others the system is asked.
      now: () => 4,
      onProblem: (error: Error | undefined) => void (error && problems.push(error)),
    })
    return { ...journal, problems }
  }
  return {
    units: 'bytes',
    seeds: [`${lines.join('\n')}\n`, lines[0]?.slice(0, -20) ?? '', ''],
    dictionary: ['start', 'done', 'interrupted', ...Object.keys(start), 'pid', 'command', 'ok', '\n'].map(bytesOf),
    between: '\n',
    json: true,
    maxLength: 20_000,
    batch: 128,
    run(input) {
      const bytes = Buffer.from(input, 'latin1')
      rmSync(`${path}.1`, { force: true })
      writeFileSync(path, bytes)
      const journal = openJournal()
      const interrupted = journal.takeInterrupted()
      for (const run of interrupted) checkInterrupted(run)
      interruptedNotice(interrupted)
      promise(journal.takeInterrupted().length === 0, 'a run is told of once')
      const begun = journal.start({ runId: 'fuzz', source: 'exec', command: 'echo' }, 'paper', () => {})
      journal.done(begun, { success: true })
      journal.close()
      promise(journal.problems.length === 0, 'a file of whatever content can be added to')
      const after = readFileSync(path)
      promise(after.subarray(0, bytes.length).equals(bytes), 'nothing that was there is changed')
      const [first = '', last = ''] = after.toString('utf8').trimEnd().split('\n').slice(-2)
      promise(JSON.parse(first).runId === 'fuzz' && JSON.parse(last).t === 'done', 'new lines stand alone')
      const next = openJournal()
      promise(next.takeInterrupted().length === 0, 'a run is told of by one start only')
      next.close()
    },
    close: () => rmSync(directory, { recursive: true }),
  }
}

function checkInterrupted({ runId, source, origin = '', command, account, at }: InterruptedRun): void {
  for (const text of [runId, source, origin, command, account]) {
    promise(typeof text === 'string', 'what an interrupted run tells is text')
  }
  promise(Number.isFinite(at), 'an interrupted run began at a time')
}
