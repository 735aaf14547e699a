// What a charting platform's alert adds to a fire: the same process is fired without a body and with the values of three slots, with keys and
// without, in blocks so short that a slow moment of the machine meets them all. Costs are processor time: those of the clock are beside them.
import { randomUUID } from 'node:crypto'
import { applyLoad, COUNTED } from './load.mjs'
import { preciseTimeUs } from './processes.mjs'
import { writeHooksOf } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, verifyFires } from './servers.mjs'

const VALUES = { symbol: 'BTCUSDT', side: 'buy', size: '125.50' }
const SLOTS = '{symbol:in(BTCUSDT,ETHUSDT)} {side:in(buy,sell)} {size:usd<=500}'
const COMMANDS = [`echo ${VALUES.symbol} ${VALUES.side} $${VALUES.size}`, `echo ${SLOTS}`]

/** What is fired, and how much more than a plain fire it may cost. @typedef {{ readonly request: string, readonly claim?: string, readonly atMost?: number }} Kind */

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} fires of each kind, in each round
 * @property {number} connections
 * @property {number} warmUp fires of each kind before the first round
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const alerts = {
  full: { rounds: 60, fires: 2_000, connections: 10, warmUp: 12_000 },
  quick: { rounds: 7, fires: 1_000, connections: 10, warmUp: 3_000 },
  measure: measureAlerts,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureAlerts({ rounds, fires, connections, warmUp }) {
  const server = await startHookline(1)
  await verifyFires(server, 2_000)
  const [plain, slots] = writeHooksOf(server.directory, COMMANDS)
  const kinds = kindsOf(plain, slots)
  /** @param {Kind} kind @param {number} count */
  const fire = async ({ request }, count) => {
    // A key of this block's own; `COUNTED` tells its fires apart.
    const requests = [request.replace(BLOCK, randomUUID())]
    const before = preciseTimeUs(server.child)
    const result = await applyLoad({ port: server.port, requests, connections, count })
    if (result.accepted !== count) throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    const cpuUs = before === undefined ? undefined : ((preciseTimeUs(server.child) ?? before) - before) / count
    const wallUs = 1e6 / result.perSecond
    return { wallUs, cpuUs: cpuUs ?? wallUs }
  }
  for (const kind of Object.values(kinds)) await fire(kind, warmUp)
  const contestants = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, () => fire(kind, fires)]))
  const costs = await interleave(rounds, contestants)
  await server.stop()
  return Object.entries(kinds).flatMap(([name, { claim, atMost }]) =>
    claim === undefined || atMost === undefined ? [] : judgeCost(claim, atMost, costs[name], costs.plain),
  )
}

const BLOCK = '{block}'

/** @param {string} plain @param {string} slots requests that fire @returns {Record<string, Kind>} */
function kindsOf(plain, slots) {
  const pairs = Object.entries(VALUES).map((pair) => pair.join('='))
  return {
    plain: { request: plain },
    body: {
      request: withBody(plain, JSON.stringify(VALUES)),
      claim: 'a fire with a body that is ignored, against one without a body',
      atMost: 1.25,
    },
    json: {
      request: withBody(slots, JSON.stringify(VALUES)),
      claim: 'a fire with three slots, JSON, against one without a body',
      atMost: 1.25,
    },
    pairs: {
      request: withBody(slots, pairs.join(' ')),
      claim: 'a fire with three slots, key=value, against one without a body',
      atMost: 1.25,
    },
    newKey: {
      request: withKey(plain, `${BLOCK}-${COUNTED}`),
      claim: 'a fire with a new Idempotency-Key, against one without',
      atMost: 1.1,
    },
    oldKey: {
      request: withKey(plain, 'the-same-each-time'),
      claim: 'a fire that comes again under its Idempotency-Key, against one without',
      atMost: 1.1,
    },
  }
}

/** @param {string} request @param {string} body of ASCII */
function withBody(request, body) {
  return request.replace('Content-Length: 0', `Content-Length: ${body.length}`) + body
}

/** @param {string} request @param {string} key */
function withKey(request, key) {
  return request.replace('\r\n\r\n', `\r\nIdempotency-Key: ${key}\r\n\r\n`)
}

/** @typedef {{ wallUs: number, cpuUs: number }} Cost */

/** @param {string} claim @param {number} atMost @param {Cost[]} costs @param {Cost[]} plain */
function judgeCost(claim, atMost, costs, plain) {
  /** @param {'wallUs' | 'cpuUs'} key */
  const against = (key) =>
    ratios(
      costs.map((cost) => cost[key]),
      plain.map((cost) => cost[key]),
    )
  /** @param {Cost[]} of @param {'wallUs' | 'cpuUs'} key */
  const figure = (of, key) => median(of.map((cost) => cost[key])).toFixed(1)
  const details = `${figure(costs, 'cpuUs')} µs CPU, ${figure(costs, 'wallUs')} µs on the clock (${against('wallUs').median.toFixed(2)}); without ${figure(plain, 'cpuUs')} µs CPU, ${figure(plain, 'wallUs')} µs on the clock`
  return judge(claim, { atMost }, against('cpuUs'), details)
}
