// What an idle session costs in memory once it has been welcomed, against a bare `ws` connection: by how much the resident memory of a
// server grows with many of them, after all garbage has been collected. A new process of each for every round. V8's young generation
// is kept at its smallest on both sides: it grows in steps of megabytes with what passes through, which no session keeps.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { residentKiB, whenIdle } from './idle.mjs'
import { startProcess, stopProcess } from './processes.mjs'
import { trustClients } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { HOOKLINE, startListener } from './servers.mjs'
import { LoadSocket, openMany } from './web-socket.mjs'

const COLLECTOR = fileURLToPath(new URL('./collect-garbage.cjs', import.meta.url))
const NODE = [process.execPath, '--max-semi-space-size=1', '--require', COLLECTOR]

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number} first opened first, so that what the first ones load and compile is not counted
 * @property {number} counted
 */

/** @type {import('./groups.mjs').Group<Scale>} */
export const sessionMemory = {
  full: { rounds: 7, first: 100, counted: 800 },
  quick: { rounds: 3, first: 100, counted: 300 },
  measure: measureSessionMemory,
}

const SHORT = 'a session has its limits, its timers and its principal beside the socket'

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureSessionMemory(scale) {
  const { ours, theirs } = await interleave(scale.rounds, {
    ours: () => sessionKiB(scale),
    theirs: () => bareConnectionKiB(scale),
  })
  const details = `${median(ours).toFixed(1)} KiB; ws ${median(theirs).toFixed(1)} KiB`
  return [
    judge(
      'memory of an idle session, against a bare ws connection',
      { atMost: 1.5 },
      ratios(ours, theirs),
      details,
      SHORT,
    ),
  ]
}

/** @param {Scale} scale */
async function sessionKiB(scale) {
  const server = await startListener([...NODE, HOOKLINE, 'listen'], 0)
  const clientIds = trustClients(server.directory, scale.first + scale.counted)
  const KiB = await growth(server.child, scale, (index) => LoadSocket.openSession(server.port, clientIds[index]))
  await server.stop()
  return KiB
}

/** @param {Scale} scale */
async function bareConnectionKiB(scale) {
  const child = startProcess([...NODE, fileURLToPath(new URL('./bare-echo-server.mjs', import.meta.url))])
  const [port] = await once(child.stdout.setEncoding('utf8'), 'data')
  const KiB = await growth(child, scale, () => LoadSocket.open(Number(port)))
  await stopProcess(child)
  return KiB
}

/**
 * @param {import('./processes.mjs').Child} child @param {Scale} scale
 * @param {(index: number) => Promise<LoadSocket>} open
 * @returns {Promise<number>} KiB each
 */
async function growth(child, { first, counted }, open) {
  const sockets = await openMany(first, open)
  const before = await memoryInUse(child)
  sockets.push(...(await openMany(counted, (index) => open(first + index))))
  const after = await memoryInUse(child)
  for (const socket of sockets) socket.close()
  return (after - before) / counted
}

/** @param {import('./processes.mjs').Child} child */
async function memoryInUse(child) {
  await whenIdle(child.pid)
  child.kill('SIGUSR2')
  await whenIdle(child.pid)
  return residentKiB(child.pid)
}
