// What triggers cost (behaviour 52): a bar that closes is judged by a thousand conditions; and from the venue's answer with a closed bar to the
// order at the venue, with 200 hooks on 50 symbols live in the built program. A stop-watch alone: there is no baseline.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { bundle } from './bundle.mjs'
import { LOAD_CORE, lastLineOf, pinned, SERVER_CORES, startProcess } from './processes.mjs'
import { writeHookRows } from './registry.mjs'
import { judge, median, skip, spreadOf } from './rounds.mjs'
import { HOOKLINE, temporaryDirectory } from './servers.mjs'

const CONDITIONS = 1_000
const [SYMBOLS, HOOKS_OF_SYMBOL] = [50, 4]
const PROGRAMS = resolve('node_modules/.cache/hookline-bench')
const [KEY, SECRET] = ['KeyOfTheBench0123456789abcdef', 'SecretOfTheBench0123456789abcdef']
const CLAIM = 'from a closed bar to the order at the venue, 200 hooks on 50 symbols live, 8 fire at each bar, p99 in ms'
const WANTED = { atMost: 50 }

/** @typedef {{ bars: number, minutes: number, rounds: number }} Scale */
/** @typedef {{ times: number[], cpuMs: number }} Times from the venue's answer with the bar to the order there, and of a minute, in ms */

/** @type {import('./groups.mjs').Group<Scale>} */
export const triggers = {
  full: { bars: 2_000, minutes: 5, rounds: 3 },
  quick: { bars: 300, minutes: 2, rounds: 1 },
  measure: measureTriggers,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureTriggers({ bars, minutes, rounds }) {
  return [await measureConditions(bars, rounds), await measureOrders(minutes, rounds)]
}

/** @param {number} bars @param {number} rounds */
async function measureConditions(bars, rounds) {
  const built = temporaryDirectory()
  const program = await bundle('quality/bench/trigger-bars.ts', join(built, 'trigger-bars.mjs'))
  const results = Array.from({ length: rounds }, () => {
    const printed = execFileSync(process.execPath, [program, String(CONDITIONS), String(bars)], { encoding: 'utf8' })
    /** @type {number[]} */
    const times = JSON.parse(printed)
    return times
  })
  rmSync(built, { recursive: true, force: true })
  const most = Math.max(...results.flat()).toFixed(1)
  const each = spreadOf(results.map(median))
  return judge('a bar judged by 1,000 conditions, in ms', { atMost: 5 }, each, `the longest ${most} ms`)
}

/** @param {number} minutes @param {number} rounds */
async function measureOrders(minutes, rounds) {
  const program = await bundle('quality/bench/trigger-orders.mjs', join(PROGRAMS, 'trigger-orders.mjs'))
  const [load] = loadavg()
  /** @type {Times[]} */
  const results = []
  for (let round = 0; round < rounds; round += 1) {
    const directory = temporaryDirectory()
    /** @type {Times | { missing: string }} */
    const found = JSON.parse(
      await lastLineOf(startProcess([process.execPath, program, taskIn(directory, minutes)], { core: LOAD_CORE })),
    )
    rmSync(directory, { recursive: true, force: true })
    if ('missing' in found) return skip(CLAIM, WANTED, found.missing)
    results.push(found)
  }
  const all = results.flatMap(({ times }) => times)
  return judge(
    CLAIM,
    WANTED,
    spreadOf(results.map(({ times }) => p99(times))),
    `from the venue's answer with the bar, which is asked for 150 ms after its close; ${all.length} orders of the built program under a clock six times as fast, each fire on the disk first; median ${median(all).toFixed(1)} ms; ${median(results.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms of CPU a minute with 50 streams`,
    `load average ${load.toFixed(1)} on ${cpus().length} cores before the run`,
  )
}

/** @param {string} directory of hookline @param {number} minutes */
function taskIn(directory, minutes) {
  const from = Date.now()
  const symbols = Array.from({ length: SYMBOLS }, (_, index) => `C${String(index).padStart(2, '0')}USDT`)
  const main = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEY, secret: SECRET }
  const write = (/** @type {string} */ name, /** @type {object} */ value) =>
    writeFileSync(join(directory, name), JSON.stringify(value), { mode: 0o600 })
  write('accounts.json', { accounts: [{ ...main, createdAt: from, updatedAt: from }] })
  write('config.json', { defaultAccount: 'main', defaultSymbol: symbols[0] })
  write('guards.json', { guards: [{ account: 'main', limits: { day: '1000000' } }] })
  const rows = symbols.flatMap((symbol) =>
    Array.from({ length: HOOKS_OF_SYMBOL }, (_, index) => ({
      command: `buy 0.1 ${symbol}`,
      account: 'main',
      when: { text: `close(1m) > ${100 + index}`, symbol, since: from },
    })),
  )
  writeHookRows(directory, rows)
  return JSON.stringify({
    directory,
    key: KEY,
    secret: SECRET,
    symbols,
    hooksOfSymbol: HOOKS_OF_SYMBOL,
    minutes,
    from,
    command: pinned([process.execPath, resolve('quality/faults/fast-clock.cjs')], SERVER_CORES),
    hookline: HOOKLINE,
    env: environmentOf(directory),
  })
}

/** @param {number[]} values */
function p99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
