// The market of an account that may be a replay's: its candles while it has a replay, the offline market otherwise.
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Candles } from './candles.ts'
import { createListing } from './listing.ts'
import { createOfflineMarket, type MarketSource, type OfflineMarketOptions } from './market-source.ts'
import { findMarket } from './markets.ts'
import { createReplayPrices, type Replay, turnsBetween } from './replay.ts'

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
    candles: async (asked, pause) => (await current().candles?.(asked, pause)) ?? [],
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
