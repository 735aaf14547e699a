// One venue's client, ready to be asked and ordered: markets loaded, clock read, hedge mode looked for; every call recorded and its errors ours.
import type { OrderOutcome } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { CcxtClient } from './ccxt-client.ts'
import { type ErrorContext, toOrderError, toQuestionError, unknownOutcome } from './errors.ts'
import { type MarketBook, readMarkets, type VenueMarket } from './markets.ts'
import type { PositionMode, VenueProfile } from './profile.ts'
import { currentCall, jsonOf, recorded, type WireCall } from './wire-log.ts'

/** A clock drifts; it is read again when a signature was refused, and this often. */
const CLOCK_EVERY_MS = 60 * 60_000

export interface ConnectionOptions {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  readonly kind: MarketKind
  readonly errors: ErrorContext
  readonly now: () => number
  /** Told of each answer that says to wait. */
  readonly onRateLimit: (ms: number) => void
}

export interface Sent<T> {
  readonly value: T
  readonly call: WireCall
}

export class Connection {
  readonly #options: ConnectionOptions
  #markets: Promise<MarketBook> | undefined
  #wasLoaded = false
  #clockReadAt: number | undefined
  #clockDifferenceMs: number | undefined
  readonly #oneWay = new Set<string>()
  #prepared: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get errors(): ErrorContext {
    return this.#options.errors
  }

  /** Kept once read; a failed load is not kept. @throws {ExchangeError} */
  markets(reload = false): Promise<MarketBook> {
    if (this.#markets !== undefined && !reload) return this.#markets
    const loading = this.#loadMarkets()
    this.#markets = loading
    loading.catch(() => {
      if (this.#markets === loading) this.#markets = undefined
    })
    return loading
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

  /** Before the first signed call and hourly. @throws {ExchangeError} */
  async #readClock(): Promise<void> {
    const { client, profile, now } = this.#options
    if (profile.needsNoClock) return
    if (this.#clockReadAt !== undefined && now() - this.#clockReadAt < CLOCK_EVERY_MS) return
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
  async nested<T>(work: () => Promise<T>): Promise<T> {
    const { call, result } = await recorded(false, work)
    return result.catch((error: unknown) => {
      throw this.#noted(toQuestionError(error, call, this.errors))
    })
  }

  /** What ccxt's answer and the markets make. Public questions need no keys and no clock. @throws {ExchangeError} */
  async askPublic<T>(work: (markets: MarketBook) => Promise<T>): Promise<T> {
    const markets = await this.markets()
    return this.nested(() => work(markets))
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

  /** Everything that is needed before an order leaves. @throws {ExchangeError} and nothing was sent */
  async ready(symbol: string): Promise<MarketBook> {
    await this.prepared()
    const markets = await this.markets()
    const market = markets.byName(symbol)
    const scope = this.#options.profile.isModeOfSymbol ? symbol : ''
    if (market === undefined || this.#oneWay.has(scope)) return markets
    if ((await this.positionMode(market)) === 'hedge') throw hedgeMode()
    this.#oneWay.add(scope)
    return markets
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
  async send<T>(work: () => Promise<T>, clientOrderId?: string): Promise<Sent<T>> {
    const { call, result } = await recorded(true, work)
    try {
      return { value: await result, call }
    } catch (error) {
      throw this.#noted(toOrderError(error, call, this.errors, clientOrderId).error)
    }
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
    if (error.code === 'rate-limited') this.#options.onRateLimit(error.retryAfterMs ?? 1000)
    return error
  }
}

export function hedgeMode(): ExchangeError {
  return new ExchangeError('wrong-account-mode', 'the account is in hedge mode', {
    hint: 'switch the account to one-way mode at the venue',
  })
}

/** What a thrown error of `ready` or `send` makes of an order. What failed before it was sent is a refusal. */
export function outcomeOfError(error: unknown): OrderOutcome {
  if (!(error instanceof ExchangeError)) throw error
  if (error.code === 'outcome-unknown') return { kind: 'unknown', error }
  if (error.code !== 'network') return { kind: 'refused', error }
  const said = `${error.message}; the order was not sent`
  return { kind: 'refused', error: new ExchangeError('unavailable', said, { hint: 'try again later' }) }
}
