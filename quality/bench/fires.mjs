// Accepted fires per second with everything on (token, fresh flags, journal, run executed), and the accept path alone, both against
// a bare node:http server that answers static JSON of the same size.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { applyLoad } from './load.mjs'
import { processorTimeUs } from './processes.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import {
  fireRequests,
  startHookline,
  startListener,
  startOwnServer,
  temporaryDirectory,
  verifyFires,
} from './servers.mjs'

const HOOKS = 10
/** Why a row falls short, by the number of connections. @type {Record<number, string>} */
const SHORT = {
  1: 'few share an event-loop turn: each pays its own look at the files and its own write of the journal',
  10: 'few share an event-loop turn, and what a run keeps for its page is collected later',
  100: 'what a run keeps for its page is collected later, and each fire looks at the switches anew',
}

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} durationMs measured each time
 * @property {number[]} connections
 * @property {number} verified fires that are looked for in the journal
 * @property {number} warmUp fires before the first round, so that the first contestant is compiled as well as the last
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const fires = {
  full: { rounds: 7, durationMs: 1_200, connections: [1, 10, 100], verified: 10_000, warmUp: 20_000 },
  quick: { rounds: 3, durationMs: 120, connections: [1, 100], verified: 2_000, warmUp: 20_000 },
  measure: measureFires,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureFires(scale) {
  const whole = await startHookline(HOOKS)
  await verifyFires(whole, scale.verified)
  const rows = await againstStatic(whole, 'fires, everything on', 0.6, scale)
  const directory = temporaryDirectory()
  const program = await bundle('quality/bench/accept-only.ts', join(directory, 'accept-only.mjs'))
  const acceptOnly = await startListener([process.execPath, program], HOOKS)
  rows.push(...(await againstStatic(acceptOnly, 'fires, accept path alone', 0.7, scale)))
  rmSync(directory, { recursive: true, force: true })
  return rows
}

/**
 * @param {Awaited<ReturnType<typeof startListener>>} server
 * @param {string} claim @param {number} atLeast @param {Scale} scale
 */
async function againstStatic(server, claim, atLeast, { rounds, durationMs, connections, warmUp }) {
  const limit = await startOwnServer('./static-server.mjs')
  const requests = fireRequests(server.hooks)
  for (const { port } of [server, limit]) await applyLoad({ port, requests, connections: 100, count: warmUp })
  /** @param {{ port: number, child: import('node:child_process').ChildProcess }} target @param {number} many */
  const load = async ({ port, child }, many) => {
    const before = processorTimeUs(child)
    const result = await applyLoad({ port, requests, connections: many, durationMs, warmUpMs: durationMs / 4 })
    if (Object.keys(result.others).length > 0)
      throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    return {
      ...result,
      cpuUs: before === undefined ? 0 : ((processorTimeUs(child) ?? before) - before) / result.accepted,
    }
  }
  const rows = []
  for (const many of connections) {
    const { ours, theirs } = await interleave(rounds, {
      ours: () => load(server, many),
      theirs: () => load(limit, many),
    })
    /** @typedef {Awaited<ReturnType<typeof load>>} Result */
    /** @param {readonly Result[]} results @param {'perSecond' | 'p50Us' | 'p99Us' | 'cpuUs'} key */
    const of = (results, key) => median(results.map((result) => result[key])).toFixed(0)
    /** @param {readonly Result[]} results */
    const figures = (results) =>
      `${of(results, 'perSecond')}/s, p50 ${of(results, 'p50Us')} µs, p99 ${of(results, 'p99Us')} µs, ${of(results, 'cpuUs')} µs CPU`
    rows.push(
      judge(
        `${claim}, ${many} connection${many === 1 ? '' : 's'}, against static node:http`,
        { atLeast },
        ratios(
          ours.map(({ perSecond }) => perSecond),
          theirs.map(({ perSecond }) => perSecond),
        ),
        `${figures(ours)}; static ${figures(theirs)}`,
        SHORT[many],
      ),
    )
  }
  await server.stop()
  await limit.stop()
  return rows
}
