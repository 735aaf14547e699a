// Runs where the venue's host names lead to the loopback: the stand-in of Binance, hookline and bare ccxt, each in a process of its own, and orders
// by turns, at once, after a quiet while, and over a slow wire. Prints what was measured as one line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { Binance } from '../../harness/venues/binance/start-binance.ts'
import { goInside } from './own-venue-names.mjs'
import { PostConnection } from './post-connection.mjs'
import { interleave } from './rounds.mjs'
import { SlowLoopback } from './slow-loopback.mjs'

const IN_A_ROW = 10
/** What an order has changed is read again behind it meanwhile; ten in a row do not wait for that. */
const PAUSE_MS = 100
const PORT = 53219
const RELAY_PORT = 53218
const PATIENCE_MS = 20_000
const DELAY_MS = 50
/** Where the stand-in is; the venue's own port is the wire's. */
const BEHIND_PORT = 4430

goInside()

/** @type {{ rounds: number, warmUps: number, slowRounds: number, quiets: number, quietMs: number, key: string, secret: string, relayJournal: string, hookline: string, bare: string, onServers: string[], requests: string[], env: Record<string, string> }} */
const {
  rounds,
  warmUps,
  slowRounds,
  quiets,
  quietMs,
  key,
  secret,
  relayJournal,
  hookline,
  bare,
  onServers,
  requests,
  env,
} = JSON.parse(process.argv[2])
const tls = venueCertificate()
if ('missing' in tls) throw new Error(tls.missing)
const { env: trust } = tls
const venue = await Binance.start({ accounts: [{ key, secret, wallet: '10000000' }], port: BEHIND_PORT, tls })
const wire = await SlowLoopback.listen(443, BEHIND_PORT)
/** When orders came, in ns of the machine's monotonic clock. @type {bigint[]} */
let heard = []
/** How many questions have come since the last order. */
let questions = 0
venue.onHeard = ({ route }) => {
  if (route === 'POST /fapi/v1/order') heard.push(process.hrtime.bigint())
  else if (heard.length === 0) questions += 1
}

/** @param {string[]} command @param {Record<string, string | undefined>} env @param {import('node:child_process').StdioOptions} stdio */
function start(command, env, stdio) {
  const [file = '', ...args] = [...onServers, process.execPath, ...command]
  return spawn(file, args, { env: { ...env, ...trust }, stdio })
}

const ours = start([hookline, 'listen'], env, ['ignore', 'pipe', 'inherit'])
await once(/** @type {import('node:stream').Readable} */ (ours.stdout), 'data')
const theirs = start([bare, key, secret, String(RELAY_PORT), relayJournal], process.env, [
  'ignore',
  'inherit',
  'inherit',
  'ipc',
])
process.on('exit', () => {
  ours.kill()
  theirs.kill()
})
await once(theirs, 'message')

const [buy = '', sell = '', row = '', buys = '', sellAll = ''] = requests

/** On a connection of its own, opened before: an idle one would be closed meanwhile. @param {string} request @returns when it was sent */
async function post(request, port = PORT) {
  const connection = await PostConnection.open(port, request)
  const beganAt = process.hrtime.bigint()
  await connection.post()
  connection.close()
  return beganAt
}

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

/** From the POST to the order at the venue, in µs, and how many questions came before it. @param {string} hook */
async function fireOne(hook) {
  questions = 0
  const beganAt = await post(hook)
  const [at] = await comes(1)
  return { us: usBetween(beganAt, at), questions }
}

/** @param {'buy' | 'sell'} side */
async function relayOne(side) {
  const beganAt = await post(`POST /${side} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`, RELAY_PORT)
  const [at] = await comes(1)
  return usBetween(beganAt, at)
}

async function relay() {
  return { bought: await relayOne('buy'), sold: await relayOne('sell') }
}

/** Bought, and sold against what is held. */
async function fire() {
  const bought = await fireOne(buy)
  const sold = await fireOne(sell)
  return { bought: bought.us, sold: sold.us, before: bought.questions, beforeSold: sold.questions }
}

/** @param {readonly string[]} sides @returns {Promise<{ beganAt: bigint, endedAt: bigint }>} */
async function call(sides) {
  const answer = once(theirs, 'message')
  theirs.send(sides)
  const [{ beganAt, endedAt }] = await answer
  return { beganAt: BigInt(beganAt), endedAt: BigInt(endedAt) }
}

/** @param {'buy' | 'sell'} side */
async function createOne(side) {
  const { beganAt } = await call([side])
  const [at] = await comes(1)
  return usBetween(beganAt, at)
}

async function create() {
  return { bought: await createOne('buy'), sold: await createOne('sell') }
}

const span = (/** @type {bigint[]} */ times) => usBetween(times[0], times[times.length - 1])

async function fireRow() {
  await post(row)
  return span(await comes(IN_A_ROW))
}

/** Ten that add, and one that ends them. */
async function fireBuys() {
  await post(buys)
  const times = await comes(IN_A_ROW)
  await post(sellAll)
  await comes(1)
  return span(times)
}

async function createBuys() {
  await call(Array.from({ length: IN_A_ROW }, () => 'buy'))
  const times = await comes(IN_A_ROW)
  await call(Array.from({ length: IN_A_ROW }, () => 'sell'))
  await comes(IN_A_ROW)
  return span(times)
}

async function createRow() {
  await call(Array.from({ length: IN_A_ROW }, (_, index) => (index % 2 === 0 ? 'buy' : 'sell')))
  return span(await comes(IN_A_ROW))
}

/** @type {Record<string, () => Promise<unknown>>} */
const contestants = { fire, create, relay, fireRow, createRow, fireBuys, createBuys }
await interleave(warmUps, contestants)
const atOnce = await interleave(rounds, contestants)

wire.delayMs = DELAY_MS
const slow = await interleave(slowRounds, { fire, create })
wire.delayMs = 0

/** @type {{ fire: Awaited<ReturnType<typeof fire>>[], create: Awaited<ReturnType<typeof create>>[] }} */
const quiet = { fire: [], create: [] }
for (let count = 0; count < quiets; count += 1) {
  await sleep(quietMs)
  // Both were quiet: who comes second has no second more of it than it takes the first.
  if (count % 2 === 0) quiet.fire.push(await fire())
  quiet.create.push(await create())
  if (count % 2 === 1) quiet.fire.push(await fire())
}

// Its files are removed when this has ended.
if (ours.exitCode === null && ours.kill()) await once(ours, 'exit')
const unexpected = venue.unexpected
wire.close()
await venue.close()
if (unexpected.length > 0) throw new Error(`the venue was asked for ${unexpected.join(', ')}`)
console.log(JSON.stringify({ ...atOnce, slow, quiet }))
process.exit()
