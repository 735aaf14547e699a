// `cmd:exec` of `echo ok` to its `cmd:done`, round trips per second of one client, against bare `ws` that echoes the same message: one
// after another, and with 16 under way at any time.
import { runLoad, serveLoad } from './load-process.mjs'
import { trustClients } from './registry.mjs'
import { interleave, judge, median, ratios } from './rounds.mjs'
import { startHookline, startOwnServer } from './servers.mjs'
import { clientFrame, LoadSocket } from './web-socket.mjs'

/** Why a row falls short, by the number of commands under way. @type {Record<number, string>} */
const SHORT = {
  16: 'each command costs a journal line, a run and two frames; an echo costs one frame',
}
const ID_AT = '{"t":"cmd:exec","id":"'.length

/**
 * @typedef {object} Plan
 * @property {number} port
 * @property {string} [clientId] of a trusted client; without it the server is a bare one
 * @property {number} depth commands under way
 * @property {number} durationMs what is measured, after a quarter of it to warm up
 */

/** @typedef {{ rounds: number, durationMs: number, depths: number[] }} Scale depths: commands under way */

/** @type {import('./groups.mjs').Group<Scale>} */
export const exec = {
  full: { rounds: 7, durationMs: 1_200, depths: [1, 16] },
  quick: { rounds: 3, durationMs: 350, depths: [1, 16] },
  measure: measureExec,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureExec({ rounds, durationMs, depths }) {
  const hookline = await startHookline(0)
  const echo = await startOwnServer('./bare-echo-server.mjs')
  const [clientId] = trustClients(hookline.directory, 1)
  const rows = []
  for (const depth of depths) {
    const contestants = {
      ours: () => runLoad(import.meta.url, { port: hookline.port, clientId, depth, durationMs }),
      theirs: () => runLoad(import.meta.url, { port: echo.port, depth, durationMs }),
    }
    await interleave(1, contestants)
    const { ours, theirs } = await interleave(rounds, contestants)
    /** @param {readonly { perSecond: number }[]} results */
    const perSecond = (results) => results.map((result) => result.perSecond)
    /** @param {readonly { perSecond: number }[]} results */
    const figure = (results) => `${median(perSecond(results)).toFixed(0)}/s`
    rows.push(
      judge(
        `cmd:exec round trips, ${depth} under way, against a bare ws echo`,
        { atLeast: 0.5 },
        ratios(perSecond(ours), perSecond(theirs)),
        `${figure(ours)}; ws ${figure(theirs)}`,
        SHORT[depth],
      ),
    )
  }
  await hookline.stop()
  await echo.stop()
  return rows
}

/** @param {Plan} plan @returns {Promise<{ perSecond: number }>} */
async function execute({ port, clientId, depth, durationMs }) {
  const socket = await (clientId === undefined ? LoadSocket.open(port) : LoadSocket.openSession(port, clientId))
  const frames = Array.from({ length: depth }, (_, id) =>
    clientFrame(JSON.stringify({ t: 'cmd:exec', id: String(id).padStart(2, '0'), command: 'echo ok' })),
  )
  const measureFrom = performance.now() + durationMs / 4
  let trips = 0
  /** @type {Promise<void>} */
  const isOver = new Promise((resolve) => {
    socket.onTexts((text) => {
      if (text.startsWith('{"t":"cmd:output"')) return
      if (clientId !== undefined && !text.endsWith('"success":true}')) throw new Error(`not done: ${text}`)
      const now = performance.now()
      if (now >= measureFrom) trips++
      if (now >= measureFrom + durationMs) resolve()
      // The frames of `cmd:exec` and `cmd:done` have their ids in the same place.
      socket.send(frames[Number(text.slice(ID_AT, ID_AT + 2))])
    })
    for (const frame of frames) socket.send(frame)
  })
  await isOver
  socket.close()
  return { perSecond: (trips * 1_000) / durationMs }
}

await serveLoad(import.meta.url, execute)
