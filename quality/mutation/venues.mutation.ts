// Which changes of the venues' profiles make a test fail, and which make none.
import { digestOf, MUTATED_VENUES, mutantsOf } from '../../harness/venues/mutants.ts'
import { type Killers, killerOf, loadKillers } from './killers.ts'

declare module 'vitest' {
  interface TaskMeta {
    mutation?: {
      readonly venue: string
      readonly of: number
      readonly lines: string
      readonly survivors: readonly string[]
    }
    broken?: readonly string[]
  }
}

const { it } = globalThis as unknown as Pick<typeof import('vitest'), 'it'>
const TESTS = `${import.meta.dirname}/../../test/exchanges/ccxt`

/** Those that play venues in memory. Tables first: they are read fastest. */
const FILES = [
  'venue-codes.test.ts',
  'profiles.test.ts',
  'order-words.node.test.ts',
  'fill-rows.node.test.ts',
  'venue-cases.node.test.ts',
  'trade-lists.node.test.ts',
  'fired-orders.node.test.ts',
  'order-requests.node.test.ts',
  'balances.node.test.ts',
  'fates.sim.test.ts',
  'binance.test.ts',
  'streams/causes.test.ts',
].map((file) => `${TESTS}/${file}`)

const [shard = 0, shards = 1] = (process.env.MUTATION_SHARD ?? '').split('/').map(Number)
const asked = process.env.MUTATION_VENUES?.split(',') ?? MUTATED_VENUES
const venues = asked.filter((_, index) => index % shards === shard)
let loaded: Promise<Killers> | undefined

for (const venue of venues) {
  it(venue, async ({ task }) => {
    loaded ??= loadKillers(FILES, venues)
    const { killers, broken } = await loaded
    const mutants = mutantsOf(venue)
    const survivors: string[] = []
    for (const mutant of mutants) {
      if ((await killerOf(venue, mutant, killers)) === undefined) survivors.push(mutant.name)
    }
    task.meta.mutation = { venue, of: mutants.length, lines: digestOf(mutants), survivors }
    task.meta.broken = broken
  })
}

// A shard may have none.
it('is done', () => undefined)
