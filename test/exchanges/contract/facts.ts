// One fact about a venue: a test with a desk of its own, skipped with the reason where the venue cannot be made to do what it needs.
import { it } from 'vitest'
import { Desk, type StartVenue, type VenueControl } from './venue-under-test.ts'

/** `listAll`: orders are listed of all symbols at once. */
export type Control = keyof VenueControl | 'openAnother' | 'listAll'
export type Lacks = Partial<Record<Control, string>>

export type Fact = (what: string, ...rest: [run: Run] | [needs: readonly Control[], run: Run]) => void
type Run = (desk: Desk) => Promise<void>

export function factsAbout(start: StartVenue, lacks: Lacks): Fact {
  return (what, ...rest) => {
    const [needs, run] = rest.length === 1 ? [[], rest[0]] : rest
    const missing = needs.find((control) => lacks[control] !== undefined)
    it(what, async ({ skip }) => {
      if (missing !== undefined) skip(`needs ${missing}: ${lacks[missing]}`)
      const desk = await Desk.open(start, skip)
      try {
        await run(desk)
      } finally {
        await desk.close()
      }
    })
  }
}
