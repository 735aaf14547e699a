// Interleaved rounds: every contestant is measured in every round, in an order that turns, and only figures of the same round are
// compared. A slow second of the machine then meets all of them, which absolute figures taken one after another never survive.
import { cpus, loadavg, release, totalmem } from 'node:os'
import { PINNING } from './processes.mjs'

/**
 * @template T
 * @param {number} rounds
 * @param {Record<string, () => Promise<T>>} contestants
 * @returns {Promise<Record<string, T[]>>} per contestant, one result per round
 */
export async function interleave(rounds, contestants) {
  const names = Object.keys(contestants)
  /** @type {Record<string, T[]>} */
  const results = Object.fromEntries(names.map((name) => [name, []]))
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

/** @typedef {{ median: number, min: number, max: number }} Spread */

/** Round by round. @param {number[]} values @param {number[]} base @returns {Spread} */
export function ratios(values, base) {
  const each = values.map((value, round) => value / base[round])
  return { median: median(each), min: Math.min(...each), max: Math.max(...each) }
}

/**
 * @typedef {object} Row
 * @property {string} claim
 * @property {string} wanted in words: `≥ 0.6`
 * @property {Spread} got
 * @property {boolean} holds the median does
 * @property {string} details absolute figures, medians
 */

/**
 * @param {string} claim @param {{ atLeast: number } | { atMost: number }} wanted @param {Spread} got @param {string} details
 * @returns {Row}
 */
export function judge(claim, wanted, got, details) {
  const [words, holds] =
    'atLeast' in wanted
      ? [`≥ ${wanted.atLeast}`, got.median >= wanted.atLeast]
      : [`≤ ${wanted.atMost}`, got.median <= wanted.atMost]
  return { claim, wanted: words, got, holds, details }
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
