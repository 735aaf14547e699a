// kill -9 of the process that fires hooks by their own conditions and times, again and again, under a clock that goes faster. What its files say
// in the end is held to the market itself: which bars made a condition true, and when.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPaperAccount } from '../../../harness/files/paper-account.ts'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { BINARY, RunningHookline } from '../../../harness/process/hookline.ts'
import { createRandom, type Random } from '../../../harness/random/random.ts'
import { madeCandles } from '../../../src/exchanges/paper/market-source.ts'
import { createJointWalk } from '../../../src/exchanges/paper/random-walk.ts'
import { openHookStore } from '../../../src/stores/hooks.ts'
import { orderIdPrefix } from '../../../src/trading/order-plan.ts'
import { createEvaluator } from '../../../src/triggers/evaluator.ts'
import { barOf } from '../../../src/triggers/indicators.ts'
import { parseTrigger } from '../../../src/triggers/trigger.ts'
import { readJournal } from '../journal-lines.ts'
import type { Finding } from '../scenario.ts'
import { ageLocks } from './age-locks.ts'
import { untilGrown } from './until-grown.ts'
import { untilHealthy } from './until-healthy.ts'

const MINUTE_MS = 60_000
/** More than any of these conditions looks back. */
const WARM_UP = 50
/** What is found later than that is never fired. */
const LATE_MS = 30_000
/** Then the run is written down, on a disk that others use; ms of the true clock. */
const WRITTEN_WITHIN_MS = 3_000
/** A process that was there so long before a bar judges it. */
const SETTLED_MS = 60_000
const LATEST_KILL_MS = 5_000
/** Of the rounds, those that end at what a fire writes. */
const AIMED_SHARE = 0.6

const SYMBOL = 'DOGEUSDT'
const HOOKS = [
  { name: 'rising', text: 'close(1m) > open(1m)', command: 'echo rose' },
  { name: 'falling', text: 'close(1m) < open(1m)', command: `sell 100.0 ${SYMBOL}` },
  { name: 'crossing', text: 'close(1m) crosses sma(3)', command: 'echo crossed' },
  { name: 'breaking', text: 'close(1m) > highest(high, 2)[1]', command: 'echo broke out' },
  { name: 'minutely', text: 'every 1m', command: `buy 100.0 ${SYMBOL}` },
] as const

interface KillPlan {
  readonly rounds: number
  readonly seed: number
  /** How many times as fast the clock goes. */
  readonly rate: number
}

interface Alive {
  readonly from: number
  readonly to: number
}

interface Stage {
  readonly directory: string
  readonly latestMs: number
  readonly now: () => number
  readonly hookOf: ReadonlyMap<string, (typeof HOOKS)[number]>
  readonly since: number
  readonly alive: readonly Alive[]
  /** Orders at the venue: our name by the venue's. */
  readonly placed: ReadonlyMap<string, string>
}

export async function killTriggers({ rounds, seed, rate }: KillPlan): Promise<Finding> {
  const random = createRandom(seed)
  const directory = tempDirectory()
  const from = Date.now()
  const now = () => from + (Date.now() - from) * rate
  const store = openHookStore(directory, now)
  const since = now()
  const hookOf = new Map<string, (typeof HOOKS)[number]>()
  for (const hook of HOOKS) {
    const { name, text, command } = hook
    const symbol = text.startsWith('every') ? {} : { symbol: SYMBOL }
    const { id } = await store.create({ name, command, account: 'paper', when: { text, since, ...symbol } })
    hookOf.set(id, hook)
  }
  const alive: Alive[] = []
  const placed = new Map<string, string>()
  const start = () =>
    new RunningHookline(directory, [`${rate}@${from}`, BINARY, 'listen'], {
      binary: resolve(import.meta.dirname, '../fast-clock.cjs'),
    })
  for (let round = 0; round < rounds; round += 1) {
    const hookline = start()
    await untilHealthy(hookline.pid)
    const startedAt = now()
    await untilKill(directory, random)
    hookline.signal('SIGKILL')
    alive.push({ from: startedAt, to: now() })
    await hookline.ended()
    ageLocks(directory)
    collect(directory, placed)
    // Longer than a fire may be late, at times.
    if (round === 0) await sleep((2.2 * MINUTE_MS) / rate)
    else if (random.chance(0.3)) await sleep(random.below((1.5 * MINUTE_MS) / rate))
    if ((round + 1) % 25 === 0) console.log(`  ${round + 1} of ${rounds} kills`)
  }
  // What was cut off is settled.
  const last = start()
  await untilHealthy(last.pid)
  await sleep((MINUTE_MS * 1.2) / rate)
  last.signal('SIGTERM')
  await last.ended()
  collect(directory, placed)
  return judge({ directory, latestMs: LATE_MS + WRITTEN_WITHIN_MS * rate, now, hookOf, since, alive, placed }, rounds)
}

async function untilKill(directory: string, random: Random): Promise<void> {
  if (!random.chance(AIMED_SHARE)) return sleep(random.below(LATEST_KILL_MS))
  await untilGrown(join(directory, 'triggers.jsonl'))
  await sleep(random.below(40))
}

/** The venue keeps the last ones in sight. */
function collect(directory: string, placed: Map<string, string>): void {
  const { endedOrders = [], openOrders = [] } = readPaperAccount(directory, 'paper') ?? {}
  for (const { order } of [...endedOrders, ...openOrders]) placed.set(order.id, order.clientOrderId ?? order.id)
}

interface EdgeLine {
  readonly hook: string
  readonly at: number
  readonly run?: string
}

async function judge(
  { directory, latestMs, now, hookOf, since, alive, placed }: Stage,
  rounds: number,
): Promise<Finding> {
  const lines = readFileSync(join(directory, 'triggers.jsonl'), 'utf8').split('\n').flatMap(decoded)
  const edges = lines.filter(({ t }) => t === 'edge') as unknown as readonly EdgeLine[]
  const fired = edges.filter(({ run }) => run !== undefined)
  const lost = new Set(edges.filter(({ run }) => run === undefined).map(keyOf))
  const journal = readJournal(directory)
  const started = journal.lines.filter(({ t }) => t === 'start')
  const edgeOf = new Map(fired.map((edge) => [edge.run ?? '', edge]))
  const ran = started.flatMap(({ runId, at }) => {
    const edge = edgeOf.get(runId)
    return edge === undefined ? [] : [{ ...edge, lateMs: at - edge.at }]
  })
  const truth = await edgesOf(directory, since, now())
  const due = (edge: EdgeLine) => truth.get(hookOf.get(edge.hook)?.name ?? '')?.has(edge.at) === true
  const orders = readOrders(directory)
  const perRun = ran.map(({ run = '' }) => orders.filter((id) => id.startsWith(orderIdPrefix(run))).length)
  const known = new Set([...fired.map(keyOf), ...lost])
  const unseen = [...hookOf].flatMap(([hook, { name }]) =>
    [...(truth.get(name) ?? [])].filter(
      (at) =>
        !known.has(keyOf({ hook, at })) && alive.some((each) => each.from + SETTLED_MS < at && at + latestMs < each.to),
    ),
  )
  const broken = {
    'bars or times fired twice': duplicates(fired.map(keyOf)) + duplicates(ran.map(keyOf)),
    'runs of no fire': started.length - ran.length,
    'fires of what was not so': fired.filter((edge) => !due(edge)).length,
    'late fires': ran.filter(({ lateMs }) => lateMs > latestMs || lateMs < 0).length,
    'runs with two orders': perRun.filter((count) => count > 1).length,
    'orders twice at the venue': duplicates([...placed.values()]),
    'edges that no one noticed while hookline ran': unseen.length,
  }
  for (const { hook, at } of fired.filter((edge) => !due(edge)))
    console.log(`  not so: ${hookOf.get(hook)?.name} at ${at}`)
  const bad = Object.entries(broken).filter(([, count]) => count !== 0)
  const all = [...truth.values()].reduce((sum, { size }) => sum + size, 0)
  const longest = Math.max(0, ...ran.map(({ lateMs }) => lateMs))
  const got =
    `${rounds} kills, ${all} bars and times were due: ${ran.length} ran, once each, ${perRun.filter(Boolean).length} of them with their one order, ` +
    `the latest ${(longest / 1_000).toFixed(0)} s after its bar; ${fired.length - ran.length} were cut off and ${all - fired.length} passed while no hookline ran`
  if (bad.length > 0)
    return { got: `${bad.map(([what, count]) => `${count} ${what}`).join(', ')}; ${got}`, holds: false }
  return { got, holds: ran.length > 0 && perRun.some((count) => count === 1) }
}

function keyOf({ hook, at }: Pick<EdgeLine, 'hook' | 'at'>): string {
  return `${hook} ${at}`
}

function duplicates(keys: readonly string[]): number {
  return keys.length - new Set(keys).size
}

/** Half a line is what a kill leaves. */
function decoded(line: string): readonly { readonly t: string }[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

function readOrders(directory: string): readonly string[] {
  const lines = readFileSync(join(directory, 'orders.jsonl'), 'utf8').split('\n').flatMap(decoded)
  const intents = lines.filter(({ t }) => t === 'intent') as unknown as readonly { readonly id: string }[]
  return intents.map(({ id }) => id)
}

/** By the hook's name: when each became true, or was due, by the market itself. */
async function edgesOf(
  directory: string,
  since: number,
  until: number,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const seed = readPaperAccount(directory, 'paper')?.seed ?? ''
  const prices = createJointWalk(seed)
  const limit = Math.ceil((until - since) / MINUTE_MS) + WARM_UP
  const asked = { symbol: SYMBOL, interval: '1m', limit, now: until } as const
  const candles = await madeCandles(prices, asked, async () => {})
  return new Map(
    HOOKS.map(({ name, text }) => {
      const trigger = parseTrigger(text)
      if (trigger.kind === 'schedule') {
        const first = Math.floor(since / MINUTE_MS) + 1
        const count = Math.floor(until / MINUTE_MS) - first + 1
        return [name, new Set(Array.from({ length: count }, (_, index) => (first + index) * MINUTE_MS))]
      }
      const evaluator = createEvaluator(trigger.condition)
      const state = evaluator.initial()
      const edges = candles.slice(0, -1).flatMap((candle) => {
        evaluator.take(state, '1m', barOf(candle))
        const closedAt = candle.at + MINUTE_MS
        return evaluator.judge(state, {}, closedAt).isEdge && closedAt > since ? [closedAt] : []
      })
      return [name, new Set(edges)]
    }),
  )
}
