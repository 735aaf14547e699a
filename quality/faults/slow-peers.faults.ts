// Faults of slow peers: pages that do not read, do not answer or sleep, and a hookline that does.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { HooklineProcess } from '../../harness/process/hookline-process.ts'
import { RawSession } from '../../harness/wire/raw-session.ts'
import { fire } from '../../harness/wire/wire-rows.ts'
import { clientFrameBytes, type WsClient } from '../../harness/wire/ws-client.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'
import { WIRE_LIMITS } from '../../src/protocol/frames.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { startBystander } from './bystander.ts'
import { PausedReader } from './paused-reader.ts'
import { scenario } from './scenario.ts'

const MiB = 1_024 * 1_024

/** One push, in MB. */
const PUSH_MB = 0.25

/** Counts what arrives and keeps none of it. */
function countFrames(page: WsClient): () => number {
  let frames = 0
  page.ws.removeAllListeners('message')
  page.ws.on('message', () => {
    frames++
  })
  return () => frames
}

/** Pages that read all that is pushed, and a push that waits for them: {@link PUSH_MB} of output of a hook. */
async function pushTo(hookline: HooklineProcess, readers: number) {
  const lines = 62
  const body = `repeat ${lines} (echo ${'x'.repeat(3_900)})`
  const hook = await openHookStore(hookline.directory).create({ name: 'flood', command: body })
  const counts: (() => number)[] = []
  for (let reader = 0; reader < readers; reader++) counts.push(countFrames(await subscriber(hookline)))
  let fires = 0
  return async () => {
    fires++
    expect((await fire(hook)).status).toBe(200)
    const expected = fires * (lines + 1)
    await vi.waitUntil(() => counts.every((count) => count() === expected), { interval: 1, timeout: 10_000 })
  }
}

async function subscriber(hookline: HooklineProcess): Promise<WsClient> {
  const page = await hookline.welcomed()
  page.send({ t: 'subscribe', topics: ['hook-output'] })
  await page.settled()
  return page
}

function signedMiB(growth: number): string {
  return `RSS ${growth >= 0 ? '+' : '−'} ${Math.abs(growth).toFixed(1)} MiB`
}

const WARM_UP_MB = 120
const PUSHED_MB = 200

scenario(
  28,
  `${PUSHED_MB} MB are pushed at a page that reads nothing, and is back after each cut`,
  'RSS + < 16 MiB; each time cut with 1013 in ≤ 5 s; others answered in < 50 ms (p99)',
  async () => {
    const hookline = await HooklineProcess.start()
    const push = await pushTo(hookline, 2)
    let before = 0
    for (let pushed = 0; pushed < WARM_UP_MB; pushed += PUSH_MB) {
      await push()
      if (Number.isInteger(pushed / 5)) before = Math.max(before, hookline.rss())
    }
    const stopBystander = await startBystander(hookline.clientId)
    const codes: number[] = []
    const cutMs: number[] = []
    let peak = 0
    let reader = new PausedReader(await subscriber(hookline))
    for (let pushed = 0; pushed < PUSHED_MB; pushed += PUSH_MB) {
      await push()
      if (Number.isInteger(pushed / 5)) peak = Math.max(peak, hookline.rss())
      if (!reader.isStuck()) continue
      cutMs.push(performance.now() - reader.pausedAt)
      codes.push(await reader.readOn())
      reader = new PausedReader(await subscriber(hookline))
    }
    const { p99 } = await stopBystander()
    const growth = (peak - before) / MiB
    const slowest = Math.max(...cutMs) / 1_000
    const tooSlow = codes.filter((code) => code === 1013).length
    const cuts = `${tooSlow} of ${codes.length} cuts 1013, in ≤ ${slowest.toFixed(2)} s`
    return {
      got: `${signedMiB(growth)}; ${cuts}; p99 ${p99.toFixed(1)} ms`,
      holds: growth < 16 && codes.length > 0 && tooSlow === codes.length && slowest <= 5 && p99 < 50,
    }
  },
)

const OUTPUT_MIB = 64

scenario(
  28,
  'a page reads nothing while runs of its own print 400 MB without a pause',
  `RSS + < ${OUTPUT_MIB} MiB; another page is answered meanwhile`,
  async () => {
    const hookline = await HooklineProcess.start()
    const [page, other] = [await hookline.welcomed(), await hookline.welcomed()]
    const frames = countFrames(page)
    const line = 'x'.repeat(4_000)
    page.send({ t: 'cmd:exec', id: 'warm', command: `repeat 500 (repeat 10 (echo ${line}))` })
    await vi.waitUntil(() => frames() === 5_001, { timeout: PATIENCE_MS })
    const before = hookline.rss()
    page.ws.pause()
    // 9 010 steps each: a run may take 10 000.
    for (let run = 0; run < 12; run++) {
      page.send({ t: 'cmd:exec', id: `flood ${run}`, command: `repeat 9 (repeat 1000 (echo ${line}))` })
    }
    const from = performance.now()
    other.send({ t: 'cmd:exec', id: 'other', command: 'echo on' })
    const { success } = await other.nextFrame('cmd:done')
    const growth = (hookline.rss() - before) / MiB
    return {
      got: `${signedMiB(growth)}; answered in ${(performance.now() - from).toFixed(0)} ms`,
      holds: growth < OUTPUT_MIB && success,
    }
  },
)

const PINGS = 400_000

scenario(
  28,
  `a page reads nothing and sends up to ${PINGS / 1_000} 000 pings, each of which wants an answer`,
  'RSS + < 16 MiB; another page is answered afterwards',
  async () => {
    const hookline = await HooklineProcess.start()
    const page = await hookline.welcomed()
    const before = hookline.rss()
    page.ws.pause()
    let sent = 0
    for (; sent < PINGS && page.ws.readyState === page.ws.OPEN; sent++) {
      page.ws.ping('x'.repeat(120))
      if (sent % 1_000 === 999) await new Promise((resolve) => setImmediate(resolve))
    }
    const growth = (hookline.rss() - before) / MiB
    page.ws.terminate()
    const other = await hookline.welcomed()
    other.send({ t: 'cmd:exec', id: 'other', command: 'echo on' })
    const { success } = await other.nextFrame('cmd:done')
    return { got: `${signedMiB(growth)} after ${sent} pings`, holds: growth < 16 && success }
  },
)

const PAGES = 20

/** How many still have their session. */
async function countAlive(pages: readonly WsClient[]): Promise<number> {
  const alive = await Promise.all(
    pages.map((page) => Promise.race([page.settled().then(() => true), page.closed().then(() => false)])),
  )
  return alive.filter(Boolean).length
}

async function welcomedPages(hookline: HooklineProcess): Promise<WsClient[]> {
  return Promise.all(Array.from({ length: PAGES }, () => hookline.welcomed()))
}

const PING = '\u0089\u0000'

scenario(
  29,
  `a page answers no ping, beside ${PAGES} that do`,
  `cut ≤ ${LISTENER_LIMITS.missedPongs} intervals (50 s) after the first unanswered ping; the others stay`,
  async () => {
    const hookline = await HooklineProcess.start()
    const pages = await welcomedPages(hookline)
    const mute = await RawSession.open()
    let firstPingAt = 0
    mute.client.socket.on('data', (bytes: string) => {
      if (firstPingAt === 0 && bytes.includes(PING)) firstPingAt = performance.now()
    })
    mute.send(clientFrameBytes(JSON.stringify({ t: 'hello', clientId: hookline.clientId })))
    const said = await mute.client.ended()
    const seconds = (performance.now() - firstPingAt) / 1_000
    const pings = said.split(PING).length - 1
    const alive = await countAlive(pages)
    const limit = (LISTENER_LIMITS.missedPongs * WIRE_LIMITS.pingMs) / 1_000
    return {
      got: `cut ${seconds.toFixed(1)} s after it, ${pings} pings unanswered; ${alive} of ${PAGES} stay`,
      holds: firstPingAt > 0 && seconds <= limit + 1 && alive === PAGES,
    }
  },
)

const NAP_MS = 60_000

scenario(
  29,
  `hookline sleeps ${NAP_MS / 1_000} s (SIGSTOP; 120 s halved) while ${PAGES} pages ask for something`,
  'all pages stay, after the wake-up and after the next two pings, and get their answers',
  async () => {
    const hookline = await HooklineProcess.start()
    const pages = await welcomedPages(hookline)
    hookline.signal('SIGSTOP')
    for (const page of pages) page.send({ t: 'cmd:exec', id: 'a', command: 'echo awake' })
    await sleep(NAP_MS)
    const pinged = pages.map(async (page) => {
      for (let pings = 0; pings < 2; pings++) await once(page.ws, 'ping')
    })
    hookline.signal('SIGCONT')
    const wokeAt = performance.now()
    const answers = await Promise.allSettled(pages.map((page) => page.nextFrame('cmd:done')))
    const answeredMs = performance.now() - wokeAt
    const answered = answers.filter(({ status }) => status === 'fulfilled').length
    const atWakeUp = await countAlive(pages)
    await Promise.all(pages.map((page, index) => Promise.race([pinged[index], page.closed()])))
    const later = await countAlive(pages)
    const answersTold = `${answered} answers within ${answeredMs.toFixed(0)} ms`
    return {
      got: `${atWakeUp} of ${PAGES} stay, ${later} after two pings; ${answersTold}`,
      holds: [atWakeUp, later, answered].every((count) => count === PAGES),
    }
  },
)
