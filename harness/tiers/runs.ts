const LOCAL_RUNS = 100

/**
 * How often a property is tried: `full` in CI, at most `local` times elsewhere. A counterexample that CI finds is printed with its seed.
 * @param local 100 by default; fewer where a round starts processes or connections
 */
export function runsOf(full: number, local = LOCAL_RUNS): number {
  return process.env.CI ? full : Math.min(full, local)
}
