// With the size of the journal (at most 5 MB, and a backup as large): a start up to the first fire answered, since a start looks for
// runs that a crash cut off; and a fire with the journal at that size, at 5 MB those around its rotation.
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, measureGrowth } from './growth.mjs'
import { applyLoad } from './load.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'
import { startProcess, stopProcess } from './processes.mjs'
import { writeHook, writeHooksOf, writeJournal } from './registry.mjs'
import { median } from './rounds.mjs'
import { answersHealth, HOOKLINE, HOOKLINE_PORT, startHookline, temporaryDirectory } from './servers.mjs'

/** Rotated before it would grow over this. */
const FULL_MB = 5
/** Fires before those that count, for a new process to be compiled. */
const WARM_UP_FIRES = 20
const MB = 1_000_000
/** Stands in the journal with every fire: 5 MB are full after little more than a thousand. */
const LONG_COMMAND = `echo ${'hookline '.repeat(450).trim()}`

/**
 * @typedef {object} Scale
 * @property {number} starts of each size
 * @property {number[]} startMB over 5: the file and its backup
 * @property {number} passes from one rotation to the next, after one that does not count
 * @property {number[]} fireMB the last one is 5
 * @property {number} fires measured at each size
 */

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthJournal = {
  full: { starts: 15, startMB: [0, 1, 2.5, 5, 10], passes: 15, fireMB: [0, 1, 2.5, FULL_MB], fires: 60 },
  quick: { starts: 3, startMB: [0, 5, 10], passes: 2, fireMB: [0, FULL_MB], fires: 60 },
  measure: measureGrowthJournal,
}

/** @param {Scale} scale @returns {Promise<import('./growth.mjs').Panel[]>} */
async function measureGrowthJournal(scale) {
  const of = { grows: 'journal', sizeUnit: 'MB' }
  return [
    {
      title: 'a start, to the first fire answered',
      ...of,
      unit: 'ms',
      whole: true,
      lines: await measureStarts(scale),
      remark: '10 MB: the file and its backup, both full',
    },
    {
      title: 'a fire as the journal fills',
      ...of,
      unit: 'µs',
      lines: await measureFires(scale),
      remark: `slowest of ${scale.fires}; those at 5 MB see the journal rotated`,
    },
  ]
}

/** @param {Scale} scale */
async function measureStarts({ starts, startMB }) {
  const directory = temporaryDirectory()
  const request = writeHook(directory, 'echo ok')
  // The very first start makes files.
  await timeToFire(directory, request)
  const lines = await measureGrowth(starts, startMB, async (size) => {
    const path = join(directory, 'runs.jsonl')
    rmSync(`${path}.1`, { force: true })
    writeJournal(path, Math.min(size, FULL_MB) * MB)
    if (size > FULL_MB) writeJournal(`${path}.1`, (size - FULL_MB) * MB)
    return { start: await timeToFire(directory, request) }
  })
  rmSync(directory, { recursive: true, force: true })
  return lines
}

/** @param {string} directory @param {string} request @returns {Promise<number>} ms */
async function timeToFire(directory, request) {
  const startedAt = performance.now()
  const child = startProcess([process.execPath, HOOKLINE, 'listen'], {
    stdout: 'ignore',
    env: { HOOKLINE_CONFIG_DIR: directory },
  })
  await answersHealth(child)
  const connection = await PostConnection.open(HOOKLINE_PORT, request)
  await connection.post()
  const ms = performance.now() - startedAt
  connection.close()
  await stopProcess(child)
  return ms
}

/**
 * The journal grows by fires alone, so sizes come in their order, round after round.
 * @param {Scale} scale @returns {Promise<import('./growth.mjs').Line[]>}
 */
async function measureFires({ passes, fireMB, fires }) {
  const server = await startHookline(0)
  const { port } = server
  const [request, longRequest] = writeHooksOf(server.directory, ['echo ok', LONG_COMMAND])
  const journal = join(server.directory, 'runs.jsonl')
  /** @param {string[]} requests @param {number} count */
  const bytesOf = async (requests, count) => {
    const before = statSync(journal, { throwIfNoEntry: false })?.size ?? 0
    await applyLoad({ port, requests, connections: 10, count })
    return (statSync(journal).size - before) / count
  }
  // Warms up as well.
  const [bytesPerFire, bytesPerLongFire] = [await bytesOf([request], 1_000), await bytesOf([longRequest], 100)]
  /** @type {Record<number, { p50: number, slowest: number }[]>} */
  const results = Object.fromEntries(fireMB.map((size) => [size, []]))
  for (let pass = 0; pass <= passes; pass++) {
    for (const size of fireMB) {
      const missing = size * MB - (WARM_UP_FIRES + fires / 2) * bytesPerFire - statSync(journal).size
      const count = Math.floor(missing / bytesPerLongFire)
      if (count > 0) await bytesOf([longRequest], count)
      const inode = statSync(journal).ino
      const { p50, slowest } = await runLoad(import.meta.url, { port, request, fires })
      const rotated = statSync(journal).ino !== inode
      if (rotated !== (size === FULL_MB))
        throw new Error(`at ${size} MB the journal was ${rotated ? '' : 'not '}rotated`)
      if (pass > 0) results[size].push({ p50, slowest })
    }
  }
  await server.stop()
  return linesOf(fireMB, results)
}

/** @param {{ port: number, request: string, fires: number }} plan @returns {Promise<{ p50: number, slowest: number }>} µs */
async function fireInTurn({ port, request, fires }) {
  const connection = await PostConnection.open(port, request)
  const times = []
  for (let fired = 0; fired < WARM_UP_FIRES + fires; fired++) {
    const startedAt = performance.now()
    await connection.post()
    times.push((performance.now() - startedAt) * 1_000)
  }
  connection.close()
  const counted = times.slice(WARM_UP_FIRES)
  return { p50: median(counted), slowest: Math.max(...counted) }
}

await serveLoad(import.meta.url, fireInTurn)
