// `hook replay` over ten years of minutes (behaviour 53): how many candles a second, from the file to the report, for a trigger that fires nothing,
// and the time for all of them with one that fires.
import { execFileSync } from 'node:child_process'
import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { temporaryDirectory } from './servers.mjs'

const COMMAND = 'buy $1000 BTCUSDT stop -2% tp 2%'
const NEVER = 'rsi(14, 1m) > 99.9'
/** About once in three days. */
const SELDOM = 'close(1d) crosses above ema(5)'

/** @typedef {{ candles: number, rounds: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const replay = {
  full: { candles: 5_260_000, rounds: 3 },
  quick: { candles: 300_000, rounds: 2 },
  measure: measureReplay,
}

/** @typedef {{ bars: number, fires: number, ms: number, rssMb: number, longestMs: number }} Result */

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureReplay({ candles, rounds }) {
  const directory = temporaryDirectory()
  const path = join(directory, 'minutes.csv')
  await writeMinutes(path, candles)
  const program = await bundle('quality/bench/replay-candles.ts', join(directory, 'replay-candles.mjs'))
  /** @param {string} when @returns {Result} */
  const run = (when) => {
    const printed = execFileSync(process.execPath, [program, path, when, COMMAND], { encoding: 'utf8' })
    /** @type {Result} */
    const result = JSON.parse(printed)
    if (result.bars !== candles) throw new Error(`${result.bars} of ${candles} candles were read`)
    return result
  }
  const never = Array.from({ length: rounds }, () => run(NEVER))
  const seldom = Array.from({ length: rounds }, () => run(SELDOM))
  rmSync(directory, { recursive: true, force: true })
  const rates = never.map(({ bars, ms }) => (1000 * bars) / ms)
  const seconds = seldom.map(({ ms }) => ms / 1000)
  const most = Math.max(...[...never, ...seldom].map(({ rssMb }) => rssMb))
  const many = candles.toLocaleString('en-US')
  return [
    judge('a replay without fires, in candles a second', { atLeast: 200_000 }, spreadOf(rates), `${many} candles`),
    judge(
      `a replay of ${many} minutes with fires, in s`,
      { atMost: 30 },
      spreadOf(seconds),
      `${median(seldom.map(({ fires }) => fires))} fires`,
    ),
    judge('the memory of a replay, in MB', { atMost: 300 }, spreadOf([most]), `${many} candles`),
  ]
}

/** @param {string} path @param {number} count */
async function writeMinutes(path, count) {
  const file = createWriteStream(path)
  let [state, price] = [12_345, 50_000]
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  for (let begin = 0; begin < count; begin += 1_000) {
    let text = ''
    for (let index = begin; index < Math.min(count, begin + 1_000); index += 1) {
      const open = price
      price = Math.min(90_000, Math.max(20_000, price + (random() - 0.5) * 40))
      const [high, low] = [Math.max(open, price) + random() * 5, Math.min(open, price) - random() * 5]
      const prices = [open, high, low, price].map((each) => each.toFixed(1))
      text += `${1_451_606_400_000 + index * 60_000},${prices.join(',')},1\n`
    }
    if (!file.write(text)) await new Promise((resolve) => file.once('drain', () => resolve(undefined)))
  }
  await new Promise((resolve) => file.end(() => resolve(undefined)))
}
