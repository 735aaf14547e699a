// Opens an account on a venue of ccxt. Nothing goes over the wire before the first question.

import { BoundedMap } from '../../base/concurrency.ts'
import type { Exchange } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { MarketKind } from '../../exchange/market.ts'
import type { Order } from '../../exchange/order.ts'
import { findVenue } from '../venues.ts'
import type { CcxtClass, CcxtClient, Params } from './ccxt-client.ts'
import { createCcxtExchange } from './ccxt-exchange.ts'
import { type ClientLifetime, ownLifetime, requireVenueAddress, SOCKET_OPTIONS } from './client-lifetime.ts'
import { Connection } from './connection.ts'
import type { ErrorContext } from './errors.ts'
import { createKnownOrders, createUnreadRows } from './known-orders.ts'
import { completed, readTicker } from './market-rows.ts'
import type { MarketBook } from './markets.ts'
import type { VenueAccount } from './order-lookup.ts'
import { createPacing } from './pacing.ts'
import type { Environment, VenueProfile } from './profile.ts'
import { profileOf } from './profiles.ts'
import { redactError } from './redact.ts'
import { SymbolSettings } from './settings.ts'
import { type AccountStreams, type AccountStreamsOptions, createAccountStreams } from './streams/account-streams.ts'
import { receivedOrder, receivedTrade } from './streams/received-rows.ts'
import { TapeStreams } from './streams/tape-streams.ts'
import { createStreamTimers } from './streams/watch-loop.ts'
import { keepEveryTrade } from './trade-lists.ts'
import { createTransport, type Transport } from './transport.ts'
import type { Questions } from './venue-questions.ts'
import { createFetch, currentCall, lineUp } from './wire-log.ts'

/** By ccxt's names of credentials; `apiSecret` and `passphrase` are what other programs call `secret` and `password`. */
export type Keys = Readonly<Partial<Record<string, string>>>

export interface CcxtAccountOptions {
  /** ccxt's id without the kind: `binance`, `bybit`, `okx`. */
  readonly venue: string
  readonly kind: MarketKind
  readonly environment: Environment
  readonly keys: Keys
  /** ms since the epoch. */
  readonly now: () => number
  /** Notified of what failed with no caller to tell. */
  readonly onProblem: (problem: unknown) => void
  /**
   * How requests leave. Default: over the network. A test plays the venue with a function that gets each whole request, signed as the venue would
   * get it, and answers it: `async ({ url, method, headers, body }) => ({ status: 200, headers: {}, text: '{"…"}' })`. One that rejects is a
   * request whose answer never came.
   */
  readonly transport?: Transport
  /** How a question waits for its turn. Default: by the clock. */
  readonly delay?: (ms: number) => Promise<void>
  /** How the account's own orders and fills are heard. Default: by WebSocket where the venue has it, by asking elsewhere. */
  readonly createStreams?: CreateAccountStreams
}

export type CreateAccountStreams = (options: AccountStreamsOptions) => AccountStreams

type VenueOptions = Pick<CcxtAccountOptions, 'venue' | 'kind' | 'environment' | 'keys' | 'now' | 'transport' | 'delay'>

/** What questions are asked through, with or without keys. */
export interface ConnectedVenue {
  readonly client: CcxtClient
  readonly profile: VenueProfile
  readonly connection: Connection
  readonly lifetime: Pick<ClientLifetime, 'renew' | 'onOpened'>
}

/** How many orders that came of trigger orders are known. */
const MOST_FIRED = 5_000

/** @throws {ExchangeError} `not-supported` for a venue, a kind or an environment that there is not */
export async function connectVenue(options: VenueOptions): Promise<ConnectedVenue> {
  const { venue, kind, environment, keys, now } = options
  const profile = profileOf(venue)
  const venueClass = profile?.classes[kind]
  if (profile === undefined || venueClass === undefined) {
    throw new ExchangeError('not-supported', `there is no ${kind} market at ${venue}`, {
      hint: '`exchanges` lists them',
    })
  }
  const client = new (await loadCcxt(venueClass))(settingsOf(profile, kind, keys))
  profile.adjust?.(client)
  keepEveryTrade(client)
  const lifetime = ownLifetime(client)
  enterEnvironment(client, profile, environment)
  const errors = errorContext(profile, keys)
  const pacing = createPacing({
    msPerUnit: client.rateLimit,
    burstMs: profile.burstMs,
    now: () => performance.now(),
    delay: options.delay ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
  })
  client.fetchImplementation = createFetch(options.transport ?? createTransport(), profile.isAnswer, (url) => {
    lifetime.requireOpen()
    requireVenueAddress(client, url)
  })
  client.throttle = (cost = 1) => pacing.take(cost)
  if (profile.isOneAtATime) lineUp(client, () => currentCall()?.isUrgent === true)
  const connection = new Connection({ client, profile, kind, errors, now, onRateLimit: pacing.pause })
  return { client, profile, connection, lifetime }
}

/** @throws {ExchangeError} `not-supported` for a venue, a kind or an environment that there is not */
export async function openCcxtExchange(options: CcxtAccountOptions): Promise<Exchange> {
  const { kind, environment, now } = options
  const onProblem = withoutSecrets(options.onProblem, options.keys)
  const { client, profile, connection, lifetime } = await connectVenue(options)
  const account: VenueAccount = {
    client,
    profile,
    kind,
    environment,
    connection,
    now,
    known: createKnownOrders(),
    marginModes: new Map(),
    positionsReadAt: undefined,
    settings: new SymbolSettings(now, (ask) => connection.later(ask)),
    fired: new BoundedMap(MOST_FIRED),
    plain: new Set(),
    causes: new Map(),
    unread: createUnreadRows(onProblem),
  }
  const timers = createStreamTimers(every)
  return createCcxtExchange({
    account,
    tape: TapeStreams.of({ client, markets: () => connection.markets(), timers, now, onProblem }),
    createStreams: (questions, markets, onNews) => {
      let book: MarketBook | undefined
      const current = async () => {
        book = await markets()
        return book
      }
      const read = <T>(work: (markets: MarketBook) => T | undefined): T | undefined =>
        book === undefined ? undefined : work(book)
      return (options.createStreams ?? createAccountStreams)({
        client,
        own: profile.streams(kind),
        markets: current,
        now,
        onProblem,
        onNews,
        prepare: async () => {
          // Which kind of account it is decides what is subscribed to.
          await connection.prepared()
          await connection.nested(async () => profile.prepareStreams?.(client, kind))
        },
        renew: lifetime.renew,
        onOpened: lifetime.onOpened,
        read: {
          openOrders: () => openOrders(account, questions),
          order: (ref) => questions.fetchOrder(ref),
          trades: (query) => questions.fetchMyTrades(query),
          positions: () => questions.fetchPositions(),
          ...(kind === 'spot' && { balances: () => questions.fetchBalances() }),
          isInTurn: kind === 'spot' && client.rateLimit > QUICK_MS,
          pairs: async () => (await current()).markets,
          ticker: (symbol) => questions.fetchTicker(symbol),
        },
        toOrder: (raw, stream) => read((markets) => receivedOrder(raw, stream, account, markets)) ?? { as: 'unread' },
        toTrade: (raw, stream) => read((markets) => receivedTrade(raw, stream, account, markets)) ?? { as: 'unread' },
        toTicker: (raw, known) =>
          read((markets) => {
            const ticker = completed(readTicker(raw, markets, now), known)
            if (ticker !== undefined) account.settings.notePrice(ticker.symbol, ticker.last)
            return ticker
          }),
        every,
      })
    },
  })
}

/** A venue that takes a question so often can be asked for orders and balances at each look; of the proven ones all but Kraken. */
const QUICK_MS = 250

/** Where the venue reports them of one symbol at a time: of the symbols that have some, as far as this process knows. */
async function openOrders({ profile, kind, known }: VenueAccount, questions: Questions): Promise<readonly Order[]> {
  const isOfAll = !profile.openOrdersNeedSymbol(kind) || profile.symbolsWithOrders !== undefined
  if (isOfAll) return questions.fetchOpenOrders()
  return (await Promise.all(known.openSymbols().map((symbol) => questions.fetchOpenOrders(symbol)))).flat()
}

/** Unref'd: nothing that is only heard keeps the process alive. */
export function every(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms)
  timer.unref()
  return () => clearInterval(timer)
}

/** ccxt's errors of streams name the address, which has the listen key in it, and quote what came. Ours were looked through when they were made. */
export function withoutSecrets(onProblem: (problem: unknown) => void, keys: Keys): (problem: unknown) => void {
  const secrets = Object.values(keys).flatMap((key) => key ?? [])
  return (problem) => onProblem(problem instanceof ExchangeError ? problem : redactError(problem, secrets))
}

const KEY_NAMES: Readonly<Record<string, string>> = { apiSecret: 'secret', passphrase: 'password' }

function settingsOf(profile: VenueProfile, kind: MarketKind, keys: Keys): Params {
  const credentials = Object.entries(keys).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[KEY_NAMES[name] ?? name, value]],
  )
  return {
    ...Object.fromEntries(credentials),
    number: String,
    enableRateLimit: true,
    verbose: false,
    // Nothing of an answer is kept: the wire log has what is needed, for as long as a call lasts.
    enableLastHttpResponse: false,
    enableLastJsonResponse: false,
    enableLastResponseHeaders: false,
    userAgent: 'hookline',
    options: { maxRetriesOnFailure: 0, ...profile.options(kind), ws: { options: SOCKET_OPTIONS } },
  }
}

/** @throws {ExchangeError} `not-supported` */
function enterEnvironment(client: CcxtClient, profile: VenueProfile, environment: Environment): void {
  // Currencies need keys at some venues and are never asked about.
  client.has.fetchCurrencies = false
  if (environment === 'live') return
  // ccxt goes on without an address where there is none, and at one venue with the live ones.
  if (findVenue(profile.id)?.demo !== true) throw noDemo(profile)
  if (profile.demo === 'sandbox') return client.setSandboxMode(true)
  if (profile.demo === 'demo' && client.enableDemoTrading !== undefined) return client.enableDemoTrading(true)
  throw noDemo(profile)
}

function noDemo({ name }: VenueProfile): ExchangeError {
  return new ExchangeError('not-supported', `${name} has no demo`, { hint: 'leave `--demo` out' })
}

function errorContext(profile: VenueProfile, keys: Keys): ErrorContext {
  const secrets = Object.values(keys).filter((key) => key !== undefined)
  const { name, codeOf, codes, hints, unknownCodes, isRefusalCode, statuses, isQuestion } = profile
  return {
    venueName: name,
    secrets,
    codeOf,
    codes,
    hints,
    unknownCodes: new Set(unknownCodes),
    isRefusalCode,
    statuses,
    isQuestion,
  }
}

// One venue's class of ccxt, by its name: in the program from its own file beside it, in tests from the package. Nothing of ccxt is loaded
// before the first call.

/** Where the build has put the chunks, from the program; sources run unbundled only in tests. */
declare const __HOOKLINE_CHUNKS__: string | undefined

const SOURCES = '../../../node_modules/ccxt/js/src/'

/** @throws {ExchangeError} `not-supported` where ccxt has no such class */
export async function loadCcxt(venueClass: string): Promise<CcxtClass> {
  if (!/^[a-z0-9]+$/.test(venueClass)) throw notSupported(venueClass)
  return typeof __HOOKLINE_CHUNKS__ === 'string'
    ? loadChunk(`${__HOOKLINE_CHUNKS__}/${venueClass}.cjs`, venueClass)
    : loadSource(venueClass)
}

function loadChunk(path: string, venueClass: string): CcxtClass {
  let file: string
  try {
    file = require.resolve(path)
  } catch {
    throw notSupported(venueClass)
  }
  return (require(file) as { readonly default: CcxtClass }).default
}

/** The class with streams, where there is one. */
async function loadSource(venueClass: string): Promise<CcxtClass> {
  for (const folder of ['pro/', '']) {
    const url = new URL(`${SOURCES}${folder}${venueClass}.js`, import.meta.url).href
    try {
      return ((await import(url)) as { readonly default: CcxtClass }).default
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    }
  }
  throw notSupported(venueClass)
}

function notSupported(venueClass: string): ExchangeError {
  return new ExchangeError('not-supported', `ccxt has no venue ${venueClass}`, { hint: '`exchanges` lists the venues' })
}
