// `npm run measured`: docs/measured.md from what the last runs of the bench, the faults and the fuzzer wrote into docs/measured/ with
// `--json`. A test holds the page against those files, and so what README and SECURITY say of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** @typedef {import('./measured-shapes.ts').FaultRow} FaultRow */

const FOLDER = 'docs/measured'
export const PAGE = 'docs/measured.md'
export const SECURITY = 'SECURITY.md'
const MUTATED_ROOMS = ['guards', 'trading', 'tasks', 'protocol']

/** @returns {import('./measured-shapes.ts').Measured} */
export function readMeasured() {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8'))
  const faults = read('faults')
  const apart = existsSync(`${FOLDER}/soak.json`) ? read('soak').rows : []
  /** @type {import('./measured-shapes.ts').FaultRow[]} */
  const rows = faults.rows.map(
    (/** @type {FaultRow} */ row) => apart.find((/** @type {FaultRow} */ { number }) => number === row.number) ?? row,
  )
  return { bench: read('bench'), faults: { ...faults, rows }, fuzz: read('fuzz'), mutation: read('mutation-code') }
}

/** @param {import('./measured-shapes.ts').Measured} measured @returns {string} the page */
export function measuredPage({ bench, faults, fuzz, mutation }) {
  return `# Measured

Written by \`npm run measured\` from the last runs; nothing here is typed by hand. ${describe(bench.machine)}

Ratios are taken round by round against a baseline of the same run, so that a slow second meets both; quote them, not the absolute figures.
[Where the time goes](profiles.md) has the profiles of the rows that have little to spare.

## Speed: \`npm run bench\`

${table(['claim', 'wanted', 'got (min–max)', 'verdict', 'medians', 'why it falls short'], bench.rows.map(benchCells))}

![How costs grow with the number of hooks, subscribers, lines, accounts and rows, and with the size of the journal](growth.svg)

## What it survives: \`npm run faults\`

${table(['#', 'fault', 'wanted', 'got', 'verdict', 'reason'], anchored(faults.rows).map(faultCells))}

## Fuzzing: \`npm run fuzz\`

Seed ${fuzz.seed}. Blocks are those of V8's coverage in the code under test.

${table(['target', 'seconds', 'inputs', 'blocks reached by the seeds', 'at the end', 'known', 'crashes'], fuzz.rows.map(fuzzCells))}

## Mutation: \`npm run mutation:code\`

Each decision of a room's code is switched in turn: a comparison, a condition, a flag, a statement left out, a list emptied. Asked are the room's own
tests that run in memory, up to 10 s each; what only other tests reach is not tried. Wanted: 80 %.${unscored(mutation.rooms)}

${table(['room', 'tried', 'killed', 'score', 'reached by no test of the room', 'why it falls short'], Object.entries(mutation.rooms).map(mutationCells))}
`
}

/** @param {Readonly<Record<string, unknown>>} rooms */
function unscored(rooms) {
  const missing = MUTATED_ROOMS.filter((room) => rooms[room] === undefined).map((room) => `\`${room}\``)
  return missing.length === 0 ? '' : ` Without a score: ${missing.join(' and ')}.`
}

/** @param {[string, import('./measured-shapes.ts').MutatedRoom]} room */
function mutationCells([room, { every, of, killed, unreached, reason = '' }]) {
  const tried = every === 1 ? `${of}` : `${of}, one in ${every}`
  const score = `${Math.floor((100 * killed) / of)} %`
  return [room, tried, `${killed}`, score, unreached === undefined ? 'not counted' : `${unreached}`, reason]
}

/**
 * SECURITY.md, where the last cell of each threat names scenarios (`#18`): each becomes a link to its row, with the verdict.
 * @param {string} paper @param {readonly import('./measured-shapes.ts').FaultRow[]} rows
 */
export function withVerdicts(paper, rows) {
  const linkTo = (/** @type {string} */ number) => {
    const verdicts = rows.filter((row) => row.number === number).map(({ verdict }) => verdict)
    if (verdicts.length === 0)
      throw new Error(`SECURITY.md names scenario ${number}, which is not in ${FOLDER}/faults.json`)
    return `[#${number}](${PAGE}#${number}) ${emphasised(verdicts.find((verdict) => verdict !== 'holds') ?? 'holds')}`
  }
  return paper.replace(/^(\| T\d+ \|.*\| )(\[?#.*)( \|)$/gm, (_line, before, cell, after) => {
    const numbers = [...cell.matchAll(/(?<!\.md)#([\w-]+)/g)].map(([, number]) => number)
    return `${before}${numbers.map(linkTo).join(', ')}${after}`
  })
}

/** @param {import('./measured-shapes.ts').Machine} machine */
function describe({ processor, memoryGiB, system, node, pinning }) {
  return `The machine: ${processor}, ${memoryGiB} GiB, ${system}, Node ${node.slice(1)}; ${pinning}.`
}

/** @param {import('./measured-shapes.ts').BenchRow} row */
function benchCells({ claim, wanted, got, verdict, details, reason = '' }) {
  return [claim, wanted, got ? inWords(got) : '–', emphasised(verdict), details, reason]
}

/** Each number is an anchor at its first row. @param {readonly import('./measured.mjs').FaultRow[]} rows */
function anchored(rows) {
  const isFirst = (/** @type {number} */ index) =>
    rows.findIndex(({ number }) => number === rows[index]?.number) === index
  return rows.map((row, index) =>
    isFirst(index) ? { ...row, number: `<a id="${row.number}"></a>${row.number}` } : row,
  )
}

/** @param {import('./measured.mjs').FaultRow} row */
function faultCells({ number, title, wanted, finding, verdict, reason }) {
  return [number, title, wanted, finding?.got ?? '–', emphasised(verdict), reason]
}

/** @param {import('./measured-shapes.ts').FuzzRow} row */
function fuzzCells({ name, seconds, inputs, blocks, crashes }) {
  return [
    name,
    seconds.toFixed(0),
    inputs.toLocaleString('en-US'),
    ...[blocks.atStart, blocks.atEnd, blocks.known, crashes.length].map(String),
  ]
}

/** @param {string} verdict */
function emphasised(verdict) {
  return verdict === 'holds' ? verdict : `**${verdict.toLowerCase()}**`
}

/** @param {import('./measured-shapes.ts').Spread} spread */
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

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const measured = readMeasured()
  writeFileSync(PAGE, measuredPage(measured))
  writeFileSync(SECURITY, withVerdicts(readFileSync(SECURITY, 'utf8'), measured.faults.rows))
}
