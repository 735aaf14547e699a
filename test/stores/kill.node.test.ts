// A writer killed at any moment leaves the old content or the new, never a torn one, and at most one temporary file. A process writes several
// files at once and a kill ends the writing of each, wherever that one is: most of the time goes into starting processes.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { runsOf } from '../../harness/tiers/runs.ts'
import { bundleChild, startChild } from './child-program.ts'

const KILLED_WRITERS = runsOf(1_000, 200)
const LANES = 4
const FILES = ['a', 'b', 'c', 'd'] as const
/** Several disk pages, so that a torn write would show. */
const PADDING = 20_000

/** Writes all files without a pause, each time another count in all of the content; tells when each has been written. */
const writer = `
  import { join } from 'node:path'
  import { createJsonFile } from './json-file.ts'
  const next = ({ count }) => ({ count: count + 1, padding: String((count + 1) % 10).repeat(${PADDING}) })
  const files = process.argv.slice(3).map((name) => createJsonFile({
    path: join(process.argv[2], name, 'counter.json'),
    parse: (value) => value,
    defaults: { count: 0, padding: '' },
  }))
  async function main() {
    await Promise.all(files.map((file) => file.update(next)))
    process.stdout.write('.')
    for (const file of files) void (async () => { for (;;) await file.update(next) })()
  }
  void main()
`

interface Tally {
  /** Of one file each. */
  killed: number
  /** It held the lock when it died: it was between beginning an update and ending it. */
  withinUpdate: number
  /** A temporary file was there too: content was being written, or about to be renamed. */
  withinWrite: number
}

async function killOnce(program: string, directory: string): Promise<void> {
  const child = startChild(program, [directory, ...FILES])
  const exited = once(child, 'exit')
  await once(child.stdout as NodeJS.EventEmitter, 'data')
  await sleep(Math.random() * 8)
  child.kill('SIGKILL')
  const [, signal] = await exited
  expect(signal).toBe('SIGKILL')
}

/** @returns the count that stands */
function look(directory: string, last: number, tally: Tally): number {
  const names = readdirSync(directory)
  const temporaries = names.filter((name) => name.endsWith('.tmp'))
  expect(temporaries.length).toBeLessThanOrEqual(1)
  tally.killed += 1
  if (names.includes('counter.json.lock')) tally.withinUpdate += 1
  tally.withinWrite += temporaries.length
  const { count, padding } = JSON.parse(readFileSync(join(directory, 'counter.json'), 'utf8'))
  expect(padding).toBe(String(count % 10).repeat(PADDING))
  expect(count).toBeGreaterThan(last)
  // As its age does after five seconds.
  rmSync(join(directory, 'counter.json.lock'), { recursive: true, force: true })
  return count
}

/** One directory for all its rounds, so that what one child leaves behind is what the next one finds. */
async function runLane(program: string, directory: string, tally: Tally): Promise<void> {
  for (const name of FILES) mkdirSync(join(directory, name), { recursive: true })
  const counts = new Map<string, number>()
  while (tally.killed < KILLED_WRITERS) {
    await killOnce(program, directory)
    for (const name of FILES) counts.set(name, look(join(directory, name), counts.get(name) ?? 0, tally))
  }
}

test('kill -9 during the writing of files tears nothing', { timeout: 180_000 }, async () => {
  const directory = tempDirectory()
  const program = await bundleChild(directory, writer)
  const tally: Tally = { killed: 0, withinUpdate: 0, withinWrite: 0 }
  const lanes = Array.from({ length: LANES }, (_, lane) => runLane(program, join(directory, `lane-${lane}`), tally))
  await Promise.all(lanes)
  expect(tally.killed).toBeGreaterThanOrEqual(KILLED_WRITERS)
  expect(tally.withinUpdate).toBeGreaterThan(tally.killed / 2)
  // How much of an update is writing depends on the disk: a tenth says that writes were cut too.
  expect(tally.withinWrite).toBeGreaterThan(tally.killed / 10)
})
