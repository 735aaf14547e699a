// What it costs the server to bring a hook's output to its subscribers, against bare `ws` behind bare node:http that answers the same
// POSTs and sends the same bytes to as many sockets: a line per fire, each when the last has reached everyone, and a thousand at once.
// At one pace both deliver equally much, so what is compared is how many deliveries a second of the server's processor time is good
// for, the fire itself included: the pace that each could keep up, and a figure that stays true when others use the machine as well.
import { whenIdle } from './idle.mjs'
import { postRequest } from './load.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'
import { DONE_FRAME, OUTPUT_FRAME, PRINTED } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, startOwnServer } from './servers.mjs'
import { clientFrame, LoadSocket, openMany, serverFrameLength, textSplitter } from './web-socket.mjs'

const SUBSCRIBERS = [1, 10, 100, 500]

/**
 * @typedef {object} Printing what is fired
 * @property {string} what for people
 * @property {number} atLeast the ratio wanted
 * @property {string} command the hook's
 * @property {number} lines that a fire prints
 * @property {(subscribers: number, durationMs: number) => number} fires in all, one after another
 */

/** @type {Printing[]} */
const PRINTINGS = [
  {
    ...{ what: 'a line per fire', atLeast: 0.85, command: `echo ${PRINTED}`, lines: 1 },
    // Takes about as long for one subscriber as for 500.
    fires: (subscribers, durationMs) => Math.ceil((durationMs * 4) / (1 + subscribers / 10)),
  },
  {
    ...{ what: 'a run of 1 000 lines', atLeast: 3, command: `repeat 1000 (echo ${PRINTED})`, lines: 1_000 },
    fires: (subscribers, durationMs) => Math.ceil(durationMs / 50 / subscribers),
  },
]

/**
 * @typedef {object} Plan
 * @property {number} port
 * @property {number} pid of the server
 * @property {string[]} [clientIds] of trusted clients; without them the server is a bare one
 * @property {string} request
 * @property {number} subscribers
 * @property {number} lines
 * @property {number} fires
 *
 * @typedef {{ cpuUs: number, wallUs: number }} Cost of one frame delivered: the server's processor time, and time on the clock
 */

/** @param {import('./run.mjs').Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
export async function measureFanOut({ rounds, durationMs }) {
  const hookline = await startHookline(0)
  const bare = await startOwnServer('./bare-print-server.mjs')
  const clientIds = trustClients(hookline.directory, Math.max(...SUBSCRIBERS))
  const rows = []
  for (const { what, atLeast, command, lines, fires } of PRINTINGS) {
    const request = writeHook(hookline.directory, command)
    for (const subscribers of SUBSCRIBERS) {
      /** @param {{ port: number, child: import('node:child_process').ChildProcess }} server */
      const planFor = ({ port, child }) => ({
        ...{ port, pid: child.pid, subscribers, lines },
        fires: fires(subscribers, durationMs),
      })
      const ours = { ...planFor(hookline), clientIds, request }
      const theirs = { ...planFor(bare), request: postRequest(`/${lines}`) }
      const contestants = {
        ours: () => runLoad(import.meta.url, ours),
        theirs: () => runLoad(import.meta.url, theirs),
      }
      await interleave(1, contestants)
      const costs = await interleave(rounds, contestants)
      const listeners = `${subscribers} subscriber${subscribers === 1 ? '' : 's'}`
      rows.push(compare(`${what}, to ${listeners}, against bare ws`, atLeast, costs))
    }
  }
  await hookline.stop()
  await bare.stop()
  return rows
}

/** @param {string} claim @param {number} atLeast @param {{ ours: Cost[], theirs: Cost[] }} costs */
function compare(claim, atLeast, { ours, theirs }) {
  const of = (costs, key) => costs.map((cost) => cost[key])
  const us = (costs, key) => median(of(costs, key)).toFixed(2)
  const figures = (costs) => `${us(costs, 'cpuUs')} µs CPU, ${us(costs, 'wallUs')} µs on the clock`
  const details = `a delivery takes ${figures(ours)}; ws ${figures(theirs)}`
  return judge(claim, { atLeast }, ratios(of(theirs, 'cpuUs'), of(ours, 'cpuUs')), details)
}

/** @param {Plan} plan @returns {Promise<Cost>} */
async function deliver({ port, pid, subscribers, clientIds, request, lines, fires }) {
  const open = (index) => (clientIds ? LoadSocket.openSession(port, clientIds[index]) : LoadSocket.open(port))
  const sockets = await openMany(subscribers, open)
  const subscribe = clientFrame(JSON.stringify({ t: 'subscribe', topics: ['hook-output'] }))
  await Promise.all(sockets.map((socket) => socket.sendAndSettle(subscribe)))
  const connection = await PostConnection.open(port, request)
  const arrival = listen(sockets, lines)

  const cpuBefore = await whenIdle(pid)
  const startedAt = performance.now()
  for (let fired = 0; fired < fires; fired++) await Promise.all([arrival(), connection.post()])
  const wallUs = (performance.now() - startedAt) * 1_000
  const cpuUs = (await whenIdle(pid)) - cpuBefore
  const deliveries = subscribers * fires * (lines + 1)
  return { cpuUs: cpuUs / deliveries, wallUs: wallUs / deliveries }
}

/**
 * The first subscriber reads what comes, all count its bytes. hookline pings every 25 s: two bytes more do not matter.
 * @param {LoadSocket[]} sockets @param {number} lines
 * @returns {() => Promise<void>} resolves when the output of the next fire has reached everyone
 */
function listen(sockets, lines) {
  const bytes = lines * serverFrameLength(OUTPUT_FRAME) + serverFrameLength(DONE_FRAME)
  let [waiting, allHaveIt] = [0, () => {}]
  for (const [index, socket] of sockets.entries()) {
    const read = index === 0 ? readerOf(lines) : () => {}
    let missing = bytes
    socket.onBytes = (chunk) => {
      read(chunk)
      missing -= chunk.length
      if (missing > 0) return
      missing += bytes
      if (--waiting === 0) allHaveIt()
    }
  }
  return () =>
    new Promise((resolve) => {
      waiting = sockets.length
      allHaveIt = resolve
    })
}

/** Looks whether it is what was printed. @param {number} lines */
function readerOf(lines) {
  let texts = 0
  return textSplitter((text) => {
    const expected = texts < lines ? OUTPUT_FRAME : DONE_FRAME
    if (withoutRunId(text) !== withoutRunId(expected)) throw new Error(`not what was printed: ${text}`)
    texts = texts < lines ? texts + 1 : 0
  })
}

/** @param {string} text */
function withoutRunId(text) {
  return text.replace(/"id":"[0-9a-f-]{36}"/, '')
}

await serveLoad(import.meta.url, deliver)
