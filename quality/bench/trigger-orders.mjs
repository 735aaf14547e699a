// Runs where the venue's host names lead to the loopback: the stand-in of Binance, and hookline with hooks of its own conditions on closed bars,
// under a clock that goes faster: a minute is there in seconds. Prints as JSON when each order came after the venue had answered with the bar
// that fires it, in ms of the true clock, and the processor time of a minute.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { Binance } from '../../harness/venues/binance/start-binance.ts'
import { listMore } from '../../harness/venues/binance/symbols.ts'
import { orderIdPrefix } from '../../src/trading/order-plan.ts'
import { goInside } from './own-venue-names.mjs'
import { preciseTimeUs } from './processes.mjs'

const MINUTE_MS = 60_000
/** Of the clock of hookline and of the venue. */
const RATE = 6
/** Of each symbol's bars, one in so many fires. */
const ONE_IN = 25
const PATIENCE_MS = 30_000
/** What the first bar brings with it, the connection and its streams, is not measured. */
const WARM_UP = 1

goInside()

/** @type {{ directory: string, key: string, secret: string, symbols: string[], hooksOfSymbol: number, minutes: number, from: number, command: string[], hookline: string, env: Record<string, string> }} */
const { directory, key, secret, symbols, hooksOfSymbol, minutes, from, command, hookline, env } = JSON.parse(
  process.argv[2],
)
const tls = venueCertificate()
if ('missing' in tls) throw new Error(tls.missing)
listMore(symbols)
const venue = await Binance.start({ accounts: [{ key, secret, wallet: '10000000' }], port: 443, tls })
const now = () => from + (Date.now() - from) * RATE
const following = setInterval(() => {
  venue.clockOffsetMs = now() - Date.now()
}, 1)

/** Each symbol's price streams several times a second, as at a venue. */
const streaming = setInterval(() => {
  for (const symbol of symbols) venue.streams.tellPrice(symbol)
}, 500 / RATE)

/** The first minute that is measured, counted from the epoch; each later one has its number. */
let first = Number.POSITIVE_INFINITY
/** @param {string} symbol @param {number} closedAt */
function isHigh(symbol, closedAt) {
  const minute = closedAt / MINUTE_MS - 1
  return minute < first + minutes && (minute + symbols.indexOf(symbol)) % ONE_IN === 0
}
venue.engine.closeOf = (symbol, closedAt) => (isHigh(symbol, closedAt) ? '120' : '90')

/** When the venue first answered with a bar that closed then. @type {Map<string, bigint>} */
const answeredAt = new Map()
/** @type {{ symbol: string, id: string, at: bigint }[]} */
const orders = []
venue.onHeard = ({ route, params }) => {
  const { symbol = '' } = params
  if (route === 'GET /fapi/v1/klines') {
    const bar = `${symbol} ${Math.floor(now() / MINUTE_MS) * MINUTE_MS}`
    if (!answeredAt.has(bar)) answeredAt.set(bar, process.hrtime.bigint())
  }
  if (route === 'POST /fapi/v1/order') {
    orders.push({ symbol, id: params.newClientOrderId ?? '', at: process.hrtime.bigint() })
  }
}

const ours = spawn(command[0], [...command.slice(1), `${RATE}@${from}`, hookline, 'listen'], {
  env: { ...env, ...tls.env },
  stdio: ['ignore', 'pipe', 'inherit'],
})
process.on('exit', () => ours.kill())
await once(/** @type {import('node:stream').Readable} */ (ours.stdout), 'data')
// All of them have been judged once.
await until(() => symbols.every((symbol) => [...answeredAt.keys()].some((bar) => bar.startsWith(`${symbol} `))))
first = Math.floor(now() / MINUTE_MS) + WARM_UP
const due = symbols
  .flatMap((symbol) => Array.from({ length: minutes }, (_, minute) => isHigh(symbol, (first + minute + 1) * MINUTE_MS)))
  .filter(Boolean).length
// What the bar before fires has come by then.
await until(() => now() > (first + 0.5) * MINUTE_MS, (WARM_UP + 2) * MINUTE_MS)
const before = { orders: orders.length, cpuUs: preciseTimeUs(ours) ?? 0, at: now() }
await until(() => orders.length - before.orders >= due * hooksOfSymbol, (minutes + 2) * MINUTE_MS)
const cpuMs = ((preciseTimeUs(ours) ?? 0) - before.cpuUs) / 1_000 / ((now() - before.at) / MINUTE_MS)
if (ours.exitCode === null && ours.kill()) await once(ours, 'exit')
clearInterval(following)
clearInterval(streaming)
const { unexpected } = venue
await venue.close()
if (unexpected.length > 0) throw new Error(`the venue was asked for ${unexpected.join(', ')}`)

const lines = readFileSync(join(directory, 'triggers.jsonl'), 'utf8').trim().split('\n')
/** When the bar closed that fired a run, by the run's part of the order's id. @type {Map<string, number>} */
const firedBy = new Map()
for (const line of lines) {
  const { t, at, run } = JSON.parse(line)
  if (t === 'edge' && run !== undefined) firedBy.set(orderIdPrefix(run), at)
}
/** @type {number[]} */
const times = []
for (const { symbol, id, at } of orders) {
  const closedAt = [...firedBy].find(([run]) => id.includes(run))?.[1] ?? Number.NaN
  const minute = closedAt / MINUTE_MS - 1
  const from = answeredAt.get(`${symbol} ${closedAt}`)
  if (from === undefined) throw new Error(`no bar of ${symbol} was asked for that fires ${id}`)
  if (minute >= first) times.push(Number(at - from) / 1e6)
}
if (times.length !== due * hooksOfSymbol) throw new Error(`${times.length} of ${due * hooksOfSymbol} orders came`)
console.log(JSON.stringify({ times, cpuMs }))
process.exit()

/** @param {() => boolean} isSo @param {number} [patienceMs] of the fast clock */
async function until(isSo, patienceMs = PATIENCE_MS * RATE) {
  const end = now() + patienceMs
  while (!isSo()) {
    if (now() > end) throw new Error(`not so within ${patienceMs / RATE} ms`)
    await sleep(5)
  }
}
