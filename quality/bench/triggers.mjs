// What triggers cost (behaviour 52): a bar that closes is judged by a thousand conditions, and brings the fires of 200 hooks on 50 symbols, each on
// the disk before it is made. A stop-watch alone: there is no baseline.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { temporaryDirectory } from './servers.mjs'

const [CONDITIONS, HOOKS, SYMBOLS] = [1_000, 200, 50]

/** @typedef {{ bars: number, minutes: number, rounds: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const triggers = {
  full: { bars: 2_000, minutes: 60, rounds: 5 },
  quick: { bars: 300, minutes: 10, rounds: 2 },
  measure: measureTriggers,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureTriggers({ bars, minutes, rounds }) {
  const built = temporaryDirectory()
  const program = await bundle('quality/bench/trigger-bars.ts', join(built, 'trigger-bars.mjs'))
  const results = Array.from({ length: rounds }, () => {
    const directory = temporaryDirectory()
    const figures = [CONDITIONS, bars, HOOKS, SYMBOLS, minutes].map(String)
    const printed = execFileSync(process.execPath, [program, directory, ...figures], { encoding: 'utf8' })
    rmSync(directory, { recursive: true, force: true })
    /** @type {Record<'evaluations' | 'fires', number[]>} */
    const times = JSON.parse(printed)
    return times
  })
  rmSync(built, { recursive: true, force: true })
  const each = results.map(({ evaluations }) => median(evaluations))
  const late = results.map(({ fires }) => p99(fires))
  const most = Math.max(...results.flatMap(({ evaluations }) => evaluations)).toFixed(1)
  const fired = results.reduce((sum, { fires }) => sum + fires.length, 0)
  const usual = median(results.flatMap(({ fires }) => fires)).toFixed(1)
  return [
    judge('a bar judged by 1,000 conditions, in ms', { atMost: 5 }, spreadOf(each), `the longest ${most} ms`),
    judge(
      'from a closed bar to the fires of 200 hooks on 50 symbols, p99 in ms',
      { atMost: 50 },
      spreadOf(late),
      `${fired.toLocaleString('en-US')} fires, all 200 at once, each synced to the disk first; median ${usual} ms`,
    ),
  ]
}

/** @param {number[]} values */
function p99(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
