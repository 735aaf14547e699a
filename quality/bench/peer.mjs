// hookline beside Debian's `webhook`, which starts a process for every hit: both check a token and run a trivial command, ours `echo ok`,
// its /bin/true. It is delivery against process start, not HTTP against HTTP: the peer answers before its process has started, so what is
// counted is how long both take until they are at rest again.
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findWebhook } from './debian-webhook.mjs'
import { applyLoad, postRequest } from './load.mjs'
import { processorTimeUs, startProcess, stopProcess } from './processes.mjs'
import { interleave, judge, median, ratios, skip } from './rounds.mjs'
import { fireRequests, startHookline, temporaryDirectory, verifyFires } from './servers.mjs'

const CONNECTIONS = 10
/** Without using the processor, by the clock of /proc, whose ticks are 10 ms. */
const REST_MS = 100
const TOKEN = 'a'.repeat(32)

/** @type {Record<'speed' | 'delay', [(peer: string) => string, import('./rounds.mjs').Wanted]>} */
const CLAIMS = {
  speed: [(peer) => `fires per second, ${CONNECTIONS} connections, against ${peer}`, { atLeast: 20 }],
  delay: [(peer) => `our p99 against the p50 of ${peer}`, { atMost: 1 }],
}

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} fires each time; of the peer a tenth
 * @property {number} verified fires that are looked for in the journal
 * @property {number} installMs how long an installation of the peer may take
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const peer = {
  full: { rounds: 7, fires: 40_000, verified: 10_000, installMs: 60_000 },
  quick: { rounds: 3, fires: 5_000, verified: 2_000, installMs: 20_000 },
  measure: measurePeer,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measurePeer({ rounds, fires, verified, installMs }) {
  const found = findWebhook(installMs)
  if ('missing' in found)
    return Object.values(CLAIMS).map(([claim, wanted]) => skip(claim('webhook'), wanted, found.missing))
  const server = await startHookline(10)
  await verifyFires(server, verified)
  const { ours, theirs } = await interleave(rounds, {
    ours: () => deliver(server, fireRequests(server.hooks), fires),
    theirs: () => loadWebhook(fires / 10),
  })
  await server.stop()
  /** @template {string} K @param {readonly Record<K, number>[]} results @param {K} key */
  const of = (results, key) => results.map((result) => result[key])
  const [speedClaim, delayClaim] = [CLAIMS.speed, CLAIMS.delay].map(([claim]) => claim(found.version))
  /** @param {readonly { perSecond: number }[]} results */
  const speed = (results) => `${median(of(results, 'perSecond')).toFixed(0)}/s`
  const p99 = median(of(ours, 'p99Us')) / 1_000
  const p50 = median(of(theirs, 'p50Us')) / 1_000
  return [
    judge(
      speedClaim,
      CLAIMS.speed[1],
      ratios(of(ours, 'perSecond'), of(theirs, 'perSecond')),
      `${speed(ours)}; webhook ${speed(theirs)}`,
    ),
    judge(
      delayClaim,
      CLAIMS.delay[1],
      ratios(of(ours, 'p99Us'), of(theirs, 'p50Us')),
      `p99 ${p99.toFixed(2)} ms; webhook p50 ${p50.toFixed(2)} ms`,
      'it answers before its process has started, ours when the journal has the run',
    ),
  ]
}

/**
 * A new process for every round: its backlog of started commands would go on into the next one.
 * @param {number} fires
 */
async function loadWebhook(fires) {
  const directory = temporaryDirectory()
  const rule = { match: { type: 'value', value: TOKEN, parameter: { source: 'header', name: 'X-Hook-Token' } } }
  const hooks = [{ id: 'ok', 'execute-command': '/bin/true', 'http-methods': ['POST'], 'trigger-rule': rule }]
  const file = join(directory, 'hooks.json')
  writeFileSync(file, JSON.stringify(hooks))
  const port = await freePort()
  const child = startProcess(['webhook', '-hooks', file, '-ip', '127.0.0.1', '-port', String(port)], {
    stdout: 'ignore',
  })
  await untilAccepting(port)
  const result = await deliver({ port, child }, [postRequest('/hooks/ok', TOKEN)], fires)
  if (result.accepted === 0) throw new Error(`webhook refused: ${JSON.stringify(result.others)}`)
  await stopProcess(child)
  rmSync(directory, { recursive: true, force: true })
  return result
}

/**
 * @param {{ port: number, child: import('node:child_process').ChildProcess }} server
 * @param {string[]} requests @param {number} count
 */
async function deliver({ port, child }, requests, count) {
  const startedAt = performance.now()
  const result = await applyLoad({ port, requests, connections: CONNECTIONS, count })
  const seconds = ((await atRestSince(child)) - startedAt) / 1_000
  return { ...result, perSecond: result.accepted / seconds }
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} when it last used its processor, as `performance.now()` */
async function atRestSince(child) {
  let [since, used] = [performance.now(), processorTimeUs(child)]
  while (performance.now() - since < REST_MS) {
    await sleep(10)
    const now = processorTimeUs(child)
    if (now !== used) since = performance.now()
    used = now
  }
  return since
}

/** @param {number} port */
async function untilAccepting(port, triesLeft = 500) {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
  } catch (error) {
    if (triesLeft === 0) throw error
    await sleep(10)
    await untilAccepting(port, triesLeft - 1)
  } finally {
    socket.destroy()
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
      server.close(() => resolve(port))
    })
  })
}
