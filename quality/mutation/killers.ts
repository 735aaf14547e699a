// The tests that a changed profile has to fail: which lines of it each one reads, and whether one of them fails.
import { MUTATED_VENUES, type Mutant, traced } from '../../harness/venues/mutants.ts'
import { type CollectedTest, takeCollected } from './collected.ts'

/** No test takes so long. What waits for ever is not what it was. */
const TEST_MS = 20_000
/** Some tests put a clock of their own in its place. */
const { setTimeout, clearTimeout } = globalThis

export interface Killer extends CollectedTest {
  readonly ms: number
  /** `venue line`. */
  readonly reads: ReadonlySet<string>
}

export interface Killers {
  readonly killers: readonly Killer[]
  /** What fails, or cannot be loaded, before anything is changed. */
  readonly broken: readonly string[]
}

/** @param files absolute */
export async function loadKillers(files: readonly string[], venues: readonly string[]): Promise<Killers> {
  const killers: Killer[] = []
  const broken: string[] = []
  for (const file of files) {
    try {
      await import(file)
    } catch (error) {
      broken.push(`${file}: ${error}`)
    }
    for (const test of takeCollected().filter(({ name }) => mayBeOf(name, venues))) {
      const reads = new Set<string>()
      const end = traced(MUTATED_VENUES, (venue, line) => reads.add(`${venue} ${line}`))
      const start = performance.now()
      const error = await failureOf(test)
      end()
      const ms = performance.now() - start
      if (error !== undefined) broken.push(`${test.name}: ${String(error).split('\n')[0]}`)
      else if ([...reads].some((read) => venues.includes(read.split(' ')[0] ?? '')))
        killers.push({ ...test, ms, reads })
    }
  }
  return { killers, broken }
}

/** A test names the venue that it plays, or none. */
function mayBeOf(name: string, venues: readonly string[]): boolean {
  const words = new Set(name.toLowerCase().split(/[^a-z]+/))
  const named = MUTATED_VENUES.filter((venue) => words.has(venue))
  return named.length === 0 || named.some((venue) => venues.includes(venue))
}

/** @returns the test that fails on it */
export async function killerOf(venue: string, mutant: Mutant, killers: readonly Killer[]): Promise<Killer | undefined> {
  const asked = killers
    .filter(({ reads }) => reads.has(`${venue} ${mutant.line}`))
    .sort((left, right) => left.ms - right.ms)
  const revert = mutant.apply()
  try {
    for (const killer of asked) if ((await failureOf(killer)) !== undefined) return killer
    return undefined
  } finally {
    revert()
  }
}

export async function failureOf({ run }: CollectedTest): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('too late'), TEST_MS)
  })
  const failed = run().then(
    () => undefined,
    (error: unknown) => error ?? 'failed',
  )
  const came = await Promise.race([failed, late])
  clearTimeout(timer)
  return came
}
