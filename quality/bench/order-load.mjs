// Fires hooks that order, in a process of its own, and looks for each order in the journal as it comes.
import { setTimeout as sleep } from 'node:timers/promises'
import { JournalTail } from './journal-tail.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'

/** The first characters of an order's id are those of the run that ordered it. */
const RUN_PART = 24
/** How long no order may come into the journal while some are on their way to it. */
const PATIENCE_MS = 10_000

/**
 * @typedef {object} OrderPlan
 * @property {number} port
 * @property {string[]} requests each connection repeats one of them
 * @property {string} journal the path of `orders.jsonl`
 * @property {number} connections
 * @property {number} underWay orders that are fired and not yet in the journal, at most
 * @property {number} durationMs what is measured, after a quarter of it to warm up
 *
 * @typedef {object} OrderLoad
 * @property {string[]} runIds of all fires: each was answered 200, and the journal has its order as placed
 * @property {number} perSecond orders that came there in the measured time
 * @property {number} p50Us from a POST to that
 * @property {number} p99Us
 */

/** Runs a plan in another process. @param {OrderPlan} plan @returns {Promise<OrderLoad>} */
export function applyOrders(plan) {
  return runLoad(import.meta.url, plan)
}

/** @param {string} runId @returns {string} what the ids of its orders begin with */
export function runPartOf(runId) {
  return runId.replaceAll('-', '').slice(0, RUN_PART)
}

/** Which of a load's orders are under way. */
class Orders {
  /** @type {string[]} */
  runIds = []
  /** Of each order from its POST to the journal: when that was, and how long it took, in ms. @type {{ at: number, ms: number }[]} */
  placed = []
  #fired = 0
  #limit
  /** When the runs were fired that have been answered, by their part of the order's id. @type {Map<string, number>} */
  #firedAt = new Map()
  /** Placed before the answer to the fire was read. @type {Map<string, number>} */
  #placedAt = new Map()
  /** Connections that wait for an order to be placed. @type {(() => void)[]} */
  #waiting = []

  /** @param {number} limit of orders under way */
  constructor(limit) {
    this.#limit = limit
  }

  get underWay() {
    return this.#fired - this.placed.length
  }

  /** Resolves when one more may be fired. */
  async hasRoom() {
    while (this.underWay >= this.#limit) await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)))
  }

  fired() {
    this.#fired++
  }

  /** @param {string} runId @param {number} firedAt */
  answered(runId, firedAt) {
    this.runIds.push(runId)
    const run = runPartOf(runId)
    const at = this.#placedAt.get(run)
    if (at === undefined) this.#firedAt.set(run, firedAt)
    else this.placed.push({ at, ms: at - firedAt })
    this.#placedAt.delete(run)
  }

  /** @param {string} id of an order that the journal has as placed @param {number} at */
  isPlaced(id, at) {
    const run = id.slice(0, RUN_PART)
    const firedAt = this.#firedAt.get(run)
    if (firedAt === undefined) this.#placedAt.set(run, at)
    else this.placed.push({ at, ms: at - firedAt })
    this.#firedAt.delete(run)
    this.#waiting.shift()?.()
  }
}

/** @param {OrderPlan} plan @returns {Promise<OrderLoad>} */
async function fireOrders({ port, requests, journal, connections, underWay, durationMs }) {
  const orders = new Orders(underWay)
  const tail = new JournalTail(journal)
  const measureFrom = performance.now() + durationMs / 4
  const measureTo = measureFrom + durationMs
  const firing = Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const connection = await PostConnection.open(port, requests[index % requests.length])
      while (true) {
        await orders.hasRoom()
        const firedAt = performance.now()
        // Asked only now: nothing may be fired once the journal is no longer followed.
        if (firedAt >= measureTo) break
        orders.fired()
        orders.answered(JSON.parse(await connection.post()).runId, firedAt)
      }
      connection.close()
    }),
  )
  await Promise.all([firing, follow(tail, orders, measureTo)])
  const times = orders.placed.filter(({ at }) => at >= measureFrom && at < measureTo).map(({ ms }) => ms)
  times.sort((a, b) => a - b)
  const percentile = (/** @type {number} */ share) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 1_000)
  return {
    runIds: orders.runIds,
    perSecond: (times.length * 1_000) / durationMs,
    p50Us: percentile(0.5),
    p99Us: percentile(0.99),
  }
}

/** Until time is up and nothing is under way. @param {JournalTail} tail @param {Orders} orders @param {number} until */
async function follow(tail, orders, until) {
  let lastAt = performance.now()
  while (performance.now() < until || orders.underWay > 0) {
    await sleep(1)
    const now = performance.now()
    const placed = tail.read().filter((line) => line.includes('"outcome":"placed"'))
    for (const line of placed) orders.isPlaced(JSON.parse(line).id, now)
    if (placed.length > 0) lastAt = now
    if (now - lastAt > PATIENCE_MS) throw new Error(`${orders.underWay} orders did not come into the journal`)
  }
  tail.close()
}

await serveLoad(import.meta.url, fireOrders)
