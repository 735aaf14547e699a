// Runs where the venue's host names lead to the loopback: the stand-in of Binance, hookline and bare ccxt, each in a process of its own, and orders
// by turns. Prints what was measured as one line.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { Binance } from '../../harness/venues/binance/start-binance.ts'
import { PostConnection } from './post-connection.mjs'
import { interleave } from './rounds.mjs'

const IN_A_ROW = 10
const PAUSE_MS = 25
const PORT = 53219
const PATIENCE_MS = 20_000

/** @type {{ rounds: number, warmUps: number, key: string, secret: string, directory: string, hookline: string, bare: string, requests: string[] }} */
const { rounds, warmUps, key, secret, directory, hookline, bare, requests } = JSON.parse(process.argv[2])
const tls = venueCertificate()
if ('missing' in tls) throw new Error(tls.missing)
const venue = await Binance.start({ accounts: [{ key, secret, wallet: '10000000' }], port: 443, tls })
/** When orders came, in ns of the machine's monotonic clock. @type {bigint[]} */
let heard = []
venue.onHeard = ({ route }) => {
  if (route === 'POST /fapi/v1/order') heard.push(process.hrtime.bigint())
}

const env = { ...process.env, ...tls.env, HOOKLINE_DIR: directory, HOOKLINE_CONFIG_DIR: directory }
const ours = spawn(process.execPath, [hookline, 'listen'], { env: { ...env, ...JSON.parse(process.argv[3]) }, stdio: ['ignore', 'pipe', 'inherit'] })
await once(ours.stdout, 'data')
const theirs = fork(bare, [key, secret], { env, execArgv: [] })
await once(theirs, 'message')

const [buy, sell, row] = await Promise.all(requests.map((request) => PostConnection.open(PORT, request)))

/** @param {number} count */
async function comes(count) {
  const until = performance.now() + PATIENCE_MS
  while (heard.length < count) {
    if (performance.now() > until) throw new Error(`${heard.length} of ${count} orders came`)
    await sleep(1)
  }
  await sleep(PAUSE_MS)
  const times = heard
  heard = []
  return times
}

const usBetween = (/** @type {bigint} */ from, /** @type {bigint} */ to) => Number(to - from) / 1_000

/** From the POST to the order at the venue, twice: bought and sold. */
async function fire() {
  const times = []
  for (const hook of [buy, sell]) {
    const beganAt = process.hrtime.bigint()
    await hook.post()
    const [at] = await comes(1)
    times.push(usBetween(beganAt, at))
  }
  return times
}

/** @param {readonly string[]} sides @returns {Promise<{ beganAt: bigint, endedAt: bigint }>} */
async function call(sides) {
  const answer = once(theirs, 'message')
  theirs.send(sides)
  const [{ beganAt, endedAt }] = await answer
  return { beganAt: BigInt(beganAt), endedAt: BigInt(endedAt) }
}

async function create() {
  const times = []
  for (const side of ['buy', 'sell']) {
    const { beganAt } = await call([side])
    const [at] = await comes(1)
    times.push(usBetween(beganAt, at))
  }
  return times
}

const span = (/** @type {bigint[]} */ times) => [usBetween(times[0], times[times.length - 1])]

async function fireRow() {
  await row.post()
  return span(await comes(IN_A_ROW))
}

async function createRow() {
  await call(Array.from({ length: IN_A_ROW }, (_, index) => (index % 2 === 0 ? 'buy' : 'sell')))
  return span(await comes(IN_A_ROW))
}

const contestants = { fire, create, fireRow, createRow }
await interleave(warmUps, contestants)
const results = await interleave(rounds, contestants)
const unexpected = venue.unexpected
ours.kill()
theirs.kill()
await venue.close()
if (unexpected.length > 0) throw new Error(`the venue was asked for ${unexpected.join(', ')}`)
console.log(JSON.stringify(results))
process.exit()
