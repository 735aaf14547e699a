// What live venues cost: a start with live accounts in the list, against `node -e 0` and against a start without; and the first use of a venue
// before the network, against ccxt loaded whole, as its package says to, and against the half second that people take for no delay.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lastLineOf, startProcess, stopProcess } from './processes.mjs'
import { writeLiveAccounts } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { answersHealth, HOOKLINE, temporaryDirectory } from './servers.mjs'

const LOADER = fileURLToPath(new URL('./load-venue.cjs', import.meta.url))
const CHUNKS = resolve('dist/ccxt')
const WHOLE = createRequire(import.meta.url).resolve('ccxt')
const NAMED = ['binanceusdm', 'bybit', 'okx', 'hyperliquid', 'kraken']

const PATIENCE_MS = 500
const MEMORY_KIB = 40 * 1024

/** @typedef {{ starts: number, loads: number }} Scale */
/** @typedef {{ ms: number, KiB: number }} Load */

/** @type {import('./groups.mjs').Group<Scale>} */
export const venues = {
  full: { starts: 20, loads: 10 },
  quick: { starts: 5, loads: 3 },
  measure: measureVenues,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureVenues({ starts, loads }) {
  return [...(await measureStarts(starts)), ...(await measureLoads(loads))]
}

/** @param {number} count @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureStarts(count) {
  const directories = { live: temporaryDirectory(), without: temporaryDirectory() }
  for (const directory of Object.values(directories)) await timeToHealth(directory)
  writeLiveAccounts(directories.live, ['binance', 'bybit', 'okx', 'hyperliquid', 'krakenfutures'])
  const times = await interleave(count, {
    live: () => timeToHealth(directories.live),
    without: () => timeToHealth(directories.without),
    bare: timeOfBareNode,
  })
  for (const directory of Object.values(directories)) rmSync(directory, { recursive: true, force: true })
  const ms = (/** @type {number[]} */ values) => `${median(values).toFixed(1)} ms`
  const details = `${ms(times.live)}; without ${ms(times.without)}; node -e 0 ${ms(times.bare)}`
  return [
    judge(
      'start with live accounts, against node -e 0',
      { atMost: 2.5 },
      ratios(times.live, times.bare),
      details,
      'the start of any account takes as long (the row below): see the row of `hookline listen`',
    ),
    judge(
      'start with live accounts, against one without',
      { atMost: 1.05 },
      ratios(times.live, times.without),
      details,
    ),
  ]
}

/** @param {number} count @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureLoads(count) {
  /** @type {Record<string, () => Promise<Load>>} */
  const contestants = { whole: () => load(WHOLE, 'binanceusdm') }
  for (const name of NAMED) contestants[name] = () => load(join(CHUNKS, `${name}.cjs`))
  const { whole, ...ours } = await interleave(count, contestants)
  const slowest = whole.map((_, round) => Math.max(...Object.values(ours).map((loaded) => loaded[round].ms)))
  const largest = whole.map((_, round) => Math.max(...Object.values(ours).map((loaded) => loaded[round].KiB)))
  const each = Object.entries(ours).map(
    ([name, loaded]) => `${name} ${median(loaded.map(({ ms }) => ms)).toFixed(0)} ms`,
  )
  const wholeMs = whole.map(({ ms }) => ms)
  const details = `${each.join(', ')}; all of ccxt ${median(wholeMs).toFixed(0)} ms`
  const sizes = `${(median(largest) / 1024).toFixed(1)} MiB; all of ccxt ${(median(whole.map(({ KiB }) => KiB)) / 1024).toFixed(1)} MiB`
  const limit = (/** @type {number} */ value) => whole.map(() => value)
  return [
    judge(
      'first use of a venue before the network, against all of ccxt',
      { atMost: 0.75 },
      ratios(slowest, wholeMs),
      details,
    ),
    judge(
      'first use of a venue before the network, against 500 ms',
      { atMost: 1 },
      ratios(slowest, limit(PATIENCE_MS)),
      details,
    ),
    judge(
      'memory of a venue before its markets, against 40 MiB',
      { atMost: 1 },
      ratios(largest, limit(MEMORY_KIB)),
      sizes,
    ),
  ]
}

/** The slowest of the named ones counts. @param {string} file @param {string} [name] @returns {Promise<Load>} */
async function load(file, name) {
  const command = [process.execPath, LOADER, file, ...(name === undefined ? [] : [name])]
  return JSON.parse(await lastLineOf(startProcess(command)))
}

/** @param {string} directory */
async function timeToHealth(directory) {
  const startedAt = performance.now()
  const child = startProcess([process.execPath, HOOKLINE, 'listen'], {
    stdin: 'pipe',
    stdout: 'ignore',
    env: { HOOKLINE_CONFIG_DIR: directory },
  })
  await answersHealth(child)
  const ms = performance.now() - startedAt
  await stopProcess(child)
  return ms
}

async function timeOfBareNode() {
  const startedAt = performance.now()
  await once(startProcess([process.execPath, '-e', '0'], { stdout: 'ignore' }), 'exit')
  return performance.now() - startedAt
}
