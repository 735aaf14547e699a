// Interleaved rounds: every contestant is measured in every round, in an order that turns, and only figures of the same round are
// compared. A slow second of the machine then meets all of them, which absolute figures taken one after another never survive.
import { cpus, loadavg, release, totalmem } from 'node:os'
import { PINNING } from './processes.mjs'

/**
 * @template T
 * @template {string} K
 * @param {number} rounds
 * @param {Record<K, () => Promise<T>>} contestants
 * @returns {Promise<Record<K, T[]>>} per contestant, one result per round
 */
export async function interleave(rounds, contestants) {
  const names = /** @type {K[]} */ (Object.keys(contestants))
  const results = /** @type {Record<K, T[]>} */ (
    Object.fromEntries(names.map((name) => [name, /** @type {T[]} */ ([])]))
  )
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]
      results[name].push(await contestants[name]())
    }
  }
  return results
}

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)]
}

/** @typedef {import('./shapes.ts').Spread} Spread */

/** @param {number[]} values @returns {Spread} */
export function spreadOf(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Round by round. @param {number[]} values @param {number[]} base @returns {Spread} */
export function ratios(values, base) {
  return spreadOf(values.map((value, round) => value / base[round]))
}

/** @typedef {import('./shapes.ts').Wanted} Wanted */

/** @typedef {import('./shapes.ts').Row} Row */

/**
 * @param {string} claim @param {Wanted} wanted @param {Spread} got @param {string} details
 * @param {string} [short] why the row falls short: said only when it does
 * @returns {Row}
 */
export function judge(claim, wanted, got, details, short) {
  const holds = 'atLeast' in wanted ? got.median >= wanted.atLeast : got.median <= wanted.atMost
  const row = { claim, wanted: inWords(wanted), got, details }
  if (holds) return { ...row, verdict: 'holds' }
  return { ...row, verdict: 'short', ...(short !== undefined && { reason: short }) }
}

/** What could not be measured here. @param {string} claim @param {Wanted} wanted @param {string} reason @returns {Row} */
export function skip(claim, wanted, reason) {
  return { claim, wanted: inWords(wanted), verdict: 'skipped', details: '', reason }
}

/** @param {Wanted} wanted */
function inWords(wanted) {
  return 'atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`
}

export function describeMachine() {
  const [cpu] = cpus()
  return {
    processor: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    loadAverage: loadavg()[0],
    pinning: PINNING,
  }
}
