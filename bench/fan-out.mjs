// What it costs to bring a hook's output to its subscribers, against bare `ws` that sends the same bytes to as many sockets: in a steady
// pace of fires that print a line each, and when one run prints a thousand. At one pace both deliver equally much, so the server's
// processor time is compared. Fan-out is what subscribers add: the time of the same fires with nobody subscribed is taken off on both
// sides (what a fire costs is said by `fires.mjs`), and the whole is told beside it.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { postRequest } from './load.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'
import { DONE_FRAME, HOOK_ID, OUTPUT_FRAME, PRINTED } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, startOwnServer } from './servers.mjs'
import { clientFrame, LoadSocket, openMany, serverFrameLength } from './web-socket.mjs'

const SUBSCRIBERS = [1, 10, 100, 500]
const BURST_LINES = 1_000

/**
 * @typedef {object} Printing what is fired
 * @property {string} what for people
 * @property {string} command the hook's
 * @property {number} lines that a fire prints
 * @property {number} fires in all: each when the one before has reached everyone
 * @property {number} restMs after each, for runs that go on after their answer with nobody listening
 *
 * @typedef {object} Plan
 * @property {number} port
 * @property {number} pid of the server
 * @property {number} subscribers
 * @property {string[]} [clientIds] of trusted clients; without them the server is a bare one
 * @property {string} request
 * @property {Printing} printing
 *
 * @typedef {{ wholeUs: number, addedUs: number, seconds: number }} Cost processor time, in all and that of the fan-out; time on the clock
 */

/** @param {import('./run.mjs').Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
export async function measureFanOut({ rounds, durationMs }) {
  const hookline = await startHookline(0)
  const bare = await startOwnServer('./bare-print-server.mjs')
  const clientIds = trustClients(hookline.directory, Math.max(...SUBSCRIBERS))
  const rows = []
  for (const [printings, atLeast] of [
    [lineByLine, 0.85],
    [burst, 3],
  ]) {
    for (const subscribers of process.env.SUBS ? JSON.parse(process.env.SUBS) : SUBSCRIBERS) {
      const printing = printings(subscribers, durationMs)
      const hook = writeHook(hookline.directory, printing.command)
      const ours = {
        port: hookline.port,
        pid: hookline.child.pid,
        clientIds,
        request: postRequest(`/hook/${HOOK_ID}`, hook.secret),
      }
      const theirs = { port: bare.port, pid: bare.child.pid, request: postRequest(`/${printing.lines}`) }
      const contestants = {
        ours: () => runLoad(import.meta.url, { ...ours, printing, subscribers }),
        theirs: () => runLoad(import.meta.url, { ...theirs, printing, subscribers }),
      }
      await interleave(1, contestants)
      rows.push(compare(printing, subscribers, atLeast, await interleave(rounds, contestants)))
      console.error(rows.at(-1))
    }
  }
  await hookline.stop()
  await bare.stop()
  return rows
}

/** So many that it takes about as long for one subscriber as for 500. @param {number} subscribers @param {number} durationMs @returns {Printing} */
function lineByLine(subscribers, durationMs) {
  const fires = Math.ceil((durationMs * 4) / (1 + subscribers / 10))
  return { what: 'a line per fire, paced', command: `echo ${PRINTED}`, lines: 1, fires, restMs: 0 }
}

/** @param {number} subscribers @returns {Printing} */
function burst(subscribers) {
  const fires = Math.ceil(20 / subscribers)
  return {
    what: 'a run of 1 000 lines',
    command: `repeat ${BURST_LINES} (echo ${PRINTED})`,
    lines: BURST_LINES,
    fires,
    restMs: 20,
  }
}

/** @param {Printing} printing @param {number} subscribers @param {number} atLeast @param {{ ours: Cost[], theirs: Cost[] }} costs */
function compare({ what, lines, fires }, subscribers, atLeast, { ours, theirs }) {
  const of = (costs, key) => costs.map((cost) => cost[key])
  const ratio = (key) => ratios(of(theirs, key), of(ours, key))
  const deliveries = (lines + 1) * fires * subscribers
  const each = (costs, key) => (median(of(costs, key)) / deliveries).toFixed(2)
  const figures = (costs) => `${each(costs, 'addedUs')} µs (${each(costs, 'wholeUs')} with the fire)`
  return judge(
    `${what}, to ${subscribers} subscriber${subscribers === 1 ? '' : 's'}, against bare ws`,
    { atLeast },
    ratio('addedUs'),
    `${figures(ours)} per frame delivered; ws ${figures(theirs)}; with the fires ${ratio('wholeUs').median.toFixed(2)}, on the clock ${ratio('seconds').median.toFixed(2)}`,
  )
}

/** @param {Plan} plan @returns {Promise<Cost>} */
async function measure({ port, pid, subscribers, clientIds, request, printing }) {
  const open = (index) => (clientIds ? LoadSocket.openSession(port, clientIds[index]) : LoadSocket.open(port))
  const sockets = await openMany(subscribers, open)
  const connection = await PostConnection.open(port, request)
  /** @param {() => Promise<void> | void} arrival of what the next fire prints */
  const fireAll = async (arrival) => {
    for (let fired = 0; fired < printing.fires; fired++) {
      await Promise.all([arrival(), connection.post()])
      if (printing.restMs > 0) await sleep(printing.restMs)
    }
  }
  const unheard = await costOf(pid, () => fireAll(() => {}))
  const subscribe = clientFrame(JSON.stringify({ t: 'subscribe', topics: ['hook-output'] }))
  await Promise.all(sockets.map((socket) => socket.sendAndSettle(subscribe)))
  const heard = await costOf(pid, () => fireAll(audience(sockets, printing.lines)))
  return { wholeUs: heard.cpuUs, addedUs: heard.cpuUs - unheard.cpuUs, seconds: heard.seconds }
}

/**
 * The first subscriber reads what comes, the others count its bytes.
 * @param {LoadSocket[]} sockets @param {number} lines
 * @returns {() => Promise<void>} resolves when all that one fire prints has reached everyone
 */
function audience([first, ...others], lines) {
  let [waiting, allHaveIt] = [0, () => {}]
  const hasIt = () => {
    if (--waiting === 0) allHaveIt()
  }
  let texts = 0
  first.onTexts((text) => {
    const expected = texts++ < lines ? OUTPUT_FRAME : DONE_FRAME
    if (withoutRunId(text) !== withoutRunId(expected)) throw new Error(`not what was printed: ${text}`)
    if (expected !== DONE_FRAME) return
    texts = 0
    hasIt()
  })
  const bytes = lines * serverFrameLength(OUTPUT_FRAME) + serverFrameLength(DONE_FRAME)
  for (const socket of others) {
    let missing = bytes
    socket.onBytes = ({ length }) => {
      missing -= length
      if (missing > 0) return
      missing += bytes
      hasIt()
    }
  }
  return () =>
    new Promise((resolve) => {
      ;[waiting, allHaveIt] = [others.length + 1, resolve]
    })
}

/** @param {string} text */
function withoutRunId(text) {
  return text.replace(/"id":"[0-9a-f-]{36}"/, '')
}

/** @param {number} pid @param {() => Promise<unknown>} work */
async function costOf(pid, work) {
  const before = await whenIdle(pid)
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return { cpuUs: (await whenIdle(pid)) - before, seconds }
}

/** Waits until the process has nothing more to do. @param {number} pid @returns {Promise<number>} its main thread's processor time, µs */
async function whenIdle(pid) {
  let [before, now] = [Number.NEGATIVE_INFINITY, threadTimeUs(pid)]
  while (now - before > 500) {
    await sleep(30)
    before = now
    now = threadTimeUs(pid)
  }
  return now
}

/** In µs: the ticks of 10 ms elsewhere in /proc are too coarse for one subscriber. @param {number} pid */
function threadTimeUs(pid) {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1_000
}

await serveLoad(import.meta.url, measure)
