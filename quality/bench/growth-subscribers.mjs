// With the number of subscribers: what a fire that prints a line costs the server, as a whole and for each frame delivered (the line,
// and the end of the run).
import { measureDelivery } from './delivery.mjs'
import { measureGrowth } from './growth.mjs'
import { PRINTED } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { startHookline } from './servers.mjs'

/** @typedef {{ rounds: number, subscribers: number[], deliveries: number }} Scale deliveries: about as many each time */

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthSubscribers = {
  full: { rounds: 5, subscribers: [1, 5, 10, 50, 100, 500], deliveries: 40_000 },
  quick: { rounds: 2, subscribers: [1, 10, 100], deliveries: 1_000 },
  measure: measureGrowthSubscribers,
}

const LINES = 1
/** Of one subscriber each fire is a round trip. */
const MAX_FIRES = 4_000

/** @param {Scale} scale @returns {Promise<import('./growth.mjs').Panel[]>} */
async function measureGrowthSubscribers({ rounds, subscribers, deliveries }) {
  const server = await startHookline(0)
  const clientIds = trustClients(server.directory, Math.max(...subscribers))
  const request = writeHook(server.directory, `echo ${PRINTED}`)
  const plan = { port: server.port, pid: server.child.pid, clientIds, request, lines: LINES }
  const frames = LINES + 1
  const measure = async (/** @type {number} */ many) => {
    const fires = Math.min(MAX_FIRES, Math.ceil(deliveries / frames / many))
    const { cpuUs } = await measureDelivery({ ...plan, subscribers: many, fires })
    return { 'per fire': cpuUs * many * frames, 'per delivery': cpuUs }
  }
  await measure(subscribers[0])
  const lines = await measureGrowth(rounds, subscribers, measure)
  await server.stop()
  const remark = 'processor time of the server; a delivery is one frame at one subscriber, two for each fire'
  return [{ title: 'a line to subscribers', grows: 'subscribers', unit: 'µs', whole: true, lines, remark }]
}
