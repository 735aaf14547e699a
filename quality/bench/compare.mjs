// `node quality/bench/compare.mjs <base…> <change…>`: results of `run.mjs --json`, as many of the base as of the change, taken by turns on one
// machine. A row that has lost a fifth, and more than it spreads, is a loss: exit status 1. What spreads too far to tell is said, and is no loss.
// `--turns <n> <base> <change> <group…>` measures first: both are built checkouts, and each is measured with its own bench.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './rounds.mjs'

/** A row may be so much worse. */
const LOSS = 0.2
/** A row whose base is further apart than this, of its median, says nothing about a fifth. */
const MOST_SPREAD = 0.5
const ROUNDING = 1e-9

/** @typedef {import('./rounds.mjs').Row} Row */
/** @typedef {'same' | 'better' | 'loss' | 'unclear' | 'gone' | 'new'} Verdict */
/**
 * @typedef {object} Compared
 * @property {string} claim
 * @property {Verdict} verdict
 * @property {number} [worse] by what part of the base; below zero: better
 * @property {number} [spread] of the base, from least to most, in parts of its median
 */

/**
 * Every row that both have, by its claim; more is better where the claim wants at least so much.
 * @param {readonly (readonly Row[])[]} base rows of each turn
 * @param {readonly (readonly Row[])[]} change
 * @returns {Compared[]}
 */
export function compareRows(base, change) {
  const [before, after] = [byClaim(base), byClaim(change)]
  return [...new Set([...before.keys(), ...after.keys()])].map((claim) => {
    const [was, is] = [before.get(claim), after.get(claim)]
    if (was === undefined) return { claim, verdict: 'new' }
    if (is === undefined) return { claim, verdict: 'gone' }
    return compareOne(claim, was, is)
  })
}

/** @param {string} claim @param {Turns} was @param {Turns} is @returns {Compared} */
function compareOne(claim, was, is) {
  const [from, to] = [median(was.medians), median(is.medians)]
  const worse = (was.isMoreBetter ? from - to : to - from) / from
  const spread = (Math.max(...was.medians) - Math.min(...was.medians)) / from
  const row = { claim, worse, spread }
  if (!Number.isFinite(worse)) return { claim, verdict: 'unclear' }
  // A loss is clear where not one turn of the change was as good as the worst of the base.
  const isApart = was.isMoreBetter
    ? Math.max(...is.medians) < Math.min(...was.medians)
    : Math.min(...is.medians) > Math.max(...was.medians)
  if (worse >= LOSS - ROUNDING) return { ...row, verdict: isApart && spread <= MOST_SPREAD ? 'loss' : 'unclear' }
  return { ...row, verdict: worse <= ROUNDING - LOSS ? 'better' : 'same' }
}

/** @typedef {{ isMoreBetter: boolean, medians: number[] }} Turns */

/** @param {readonly (readonly Row[])[]} turns @returns {Map<string, Turns>} */
function byClaim(turns) {
  /** @type {Map<string, Turns>} */
  const rows = new Map()
  for (const { claim, wanted, got } of turns.flat()) {
    if (got === undefined) continue
    const known = rows.get(claim) ?? { isMoreBetter: wanted.startsWith('≥'), medians: [] }
    known.medians.push(got.median)
    rows.set(claim, known)
  }
  return rows
}

/** A claim that only one of them has was renamed: a group that fails ends the run. @param {readonly Compared[]} rows */
export function hasLoss(rows) {
  return rows.some(({ verdict }) => verdict === 'loss')
}

/** @param {readonly Compared[]} rows */
function formatCompared(rows) {
  const width = Math.max(...rows.map(({ claim }) => claim.length))
  return rows
    .map(({ claim, verdict, worse, spread }) => {
      const percent = (/** @type {number} */ part) => `${(Math.abs(part) * 100).toFixed(0)} %`
      const change = worse === undefined ? '' : `  ${percent(worse)} ${worse > 0 ? 'worse' : 'better'}`
      return `${verdict.padEnd(8)}${claim.padEnd(width)}${change}${spread === undefined ? '' : `, spread ${percent(spread)}`}`
    })
    .join('\n')
}

/** @param {number} turns @param {string} base @param {string} change checkouts @param {string[]} groups */
function measure(turns, base, change, groups) {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-compare-'))
  /** @type {{ base: string[], change: string[] }} */
  const files = { base: [], change: [] }
  for (let turn = 0; turn < turns; turn += 1) {
    /** @type {('base' | 'change')[]} */
    const order = turn % 2 === 0 ? ['base', 'change'] : ['change', 'base']
    for (const which of order) {
      const file = join(directory, `${which}-${turn}.json`)
      const cwd = resolve(which === 'base' ? base : change)
      const run = spawnSync(process.execPath, ['quality/bench/run.mjs', '--quick', '--json', file, ...groups], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      if (run.status !== 0) throw new Error(`the bench of ${cwd} failed`)
      files[which].push(file)
    }
  }
  return files
}

/** @param {string} file @returns {readonly Row[]} */
function rowsIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).rows
}

function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { turns: { type: 'string' } } })
  let files
  if (values.turns === undefined) {
    const half = positionals.length / 2
    if (half < 1 || !Number.isInteger(half)) throw new Error('name as many results of the base as of the change')
    files = { base: positionals.slice(0, half), change: positionals.slice(half) }
  } else {
    const [base, change, ...groups] = positionals
    if (base === undefined || change === undefined) throw new Error('name the checkouts of the base and of the change')
    files = measure(Number(values.turns), base, change, groups)
  }
  const rows = compareRows(files.base.map(rowsIn), files.change.map(rowsIn))
  console.log(formatCompared(rows))
  if (hasLoss(rows)) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
