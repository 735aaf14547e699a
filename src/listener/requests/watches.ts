// The watches of sessions on markets and portfolios: several that watch one place share its source.
import { defined } from '../../base/defined.ts'
import { type CandleRow, type Frame, WIRE_LIMITS } from '../../protocol/frames.ts'
import type { ConfigStore } from '../../stores/config.ts'
import { TaskWakes } from '../../tasks/task-wakes.ts'
import type { Connect } from '../../trading/order-desk.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { PortfolioSource } from '../topics/portfolio.ts'
import {
  type MarketPlace,
  type MarketState,
  marketRowOf,
  WatchedMarket,
  type WatchedMarketPorts,
} from './watched-market.ts'

/** Who looks. */
export interface Watcher {
  readonly id: string
  send(frame: Frame<'error'>): void
}

/** `lastSent`: what it has been sent. */
interface Watch<S extends Watcher, L extends Look, T> {
  readonly session: S
  readonly id: string
  readonly look: L
  readonly lastSent: T
}

interface WatchLimits {
  /** In the plural: `markets`. */
  readonly what: string
  readonly perSession: number
  readonly inAll: number
}

interface Kept<S extends Watcher, L extends Look, T> extends Watch<S, L, T> {
  readonly lookKey: string
}

export class WatchTable<S extends Watcher, L extends Look, T> {
  readonly #limits: WatchLimits
  readonly #watches = new Map<string, Kept<S, L, T>>()
  readonly #looks: SharedLooks<L>

  constructor(limits: WatchLimits) {
    this.#limits = limits
    this.#looks = new SharedLooks(limits.inAll)
  }

  /**
   * Takes the place of a watch of this session with the same id.
   * @param at what is looked at; `begin` begins the look where no one has it @returns why not
   */
  add(session: S, id: string, at: { readonly key: string; begin(): L }, lastSent: T): Watch<S, L, T> | string {
    const { what, perSession, inAll } = this.#limits
    this.end(session, id)
    if (this.#of(session).length >= perSession) return `more than ${perSession} ${what} of this session are watched`
    const look = this.#looks.take(at.key, () => at.begin())
    if (look === undefined) return `more than ${inAll} ${what} are watched`
    const watch = { session, id, look, lastSent, lookKey: at.key }
    this.#watches.set(keyOf(session, id), watch)
    return watch
  }

  /** Where no one looks any more, nothing is asked for any more. */
  end(session: S, id: string): void {
    const key = keyOf(session, id)
    const watch = this.#watches.get(key)
    if (watch === undefined) return
    this.#watches.delete(key)
    for (const other of this.#watches.values()) if (other.look === watch.look) return
    this.#looks.leave(watch.lookKey)
  }

  /** The session is gone. */
  forget(session: S): void {
    for (const { id } of this.#of(session)) this.end(session, id)
  }

  /** No one may look any more. */
  endAll(error: string): void {
    for (const { session, id } of this.all()) {
      this.end(session, id)
      session.send({ t: 'error', id, error })
    }
  }

  stop(): void {
    this.#looks.stop()
    this.#watches.clear()
  }

  all(): readonly Watch<S, L, T>[] {
    return [...this.#watches.values()]
  }

  /** Whether a look is kept, if only for a moment more. */
  looksAt(key: string): boolean {
    return this.#looks.has(key)
  }

  #of(session: S): readonly Watch<S, L, T>[] {
    return this.all().filter((watch) => watch.session === session)
  }
}

function keyOf(session: Watcher, id: string): string {
  return `${session.id}/${id}`
}

// What several look at, looked at once. It is kept for a moment after the last has looked away: who looks away and back again, or at one thing after
// another without end, does not make a venue answer each time.

/** So long it is kept. */
const KEPT_MS = 5_000

interface Look {
  end(): void
}

class SharedLooks<L extends Look> {
  readonly #most: number
  readonly #looks = new Map<string, L>()
  readonly #unwatched = new Map<string, NodeJS.Timeout>()

  /** @param most at once, those that are only kept among them */
  constructor(most: number) {
    this.#most = most
  }

  /** @returns undefined: there are too many */
  take(key: string, begin: () => L): L | undefined {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    const known = this.#looks.get(key)
    if (known !== undefined) return known
    if (this.#looks.size >= this.#most) return undefined
    const look = begin()
    this.#looks.set(key, look)
    return look
  }

  has(key: string): boolean {
    return this.#looks.has(key)
  }

  /** No one looks at it. */
  leave(key: string): void {
    if (!this.#looks.has(key) || this.#unwatched.has(key)) return
    this.#unwatched.set(key, setTimeout(() => this.#end(key), KEPT_MS).unref())
  }

  stop(): void {
    for (const key of [...this.#looks.keys()]) this.#end(key)
  }

  #end(key: string): void {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    this.#looks.get(key)?.end()
    this.#looks.delete(key)
  }
}

// `market:watch`: who looks at what, and what each has been sent of it. A client is sent what it has not got yet, at most four times a second; one
// that reads slowly gets the newest when it has read.

/** Who looks. */
interface Onlooker {
  readonly id: string
  readonly isWelcomed: boolean
  /** Whether it has not read yet what it was sent before. */
  readonly isBehind: boolean
  send(frame: Frame<'state:market'> | Frame<'error'>): void
}

/** What one has got. */
interface SentParts {
  /** Whether it wants the trades of others. */
  readonly hasTape: boolean
  /** Part by part, as text. */
  readonly parts: Map<string, string>
  /** The newest candle; undefined: none. */
  candlesUpTo: number | undefined
  oldestCandle: number | undefined
}

type MarketWatch = Watch<Onlooker, WatchedMarket, SentParts>

type MarketWatchesPorts = Omit<WatchedMarketPorts, 'changed' | 'wakes' | 'isTapeWanted'>

export class MarketWatches {
  readonly #ports: MarketWatchesPorts
  readonly #wakes: TaskWakes
  readonly #table = new WatchTable<Onlooker, WatchedMarket, SentParts>({
    what: 'markets',
    perSession: WIRE_LIMITS.marketsPerSession,
    inAll: LISTENER_LIMITS.markets,
  })
  #timer: NodeJS.Timeout | undefined
  /** When all were sent what is new to them, ms since the epoch. */
  #sentAt = 0

  constructor(ports: MarketWatchesPorts) {
    this.#ports = ports
    this.#wakes = new TaskWakes(ports.clock)
  }

  /** @param hasTape whether it wants the trades of others @returns why not */
  begin(session: Onlooker, id: string, place: MarketPlace, hasTape = false): string | undefined {
    const key = keyOfPlace(place)
    const begin = (): WatchedMarket => {
      const market: WatchedMarket = new WatchedMarket(place, {
        ...this.#ports,
        wakes: this.#wakes,
        changed: () => this.#sendSoon(),
        isTapeWanted: () => this.#table.all().some(({ look, lastSent }) => look === market && lastSent.hasTape),
      })
      return market
    }
    const lastSent = { hasTape, parts: new Map(), candlesUpTo: undefined, oldestCandle: undefined }
    const watch = this.#table.add(session, id, { key, begin }, lastSent)
    if (typeof watch === 'string') return watch
    watch.look.keepTape()
    // What is known already it gets at once.
    if (watch.look.state.exchange !== '') this.#send(watch)
    return undefined
  }

  end(session: Onlooker, id: string): void {
    this.#table.end(session, id)
  }

  /** The session is gone. */
  forget(session: Onlooker): void {
    this.#table.forget(session)
  }

  /** No one may look any more. */
  endAll(error: string): void {
    this.#table.endAll(error)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#table.stop()
  }

  /** A price after a pause goes out with the portfolio that it changes. */
  #sendSoon(): void {
    const { clock } = this.#ports
    const waitMs = Math.max(LISTENER_LIMITS.snapshotMs, this.#sentAt + WIRE_LIMITS.marketMs - clock.now())
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined
        this.#sentAt = clock.now()
        for (const watch of this.#table.all()) this.#send(watch)
      },
      Math.min(waitMs, WIRE_LIMITS.marketMs),
    ).unref()
  }

  #send({ session, id, look, lastSent }: MarketWatch): void {
    if (!session.isWelcomed) return
    if (session.isBehind) return this.#sendSoon()
    const { place, state } = look
    const news = newsFor(lastSent, state)
    if (news === undefined) return
    session.send({ t: 'state:market', id, ...placeOf(place, state), ...news })
  }
}

function keyOfPlace({ account, symbol, interval }: MarketPlace): string {
  return JSON.stringify([account, symbol, interval])
}

function placeOf({ account, symbol, interval }: MarketPlace, { exchange, market }: MarketState) {
  return { account, exchange, symbol: market?.symbol ?? symbol, interval }
}

type News = Omit<Frame<'state:market'>, 't' | 'id' | 'account' | 'exchange' | 'symbol' | 'interval'>

/** What it has not got yet. @returns undefined: nothing */
function newsFor(lastSent: SentParts, state: MarketState): News | undefined {
  const { ticker, book, tape, day, replayedSince, staleSince, problem, isUnlisted } = state
  const news: News = {}
  const market = state.market && marketRowOf(state.market, ticker?.last)
  if (market && isNew(lastSent, 'market', market)) news.market = market
  if (state.intervals && isNew(lastSent, 'intervals', state.intervals)) news.intervals = [...state.intervals]
  if (ticker && isNew(lastSent, 'ticker', ticker)) news.ticker = ticker
  if (book && isNew(lastSent, 'book', [book.bids, book.asks])) news.book = book
  if (tape && lastSent.hasTape && isNew(lastSent, 'tape', tape)) news.tape = [...tape]
  if (day && isNew(lastSent, 'day', day)) news.day = day
  const candles = newCandles(lastSent, state)
  if (candles !== undefined) Object.assign(news, candles)
  // They are told with every frame while they hold; that they hold no longer is a frame too.
  const wasSent = isNew(lastSent, 'trouble', [replayedSince ?? null, staleSince ?? null, problem ?? null, isUnlisted])
  if (!wasSent && Object.keys(news).length === 0) return undefined
  return { ...news, ...defined({ replayedSince, staleSince, problem }), ...(isUnlisted ? { unlisted: true } : {}) }
}

function isNew({ parts }: SentParts, part: string, value: unknown): boolean {
  const text = JSON.stringify(value)
  if (parts.get(part) === text) return false
  parts.set(part, text)
  return true
}

/** All of them at first, of another replay, and where older ones have come; then those from the last one on. */
function newCandles(
  lastSent: SentParts,
  { candles, replayedSince }: Pick<MarketState, 'candles' | 'replayedSince'>,
): { readonly candles: CandleRow[]; readonly whole?: true } | undefined {
  if (isNew(lastSent, 'replay', replayedSince ?? null)) lastSent.candlesUpTo = undefined
  const [oldest, newest] = [candles[0]?.[0], candles.at(-1)?.[0]]
  if (oldest === undefined || newest === undefined) return undefined
  const { candlesUpTo, oldestCandle } = lastSent
  const isWhole = candlesUpTo === undefined || oldestCandle === undefined || oldest < oldestCandle
  // The one before the last may have been counted again by the venue.
  const from = candlesUpTo === undefined ? oldest : (candles.findLast(([at]) => at < candlesUpTo)?.[0] ?? candlesUpTo)
  const news = isWhole ? [...candles] : candles.filter(([at]) => at >= from)
  lastSent.candlesUpTo = newest
  lastSent.oldestCandle = isWhole ? oldest : Math.min(oldest, oldestCandle)
  if (!isNew(lastSent, 'candles', news)) return undefined
  // It has the last ones now: they are news again once they change.
  if (isWhole) lastSent.parts.set('candles', JSON.stringify(candles.slice(-2)))
  return { candles: news, ...(isWhole ? { whole: true } : {}) }
}

// `portfolio:watch`: the portfolio of accounts that need not be in focus, each looked at once for all who watch it.

interface PortfolioOnlooker {
  readonly id: string
  readonly isWelcomed: boolean
  send(frame: Frame<'state:portfolio'> | Frame<'error'>): void
}

interface PortfolioPlace {
  readonly account: string
  readonly symbol: string
}

interface PortfolioWatchPorts {
  readonly config: ConfigStore
  readonly connect: Connect
  readonly onBug: (error: unknown) => void
}

interface SentRows {
  /** The last, as text: a frame or why there is none. */
  last: string
}

interface WatchedPlace {
  readonly source: PortfolioSource
  end(): void
  timer: NodeJS.Timeout | undefined
}

export class PortfolioWatches {
  readonly #ports: PortfolioWatchPorts
  readonly #table = new WatchTable<PortfolioOnlooker, WatchedPlace, SentRows>({
    what: 'portfolios',
    perSession: WIRE_LIMITS.portfoliosPerSession,
    inAll: LISTENER_LIMITS.portfolios,
  })

  constructor(ports: PortfolioWatchPorts) {
    this.#ports = ports
  }

  /** @returns why not */
  begin(session: PortfolioOnlooker, id: string, at: PortfolioPlace): string | undefined {
    const key = JSON.stringify([at.account, at.symbol])
    const watch = this.#table.add(session, id, { key, begin: () => this.#begin(key, at) }, { last: '' })
    if (typeof watch === 'string') return watch
    this.#send(watch)
    return undefined
  }

  end(session: PortfolioOnlooker, id: string): void {
    this.#table.end(session, id)
  }

  forget(session: PortfolioOnlooker): void {
    this.#table.forget(session)
  }

  endAll(error: string): void {
    this.#table.endAll(error)
  }

  stop(): void {
    this.#table.stop()
  }

  #begin(key: string, { account, symbol }: PortfolioPlace): WatchedPlace {
    const { config, connect, onBug } = this.#ports
    const focus = { account: () => account, symbol: () => symbol, watch: () => () => {} }
    const source = new PortfolioSource({
      services: { config, focus },
      connect,
      onBug,
      hasSubscribers: () => this.#table.looksAt(key),
    })
    const stop = source.watch(() => this.#sendSoon(place))
    const place: WatchedPlace = {
      source,
      timer: undefined,
      end() {
        clearTimeout(place.timer)
        stop()
      },
    }
    return place
  }

  #sendSoon(place: WatchedPlace): void {
    place.timer ??= setTimeout(() => {
      place.timer = undefined
      for (const watch of this.#table.all()) if (watch.look === place) this.#send(watch)
    }, LISTENER_LIMITS.snapshotMs).unref()
  }

  /** What it has not got yet: the newest, or why nothing newer comes. */
  #send({ session, id, look, lastSent }: Watch<PortfolioOnlooker, WatchedPlace, SentRows>): void {
    const snapshot = look.source.snapshot()
    const problem = look.source.problem()
    if (!session.isWelcomed || typeof snapshot === 'string') return
    if (problem === undefined && snapshot === undefined) return
    const text = problem ?? JSON.stringify(snapshot)
    if (text === lastSent.last) return
    lastSent.last = text
    if (problem !== undefined) session.send({ t: 'error', id, error: problem })
    else if (snapshot !== undefined) session.send({ ...snapshot, id })
  }
}
