// What the size of the registry costs a fire: the same server process with 10 and with 100 000 hooks, their file replaced under it
// before each measurement as another hookline process would. Fires go to hooks spread over the whole registry.
import { applyLoad } from './load.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { fireRequests, startHookline, writeHooks } from './servers.mjs'

const FEW = 10
const MANY = 100_000
const CONNECTIONS = 10
/** Hooks that are fired, at most. */
const FIRED = 1_000

/** @typedef {{ rounds: number, durationMs: number, warmUp: number }} Scale durationMs: measured each time; warmUp: fires before */

/** @type {import('./groups.mjs').Group<Scale>} */
export const hookCount = {
  full: { rounds: 7, durationMs: 1_200, warmUp: 2_000 },
  quick: { rounds: 3, durationMs: 120, warmUp: 500 },
  measure: measureHookCount,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureHookCount(scale) {
  const server = await startHookline(FEW)
  const { few, many } = await interleave(scale.rounds, {
    few: () => fireUs(server, FEW, scale),
    many: () => fireUs(server, MANY, scale),
  })
  await server.stop()
  const details = `${median(many).toFixed(1)} µs per fire; with ${FEW} ${median(few).toFixed(1)} µs`
  return [judge(`a fire with 100 000 hooks registered, against ${FEW}`, { atMost: 1.1 }, ratios(many, few), details)]
}

/**
 * @param {Awaited<ReturnType<typeof startHookline>>} server @param {number} count hooks in its registry
 * @param {Omit<Scale, 'rounds'>} scale
 * @returns {Promise<number>} per fire
 */
export async function fireUs(server, count, { durationMs, warmUp }) {
  const hooks = writeHooks(server.directory, count)
  const fired = hooks.filter((_, index) => index % Math.ceil(count / FIRED) === 0)
  const plan = { port: server.port, requests: fireRequests(fired), connections: CONNECTIONS }
  // The new file is read once, by whoever fires first: that is not what a fire costs.
  await applyLoad({ ...plan, count: warmUp })
  const result = await applyLoad({ ...plan, durationMs, warmUpMs: durationMs / 4 })
  if (Object.keys(result.others).length > 0) throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
  return 1e6 / result.perSecond
}
