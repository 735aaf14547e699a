// A paper market whose clock and prices a test sets: nothing moves by itself and nobody waits. The store is in memory but
// goes through JSON and the parser, as a file would.
import type { Exchange } from '../../src/exchange/exchange.ts'
import type { PaperStateStore } from '../../src/exchanges/paper/live-account.ts'
import type { PriceSource } from '../../src/exchanges/paper/market.ts'
import { START_PRICES } from '../../src/exchanges/paper/markets.ts'
import { createPaperExchange } from '../../src/exchanges/paper/paper-exchange.ts'
import { initialState, type PaperState, parsePaperState } from '../../src/exchanges/paper/state.ts'

export interface MemoryStore extends PaperStateStore {
  /** How often a change was stored. */
  readonly writes: number
  /** Makes every update reject with this until it is set to undefined. */
  failure: Error | undefined
}

export interface ScriptedMarket {
  readonly exchange: Exchange
  readonly store: MemoryStore
  readonly prices: PriceSource
  /** What exchanges reported with no caller to tell. */
  readonly problems: readonly unknown[]
  now(): number
  setPrice(symbol: string, price: string): void
  /** Moves the clock on, one tick of a second after the other, and waits for what the ticks do. */
  advance(ms?: number): Promise<void>
  /** Another exchange on the same account: another process, or this one after a restart. */
  openExchange(): Exchange
}

/** Starts at 2026-01-01 with 10 000 USDT and the random walk's start prices, unless told otherwise. */
export function createScriptedMarket(
  options: { readonly balance?: string; readonly prices?: Readonly<Record<string, string>> } = {},
): ScriptedMarket {
  const script = new Map(Object.entries({ ...START_PRICES, ...options.prices }))
  const store = createMemoryStore(initialState({ seed: 'scripted', balance: options.balance ?? '10000' }))
  const timers = new Set<() => void>()
  const problems: unknown[] = []
  let clock = Date.UTC(2026, 0, 1)
  const prices: PriceSource = { lastPrice: (symbol) => script.get(symbol) ?? '1' }

  function openExchange(): Exchange {
    return createPaperExchange({
      prices,
      store,
      now: () => clock,
      every: (_ms, tick) => {
        timers.add(tick)
        return () => timers.delete(tick)
      },
      onProblem: (problem) => problems.push(problem),
    })
  }

  return {
    exchange: openExchange(),
    store,
    prices,
    problems,
    now: () => clock,
    setPrice: (symbol, price) => script.set(symbol, price),
    async advance(ms = 1000) {
      const end = clock + ms
      while (clock < end) {
        clock = Math.min(clock + 1000, end)
        for (const tick of [...timers]) tick()
        // The memory store needs microtasks only; they have all run when this resolves.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    openExchange,
  }
}

export function createMemoryStore(initial: PaperState): MemoryStore {
  const handlers = new Set<() => void>()
  let stored = JSON.stringify(initial)
  let current = initial
  let queue: Promise<unknown> = Promise.resolve()
  let writes = 0

  function apply(change: (current: PaperState) => PaperState): PaperState {
    if (store.failure !== undefined) throw store.failure
    const changed = change(current)
    if (changed === current) return current
    stored = JSON.stringify(changed)
    current = parsePaperState(JSON.parse(stored))
    writes += 1
    for (const handler of [...handlers]) handler()
    return current
  }

  const store: MemoryStore = {
    get writes() {
      return writes
    },
    failure: undefined,
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
