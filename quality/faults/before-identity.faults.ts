// Faults of strangers: silence, slowness and bodies that come before anybody has said who they are.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, post, RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { RawSession } from '../../harness/wire/raw-session.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../src/protocol/address.ts'
import { residentKiB } from './load-bench.mjs'
import { connections, countStatus, fireRequest, sendTimed, type TimedAnswer } from './load-fires.ts'
import { doorOpens } from './request-in-bytes.ts'
import { scenario } from './scenario.ts'

const SILENT = 500

scenario(
  9,
  '500 connections are opened and never say a word',
  'all closed in ≤ 6 s (headersTimeout + 1 s), a fire meanwhile answered in < 250 ms',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    const openedAt = performance.now()
    const silent = await connections(SILENT)
    const firedAt = performance.now()
    const { status } = await post(hook.url, hook.token)
    const fireMs = performance.now() - firedAt
    const ended = Promise.all(silent.map((client) => client.ended())).then(() => performance.now() - openedAt)
    const closedMs = await Promise.race([ended, sleep(10_000, Number.POSITIVE_INFINITY)])
    return {
      got: `closed after ${(closedMs / 1_000).toFixed(1)} s, the fire answered ${status} in ${fireMs.toFixed(0)} ms`,
      holds: closedMs <= 6_000 && status === 200 && fireMs < 250,
    }
  },
)

const SLOW = 50

scenario(
  10,
  `${SLOW} connections send their headers at a byte a second, ${SLOW} the body of a fire`,
  'headers: 408 in ≤ 6 s; body: answered in < 250 ms all the same, 408 in ≤ 11 s',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    const [withHeaders, withBody] = [await connections(SLOW), await connections(SLOW)]
    const drip = setInterval(() => {
      for (const { socket } of [...withHeaders, ...withBody]) if (socket.writable) socket.write('x')
    }, 1_000)
    const headers = Promise.all(withHeaders.map((client) => endOf(client.send(`POST /hook/${hook.id} HTTP/1.1\r\nX-`))))
    const answers = await Promise.all(
      withBody.map((client) => answerAndEnd(client, fireRequest(hook, { announced: 1_000 }))),
    )
    const bodies = answers.map(({ end }) => end)
    clearInterval(drip)
    const slowest = Math.max(...answers.map(({ answer }) => answer.ms))
    const accepted = countStatus(
      answers.map(({ answer }) => answer),
      200,
    )
    const [timedOut, headersMs] = summarise(await headers)
    const [cut, bodiesMs] = summarise(bodies)
    return {
      got: `headers: ${timedOut} × 408 in ${seconds(headersMs)}; body: ${accepted} × 200 in ${slowest.toFixed(0)} ms, ${cut} × 408 in ${seconds(bodiesMs)}`,
      holds:
        [timedOut, accepted, cut].every((count) => count === SLOW) &&
        headersMs <= 6_000 &&
        slowest < 250 &&
        bodiesMs <= 11_000,
    }
  },
)

interface End {
  /** What had come and was not taken as an answer. */
  readonly text: string
  /** From the call. */
  readonly ms: number
}

async function endOf(client: RawClient): Promise<End> {
  const from = performance.now()
  return { text: await client.ended(), ms: performance.now() - from }
}

async function answerAndEnd(client: RawClient, request: string): Promise<{ answer: TimedAnswer; end: End }> {
  const from = performance.now()
  const [answer] = (await sendTimed(client, request)) as [TimedAnswer]
  const text = await client.ended()
  return { answer, end: { text, ms: performance.now() - from } }
}

/** @returns how many were told 408, and the longest time */
function summarise(ends: readonly End[]): [told: number, longestMs: number] {
  const told = ends.filter(({ text }) => text.startsWith('HTTP/1.1 408 ')).length
  return [told, Math.max(...ends.map(({ ms }) => ms))]
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

const UPGRADES = 100

scenario(
  11,
  `${UPGRADES} sockets upgrade, never say hello, and ignore the close`,
  'all told 4408 in ≤ 10.5 s and cut ≤ 1.5 s later, a fire meanwhile < 250 ms',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    await doorOpens()
    const mute = Array.from({ length: UPGRADES }, async () => {
      const session = await RawSession.open()
      const from = performance.now()
      await once(session.client.socket, 'data')
      const toldMs = performance.now() - from
      return { code: await session.closeCode(), toldMs, goneMs: performance.now() - from - toldMs }
    })
    await sleep(5_000)
    const [fire] = (await sendTimed(await new RawClient().connected(), fireRequest(hook))) as [TimedAnswer]
    const ends = await Promise.all(mute)
    const told = ends.filter(({ code }) => code === 4408).length
    const toldMs = Math.max(...ends.map((end) => end.toldMs))
    const goneMs = Math.max(...ends.map((end) => end.goneMs))
    return {
      got: `${told} told 4408 in ${seconds(toldMs)}, cut ${seconds(goneMs)} later, the fire ${fire.status} in ${fire.ms.toFixed(0)} ms`,
      holds: told === UPGRADES && toldMs <= 10_500 && goneMs <= 1_500 && fire.status === 200 && fire.ms < 250,
    }
  },
)

/** V8 lets 64 MiB of buffers that nobody needs stand before it collects them, however much is poured. */
const PEAK_MIB = 80
const UNREAD = LISTENER_LIMITS.bodyBytes + 1

scenario(
  13,
  'a body over the limit is announced; asks for 100-continue; never ends',
  'answered in < 250 ms unread, never 100; cut in ≤ 2 s, memory peak < 80 MiB more',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    const { pid } = await RunningHookline.listening(directory)
    const expecting = { announced: UNREAD, headers: 'Expect: 100-continue\r\n' }
    const requests = [
      fireRequest(hook, { announced: UNREAD }),
      fireRequest(hook, { announced: UNREAD, token: '' }),
      fireRequest(hook, expecting),
      fireRequest(hook, { ...expecting, token: '' }),
    ]
    const answers: TimedAnswer[] = []
    for (const request of requests) {
      const client = await new RawClient().connected()
      answers.push(...(await sendTimed(client, request)))
      client.close()
    }
    const before = residentKiB(pid)
    const { status, answerMs, endMs, pouredMiB, peakKiB } = await pour(fireRequest(hook, { announced: 'chunked' }), pid)
    const statuses = [...answers.map((answer) => answer.status), status].join(' ')
    const slowest = Math.max(answerMs, ...answers.map(({ ms }) => ms))
    const grownMiB = (peakKiB - before) / 1_024
    return {
      got: `${statuses} in ${slowest.toFixed(0)} ms; cut after ${seconds(endMs)} and ${pouredMiB.toFixed(0)} MiB, peak ${grownMiB.toFixed(0)} MiB more`,
      holds:
        statuses === '200 401 200 401 200' && slowest < 250 && endMs <= 2_000 && pouredMiB > 1 && grownMiB < PEAK_MIB,
    }
  },
)

const CHUNK = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)

/** Sends chunks as fast as they are taken, and goes on when hookline ends its side, until it is cut. */
async function pour(request: string, pid: number) {
  const socket = connect({ host: LISTENER_HOST, port: LISTENER_PORT, allowHalfOpen: true }).on('error', () => {})
  await once(socket, 'connect')
  const from = performance.now()
  const answered = once(socket, 'data').then(([bytes]) => ({
    status: Number(String(bytes).slice(9, 12)),
    answerMs: performance.now() - from,
  }))
  // Being cut is no error here, as it would be to `once`.
  const gone = new Promise((resolve) => socket.on('close', resolve))
  let peakKiB = residentKiB(pid)
  const watching = setInterval(() => {
    peakKiB = Math.max(peakKiB, residentKiB(pid))
  }, 20)
  socket.write(request)
  const deadline = performance.now() + 10_000
  while (!socket.closed && performance.now() < deadline) {
    if (!socket.write(CHUNK))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone, sleep(10_000)])
  }
  const endMs = performance.now() - from
  clearInterval(watching)
  socket.destroy()
  return { ...(await answered), endMs, pouredMiB: socket.bytesWritten / 2 ** 20, peakKiB }
}
