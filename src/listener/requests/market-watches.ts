// `market:watch`: who looks at what, and what each has been sent of it. A client is sent what it has not got yet, at most four times a second; one
// that reads slowly gets the newest when it has read.
import { defined } from '../../base/defined.ts'
import type { Interval } from '../../protocol/desk-frames.ts'
import type { CandleRow, Frame } from '../../protocol/frames.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { type Watch, WatchTable } from './watch-table.ts'
import {
  type MarketPlace,
  type MarketState,
  marketRowOf,
  WatchedMarket,
  type WatchedMarketPorts,
} from './watched-market.ts'

/** Who looks. */
interface Onlooker {
  readonly id: string
  readonly isWelcomed: boolean
  /** Whether it has not read yet what it was sent before. */
  readonly isBehind: boolean
  send(frame: Frame<'state:market'> | Frame<'error'>): void
}

/** What one has got. */
interface Told {
  /** Part by part, as text. */
  readonly parts: Map<string, string>
  /** The newest candle; undefined: none. */
  candlesUpTo: number | undefined
  oldestCandle: number | undefined
}

type MarketWatch = Watch<Onlooker, WatchedMarket, Told>

export class MarketWatches {
  readonly #ports: Omit<WatchedMarketPorts, 'changed'>
  readonly #table = new WatchTable<Onlooker, WatchedMarket, Told>({
    what: 'markets',
    perSession: WIRE_LIMITS.marketsPerSession,
    inAll: LISTENER_LIMITS.markets,
  })
  #timer: NodeJS.Timeout | undefined

  constructor(ports: Omit<WatchedMarketPorts, 'changed'>) {
    this.#ports = ports
  }

  /** @returns why not */
  begin(session: Onlooker, id: string, place: MarketPlace): string | undefined {
    const begin = () => new WatchedMarket(place, { ...this.#ports, changed: () => this.#tellSoon() })
    const told = { parts: new Map(), candlesUpTo: undefined, oldestCandle: undefined }
    const watch = this.#table.add(session, id, { key: keyOfPlace(place), begin }, told)
    if (typeof watch === 'string') return watch
    // What is known already it gets at once.
    if (watch.look.state.exchange !== '') this.#tell(watch)
    return undefined
  }

  end(session: Onlooker, id: string): void {
    this.#table.end(session, id)
  }

  /** The session is gone. */
  forget(session: Onlooker): void {
    this.#table.forget(session)
  }

  /** Nobody may look any more. */
  endAll(error: string): void {
    this.#table.endAll(error)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#table.stop()
  }

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const watch of this.#table.all()) this.#tell(watch)
    }, WIRE_LIMITS.marketMs).unref()
  }

  #tell({ session, id, look, told }: MarketWatch): void {
    if (!session.isWelcomed) return
    if (session.isBehind) return this.#tellSoon()
    const { place, state } = look
    const news = newsFor(told, state)
    if (news === undefined) return
    session.send({ t: 'state:market', id, ...placeOf(place, state), ...news })
  }
}

function keyOfPlace({ account, symbol, interval }: MarketPlace): string {
  return JSON.stringify([account, symbol, interval])
}

function placeOf({ account, symbol, interval }: MarketPlace, { exchange, market }: MarketState) {
  return { account, exchange, symbol: market?.symbol ?? symbol, interval: interval satisfies Interval }
}

type News = Omit<Frame<'state:market'>, 't' | 'id' | 'account' | 'exchange' | 'symbol' | 'interval'>

/** What it has not got yet. @returns undefined: nothing */
function newsFor(told: Told, state: MarketState): News | undefined {
  const { ticker, book, day, staleSince, problem } = state
  const news: News = {}
  const market = state.market && marketRowOf(state.market, ticker?.last)
  if (market && isNew(told, 'market', market)) news.market = market
  if (ticker && isNew(told, 'ticker', ticker)) news.ticker = ticker
  if (book && isNew(told, 'book', [book.bids, book.asks])) news.book = book
  if (day && isNew(told, 'day', day)) news.day = day
  const candles = newCandles(told, state.candles)
  if (candles !== undefined) Object.assign(news, candles)
  // Both are told with every frame while they hold; that they hold no longer is a frame too.
  const wasTold = isNew(told, 'trouble', [staleSince ?? null, problem ?? null])
  if (!wasTold && Object.keys(news).length === 0) return undefined
  return { ...news, ...defined({ staleSince, problem }) }
}

function isNew({ parts }: Told, part: string, value: unknown): boolean {
  const text = JSON.stringify(value)
  if (parts.get(part) === text) return false
  parts.set(part, text)
  return true
}

/** All of them at first, and where older ones have come; then those from the last one on. */
function newCandles(
  told: Told,
  candles: readonly CandleRow[],
): { readonly candles: CandleRow[]; readonly whole?: true } | undefined {
  const [oldest, newest] = [candles[0]?.[0], candles.at(-1)?.[0]]
  if (oldest === undefined || newest === undefined) return undefined
  const { candlesUpTo, oldestCandle } = told
  const isWhole = candlesUpTo === undefined || oldestCandle === undefined || oldest < oldestCandle
  // The one before the last may have been counted again by the venue.
  const from = candlesUpTo === undefined ? oldest : (candles.findLast(([at]) => at < candlesUpTo)?.[0] ?? candlesUpTo)
  const news = isWhole ? [...candles] : candles.filter(([at]) => at >= from)
  told.candlesUpTo = newest
  told.oldestCandle = Math.min(oldest, oldestCandle ?? oldest)
  if (!isNew(told, 'candles', news)) return undefined
  // It has the last ones now: they are news again once they change.
  if (isWhole) told.parts.set('candles', JSON.stringify(candles.slice(-2)))
  return { candles: news, ...(isWhole ? { whole: true } : {}) }
}
