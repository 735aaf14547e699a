// `market:watch`: who looks at what, and what each has been sent of it. A client is sent what it has not got yet, at most four times a second; one
// that reads slowly gets the newest when it has read.
import type { Interval } from '../../protocol/desk-requests.ts'
import type { CandleRow, Frame } from '../../protocol/frames.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { marketRowOf } from './market-row.ts'
import { SharedLooks } from './shared-looks.ts'
import { type MarketPlace, type MarketState, WatchedMarket, type WatchedMarketPorts } from './watched-market.ts'

/** Who looks. */
export interface Onlooker {
  readonly id: string
  readonly isWelcomed: boolean
  /** Whether it has not read yet what it was sent before. */
  readonly isBehind: boolean
  send(frame: Frame<'state:market'> | Frame<'error'>): void
}

interface Watch {
  readonly session: Onlooker
  readonly id: string
  readonly market: WatchedMarket
  /** What it has got, part by part, as text. */
  readonly sent: Map<string, string>
  /** The newest candle that it has got; undefined: none. */
  candlesUpTo: number | undefined
  oldestCandle: number | undefined
}

export class MarketWatches {
  readonly #ports: Omit<WatchedMarketPorts, 'changed'>
  readonly #watches = new Map<string, Watch>()
  readonly #markets = new SharedLooks<WatchedMarket>(LISTENER_LIMITS.markets)
  #timer: NodeJS.Timeout | undefined

  constructor(ports: Omit<WatchedMarketPorts, 'changed'>) {
    this.#ports = ports
  }

  /** @returns why not */
  begin(session: Onlooker, id: string, place: MarketPlace): string | undefined {
    this.end(session, id)
    const own = [...this.#watches.values()].filter((watch) => watch.session === session).length
    if (own >= WIRE_LIMITS.marketsPerSession) {
      return `more than ${WIRE_LIMITS.marketsPerSession} markets of this session are watched`
    }
    const market = this.#marketOf(place)
    if (market === undefined) return `more than ${LISTENER_LIMITS.markets} markets are watched`
    const watch: Watch = { session, id, market, sent: new Map(), candlesUpTo: undefined, oldestCandle: undefined }
    this.#watches.set(keyOf(session, id), watch)
    // What is known already it gets at once.
    if (market.state.exchange !== '') this.#tell(watch)
    return undefined
  }

  end(session: Onlooker, id: string): void {
    const watch = this.#watches.get(keyOf(session, id))
    if (watch === undefined) return
    this.#watches.delete(keyOf(session, id))
    this.#drop(watch.market)
  }

  /** The session is gone. */
  forget(session: Onlooker): void {
    for (const watch of [...this.#watches.values()]) if (watch.session === session) this.end(session, watch.id)
  }

  /** Nobody may look any more. */
  endAll(error: string): void {
    for (const { session, id } of [...this.#watches.values()]) {
      this.end(session, id)
      session.send({ t: 'error', id, error })
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#markets.stop()
    this.#watches.clear()
  }

  /** @returns undefined: there are too many */
  #marketOf(place: MarketPlace): WatchedMarket | undefined {
    const ports = { ...this.#ports, changed: () => this.#tellSoon() }
    return this.#markets.take(keyOfPlace(place), () => new WatchedMarket(place, ports))
  }

  /** Where nobody looks at it, nothing is asked for any more. */
  #drop(market: WatchedMarket): void {
    for (const watch of this.#watches.values()) if (watch.market === market) return
    this.#markets.leave(keyOfPlace(market.place))
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const watch of this.#watches.values()) this.#tell(watch)
    }, WIRE_LIMITS.marketMs).unref()
  }

  #tell(watch: Watch): void {
    const { session, id, market } = watch
    if (!session.isWelcomed) return
    if (session.isBehind) return this.#tellSoon()
    const { place, state } = market
    const news = newsFor(watch, state)
    if (news === undefined) return
    session.send({ t: 'state:market', id, ...placeOf(place, state), ...news })
  }
}

function keyOf(session: Onlooker, id: string): string {
  return `${session.id}/${id}`
}

function keyOfPlace({ account, symbol, interval }: MarketPlace): string {
  return JSON.stringify([account, symbol, interval])
}

function placeOf({ account, symbol, interval }: MarketPlace, { exchange, market }: MarketState) {
  return { account, exchange, symbol: market?.symbol ?? symbol, interval: interval satisfies Interval }
}

type News = Omit<Frame<'state:market'>, 't' | 'id' | 'account' | 'exchange' | 'symbol' | 'interval'>

/** What it has not got yet. @returns undefined: nothing */
function newsFor(watch: Watch, state: MarketState): News | undefined {
  const { ticker, book, day, staleSince, problem } = state
  const news: News = {}
  const market = state.market && marketRowOf(state.market, ticker?.last)
  if (market && isNew(watch, 'market', market)) news.market = market
  if (ticker && isNew(watch, 'ticker', ticker)) news.ticker = ticker
  if (book && isNew(watch, 'book', [book.bids, book.asks])) news.book = book
  if (day && isNew(watch, 'day', day)) news.day = day
  const candles = newCandles(watch, state.candles)
  if (candles !== undefined) Object.assign(news, candles)
  // Both are told with every frame while they hold; that they hold no longer is a frame too.
  const wasTold = isNew(watch, 'trouble', [staleSince ?? null, problem ?? null])
  if (!wasTold && Object.keys(news).length === 0) return undefined
  return {
    ...news,
    ...(staleSince === undefined ? {} : { staleSince }),
    ...(problem === undefined ? {} : { problem }),
  }
}

function isNew({ sent }: Watch, part: string, value: unknown): boolean {
  const text = JSON.stringify(value)
  if (sent.get(part) === text) return false
  sent.set(part, text)
  return true
}

/** All of them at first, and where older ones have come; then those from the last one on. */
function newCandles(
  watch: Watch,
  candles: readonly CandleRow[],
): { readonly candles: CandleRow[]; readonly whole?: true } | undefined {
  const [oldest, newest] = [candles[0]?.[0], candles.at(-1)?.[0]]
  if (oldest === undefined || newest === undefined) return undefined
  const { candlesUpTo, oldestCandle } = watch
  const isWhole = candlesUpTo === undefined || oldestCandle === undefined || oldest < oldestCandle
  // The one before the last may have been counted again by the venue.
  const from = candlesUpTo === undefined ? oldest : (candles.findLast(([at]) => at < candlesUpTo)?.[0] ?? candlesUpTo)
  const told = isWhole ? [...candles] : candles.filter(([at]) => at >= from)
  watch.candlesUpTo = newest
  watch.oldestCandle = Math.min(oldest, oldestCandle ?? oldest)
  if (!isNew(watch, 'candles', told)) return undefined
  // It has the last ones now: they are news again once they change.
  if (isWhole) watch.sent.set('candles', JSON.stringify(candles.slice(-2)))
  return { candles: told, ...(isWhole ? { whole: true } : {}) }
}
