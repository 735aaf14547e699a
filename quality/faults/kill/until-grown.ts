import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 20_000

/** Resolves once something was written to the file since now, or nothing comes. */
export async function untilGrown(path: string): Promise<void> {
  const size = () => (existsSync(path) ? statSync(path).size : 0)
  const before = size()
  const until = performance.now() + PATIENCE_MS
  while (size() === before && performance.now() < until) await sleep(10)
}
