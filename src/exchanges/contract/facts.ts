// The port's promises as facts, for every venue: an adapter is one of which all of them are true (src/exchange/exchange.ts). Tests run them on
// stand-ins and models, `account prove` on the demo account of a user.
import { attachedFacts } from './attached-facts.ts'
import { capabilityFacts } from './capability-facts.ts'
import type { AboutFacts, ContractFact, Lacks } from './desk.ts'
import { eventFacts } from './event-facts.ts'
import { fillFacts } from './fill-facts.ts'
import { marketFacts } from './market-facts.ts'
import { outcomeFacts } from './outcome-facts.ts'
import { pairFacts } from './pair-facts.ts'
import { restingFacts } from './resting-facts.ts'

export function contractFacts(): readonly ContractFact[] {
  const facts: ContractFact[] = []
  const about: AboutFacts = (thing) => {
    return (what, ...rest) => {
      const [needs, run] = rest.length === 1 ? [[], rest[0]] : rest
      facts.push({ about: thing, what, needs, run })
    }
  }
  marketFacts(about)
  outcomeFacts(about)
  fillFacts(about)
  restingFacts(about)
  eventFacts(about)
  capabilityFacts(about)
  pairFacts(about)
  attachedFacts(about)
  return facts
}

/** @returns why the fact cannot be looked at on a venue without these controls */
export function reasonToSkip({ needs }: ContractFact, lacks: Lacks): string | undefined {
  const missing = needs.find((control) => lacks[control] !== undefined)
  return missing === undefined ? undefined : `needs ${missing}: ${lacks[missing]}`
}
