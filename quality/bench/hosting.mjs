// A check-in at a console for many: 10,000 users with three machines each in a real PostgreSQL, the built server, and tokens that it has to verify.
// Beside it, in turn, the same database answers a bare `SELECT 1`, and one row written by itself.
import { Agent, request } from 'node:http'
import pg from 'pg'
import { findPostgres } from '../../harness/process/debian-postgres.mjs'
import { PUBLIC_URL, startHosted } from './hosted-console.mjs'
import { interleave, judge, skip, spreadOf } from './rounds.mjs'

const MACHINES = 3
const WANTED = { atMost: 20 }
/** @param {number} users */
const claimOf = (users) =>
  `p99 in ms of a signed-in check-in at a console for many, ${users.toLocaleString('en')} users with ${MACHINES} machines each`

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} users
 * @property {number} checkIns in each round
 * @property {number} connections
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const hosting = {
  full: { rounds: 15, users: 10_000, checkIns: 1_000, connections: 4 },
  quick: { rounds: 3, users: 10_000, checkIns: 200, connections: 4 },
  measure: measureHosting,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureHosting({ rounds, users, checkIns, connections }) {
  const found = await findPostgres()
  if ('missing' in found) return [skip(claimOf(users), WANTED, found.missing)]
  const { issuer, databaseUrl, stop } = await startHosted(found)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  const machines = await fill(pool, issuer.url, users)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let turn = 0
  const next = (/** @type {number} */ below) => {
    turn += 7_919
    return turn % below
  }
  // Signed beforehand: that is the sign-in service's work.
  const checkInAll = () => {
    const calls = Array.from({ length: checkIns + connections }, () => {
      const { subject, listenerId } = machines[next(machines.length)]
      return { token: issuer.token(subject), body: { platform: 'linux', listenerId, version: '1.0.0' } }
    })
    return delays(checkIns, connections, () => {
      const { token, body } = /** @type {typeof calls[number]} */ (calls.pop())
      return post(agent, token, body)
    })
  }
  const write = () => pool.query('UPDATE bench SET at = now() WHERE id = $1', [next(users)])
  await checkInAll()
  const { ours, bare, written } = await interleave(rounds, {
    ours: checkInAll,
    bare: () => delays(checkIns, connections, () => pool.query('SELECT 1')),
    written: () => delays(checkIns, connections, write),
  })
  await pool.end()
  await stop()
  const figures = (/** @type {number[][]} */ of) =>
    `p50 ${at(of.flat(), 0.5).toFixed(2)} ms, p99 ${at(of.flat(), 0.99).toFixed(2)} ms`
  const details = `${figures(ours)}; SELECT 1: ${figures(bare)}; one row written: ${figures(written)}; ${connections} at once`
  return [judge(claimOf(users), WANTED, spreadOf(ours.map((each) => at(each, 0.99))), details)]
}

/** @param {pg.Pool} pool @param {string} issuer @param {number} users */
async function fill(pool, issuer, users) {
  await pool.query(
    `INSERT INTO users (issuer, subject, email) SELECT $1, 'user-' || n, 'user-' || n || '@example.test' FROM generate_series(1, $2::int) n`,
    [issuer, users],
  )
  await pool.query(
    `INSERT INTO machines (user_id, listener_id, platform, version)
     SELECT id, gen_random_uuid(), 'linux', '1.0.0' FROM users, generate_series(1, $1::int)`,
    [MACHINES],
  )
  await pool.query('CREATE TABLE bench AS SELECT n AS id, now() AS at FROM generate_series(0, $1::int - 1) n', [users])
  await pool.query('CREATE UNIQUE INDEX ON bench (id)')
  await pool.query('ANALYZE')
  const { rows } = await pool.query(
    'SELECT subject, listener_id AS "listenerId" FROM machines JOIN users ON users.id = user_id',
  )
  return /** @type {{ subject: string, listenerId: string }[]} */ (rows)
}

/** From an address of its own: one that asks as often as this would have to wait. */
let addresses = 0

/** @param {Agent} agent @param {string} token @param {object} value @returns {Promise<void>} */
function post(agent, token, value) {
  const body = JSON.stringify(value)
  const address = ++addresses
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Forwarded-For': `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`,
  }
  return new Promise((resolve, reject) => {
    const sending = request(`${PUBLIC_URL}/api/cli/checkin`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => {
        if (answer.statusCode === 204) resolve()
        else reject(new Error(`a check-in was answered with ${answer.statusCode}`))
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** @param {number} count @param {number} many at once @param {() => Promise<unknown>} ask @returns {Promise<number[]>} ms, sorted */
async function delays(count, many, ask) {
  /** @type {number[]} */
  const taken = []
  const one = async () => {
    while (taken.length < count) {
      const from = performance.now()
      await ask()
      taken.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: many }, one))
  return taken.toSorted((a, b) => a - b)
}

/** @param {number[]} values @param {number} part */
export function at(values, part) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}
