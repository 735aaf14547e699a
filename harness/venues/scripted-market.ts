// A paper market whose clock and prices a test sets: nothing moves by itself and nobody waits. Any amount trades at the quote unless a test
// asks for a book with an end. The store is in memory but goes through text and the parser, as a file would.

import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../src/base/defined.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { type Depth, UNLIMITED_DEPTH } from '../../src/exchanges/paper/depth.ts'
import type { PaperStateStore } from '../../src/exchanges/paper/live-account.ts'
import { createOfflineMarket, type MarketSource } from '../../src/exchanges/paper/market-source.ts'
import { START_PRICES } from '../../src/exchanges/paper/markets.ts'
import type { PaperVenue } from '../../src/exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../../src/exchanges/paper/paper-exchange.ts'
import type { PriceSource } from '../../src/exchanges/paper/quotes.ts'
import { initialState, type PaperState } from '../../src/exchanges/paper/state.ts'
import {
  encodePaperState,
  PAPER_FORMAT,
  type PaperHistory,
  parsePaperState,
} from '../../src/exchanges/paper/state-file.ts'

export interface MemoryStore extends PaperStateStore {
  /** How often a change was stored. */
  readonly writes: number
  /** Makes every update reject with this until it is set to undefined. */
  failure: Error | undefined
  /** The failing update was written all the same, as when a disk fails at the very last step. */
  failsAfterWriting: boolean
}

export interface ScriptedMarket {
  readonly exchange: Exchange & PaperVenue
  readonly store: MemoryStore
  readonly prices: PriceSource
  /** What exchanges reported with no caller to tell. */
  readonly problems: readonly unknown[]
  now(): number
  setPrice(symbol: string, price: string): void
  /** Moves the clock on, one tick of a second after the other, and waits for what the ticks do. */
  advance(ms?: number): Promise<void>
  /** Moves the clock on at once, as after a sleep: one tick, however long it was. */
  leap(ms: number): Promise<void>
  /** Another exchange on the same account: another process, or this one after a restart. */
  openExchange(): Exchange & PaperVenue
  /** An exchange on an account of its own, at the same prices and by the same clock. */
  openAccount(makeMarket?: (store: PaperStateStore) => MarketSource): Exchange & PaperVenue
}

export interface ScriptedMarketOptions {
  /** In USDT; default 10 000. */
  readonly balance?: string
  /** Default: where the random walk starts. */
  readonly prices?: Readonly<Record<string, string>>
  /** Default: any amount at the quote. */
  readonly depth?: Depth
  /** Default: prices that the test sets. */
  readonly market?: (clock: ScriptedClock) => MarketSource
  /** Default: in memory. */
  readonly openStore?: (fresh: PaperState) => PaperStateStore
  /** Default: the store holds it all. */
  readonly history?: PaperHistory
}

export interface ScriptedClock {
  now(): number
  /** Calls `run` after `ms` of the script's time. @returns cancels it */
  after(ms: number, run: () => void): () => void
}

/** Starts at 2026-01-01. */
function createScriptedClock() {
  const timers = new Set<() => void>()
  const delays = new Set<{ readonly at: number; readonly end: () => void }>()
  let clock = Date.UTC(2026, 0, 1)
  async function moveTo(time: number): Promise<void> {
    clock = time
    for (const delay of [...delays].filter(({ at }) => at <= clock)) {
      delays.delete(delay)
      delay.end()
    }
    for (const tick of [...timers]) tick()
    // The memory store needs microtasks only; they have all run when this resolves.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    now: () => clock,
    after(ms: number, end: () => void): () => void {
      const delay = { at: clock + ms, end }
      delays.add(delay)
      return () => delays.delete(delay)
    },
    every(tick: () => void): () => void {
      timers.add(tick)
      return () => timers.delete(tick)
    },
    async advance(ms = 1000): Promise<void> {
      const end = clock + ms
      while (clock < end) await moveTo(Math.min(clock + 1000, end))
    },
    leap: (ms: number) => moveTo(clock + ms),
  }
}

export function createScriptedMarket(options: ScriptedMarketOptions = {}): ScriptedMarket {
  const script = new Map(Object.entries({ ...START_PRICES, ...options.prices }))
  const fresh = initialState({ seed: 'scripted', balance: options.balance ?? '10000' })
  const store = createMemoryStore(fresh)
  const { now, after, every, advance, leap } = createScriptedClock()
  const problems: unknown[] = []
  const prices: PriceSource = { lastPrice: (symbol) => script.get(symbol) ?? '1' }

  function open(market: MarketSource, store: PaperStateStore): Exchange & PaperVenue {
    return createPaperExchange({
      market,
      store,
      now,
      ...defined({ history: options.history }),
      every: (_ms, tick) => every(tick),
      // A pause between two pieces of work takes no time.
      delay: (ms) => (ms === 0 ? Promise.resolve() : new Promise((end) => after(ms, end))),
      onProblem: (problem) => problems.push(problem),
    })
  }

  function openExchange(): Exchange & PaperVenue {
    const depth = options.depth ?? UNLIMITED_DEPTH
    const market = options.market?.({ now, after }) ?? createOfflineMarket({ prices, depth })
    return open(market, options.openStore?.(fresh) ?? store)
  }

  return {
    exchange: openExchange(),
    store,
    prices,
    problems,
    now,
    advance,
    leap,
    openExchange,
    setPrice: (symbol, price) => script.set(symbol, price),
    openAccount(makeMarket = () => createOfflineMarket({ prices, depth: UNLIMITED_DEPTH })) {
      const own = createMemoryStore(fresh)
      return open(makeMarket(own), own)
    },
  }
}

export function createMemoryStore(initial: PaperState): MemoryStore {
  const handlers = new Set<() => void>()
  let current = initial
  let queue: Promise<unknown> = Promise.resolve()
  let writes = 0

  function apply(change: (current: PaperState) => PaperState): PaperState {
    const { failure } = store
    if (failure !== undefined && !store.failsAfterWriting) throw failure
    const changed = change(current)
    if (changed === current) return current
    const line = PAPER_FORMAT.changes.encode(current, changed)
    const added = PAPER_FORMAT.changes.apply(current, JSON.parse(line))
    current = parsePaperState(JSON.parse(encodePaperState(changed)))
    if (!isDeepStrictEqual(added, current)) throw new Error(`the change ${line} is not the whole of it`)
    writes += 1
    if (failure !== undefined) throw failure
    for (const handler of [...handlers]) handler()
    return current
  }

  const store: MemoryStore = {
    get writes() {
      return writes
    },
    failure: undefined,
    failsAfterWriting: false,
    read: () => current,
    update(change) {
      const applied = queue.then(() => apply(change))
      queue = applied.catch(() => undefined)
      return applied
    },
    watch(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
  }
  return store
}
