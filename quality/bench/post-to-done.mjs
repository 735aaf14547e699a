// From the first byte of a POST to the `cmd:done` of its run at a subscriber, for the body `echo`, against what the two ways alone take:
// a round trip to bare node:http, and a message from bare `ws` (half of an echo). The same process sends and receives, one clock.
import { runLoad, serveLoad } from './load-process.mjs'
import { PostConnection } from './post-connection.mjs'
import { DONE_FRAME } from './printed.mjs'
import { trustClients, writeHook } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, startOwnServer } from './servers.mjs'
import { clientFrame, LoadSocket } from './web-socket.mjs'

/**
 * @typedef {object} Plan
 * @property {number} trips
 * @property {number} warmUp trips before those that count
 * @property {number} httpPort
 * @property {number} webSocketPort
 * @property {string} request
 * @property {string} [clientId] of a trusted client; without it the servers are bare ones
 */

/** @typedef {{ rounds: number, trips: number, warmUp: number }} Scale trips: measured each time; warmUp: those before */

/** @type {import('./groups.mjs').Group<Scale>} */
export const postToDone = {
  full: { rounds: 7, trips: 2_000, warmUp: 500 },
  quick: { rounds: 3, trips: 300, warmUp: 2_000 },
  measure: measurePostToDone,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measurePostToDone({ rounds, trips, warmUp }) {
  const hookline = await startHookline(0)
  const http = await startOwnServer('./static-server.mjs')
  const echo = await startOwnServer('./bare-echo-server.mjs')
  const [clientId] = trustClients(hookline.directory, 1)
  const request = writeHook(hookline.directory, 'echo ok')
  const ours = { trips, warmUp, httpPort: hookline.port, webSocketPort: hookline.port, request, clientId }
  const theirs = { trips, warmUp, httpPort: http.port, webSocketPort: echo.port, request }
  const contestants = {
    ours: () => runLoad(import.meta.url, ours),
    theirs: () => runLoad(import.meta.url, theirs),
  }
  await interleave(1, contestants)
  const times = await interleave(rounds, contestants)
  await Promise.all([hookline, http, echo].map((server) => server.stop()))
  const of = (/** @type {'httpUs' | 'echoUs'} */ key) => times.theirs.map((round) => round[key])
  const delivered = times.ours.map(({ doneUs }) => doneUs)
  const ways = times.theirs.map(({ httpUs, echoUs }) => httpUs + echoUs / 2)
  const us = (/** @type {number[]} */ values) => `${median(values).toFixed(0)} µs`
  return [
    judge(
      'p50 from a POST to cmd:done at a subscriber, against bare HTTP and a bare ws message',
      { atMost: 1.5 },
      ratios(delivered, ways),
      `${us(delivered)}; HTTP round trip ${us(of('httpUs'))}, ws echo ${us(of('echoUs'))}`,
    ),
  ]
}

/** @param {Plan} plan @returns {Promise<{ doneUs: number } | { httpUs: number, echoUs: number }>} p50 */
async function travel({ trips, warmUp, httpPort, webSocketPort, request, clientId }) {
  const connection = await PostConnection.open(httpPort, request)
  if (clientId !== undefined) {
    const session = await LoadSocket.openSession(webSocketPort, clientId)
    await session.sendAndSettle(clientFrame(JSON.stringify({ t: 'subscribe', topics: ['hook-output'] })))
    const done = nextText(session, (text) => text.startsWith('{"t":"cmd:done"'))
    const doneUs = await p50(trips, warmUp, () => Promise.all([done(), connection.post()]))
    for (const open of [session, connection]) open.close()
    return { doneUs }
  }
  const socket = await LoadSocket.open(webSocketPort)
  const message = clientFrame(DONE_FRAME)
  const echo = nextText(socket, () => true)
  const echoed = () => {
    socket.send(message)
    return echo()
  }
  const httpUs = await p50(trips, warmUp, () => connection.post())
  const echoUs = await p50(trips, warmUp, echoed)
  for (const open of [socket, connection]) open.close()
  return { httpUs, echoUs }
}

/** @param {LoadSocket} socket @param {(text: string) => boolean} isAwaited @returns {() => Promise<void>} resolves with the next such text */
function nextText(socket, isAwaited) {
  let arrived = () => {}
  socket.onTexts((text) => {
    if (isAwaited(text)) arrived()
  })
  return () =>
    new Promise((resolve) => {
      arrived = resolve
    })
}

/** @param {number} trips @param {number} warmUp @param {() => Promise<unknown>} trip @returns {Promise<number>} µs */
async function p50(trips, warmUp, trip) {
  const times = []
  for (let made = 0; made < warmUp + trips; made++) {
    const startedAt = performance.now()
    await trip()
    times.push(performance.now() - startedAt)
  }
  return median(times.slice(warmUp)) * 1_000
}

await serveLoad(import.meta.url, travel)
