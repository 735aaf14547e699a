// The scores that `exchanges` shows are those of the profiles as they are.
import { describe, expect, it } from 'vitest'
import { digestOf, MUTATED_VENUES, mutantsOf } from '../../harness/venues/mutants.ts'
import { VENUE_SCORES } from '../../src/exchanges/venue-scores.ts'
import { allVenues } from '../../src/exchanges/venues.ts'

describe('a mutation score', () => {
  it.each(Object.entries(VENUE_SCORES))('is of the profile as it is: %s', (venue, { killed, of, lines }) => {
    const mutants = mutantsOf(venue)
    expect({ of, lines }, `the profile was changed: run \`npm run mutation -- ${venue}\``).toEqual({
      of: mutants.length,
      lines: digestOf(mutants),
    })
    expect(killed).toBeGreaterThan(0)
    expect(killed).toBeLessThanOrEqual(of)
  })

  it('is of a venue that is proven, and is shown with it', () => {
    const proven = allVenues().filter(({ proof }) => proof === 'stand-in' || proof === 'cases')
    expect(MUTATED_VENUES.toSorted()).toEqual(proven.map(({ id }) => id).toSorted())
    expect(Object.keys(VENUE_SCORES).sort()).toEqual(MUTATED_VENUES.toSorted())
    expect(
      allVenues()
        .filter(({ score }) => score !== undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(Object.keys(VENUE_SCORES).sort())
  })
})

describe('a mutant', () => {
  it.each(MUTATED_VENUES)('has a name of its own, changes one line and cancels it: %s', (venue) => {
    const names = mutantsOf(venue).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const mutant of mutantsOf(venue)) mutant.apply()()
    expect(mutantsOf(venue).map(({ name }) => name)).toEqual(names)
  })
})
