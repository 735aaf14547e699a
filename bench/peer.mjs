// hookline beside Debian's `webhook`, which starts a process for every hit: both check a token and run a trivial command, ours `echo ok`,
// its /bin/true. It is delivery against process start, not HTTP against HTTP.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { applyLoad, postRequest } from './load.mjs'
import { startProcess, stopProcess } from './processes.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { fireRequests, startHookline, temporaryDirectory, verifyFires } from './servers.mjs'

const CONNECTIONS = 10
const TOKEN = 'a'.repeat(32)

/** @param {import('./run.mjs').Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
export async function measurePeer({ rounds, durationMs }) {
  const found = spawnSync('webhook', ['-version'], { encoding: 'utf8' })
  if (found.error) {
    console.error('!! SKIPPED: the peer, `webhook`, is not installed. To measure against it: sudo apt install webhook')
    return []
  }
  const server = await startHookline(10)
  await verifyFires(server)
  const timing = { connections: CONNECTIONS, durationMs, warmUpMs: durationMs / 4 }
  const { ours, theirs } = await interleave(rounds, {
    ours: () => applyLoad({ port: server.port, requests: fireRequests(server.hooks), ...timing }),
    theirs: () => loadWebhook(timing),
  })
  await server.stop()
  const of = (results, key) => results.map((result) => result[key])
  const peer = found.stdout.trim()
  const speed = (results) => `${median(of(results, 'perSecond')).toFixed(0)}/s`
  const p99 = median(of(ours, 'p99Us')) / 1_000
  const p50 = median(of(theirs, 'p50Us')) / 1_000
  return [
    judge(
      `fires per second, ${CONNECTIONS} connections, against ${peer}`,
      { atLeast: 20 },
      ratios(of(ours, 'perSecond'), of(theirs, 'perSecond')),
      `${speed(ours)}; webhook ${speed(theirs)}`,
    ),
    judge(
      `our p99 against the p50 of ${peer}`,
      { atMost: 1 },
      ratios(of(ours, 'p99Us'), of(theirs, 'p50Us')),
      `p99 ${p99.toFixed(2)} ms; webhook p50 ${p50.toFixed(2)} ms`,
    ),
  ]
}

/**
 * A new process for every round: its backlog of started commands would go on into the next one.
 * @param {{ connections: number, durationMs: number, warmUpMs: number }} timing
 */
async function loadWebhook(timing) {
  const directory = temporaryDirectory()
  const rule = { match: { type: 'value', value: TOKEN, parameter: { source: 'header', name: 'X-Hook-Token' } } }
  const hooks = [{ id: 'ok', 'execute-command': '/bin/true', 'http-methods': ['POST'], 'trigger-rule': rule }]
  const file = join(directory, 'hooks.json')
  writeFileSync(file, JSON.stringify(hooks))
  const port = await freePort()
  const child = startProcess(['webhook', '-hooks', file, '-ip', '127.0.0.1', '-port', String(port)], {
    stdout: 'ignore',
  })
  const plan = { port, requests: [postRequest('/hooks/ok', TOKEN)] }
  await untilReady(() => applyLoad({ ...plan, connections: 1, count: 1 }))
  const result = await applyLoad({ ...plan, ...timing })
  if (result.accepted === 0) throw new Error(`webhook refused: ${JSON.stringify(result.others)}`)
  await stopProcess(child)
  rmSync(directory, { recursive: true, force: true })
  return result
}

/** @param {() => Promise<unknown>} attempt */
async function untilReady(attempt, triesLeft = 50) {
  try {
    await attempt()
  } catch (error) {
    if (triesLeft === 0) throw error
    await sleep(50)
    await untilReady(attempt, triesLeft - 1)
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
