// A file that goes bad while hookline runs is named at once (behaviour 22): a flag that was meant to stop something does not,
// as long as config.json has a mistake in it.
import type { StoreProblem } from '../stores/store-error.ts'

interface WatchedStore {
  problem(): StoreProblem | undefined
  watch(handler: () => void): () => void
}

/** @returns stops telling */
export function reportInvalidFiles(stores: readonly WatchedStore[], tell: (problem: StoreProblem) => void): () => void {
  const stops = stores.map((store) => {
    let told = store.problem()?.message
    return store.watch(() => {
      const problem = store.problem()
      if (problem !== undefined && problem.message !== told) tell(problem)
      told = problem?.message
    })
  })
  return () => {
    for (const stop of stops) stop()
  }
}
