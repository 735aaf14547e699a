// Accepted fires per second with everything on (token, fresh flags, journal, run executed), and the accept path alone, both against
// a bare node:http server that answers static JSON of the same size.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
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
/** Before the first round, so that the first contestant is compiled as well as the last. */
const WARM_UP_FIRES = 20_000

/** @param {import('./run.mjs').Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
export async function measureFires(scale) {
  const whole = await startHookline(HOOKS)
  await verifyFires(whole)
  const rows = await againstStatic(whole, 'fires, everything on', 0.6, scale)
  const directory = temporaryDirectory()
  const acceptOnly = await startListener([process.execPath, await bundleAcceptOnly(directory)], HOOKS)
  rows.push(...(await againstStatic(acceptOnly, 'fires, accept path alone', 0.7, scale)))
  rmSync(directory, { recursive: true, force: true })
  return rows
}

/** @param {Awaited<ReturnType<typeof startListener>>} server */
async function againstStatic(server, claim, atLeast, { rounds, durationMs }) {
  const limit = await startOwnServer('./static-server.mjs')
  const requests = fireRequests(server.hooks)
  for (const { port } of [server, limit]) await applyLoad({ port, requests, connections: 100, count: WARM_UP_FIRES })
  /** @param {{ port: number, child: import('node:child_process').ChildProcess }} target @param {number} connections */
  const load = async ({ port, child }, connections) => {
    const before = processorTimeUs(child)
    const result = await applyLoad({ port, requests, connections, durationMs, warmUpMs: durationMs / 4 })
    if (Object.keys(result.others).length > 0)
      throw new Error(`answers other than 200: ${JSON.stringify(result.others)}`)
    return { ...result, cpuUs: before === undefined ? 0 : (processorTimeUs(child) - before) / result.accepted }
  }
  const rows = []
  for (const connections of [1, 10, 100]) {
    const { ours, theirs } = await interleave(rounds, {
      ours: () => load(server, connections),
      theirs: () => load(limit, connections),
    })
    const of = (results, key) => median(results.map((result) => result[key])).toFixed(0)
    const figures = (results) =>
      `${of(results, 'perSecond')}/s, p50 ${of(results, 'p50Us')} µs, p99 ${of(results, 'p99Us')} µs, ${of(results, 'cpuUs')} µs CPU`
    rows.push(
      judge(
        `${claim}, ${connections} connection${connections === 1 ? '' : 's'}, against static node:http`,
        { atLeast },
        ratios(
          ours.map(({ perSecond }) => perSecond),
          theirs.map(({ perSecond }) => perSecond),
        ),
        `${figures(ours)}; static ${figures(theirs)}`,
      ),
    )
  }
  await server.stop()
  await limit.stop()
  return rows
}

/** @param {string} directory @returns {Promise<string>} the path of a bundle made like the product's */
async function bundleAcceptOnly(directory) {
  const outfile = join(directory, 'accept-only.mjs')
  await build({
    entryPoints: ['bench/accept-only.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    logLevel: 'warning',
  })
  return outfile
}
