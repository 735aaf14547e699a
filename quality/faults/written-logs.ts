// The journal and the log written by two processes at once, while both are rotated.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, createHook, exec, LISTENING, RunningHookline } from '../../harness/process/hookline.ts'
import { ask } from '../../harness/process/piped-repl.ts'
import { startUnder } from './launchers.ts'
import { fireMany } from './many-fires.ts'
import { Rotations } from './rotations.ts'

export interface Written {
  readonly perSecond: number
  readonly rotations: number
  readonly lost: number
  /** Lines that are no JSON. */
  readonly torn: number
}

/** One process takes fires, the other runs typed lines; every run is a line at its start and one at its end. */
export async function writeJournal(fires: number, typed: number): Promise<Written> {
  const directory = tempDirectory()
  const hook = await createHook(directory, 'alert', 'echo seen')
  const listener = await RunningHookline.listening(directory)
  const second = new RunningHookline(directory)
  await second.prints('is held by')
  const rotations = new Rotations(join(directory, 'runs.jsonl'))
  const from = performance.now()
  second.child.stdin.end(Array.from({ length: typed }, (_, index) => `echo typed-${index}\n`).join(''))
  const [runIds] = await Promise.all([fireMany(hook, fires), second.ended()])
  const perSecond = (2 * (fires + typed)) / ((performance.now() - from) / 1_000)
  listener.signal('SIGTERM')
  await listener.ended()
  const lines = rotations.lines()
  const starts = lines.filter((line) => line?.t === 'start')
  const started = new Set(starts.map((line) => line?.runId))
  const ended = new Set(lines.flatMap((line) => (line?.t === 'done' ? line.runId : [])))
  const typedIds = new Map(starts.map((line) => [line?.command, line?.runId]))
  typedIds.delete('echo seen')
  const lost = [...runIds, ...typedIds.values()].filter((runId) => !started.has(runId) || !ended.has(runId)).length
  return {
    perSecond,
    rotations: rotations.count,
    lost: lost + (fires - runIds.length) + (typed - typedIds.size),
    torn: lines.filter((line) => line === undefined).length,
  }
}

export interface WrittenLog extends Written {
  /** The last line of the process that writes seldom stands in the log or its backup. */
  readonly isLastFound: boolean
  /** Of each process, on the log and its backups. */
  readonly descriptors: readonly number[]
}

/** Every run makes a line of the log: one process takes as many fires as it can, the other runs a line ten times a second. */
export async function writeLog(fires: number): Promise<WrittenLog> {
  const directory = tempDirectory()
  // A list of fills shows times, and a hook may ask for it; a hook whose runs fail again and again would pause itself.
  await exec(directory, 'buy 60.0 DOGEUSDT')
  const hook = await createHook(directory, 'alert', 'fills || echo failed')
  const busy = startUnder('broken-command.cjs', directory, [BINARY, 'listen'])
  await busy.prints(LISTENING)
  const quiet = startUnder('broken-command.cjs', directory, [BINARY])
  await quiet.prints('is held by')
  const log = join(directory, 'hookline.log')
  await ask(quiet, 'hooks')
  await expect.poll(() => existsSync(log)).toBe(true)
  const rotations = new Rotations(log)
  const from = performance.now()
  const firing = { isOver: false }
  const fired = fireMany(hook, fires).finally(() => {
    firing.isOver = true
  })
  let typed = 1
  for (; !firing.isOver; typed++) {
    await ask(quiet, 'hooks')
    await sleep(100)
  }
  await fired
  const perSecond = fires / ((performance.now() - from) / 1_000)
  const descriptors = [busy, quiet].map(({ pid }) => rotations.countOpen(pid))
  const lastAt = Date.now()
  await ask(quiet, 'hooks')
  typed++
  busy.signal('SIGTERM')
  quiet.child.stdin.end()
  await Promise.all([busy.ended(), quiet.ended()])
  const lines = rotations.lines()
  const bugs = lines.filter((line) => line?.err !== undefined)
  return {
    perSecond,
    rotations: rotations.count,
    lost: fires + typed - bugs.length,
    torn: lines.filter((line) => line === undefined).length,
    isLastFound: rotations.found().some((line) => line?.pid === quiet.pid && (line.time ?? 0) >= lastAt),
    descriptors,
  }
}
