// `npm run measured`: docs/measured.md from what the last runs of the bench, the faults and the fuzzer wrote into docs/measured/ with
// `--json`. A test holds the page against those files, and the figures of README and SECURITY against them too.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * @typedef {{ median: number, min: number, max: number }} Spread
 * @typedef {object} Machine
 * @property {string} processor
 * @property {number} memoryGiB
 * @property {string} system
 * @property {string} node
 * @property {string} pinning
 *
 * @typedef {object} BenchRow
 * @property {string} claim
 * @property {string} wanted
 * @property {Spread} [got]
 * @property {string} verdict
 * @property {string} details
 * @property {string} [reason]
 *
 * @typedef {object} FaultRow
 * @property {string} number
 * @property {string} title
 * @property {string} wanted
 * @property {{ got: string }} [finding]
 * @property {string} verdict
 * @property {string} reason
 *
 * @typedef {object} FuzzRow
 * @property {string} target
 * @property {number} inputs
 * @property {number} blocksAtStart
 * @property {number} blocksAtEnd
 * @property {number} crashes
 *
 * @typedef {object} Measured
 * @property {{ machine: Machine, rows: BenchRow[] }} bench
 * @property {{ machine: Machine, rows: FaultRow[] }} faults a row of the soak, which runs apart, stands in for the one that was left out
 * @property {{ rows: FuzzRow[] }} fuzz
 */

const FOLDER = 'docs/measured'
export const PAGE = 'docs/measured.md'

/** @returns {Measured} */
export function readMeasured() {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8'))
  const faults = read('faults')
  const apart = existsSync(`${FOLDER}/soak.json`) ? read('soak').rows : []
  const rows = faults.rows.map((row) => apart.find(({ number }) => number === row.number) ?? row)
  return { bench: read('bench'), faults: { ...faults, rows }, fuzz: read('fuzz') }
}

/** @param {Measured} measured @returns {string} the page */
export function measuredPage({ bench, faults, fuzz }) {
  return `# Measured

Written by \`npm run measured\` from the last runs; nothing here is typed by hand. ${describe(bench.machine)}

Ratios are taken round by round against a baseline of the same run, so that a slow second meets both; quote them, not the absolute figures.

## Speed: \`npm run bench\`

${table(['claim', 'wanted', 'got (min–max)', 'verdict', 'medians', 'why it falls short'], bench.rows.map(benchCells))}

![How costs grow with the number of hooks, subscribers, lines, accounts and rows, and with the size of the journal](growth.svg)

## What it survives: \`npm run faults\`

${table(['#', 'fault', 'wanted', 'got', 'verdict', 'reason'], faults.rows.map(faultCells))}

## Fuzzing: \`npm run fuzz\`

${table(['target', 'inputs', 'blocks covered by the seeds', 'at the end', 'crashes'], fuzz.rows.map(fuzzCells))}
`
}

/** @param {Machine} machine */
function describe({ processor, memoryGiB, system, node, pinning }) {
  return `The machine: ${processor}, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}; ${pinning}.`
}

/** @param {BenchRow} row */
function benchCells({ claim, wanted, got, verdict, details, reason = '' }) {
  return [claim, wanted, got ? inWords(got) : '–', emphasised(verdict), details, reason]
}

/** @param {FaultRow} row */
function faultCells({ number, title, wanted, finding, verdict, reason }) {
  return [number, title, wanted, finding?.got ?? '–', emphasised(verdict), reason]
}

/** @param {FuzzRow} row */
function fuzzCells({ target, inputs, blocksAtStart, blocksAtEnd, crashes }) {
  return [target, inputs.toLocaleString('en-US'), `${blocksAtStart}`, `${blocksAtEnd}`, `${crashes}`]
}

/** @param {string} verdict */
function emphasised(verdict) {
  return verdict === 'holds' ? verdict : `**${verdict.toLowerCase()}**`
}

/** @param {Spread} spread */
function inWords({ median, min, max }) {
  return `${short(median)} (${short(min)}–${short(max)})`
}

/** As the README quotes it. @param {number} value */
export function short(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2)
}

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(PAGE, measuredPage(readMeasured()))
