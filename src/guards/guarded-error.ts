// An order that hookline itself refused (behaviour 40). Nothing was sent.
import type { AcceptedBreach } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { LimitName } from '../stores/guards.ts'

/** A limit that an order would break. */
export interface Breach extends AcceptedBreach {
  readonly limit: LimitName
  /** What the limit is, in its unit. */
  readonly max: string
  /** For people: `the order is worth $1,500, and the limit is $1,000`. */
  readonly text: string
}

export class GuardedError extends ExchangeError {
  readonly account: string
  /** Limits that a person at a terminal may let it pass; empty where there is nothing to ask. */
  readonly breaches: readonly Breach[]
  constructor(account: string, message: string, hint: string, breaches: readonly Breach[] = []) {
    super('guarded', message, { hint })
    this.account = account
    this.breaches = breaches
  }
}
