// The port's promises as facts, for every venue: an adapter is one that passes this (src/exchange/exchange.ts).
import { describe } from 'vitest'
import { describeCapabilityFacts } from './capability-facts.ts'
import { describeEventFacts } from './event-facts.ts'
import type { Lacks } from './facts.ts'
import { describeFillFacts } from './fill-facts.ts'
import { describeMarketFacts } from './market-facts.ts'
import { describeOutcomeFacts } from './outcome-facts.ts'
import { describePairFacts } from './pair-facts.ts'
import { describeRestingFacts } from './resting-facts.ts'
import type { StartVenue } from './venue-under-test.ts'

/** @param lacks the controls that this venue does not have, with the reason: facts that need one are skipped and say so */
export function describeVenueContract(name: string, start: StartVenue, lacks: Lacks = {}): void {
  describe(`the contract of ${name}`, () => {
    describeMarketFacts(start, lacks)
    describeOutcomeFacts(start, lacks)
    describeFillFacts(start, lacks)
    describeRestingFacts(start, lacks)
    describeEventFacts(start, lacks)
    describeCapabilityFacts(start)
    describePairFacts(start, lacks)
  })
}
