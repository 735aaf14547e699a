// Rows for people: one line per claim, and one per size of what grows.
import { alignColumns } from '../../scripts/align-columns.mjs'

/** @typedef {import('./rounds.mjs').Row} Row */
/** @typedef {import('./rounds.mjs').Spread} Spread */

const HEAD = ['claim', 'wanted', 'got (min–max)', 'holds', 'medians', 'reason']
const VERDICTS = { holds: 'yes', short: 'NO', skipped: 'skipped' }

/** @param {readonly Row[]} rows */
export function formatTable(rows) {
  return alignColumns([HEAD, ...rows.map(cellsOf)])
}

/** @param {Row} row */
function cellsOf({ claim, wanted, got, verdict, details, reason }) {
  return [claim, wanted, got ? inWords(got) : '–', VERDICTS[verdict], details, reason ?? '']
}

/** @param {readonly Row[]} rows */
export function countVerdicts(rows) {
  const count = (/** @type {Row['verdict']} */ wanted) => rows.filter(({ verdict }) => verdict === wanted).length
  return `${rows.length} rows: ${count('holds')} hold, ${count('short')} fall short, ${count('skipped')} skipped`
}

/** A line per size; every cost with its ratio to that of the smallest. @param {import('./growth.mjs').Panel} panel */
export function formatPanel({ title, grows, sizeUnit, unit, lines, remark }) {
  const sizes = lines[0].points.map(({ size }) => size)
  const words = (/** @type {number} */ size) =>
    `${String(size).replace(/\B(?=(\d{3})+$)/g, ' ')}${sizeUnit ? ` ${sizeUnit}` : ''}`
  const head = [grows, ...lines.flatMap(({ name }) => [`${name}, ${unit} (min–max)`, `× ${words(sizes[0])} (min–max)`])]
  const body = sizes.map((size, index) => [
    words(size),
    ...lines.flatMap(({ points }) => {
      const { got, ratio, cut } = points[index]
      return [[...(got ? [inWords(got)] : []), ...(cut ? [cut] : [])].join('; '), ratio ? inWords(ratio) : '']
    }),
  ])
  return [title, alignColumns([head, ...body]), ...(remark ? [`(${remark})`] : [])].join('\n')
}

/** @param {Spread} spread */
function inWords({ median, min, max }) {
  return `${short(median)} (${short(min)}–${short(max)})`
}

/** @param {number} value */
function short(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}
