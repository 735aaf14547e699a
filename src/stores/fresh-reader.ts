// Reads one JSON file so that no caller ever sees old content: one stat per look, the content only when that changed.
// What to serve while the file is bad or gone is decided here (behaviour 22).
import { readFileSync, statSync } from 'node:fs'
import { type FileIdentity, isSameFile, isYoung } from './file-identity.ts'
import { decodeJson } from './json-fault.ts'
import type { StoreProblem } from './store-error.ts'
import { systemCode, systemReason } from './system-failure.ts'

/**
 * How long, in ms, a file that was good may be gone before that counts as deleted. `git pull` and some editors unlink and
 * create again; a listener must not refuse good hooks, or fall back to default flags, in between.
 */
export const GONE_GRACE_MS = 2_000

export interface FreshReader<T> {
  /** Looks at the file and returns what to serve now. Never throws. */
  look(): T
  /** As of the last look. */
  value(): T
  problem(): StoreProblem | undefined
  /** There is a file, it is bad, and no good content was read before. */
  unusable(): boolean
  /** The file was good and is gone, but not yet for long enough to count as deleted. */
  vanishing(): boolean
  /** Grows whenever the value or the problem changes. */
  version(): number
  /** Takes over what this process has just written. */
  accept(bytes: Uint8Array, value: T): void
}

export function createFreshReader<T>(path: string, parse: (value: unknown) => T, defaults: T): FreshReader<T> {
  let value = defaults
  let problem: StoreProblem | undefined
  let version = 0
  let everGood = false
  let goneSince: number | undefined
  /** Of the content last read; undefined: read at the next look. */
  let identity: FileIdentity | undefined
  /** The content last read, kept only while it must be compared at every look because the file is young. */
  let youngBytes: Uint8Array | undefined

  function settle(nextValue: T, nextProblem: StoreProblem | undefined): void {
    const same = problem?.line === nextProblem?.line && problem?.message === nextProblem?.message
    if (value !== nextValue || !same) version += 1
    value = nextValue
    if (!same) problem = nextProblem
  }

  function forgetContent(): void {
    identity = undefined
    youngBytes = undefined
  }

  function isKnown(stat: FileIdentity): boolean {
    return identity !== undefined && youngBytes === undefined && isSameFile(identity, stat)
  }

  function refuse(message: string): void {
    forgetContent()
    goneSince = undefined
    settle(value, { path, message })
  }

  function lookAtNothing(): void {
    forgetContent()
    if (everGood) {
      goneSince ??= performance.now()
      everGood = performance.now() - goneSince < GONE_GRACE_MS
    }
    if (!everGood) goneSince = undefined
    settle(everGood ? value : defaults, undefined)
  }

  function readContent(stat: FileIdentity): void {
    const young = isYoung(stat)
    const bytes = readFileSync(path)
    const unchanged = youngBytes !== undefined && bytes.equals(youngBytes)
    identity = stat
    youngBytes = young ? bytes : undefined
    goneSince = undefined
    if (unchanged) return
    const decoded = decodeJson(bytes, parse)
    if ('fault' in decoded) {
      settle(value, { path, ...decoded.fault })
    } else {
      everGood = true
      settle(decoded.value, undefined)
    }
  }

  function look(): T {
    try {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
      if (stat === undefined) lookAtNothing()
      else if (!stat.isFile()) refuse('is not a regular file')
      else if (!isKnown(stat)) readContent(stat)
    } catch (error) {
      // Gone between the stat and the read.
      if (systemCode(error) === 'ENOENT') lookAtNothing()
      else refuse(`cannot be read: ${systemReason(error)}`)
    }
    return value
  }

  return {
    look,
    value: () => value,
    problem: () => problem,
    unusable: () => problem !== undefined && !everGood,
    vanishing: () => goneSince !== undefined,
    version: () => version,
    accept(bytes, written) {
      everGood = true
      goneSince = undefined
      identity = undefined
      youngBytes = bytes
      settle(written, undefined)
    },
  }
}
