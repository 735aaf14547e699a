// A page in front of a person while hooks print a thousand lines a second: what the person sees of it. A desk with 200 hooks, 50 accounts and 30
// positions; ten runs at once; the pages Trade, Hooks and Journal in turn, a minute each, the terminal open over them. An idle page in the same
// browser is drawn at the same time: its rate is what this machine can draw just then.
import { goTo, openTerminal } from '../../scripts/console-camera.mjs'
import { sendFire } from './desk-fires.mjs'
import { beginWatch, DeskProbe, readWatch } from './desk-probe.mjs'
import { busyReason, openDesk, showTrade } from './desk-stage.mjs'
import { judge, median, spreadOf } from './rounds.mjs'

/** @typedef {{ minutes: number, minuteMs: number }} Scale minuteMs: how long a page is shown */

/** @type {import('./groups.mjs').Group<Scale>} */
export const desk = {
  full: { minutes: 10, minuteMs: 60_000 },
  quick: { minutes: 4, minuteMs: 10_000 },
  measure: measureDesk,
}

const HOOKS = 200
const ACCOUNTS = 50
/** Hooks that print, each a run at a time: 10 rounds of 10 lines in a second. */
const PRINTING = 10
const LINES = 10
const ROUNDS = 10
const ROUND_MS = 100
/** Says it for a while: a thousand lines a second leave none in sight for longer than a frame. */
const MARKING = 'repeat 10 (echo MARK {n:usd<=1000000}; sleep 20ms)'
const PAGES = ['Trade', 'Hooks', 'Journal']
/** Keys pressed and fires sent in a minute. */
const TRIES = 20

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureDesk({ minutes, minuteMs }) {
  const opened = await openDesk({ hooks: hookRows(), accounts: ACCOUNTS - 1 })
  const { page, stage, requests } = opened
  // In a window of its own: a tab behind another one is not drawn.
  const idle = await (await stage.browser.newContext()).newPage()
  await showTrade(page)
  const probe = await DeskProbe.of(page)
  const quiet = await observe(probe, page, idle, requests, minuteMs)
  const flood = startFlood(requests.slice(0, PRINTING))
  /** @type {Minute[]} */
  const seen = []
  for (let minute = 0; minute < minutes; minute++) {
    await goTo(page, PAGES[minute % PAGES.length])
    await openTerminal(page)
    seen.push(await observe(probe, page, idle, requests, minuteMs))
    console.error(`  ${PAGES[minute % PAGES.length]}: ${describe(seen[minute])}`)
  }
  await flood.stop()
  await opened.close()
  return rowsOf(quiet, seen)
}

/** @returns {{ command: string, limits?: object }[]} */
function hookRows() {
  const lines = Array.from(
    { length: LINES },
    (_, index) => `echo {n:usd<=1000000} line ${index} of what a strategy has to say`,
  )
  const printing = { command: `repeat ${ROUNDS} (${lines.join('; ')}; sleep ${ROUND_MS}ms)` }
  const rows = Array.from({ length: HOOKS }, (_, index) => ({
    command: `buy {size:usd<=${index + 1}} BTCUSDT stop -1%`,
  }))
  return [...Array.from({ length: PRINTING }, () => printing), { command: MARKING }, ...rows].slice(0, HOOKS)
}

/** @param {readonly string[]} requests one a second of each */
function startFlood(requests) {
  let count = 0
  let isOver = false
  const loop = async (/** @type {string} */ request, /** @type {number} */ index) => {
    await new Promise((wake) => setTimeout(wake, (index * 1_000) / requests.length))
    const startedAt = performance.now()
    for (let fired = 0; !isOver; fired++) {
      await sendFire(request, { n: ++count })
      await new Promise((wake) => setTimeout(wake, startedAt + (fired + 1) * ROUNDS * ROUND_MS - performance.now()))
    }
  }
  const loops = requests.map(loop)
  return {
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
  }
}

/**
 * @typedef {object} Minute
 * @property {number} frames drawn in a second
 * @property {number} idleFrames of the page beside it
 * @property {number} lines that came in a second
 * @property {number} longestMs between two frames
 * @property {number[]} keysMs
 * @property {number[]} firesMs
 * @property {number} heapMb
 * @property {number} nodes
 */

/**
 * @param {DeskProbe} probe @param {import('playwright-core').Page} page @param {import('playwright-core').Page} idle
 * @param {readonly string[]} requests @param {number} ms @returns {Promise<Minute>}
 */
async function observe(probe, page, idle, requests, ms) {
  await Promise.all([beginWatch(page), beginWatch(idle)])
  const [keysMs, firesMs] = await Promise.all([
    probe.typeKeys(TRIES, ms / TRIES),
    probe.fireMarks(requests[PRINTING], TRIES, ms / TRIES),
  ])
  const [own, beside] = await Promise.all([readWatch(page), readWatch(idle)])
  return { ...own, idleFrames: beside.frames, keysMs, firesMs, ...(await probe.memory()) }
}

/** @param {number[]} values @param {number} share */
function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]
}

/** @param {Minute} minute */
function describe({ frames, idleFrames, lines, longestMs, keysMs, firesMs, heapMb, nodes }) {
  return [
    `${frames.toFixed(1)} frames/s (idle page ${idleFrames.toFixed(1)}), longest ${longestMs.toFixed(0)} ms`,
    `${lines.toFixed(0)} lines/s`,
    `key ${median(keysMs).toFixed(0)} ms (p95 ${percentile(keysMs, 0.95).toFixed(0)})`,
    `fire ${median(firesMs).toFixed(0)} ms (p95 ${percentile(firesMs, 0.95).toFixed(0)})`,
    `heap ${heapMb.toFixed(1)} MB, ${nodes} nodes`,
  ].join(', ')
}

/** @param {Minute} quiet @param {readonly Minute[]} seen @returns {import('./rounds.mjs').Row[]} */
function rowsOf(quiet, seen) {
  const of = (/** @type {(minute: Minute) => number} */ read) => spreadOf(seen.map(read))
  const middle = (/** @type {(minute: Minute) => number} */ read) => median(seen.map(read)).toFixed(0)
  const latest = (/** @type {number[]} */ times) => percentile(times, 0.95)
  const [first] = seen
  // The page of the first minute again, with as much behind it as there will be.
  const last = seen.findLast((_, minute) => minute % PAGES.length === 0) ?? first
  const under = 'the console under 1 000 lines/s'
  const busy = busyReason()
  const load = `${seen.length} looks, ${middle(({ lines }) => lines)} lines/s`
  return [
    judge(
      `frames of ${under}, against an idle page beside it`,
      { atLeast: 0.92 },
      of(({ frames, idleFrames }) => frames / idleFrames),
      `${middle(({ frames }) => frames)}/s; idle page ${middle(({ idleFrames }) => idleFrames)}/s; ${load}`,
      busy,
    ),
    judge(
      `${under}: ms from a key to its echo, 19 of 20`,
      { atMost: 50 },
      of(({ keysMs }) => latest(keysMs)),
      `median ${middle(({ keysMs }) => median(keysMs))} ms; without the lines ${median(quiet.keysMs).toFixed(0)} ms`,
      busy,
    ),
    judge(
      `${under}: ms from a fire to its line in sight, 19 of 20`,
      { atMost: 200 },
      of(({ firesMs }) => latest(firesMs)),
      `median ${middle(({ firesMs }) => median(firesMs))} ms; without the lines ${median(quiet.firesMs).toFixed(0)} ms`,
      busy,
    ),
    judge(
      `${under}: heap after all garbage is collected, MB`,
      { atMost: 60 },
      of(({ heapMb }) => heapMb),
      `before the lines ${quiet.heapMb.toFixed(1)} MB`,
    ),
    judge(
      `${under}: heap after ${seen.length} looks less that after the first, MB`,
      { atMost: 6 },
      spreadOf([last.heapMb - first.heapMb]),
      `${first.heapMb.toFixed(1)} → ${last.heapMb.toFixed(1)} MB`,
    ),
    judge(
      `${under}: nodes of the page after ${seen.length} looks, against the first`,
      { atMost: 1.5 },
      spreadOf([last.nodes / first.nodes]),
      `${first.nodes} → ${last.nodes}; with 200 hooks in sight ${Math.max(...seen.map(({ nodes }) => nodes))}`,
    ),
  ]
}
