// Reads one JSON file so that no caller ever sees old content: one stat per look (of a link two), the content only when that changed.
// What to serve while the file is bad or gone is decided here (behaviour 22).
import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { defined } from '../base/defined.ts'
import { decodeFile, type FileFormat, type JsonFault } from './json-decode.ts'
import { readPrivateFile } from './private-file.ts'
import { type StoreProblem, systemCode, systemReason, UnsafeFileError } from './store-error.ts'

// Tells whether a file is still the one that was read (behaviour 22). The rule that is not obvious: a file may
// change twice within one tick of the file system's clock and look untouched, so a young file is never taken as known.

/** What changes when a file changes. Never the inode alone: inodes are used again within two renames. */
type FileIdentity = Pick<BigIntStats, 'mtimeNs' | 'ctimeNs' | 'size' | 'ino'>

/** Above the tick of every kernel and file system we know (1 to 10 ms), in ms. */
const TIMESTAMP_GRAIN_MS = 50

function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino
}

/**
 * Whether a later change could carry the same timestamps as this one. Ask before the content is read. Looks at ctime,
 * which no program can set; a ctime in the future (the clock was set back) counts as young.
 */
export function isYoung(stat: FileIdentity): boolean {
  return Date.now() - Number(stat.ctimeNs / 1_000_000n) < TIMESTAMP_GRAIN_MS
}

/**
 * How long, in ms, a file that was good may be gone, or bad, before that counts. `git pull` and some editors unlink and create
 * again, others write in pieces; a listener must not refuse good hooks, or turn off, in between. What is meant acts within a second.
 */
export const GRACE_MS = 800

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
  /** Where a switch is not to be trusted: the file is bad or gone, and no good content was read in the last `GRACE_MS`. */
  doubt(): Doubt | undefined
  /** The file was good and is gone, but not yet for long enough to count as deleted. */
  vanishing(): boolean
  /** When the next look may find something else though the file stays as it is, in ms from now; undefined: never. */
  settlesInMs(): number | undefined
  /** Grows whenever the value, the problems or the doubt change. */
  version(): number
  /** Takes over what this process has just written. */
  accept(bytes: Uint8Array, value: T, setAside: readonly JsonFault[]): void
}

/** `bad`: there is a file that cannot be used. `gone`: there is none any more. */
export type Doubt = 'bad' | 'gone'

export interface OlderContent {
  readonly version: number
  readonly bytes: Uint8Array
}

const NO_PROBLEMS: readonly StoreProblem[] = []

interface FreshReaderOptions<T> {
  readonly path: string
  readonly format: FileFormat<T>
  /** Serves where there is no file. */
  readonly defaults: T
  /** Default `GRACE_MS`. */
  readonly graceMs?: number | undefined
  /**
   * The grace begins at the last look that found the file good, not at the first that did not: of a file that is looked at only where it
   * decides something, no one knows how long it has been gone. Default false.
   */
  readonly graceFromLastGood?: boolean | undefined
}

export function createFreshReader<T>({
  path,
  format,
  defaults,
  graceMs = GRACE_MS,
  graceFromLastGood = false,
}: FreshReaderOptions<T>): FreshReader<T> {
  let value = defaults
  let problems = NO_PROBLEMS
  let older: OlderContent | undefined
  let version = 0
  let doubt: Doubt | undefined
  /** There was a file, good or bad, at some look. */
  let everSeen = false
  let wasGood = false
  /** Good content was read, and the file has not been gone for long enough to count as deleted. */
  let isKept = false
  let goneSince: number | undefined
  /** Since the first look that found no good file after one that did; undefined also where none ever did. */
  let notGoodSince: number | undefined
  /** Of the last look that found the file good, where the grace begins then. */
  let goodAt: number | undefined
  /** Of the content last read; undefined: read at the next look. */
  let identity: FileIdentity | undefined
  /** The content last read, kept only while it must be compared at every look because the file is young. */
  let youngBytes: Uint8Array | undefined

  function settle(nextValue: T, nextProblems: readonly StoreProblem[], next: Settled = {}): void {
    const same = areSame(problems, nextProblems)
    if (value !== nextValue || !same || doubt !== next.doubt) version += 1
    value = nextValue
    older = next.older
    doubt = next.doubt
    if (!same) problems = nextProblems
  }

  function wholeProblem(): StoreProblem | undefined {
    return problems.find(({ kind }) => kind === 'file' || kind === 'newer')
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
    settleBad([{ kind: 'file', path, message }])
  }

  function settleBad(problems: readonly StoreProblem[]): void {
    everSeen = true
    goneSince = undefined
    settle(value, problems, isInDoubt() ? { doubt: 'bad' } : {})
  }

  function settleGood(next: T, problems: readonly StoreProblem[], older?: OlderContent): void {
    everSeen = true
    isKept = true
    wasGood = true
    goneSince = undefined
    notGoodSince = undefined
    settle(next, problems, defined({ older }))
  }

  /** Asked at a look that finds no good file. */
  function isInDoubt(): boolean {
    if (wasGood) notGoodSince ??= goodAt ?? performance.now()
    return notGoodSince === undefined || performance.now() - notGoodSince >= graceMs
  }

  function noteGood(): void {
    if (graceFromLastGood && wasGood && notGoodSince === undefined) goodAt = performance.now()
  }

  /** @param isLink there is a link, and nothing where it leads */
  function lookAtNothing(isLink: boolean): void {
    if (isLink && !isKept) return refuse('is a link to a file that does not exist')
    forgetContent()
    const next: Settled = everSeen && isInDoubt() ? { doubt: 'gone' } : {}
    if (isKept) {
      goneSince ??= performance.now()
      isKept = performance.now() - goneSince < graceMs
    }
    if (isKept)
      return settle(
        value,
        problems.filter(({ kind }) => kind !== 'file' && kind !== 'newer'),
        next,
      )
    goneSince = undefined
    settle(defaults, NO_PROBLEMS, next)
  }

  function readContent(stat: FileIdentity): void {
    const young = isYoung(stat)
    const bytes = readPrivateFile(path)
    const unchanged = youngBytes !== undefined && bytes.equals(youngBytes)
    identity = stat
    youngBytes = young ? bytes : undefined
    if (unchanged && goneSince === undefined && notGoodSince === undefined) return
    const judged = judge(path, bytes, format)
    if ('value' in judged) settleGood(judged.value, judged.problems, judged.older)
    else settleBad(judged.problems)
  }

  function look(): T {
    try {
      const entry = lstatSync(path, STAT)
      const isLink = entry?.isSymbolicLink() === true
      const stat = isLink ? statSync(path, STAT) : entry
      if (stat === undefined) lookAtNothing(isLink)
      else if (!stat.isFile()) refuse('is not a regular file')
      else if (!isKnown(stat)) readContent(stat)
      else if (notGoodSince !== undefined) settleBad(problems)
    } catch (error) {
      // Gone between the stat and the read.
      if (systemCode(error) === 'ENOENT') lookAtNothing(isDangling(path))
      else if (error instanceof UnsafeFileError) refuse(error.message)
      else refuse(`cannot be read: ${systemReason(error)}`)
    }
    noteGood()
    return value
  }

  return {
    look,
    value: () => value,
    problem: wholeProblem,
    problems: () => problems,
    older: () => older,
    doubt: () => doubt,
    vanishing: () => goneSince !== undefined,
    settlesInMs() {
      const since = goneSince ?? (doubt === undefined ? notGoodSince : undefined)
      return since === undefined ? undefined : Math.max(0, since + graceMs - performance.now())
    },
    version: () => version,
    accept(bytes, written, setAside) {
      identity = undefined
      youngBytes = bytes
      settleGood(written, rowProblems(path, setAside))
    },
  }
}

/** A file that is not there, as a panic that is off, costs no second look. */
const STAT = { bigint: true, throwIfNoEntry: false } as const

function isDangling(path: string): boolean {
  return lstatSync(path, STAT)?.isSymbolicLink() === true
}

interface Settled {
  readonly older?: OlderContent
  readonly doubt?: Doubt
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
  return setAside.map((fault) => ({ kind: 'row' as const, path, ...fault }))
}

function areSame(some: readonly StoreProblem[], others: readonly StoreProblem[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ line, message }, index) => line === others[index]?.line && message === others[index]?.message)
  )
}
