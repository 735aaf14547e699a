// One venue's client, ready to be asked and ordered: markets loaded, clock read, hedge mode looked for; every call recorded and its errors ours.
import { withTimeout } from '../../base/concurrency.ts'
import { defined } from '../../base/defined.ts'
import type { OrderOutcome } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { CcxtClient } from './ccxt-client.ts'
import { type ErrorContext, toOrderError, toQuestionError, unknownOutcome } from './errors.ts'
import { type MarketBook, readMarkets, type VenueMarket } from './markets.ts'
import type { PositionMode, VenueProfile } from './profile.ts'
import { askTurn, currentCall, jsonOf, recorded, type WireCall } from './wire-log.ts'

/** A clock drifts; it is read again when a signature was refused, and this often. */
const CLOCK_EVERY_MS = 60 * 60_000
/** Listings, ticks and lots change; they are read again when an order was refused for one, and this often. */
const MARKETS_EVERY_MS = 60 * 60_000
/** What could not be read again is tried so much later, and markets after a refusal no more often. */
const AGAIN_MS = 60_000
/** The longest that an order waits for markets that are read again, and an exit for what was never known. */
const LONGEST_WAIT_MS = 1_000

interface ConnectionOptions {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  readonly kind: MarketKind
  readonly errors: ErrorContext
  readonly now: () => number
  /** Notified of each answer that says to wait. */
  readonly onRateLimit: (ms: number) => void
}

interface SendTerms {
  readonly clientOrderId?: string
  /** It ends or protects what is held, or takes an order back: it leaves also while the venue wants quiet. */
  readonly isExit?: boolean
  readonly release?: () => Promise<void>
}

interface Sent<T> {
  readonly value: T
  readonly call: WireCall
}

export class Connection {
  readonly #options: ConnectionOptions
  #markets: Promise<MarketBook> | undefined
  #marketsReadAt = 0
  /** Markets that are being read again because an order was refused for the old ones. */
  #renewing: Promise<MarketBook> | undefined
  #wasLoaded = false
  #quietUntil = 0
  #clockReadAt: number | undefined
  #readingClock: Promise<void> | undefined
  #clockDifferenceMs: number | undefined
  readonly #oneWay = new Set<string>()
  #prepared: Promise<void> | undefined
  /** How many orders are on their way. */
  #ordering = 0
  /** What is asked behind them. */
  #behind: (() => void)[] = []

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get errors(): ErrorContext {
    return this.#options.errors
  }

  /** Kept once read, and read again behind who asks; a failed load is not kept, and takes nothing away. @throws {ExchangeError} */
  markets(reload = false): Promise<MarketBook> {
    const known = this.#markets
    if (known === undefined || reload) return this.#readMarkets()
    if (this.#renewing !== undefined) return soonOr(this.#renewing, () => known)
    if (this.#options.now() - this.#marketsReadAt >= MARKETS_EVERY_MS) {
      this.#marketsReadAt = this.#options.now() - MARKETS_EVERY_MS + AGAIN_MS
      this.later(() => void this.#readMarkets().catch(() => {}))
    }
    return known
  }

  #readMarkets(): Promise<MarketBook> {
    const { now } = this.#options
    const before = this.#markets
    const loading = this.#loadMarkets()
    this.#markets ??= loading
    const readAt = this.#marketsReadAt
    // One load at a time for all who pass by.
    this.#marketsReadAt = now()
    loading.then(
      () => {
        this.#markets = loading
      },
      () => {
        if (before === undefined && this.#markets === loading) this.#markets = undefined
        this.#marketsReadAt = Math.max(readAt, now() - MARKETS_EVERY_MS + AGAIN_MS)
      },
    )
    return loading
  }

  /** The venue has refused an order for a symbol, a tick or a lot that our markets have. */
  #renewMarkets(): void {
    if (this.#markets === undefined || this.#renewing !== undefined) return
    if (this.#options.now() - this.#marketsReadAt < AGAIN_MS) return
    const renewing = this.#readMarkets()
    this.#renewing = renewing
    renewing
      .catch(() => {})
      .finally(() => {
        this.#renewing = undefined
      })
  }

  async #loadMarkets(): Promise<MarketBook> {
    const { client, profile, kind } = this.#options
    // ccxt keeps a failed load as a rejected promise: it is always told to load anew.
    const isAnew = this.#wasLoaded
    this.#wasLoaded = true
    const rows = await this.nested(() => client.loadMarkets(isAnew, profile.marketsParams))
    return readMarkets(rows, {
      kind,
      precisionMode: client.precisionMode,
      ...(profile.priceGridOf && { priceGridOf: (market) => profile.priceGridOf?.(market, kind) }),
      ...(profile.contractSizeOf && { contractSizeOf: profile.contractSizeOf }),
    })
  }

  /** Waited for before the first signed call, and after one that was refused for it; hourly behind the others. @throws {ExchangeError} */
  async #readClock(): Promise<void> {
    const { profile, now } = this.#options
    if (profile.needsNoClock) return
    const readAt = this.#clockReadAt
    if (readAt !== undefined && now() - readAt < CLOCK_EVERY_MS) return
    const read = (): Promise<void> => {
      this.#readingClock ??= this.#askClock().finally(() => {
        this.#readingClock = undefined
      })
      return this.#readingClock
    }
    if (readAt === undefined) return read()
    this.#clockReadAt = now() - CLOCK_EVERY_MS + AGAIN_MS
    this.later(() => void read().catch(() => {}))
  }

  async #askClock(): Promise<void> {
    const { client, now } = this.#options
    if (client.has.fetchTime === true) {
      const behind = await this.nested(() => client.loadTimeDifference())
      if (typeof behind === 'number' && Number.isFinite(behind)) this.#clockDifferenceMs = -behind
    }
    this.#clockReadAt = now()
  }

  /** How far the venue's clock is ahead of ours; undefined before it was read, and where there is none to read. */
  get clockDifferenceMs(): number | undefined {
    return this.#clockDifferenceMs
  }

  /** One question of several, with an error of its own. @throws {ExchangeError} */
  async nested<T>(work: () => Promise<T>, isInTurn = false): Promise<T> {
    if (isInTurn) await askTurn()
    const { call, result } = await recorded({ isUrgent: false, isInTurn }, work)
    return result.catch((error: unknown) => {
      throw this.#noted(toQuestionError(error, call, this.errors))
    })
  }

  /** What ccxt's answer and the markets make. Public questions need no keys and no clock. @throws {ExchangeError} */
  async askPublic<T>(work: (markets: MarketBook) => Promise<T>, isInTurn = false): Promise<T> {
    const markets = await this.markets()
    return this.nested(() => work(markets), isInTurn)
  }

  /** A signed question. @throws {ExchangeError} */
  async ask<T>(work: (markets: MarketBook) => Promise<T>): Promise<T> {
    await this.prepared()
    return this.askPublic(work)
  }

  /** What the class must know of the account before its first signed call. Kept once it worked. @throws {ExchangeError} */
  async prepared(): Promise<void> {
    await this.#readClock()
    const { client, profile, kind } = this.#options
    if (profile.prepare === undefined) return
    const preparing = this.#prepared ?? this.nested(() => profile.prepare?.(client, kind) ?? Promise.resolve())
    this.#prepared = preparing
    try {
      await preparing
    } catch (error) {
      if (this.#prepared === preparing) this.#prepared = undefined
      throw error
    }
  }

  /** As `prepared`, for what ends, protects or takes back: it waits for nothing for long, and nothing that is not known keeps it. */
  preparedForExit(): Promise<void> {
    return soonOr(this.prepared(), () => undefined)
  }

  /** Everything that is needed before an order leaves. An exit leaves without it. @throws {ExchangeError} and nothing was sent */
  async ready(symbol: string, isExit = false): Promise<MarketBook> {
    if (isExit) {
      await this.preparedForExit()
      return this.markets()
    }
    await this.prepared()
    const markets = await this.markets()
    const market = markets.byName(symbol)
    const scope = this.#options.profile.isModeOfSymbol ? symbol : ''
    if (market === undefined || this.#oneWay.has(scope)) return markets
    if ((await this.positionMode(market)) === 'hedge') throw hedgeMode()
    this.#oneWay.add(scope)
    return markets
  }

  /** Sends an order: what only refreshes what is known is asked behind it. */
  async ordering<T>(work: () => Promise<T>): Promise<T> {
    this.#ordering += 1
    try {
      return await work()
    } finally {
      this.#ordering -= 1
      const behind = this.#behind
      this.#behind = []
      for (const ask of behind) ask()
    }
  }

  /** Asks now, or behind the orders that are on their way. @param ask never throws */
  later(ask: () => void): void {
    if (this.#ordering > 0) this.#behind.push(ask)
    else ask()
  }

  /** Whether the venue has said that nothing may be sent for a while. */
  get isQuiet(): boolean {
    return this.#quietUntil > this.#options.now()
  }

  /** Undefined where the venue has no such thing. @throws {ExchangeError} */
  async positionMode(market?: VenueMarket): Promise<PositionMode | undefined> {
    const { client, profile, kind } = this.#options
    return kind === 'spot' ? undefined : this.nested(() => profile.positionMode(client, kind, market))
  }

  /**
   * Sends once what changes something.
   * @throws {ExchangeError} the venue's no, or `outcome-unknown`
   */
  async send<T>(work: () => Promise<T>, { clientOrderId, isExit, release }: SendTerms = {}): Promise<Sent<T>> {
    const quietMs = this.#quietUntil - this.#options.now()
    if (quietMs > 0 && isExit !== true) throw quiet(this.errors.venueName, quietMs)
    const { call, result } = await recorded({ isUrgent: true, ...defined({ release }) }, work)
    try {
      return { value: await result, call }
    } catch (error) {
      const { fate, error: stated } = toOrderError(error, call, this.errors, clientOrderId)
      if (fate === 'refused' && this.#isOfOldMarkets(stated, call)) this.#renewMarkets()
      throw this.#noted(stated)
    }
  }

  #isOfOldMarkets({ code }: ExchangeError, { exchanges }: WireCall): boolean {
    const text = exchanges.at(-1)?.response?.text
    const stated = text === undefined ? undefined : this.errors.codeOf(jsonOf(text))
    return stated !== undefined && (code === 'bad-symbol' || this.#options.profile.gridCodes.includes(stated))
  }

  /** Runs `work`; the venue's word that nothing was to change is not an error. */
  async unlessUnchanged(work: () => Promise<unknown>, codes: readonly string[]): Promise<void> {
    try {
      await work()
    } catch (error) {
      const text = currentCall()?.exchanges.at(-1)?.response?.text
      const code = text === undefined ? undefined : this.errors.codeOf(jsonOf(text))
      const isClass = error instanceof Error && (error.name === 'NoChange' || error.name === 'MarginModeAlreadySet')
      if (!isClass && (code === undefined || !codes.includes(code))) throw error
    }
  }

  unknown(call: WireCall, clientOrderId?: string): ExchangeError {
    return unknownOutcome(this.errors, call.exchanges.at(-1), clientOrderId)
  }

  #noted(error: ExchangeError): ExchangeError {
    if (error.code === 'clock') this.#clockReadAt = undefined
    if (error.code === 'wrong-account-mode') this.#oneWay.clear()
    if (error.code === 'rate-limited') {
      this.#options.onRateLimit(error.retryAfterMs ?? 1000)
      this.#quietUntil = Math.max(this.#quietUntil, this.#options.now() + (error.retryAfterMs ?? 0))
    }
    return error
  }
}

/** Each request while it wants quiet makes the venue's ban longer. */
function quiet(venueName: string, ms: number): ExchangeError {
  const seconds = Math.ceil(ms / 1_000)
  return new ExchangeError('rate-limited', `${venueName} takes no orders for another ${seconds} s; nothing was sent`, {
    hint: 'exits, stops and cancels are sent anyway',
    retryAfterMs: ms,
  })
}

/** What `work` gives, or what is known where that takes too long or fails. */
export async function soonOr<T>(work: Promise<T>, known: () => T | Promise<T>): Promise<T> {
  return withTimeout(
    work.then(
      (value) => () => value,
      () => known,
    ),
    LONGEST_WAIT_MS,
    () => known,
  ).then((give) => give())
}

function hedgeMode(): ExchangeError {
  return new ExchangeError('wrong-account-mode', 'the account is in hedge mode', {
    hint: 'switch the account to one-way mode at the venue',
  })
}

/** What a thrown error of `ready` or `send` makes of an order. What failed before it was sent is a refusal. */
export function outcomeOfError(error: unknown): OrderOutcome {
  if (!(error instanceof ExchangeError)) throw error
  if (error.code === 'outcome-unknown') return { kind: 'unknown', error }
  if (error.code !== 'network') return { kind: 'refused', error }
  const stated = `${error.message}; the order was not sent`
  return { kind: 'refused', error: new ExchangeError('unavailable', stated, { hint: 'try again later' }) }
}
