// Orders through hooks on one paper account: how many in a second are answered 200, are in `orders.jsonl` with intent and outcome, and are in
// the account; against fires of `echo ok` at the same server. What cannot be found in the files at the end is an error.
import { join, resolve } from 'node:path'
import { bundle } from './bundle.mjs'
import { applyLoad } from './load.mjs'
import { applyOrders } from './order-load.mjs'
import { verifyOrders } from './orders-found.mjs'
import { processorTimeUs } from './processes.mjs'
import { writeHooksOf } from './registry.mjs'
import { interleave, judge, median, ratios, spreadOf } from './rounds.mjs'
import { startHookline } from './servers.mjs'

const PROGRAMS = 'node_modules/.cache/hookline-bench'
const CONNECTIONS = 100
/** More than the 100 runs that are executed at once: there is always one to begin. */
const UNDER_WAY = 200

/** @typedef {{ rounds: number, durationMs: number, warmUps: number }} Scale warmUps: rounds that do not count */

/** @type {import('./groups.mjs').Group<Scale>} */
export const orders = {
  full: { rounds: 7, durationMs: 1_500, warmUps: 1 },
  quick: { rounds: 3, durationMs: 500, warmUps: 2 },
  measure: measureOrders,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureOrders({ rounds, durationMs, warmUps }) {
  const server = await startHookline(0)
  const { child, directory, port } = server
  // As many are sold as are bought, so that the account can go on.
  const [echo, ...requests] = writeHooksOf(directory, ['echo ok', 'buy 0.001 BTCUSDT', 'sell 0.001 BTCUSDT'])
  const load = { port, connections: CONNECTIONS, durationMs }
  /** @type {string[]} */
  const runIds = []
  const order = async () => {
    const before = processorTimeUs(child)
    const result = await applyOrders({
      ...load,
      requests,
      journal: join(directory, 'orders.jsonl'),
      underWay: UNDER_WAY,
    })
    runIds.push(...result.runIds)
    const cpuUs = before === undefined ? 0 : (processorTimeUs(child) ?? before) - before
    return { ...result, cpuUs: cpuUs / result.runIds.length }
  }
  const fire = async () => {
    const result = await applyLoad({ ...load, requests: [echo], warmUpMs: durationMs / 4 })
    if (Object.keys(result.others).length > 0)
      throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    return { perSecond: result.perSecond, p50Us: result.p50Us, p99Us: result.p99Us, cpuUs: 0 }
  }
  await interleave(warmUps, { order, fire })
  const { ours, theirs } = await interleave(rounds, { ours: order, theirs: fire })
  const program = await bundle('harness/files/paper-account.ts', resolve(PROGRAMS, 'paper-account.mjs'))
  const { readPaperAccount } = await import(program)
  verifyOrders(directory, runIds, readPaperAccount(directory, 'paper'))
  await server.stop()
  const perSecond = ours.map((result) => result.perSecond)
  const fires = theirs.map((result) => result.perSecond)
  const of = (/** @type {'p50Us' | 'p99Us' | 'cpuUs'} */ key) => median(ours.map((result) => result[key]))
  const ms = (/** @type {number} */ us) => `${(us / 1_000).toFixed(0)} ms`
  return [
    judge(
      `paper orders through hooks in a second, ${CONNECTIONS} connections`,
      { atLeast: 3_000 },
      spreadOf(perSecond),
      `p50 ${ms(of('p50Us'))}, p99 ${ms(of('p99Us'))} to the journal with ${UNDER_WAY} under way, ${of('cpuUs').toFixed(0)} µs CPU; all ${runIds.length} found`,
    ),
    judge(
      'paper orders through hooks, against fires of `echo ok`',
      { atLeast: 0.06 },
      ratios(perSecond, fires),
      `${median(perSecond).toFixed(0)}/s; fires ${median(fires).toFixed(0)}/s`,
    ),
  ]
}
