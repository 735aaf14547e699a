// With the number of accounts and of cross-trade rows: a whole snapshot to a new subscriber, and one mutation of one row to its ack.
// A snapshot is one frame, however long: the 256 KiB of PROTOCOL.md are for frames that clients send.
import { setTimeout as sleep } from 'node:timers/promises'
import { measureGrowth } from './growth.mjs'
import { runLoad, serveLoad } from './load-process.mjs'
import { trustClients, writeAccounts, writeCrossTrade } from './registry.mjs'
import { median } from './rounds.mjs'
import { startHookline } from './servers.mjs'
import { clientFrame, LoadSocket } from './web-socket.mjs'

/** After it a file is no longer young, which would have it read at each look. */
const SETTLED_MS = 100

/**
 * @typedef {object} Scale
 * @property {number} rounds
 * @property {number[]} rows
 * @property {number} trips snapshots, and mutations, each time
 *
 * @typedef {object} Kind of rows
 * @property {string} title
 * @property {string} grows
 * @property {string} topic
 * @property {string} key of the rows in a snapshot
 * @property {(directory: string, count: number) => object[]} write
 * @property {(row: any) => object} mutation of a row
 *
 * @typedef {{ port: number, clientId: string, topic: string, key: string, rows: number, mutation: object, trips: number }} Plan
 */

/** @type {Kind} */
const ACCOUNTS = {
  title: 'accounts, to and from a page',
  grows: 'accounts',
  topic: 'accounts',
  key: 'accounts',
  write: writeAccounts,
  mutation: ({ name, exchange }) => ({ t: 'mutate:account', op: 'upsert', account: { name, exchange } }),
}

/** @type {Kind} */
const CROSS_TRADE = {
  title: 'cross-trade, to and from a page',
  grows: 'rows',
  topic: 'cross-trade',
  key: 'configs',
  write: writeCrossTrade,
  mutation: ({ updatedAt: _, ...config }) => ({ t: 'mutate:cross-trade-config', op: 'upsert', config }),
}

const SCALES = {
  full: { rounds: 5, rows: [1, 10, 100, 1_000, 10_000], trips: 15 },
  quick: { rounds: 2, rows: [1, 100, 10_000], trips: 3 },
}

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthAccounts = { ...SCALES, measure: (scale) => measureGrowthRows(ACCOUNTS, scale) }

/** @type {import('./groups.mjs').GrowthGroup<Scale>} */
export const growthCrossTrade = { ...SCALES, measure: (scale) => measureGrowthRows(CROSS_TRADE, scale) }

/** @param {Kind} kind @param {Scale} scale @returns {Promise<import('./growth.mjs').Panel[]>} */
async function measureGrowthRows({ title, grows, topic, key, write, mutation }, { rounds, rows, trips }) {
  const server = await startHookline(0)
  const [clientId] = trustClients(server.directory, 1)
  let longest = 0
  const measure = async (/** @type {number} */ count) => {
    const [row] = write(server.directory, count)
    const plan = { port: server.port, clientId, topic, key, rows: count, mutation: mutation(row), trips }
    const { bytes, ...times } = await runLoad(import.meta.url, plan)
    longest = Math.max(longest, bytes)
    return times
  }
  await measure(rows[0])
  const lines = await measureGrowth(rounds, rows, measure)
  await server.stop()
  const KiB = (longest / 1_024).toFixed(0)
  const remark = `the longest snapshot: one frame of ${KiB} KiB; the limit of 256 KiB is for frames of clients`
  return [{ title, grows, unit: 'ms', whole: true, lines, remark }]
}

/** @param {Plan} plan @returns {Promise<{ snapshot: number, mutation: number, bytes: number }>} ms; bytes of a snapshot */
async function exchange({ port, clientId, topic, key, rows, mutation, trips }) {
  await sleep(SETTLED_MS)
  const subscribe = clientFrame(JSON.stringify({ t: 'subscribe', topics: [topic] }))
  /** @type {{ snapshots: number[], mutations: number[] }} */
  const { snapshots, mutations } = { snapshots: [], mutations: [] }
  let bytes = 0
  // The first one of each is not counted: the file is read, and code is compiled.
  for (let trip = 0; trip <= trips; trip++) {
    const session = await LoadSocket.openSession(port, clientId)
    const { ms, text } = await roundTrip(session, subscribe)
    session.close()
    if (trip === 0 && JSON.parse(text)[key].length !== rows) throw new Error(`not ${rows} rows: ${text.slice(0, 200)}`)
    if (trip > 0) snapshots.push(ms)
    bytes = text.length
  }
  const session = await LoadSocket.openSession(port, clientId)
  for (let trip = 0; trip <= trips; trip++) {
    const { ms, text } = await roundTrip(session, clientFrame(JSON.stringify({ ...mutation, id: String(trip) })))
    if (!text.startsWith('{"t":"mutate:ack"')) throw new Error(`a mutation was answered ${text}`)
    if (trip > 0) mutations.push(ms)
  }
  session.close()
  return { snapshot: median(snapshots), mutation: median(mutations), bytes }
}

/** @param {LoadSocket} session @param {Buffer} frame @returns {Promise<{ ms: number, text: string }>} to its answer */
async function roundTrip(session, frame) {
  const answer = new Promise((resolve) => session.onTexts(resolve))
  const startedAt = performance.now()
  session.send(frame)
  const text = await answer
  return { ms: performance.now() - startedAt, text }
}

await serveLoad(import.meta.url, exchange)
