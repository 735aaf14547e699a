// A writer killed at any moment leaves the old content or the new, never a torn one, and at most one temporary file.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { bundleChild, startChild } from './child-program.ts'

const KILLS = 1_000
const LANES = 4
/** Several disk pages, so that a torn write would show. */
const PADDING = 20_000

/** Writes without a pause, each time another count in all of the content; tells when the first write is done. */
const writer = `
  import { join } from 'node:path'
  import { createJsonFile } from './json-file.ts'
  const file = createJsonFile({
    path: join(process.argv[2], 'counter.json'),
    parse: (value) => value,
    defaults: { count: 0, padding: '' },
  })
  const next = ({ count }) => ({ count: count + 1, padding: String((count + 1) % 10).repeat(${PADDING}) })
  async function main() {
    await file.update(next)
    process.stdout.write('.')
    for (;;) await file.update(next)
  }
  void main()
`

interface Tally {
  kills: number
  /** The child held the lock when it died: it was between beginning an update and ending it. */
  withinUpdate: number
  /** A temporary file was there too: content was being written, or about to be renamed. */
  withinWrite: number
  writes: number
}

async function killOnce(program: string, directory: string, tally: Tally): Promise<void> {
  const child = startChild(program, [directory])
  const exited = once(child, 'exit')
  await once(child.stdout as NodeJS.EventEmitter, 'data')
  await sleep(Math.random() * 8)
  child.kill('SIGKILL')
  const [, signal] = await exited
  expect(signal).toBe('SIGKILL')
  const names = readdirSync(directory)
  const temporaries = names.filter((name) => name.endsWith('.tmp'))
  expect(temporaries.length).toBeLessThanOrEqual(1)
  tally.kills += 1
  if (names.includes('counter.json.lock')) tally.withinUpdate += 1
  tally.withinWrite += temporaries.length
}

/** One directory for all its rounds, so that what one child leaves behind is what the next one finds. */
async function runLane(program: string, directory: string, tally: Tally): Promise<void> {
  mkdirSync(directory)
  let last = 0
  while (tally.kills < KILLS) {
    await killOnce(program, directory, tally)
    const { count, padding } = JSON.parse(readFileSync(join(directory, 'counter.json'), 'utf8'))
    expect(padding).toBe(String(count % 10).repeat(PADDING))
    expect(count).toBeGreaterThan(last)
    tally.writes += count - last
    last = count
    // As its age does after five seconds.
    rmSync(join(directory, 'counter.json.lock'), { recursive: true, force: true })
  }
}

test('kill -9 during writes, a thousand times, tears nothing', { timeout: 180_000 }, async () => {
  const directory = tempDirectory()
  const program = await bundleChild(directory, writer)
  const tally: Tally = { kills: 0, withinUpdate: 0, withinWrite: 0, writes: 0 }
  const lanes = Array.from({ length: LANES }, (_, lane) => runLane(program, join(directory, `lane-${lane}`), tally))
  await Promise.all(lanes)
  expect(tally.kills).toBeGreaterThanOrEqual(KILLS)
  expect(tally.withinUpdate).toBeGreaterThan(tally.kills / 2)
  expect(tally.withinWrite).toBeGreaterThan(tally.kills / 4)
})
