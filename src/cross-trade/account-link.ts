// One account as the copier sees it: its positions, and whether they are those of now. A question that failed leaves them unknown, never flat.

import type { Market } from '../exchange/market.ts'
import type { Clock } from '../trading/clock.ts'
import type { Connect, TradingAccount } from '../trading/order-desk.ts'
import type { CopierEvent } from './engine-port.ts'
import { type Decimal, signedAmount, ZERO } from './plan.ts'

interface LinkPorts {
  /** @throws why there is no such account, or no way to it */
  readonly connect: Connect
  readonly clock: Clock
  readonly onProblem: (error: unknown) => void
  /** The account has traded. */
  readonly onTrade: (link: AccountLink, symbol: string) => void
  /** Nothing current is known of it, and then again everything, or another reason why not. */
  readonly onChange: (link: AccountLink) => void
}

/** So long nothing current may be known before the account counts as stale. */
const STALE_MS = 15_000
/** How often an account is looked at though nothing happened. */
const LOOK_MS = 30_000
const RECENT_MS = 60_000
/** Between two attempts, in ms. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 15_000]

interface Loss {
  readonly since: number
  readonly why: string
}

export class AccountLink {
  readonly name: string
  readonly #ports: LinkPorts
  #account: TradingAccount | undefined
  #unsubscribe: (() => void) | undefined
  #markets: ReadonlyMap<string, Market> | undefined
  #positions: ReadonlyMap<string, Decimal> = new Map()
  readonly #lasts = new Map<string, { readonly last: string; readonly at: number }>()
  #loss: Loss | undefined
  #failures = 0
  #nextTry = 0
  #readAt = 0
  #reading: { readonly since: number; readonly done: Promise<boolean> } | undefined
  #next: Promise<boolean> | undefined
  #isClosed = false

  constructor(name: string, ports: LinkPorts) {
    this.name = name
    this.#ports = ports
    this.#loss = { since: ports.clock.now(), why: 'it was not asked yet' }
  }

  get account(): TradingAccount | undefined {
    return this.#account
  }

  /** The account as it is connected now; undefined: it is another one than was asked, which is asked at the next beat. */
  async connected(): Promise<TradingAccount | undefined> {
    const why = await this.#ports
      .connect(this.name)
      .then((account) => (account === this.#account ? undefined : 'it was edited and is asked again'), messageOf)
    if (why === undefined) return this.#account
    this.lose(why)
    return undefined
  }

  /** As last read; of no meaning unless it is current. */
  get positions(): ReadonlyMap<string, Decimal> {
    return this.#positions
  }

  held(symbol: string): Decimal {
    return this.#positions.get(symbol) ?? ZERO
  }

  /** Why nothing current is known of it; undefined: it is. */
  get loss(): string | undefined {
    if (this.#loss !== undefined) return this.#loss.why
    return this.#account?.venue.stream === 'live' ? undefined : SILENT
  }

  isStale(): boolean {
    return this.#loss !== undefined && this.#ports.clock.now() - this.#loss.since >= STALE_MS
  }

  /** @returns undefined where the venue has no such market @throws {ExchangeError} */
  async market(symbol: string): Promise<Market | undefined> {
    const account = this.#account
    if (this.#markets === undefined && account !== undefined) {
      const markets = await account.venue.loadMarkets()
      if (account === this.#account) this.#markets = new Map(markets.map((market) => [market.symbol, market]))
    }
    return this.#markets?.get(symbol)
  }

  /** The price of the last trade. @throws {ExchangeError} */
  async last(symbol: string): Promise<string> {
    if (this.#account === undefined) throw new Error('a price was asked for before the account was connected')
    const { last } = await this.#account.venue.fetchTicker(symbol)
    this.#lasts.set(symbol, { last, at: this.#ports.clock.now() })
    return last
  }

  /** As it was read in the last minute, if it was: good for what needs no exact price. */
  recentLast(symbol: string): string | undefined {
    const known = this.#lasts.get(symbol)
    return known !== undefined && Math.abs(this.#ports.clock.now() - known.at) <= RECENT_MS ? known.last : undefined
  }

  /** So that they are known when they are needed. What fails is asked again then. */
  loadMarkets(): void {
    this.market('').catch((error: unknown) => {
      if (!hasCode(error)) this.#ports.onProblem(error)
    })
  }

  /** The market, where it was asked for before. */
  knownMarket(symbol: string): Market | undefined {
    return this.#markets?.get(symbol)
  }

  /** Asks anew. What is asked for while a question is under way is answered by the next one. @returns whether its positions are those of now */
  refresh(): Promise<boolean> {
    if (this.#reading === undefined) return this.#begin()
    this.#next ??= this.#reading.done.then(() => {
      this.#next = undefined
      return this.#begin()
    })
    return this.#next
  }

  /** What was known is no longer relied on. */
  lose(why: string): void {
    if (this.#loss?.why === why) return
    this.#loss = { since: this.#loss?.since ?? this.#ports.clock.now(), why }
    this.#ports.onChange(this)
  }

  /** A second has passed. @returns whether it should be asked now */
  beat(): 'lost' | 'look' | undefined {
    const now = this.#ports.clock.now()
    if (this.#reading !== undefined) {
      if (now - this.#reading.since >= STALE_MS) this.lose('it does not answer')
      return undefined
    }
    if (this.#account !== undefined && this.#account.venue.stream !== 'live') this.lose(SILENT)
    if (this.#loss !== undefined) return now >= this.#nextTry ? 'lost' : undefined
    return now - this.#readAt >= LOOK_MS ? 'look' : undefined
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe?.()
  }

  #begin(): Promise<boolean> {
    const done = this.#read().finally(() => {
      this.#reading = undefined
    })
    this.#reading = { since: this.#ports.clock.now(), done }
    return done
  }

  async #read(): Promise<boolean> {
    try {
      const account = await this.#ports.connect(this.name)
      if (account !== this.#account) this.#attach(account)
      const positions = await account.venue.fetchPositions()
      if (this.#isClosed || account !== this.#account) return false
      return this.#got(new Map(positions.map((position) => [position.symbol, signedAmount(position)])), account)
    } catch (error) {
      if (!hasCode(error)) this.#ports.onProblem(error)
      this.#fail(messageOf(error))
      return false
    }
  }

  #got(positions: ReadonlyMap<string, Decimal>, { venue }: TradingAccount): boolean {
    if (venue.kind === 'spot') return this.#fail('a spot account holds coins, and no positions to copy')
    if (venue.stream !== 'live') return this.#fail(SILENT)
    this.#positions = positions
    this.#readAt = this.#ports.clock.now()
    this.#failures = 0
    const wasLost = this.#loss !== undefined
    this.#loss = undefined
    if (wasLost) this.#ports.onChange(this)
    return true
  }

  #fail(why: string): false {
    this.#nextTry = this.#ports.clock.now() + (PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? LOOK_MS)
    this.#failures += 1
    this.lose(why)
    return false
  }

  #attach(account: TradingAccount): void {
    this.#unsubscribe?.()
    this.#account = account
    this.#markets = undefined
    this.#lasts.clear()
    if (this.#isClosed) return
    this.#unsubscribe = account.venue.subscribe((event) => {
      if (event.type === 'trade') this.#ports.onTrade(this, event.trade.symbol)
      if (event.type !== 'stream') return
      if (event.state === 'stale') return this.lose(SILENT)
      // What a gap has swallowed is only in what is held now.
      this.lose(GAP)
      void this.refresh()
    })
  }
}

const SILENT = 'its stream is silent'
const GAP = 'its stream restarted'

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** An error that is meant to be met: one of the venue, of a file, of a name that is not known. */
export function hasCode(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

// The fills of one order come one by one: what they come to is looked at when they have been quiet for a moment, and not much later in any case.

/** In ms. */
export const QUIET_MS = 120
export const CEILING_MS = 500

interface BurstOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The symbols that traded. */
  readonly onEnd: (symbols: ReadonlySet<string>) => void
  readonly onProblem: (error: unknown) => void
}

class Burst {
  readonly #options: BurstOptions
  #symbols = new Set<string>()
  #lastAt = 0

  constructor(options: BurstOptions) {
    this.#options = options
  }

  traded(symbol: string): void {
    const isFirst = this.#symbols.size === 0
    this.#symbols.add(symbol)
    this.#lastAt = this.#options.clock.now()
    if (isFirst) this.#wait(this.#lastAt).catch(this.#options.onProblem)
  }

  async #wait(firstAt: number): Promise<void> {
    const { clock, signal, onEnd } = this.#options
    for (;;) {
      const left = Math.min(this.#lastAt + QUIET_MS, firstAt + CEILING_MS) - clock.now()
      if (left <= 0 || signal.aborted) break
      await clock.delay(left, signal)
    }
    const symbols = this.#symbols
    this.#symbols = new Set()
    if (!signal.aborted) onEnd(symbols)
  }
}

// All accounts of an engine: which are asked, when, and who is told.

interface AccountLinksOptions {
  readonly connect: Connect
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly report: (event: CopierEvent) => void
  readonly onProblem: (error: unknown) => void
  /** Accounts on which anything depends now. */
  readonly needed: () => ReadonlySet<string>
  /** Its positions were read: as a master's, after these symbols traded; none: for another reason. */
  readonly onRead: (link: AccountLink, traded: ReadonlySet<string>) => void
  readonly onLost: (link: AccountLink) => void
}

interface Linked {
  readonly link: AccountLink
  readonly burst: Burst
  isReportedStale: boolean
}

const NONE: ReadonlySet<string> = new Set()

export class AccountLinks {
  readonly #options: AccountLinksOptions
  readonly #links = new Map<string, Linked>()

  constructor(options: AccountLinksOptions) {
    this.#options = options
  }

  /** The same one for the same name. */
  link(name: string): AccountLink {
    const known = this.#links.get(name)
    if (known !== undefined) return known.link
    const { connect, clock, signal, onProblem } = this.#options
    const link = new AccountLink(name, {
      connect,
      clock,
      onProblem,
      onTrade: (traded, symbol) => this.#links.get(traded.name)?.burst.traded(symbol),
      onChange: (changed) => this.#changed(changed),
    })
    const onEnd = (symbols: ReadonlySet<string>) => this.#readFor(link, symbols)
    this.#links.set(name, { link, burst: new Burst({ clock, signal, onEnd, onProblem }), isReportedStale: false })
    return link
  }

  /** Asks those that are needed and were not asked yet. Resolves when they have answered, or 15 s later. */
  async open(): Promise<void> {
    const { clock } = this.#options
    const needed = this.#options.needed()
    const fresh = [...this.#links.values()].filter(({ link }) => link.account === undefined && needed.has(link.name))
    const late = new AbortController()
    await Promise.race([Promise.all(fresh.map(({ link }) => link.refresh())), clock.delay(STALE_MS, late.signal)])
    late.abort()
  }

  /** Asks it now, for another reason than that it traded. */
  look(link: AccountLink): void {
    this.#readFor(link, NONE)
  }

  beat(): void {
    const { report } = this.#options
    const needed = this.#options.needed()
    for (const linked of this.#links.values()) {
      const { link } = linked
      if (!needed.has(link.name)) continue
      const due = link.beat()
      if (due === 'look') this.look(link)
      if (due === 'lost') void link.refresh()
      if (!link.isStale() || linked.isReportedStale) continue
      linked.isReportedStale = true
      report({ type: 'account-stale', account: link.name, why: link.loss ?? '' })
    }
  }

  /** Nothing that was known is current. */
  loseAll(why: string): void {
    for (const { link } of this.#links.values()) link.lose(why)
  }

  close(): void {
    for (const { link } of this.#links.values()) link.close()
  }

  /** A link that was lost tells by itself that it no longer is. */
  #readFor(link: AccountLink, symbols: ReadonlySet<string>): void {
    const wasLost = link.loss !== undefined
    link
      .refresh()
      .then((isCurrent) => {
        if (isCurrent && (symbols.size > 0 || !wasLost)) this.#options.onRead(link, symbols)
      })
      .catch(this.#options.onProblem)
  }

  #changed(link: AccountLink): void {
    const { onLost, onRead, report } = this.#options
    if (link.loss !== undefined) return onLost(link)
    const linked = this.#links.get(link.name)
    if (linked?.isReportedStale === true) {
      linked.isReportedStale = false
      report({ type: 'account-current', account: link.name })
    }
    onRead(link, NONE)
  }
}
