// What can be done to a paper account besides trading on it. An exchange has it where the account is a paper one.
import type { VenueView } from '../../exchange/exchange.ts'
import type { Order } from '../../exchange/order.ts'
import type { PaperFaults } from './faults.ts'
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
