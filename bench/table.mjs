// Rows for people: one line per claim, widths by content.

/** @typedef {import('./rounds.mjs').Row} Row */

const HEAD = ['claim', 'wanted', 'got (min–max)', 'holds', 'medians']

/** @param {readonly Row[]} rows */
export function formatTable(rows) {
  const cells = [HEAD, ...rows.map(cellsOf)]
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column].length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** @param {Row} row */
function cellsOf({ claim, wanted, got, holds, details }) {
  return [claim, wanted, `${short(got.median)} (${short(got.min)}–${short(got.max)})`, holds ? 'yes' : 'NO', details]
}

/** @param {number} value */
function short(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}
