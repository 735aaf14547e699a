// What others have of a console for many while one person, or one stranger, asks for all that can be asked: the same requests of the same people, alone
// and beside the flood, round by round. The built server and a real PostgreSQL.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostgres } from '../../harness/process/debian-postgres.mjs'
import { PORT, PUBLIC_URL, startHosted } from './hosted-console.mjs'
import { at } from './hosting.mjs'
import { LOAD_CORE, lastLineOf, startProcess } from './processes.mjs'
import { interleave, judge, ratios, skip } from './rounds.mjs'

const WANTED = { atMost: 3 }
const SHARED =
  'one thread and one database answer all: what one asker has under way is bounded, and what it costs until it is refused is not nothing'
/** So many that none comes to the pace of one person. */
const OTHERS = 24
const BROWSERS = 20
/** Of one stretch of samples, where they take long. */
const LONGEST_MS = 8_000
const FLOOD = fileURLToPath(new URL('neighbour-flood.mjs', import.meta.url))
const HOST = new URL(PUBLIC_URL).host

/** @param {string} what @param {string} worst */
const claimOf = (what, worst) => `p99 of another person's ${what} beside ${worst}, against the same alone`

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} samples of each kind in each round
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const neighbours = {
  full: { rounds: 9, samples: 200 },
  quick: { rounds: 3, samples: 50 },
  measure: measureNeighbours,
}

const WHAT = { page: 'page', change: 'change of the settings' }

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureNeighbours({ rounds, samples }) {
  const found = await findPostgres()
  if ('missing' in found)
    return Object.values(WHAT).map((what) => skip(claimOf(what, 'one person'), WANTED, found.missing))
  const { databaseUrl, stop } = await startHosted(found)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const [worst, ...others] = await signIn(pool, 1 + OTHERS)
  await pool.end()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (count = samples) => delaysOf(agent, others, count)
  const floods = floodsOf(worst)
  const beside = (/** @type {string} */ name) => async () => {
    const flood = startProcess([process.execPath, FLOOD], { core: LOAD_CORE, stdin: 'pipe' })
    flood.stdin.end(JSON.stringify(floods[name]))
    await once(flood.stdout, 'data')
    const said = lastLineOf(flood)
    await ask(5)
    const got = await ask()
    flood.kill('SIGTERM')
    return { ...got, answers: await said }
  }
  await ask(OTHERS)
  /** @type {Record<string, () => Promise<Sampled>>} */
  const contestants = { alone: async () => ({ ...(await ask()), answers: '' }) }
  for (const name of Object.keys(floods)) contestants[name] = beside(name)
  const results = await interleave(rounds, contestants)
  agent.destroy()
  await stop()
  return Object.keys(floods).flatMap((name) =>
    /** @type {('page' | 'change')[]} */ (['page', 'change']).map((what) => {
      const p99 = (/** @type {Sampled[]} */ of) => of.map((each) => at(each[what], 0.99))
      const figures = (/** @type {Sampled[]} */ of) => {
        const all = of.flatMap((each) => each[what])
        return `p50 ${at(all, 0.5).toFixed(2)} ms, p99 ${at(all, 0.99).toFixed(2)} ms`
      }
      const details = `beside: ${figures(results[name])}; alone: ${figures(results.alone)}; answers to the flood in the last round: ${results[name].at(-1)?.answers}`
      return judge(claimOf(WHAT[what], name), WANTED, ratios(p99(results[name]), p99(results.alone)), details, SHARED)
    }),
  )
}

/** @typedef {{ page: number[], change: number[], answers: string }} Sampled */
/** @typedef {{ address: string, cookies: string[] }} Person */

/** As after signing in: each in so many browsers. @param {pg.Pool} pool @param {number} count @returns {Promise<Person[]>} */
async function signIn(pool, count) {
  const people = []
  for (let index = 0; index < count; index++) {
    const { rows } = await pool.query(
      "INSERT INTO users (issuer, subject, email) VALUES ('https://id.example', $1, $1 || '@example.test') RETURNING id",
      [`person-${index}`],
    )
    const cookies = []
    for (let browser = 0; browser < BROWSERS; browser++) {
      const token = randomBytes(32).toString('base64url')
      const hash = createHash('sha256').update(token).digest()
      await pool.query("INSERT INTO sessions (token_hash, user_id, label) VALUES ($1, $2, 'bench')", [hash, rows[0].id])
      cookies.push(`hookline-session=${token}`)
    }
    people.push({ address: `10.0.0.${index + 1}`, cookies })
  }
  return people
}

const devices = (/** @type {number} */ count) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`device-${index}`, randomUUID()]))

/** @param {string} method @param {string} path @param {Record<string, string>} headers @param {string} [body] */
function bytesOf(method, path, headers, body) {
  const length = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const lines = Object.entries({ Host: HOST, 'Sec-Fetch-Site': 'same-origin', ...headers, ...length })
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`
}

/** @param {Person} worst @returns {Record<string, import('./neighbour-flood.mjs').Flood>} */
function floodsOf({ cookies }) {
  const change = JSON.stringify({ trustedListenerIds: devices(32) })
  const layout = JSON.stringify('x'.repeat(8_000))
  const many = (/** @type {(index: number) => string} */ make) => Array.from({ length: 200 }, (_, index) => make(index))
  const from = (/** @type {number} */ index) => ({
    'X-Forwarded-For': `10.1.${index >> 8}.${index & 255}`,
    Cookie: cookies[index % cookies.length],
  })
  const one = { 'X-Forwarded-For': '10.2.0.1', Cookie: cookies[0] }
  return {
    'pipelined changes from one address': {
      port: PORT,
      connections: 64,
      depth: 16,
      requests: [bytesOf('PATCH', '/api/settings', one, change)],
    },
    'changes from 20 browsers at 200 addresses': {
      port: PORT,
      connections: 200,
      depth: 4,
      requests: many((index) => bytesOf('PATCH', '/api/settings', from(index), change)),
    },
    'large bodies from 200 addresses': {
      port: PORT,
      connections: 200,
      depth: 4,
      requests: many((index) => bytesOf('PUT', `/api/layouts/l${index % 16}`, from(index), layout)),
    },
    'attempts to sign in from 200 addresses': {
      port: PORT,
      connections: 200,
      depth: 4,
      requests: many((index) => bytesOf('GET', '/auth/sign-in', { ...from(index), Cookie: 'a=b' })),
    },
  }
}

/** One after the other, another person each time. @param {Agent} agent @param {Person[]} others @param {number} samples @returns {Promise<{ page: number[], change: number[] }>} */
async function delaysOf(agent, others, samples) {
  /** @type {{ page: number[], change: number[] }} */
  const taken = { page: [], change: [] }
  const until = performance.now() + LONGEST_MS
  for (let index = 0; index < samples && performance.now() < until; index++) {
    const { address, cookies } = others[index % others.length]
    const headers = { 'X-Forwarded-For': address, Cookie: cookies[0], 'Sec-Fetch-Site': 'same-origin' }
    taken.page.push(await timed(agent, '/trade', { headers }))
    const body = JSON.stringify({ trustedListenerIds: { [`device-${index % 8}`]: randomUUID() } })
    const json = { 'Content-Type': 'application/json', 'Content-Length': body.length }
    taken.change.push(await timed(agent, '/api/settings', { method: 'PATCH', headers: { ...headers, ...json } }, body))
  }
  return taken
}

/** @param {Agent} agent @param {string} path @param {import('node:http').RequestOptions} options @param {string} [body] @returns {Promise<number>} ms */
function timed(agent, path, options, body) {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sending = request(`${PUBLIC_URL}${path}`, { agent, ...options }, (answer) => {
      answer.resume()
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - began)
        else reject(new Error(`${path} was answered with ${answer.statusCode}`))
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
