// What can be done to a paper account besides trading on it. An exchange has it where the account is a paper one.

import type { VenueView } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Order } from '../../exchange/order.ts'
import type { Replay } from './replay.ts'

/** USDT that a new paper account starts with (behaviour 23). */
export const START_BALANCE = '10000'

/** USDT that a reset gives at most. */
export const MAX_BALANCE = 10_000_000

export interface PaperControls {
  /** As set now, by any process. */
  faults(): PaperFaults
  /** Replaces all of them, for every process on the account. @throws {ExchangeError} `unavailable` when they could not be stored */
  setFaults(faults: PaperFaults): Promise<void>
  /** Whether anything ever happened on it. */
  isUsed(): boolean
  /**
   * Starts the account again with `balance` USDT, whatever faults are set: no orders, positions or faults. Its history stays.
   * @returns the orders that it took back @throws {ExchangeError} `unavailable` when that could not be stored
   */
  reset(balance: string): Promise<readonly Order[]>
  /** The last one that began here, running or not. */
  replay(): Replay | undefined
  /** As a reset, with these candles as prices. @returns the orders that it took back @throws {ExchangeError} `unavailable` */
  beginReplay(replay: Replay, balance: string): Promise<readonly Order[]>
  /** Its prices stand still from now on. @returns it, as it is now @throws {ExchangeError} `unavailable` */
  stopReplay(): Promise<Replay | undefined>
}

export interface PaperVenue {
  readonly paper: PaperControls
}

/** Undefined on venues where money is real. */
export function paperControls(exchange: VenueView & Partial<PaperVenue>): PaperControls | undefined {
  return exchange.id === 'paper' ? exchange.paper : undefined
}

// What can be made to go wrong on a paper account, on purpose: what live venues do on their bad days, for tests and for people who want to
// see what becomes of their orders. The setting is stored with the account, so that every process meets the same faults.

/** Absent: that fault is off. "Every nth" counts the account's requests since the faults were last set. */
export interface PaperFaults {
  /** Every nth request is carried out, and its answer never comes. */
  readonly lostAnswers?: number
  /** Every nth request never arrives; no one says so. */
  readonly lostOrders?: number
  /** Every nth request is refused by the venue: `unavailable`. */
  readonly refusals?: number
  /** Every nth request, and every nth question of each process, is one too many: `rate-limited`. */
  readonly rateLimits?: number
  /** Every nth question of each process gets no answer: `network`. */
  readonly lostQuestions?: number
  /** The streams of all processes are silent until this time, in ms since the epoch. */
  readonly gapUntil?: number
  /** 1: the book holds two levels of 500 USDT. */
  readonly partialFills?: number
  /** Every request and question takes so many ms to arrive. */
  readonly latencyMs?: number
}

type FaultField = keyof PaperFaults

/** One fault as people switch it. */
export interface FaultRow {
  readonly name: string
  readonly field: FaultField
  /** What a number stands for; a `switch` has none. */
  readonly unit: 'nth' | 'seconds' | 'ms' | 'switch'
  readonly max: number
  readonly meaning: string
}

/** The last date there is, in ms: a gap that someone has to end. */
const NEVER_MS = 8_640_000_000_000_000
const DEFAULT_LATENCY_MS = 500

export const FAULTS: readonly FaultRow[] = [
  nth('lost-answers', 'lostAnswers', 'the order is placed, its answer never comes'),
  nth('lost-orders', 'lostOrders', 'the order never arrives, and no answer comes'),
  nth('refusals', 'refusals', 'the venue refuses: it is overloaded'),
  nth('rate-limits', 'rateLimits', 'too many requests; the venue names the time to ask again'),
  nth('lost-questions', 'lostQuestions', 'a question gets no answer'),
  {
    name: 'gap',
    field: 'gapUntil',
    unit: 'seconds',
    max: 86_400,
    meaning: 'no updates of fills, orders and prices until it ends',
  },
  {
    name: 'partial-fills',
    field: 'partialFills',
    unit: 'switch',
    max: 1,
    meaning: 'the book holds 1000 USDT a second: larger orders fill in parts',
  },
  { name: 'latency', field: 'latencyMs', unit: 'ms', max: 60_000, meaning: 'everything takes this long to arrive' },
]

/**
 * The faults with one switched.
 * @param setting a number in the fault's unit
 * @param now ms since the epoch
 */
export function switchFault(
  faults: PaperFaults,
  { field, unit }: FaultRow,
  setting: 'on' | 'off' | number,
  now: number,
): PaperFaults {
  const { [field]: _, ...others } = faults
  if (setting === 'off') return others
  const value = setting === 'on' ? { nth: 1, seconds: NEVER_MS, ms: DEFAULT_LATENCY_MS, switch: 1 }[unit] : setting
  return { ...others, [field]: unit === 'seconds' && setting !== 'on' ? now + value * 1000 : value }
}

/** How a fault is set, for people: `every 3rd`. A gap that has ended is off. */
export function describeFault(faults: PaperFaults, { field, unit }: FaultRow, now: number): string {
  const value = faults[field]
  if (value === undefined || (unit === 'seconds' && value <= now)) return 'off'
  if (unit === 'nth') return value === 1 ? 'every one' : `one in ${value}`
  if (unit === 'ms') return `${value} ms`
  if (unit === 'switch' || value === NEVER_MS) return 'on'
  return `${Math.ceil((value - now) / 1000)} s left`
}

function nth(name: string, field: FaultField, meaning: string): FaultRow {
  return { name, field, unit: 'nth', max: 1_000_000, meaning }
}

/** What happens to one request. */
type RequestFault = 'lost-order' | 'lost-answer' | ExchangeError | undefined

const FAULTS_OF_REQUESTS: readonly FaultField[] = ['lostAnswers', 'lostOrders', 'refusals', 'rateLimits']

/** Whether requests have to be counted. */
export function countsRequests(faults: PaperFaults): boolean {
  return FAULTS_OF_REQUESTS.some((field) => faults[field] !== undefined)
}

/** @param count of the request, from 1 */
export function requestFault(faults: PaperFaults, count: number): RequestFault {
  if (isNth(count, faults.lostOrders)) return 'lost-order'
  if (isNth(count, faults.rateLimits)) return rateLimited()
  if (isNth(count, faults.refusals)) {
    return new ExchangeError('unavailable', 'the venue is overloaded and refused the request', {
      hint: '`paper faults refusals off` ends this',
    })
  }
  return isNth(count, faults.lostAnswers) ? 'lost-answer' : undefined
}

/** @param count of the question, from 1, by this process */
export function questionFault(faults: PaperFaults, count: number): ExchangeError | undefined {
  if (isNth(count, faults.rateLimits)) return rateLimited()
  if (!isNth(count, faults.lostQuestions)) return undefined
  return new ExchangeError('network', 'the question got no answer', {
    hint: '`paper faults lost-questions off` ends this',
  })
}

function isNth(count: number, nth: number | undefined): boolean {
  return nth !== undefined && count % nth === 0
}

function rateLimited(): ExchangeError {
  return new ExchangeError('rate-limited', 'too many requests', {
    hint: '`paper faults rate-limits off` ends this',
    retryAfterMs: 1000,
  })
}
