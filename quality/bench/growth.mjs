// How a cost grows with the size of something: every size in every round, each set against the smallest of its round.
import { interleave, ratios, spreadOf } from './rounds.mjs'

/** @typedef {import('./shapes.ts').Point} Point */
/** @typedef {import('./shapes.ts').Line} Line */
/** @typedef {import('./shapes.ts').Panel} Panel */

/**
 * @param {number} rounds
 * @param {readonly number[]} sizes the smallest first
 * @param {(size: number) => Promise<Record<string, number | string>>} measure by the names of the lines; a text says what happened instead
 * @returns {Promise<Line[]>}
 */
export async function measureGrowth(rounds, sizes, measure) {
  const results = await interleave(rounds, Object.fromEntries(sizes.map((size) => [size, () => measure(size)])))
  return linesOf(sizes, results)
}

/**
 * @param {readonly number[]} sizes @param {Record<string, Record<string, number | string>[]>} results per size, one a round
 * @returns {Line[]}
 * @throws where the smallest size has no figure: there is nothing to set the others against
 */
export function linesOf(sizes, results) {
  const [smallest] = sizes
  return Object.keys(results[smallest][0]).map((name) => {
    const costs = (/** @type {number} */ size) => results[size].map((round) => round[name])
    const base = costs(smallest)
    if (!base.every(isMeasured))
      throw new Error(`${name}, size ${smallest}: ${base.find((value) => !isMeasured(value))}`)
    return { name, points: sizes.map((size) => ({ size, ...pointOf(costs(size), base.map(Number)) })) }
  })
}

/** @param {(number | string)[]} values one a round @param {number[]} base @returns {Omit<Point, 'size'>} */
function pointOf(values, base) {
  const got = values.filter(isMeasured).map(Number)
  const against = base.filter((_, round) => isMeasured(values[round]))
  const cut = values.find((value) => !isMeasured(value))
  return {
    ...(got.length > 0 && { got: spreadOf(got), ratio: ratios(got, against) }),
    ...(cut !== undefined && { cut: `${cut} (${values.length - got.length} of ${values.length} rounds)` }),
  }
}

/** @param {number | string} value */
function isMeasured(value) {
  return typeof value === 'number'
}
