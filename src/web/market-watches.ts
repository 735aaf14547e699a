// Subscriptions besides the focus: the market of the symbol of this tab, watched once for the whole page, and the portfolio of its
// account.
import type { HooklineClient } from '../client/client.ts'
import type { Watched, Watches } from '../client/subscriptions.ts'
import type { CandleRow, Frame } from '../protocol/frames.ts'
import { type ConsoleState, isLive, type ScopeNews, scopeOf } from './state/console-state.ts'

/** The read-only part of the client, for pages. */
export type Looks = Pick<HooklineClient, 'watch' | 'ask' | 'preview' | 'testHook' | 'subscribe' | 'on'>

type MarketFrame = Frame<'state:market'>
type Candles = readonly CandleRow[] | undefined

/** A page that shows candles asks for them right after the header has asked for the price alone. */
const MAYBE_CANDLES_MS = 50

interface Looker {
  /** undefined: candles of any will do. */
  readonly interval: MarketFrame['interval'] | undefined
  readonly onFrame: (frame: MarketFrame) => void
  readonly onRefused: (error: string) => void
}

interface Shared {
  readonly key: string
  readonly watched: Watched<'market:watch'>
  readonly lookers: Set<Looker>
  /** Merged from all of its frames. */
  known: MarketFrame | undefined
  isRefused: boolean
  end: () => void
}

export class SharedMarkets implements Pick<Watches, 'market'> {
  readonly #watches: Pick<Watches, 'market'>
  readonly #shared = new Set<Shared>()

  constructor(watches: Pick<Watches, 'market'>) {
    this.#watches = watches
  }

  // As `Watches.market`: bound.
  readonly market: Watches['market'] = (watched, onFrame, onRefused = () => {}) => {
    const looker = { interval: watched.interval, onFrame, onRefused }
    const shared = this.#find(watched) ?? this.#begin(watched)
    shared.lookers.add(looker)
    if (shared.known !== undefined) this.#notifyLater(shared, looker)
    return () => this.#leave(looker)
  }

  /** The connection is lost: the next one sends everything anew, and may be to another hookline. */
  forget(): void {
    for (const shared of this.#shared) shared.known = undefined
  }

  #find(watched: Watched<'market:watch'>): Shared | undefined {
    const key = keyOf(watched)
    const ofSymbol = [...this.#shared].filter((each) => each.key === key && !each.isRefused)
    const { interval, tape } = watched
    const has = (each: Shared) => tape === undefined || each.watched.tape === tape
    return ofSymbol.find((each) => has(each) && (interval === undefined || each.watched.interval === interval))
  }

  /** Watches of the same symbol without an interval join it. */
  #begin(watched: Watched<'market:watch'>): Shared {
    const key = keyOf(watched)
    const shared: Shared = { key, watched, lookers: new Set(), known: undefined, isRefused: false, end: () => {} }
    for (const other of [...this.#shared]) {
      if (other.key !== key) continue
      for (const looker of [...other.lookers]) {
        const goesAlong = looker.interval === undefined || looker.interval === watched.interval
        if (goesAlong && other.lookers.delete(looker)) shared.lookers.add(looker)
      }
      this.#endUnwatched(other)
    }
    this.#shared.add(shared)
    if (watched.interval !== undefined) this.#ask(shared)
    else {
      const timer = setTimeout(() => this.#ask(shared), MAYBE_CANDLES_MS)
      shared.end = () => clearTimeout(timer)
    }
    return shared
  }

  #ask(shared: Shared): void {
    shared.end = this.#watches.market(
      shared.watched,
      (frame) => {
        shared.isRefused = false
        shared.known = together(shared.known, frame)
        for (const looker of [...shared.lookers]) looker.onFrame(frame)
      },
      (error) => {
        shared.isRefused = true
        shared.known = undefined
        for (const looker of [...shared.lookers]) looker.onRefused(error)
      },
    )
  }

  #notifyLater(shared: Shared, looker: Looker): void {
    queueMicrotask(() => {
      if (shared.known !== undefined && shared.lookers.has(looker)) looker.onFrame(shared.known)
    })
  }

  #leave(looker: Looker): void {
    for (const shared of [...this.#shared]) if (shared.lookers.delete(looker)) this.#endUnwatched(shared)
  }

  #endUnwatched(shared: Shared): void {
    if (shared.lookers.size === 0 && this.#shared.delete(shared)) shared.end()
  }
}

function keyOf({ account, symbol }: Watched<'market:watch'>): string {
  return JSON.stringify([account, symbol])
}

/** Fields that a frame omits have not changed, except a replay and a problem: every frame repeats them while they last. */
function together(known: MarketFrame | undefined, frame: MarketFrame): MarketFrame {
  const { replayedSince: _replay, staleSince: _since, problem: _problem, ...kept } = known ?? frame
  const candles = withCandles(known?.candles, frame)
  return { ...kept, ...frame, ...(candles && { candles: [...candles], whole: true }) }
}

/** The known candles, replaced from the first of the frame on. */
export function withCandles(known: Candles, { candles, whole }: MarketFrame): Candles {
  if (candles === undefined) return known
  if (whole || known === undefined) return candles
  const first = candles[0]
  return first === undefined ? known : [...known.filter(([time]) => time < first[0]), ...candles]
}

/** A client whose pages share their watches. */
export function sharing(client: Looks): { readonly markets: SharedMarkets; readonly looks: Looks } {
  const markets = new SharedMarkets(client.watch)
  return {
    markets,
    looks: {
      ask: client.ask,
      watch: {
        market: markets.market,
        portfolio: (...of) => client.watch.portfolio(...of),
      },
      preview: (...of) => client.preview(...of),
      testHook: (...of) => client.testHook(...of),
      subscribe: (...topics) => client.subscribe(...topics),
      on: (t, handler) => client.on(t, handler),
    },
  }
}

// --- what this tab shows

const NOTHING = () => {}

export class ScopeWatches {
  readonly #watches: Watches
  readonly #notify: (news: ScopeNews) => void
  #watched = { market: '', portfolio: '' }
  #end = { market: NOTHING, portfolio: NOTHING }

  constructor(watches: Watches, notify: (news: ScopeNews) => void) {
    this.#watches = watches
    this.#notify = notify
  }

  /** After every change of the state; does something only where what is shown has changed. */
  follow(state: ConsoleState): void {
    // Subscriptions last through a lost connection: the client sends them again.
    if (!isLive(state)) return
    const scope = scopeOf(state)
    const isShown = state.flags?.accountSync !== false
    const isOther = scope !== undefined && state.focus !== undefined && scope.account !== state.focus.account
    this.#keep('market', scope, (watched) =>
      this.#watches.market(
        watched,
        (market) => this.#notify({ market }),
        () => this.#notify({ market: undefined }),
      ),
    )
    this.#keep('portfolio', isOther && isShown ? scope : undefined, (watched) =>
      this.#watches.portfolio(
        watched,
        (tabPortfolio) => this.#notify({ tabPortfolio }),
        () => this.#notify({ tabPortfolio: undefined }),
      ),
    )
  }

  #keep(kind: 'market' | 'portfolio', scope: Scope | undefined, watch: (scope: Scope) => () => void): void {
    const key = scope === undefined ? '' : JSON.stringify([scope.account, scope.symbol])
    if (key === this.#watched[kind]) return
    this.#watched = { ...this.#watched, [kind]: key }
    this.#end[kind]()
    this.#end = { ...this.#end, [kind]: NOTHING }
    this.#notify(kind === 'market' ? { market: undefined } : { tabPortfolio: undefined })
    if (scope !== undefined) this.#end = { ...this.#end, [kind]: watch(scope) }
  }
}

interface Scope {
  readonly account: string
  readonly symbol: string
}
