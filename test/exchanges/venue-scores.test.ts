// The scores that `exchanges` shows are those of the profiles as they are.
import { describe, expect, it } from 'vitest'
import { digestOf, MUTATED_VENUES, mutantsOf } from '../../harness/venues/mutants.ts'
import { VENUE_SCORES } from '../../src/exchanges/venue-scores.ts'
import { allVenues } from '../../src/exchanges/venues.ts'

describe('a mutation score', () => {
  it.each(MUTATED_VENUES)('is of the profile as it is: %s', (venue) => {
    const { killed, ...score } = VENUE_SCORES[venue] ?? {}
    const mutants = mutantsOf(venue)
    expect(killed).toBeGreaterThan(0)
    expect(score, `the profile was changed: run \`npm run mutation -- ${venue}\``).toEqual({
      ...{ of: mutants.length, lines: digestOf(mutants) },
    })
  })

  it('is there for every venue that is proven, and for no other', () => {
    const proven = allVenues().filter(({ proof }) => proof === 'stand-in' || proof === 'cases')
    expect(Object.keys(VENUE_SCORES).sort()).toEqual(proven.map(({ id }) => id).sort())
    expect(allVenues().filter(({ score }) => score !== undefined)).toEqual(proven)
  })
})

describe('a mutant', () => {
  it.each(MUTATED_VENUES)('has a name of its own, changes one line and takes it back: %s', (venue) => {
    const names = mutantsOf(venue).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const mutant of mutantsOf(venue)) mutant.apply()()
    expect(mutantsOf(venue).map(({ name }) => name)).toEqual(names)
  })
})
