// From a fill of the master to the copier's own, on paper accounts in one process, without the quiet that the copier waits for (behaviour 42).
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle } from './bundle.mjs'
import { lastLineOf, startProcess } from './processes.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { temporaryDirectory } from './servers.mjs'

const PROGRAMS = resolve('node_modules/.cache/hookline-bench')
/** How many copiers, and how many ms each may take, at the median. */
const CLAIMS = [
  { copiers: 1, atMost: 10 },
  { copiers: 10, atMost: 10 },
  { copiers: 100, atMost: 60 },
]
const PROFILE =
  'each order is a durable write to the file of its own account, and Node has four threads for them: docs/profiles.md'

/** @typedef {{ rounds: number, warmUps: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const copier = {
  full: { rounds: 40, warmUps: 10 },
  quick: { rounds: 6, warmUps: 4 },
  measure: measureCopier,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureCopier(scale) {
  const program = await bundle('quality/bench/copier-desk.mjs', join(PROGRAMS, 'copier-desk.mjs'))
  const rows = []
  for (const { copiers, atMost } of CLAIMS) {
    const directory = temporaryDirectory()
    const child = startProcess([process.execPath, program, JSON.stringify({ ...scale, directory, copiers })])
    /** @type {number[][]} */
    const rounds = JSON.parse(await lastLineOf(child))
    rmSync(directory, { recursive: true, force: true })
    const last = median(rounds.map((times) => Math.max(...times)))
    const claim = `ms from a master's fill to a copier's, ${copiers} of them`
    rows.push(
      judge(claim, { atMost }, spreadOf(rounds.map(median)), `the last of each round ${last.toFixed(1)} ms`, PROFILE),
    )
  }
  return rows
}
