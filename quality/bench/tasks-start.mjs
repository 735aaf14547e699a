// A start in a directory with a thousand tasks on disk, ended and interrupted ones, against a start in one without.
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess, stopProcess } from './processes.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { answersHealth, HOOKLINE, temporaryDirectory } from './servers.mjs'

const TASKS = 1_000
/** Of them still interrupted; the others are done. */
const INTERRUPTED = 100
const AT = 1_700_000_000_000

/** @typedef {{ starts: number }} Scale of each */

/** @type {import('./groups.mjs').Group<Scale>} */
export const tasksStart = {
  full: { starts: 30 },
  quick: { starts: 7 },
  measure: measureTasksStart,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureTasksStart({ starts: count }) {
  const [full, empty] = [temporaryDirectory(), temporaryDirectory()]
  writeTasks(full)
  const tasks = () => timeToHealth(full)
  const none = () => timeToHealth(empty)
  // The first start makes the files.
  await tasks()
  await none()
  const times = await interleave(count, { tasks, none })
  for (const directory of [full, empty]) rmSync(directory, { recursive: true, force: true })
  const ms = (/** @type {number[]} */ values) => `${median(values).toFixed(1)} ms`
  return [
    judge(
      `start with ${TASKS} tasks on disk to /health, against one without`,
      { atMost: 1.2 },
      ratios(times.tasks, times.none),
      `${ms(times.tasks)}; without ${ms(times.none)}`,
    ),
  ]
}

/** @param {string} directory */
async function timeToHealth(directory) {
  const startedAt = performance.now()
  const child = startProcess([process.execPath, HOOKLINE, 'listen'], {
    stdout: 'ignore',
    env: { HOOKLINE_CONFIG_DIR: directory },
  })
  await answersHealth(child)
  const ms = performance.now() - startedAt
  await stopProcess(child)
  return ms
}

/** As their driver leaves them: the journal, and the rows. @param {string} directory */
function writeTasks(directory) {
  const rows = []
  const lines = []
  for (let index = 0; index < TASKS; index += 1) {
    const id = randomUUID()
    const isOver = index >= INTERRUPTED
    const at = AT + index
    const command = 'twap buy 40.0 ARBUSDT into 4 over 8s'
    const seed = {
      kind: 'twap',
      account: 'paper',
      symbol: 'ARBUSDT',
      command,
      by: { source: 'repl', runId: randomUUID() },
      params: { side: 'buy', amount: '40', reduce: false, slices: 4, durationMs: 8_000, seed: id },
    }
    const plan = { symbol: 'ARBUSDT', side: 'buy', amount: '10', type: 'market' }
    const as = { status: 'ended', filled: '10', cost: '7', base: '10', orderId: `paper-${index}` }
    const end = isOver ? { t: 'ended', status: 'done' } : { t: 'status', status: 'interrupted', isPaused: false }
    lines.push(
      { t: 'begun', id, at, seed },
      {
        t: 'step',
        id,
        n: 1,
        at,
        state: { startsAt: at, next: 1, seen: 1, wakeAt: 0 },
        places: [{ step: 0, tag: 'slice-0', plan }],
      },
      { t: 'settled', id, n: 2, at, step: 0, as },
      { ...end, id, n: 3, at, reason: 'filled' },
    )
    rows.push({
      id,
      kind: 'twap',
      account: 'paper',
      symbol: 'ARBUSDT',
      command,
      runId: seed.by.runId,
      status: isOver ? 'done' : 'interrupted',
      progress: isOver ? 1 : 0.25,
      startedAt: at,
      updatedAt: at,
      amount: '40',
      filled: '10',
      average: '0.7',
      reason: 'filled',
    })
  }
  writeFileSync(join(directory, 'tasks.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`, {
    mode: 0o600,
  })
  writeFileSync(join(directory, 'tasks.json'), JSON.stringify({ tasks: rows }), { mode: 0o600 })
}
