// Tells whether a file is still the one that was read (behaviour 22). The rule that is not obvious: a file may
// change twice within one tick of the file system's clock and look untouched, so a young file is never taken as known.
import type { BigIntStats } from 'node:fs'

/** What changes when a file changes. Never the inode alone: inodes are used again within two renames. */
export type FileIdentity = Pick<BigIntStats, 'mtimeNs' | 'ctimeNs' | 'size' | 'ino'>

/** Above the tick of every kernel and file system we know (1 to 10 ms), in ms. */
const TIMESTAMP_GRAIN_MS = 50

export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino
}

/**
 * Whether a later change could carry the same timestamps as this one. Ask before the content is read. Looks at ctime,
 * which no program can set; a ctime in the future (the clock was set back) counts as young.
 */
export function isYoung(stat: FileIdentity): boolean {
  return Date.now() - Number(stat.ctimeNs / 1_000_000n) < TIMESTAMP_GRAIN_MS
}
