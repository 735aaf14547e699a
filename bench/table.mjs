// Rows for people: one line per claim.
import { alignColumns } from '../scripts/align-columns.mjs'

/** @typedef {import('./rounds.mjs').Row} Row */

const HEAD = ['claim', 'wanted', 'got (min–max)', 'holds', 'medians']

/** @param {readonly Row[]} rows */
export function formatTable(rows) {
  return alignColumns([HEAD, ...rows.map(cellsOf)])
}

/** @param {Row} row */
function cellsOf({ claim, wanted, got, holds, details }) {
  return [claim, wanted, `${short(got.median)} (${short(got.min)}–${short(got.max)})`, holds ? 'yes' : 'NO', details]
}

/** @param {number} value */
function short(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}
