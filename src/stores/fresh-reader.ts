// Reads one JSON file so that no caller ever sees old content: one stat per look, the content only when that changed.
// What to serve while the file is bad or gone is decided here (behaviour 22).
import { readFileSync, statSync } from 'node:fs'
import { type FileIdentity, isSameFile, isYoung } from './file-identity.ts'
import { decodeFile, type FileFormat } from './file-version.ts'
import type { JsonFault } from './json-fault.ts'
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
  /** What is wrong with the file as a whole: bad, or newer than this program. */
  problem(): StoreProblem | undefined
  /** That, and the rows that are not used. The same reference as long as they stay the same. */
  problems(): readonly StoreProblem[]
  /** The file is of an older version than what serves: its content as it is. */
  older(): OlderContent | undefined
  /** There is a file, it is bad, and no good content was read before. */
  unusable(): boolean
  /** The file was good and is gone, but not yet for long enough to count as deleted. */
  vanishing(): boolean
  /** Grows whenever the value or the problems change. */
  version(): number
  /** Takes over what this process has just written. */
  accept(bytes: Uint8Array, value: T, setAside: readonly JsonFault[]): void
}

export interface OlderContent {
  readonly version: number
  readonly bytes: Uint8Array
}

const NO_PROBLEMS: readonly StoreProblem[] = []

export function createFreshReader<T>(path: string, format: FileFormat<T>, defaults: T): FreshReader<T> {
  let value = defaults
  let problems = NO_PROBLEMS
  let older: OlderContent | undefined
  let version = 0
  let everGood = false
  let goneSince: number | undefined
  /** Of the content last read; undefined: read at the next look. */
  let identity: FileIdentity | undefined
  /** The content last read, kept only while it must be compared at every look because the file is young. */
  let youngBytes: Uint8Array | undefined

  function settle(nextValue: T, nextProblems: readonly StoreProblem[], nextOlder?: OlderContent): void {
    const same = areSame(problems, nextProblems)
    if (value !== nextValue || !same) version += 1
    value = nextValue
    older = nextOlder
    if (!same) problems = nextProblems
  }

  function wholeProblem(): StoreProblem | undefined {
    return problems.find(({ kind }) => kind !== 'row')
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
    settle(value, [{ kind: 'file', path, message }])
  }

  function lookAtNothing(): void {
    forgetContent()
    if (everGood) {
      goneSince ??= performance.now()
      everGood = performance.now() - goneSince < GONE_GRACE_MS
    }
    if (!everGood) goneSince = undefined
    settle(everGood ? value : defaults, everGood ? problems.filter(({ kind }) => kind === 'row') : NO_PROBLEMS)
  }

  function readContent(stat: FileIdentity): void {
    const young = isYoung(stat)
    const bytes = readFileSync(path)
    const unchanged = youngBytes !== undefined && bytes.equals(youngBytes)
    identity = stat
    youngBytes = young ? bytes : undefined
    goneSince = undefined
    if (unchanged) return
    const judged = judge(path, bytes, format)
    if ('value' in judged) everGood = true
    settle('value' in judged ? judged.value : value, judged.problems, judged.older)
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
    problem: wholeProblem,
    problems: () => problems,
    older: () => older,
    unusable: () => !everGood && wholeProblem() !== undefined,
    vanishing: () => goneSince !== undefined,
    version: () => version,
    accept(bytes, written, setAside) {
      everGood = true
      goneSince = undefined
      identity = undefined
      youngBytes = bytes
      settle(written, rowProblems(path, setAside))
    },
  }
}

/** What content means for the store; without a `value` it cannot be used. */
type Judged<T> = ({ readonly value: T } | object) & {
  readonly problems: readonly StoreProblem[]
  readonly older?: OlderContent
}

function judge<T>(path: string, bytes: Uint8Array, format: FileFormat<T>): Judged<T> {
  const { version: ours = 1 } = format
  const decoded = decodeFile(bytes, format)
  const { version: theirs = ours } = decoded
  const newer = `is of version ${theirs}, written by a newer hookline; this one writes version ${ours}`
  if ('fault' in decoded) {
    const { fault } = decoded
    if (theirs <= ours) return { problems: [{ kind: 'file', path, ...fault }] }
    return { problems: [{ kind: 'newer', path, message: `${newer}, and cannot read it: ${fault.message}` }] }
  }
  const { value, setAside } = decoded
  const rows = rowProblems(path, setAside)
  if (theirs > ours) return { value, problems: [{ kind: 'newer', path, message: newer }, ...rows] }
  return { value, problems: rows, ...(theirs < ours && { older: { version: theirs, bytes } }) }
}

function rowProblems(path: string, setAside: readonly JsonFault[]): readonly StoreProblem[] {
  return setAside.map((fault) => ({ kind: 'row', path, ...fault }))
}

function areSame(some: readonly StoreProblem[], others: readonly StoreProblem[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ line, message }, index) => line === others[index]?.line && message === others[index]?.message)
  )
}
