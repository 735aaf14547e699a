// `audit.jsonl` (behaviour 49): who changed what decides over money. It is added to and nothing else, line by line under a lock, and each line
// is on the disk before the next begins. `audit-head.json` notes its end, so that lines missing there are noticed.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { withFileLock } from './file-lock.ts'
import { checkedBy } from './json-decode.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { openForReading, openHandleForAppending, readRecord } from './private-file.ts'
import { StoreError, systemCode, systemReason, writeFailure } from './store-error.ts'

/** The switches and origins as the log last said them. */
type NotedSwitches = Readonly<Record<string, unknown>>

type NewEntry = Omit<AuditEntry, 'n' | 'at'>

export interface AuditLog extends FileState {
  /** @throws {StoreError} `store-locked`, `store-write-failed`, and what is wrong with audit-head.json */
  append(entry: NewEntry): Promise<void>
  /**
   * Adds an entry when the log has not said last what the switches are, whichever process said it. A log that never did has said `initial`.
   * @param read asked under the lock, so that no process says what was before after another said what is
   * @throws as `append`
   */
  appendSwitches(
    read: () => NotedSwitches,
    initial: NotedSwitches,
    entry: (before: NotedSwitches, now: NotedSwitches) => NewEntry,
  ): Promise<void>
  /** Oldest first. @throws {StoreError} `store-corrupt`: the file cannot be read */
  read(): readonly AuditEntry[]
  /** @throws as `read` */
  verify(): AuditVerdict
}

interface Head extends ChainEnd {
  readonly switches?: NotedSwitches
}

const headSchema = z.looseObject({
  n: z.int().check(z.nonnegative('must not be negative')),
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 hex characters')),
  switches: z.exactOptional(z.looseObject({})),
})

/** More than two of the longest lines. */
const TAIL_BYTES = 64 * 1_024

export function openAuditLog(directory: string, now: () => number = Date.now): AuditLog {
  const path = join(directory, 'audit.jsonl')
  const none: Head = BEGINNING
  const headFile = createJsonFile<Head>({
    path: join(directory, 'audit-head.json'),
    parse: checkedBy<Head>(headSchema),
    defaults: none,
  })

  function append(make: (head: Head) => { readonly entry: NewEntry; readonly switches?: NotedSwitches } | undefined) {
    return withFileLock(path, async (lock) => {
      const head = headFile.read()
      const made = make(head)
      if (made === undefined) return
      const tail = readTail(path)
      const isHeadless = head === none && tail.last !== undefined
      // There from before the first line on: where it is missing, someone has removed it.
      if (head === none && !isHeadless) await headFile.update(() => ({ ...BEGINNING }))
      const { lines, before, end } = linesAfter(tail, isHeadless ? undefined : head, { ...made.entry }, now())
      lock.assertHeld()
      await appendDurably(path, `${before}${lines.join('\n')}\n`).catch((error: unknown) => {
        throw writeFailure(path, error)
      })
      const { switches = head.switches } = made
      await headFile.update(() => ({ ...end, ...defined({ switches }) }))
    })
  }

  function readText(): string {
    try {
      return readRecord(path)
    } catch (cause) {
      throw new StoreError('store-corrupt', `${path} cannot be read: ${systemReason(cause)}`, {
        hint: 'check its permissions',
        cause,
      })
    }
  }

  return {
    ...stateOf(headFile),
    append: (entry) => append(() => ({ entry })),
    appendSwitches: (read, initial, entry) =>
      append((head) => {
        const [before, switches] = [head.switches ?? initial, read()]
        return isSame(before, switches) ? undefined : { entry: entry(before, switches), switches }
      }),
    read: () =>
      readText()
        .split('\n')
        .flatMap((line) => openLine(line)?.entry ?? []),
    verify() {
      const head = headFile.read()
      const verdict = verifyChain(readText(), head === none ? undefined : head)
      const problem = headFile.problem()
      if (problem === undefined || (!verdict.whole && verdict.line !== undefined)) return verdict
      return { whole: false, why: `lines may be missing at the end, for audit-head.json ${problem.message}` }
    },
  }
}

interface Tail {
  /** The last line that is one. */
  readonly last: SealedEntry | undefined
  /** What follows it and is none. */
  readonly junk: string
  readonly endsInNewline: boolean
}

/**
 * The lines to be written: the entry, and before it what is wrong with the end of the file, so that it is never passed over in silence.
 * @param head undefined: it is missing, though there are lines
 */
function linesAfter(
  { last, junk, endsInNewline }: Tail,
  head: Head | undefined,
  entry: NewEntry,
  at: number,
): { readonly before: string; readonly lines: readonly string[]; readonly end: ChainEnd } {
  const lines: string[] = []
  let end: ChainEnd = last ?? BEGINNING
  const add = (next: NewEntry): void => {
    const sealed = sealEntry(end, { at, ...next })
    lines.push(sealed.line)
    end = sealed.end
  }
  if (junk !== '') add({ what: TORN, details: { bytes: Buffer.byteLength(junk), sha256: digestOf(junk) } })
  const known = last ?? BEGINNING
  if (head === undefined) add({ what: HEADLESS, details: { last: known.n } })
  else if (known.n < head.n || (known.n === head.n && known.hash !== head.hash)) {
    // From here on the chain follows what was noted, so that the fault can be found for good.
    end = { n: head.n, hash: head.hash }
    add({ what: 'lines were changed or removed', details: { last: known.n, noted: head.n } })
  }
  add(entry)
  return { before: endsInNewline ? '' : '\n', lines, end }
}

function readTail(path: string): Tail {
  const text = readEnd(path)
  const lines = text.split('\n')
  const endsInNewline = lines.at(-1) === ''
  const junk: string[] = []
  for (const line of lines.toReversed()) {
    const last = openLine(line)
    if (last !== undefined) return { last, junk: junk.reverse().join('\n'), endsInNewline }
    if (line !== '') junk.push(line)
  }
  return { last: undefined, junk: junk.reverse().join('\n'), endsInNewline }
}

function readEnd(path: string): string {
  let fd: number
  try {
    fd = openForReading(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw writeFailure(path, error)
  }
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8', 0, read)
  } finally {
    closeSync(fd)
  }
}

async function appendDurably(path: string, text: string): Promise<void> {
  const handle = await openHandleForAppending(path)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  // A new file is on the disk only when its directory is.
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function isSame(a: NotedSwitches, b: NotedSwitches): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

// The lines of `audit.jsonl` (behaviour 49). Each ends with a hash over the line before it and itself, as text: what was written is what is
// hashed, so that no program has to write JSON just as this one does.

/** One deed, as it is written. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly n: number
  /** ms since the epoch. */
  readonly at: number
  /** `hook create`, `client approve`. */
  readonly what: string
  readonly by?: DoneBy
  /** Names and values that are not secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Who did it, and from where. `file`: a file was edited by hand, which leaves no name. */
export interface DoneBy {
  readonly source: 'repl' | 'exec' | 'hook' | 'web' | 'phone' | 'file'
  readonly runId?: string
  /** The name of the hook, or the label of the client. */
  readonly label?: string
  readonly hookId?: string
  readonly clientId?: string
  /** Of the client's page. */
  readonly origin?: string
  readonly pid?: number
  /** Of the process. */
  readonly user?: string
}

/** The audit log (behaviour 49). */
export interface AuditPort {
  /**
   * Resolves once the deed is on the disk. Secrets that hookline knows are hidden.
   * @param what `hook create` @param details names and values, never secrets
   * @throws {StoreError} the deed is done all the same
   */
  record(what: string, details: Readonly<Record<string, unknown>>, by: DoneBy): Promise<void>
  /** Oldest first. @throws {StoreError} */
  read(): readonly AuditEntry[]
  /** @throws {StoreError} */
  verify(): AuditVerdict
}

/** The end of a chain. */
export interface ChainEnd {
  readonly n: number
  /** 64 hex characters. */
  readonly hash: string
}

interface SealedEntry extends ChainEnd {
  readonly entry: AuditEntry
  /** The line without its hash. */
  readonly body: string
}

/** What the first line follows. */
export const BEGINNING: ChainEnd = { n: 0, hash: '0'.repeat(64) }

/** @returns the line, without a newline, and the end of the chain with it */
export function sealEntry(
  after: ChainEnd,
  entry: Omit<AuditEntry, 'n'>,
): { readonly line: string; readonly end: ChainEnd } {
  const n = after.n + 1
  const body = JSON.stringify({ n, ...entry })
  const hash = hashOf(after.hash, body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, end: { n, hash } }
}

/** @returns undefined: the line is none of ours, or only a part of one */
export function openLine(line: string): SealedEntry | undefined {
  const [, start = '', hash = ''] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? []
  const body = `${start}}`
  try {
    const entry = JSON.parse(body) as AuditEntry
    const isEntry = Number.isSafeInteger(entry.n) && Number.isSafeInteger(entry.at) && typeof entry.what === 'string'
    return isEntry ? { n: entry.n, hash, entry, body } : undefined
  } catch {
    return undefined
  }
}

/** In the chain in place of lines that are none: a crash cut them short. */
export const TORN = 'torn line'

/** In the chain where audit-head.json was not there: what stood behind the line before may be gone, and is missed for good. */
const HEADLESS = 'audit-head.json was missing'

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

type AuditVerdict =
  | { readonly whole: true; readonly entries: number; readonly torn: number; readonly end: ChainEnd }
  /** `line`: 1-based, the first that is wrong; absent where what is wrong is what is not there. */
  | { readonly whole: false; readonly line?: number; readonly why: string }

/**
 * @param text the whole file
 * @param head what was noted beside the file, after its last line was written or, where a crash came between, the one before
 */
export function verifyChain(text: string, head: ChainEnd | undefined): AuditVerdict {
  let end = BEGINNING
  let torn = 0
  let junk: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const opened = openLine(line)
    if (opened === undefined) {
      junk.push(line)
      continue
    }
    const why = junk.length > 0 && !isMarkerOf(opened, junk) ? 'cannot be read' : faultAfter(end, opened, head)
    if (why !== undefined) return { whole: false, line: index + 1 - (why === 'cannot be read' ? junk.length : 0), why }
    torn += junk.length
    junk = []
    end = opened
  }
  const missing = missingAtEnd(end, head)
  if (missing !== undefined) return { whole: false, why: missing }
  return { whole: true, entries: end.n, torn: torn + junk.length, end: { n: end.n, hash: end.hash } }
}

function isMarkerOf({ entry }: SealedEntry, junk: readonly string[]): boolean {
  return entry.what === TORN && entry.details?.sha256 === digestOf(junk.join('\n'))
}

function faultAfter(
  end: ChainEnd,
  { n, hash, body, entry }: SealedEntry,
  head: ChainEnd | undefined,
): string | undefined {
  if (n > end.n + 1) return missingEntries(end.n + 1, n - 1, 'before it')
  if (n !== end.n + 1) return `has the number ${n}, and ${end.n + 1} comes here`
  if (hash !== hashOf(end.hash, body)) return 'does not follow from the line before it: one of the two was changed'
  if (n === head?.n && hash !== head.hash) return 'is not the line that audit-head.json has noted'
  return entry.what === HEADLESS
    ? 'records that audit-head.json was missing: lines before it may be missing'
    : undefined
}

function missingAtEnd(end: ChainEnd, head: ChainEnd | undefined): string | undefined {
  if (head === undefined) return end.n > 0 ? 'audit-head.json is missing: lines may be missing at the end' : undefined
  return head.n > end.n ? missingEntries(end.n + 1, head.n, 'at the end') : undefined
}

function missingEntries(first: number, last: number, where: string): string {
  return first === last ? `entry ${first} is missing ${where}` : `entries ${first} to ${last} are missing ${where}`
}

function hashOf(before: string, body: string): string {
  return digestOf(`${before}\n${body}`)
}
