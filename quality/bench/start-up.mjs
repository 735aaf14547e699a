// From the start of the process to the answer of `/health`, headless and as the REPL fed by a pipe, and `exec price` from start to end,
// against `node -e 0` from start to end. The directory exists already: the very first start also makes its files.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { startProcess, stopProcess } from './processes.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { answersHealth, HOOKLINE, temporaryDirectory } from './servers.mjs'

/** @typedef {{ starts: number }} Scale of each */

const SHORT = 'the program is read and its modules start, a third each; no part is large: docs/profiles.md'

/** @type {import('./groups.mjs').Group<Scale>} */
export const startUp = {
  full: { starts: 30 },
  quick: { starts: 7 },
  measure: measureStartUp,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureStartUp({ starts: count }) {
  const directory = temporaryDirectory()
  const env = { HOOKLINE_CONFIG_DIR: directory }
  const headless = () => timeToHealth([process.execPath, HOOKLINE, 'listen'], env)
  const repl = () => timeToHealth([process.execPath, HOOKLINE], env)
  const exec = () => timeToEnd([process.execPath, HOOKLINE, 'exec', 'price'], env)
  await headless()
  const times = await interleave(count, { headless, repl, exec, bare: timeOfBareNode })
  rmSync(directory, { recursive: true, force: true })
  const ms = (/** @type {number[]} */ values) => `${median(values).toFixed(1)} ms`
  /** @type {[string, number[]][]} */
  const starts = [
    ['`hookline listen`', times.headless],
    ['`hookline` on a pipe', times.repl],
  ]
  const row = (/** @type {string} */ what, /** @type {number} */ atMost, /** @type {number[]} */ values) =>
    judge(what, { atMost }, ratios(values, times.bare), `${ms(values)}; node -e 0 ${ms(times.bare)}`, SHORT)
  return [
    ...starts.map(([what, values]) => row(`start of ${what} to /health, against node -e 0`, 2.5, values)),
    row('`hookline exec price` from start to end, against node -e 0', 2, times.exec),
  ]
}

/** @param {string[]} command @param {Record<string, string>} env */
async function timeToHealth(command, env) {
  const startedAt = performance.now()
  const child = startProcess(command, { stdin: 'pipe', stdout: 'ignore', env })
  await answersHealth(child)
  const ms = performance.now() - startedAt
  await stopProcess(child)
  return ms
}

const timeOfBareNode = () => timeToEnd([process.execPath, '-e', '0'], {})

/** @param {string[]} command @param {Record<string, string>} env */
async function timeToEnd(command, env) {
  const startedAt = performance.now()
  await once(startProcess(command, { stdout: 'ignore', env }), 'exit')
  return performance.now() - startedAt
}
