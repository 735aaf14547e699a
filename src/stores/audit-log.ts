// `audit.jsonl` (behaviour 49): who changed what decides over money. It is added to and nothing else, line by line under a lock, and each line
// is on the disk before the next begins. `audit-head.json` notes its end, so that lines missing there are noticed.
import { closeSync, fstatSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import {
  type AuditEntry,
  type AuditVerdict,
  BEGINNING,
  type ChainEnd,
  digestOf,
  HEADLESS,
  openLine,
  type SealedEntry,
  sealEntry,
  TORN,
  verifyChain,
} from './audit-chain.ts'
import { withFileLock } from './file-lock.ts'
import { checkedBy } from './json-decode.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { openForReading, openHandleForAppending, readRecord } from './private-file.ts'
import { StoreError, systemCode, systemReason, writeFailure } from './store-error.ts'

/** The switches and origins as the log last said them. */
export type NotedSwitches = Readonly<Record<string, unknown>>

export type NewEntry = Omit<AuditEntry, 'n' | 'at'>

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
