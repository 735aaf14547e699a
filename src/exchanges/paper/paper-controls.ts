// What can be done to a paper account besides trading on it. An exchange has it where the account is a paper one.
import type { VenueView } from '../../exchange/exchange.ts'
import type { PaperFaults } from './faults.ts'

export interface PaperControls {
  /** As set now, by any process. */
  faults(): PaperFaults
  /** Replaces all of them, for every process on the account. @throws {ExchangeError} `unavailable` when they could not be stored */
  setFaults(faults: PaperFaults): Promise<void>
}

export interface PaperVenue {
  readonly paper: PaperControls
}

/** Undefined on venues where money is real. */
export function paperControls(exchange: VenueView & Partial<PaperVenue>): PaperControls | undefined {
  return exchange.id === 'paper' ? exchange.paper : undefined
}
