// One stream of ccxt, watched until it ends: after a failure again, at once and then after pauses that double. A failure is a gap: what the
// venue told meanwhile is not reported again by anyone.
import { backoffMs } from '../../../base/concurrency.ts'

/** A watch that has not failed for so long is taken for subscribed: ccxt does not say when it is. */
const SETTLE_MS = 2_000
/** After so many failures in a row the stream counts as missing, and is asked for instead. */
const GIVE_UP_AFTER = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** A failure after so long a good time is a first one. */
const STABLE_MS = 30_000

/** `waiting`: subscribing. `missing`: the venue has no such stream, or it has failed too often; it is still tried. */
export type LoopState = 'waiting' | 'up' | 'down' | 'missing'

export interface WatchLoop {
  readonly state: LoopState
  /** It is up, and has heard nothing yet: whether it is subscribed no one knows. */
  readonly isGuess: boolean
  end(): void
}

interface WatchLoopOptions {
  /** What must be there before each attempt; the time to subscribe does not run before. */
  readonly prepare?: () => Promise<unknown>
  /** Resolves with news, rejects when the stream is lost. */
  readonly watch: () => Promise<unknown>
  readonly take: (news: unknown) => void
  /** The stream is up, down or missing now. */
  readonly onState: (state: LoopState, error?: unknown) => void
  readonly onProblem: (problem: unknown) => void
  readonly timers: StreamTimers
  readonly now: () => number
}

export function startWatchLoop(options: WatchLoopOptions): WatchLoop {
  const { prepare = ready, watch, onState, onProblem, timers, now } = options
  let state: LoopState = 'waiting'
  let isEnded = false
  let [failures, upSince, isReceiving] = [0, 0, false]

  function become(next: LoopState, error?: unknown): void {
    if (isEnded || (state === next && error === undefined)) return
    if (next === 'up') upSince = now()
    else isReceiving = false
    state = next
    onState(next, error)
  }

  /** @returns how long to wait before the next attempt; undefined: never again */
  function fail(error: unknown): number | undefined {
    if (isNotSupported(error)) {
      become('missing', error)
      return undefined
    }
    failures = state === 'up' && now() - upSince > STABLE_MS ? 1 : failures + 1
    become(failures < GIVE_UP_AFTER ? 'down' : 'missing', error)
    return backoffMs(failures - 1, { firstMs: FIRST_PAUSE_MS, mostMs: LONGEST_PAUSE_MS })
  }

  async function attempt(): Promise<number | undefined> {
    let settled = () => {}
    try {
      await prepare()
      if (state !== 'up') settled = timers.after(SETTLE_MS, () => become('up'))
      const news = await watch()
      if (isEnded) return undefined
      become('up')
      isReceiving = true
      hand(news, options)
      return 0
    } catch (error) {
      return isEnded ? undefined : fail(error)
    } finally {
      settled()
    }
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      const pauseMs = await attempt()
      if (pauseMs === undefined) return
      if (pauseMs > 0) await timers.delay(pauseMs)
    }
  }

  void run().catch(onProblem)
  return {
    get state() {
      return state
    },
    get isGuess() {
      return state === 'up' && !isReceiving
    },
    end() {
      isEnded = true
    },
  }
}

async function ready(): Promise<void> {}

function hand(news: unknown, { take, onProblem }: WatchLoopOptions): void {
  try {
    take(news)
  } catch (error) {
    onProblem(error)
  }
}

/** ccxt names its classes; some venues lack a stream for an account's kind, which only the attempt shows. */
function isNotSupported(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotSupported' || error.name === 'ArgumentsRequired')
}

// Timers of the streams, over one injected clock: none of them keeps the process alive, and all end with the streams.

export interface StreamTimers {
  /** Calls `act` once after `ms`. @returns calls it off */
  after(ms: number, act: () => void): () => void
  every(ms: number, act: () => void): () => void
  /** Resolves after `ms`, or when the timers end. */
  delay(ms: number): Promise<void>
  /** How many are under way. */
  readonly size: number
  end(): void
}

/** @param every calls `tick` every `ms` until what it returns is called */
export function createStreamTimers(every: (ms: number, tick: () => void) => () => void): StreamTimers {
  /** Each ends one, and says so where someone waits. */
  const ends = new Set<() => void>()

  function start(ms: number, act: () => void, isOnce: boolean, onEnd = () => {}): () => void {
    const stop = every(Math.max(ms, 1), () => {
      if (isOnce) end()
      act()
    })
    const end = (): void => {
      if (!ends.delete(end)) return
      stop()
      onEnd()
    }
    ends.add(end)
    return end
  }

  return {
    after: (ms, act) => start(ms, act, true),
    every: (ms, act) => start(ms, act, false),
    delay: (ms) => new Promise((resolve) => void start(ms, () => {}, true, resolve)),
    get size() {
      return ends.size
    },
    end() {
      for (const end of [...ends]) end()
    },
  }
}

// What of a ccxt class the streams use. Rows are `unknown` until the adapter has read them; a method that a class lacks is one that its
// venue lacks.

type StreamParams = Readonly<Record<string, unknown>>

export interface StreamClient {
  readonly id: string
  readonly has: Readonly<Record<string, unknown>>
  watchOrders?(symbol?: string, since?: number, limit?: number, params?: StreamParams): Promise<unknown>
  watchMyTrades?(symbol?: string, since?: number, limit?: number, params?: StreamParams): Promise<unknown>
  watchTicker?(symbol: string): Promise<unknown>
  watchOrderBook?(symbol: string, limit?: number): Promise<unknown>
  watchTrades?(symbol: string): Promise<unknown>
  unWatchTrades?(symbol: string): Promise<unknown>
  unWatchTicker?(symbol: string): Promise<unknown>
  unWatchOrderBook?(symbol: string): Promise<unknown>
}

type StreamMethod = 'watchOrders' | 'watchMyTrades' | 'watchTicker' | 'watchOrderBook' | 'watchTrades'

/** Whether the venue streams it. What ccxt imitates by asking is asked for by us. */
export function canWatch(client: StreamClient, method: StreamMethod): boolean {
  return client.has[method] === true && typeof client[method] === 'function'
}
