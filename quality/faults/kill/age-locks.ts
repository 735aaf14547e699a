import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

/** The age at which a lock counts as its dead holder's, with what file systems round. */
const STALE_LOCK_S = 10

/** What five seconds do to the locks of the dead: without them, most rounds would find the files locked and edit nothing. */
export function ageLocks(directory: string): void {
  const old = Date.now() / 1_000 - STALE_LOCK_S
  for (const name of readdirSync(directory)) {
    if (!/\.lock(\.removing)?$/.test(name)) continue
    try {
      utimesSync(join(directory, name), old, old)
    } catch {
      // The editor lives, and has just given it back.
    }
  }
}
