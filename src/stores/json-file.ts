// One JSON file of the config directory, shared with other processes and with editors (behaviour 22). All stores
// are built on this; nothing else in the program reads or writes their files.
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginReplacement } from './atomic-write.ts'
import { watchFile } from './directory-watch.ts'
import { currentTurn, forgetTurn } from './event-loop-turn.ts'
import { type HeldLock, lostLock, withFileLock } from './file-lock.ts'
import { createFreshReader, type FreshReader } from './fresh-reader.ts'
import { decodeJson } from './json-fault.ts'
import { StoreError, type StoreProblem } from './store-error.ts'
import { systemCode, writeFailure } from './system-failure.ts'

export interface JsonFile<T> {
  readonly path: string
  /**
   * The value as on disk now. One bigint stat tells whether the file changed; it is read only then. Never throws for bad
   * content: the last good value (else the defaults) serves, and `problem()` says why. A file that was good and is gone
   * serves on for 2 s (`git pull` unlinks and creates again); then it counts as deleted and the defaults serve. The same
   * reference comes back as long as the content stays, so that callers may derive and keep.
   */
  read(): T
  /** As `read()`, but one stat serves all calls of one event-loop turn: the listener's hot path. */
  readInTurn(): T
  /** What is wrong with the file as of the last read. */
  problem(): StoreProblem | undefined
  /** The file exists, is bad, and no good content was ever read: callers fail closed. As of the last read. */
  unusable(): boolean
  /**
   * Under the cross-process lock: reads fresh, applies `change`, writes atomically. Returning the same reference writes
   * nothing. `change` gets `defaults` itself when there is no file. Updates of one process queue in order.
   * @returns the value as it is now
   * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`, `invalid-value` (a value that `parse`
   *   would refuse); or whatever `change` throws
   */
  update(change: (current: T) => T): Promise<T>
  /** Calls `handler` after any change of the value or the problem, whatever caused it. @returns stops the calls */
  watch(handler: () => void): () => void
}

export interface JsonFileOptions<T> {
  readonly path: string
  /**
   * Checks what `JSON.parse` gave and returns it with unknown fields and order kept (`checkedBy` does). Throws when it is
   * not of the file's shape; a zod error leads to the line.
   */
  readonly parse: (value: unknown) => T
  /** Serves where there is no file. Never written by itself. */
  readonly defaults: T
  /**
   * For a value too large to be read back at every write: its text, which `parse` reads as an equal value. Throws for a value that
   * `parse` would refuse. Default: indented JSON, read back before it is written.
   */
  readonly encode?: (value: T) => string
}

export function createJsonFile<T>({ path, parse, defaults, encode }: JsonFileOptions<T>): JsonFile<T> {
  const reader = createFreshReader(path, parse, defaults)
  let lookedInTurn = -1
  let lastUpdate: Promise<unknown> = Promise.resolve()

  function update(change: (current: T) => T): Promise<T> {
    const turn = lastUpdate.then(() =>
      withFileLock(path, (lock) =>
        replaceContent({ path, encode: (next) => encodeChecked(path, next, parse, encode), reader, change, lock }),
      ),
    )
    lastUpdate = turn.catch(() => {})
    return turn
  }

  return {
    path,
    read: reader.look,
    readInTurn() {
      const turn = currentTurn()
      if (turn === lookedInTurn) return reader.value()
      lookedInTurn = turn
      return reader.look()
    },
    problem: reader.problem,
    unusable: reader.unusable,
    update,
    watch(handler) {
      reader.look()
      let seen = reader.version()
      return watchFile(dirname(path), basename(path), () => {
        reader.look()
        if (reader.version() === seen) return
        seen = reader.version()
        handler()
      })
    },
  }
}

/** As `file.update`, for changes that have something to tell besides the new content. */
export async function updateReturning<T, R>(
  file: JsonFile<T>,
  change: (current: T) => readonly [next: T, told: R],
): Promise<R> {
  const told: R[] = []
  await file.update((current) => {
    const [next, result] = change(current)
    told.push(result)
    return next
  })
  return told[0] as R
}

interface Replace<T> {
  readonly path: string
  readonly encode: (value: T) => Encoded<T>
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
    const { bytes, value } = encode(next)
    lock.assertHeld()
    await replacement.commit(bytes).catch((error: unknown) => {
      // The temporary file is gone: the process that took the lock over removed it.
      throw systemCode(error) === 'ENOENT' ? lostLock(path, error) : writeFailure(path, error)
    })
    reader.accept(bytes, value)
    forgetTurn()
    return value
  } finally {
    // A temporary file that cannot be removed goes with the next update, and the work's own result matters more.
    await replacement.end().catch(() => {})
  }
}

interface Encoded<T> {
  readonly bytes: Uint8Array
  /** What reading the bytes gives. */
  readonly value: T
}

/** What we could not read back must never be written. */
function encodeChecked<T>(
  path: string,
  next: T,
  parse: (value: unknown) => T,
  encode: ((value: T) => string) | undefined,
): Encoded<T> {
  if (encode !== undefined) return { bytes: encodeText(path, () => encode(next)), value: next }
  const bytes = encodeText(path, () => `${JSON.stringify(next, null, 2)}\n`)
  const decoded = decodeJson(bytes, parse)
  if ('fault' in decoded) throw new StoreError('invalid-value', `${basename(path)}: ${decoded.fault.message}`)
  return { bytes, value: decoded.value }
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
  const line = problem.line === undefined ? '' : `line ${problem.line}: `
  throw new StoreError('store-corrupt', `${basename(problem.path)}: ${line}${problem.message}`, {
    hint: `fix ${problem.path} or move it away; hookline won't overwrite it`,
  })
}
