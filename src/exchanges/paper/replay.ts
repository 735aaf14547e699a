// A replay: candles as a market. What it costs at a moment follows from when it began and how fast it runs, so that every process on the account
// sees the same prices, and a restart goes on where the time is.

import { INTERVAL_MS } from '../../base/candle-intervals.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Candles } from './candles.ts'
import { decimal, decimalText } from './decimal.ts'
import { createOfflineMarket, type MarketSource, type OfflineMarketOptions } from './market-source.ts'
import { createListing, findMarket } from './markets.ts'
import type { PriceSource } from './quotes.ts'

/** As it is kept with the account. */
export interface Replay {
  /** The file's name, for people. */
  readonly file: string
  readonly symbol: string
  /** ms since the epoch. */
  readonly startedAt: number
  /** Times as fast as the candles say. */
  readonly speed: number
  readonly candles: number
  readonly intervalMs: number
  /** When it was stopped: its prices stand still since then. */
  readonly stoppedAt?: number
}

export const MAX_SPEED = 3600

type Prices = Pick<Candles, 'times' | 'ticks'>

/** Where within a candle its path turns: open, the extreme against its direction, the other one, close. */
const TURNS = [0, 1 / 3, 2 / 3, 0.99] as const
/** The path is looked at so often between two turns: a stop is met near its price, not at the end of the leg. */
const LOOKS = 8
const LOOKED_AT: readonly number[] = TURNS.flatMap((turn, leg) => {
  const next = TURNS[leg + 1]
  if (next === undefined) return [turn]
  return Array.from({ length: LOOKS }, (_, look) => turn + ((next - turn) * look) / LOOKS)
})
/** So many looks are taken after a pause; what was before them is passed over. */
const MAX_LOOKS = 100_000

/** In candles since the beginning, with the part of the one that it is in; the number of candles at the end. */
export function positionAt(replay: Replay, atMs: number): number {
  const elapsed = Math.min(atMs, replay.stoppedAt ?? atMs) - replay.startedAt
  return Math.min(Math.max(0, (elapsed * replay.speed) / replay.intervalMs), replay.candles)
}

/** The time of the candles, in ms since the epoch. Gaps between candles take no time. */
export function marketTimeAt(replay: Replay, { times }: Prices, atMs: number): number {
  const position = positionAt(replay, atMs)
  const index = Math.min(Math.floor(position), replay.candles - 1)
  return (times[index] ?? 0) + Math.round((position - index) * replay.intervalMs)
}

/** When its last candle ends, in ms since the epoch. */
export function endOf({ startedAt, candles, intervalMs, speed }: Replay): number {
  return startedAt + Math.ceil((candles * intervalMs) / speed)
}

export function createReplayPrices(replay: Replay, candles: Prices): PriceSource {
  const { tick } = findMarket(replay.symbol).priceGrid
  const priceOf = (ticks: number) => decimalText(decimal(tick).times(ticks))
  function requireSymbol(symbol: string): void {
    if (symbol !== replay.symbol) throw new ExchangeError('bad-symbol', `the replay has no ${symbol}`)
  }
  return {
    lastPrice(symbol, atMs) {
      requireSymbol(symbol)
      return priceOf(ticksAt(candles, positionAt(replay, atMs)))
    },
    range(symbol, fromMs, toMs) {
      requireSymbol(symbol)
      const [low, high] = rangeOfTicks(candles, positionAt(replay, fromMs), positionAt(replay, toMs))
      return { low: priceOf(low), high: priceOf(high) }
    },
  }
}

/** Of the path: at its ends, and at its turns between them. */
function rangeOfTicks(prices: Prices, from: number, to: number): readonly [number, number] {
  const ends = [ticksAt(prices, from), ticksAt(prices, to)]
  let [low, high] = [Math.min(...ends), Math.max(...ends)]
  for (let candle = Math.floor(from); candle < Math.min(to, prices.times.length); candle += 1) {
    for (const turn of TURNS) {
      if (candle + turn <= from || candle + turn >= to) continue
      const ticks = ticksAt(prices, candle + turn)
      low = Math.min(low, ticks)
      high = Math.max(high, ticks)
    }
  }
  return [low, high]
}

/** Every moment after `from` and before `to` at which the path is looked at, its turns included; in ms since the epoch and parts of one. */
export function turnsBetween(replay: Replay, from: number, to: number): readonly number[] {
  const last = positionAt(replay, to)
  const first = Math.max(positionAt(replay, from), last - MAX_LOOKS / LOOKED_AT.length)
  const turns: number[] = []
  for (let candle = Math.floor(first); candle < last && candle < replay.candles; candle += 1) {
    for (const turn of LOOKED_AT) {
      const at = replay.startedAt + ((candle + turn) * replay.intervalMs) / replay.speed
      if (candle + turn > first && at > from && at < to && candle + turn < last) turns.push(at)
    }
  }
  return turns
}

function ticksAt({ ticks, times }: Prices, position: number): number {
  const candle = Math.min(Math.floor(position), times.length - 1)
  const [open = 1, high = 1, low = 1, close = 1] = ticks.subarray(4 * candle, 4 * candle + 4)
  const path = close >= open ? [open, low, high, close] : [open, high, low, close]
  const within = Math.min(position - candle, TURNS[3])
  const leg = TURNS.findLastIndex((turn) => turn <= within + 1e-9)
  const [from = close, to = from] = [path[leg], path[leg + 1]]
  const [begins = 0, ends = 1] = [TURNS[leg], TURNS[leg + 1]]
  return Math.round(from + (to - from) * Math.min(1, Math.max(0, (within - begins) / (ends - begins))))
}

// The market of an account that may be a replay's: its candles while it has a replay, the offline market otherwise.

export interface ReplayMarketOptions extends OfflineMarketOptions {
  /** Of the account, as it is now. */
  readonly replay: () => Replay | undefined
  /** Of that replay. @throws {ExchangeError} `unavailable` */
  readonly candles: (replay: Replay) => Pick<Candles, 'times' | 'ticks'>
}

export function createReplayMarket(options: ReplayMarketOptions): MarketSource {
  const offline = createOfflineMarket(options)
  let replaying: { readonly replay: Replay; readonly market: MarketSource } | undefined
  let changes = 0

  function current(): MarketSource {
    const replay = options.replay()
    if (replay === undefined) return offline
    if (replaying !== undefined && isSame(replaying.replay, replay)) return replaying.market
    const market = marketOf(options, replay)
    replaying = { replay, market }
    changes += 1
    return market
  }

  return {
    ...offline,
    get listing() {
      return current().listing
    },
    get isStale() {
      return current().isStale
    },
    get changes() {
      return changes
    },
    get closesWithUs() {
      return options.replay() === undefined
    },
    loadMarkets: async () => current().listing,
    at: (ms) => current().at(ms),
    async candles(asked, pause) {
      const since = options.replay()?.startedAt ?? Number.NEGATIVE_INFINITY
      const candles = (await current().candles?.(asked, pause)) ?? []
      // Its prices before that are its first price, and nothing that happened.
      return candles.filter(({ at }) => at + INTERVAL_MS[asked.interval] > since)
    },
    replayedSince: () => options.replay()?.startedAt,
    // A replay has its own time, which may be shorter than a day.
    summary: async (symbol, now) =>
      options.replay() === undefined ? ((await offline.summary?.(symbol, now)) ?? { symbol }) : { symbol },
    tape: (symbol, now) => {
      const replay = options.replay()
      const trades = current().tape?.(symbol, now) ?? []
      if (replay === undefined) return trades
      const end = replay.stoppedAt ?? endOf(replay)
      return trades.filter((trade) => trade.at > replay.startedAt && trade.at <= end)
    },
    between(from, to) {
      const replay = options.replay()
      return replay === undefined ? [] : turnsBetween(replay, Math.max(from, replay.startedAt), to)
    },
  }
}

function marketOf(options: ReplayMarketOptions, replay: Replay): MarketSource {
  const listing = createListing([findMarket(replay.symbol)], { name: 'the replay' })
  try {
    return createOfflineMarket({ ...options, prices: createReplayPrices(replay, options.candles(replay)), listing })
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    return withoutPrices(createOfflineMarket({ ...options, listing }), error)
  }
}

/** Nothing trades, and every question is told why; the account can be reset all the same. */
function withoutPrices(market: MarketSource, error: ExchangeError): MarketSource {
  return {
    ...market,
    isStale: true,
    at: (ms) => ({
      ...market.at(ms),
      isCurrent: () => false,
      isKnown: () => false,
      quotes: () => {
        throw error
      },
    }),
  }
}

function isSame(one: Replay, other: Replay): boolean {
  return one === other || (one.startedAt === other.startedAt && one.stoppedAt === other.stoppedAt)
}
