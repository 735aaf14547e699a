// What tasks cost while they work: chases that follow a price which changes four times a second, on a paper account, each by a change of its
// order that is in the journals before it is made. Of the same process: how busy it is, and how late its event loop.
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundle } from './bundle.mjs'
import { lastLineOf, startProcess } from './processes.mjs'
import { judge, median, spreadOf } from './rounds.mjs'
import { temporaryDirectory } from './servers.mjs'

const PROGRAMS = resolve('node_modules/.cache/hookline-bench')
const CHASES = 100
/** Of four in a second; what is less was not measured. */
const LEAST_MOVES = 3.5
const PROFILE =
  'a move is a change in the journals before it is made, a line of the task and one of the paper account; moves share slots of 50 ms, and the profile is flat: docs/profiles.md'

/** @typedef {{ rounds: number, warmUpMs: number, durationMs: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const chases = {
  full: { rounds: 5, warmUpMs: 5_000, durationMs: 10_000 },
  quick: { rounds: 1, warmUpMs: 3_000, durationMs: 4_000 },
  measure: measureChases,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureChases({ rounds, warmUpMs, durationMs }) {
  const program = await bundle('quality/bench/chase-desk.mjs', join(PROGRAMS, 'chase-desk.mjs'))
  /** @type {{ running: number, busy: number, movesPerSecond: number, p99Ms: number }[]} */
  const results = []
  for (let round = 0; round < rounds; round += 1) {
    const directory = temporaryDirectory()
    const task = JSON.stringify({ directory, chases: CHASES, warmUpMs, durationMs })
    results.push(JSON.parse(await lastLineOf(startProcess([process.execPath, program, task]))))
    rmSync(directory, { recursive: true, force: true })
  }
  const moves = results.map(({ movesPerSecond }) => movesPerSecond / CHASES)
  if (results.some(({ running }) => running !== CHASES))
    throw new Error(`not all chases run: ${JSON.stringify(results)}`)
  const details = `each moved ${median(moves).toFixed(1)} times a second`
  const short = Math.min(...moves) < LEAST_MOVES ? 'they do not come to re-peg four times a second here' : PROFILE
  return [
    judge(
      `share of a core that ${CHASES} chases take`,
      { atMost: 0.15 },
      spreadOf(results.map(({ busy }) => busy)),
      details,
      short,
    ),
    judge('event loop p99 meanwhile, ms', { atMost: 20 }, spreadOf(results.map(({ p99Ms }) => p99Ms)), details, short),
  ]
}
