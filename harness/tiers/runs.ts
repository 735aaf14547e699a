const LOCAL_RUNS = 100

/** How often a property is tried: `full` in CI, at most 100 times elsewhere. A counterexample that CI finds is printed with its seed. */
export function runsOf(full: number): number {
  return process.env.CI ? full : Math.min(full, LOCAL_RUNS)
}
