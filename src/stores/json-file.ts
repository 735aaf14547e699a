// One JSON file of the config directory, shared with other processes and with editors (behaviour 22). All stores
// are built on this; nothing else in the program reads or writes their files.
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginReplacement } from './atomic-write.ts'
import { watchFile } from './directory-watch.ts'
import { currentTurn, forgetTurn } from './event-loop-turn.ts'
import { type HeldLock, lostLock, withFileLock } from './file-lock.ts'
import { createFreshReader, type Doubt, type FreshReader, type OlderContent } from './fresh-reader.ts'
import { decodeFile, type FileFormat, type JsonFault, type Parse, withVersion } from './json-decode.ts'
import { StoreError, type StoreProblem, systemCode, writeFailure } from './store-error.ts'

/** What every store tells of its file. */
export interface FileState {
  readonly path: string
  /** Looks at the file now. Never throws. */
  look(): void
  /** What is wrong with the file as a whole, as of the last look: it is bad, or a newer hookline wrote it. */
  problem(): StoreProblem | undefined
  /** That, and the rows that are not used, as of the last look. */
  problems(): readonly StoreProblem[]
  /** Calls `handler` after any change of the content or the problems, whatever caused it. @returns stops the calls */
  watch(handler: () => void): () => void
}

export interface JsonFile<T> extends FileState {
  /**
   * The value as on disk now. One bigint stat tells whether the file changed; it is read only then. Never throws for bad
   * content: the last good value (else the defaults) serves, and `problem()` gives the reason. A file that was good and is gone
   * serves on for 0.8 s (`git pull` unlinks and creates again); then it counts as deleted and the defaults serve. The same
   * reference comes back as long as the content stays, so that callers may derive and keep.
   */
  read(): T
  /** As `read()`, but one stat serves all calls of one event-loop turn: the listener's hot path. */
  readOncePerTurn(): T
  /**
   * What the file decides is in doubt, and callers that must not err fail closed: it is bad or gone, and has not been good for 0.8 s; at
   * once where it never was. As of the last read.
   */
  doubt(): Doubt | undefined
  /** There is no file, and none is missed: the defaults serve. As of the last read. */
  isAbsent(): boolean
  /** The file was good and is gone, but not yet for long enough to count as deleted. As of the last read. */
  isVanishing(): boolean
  /**
   * Under the cross-process lock: reads fresh, applies `change`, writes atomically. Returning the same reference writes
   * nothing. `change` gets `defaults` itself when there is no file. Updates of one process queue in order. The first write
   * over an older version leaves the old content as `<file>.v<old>`, mode 0600.
   * @returns the value as it is now
   * @throws {StoreError} `store-corrupt`, `store-newer`, `store-locked`, `store-write-failed`, `invalid-value` (a value
   *   that `parse` would refuse); or whatever `change` throws
   */
  update(change: (current: T) => T): Promise<T>
  /**
   * As `update`, for what stops something: it holds in this process at once, and where it cannot be written it is held on, and tried again
   * until it is written, `release()` is called, or the process ends. `change` may be applied more than once, also where it has been done.
   * @throws {StoreError} as `update`: so far it holds in this process alone
   */
  restrict(change: (current: T) => T, options?: RestrictOptions<T>): Promise<T>
  /** What `restrict` could not write, under this key or under any, holds no longer. Called before an update that lets things go on. */
  release(key?: string): void
  /** Whether something holds here that is not in the file yet. */
  isHolding(): boolean
}

interface RestrictOptions<T> {
  /** For `release()`. */
  readonly key?: string
  /** What the first write makes of the content; default: `change`. */
  readonly write?: (current: T) => T
}

export interface JsonFileOptions<T> extends FileFormat<T> {
  readonly path: string
  /**
   * Checks what `JSON.parse` gave (migrated, where the file is of an older version) and returns it with unknown fields and
   * order kept (`checkedBy` does). Throws when it is not of the file's shape; a zod error leads to the line.
   */
  readonly parse: Parse<T>
  /** What is written for `next`, which was made from `current`. Default: `next` itself. */
  readonly write?: (next: T, current: T) => unknown
  /** Serves where there is no file. Never written by itself. */
  readonly defaults: T
  /**
   * For a value too large to be read back at every write: its text, which `parse` reads as an equal value, with its version. Throws for
   * a value that `parse` would refuse. Default: indented JSON, read back before it is written.
   */
  readonly encode?: (value: T) => string
  /** What reading `next` back gives, where that is known without parsing all of it; undefined: it is not. Not asked of a file with a version. */
  readonly readsBack?: (next: T, current: T) => T | undefined
  /** How long, in ms, a file that was good may be gone or bad before that counts. Default 800. */
  readonly graceMs?: number
  /** That time begins at the last look that found it good, and not at the first that did not. Default false. */
  readonly graceFromLastGood?: boolean
  /** How often, in ms, what could not be written is tried again. Default 1,000. */
  readonly retryMs?: number
}

export function createJsonFile<T>({
  path,
  defaults,
  write,
  encode,
  readsBack,
  graceMs,
  graceFromLastGood,
  retryMs = 1_000,
  ...format
}: JsonFileOptions<T>): JsonFile<T> {
  const reader = createFreshReader({ path, format, defaults, graceMs, graceFromLastGood })
  const held = createHeldChanges<T>()
  const watchers = new Set<() => void>()
  let lookedInTurn = -1
  let lastUpdate: Promise<unknown> = Promise.resolve()

  function lookNow(): T {
    lookedInTurn = currentTurn()
    return reader.look()
  }

  function update(change: (current: T) => T): Promise<T> {
    const turn = lastUpdate.then(() =>
      withFileLock(path, (lock) =>
        replaceContent({
          path,
          encode: (next, current) => encodeChecked(path, { format, write, encode, readsBack }, next, current),
          reader,
          change,
          lock,
        }),
      ),
    )
    lastUpdate = turn.catch(() => {})
    return turn
  }

  /** Afterwards: the caller says first what of it is spared. */
  function heldChanged(): void {
    queueMicrotask(() => {
      for (const handler of [...watchers]) handler()
    })
  }

  /** Until it is written, or no one wants it any more. */
  async function writeHeld(change: (current: T) => T): Promise<void> {
    while (held.has(change)) {
      await sleep(retryMs, undefined, { ref: false })
      // The first failure was thrown to the caller of `restrict`.
      if (held.has(change))
        await update(change).then(
          () => held.drop(change),
          () => {},
        )
    }
  }

  return {
    path,
    look: () => void lookNow(),
    read: () => held.over(lookNow()),
    readOncePerTurn: () => held.over(currentTurn() === lookedInTurn ? reader.value() : lookNow()),
    problem: reader.problem,
    problems: reader.problems,
    doubt: reader.doubt,
    isAbsent: () => reader.value() === defaults && reader.problem() === undefined,
    isVanishing: reader.vanishing,
    update,
    async restrict(change, { key = '', write = change } = {}) {
      held.add(change, key)
      heldChanged()
      try {
        const value = await update(write)
        held.drop(change)
        return value
      } catch (error) {
        void writeHeld(change)
        throw error
      }
    },
    release(key) {
      held.clear(key)
      heldChanged()
    },
    isHolding: () => held.size > 0,
    watch(handler) {
      watchers.add(handler)
      const stop = watchReader(path, reader, handler)
      return () => {
        watchers.delete(handler)
        stop()
      }
    },
  }
}

/** Changes that hold in this process and are not in the file yet. */
function createHeldChanges<T>() {
  /** With the key of each. */
  const changes = new Map<(current: T) => T, string>()
  /** The same reference for the same content, so that callers may derive and keep. */
  let kept: { readonly from: T; readonly value: T } | undefined
  return {
    get size() {
      return changes.size
    },
    has: (change: (current: T) => T) => changes.has(change),
    over(content: T): T {
      if (changes.size === 0) return content
      if (kept?.from !== content) {
        kept = { from: content, value: [...changes.keys()].reduce((value, change) => change(value), content) }
      }
      return kept.value
    },
    add(change: (current: T) => T, key: string): void {
      changes.set(change, key)
      kept = undefined
    },
    drop(change: (current: T) => T): void {
      changes.delete(change)
      kept = undefined
    },
    clear(key: string | undefined): void {
      for (const [change, whose] of [...changes]) if (key === undefined || whose === key) changes.delete(change)
      kept = undefined
    },
  }
}

function watchReader<T>(path: string, reader: FreshReader<T>, handler: () => void): () => void {
  let settling: NodeJS.Timeout | undefined
  const look = (): void => {
    reader.look()
    clearTimeout(settling)
    const settlesInMs = reader.settlesInMs()
    // A file that stays gone or bad tells of it only by the clock.
    if (settlesInMs !== undefined) settling = setTimeout(look, settlesInMs + 1).unref()
    if (reader.version() === seen) return
    seen = reader.version()
    handler()
  }
  reader.look()
  let seen = reader.version()
  const stop = watchFile(dirname(path), basename(path), look)
  look()
  return () => {
    clearTimeout(settling)
    stop()
  }
}

/** For stores, which show it as their own. */
export function stateOf<T>({ path, look, problem, problems, watch }: JsonFile<T>): FileState {
  return { path, look, problem, problems, watch }
}

/** As `file.update`, for changes that have something to tell besides the new content. */
export async function updateReturning<T, R>(
  file: JsonFile<T>,
  change: (current: T) => readonly [next: T, result: R],
): Promise<R> {
  const results: R[] = []
  await file.update((current) => {
    const [next, result] = change(current)
    results.push(result)
    return next
  })
  return results[0] as R
}

/** As `file.restrict`, for changes that have something to tell besides the new content. */
export async function restrictReturning<T, R>(
  file: JsonFile<T>,
  change: (current: T) => readonly [next: T, result: R],
): Promise<R> {
  const results: R[] = []
  const write = (current: T): T => {
    const [next, result] = change(current)
    results.push(result)
    return next
  }
  await file.restrict((current) => change(current)[0], { write })
  return results[0] as R
}

interface Replace<T> {
  readonly path: string
  readonly encode: (next: T, current: T) => Encoded<T>
  readonly reader: FreshReader<T>
  readonly change: (current: T) => T
  readonly lock: HeldLock
}

async function replaceContent<T>({ path, encode, reader, change, lock }: Replace<T>): Promise<T> {
  const replacement = await beginReplacement(path).catch((error: unknown) => {
    throw writeFailure(path, error)
  })
  try {
    const current = await readSettled(reader)
    refuseProblem(reader)
    const next = change(current)
    if (next === current) return current
    const { bytes, value, setAside } = encode(next, current)
    await keepOlder(path, reader.older())
    lock.assertHeld()
    await replacement.commit(bytes).catch((error: unknown) => {
      // The temporary file is gone: the process that took the lock over removed it.
      throw systemCode(error) === 'ENOENT' ? lostLock(path, error) : writeFailure(path, error)
    })
    reader.accept(bytes, value, setAside)
    forgetTurn()
    return value
  } finally {
    // A temporary file that cannot be removed goes with the next update, and the work's own result matters more.
    await replacement.end().catch(() => {})
  }
}

interface Encoded<T> {
  readonly bytes: Buffer
  /** What reading the bytes gives. */
  readonly value: T
  readonly setAside: readonly JsonFault[]
}

interface Encoding<T> {
  readonly format: FileFormat<T>
  readonly write: JsonFileOptions<T>['write']
  readonly encode: JsonFileOptions<T>['encode']
  readonly readsBack: JsonFileOptions<T>['readsBack']
}

function encodeChecked<T>(
  path: string,
  { format, write, encode, readsBack }: Encoding<T>,
  next: T,
  current: T,
): Encoded<T> {
  if (encode !== undefined) return { bytes: encodeText(path, () => encode(next)), value: next, setAside: [] }
  const bytes = encodeContent(path, format, write === undefined ? next : write(next, current))
  // A version is a field that the bytes have and the value may not.
  const value = format.version === undefined ? readsBack?.(next, current) : undefined
  if (value !== undefined) return { bytes, value, setAside: [] }
  return { bytes, ...readBack(path, format, { bytes, next }) }
}

/** What we could not read back must never be written. Rows that were set aside before may stay; no new one may join them. */
function readBack<T>(
  path: string,
  format: FileFormat<T>,
  { bytes, next }: { readonly bytes: Buffer; readonly next: T },
) {
  const decoded = decodeFile(bytes, format)
  if ('fault' in decoded) throw invalidValue(path, decoded.fault)
  if (decoded.setAside.some(isRow)) {
    const own = decodeFile(encodeContent(path, format, next), format)
    const fault = 'fault' in own ? own.fault : own.setAside.find(isRow)
    if (fault !== undefined) throw invalidValue(path, fault)
  }
  return decoded
}

/** Settings that cannot be used are not hookline's to write: they stay. */
function isRow({ kind }: JsonFault): boolean {
  return kind === undefined
}

/** @throws {StoreError} `store-write-failed` */
async function keepOlder(path: string, older: OlderContent | undefined): Promise<void> {
  if (older === undefined) return
  const backup = `${path}.v${older.version}`
  try {
    const replacement = await beginReplacement(backup)
    try {
      await replacement.commit(older.bytes)
    } finally {
      await replacement.end().catch(() => {})
    }
  } catch (error) {
    throw writeFailure(backup, error)
  }
}

function invalidValue(path: string, { message }: JsonFault): StoreError {
  return new StoreError('invalid-value', `${basename(path)}: ${message}`)
}

function encodeContent<T>(path: string, { version }: FileFormat<T>, content: unknown): Buffer {
  return encodeText(path, () => `${JSON.stringify(withVersion(content, version), null, 2)}\n`)
}

function encodeText(path: string, encode: () => string): Buffer {
  try {
    return Buffer.from(encode())
  } catch (cause) {
    if (!(cause instanceof RangeError)) {
      throw new StoreError('invalid-value', `${basename(path)} would not be of its shape any more`, { cause })
    }
    // Writing is recursive where reading is not: a field we do not know may be nested some thousand levels deep.
    throw new StoreError('invalid-value', `${basename(path)} is nested too deeply to be written`, {
      hint: `reduce the nesting in ${path}`,
      cause,
    })
  }
}

/** Waits until a file that has just gone is back, or counts as deleted: what was deleted must not come back by a write. */
async function readSettled<T>(reader: FreshReader<T>): Promise<T> {
  let value = reader.look()
  while (reader.vanishing()) {
    await sleep(20)
    value = reader.look()
  }
  return value
}

function refuseProblem<T>(reader: FreshReader<T>): void {
  const problem = reader.problem()
  if (problem === undefined) return
  const { kind, path, message } = problem
  const line = problem.line === undefined ? '' : `line ${problem.line}: `
  if (kind === 'newer') {
    throw new StoreError('store-newer', `${basename(path)} ${message}`, {
      hint: `update hookline; until then it does not write to ${path}`,
    })
  }
  throw new StoreError('store-corrupt', `${basename(path)}: ${line}${message}`, {
    hint: `fix ${path} or move it away; until then hookline does not write to it`,
  })
}

// Keeps what was derived from a value for as long as that very value is current: an index, or defaults applied.

/** `derive`, computed once per reference given; only the latest is kept. */
export function latestDerived<T extends object, R>(derive: (from: T) => R): (from: T) => R {
  let latest: { readonly from: T; readonly result: R } | undefined
  return (from) => {
    if (latest?.from !== from) latest = { from, result: derive(from) }
    return latest.result
  }
}
