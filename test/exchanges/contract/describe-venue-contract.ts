// The port's promises as tests: one for each fact, on a venue of its own.
import { describe, it } from 'vitest'
import { Desk, type Lacks, SkippedFact, type VenueUnderTest } from '../../../src/exchanges/contract/desk.ts'
import { contractFacts, reasonToSkip } from '../../../src/exchanges/contract/prove.ts'

export type StartVenue = () => Promise<VenueUnderTest>

/** @param lacks the controls that this venue does not have, with the reason: facts that need one are skipped and say so */
export function describeVenueContract(name: string, start: StartVenue, lacks: Lacks = {}): void {
  const facts = contractFacts()
  describe(`the contract of ${name}`, () => {
    for (const about of new Set(facts.map((fact) => fact.about))) {
      describe(about, () => {
        for (const fact of facts.filter((each) => each.about === about)) {
          it(fact.what, async ({ skip }) => {
            const why = reasonToSkip(fact, lacks)
            if (why !== undefined) return skip(why)
            const desk = await Desk.open(await start())
            try {
              await fact.run(desk)
            } catch (error) {
              if (!(error instanceof SkippedFact)) throw error
              skip(error.message)
            } finally {
              await desk.close()
            }
          })
        }
      })
    }
  })
}
