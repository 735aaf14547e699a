// Orders to a venue through hookline against bare ccxt, at the same stand-in in the same run: from the POST, or the call, to the order's arrival;
// and ten in a row. Where the machine has no network namespaces there is nothing to measure.
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { bundle } from './bundle.mjs'
import { lastLineOf, startProcess } from './processes.mjs'
import { writeHooksOf } from './registry.mjs'
import { judge, median, ratios, skip } from './rounds.mjs'
import { HOOKLINE, temporaryDirectory } from './servers.mjs'

/** Where a program finds ccxt beside it. */
const PROGRAMS = resolve('node_modules/.cache/hookline-bench')
const [KEY, SECRET] = ['KeyOfTheBench0123456789abcdef', 'SecretOfTheBench0123456789abcdef']
const ARRIVAL = 'an order, from POST to the venue, against createOrder of bare ccxt'
const ROW = 'ten orders in a row at the venue, against bare ccxt without its limiter'

/** @typedef {{ rounds: number, warmUps: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const venueOrders = {
  full: { rounds: 60, warmUps: 10 },
  quick: { rounds: 5, warmUps: 1 },
  measure: measureVenueOrders,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureVenueOrders(scale) {
  const desk = await bundle('quality/bench/venue-desk.mjs', join(PROGRAMS, 'venue-desk.mjs'))
  const bare = await bundle('quality/bench/bare-orders.mjs', join(PROGRAMS, 'bare-orders.mjs'))
  const directory = temporaryDirectory()
  const task = {
    ...{ ...scale, key: KEY, secret: SECRET, hookline: HOOKLINE, bare },
    ...{ requests: prepare(directory), env: environmentOf(directory) },
  }
  const child = startProcess([process.execPath, desk, JSON.stringify(task)])
  const results = JSON.parse(await lastLineOf(child))
  rmSync(directory, { recursive: true, force: true })
  if ('missing' in results) {
    return [skip(ARRIVAL, { atMost: 1.5 }, results.missing), skip(ROW, { atMost: 1.3 }, results.missing)]
  }
  /** @type {Record<'fire' | 'create' | 'fireRow' | 'createRow', number[]>} */
  const us = results
  const ms = (/** @type {number[]} */ times) => `${(median(times) / 1_000).toFixed(1)} ms`
  return [
    judge(ARRIVAL, { atMost: 1.5 }, ratios(us.fire, us.create), `p50 ${ms(us.fire)}; bare ${ms(us.create)}`),
    judge(ROW, { atMost: 1.3 }, ratios(us.fireRow, us.createRow), `${ms(us.fireRow)}; bare ${ms(us.createRow)}`),
  ]
}

/** @param {string} directory of hookline @returns {string[]} requests that fire a buy, a sell, and ten orders */
function prepare(directory) {
  const main = { name: 'main', exchange: 'binance', kind: 'linear', apiKey: KEY, secret: SECRET }
  const accounts = [{ ...main, createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_000 }]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ defaultAccount: 'main', defaultSymbol: 'BTCUSDT' }))
  const [buy, sell] = ['buy 0.002 BTCUSDT', 'sell 0.002 BTCUSDT']
  return writeHooksOf(directory, [buy, sell, Array.from({ length: 5 }, () => `${buy}; ${sell}`).join('; ')])
}
