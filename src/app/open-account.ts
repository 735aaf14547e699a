// An account row, connected: its venue, and the desk that sends its orders. Loaded at the first command that trades or asks for a price.

import { isPractice } from '../commands/account/account-words.ts'
import { CommandError } from '../commands/kit/errors.ts'
import type { Keys } from '../credentials/keys.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { CcxtAccountOptions } from '../exchanges/ccxt/open-ccxt.ts'
import type { RecordedExchange } from '../exchanges/ccxt/recording.ts'
import type { FactResult, ProofResult } from '../exchanges/contract/prove.ts'
import { createSyntheticDepth } from '../exchanges/paper/depth.ts'
import { FollowedMarket } from '../exchanges/paper/followed-market.ts'
import type { MarketSource } from '../exchanges/paper/market-source.ts'
import { START_PRICES } from '../exchanges/paper/markets.ts'
import { START_BALANCE } from '../exchanges/paper/paper-controls.ts'
import { createPaperExchange } from '../exchanges/paper/paper-exchange.ts'
import { createJointWalk, createRandomWalk } from '../exchanges/paper/random-walk.ts'
import { createReplayMarket, type ReplayMarketOptions } from '../exchanges/paper/replay.ts'
import { initialState, type PaperState } from '../exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../exchanges/paper/state-file.ts'
import { findVenue } from '../exchanges/venues.ts'
import type { DayBook } from '../guards/day-book.ts'
import { type GuardedAccount, guardAccount, guardExchange } from '../guards/guard-exchange.ts'
import { limitsOf } from '../guards/rules.ts'
import type { VenueMeter } from '../metrics/venue-meter.ts'
import { ACCOUNT_PLACES } from '../protocol/rows.ts'
import { type AccountRow, isDemo } from '../stores/accounts.ts'
import type { GuardStore } from '../stores/guards.ts'
import type { JournaledFile } from '../stores/journaled-file.ts'
import { openPaperHistory, openPaperState, openPracticeMarket } from '../stores/paper-state.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import { OrderDesk } from '../trading/order-desk.ts'
import type { OrderListener } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import { keptCandles } from './candle-files.ts'
import type { OpenAccount } from './connections.ts'

export interface OpenAccountOptions {
  readonly directory: string
  /** Asked for where the venue has keys. @throws {CredentialsError} */
  readonly resolveKeys: (row: AccountRow) => Promise<Keys>
  /** Asked before anything is sent with the keys. @throws {CredentialsError} they are locked away */
  readonly requireKeys: (row: AccountRow) => void
  readonly journal: OrderJournal
  readonly clock: Clock
  /** Notified of what becomes of orders that another process left. */
  readonly report: OrderListener
  readonly onProblem: (problem: unknown) => void
  readonly guards: GuardStore
  /** What the orders of all accounts add up to. */
  readonly book: DayBook
  /** Counts what is asked of the venue. */
  readonly meter?: VenueMeter
  /** Notified of what a guard does by itself. */
  readonly onTripped: (text: string) => void
}

/** @throws {CommandError} `not-supported` @throws {CredentialsError} */
export async function openAccount(row: AccountRow, options: OpenAccountOptions): Promise<OpenAccount> {
  const { directory, resolveKeys, requireKeys, journal, clock, report, onProblem, guards, book, meter, onTripped } =
    options
  const adapter = await openExchange(row, wantsKeys(row) ? await resolveKeys(row) : {}, directory, onProblem)
  const opened = meter?.metered(adapter) ?? adapter
  const venue = row.credentials?.from === 'vault' ? withKeysHeld(opened, () => requireKeys(row)) : opened
  // Nothing below this line knows a way round the guard (behaviour 40).
  const guarded = guardAccount(venue, { account: row.name, store: guards, book, now: clock.now, onTripped })
  const { exchange } = guarded
  const closing = new AbortController()
  void watchLoss(guarded, { clock, signal: closing.signal, onProblem })
  const orders = new OrderDesk({ account: row.name, exchange, journal, clock, report, onProblem })
  const unfollow = meter?.follow({
    stream: () => exchange.stream,
    protecting: () => orders.records.protecting(),
    unsettled: () => orders.records.unsettled().length,
  })
  return {
    name: row.name,
    venue: exchange,
    orders,
    priceBand: () => limitsOf(guards.readOncePerTurn(row.name), row.exchange).band ?? 'off',
    async close() {
      closing.abort()
      unfollow?.()
      orders.close()
      await exchange.close()
    },
  }
}

/** How often it is looked whether the account has lost what it may lose in a day. */
const LOOK_AT_LOSS_MS = 5_000

async function watchLoss(
  guarded: GuardedAccount,
  { clock, signal, onProblem }: Pick<OpenAccountOptions, 'clock' | 'onProblem'> & { readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await clock.delay(LOOK_AT_LOSS_MS, signal)
    if (signal.aborted) return
    await guarded.lookAtLoss().catch((error: unknown) => {
      // What cannot be known now is asked again, and before each order that adds.
      if (!(error instanceof ExchangeError) && !(error instanceof StoreError)) onProblem(error)
    })
  }
}

export interface ProofRun
  extends Pick<OpenAccountOptions, 'directory' | 'resolveKeys' | 'clock' | 'onProblem' | 'guards' | 'book'> {
  readonly symbol: string
  readonly only?: string
  readonly signal: AbortSignal
  readonly onFact: (result: FactResult, number: number, of: number) => void
  readonly record: (recorded: RecordedExchange) => void
}

/**
 * Runs the contract on an account with play money, behind its guard.
 * @throws {CommandError} `not-demo`, `not-supported` @throws {CredentialsError} @throws {ExchangeError}
 */
export async function proveAccount(row: AccountRow, run: ProofRun): Promise<ProofResult> {
  if (!isPractice(row)) throw new CommandError('not-demo', `account ${row.name} holds real money`)
  const { directory, onProblem, guards, book, clock, symbol, only = '', signal, onFact, record } = run
  const keys = wantsKeys(row) ? await run.resolveKeys(row) : {}
  const open = async () => {
    const venue = await openExchange(row, keys, directory, onProblem, record)
    return guardExchange(venue, { account: row.name, store: guards, book, now: clock.now, onTripped: () => {} })
  }
  const { proveContract } = await loadContract()
  return proveContract({ open, symbol, only, signal, onFact, delay: (ms) => clock.delay(ms, signal) })
}

/** Where the build has put the contract, from the program; sources run unbundled only in tests. */
declare const __HOOKLINE_CONTRACT__: string | undefined

/** A file of its own: few ever run it, and a start reads nothing of it. */
async function loadContract(): Promise<typeof import('../exchanges/contract/prove.ts')> {
  if (typeof __HOOKLINE_CONTRACT__ === 'string') return require(__HOOKLINE_CONTRACT__)
  const source = '../exchanges/contract/prove.ts'
  return import(source)
}

/** A venue that cannot be traded on is refused before anybody looks for its keys. */
function wantsKeys({ exchange }: AccountRow): boolean {
  const venue = findVenue(exchange)
  return venue?.canTrade === true && venue.needsCredentials
}

// Which exchange serves an account row. Loaded at the first command that trades or asks for a price.

/** @param record gets what a live venue is asked and answers, redacted @throws {CommandError} `not-supported` for an exchange this version does not speak @throws {ExchangeError} `not-supported` */
export async function openExchange(
  row: AccountRow,
  keys: Keys,
  directory: string,
  onProblem: (problem: unknown) => void,
  record?: (recorded: RecordedExchange) => void,
): Promise<Exchange> {
  if (row.exchange === 'paper') return openPaper(row, directory, onProblem)
  const options: CcxtAccountOptions = { ...liveOptions(row), keys, now: Date.now, onProblem }
  // Loaded when an account of it is opened, and not before.
  const { openCcxtExchange } = await import('../exchanges/ccxt/open-ccxt.ts')
  if (record === undefined) return openCcxtExchange(options)
  const { recordTransport } = await import('../exchanges/ccxt/recording.ts')
  const { createTransport } = await import('../exchanges/ccxt/transport.ts')
  const secrets = Object.values(keys).flatMap((key) => key ?? [])
  const transport = recordTransport({ transport: createTransport(), secrets, now: Date.now, keep: record })
  return openCcxtExchange({ ...options, transport })
}

/** @throws {CommandError} `not-supported` */
function liveOptions(row: AccountRow): Pick<CcxtAccountOptions, 'venue' | 'kind' | 'environment'> {
  const venue = findVenue(row.exchange)
  if (venue === undefined || !venue.canTrade) {
    throw new CommandError(
      'not-supported',
      `account ${row.name} is on ${row.exchange}, which this version cannot trade on`,
      { hint: 'use a paper account: `account add <name> paper`' },
    )
  }
  const fields = row as Readonly<Record<string, unknown>>
  // Another account's money would be traded.
  if (ACCOUNT_PLACES.some((name) => isSet(fields[name]))) {
    throw new CommandError('not-supported', `account ${row.name} is for a subaccount, which this version cannot name`, {
      hint: "use the subaccount's own key",
    })
  }
  const kind = venue.kinds.find((each) => each === row.kind) ?? venue.kinds[0]
  if (kind === undefined || (isSet(row.kind) && kind !== row.kind)) {
    throw new CommandError('not-supported', `there is no ${String(row.kind)} market at ${venue.id}`, {
      hint: `use ${venue.kinds.join(' or ')}`,
    })
  }
  return { venue: venue.id, kind, environment: isDemo(row) ? 'demo' : 'live' }
}

function isSet(field: unknown): boolean {
  return field !== undefined && field !== null && field !== ''
}

const SENDS: ReadonlySet<PropertyKey> = new Set<keyof Exchange>([
  ...(['createOrder', 'editOrder', 'cancelOrder', 'cancelAllOrders', 'setLeverage', 'setMarginMode'] as const),
])

/** A process that slept while the vault was locked has its account open still, and may not have noticed. */
export function withKeysHeld(venue: Exchange, requireKeys: () => void): Exchange {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(venue, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const call = bound.get(name) ?? (SENDS.has(name) ? sending(value.bind(target), requireKeys) : value.bind(target))
      bound.set(name, call)
      return call
    },
  })
}

function sending(send: (...args: unknown[]) => Promise<unknown>, requireKeys: () => void) {
  return async (...args: unknown[]): Promise<unknown> => {
    requireKeys()
    return send(...args)
  }
}

/** Of an account that has no file yet. */
const NO_SEED = ''
const FIRST_ACCOUNT = 'paper'

/** @throws {ExchangeError} `not-supported` for prices that a paper account cannot follow */
export async function openPaper(
  { name, prices }: AccountRow,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<Exchange> {
  const fresh = initialState({ seed: NO_SEED, balance: START_BALANCE })
  const store = openPaperState(directory, name, { ...PAPER_FORMAT, defaults: fresh })
  await decideSeed(store, directory, onProblem)
  return createPaperExchange({
    market:
      prices === undefined ? marketOf(store, keptCandles(directory, name)) : await followMarket(prices, onProblem),
    store,
    history: openPaperHistory(directory, name),
    now: Date.now,
    every(ms, tick) {
      const timer = setInterval(tick, ms)
      timer.unref()
      return () => clearInterval(timer)
    },
    delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onProblem,
  })
}

/** All accounts see the same prices, decided once, before anything is asked of them, so that all processes see the same. */
async function decideSeed(
  store: JournaledFile<PaperState>,
  directory: string,
  onProblem: (problem: unknown) => void,
): Promise<void> {
  if (store.read().seed !== NO_SEED) return
  try {
    const seed = await openPracticeMarket(directory).seed(() => seedOfFirst(directory))
    await store.update((state) => (state.seed === NO_SEED ? { ...state, seed } : state))
  } catch (error) {
    // It can be looked at all the same; an order says why it is not stored.
    onProblem(error)
  }
}

/** Of the account that every installation has, where it has prices already. */
function seedOfFirst(directory: string): string | undefined {
  const fresh = initialState({ seed: NO_SEED, balance: START_BALANCE })
  const { seed } = openPaperState(directory, FIRST_ACCOUNT, { ...PAPER_FORMAT, defaults: fresh }).read()
  return seed === NO_SEED ? undefined : seed
}

/** @param prices `binance:linear` @throws {ExchangeError} `not-supported` */
async function followMarket(prices: string, onProblem: (problem: unknown) => void): Promise<MarketSource> {
  const [venue = '', kind] = prices.split(':')
  if (kind !== 'linear') {
    throw new ExchangeError('not-supported', `a paper account trades linear contracts, which ${prices} are not`, {
      hint: 'make an account that follows the linear ones: `account add <name> paper --prices binance:linear`',
    })
  }
  // That a venue is not heard is told by the prices, which are stale then.
  const report = (problem: unknown): void => {
    if (!(problem instanceof ExchangeError)) onProblem(problem)
  }
  // Loaded when such an account is opened, and not before.
  const { openCcxtMarketData } = await import('../exchanges/ccxt/market-data.ts')
  const data = await openCcxtMarketData({ venue, kind, now: Date.now, onProblem: report })
  return new FollowedMarket({ data, now: Date.now, after, onProblem: report })
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function marketOf(store: JournaledFile<PaperState>, candles: ReplayMarketOptions['candles']): MarketSource {
  const { seed, walk } = store.read()
  const prices = walk === 'independent' ? createRandomWalk({ seed, startPrices: START_PRICES }) : createJointWalk(seed)
  const replay = () => store.readOncePerTurn().replay
  return createReplayMarket({ prices, depth: createSyntheticDepth(seed), replay, candles })
}
