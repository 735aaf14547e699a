// Hooks that hookline fires, on a venue of bars and prices that a test sets, with processes that can be killed at any moment.
import { onTestFinished } from 'vitest'
import type { ExchangeEvent } from '../../src/exchange/exchange.ts'
import { CANDLE_MS, type Candle, type CandleInterval, type Market, type Ticker } from '../../src/exchange/market.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import type { ProcessIdentity } from '../../src/stores/kernel-files.ts'
import { openPanicStore } from '../../src/stores/panic.ts'
import { openTasks, openTasksDriver } from '../../src/stores/tasks.ts'
import type { TriggerFire } from '../../src/tasks/hook-triggers.ts'
import { TASK_KINDS } from '../../src/tasks/kinds.ts'
import { LOOK_EVERY_MS, TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import { type Delay, manualDelay } from '../commands/manual-delay.ts'
import { tempDirectory } from '../files/temp-directory.ts'
import { taskJournalInMemory } from './task-journal-in-memory.ts'

export const MINUTE_MS = 60_000
export const START = Date.UTC(2026, 0, 1)

function market(symbol: string): Market {
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

export interface TriggerProcess {
  readonly fires: TriggerFire[]
  readonly reports: string[]
  /** Of them, what a notice carries. */
  readonly news: string[]
  readonly supervisor: TaskSupervisor
  /** As by `kill -9`: nothing of it happens any more. */
  kill(): void
  stop(): Promise<void>
}

export function createTriggerStage(symbols: readonly string[] = ['BTCUSDT']) {
  const directory = tempDirectory()
  let now = START
  const delays = new Set<Delay>()
  const clock = {
    now: () => now,
    delay: (ms: number, signal: AbortSignal) => manualDelay(delays, now + ms, signal),
  }
  const handlers = new Set<(event: ExchangeEvent) => void>()
  const prices = new Map<string, number>(symbols.map((symbol) => [symbol, 100]))
  /** By symbol: closes of minutes, by the time at which they closed. */
  const closes = new Map<string, Map<number, number>>(symbols.map((symbol) => [symbol, new Map()]))
  const asked: string[] = []
  const watched: string[] = []
  const state = { stream: 'live' as 'live' | 'stale', answers: true, hidden: new Set<number>() }
  const markets = symbols.map(market)
  const tickerOf = (symbol: string): Ticker => {
    const last = String(prices.get(symbol) ?? 0)
    return { symbol, last, bid: last, ask: last, at: now } as unknown as Ticker
  }
  function candle(symbol: string, frame: CandleInterval, at: number): Candle {
    const known = closes.get(symbol)
    const minutes = Array.from({ length: CANDLE_MS[frame] / MINUTE_MS }, (_, index) => at + (index + 1) * MINUTE_MS)
    const seen = minutes.flatMap((closedAt) => known?.get(closedAt) ?? [])
    const values = seen.length === 0 ? [100] : seen
    const text = (value: number) => String(value)
    return {
      at,
      open: text(values[0] ?? 100),
      high: text(Math.max(...values)),
      low: text(Math.min(...values)),
      close: text(values.at(-1) ?? 100),
      volume: '1',
    }
  }
  const venue = {
    id: 'scripted',
    kind: 'linear',
    capabilities: {},
    get stream() {
      return state.stream
    },
    subscribe(handler: (event: ExchangeEvent) => void) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    watchTicker(symbol: string) {
      watched.push(symbol)
      return () => void watched.splice(watched.indexOf(symbol), 1)
    },
    loadMarkets: async () => markets,
    fetchTicker: async (symbol: string) => tickerOf(symbol),
    fetchPositions: async () => [],
    fetchBalances: async () => [{ currency: 'USDT', wallet: '1000', total: '1000', used: '0', free: '1000' }],
    async fetchCandles(symbol: string, frame: CandleInterval, limit: number) {
      asked.push(`${symbol} ${frame}`)
      if (!state.answers) throw new Error('no answer')
      const ms = CANDLE_MS[frame]
      const last = Math.floor(now / ms) * ms
      const times = Array.from({ length: limit }, (_, index) => last - (limit - 1 - index) * ms)
      return times.filter((at) => !state.hidden.has(at)).map((at) => candle(symbol, frame, at))
    },
  }
  let account = { name: 'paper', venue } as unknown as TradingAccount
  const hooks = openHookStore(directory, () => now)
  const taskLines: string[] = []
  const triggerLines: string[] = []
  const alive = new Set<number>()
  const running = new Set<TriggerProcess & { look(): Promise<void> }>()
  let nextPid = 1_000

  const settle = async () => {
    for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  /** @param dies called before each write and fire; true: the process dies there */
  async function open(dies: (what: string) => boolean = () => false): Promise<TriggerProcess> {
    nextPid += 1
    const identity: ProcessIdentity = { pid: nextPid, born: 'stage' }
    alive.add(identity.pid)
    let isDead = false
    const never = new Promise<never>(() => {})
    const step = async (what: string): Promise<void> => {
      if (!isDead && dies(what)) made.kill()
      if (isDead) await never
    }
    const write = (what: string) => async (lines: readonly string[]) => {
      await step(`before ${what}`)
      triggerLines.push(...lines)
      await new Promise<void>((resolve) => setImmediate(resolve))
      await step(`after ${what}`)
    }
    const fires: TriggerFire[] = []
    const reports: string[] = []
    const news: string[] = []
    const supervisor = new TaskSupervisor({
      clock,
      kinds: TASK_KINDS,
      guards: openGuardStore(directory, { now: () => now }),
      panic: openPanicStore(directory, () => now),
      lease: openTasksDriver(directory, { identity, isAlive: (other) => alive.has(other.pid) }),
      rows: openTasks(directory),
      mayDrive: true,
      report: () => {},
      problem: (error) => reports.push(`problem: ${error instanceof Error ? error.message : error}`),
      journal: taskJournalInMemory(() => now, taskLines),
      async connect() {
        stage.connects += 1
        return account
      },
      triggers: {
        hooks: openHookStore(directory, () => now),
        journal: {
          path: '/nowhere/triggers.jsonl',
          append: write('append'),
          note: write('note'),
          read: async () => [...triggerLines],
          version: async () => String(triggerLines.length),
          close: async () => {},
        },
        async fire(fire) {
          await step('before fire')
          fires.push(fire)
          await step('after fire')
          return stage.lost
        },
        report(hook, text, isNote) {
          reports.push(`${hook.name} ${text}`)
          if (isNote !== true) news.push(`${hook.name} ${text}`)
        },
      },
    })
    const made = {
      fires,
      reports,
      news,
      supervisor,
      look: () => supervisor.look(),
      kill() {
        isDead = true
        alive.delete(identity.pid)
        running.delete(made)
        void supervisor.abandonAsKilled()
      },
      async stop() {
        running.delete(made)
        await supervisor.stop()
        alive.delete(identity.pid)
      },
    }
    running.add(made)
    onTestFinished(() => made.kill())
    await made.look()
    await settle()
    return made
  }

  /** Moves the clock second by second, and as delays end. */
  async function pass(ms: number): Promise<void> {
    for (const until = now + ms; now < until; ) {
      const second = (Math.floor(now / LOOK_EVERY_MS) + 1) * LOOK_EVERY_MS
      now = Math.min(until, second, ...[...delays].map(({ at }) => Math.max(at, now + 1)))
      for (const delay of [...delays]) if (delay.at <= now) delay.end()
      if (now === second) await Promise.all([...running].map((each) => each.look()))
      await settle()
    }
  }

  const stage = {
    directory,
    hooks,
    venue: state,
    asked,
    /** Symbols whose price streams, once for each watch. */
    watched: watched as readonly string[],
    triggerLines,
    settle,
    pass,
    open,
    /** How often the account was looked for. */
    connects: 0,
    /** Why each fire from now on is lost. */
    lost: undefined as string | undefined,
    now: () => now,
    /** The clock is set. */
    async jump(ms: number) {
      now += ms
      for (const delay of [...delays]) delay.end()
      await settle()
    },
    create: (name: string, text: string, symbol?: string) =>
      hooks.create({
        name,
        command: 'echo ok',
        account: 'paper',
        when: { text, since: now, ...(symbol === undefined ? {} : { symbol }) },
      }),
    /** The account is connected anew. */
    reconnect() {
      account = { ...account }
    },
    async price(symbol: string, last: number) {
      prices.set(symbol, last)
      for (const handler of handlers) handler({ type: 'ticker', ticker: tickerOf(symbol) })
      await settle()
    },
    async stream(next: 'live' | 'stale') {
      state.stream = next
      for (const handler of handlers) handler({ type: 'stream', state: next })
      await settle()
    },
    correct(symbol: string, closedAt: number, close: number) {
      closes.get(symbol)?.set(closedAt, close)
    },
    /** The next minutes close at these prices, of every symbol. */
    async minutes(...values: readonly number[]) {
      for (const value of values) {
        const closesAt = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
        for (const known of closes.values()) known.set(closesAt, value)
        await pass(closesAt + 2_000 - now)
      }
    },
  }
  return stage
}
