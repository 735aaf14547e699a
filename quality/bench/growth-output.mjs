// With the number of lines that one run prints: what a line costs on its way to one subscriber, the fire included. A run may take
// 10 000 steps, so 9 000 lines are about as many as it prints. There is a cap, too, on what may wait for a subscriber that reads too slowly
// (1 MiB, then it is hung up on with 1013): where that happened, the row says so.
import { tryDelivery } from './delivery.mjs'
import { measureGrowth } from './growth.mjs'
import { PRINTED } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { startHookline } from './servers.mjs'

/** @typedef {{ rounds: number, lines: number[], atLeast: number }} Scale atLeast: lines in all each time, in as many fires */

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthOutput = {
  full: { rounds: 5, lines: [1, 10, 100, 1_000, 9_000], atLeast: 20_000 },
  quick: { rounds: 2, lines: [1, 100, 9_000], atLeast: 1_000 },
  measure: measureGrowthOutput,
}

const MAX_REPEATS = 1_000
const MAX_FIRES = 1_000

/** @param {Scale} scale @returns {Promise<import('./growth.mjs').Panel[]>} */
async function measureGrowthOutput({ rounds, lines, atLeast }) {
  const server = await startHookline(0)
  const clientIds = trustClients(server.directory, 1)
  const measure = async (/** @type {number} */ many) => {
    const request = writeHook(server.directory, printing(many))
    const fires = Math.min(MAX_FIRES, Math.ceil(atLeast / many))
    const plan = { port: server.port, pid: server.child.pid, clientIds, subscribers: 1, request, lines: many, fires }
    const result = await tryDelivery(plan)
    if ('hungUp' in result) {
      const cut = `hung up on with ${result.hungUp}`
      return { processor: cut, clock: cut }
    }
    // A delivery is a line's or the end's.
    const perLine = (many + 1) / many
    return { processor: result.cpuUs * perLine, clock: result.wallUs * perLine }
  }
  await measure(lines[1])
  const grown = await measureGrowth(rounds, lines, measure)
  await server.stop()
  const remark =
    'processor: time of the server; at most 10 000 steps a run; over 1 MiB unread, a subscriber is hung up on (1013)'
  return [{ title: 'a line of a run, to 1 subscriber', grows: 'lines of output', unit: 'µs', lines: grown, remark }]
}

/** @param {number} lines up to 1 000, or so many thousands up to 9 @returns {string} the command that prints so many */
function printing(lines) {
  if (lines === 1) return `echo ${PRINTED}`
  if (lines <= MAX_REPEATS) return `repeat ${lines} (echo ${PRINTED})`
  return `repeat ${lines / MAX_REPEATS} (${printing(MAX_REPEATS)})`
}
