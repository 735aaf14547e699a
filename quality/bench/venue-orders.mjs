// Orders to a venue through hookline against bare ccxt, at the same stand-in in the same run: from the POST, or the call, to the order's arrival;
// and ten in a row. Where the machine has no network namespaces there is nothing to measure.
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { bundle } from './bundle.mjs'
import { LOAD_CORE, lastLineOf, pinned, SERVER_CORES, startProcess } from './processes.mjs'
import { writeHooksOf } from './registry.mjs'
import { judge, median, ratios, skip, spreadOf } from './rounds.mjs'
import { HOOKLINE, temporaryDirectory } from './servers.mjs'

/** Where a program finds ccxt beside it. */
const PROGRAMS = resolve('node_modules/.cache/hookline-bench')
const [KEY, SECRET] = ['KeyOfTheBench0123456789abcdef', 'SecretOfTheBench0123456789abcdef']
const AGAINST = 'against createOrder of bare ccxt'
const CLAIMS = {
  arrival: `an order, from POST to the venue, ${AGAINST}`,
  held: `an order against what is held, from POST to the venue, ${AGAINST}`,
  relay: 'the same, against a bare server that answers, has a line on the disk, and calls createOrder',
  quiet: `an order after 30 s of quiet, from POST to the venue, ${AGAINST}`,
  slow: `an order with 50 ms of delay to the venue, from POST to the venue, ${AGAINST}`,
  buys: 'ten orders in a row that add, at the venue, against bare ccxt without its limiter',
  row: 'ten orders in a row, bought and sold by turns, at the venue, against bare ccxt without its limiter',
  questions: 'questions that reach the venue in front of a later order',
}
const WANTED = {
  arrival: { atMost: 1.5 },
  held: { atMost: 1.5 },
  relay: { atMost: 1.5 },
  quiet: { atMost: 1.5 },
  slow: { atMost: 1.5 },
  buys: { atMost: 1.3 },
  row: { atMost: 1.3 },
  questions: { atMost: 0 },
}

/** @typedef {{ bought: number, sold: number }} Trip in µs */
/** @typedef {Trip & { before: number, beforeSold: number }} Fired */
/** @typedef {{ fire: Fired[], create: Trip[], fireRow: number[], createRow: number[], fireBuys: number[], createBuys: number[], relay: Trip[], slow: { fire: Fired[], create: Trip[] }, quiet: { fire: Fired[], create: Trip[] } }} Results */
/** @typedef {{ rounds: number, warmUps: number, slowRounds: number, quiets: number, quietMs: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const venueOrders = {
  full: { rounds: 60, warmUps: 10, slowRounds: 20, quiets: 6, quietMs: 30_000 },
  quick: { rounds: 5, warmUps: 1, slowRounds: 2, quiets: 1, quietMs: 12_000 },
  measure: measureVenueOrders,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureVenueOrders(scale) {
  const desk = await bundle('quality/bench/venue-desk.mjs', join(PROGRAMS, 'venue-desk.mjs'))
  const bare = await bundle('quality/bench/bare-orders.mjs', join(PROGRAMS, 'bare-orders.mjs'))
  const directory = temporaryDirectory()
  const task = {
    ...scale,
    key: KEY,
    secret: SECRET,
    relayJournal: join(directory, 'relay.jsonl'),
    hookline: HOOKLINE,
    bare,
    onServers: pinned([], SERVER_CORES),
    requests: prepare(directory),
    env: environmentOf(directory),
  }
  // Who posts and the venue share the core of the load; what is measured has the servers' to itself.
  const child = startProcess([process.execPath, desk, JSON.stringify(task)], { core: LOAD_CORE })
  /** @type {Results | { missing: string }} */
  const results = JSON.parse(await lastLineOf(child))
  rmSync(directory, { recursive: true, force: true })
  if ('missing' in results) {
    const names = /** @type {(keyof typeof CLAIMS)[]} */ (Object.keys(CLAIMS))
    return names.map((name) => skip(CLAIMS[name], WANTED[name], results.missing))
  }
  return rowsOf(results)
}

/** @param {Results} results @returns {import('./rounds.mjs').Row[]} */
function rowsOf({ fire, create, relay, fireRow, createRow, fireBuys, createBuys, slow, quiet }) {
  const ms = (/** @type {number[]} */ times) => `${(median(times) / 1_000).toFixed(2)} ms`
  const bought = (/** @type {Trip[]} */ trips) => trips.map((trip) => trip.bought)
  const least = median(bought(relay))
  const ownWork = `a server that only answers the POST, syncs a line and calls createOrder takes ${(least / median(bought(create))).toFixed(2)} times bare ccxt already; the rest is hookline's hook, limits and journal, on the one core that all share here`
  const compare = (
    /** @type {keyof typeof CLAIMS} */ name,
    /** @type {number[]} */ ours,
    /** @type {number[]} */ bare,
  ) => judge(CLAIMS[name], WANTED[name], medianRatio(ours, bare), `p50 ${ms(ours)}; bare ${ms(bare)}`, ownWork)
  const sold = (/** @type {Trip[]} */ trips) => trips.map((trip) => trip.sold)
  const before = fire.map((fired) => fired.before)
  const beforeSold = fire.map((fired) => fired.beforeSold)
  return [
    compare('arrival', bought(fire), bought(create)),
    compare('held', sold(fire), sold(create)),
    compare('relay', bought(fire), bought(relay)),
    compare('quiet', bought(quiet.fire), bought(quiet.create)),
    compare('slow', bought(slow.fire), bought(slow.create)),
    compare('buys', fireBuys, createBuys),
    compare('row', fireRow, createRow),
    judge(
      CLAIMS.questions,
      WANTED.questions,
      spreadOf(fire.map((fired) => Math.max(fired.before, fired.beforeSold))),
      `median ${median(before)}; against what is held ${median(beforeSold)}`,
    ),
  ]
}

/** The ratio of the medians, with those of the rounds about it: one slow sync or collection is in one round of one contestant. @param {number[]} ours @param {number[]} bare */
function medianRatio(ours, bare) {
  return { ...ratios(ours, bare), median: median(ours) / median(bare) }
}

/** @param {string} directory of hookline @returns {string[]} requests that fire a buy, a sell, and ten orders */
function prepare(directory) {
  const main = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEY, secret: SECRET }
  const accounts = [{ ...main, createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 }]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ defaultAccount: 'main', defaultSymbol: 'BTCUSDT' }))
  // Hundreds of orders are worth more than a day's default.
  writeFileSync(
    join(directory, 'guards.json'),
    JSON.stringify({ guards: [{ account: 'main', limits: { day: '1000000' } }] }),
    {
      mode: 0o600,
    },
  )
  const [buy, sell] = ['buy 0.002 BTCUSDT', 'sell 0.002 BTCUSDT']
  const row = Array.from({ length: 5 }, () => `${buy}; ${sell}`).join('; ')
  const buys = Array.from({ length: 10 }, () => buy).join('; ')
  return writeHooksOf(directory, [buy, sell, row, buys, 'sell 0.02 BTCUSDT'])
}
