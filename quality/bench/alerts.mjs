// What a charting platform's alert adds to a fire: the same process is fired without a body and with the values of three slots, with keys and
// without, in blocks so short that a slow moment of the machine meets them all. Judged is processor time; that on the clock stands beside it.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyLoad, COUNTED } from './load.mjs'
import { preciseTimeUs } from './processes.mjs'
import { writeHookRows } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, verifyFires } from './servers.mjs'

const VALUES = { symbol: 'BTCUSDT', side: 'buy', size: '125.50' }
const PAIRS = Object.entries(VALUES).map((pair) => pair.join('='))
const PLAIN = `echo ${VALUES.symbol} ${VALUES.side} $${VALUES.size}`
const SLOTS = 'echo {symbol:in(BTCUSDT,ETHUSDT)} {side:in(buy,sell)} {size:usd<=500}'
/** What lets every fire of the bench run, and has to be looked at for each: of one hook so many may begin in a second. */
const LIMITS = { rate: { fires: 200, ms: 1_000 }, max: '500', window: { from: '0000', to: '2400' } }
/** So that no machine fires one of them more often than that. */
const LIMITED = 100

/**
 * What is fired.
 * @typedef {object} Kind
 * @property {readonly string[]} requests
 * @property {string} [claim] what is said of it against another kind
 * @property {string} [base] the other kind
 * @property {number} [atMost] how much more it may cost
 */

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} fires of each kind, in each round
 * @property {number} connections
 * @property {number} warmUp fires of each kind before the first round
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const alerts = {
  full: { rounds: 120, fires: 1_000, connections: 10, warmUp: 12_000 },
  quick: { rounds: 7, fires: 1_000, connections: 10, warmUp: 3_000 },
  measure: measureAlerts,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureAlerts({ rounds, fires, connections, warmUp }) {
  const server = await startHookline(1)
  await verifyFires(server, 2_000)
  const kinds = kindsOf(server.directory)
  /** @param {Kind} kind @param {number} count */
  const fire = async (kind, count) => {
    // Keys of this block's own; `COUNTED` tells its fires apart.
    const block = randomUUID()
    const requests = kind.requests.map((request) => request.replace(BLOCK, block))
    const before = preciseTimeUs(server.child)
    const result = await applyLoad({ port: server.port, requests, connections, count })
    if (result.accepted !== count) throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    const cpuUs = before === undefined ? undefined : ((preciseTimeUs(server.child) ?? before) - before) / count
    const wallUs = 1e6 / result.perSecond
    return { wallUs, cpuUs: cpuUs ?? wallUs }
  }
  for (const kind of Object.values(kinds)) await fire(kind, warmUp)
  const costs = await interleave(
    rounds,
    Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, () => fire(kind, fires)])),
  )
  requireAllRan(server.directory)
  await server.stop()
  return Object.entries(kinds).flatMap(([name, { claim, base, atMost }]) =>
    claim === undefined || base === undefined || atMost === undefined
      ? []
      : judgeCost(claim, atMost, costs[name], costs[base]),
  )
}

/** A fire that a limit stops is answered as one that runs, and costs less. @param {string} directory of hookline */
function requireAllRan(directory) {
  if (!readFileSync(join(directory, 'runs.jsonl'), 'utf8').includes('"unbegun"')) return
  throw new Error('limits have stopped fires: the figures would mean nothing')
}

const BLOCK = '{block}'

/** @param {string} directory of hookline @returns {Record<string, Kind>} */
function kindsOf(directory) {
  const [plain, slots, ...others] = writeHookRows(directory, [
    { command: PLAIN },
    { command: SLOTS },
    ...Array.from({ length: LIMITED }, () => ({ command: PLAIN })),
    ...Array.from({ length: LIMITED }, () => ({ command: PLAIN, limits: LIMITS })),
  ])
  const json = JSON.stringify(VALUES)
  const newKey = `${BLOCK}-${COUNTED}`
  const [without, slot] = ['against one without a body', 'a fire with three slots']
  return {
    plain: { requests: [plain] },
    body: {
      requests: [withBody(plain, json)],
      claim: `a fire with a body that is ignored, ${without}`,
      base: 'plain',
      atMost: 1.1,
    },
    json: { requests: [withBody(slots, json)], claim: `${slot}, JSON, ${without}`, base: 'plain', atMost: 1.25 },
    pairs: {
      requests: [withBody(slots, PAIRS.join(' '))],
      claim: `${slot}, key=value, ${without}`,
      base: 'plain',
      atMost: 1.25,
    },
    newKey: {
      requests: [withKey(plain, newKey)],
      claim: 'a fire with a new Idempotency-Key, against one without',
      base: 'plain',
      atMost: 1.1,
    },
    oldKey: {
      requests: [withKey(plain, 'the-same-each-time')],
      claim: 'a fire that comes again under its key, against one without',
      base: 'plain',
      atMost: 1.1,
    },
    many: { requests: others.slice(0, LIMITED) },
    limits: {
      requests: others.slice(LIMITED).map((request) => withKey(request, newKey)),
      claim: 'a fire with a new key and limits that let it run, against one without',
      base: 'many',
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

/** @param {string} claim @param {number} atMost @param {Cost[]} costs @param {Cost[]} base */
function judgeCost(claim, atMost, costs, base) {
  /** @param {'wallUs' | 'cpuUs'} key */
  const against = (key) =>
    ratios(
      costs.map((cost) => cost[key]),
      base.map((cost) => cost[key]),
    )
  /** @param {Cost[]} of @param {'wallUs' | 'cpuUs'} key */
  const figure = (of, key) => median(of.map((cost) => cost[key])).toFixed(1)
  const details = `${figure(costs, 'cpuUs')} µs CPU, ${figure(costs, 'wallUs')} µs on the clock (${against('wallUs').median.toFixed(2)}); without ${figure(base, 'cpuUs')} µs CPU, ${figure(base, 'wallUs')} µs on the clock`
  return judge(claim, { atMost }, against('cpuUs'), details)
}
