// Closed bars judged by the product's own evaluator, and carried to the fires of hooks by its driver over real files: `triggers.mjs` bundles this
// and runs it. Usage: node <bundle> <config directory> <conditions> <bars> <hooks> <symbols> <minutes>; prints times in ms as JSON.
import type { Candle, Market } from '../../src/exchange/market.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { openPanicStore } from '../../src/stores/panic.ts'
import { openTasks, openTasksDriver } from '../../src/stores/tasks.ts'
import { openTriggerJournal } from '../../src/tasks/hook-triggers.ts'
import { TASK_KINDS } from '../../src/tasks/kinds.ts'
import { openTaskJournal } from '../../src/tasks/task-journal.ts'
import { TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import { createEvaluator } from '../../src/triggers/evaluator.ts'
import type { Bar } from '../../src/triggers/indicators.ts'
import { parseTrigger } from '../../src/triggers/trigger.ts'

const MINUTE_MS = 60_000
const START = Date.UTC(2026, 0, 1)
/** Enough that each indicator has its values. */
const WARM_UP = 300

const [directory = '', conditions, bars, hooks, symbols, minutes] = process.argv.slice(2)

/** As people write them: each with one to three indicators of its own. */
const TEMPLATES: readonly ((n: number) => string)[] = [
  (n) => `rsi(${5 + (n % 30)}, 1m) crosses above ${20 + (n % 60)}`,
  (n) => `close(1m) crosses above ema(${10 + (n % 150)}) and rsi(14) < ${40 + (n % 30)}`,
  (n) => `macd.histogram(12, 26, ${5 + (n % 9)}, 1m) > 0`,
  (n) => `close(1m) < bb.lower(${10 + (n % 40)}, 2) or close(1m) > bb.upper(${10 + (n % 40)}, 2)`,
  (n) => `close(1m) > highest(high, ${5 + (n % 100)})[1] and volume(1m) > sma(volume, 20)`,
  (n) => `atr(${7 + (n % 20)}, 1m) > ${n % 50} and change(${1 + (n % 10)}) < -0.2`,
]

function evaluated(count: number, bars: number): number[] {
  const all = Array.from({ length: count }, (_, index) => {
    const trigger = parseTrigger(TEMPLATES[index % TEMPLATES.length]?.(index) ?? '')
    if (trigger.kind !== 'condition') throw new Error('a condition is expected')
    const evaluator = createEvaluator(trigger.condition)
    return { evaluator, state: evaluator.initial() }
  })
  const times: number[] = []
  let edges = 0
  for (let index = 0; index < WARM_UP + bars; index += 1) {
    const price = 50_000 + 500 * Math.sin(index / 17) + 90 * Math.cos(index * 2.3)
    const bar: Bar = {
      at: START + index * MINUTE_MS,
      open: price - 5,
      high: price + 20,
      low: price - 20,
      close: price,
      volume: 5 + (index % 7),
    }
    const startedAt = performance.now()
    for (const { evaluator, state } of all) {
      evaluator.take(state, '1m', bar)
      if (evaluator.judge(state, {}, bar.at + MINUTE_MS).isEdge) edges += 1
    }
    if (index >= WARM_UP) times.push(performance.now() - startedAt)
  }
  if (edges === 0) throw new Error('nothing became so')
  return times
}

async function fired(count: number, symbolCount: number, minutes: number): Promise<number[]> {
  let now = START
  const names = Array.from({ length: symbolCount }, (_, index) => `C${index}USDT`)
  const answeredAt = new Map<string, number>()
  const times: number[] = []
  const delays = new Set<{ readonly at: number; end(): void }>()
  const clock = {
    now: () => now,
    delay: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const delay = {
          at: now + ms,
          end() {
            delays.delete(delay)
            resolve()
          },
        }
        signal.addEventListener('abort', delay.end, { once: true })
        delays.add(delay)
      }),
  }
  /** High in each second minute: every hook fires then. */
  const candle = (at: number): Candle => {
    const close = (at / MINUTE_MS) % 2 === 0 ? '90' : '120'
    return { at, open: close, high: close, low: close, close, volume: '1' }
  }
  const venue = {
    id: 'scripted',
    capabilities: {},
    stream: 'live',
    subscribe: () => () => {},
    watchTicker: () => () => {},
    loadMarkets: async () => names.map(marketOf),
    fetchTicker: async (symbol: string) => ({ symbol, last: '100', bid: '100', ask: '100', timestamp: now }),
    fetchPositions: async () => [],
    async fetchCandles(symbol: string, _frame: string, limit: number) {
      // As answers of a venue: each in a turn of its own.
      await new Promise<void>((resolve) => setImmediate(resolve))
      const last = Math.floor(now / MINUTE_MS) * MINUTE_MS
      answeredAt.set(symbol, performance.now())
      return Array.from({ length: limit }, (_, index) => candle(last - (limit - 1 - index) * MINUTE_MS))
    },
  }
  const account = { name: 'paper', venue } as unknown as TradingAccount
  const store = openHookStore(directory, () => now)
  for (let index = 0; index < count; index += 1) {
    const symbol = names[index % names.length] ?? ''
    const when = { text: `close(1m) > ${100 + Math.floor(index / names.length)}`, symbol, since: now }
    await store.create({ name: `h${index}`, command: 'echo ok', account: 'paper', when })
  }
  const problem = (error: unknown) => {
    throw error
  }
  const supervisor = new TaskSupervisor({
    clock,
    kinds: TASK_KINDS,
    guards: openGuardStore(directory, { now: () => now }),
    panic: openPanicStore(directory, () => now),
    lease: openTasksDriver(directory),
    rows: openTasks(directory),
    mayDrive: true,
    report: () => {},
    problem,
    journal: openTaskJournal(directory, { onProblem: (error) => error && problem(error) }),
    connect: async () => account,
    triggers: {
      hooks: store,
      journal: openTriggerJournal(directory),
      async fire({ hook }) {
        times.push(performance.now() - (answeredAt.get(hook.when?.symbol ?? '') ?? 0))
        return undefined
      },
      report: (_hook, text) => problem(new Error(text)),
    },
  })
  await supervisor.look()
  for (let minute = 0; minute < minutes; minute += 1) {
    const next = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
    const wanted = times.length + (((next - MINUTE_MS) / MINUTE_MS) % 2 === 0 ? 0 : count)
    for (const at of [next + 200, next + 2_000]) {
      now = at
      for (const delay of [...delays]) if (delay.at <= now) delay.end()
      await supervisor.look()
      await settled(() => times.length >= wanted)
    }
  }
  await supervisor.stop()
  return times
}

/** What is under way is done, fires that wait for the disk too. */
async function settled(isDone: () => boolean): Promise<void> {
  const until = performance.now() + 10_000
  for (let turn = 0; turn < 200 || (!isDone() && performance.now() < until); turn += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

function marketOf(symbol: string): Market {
  return {
    symbol,
    kind: 'linear',
    base: symbol.replace('USDT', ''),
    quote: 'USDT',
    settle: 'USDT',
    amountUnit: 'base',
    priceGrid: { kind: 'tick', tick: '0.1' },
    lotSize: '0.001',
    minAmount: '0.001',
  } as unknown as Market
}

const evaluations = evaluated(Number(conditions), Number(bars))
const fires = await fired(Number(hooks), Number(symbols), Number(minutes))
console.log(JSON.stringify({ evaluations, fires }))
process.exit()
