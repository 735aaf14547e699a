import { renameSync, statSync } from 'node:fs'

const MAX_LOG_BYTES = 5_000_000

/** Keeps one backup of a log that has grown over 5 MB; called before it is opened. */
export function keepLogSmall(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(path, `${path}.1`)
}
