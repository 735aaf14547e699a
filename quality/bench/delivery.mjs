// A hook is fired and its output awaited at every subscriber, one fire after another: what a delivery costs the server. Loads run in a
// process of their own.
import { whenIdle } from './idle.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'
import { DONE_FRAME, OUTPUT_FRAME } from './printed.mjs'
import { CLOSE, clientFrame, frameSplitter, LoadSocket, openMany, serverFrameLength, TEXT } from './web-socket.mjs'

/**
 * @typedef {object} Plan
 * @property {number} port
 * @property {number} pid of the server
 * @property {string[]} [clientIds] of trusted clients; without them the server is a bare one
 * @property {string} request
 * @property {number} subscribers
 * @property {number} lines that a fire prints
 * @property {number} fires
 *
 * @typedef {object} Cost of one frame delivered
 * @property {number} cpuUs the server's processor time, the fire's share included
 * @property {number} wallUs on the clock
 *
 * @typedef {{ hungUp: number }} HungUp on a subscriber, with this close code; 0 without one
 */

/** @param {Plan} plan @returns {Promise<Cost>} */
export async function measureDelivery(plan) {
  const result = await tryDelivery(plan)
  if ('hungUp' in result) throw new Error(`the server hung up with ${result.hungUp}`)
  return result
}

/** For loads that may be more than a subscriber takes. @param {Plan} plan @returns {Promise<Cost | HungUp>} */
export function tryDelivery(plan) {
  return runLoad(import.meta.url, plan)
}

/** @param {Plan} plan @returns {Promise<Cost | HungUp>} */
async function deliver(plan) {
  const { port, subscribers, clientIds, request, lines } = plan
  /** @param {number} index */
  const open = (index) => (clientIds ? LoadSocket.openSession(port, clientIds[index]) : LoadSocket.open(port))
  const sockets = await openMany(subscribers, open)
  const subscribe = clientFrame(JSON.stringify({ t: 'subscribe', topics: ['hook-output'] }))
  await Promise.all(sockets.map((socket) => socket.sendAndSettle(subscribe)))
  const connection = await PostConnection.open(port, request)
  const reader = readerOf(lines)
  /** @type {Promise<HungUp>} */
  const hungUp = new Promise((resolve) => {
    for (const socket of sockets) socket.onHungUp = () => resolve({ hungUp: reader.closeCode() })
  })
  const result = await Promise.race([fireAll(plan, connection, listen(sockets, lines, reader.read)), hungUp])
  for (const open of [...sockets, connection]) open.close()
  // The run goes on, and would be heard by the next subscribers.
  if ('hungUp' in result) await whenIdle(plan.pid)
  return result
}

/** @param {Plan} plan @param {PostConnection} connection @param {() => Promise<void>} arrival @returns {Promise<Cost>} */
async function fireAll({ pid, subscribers, lines, fires }, connection, arrival) {
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
 * @param {LoadSocket[]} sockets @param {number} lines @param {(bytes: Buffer) => void} readFirst
 * @returns {() => Promise<void>} resolves when the output of the next fire has reached everyone
 */
function listen(sockets, lines, readFirst) {
  const bytes = lines * serverFrameLength(OUTPUT_FRAME) + serverFrameLength(DONE_FRAME)
  let [waiting, allHaveIt] = [0, () => {}]
  for (const [index, socket] of sockets.entries()) {
    const read = index === 0 ? readFirst : () => {}
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
  let [texts, closeCode] = [0, 0]
  const read = frameSplitter((text, opcode) => {
    if (opcode === CLOSE) closeCode = text.charCodeAt(0) * 256 + text.charCodeAt(1)
    if (opcode !== TEXT) return
    const expected = texts < lines ? OUTPUT_FRAME : DONE_FRAME
    if (withoutRunId(text) !== withoutRunId(expected)) throw new Error(`not what was printed: ${text}`)
    texts = texts < lines ? texts + 1 : 0
  })
  return { read, closeCode: () => closeCode }
}

/** @param {string} text */
function withoutRunId(text) {
  return text.replace(/"id":"[0-9a-f-]{36}"/, '')
}

await serveLoad(import.meta.url, deliver)
