// Faults of coming back: a thousand reconnections, and the patience of the published client.
import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, RunningHookline } from '../../harness/process/hookline.ts'
import { ScriptedHookline } from '../../harness/wire/scripted-hookline.ts'
import { RETRY_LIMITS } from '../../src/client/connection-state.ts'
import { CLOSE_CODES, type CloseReason } from '../../src/protocol/frames.ts'
import { type BuiltPage, builtPage } from './built-client.ts'
import { doorOpens } from './request-in-bytes.ts'
import { type CaseRow, tally } from './row-tally.ts'
import { scenario } from './scenario.ts'
import { type Sample, SoakedHookline } from './soak-server.ts'
import { openPage, trustPages } from './trusted-page.ts'

const RECONNECTS = 1_000
const WARM_UPS = 3
const AT_ONCE = 10

/** Pages connect, subscribe and leave, a few at a time. */
async function reconnect(clientId: string, times: number): Promise<void> {
  let left = times
  const visit = async () => {
    while (left-- > 0) {
      const page = await openPage({ clientId })
      page.send({ t: 'subscribe', topics: ['accounts', 'tasks', 'hooks', 'hook-output', 'cross-trade'] })
      await page.nextFrame('state:cross-trade')
      await page.leave()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, visit))
}

/** Once the sockets of those who have left are gone, or are not gone in 10 s. */
async function atRest(hookline: SoakedHookline, descriptors: number): Promise<Sample> {
  let sample = await hookline.sample()
  const isAtRest = async () => {
    sample = await hookline.sample()
    return sample.descriptors <= descriptors
  }
  await vi.waitUntil(isAtRest, { timeout: 10_000, interval: 200 }).catch(() => {})
  return sample
}

scenario(
  30,
  `pages connect, subscribe and leave ${RECONNECTS} times, after ${WARM_UPS} × as many to warm up`,
  'in ≤ 60 s; descriptors as before, memory after collection flat (± 5 %)',
  async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    trustPages(directory, { clientId })
    const hookline = await SoakedHookline.listening(directory)
    await doorOpens()
    const { descriptors } = await hookline.sample()
    // How much of the young generation V8 keeps differs from one collection to the next: the most that it had counts.
    let rssBefore = 0
    for (let round = 0; round < WARM_UPS; round++) {
      await reconnect(clientId, RECONNECTS)
      rssBefore = Math.max(rssBefore, (await hookline.sample()).rssBytes)
    }
    const before = await atRest(hookline, descriptors)
    const from = performance.now()
    await reconnect(clientId, RECONNECTS)
    const seconds = (performance.now() - from) / 1_000
    const after = await atRest(hookline, before.descriptors)
    const heap = after.heapBytes / before.heapBytes
    const rss = after.rssBytes / rssBefore
    const percent = (ratio: number) => `${ratio >= 1 ? '+' : '−'} ${Math.abs(ratio * 100 - 100).toFixed(1)} %`
    const descriptorsTold = `descriptors ${before.descriptors} → ${after.descriptors}`
    return {
      got: `${seconds.toFixed(1)} s; ${descriptorsTold}, heap ${percent(heap)}, RSS ${percent(rss)}`,
      holds: seconds <= 60 && after.descriptors <= before.descriptors && heap <= 1.05 && rss <= 1.05,
    }
  },
)

const WATCHED_MS = 3_000
/** PROTOCOL.md, Reconnecting. */
const BUSY_WAIT_MS = 30_000

/** What the page does about the end of its connection: it stops, it returns, or it does so sooner than promised. */
async function reactionOf(page: BuiltPage, soonestMs: number): Promise<string> {
  await vi.waitUntil(() => page.ends.length === 1, { timeout: 5_000 })
  await sleep(WATCHED_MS)
  const [endedAt = 0] = page.ends
  const { state } = page.client
  const plannedAt =
    state.name === 'waiting-to-reconnect' ? performance.now() + state.retryAt - Date.now() : Number.POSITIVE_INFINITY
  const waitedMs = (page.attempts[1] ?? plannedAt) - endedAt
  if (waitedMs === Number.POSITIVE_INFINITY) return 'stops'
  return waitedMs >= soonestMs - 2 ? 'returns' : `returns after ${waitedMs.toFixed(0)} ms`
}

/** A server that closes with this code after its welcome. */
async function closedWith(reason: CloseReason): Promise<CaseRow> {
  const { code, retry } = CLOSE_CODES[reason]
  const server = await ScriptedHookline.start()
  const page = builtPage(randomUUID(), server.url)
  page.client.connect()
  const session = await server.session()
  session.welcome()
  await page.until('welcomed')
  session.close(code)
  const got = await reactionOf(page, reason === 'busy' ? BUSY_WAIT_MS : RETRY_LIMITS.firstMs / 2)
  return { what: `${code} (${reason})`, wanted: retry === 'never' ? 'stops' : 'returns', got }
}

/** hookline itself denies one and revokes one. */
async function refusedByHookline(): Promise<CaseRow[]> {
  const directory = tempDirectory()
  const clientId = randomUUID()
  trustPages(directory, { clientId })
  await RunningHookline.listening(directory)
  await doorOpens()
  const [revoked, denied] = [builtPage(clientId), builtPage(randomUUID())]
  revoked.client.connect()
  denied.client.connect()
  await revoked.until('welcomed')
  await exec(directory, `clients revoke ${clientId}`)
  const got = await Promise.all([revoked, denied].map((page) => reactionOf(page, 0)))
  const states = [revoked, denied].map(({ client }) => client.state.name)
  return [
    { what: 'revoked by hookline', wanted: 'stops: stopped', got: `${got[0]}: ${states[0]}` },
    { what: 'denied by hookline', wanted: 'stops: denied', got: `${got[1]}: ${states[1]}` },
  ]
}

scenario(
  30,
  `the published client is closed with each of the ${Object.keys(CLOSE_CODES).length} codes, denied and revoked`,
  'a fatal code stops it; any other is retried, after ≥ 250 ms, and 4429 after ≥ 30 s',
  async () => {
    const scripted = Promise.all((Object.keys(CLOSE_CODES) as CloseReason[]).map(closedWith))
    return tally([...(await scripted), ...(await refusedByHookline())])
  },
)

const TABS = 200
const FAILURES = 4
/** Beside what this process was late itself. */
const LATE_MS = 50

interface Delay {
  /** Half of the ceiling that is promised for it, in ms: it lies between that and twice that. */
  readonly halfMs: number
  readonly ms: number
}

/** One after each lost connection. */
function delaysOf({ attempts, ends }: BuiltPage): Delay[] {
  return ends.flatMap((end, failures) => {
    const next = attempts[failures + 1]
    const halfMs = Math.min(RETRY_LIMITS.capMs, RETRY_LIMITS.firstMs * 2 ** failures) / 2
    return next === undefined ? [] : [{ halfMs, ms: next - end }]
  })
}

/** Shares of delays in each quarter of their range. Late timers would show in the short ones. */
function quartersOf(delays: readonly Delay[]): number[] {
  const counts = [0, 0, 0, 0]
  const long = delays.filter(({ halfMs }) => halfMs >= 1_000)
  for (const { halfMs, ms } of long) {
    const quarter = Math.max(0, Math.min(3, Math.floor(((ms - halfMs) / halfMs) * 4)))
    counts[quarter] = (counts[quarter] ?? 0) + 1
  }
  return counts.map((count) => count / long.length)
}

scenario(
  30,
  `${TABS} published clients lose hookline (kill -9), back after ${FAILURES} failures of each`,
  'delays in [c/2, c), c = 500 ms · 2ⁿ, 25 ± 9 % in each quarter; all come back',
  async () => {
    const directory = tempDirectory()
    const ids = Array.from({ length: TABS }, () => randomUUID())
    trustPages(directory, ...ids.map((clientId) => ({ clientId })))
    const first = await RunningHookline.listening(directory)
    const pages = ids.map((clientId) => builtPage(clientId))
    for (const { client } of pages) client.connect()
    await Promise.all(pages.map(({ until }) => until('welcomed')))
    const lateness = monitorEventLoopDelay({ resolution: 10 })
    lateness.enable()
    first.signal('SIGKILL')
    await first.ended()
    const haveFailed = () => pages.every(({ ends }) => ends.length > FAILURES)
    await vi.waitUntil(haveFailed, { timeout: 60_000 })
    await RunningHookline.listening(directory)
    const back = () => pages.filter(({ client }) => client.state.name === 'welcomed').length
    await vi.waitUntil(() => back() === TABS, { timeout: 60_000 }).catch(() => {})

    const delays = pages.flatMap(delaysOf)
    // Node counts a timer from the beginning of the turn that sets it: in a long turn it is due early.
    const turnMs = lateness.max / 1e6
    const within = delays.filter(
      ({ halfMs, ms }) => ms >= halfMs - turnMs - 2 && ms <= 2 * halfMs + turnMs + LATE_MS,
    ).length
    const quarters = quartersOf(delays)
    const told = quarters.map((share) => (share * 100).toFixed(0)).join(' / ')
    return {
      got: `${within} of ${delays.length} delays in it, ${told} %; ${back()} of ${TABS} back`,
      holds: within === delays.length && quarters.every((share) => Math.abs(share - 0.25) < 0.09) && back() === TABS,
    }
  },
)
