// `paper-<account>.json` with `paper-<account>.changes-<id>.jsonl`, and `paper-<account>.history.jsonl`: what the paper exchange keeps of one
// account. Their shapes belong to the exchange.
import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { requireAccountName } from './accounts.ts'
import { withFileLock } from './file-lock.ts'
import { type ChangeFormat, createJournaledFile, type Journaled, type JournaledFile } from './journaled-file.ts'
import { createJsonFile, type FileState, type JsonFileOptions, stateOf } from './json-file.ts'
import { openForReading, openHandleForAppending } from './private-file.ts'
import { recordOf } from './rows.ts'
import { systemCode, writeFailure } from './store-error.ts'

/** Some three thousand orders and their trades, twice. */
const MAX_HISTORY_BYTES = 2_000_000

/** As in `JsonFileOptions`. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperState<T extends Journaled>(
  directory: string,
  accountName: string,
  { changes, ...options }: Omit<JsonFileOptions<T>, 'path'> & { readonly changes: ChangeFormat<T> },
): JournaledFile<T> {
  requireAccountName(accountName)
  const snapshot = createJsonFile({ path: join(directory, `paper-${accountName}.json`), ...options })
  return createJournaledFile({ snapshot, changes })
}

/** Nothing is touched before something is added. @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperHistory(directory: string, accountName: string): LineArchive {
  requireAccountName(accountName)
  return openLineArchive({ path: join(directory, `paper-${accountName}.history.jsonl`), maxBytes: MAX_HISTORY_BYTES })
}

// `practice-market.json`: the seed of the invented prices, the same for all paper accounts of the directory, so that one can copy another.

interface PracticeMarket {
  readonly seed: string
}

const fileSchema = z.looseObject({ seed: z.string().check(z.minLength(1, 'must not be empty')) })

/** Means "there is no file". */
const none: PracticeMarket = { seed: '' }

export interface PracticeMarketStore extends FileState {
  /**
   * Made at the first question, once for all processes.
   * @param first that of an account from before there was such a file; undefined: there is none
   * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`
   */
  seed(first: () => string | undefined): Promise<string>
}

export function openPracticeMarket(directory: string): PracticeMarketStore {
  const file = createJsonFile<PracticeMarket>({
    path: join(directory, 'practice-market.json'),
    parse: recordOf<PracticeMarket>(fileSchema),
    defaults: none,
  })
  return {
    ...stateOf(file),
    async seed(first) {
      const known = file.read()
      if (known.seed !== '') return known.seed
      const { seed } = await file.update((current) =>
        current.seed === '' ? { seed: first() ?? randomUUID() } : current,
      )
      return seed
    },
  }
}

// A file of lines that is only added to, with one backup: the part of a store that is too old to be written again with every change. What was
// added survives a power cut. Several processes may add; each reads what the others added without reading all of it again.

interface LineArchive {
  /** Adds lines, without newlines. @throws {StoreError} `store-locked`, `store-write-failed`: some of them may be there */
  append(lines: readonly string[]): Promise<void>
  /** Whole lines that this call has not given before, oldest first; all there are at the first. A file that cannot be read has none. */
  readNew(): readonly string[]
}

/** @param maxBytes the file becomes `<path>.1` when it would grow over this, and takes the place of the one before */
export function openLineArchive({ path, maxBytes }: { readonly path: string; readonly maxBytes: number }): LineArchive {
  /** How far this object has read, in which file. */
  let inode: number | undefined
  let offset = 0

  function readFrom(file: string): string {
    const fd = openIfThere(file)
    if (fd === undefined) return ''
    try {
      const { ino, size } = fstatSync(fd)
      if (ino !== inode) offset = 0
      inode = ino
      const bytes = Buffer.alloc(Math.max(0, size - offset))
      const read = readSync(fd, bytes, 0, bytes.length, offset)
      // A line that is being written now is read when it is whole.
      const whole = bytes.lastIndexOf(0x0a, read - 1) + 1
      offset += whole
      return bytes.toString('utf8', 0, whole)
    } finally {
      closeSync(fd)
    }
  }

  /** Asked with every write of the account: a look at a name costs less than opening the file. */
  function isAtEnd(): boolean {
    const found = inode === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    return found !== undefined && found.ino === inode && found.size === offset
  }

  function readAll(): string {
    if (isAtEnd()) return ''
    const backup = `${path}.1`
    // What was read last is the backup by now, or there was nothing read yet.
    if (inode === undefined || inode === inodeOf(backup)) return readFrom(backup) + readFrom(path)
    return readFrom(path)
  }

  return {
    readNew() {
      try {
        return readAll()
          .split('\n')
          .filter((line) => line !== '')
      } catch {
        return []
      }
    },
    append: (lines) =>
      withFileLock(path, async () => {
        await appendDurably(path, lines, maxBytes).catch((error: unknown) => {
          throw writeFailure(path, error)
        })
      }),
  }
}

async function appendDurably(path: string, lines: readonly string[], maxBytes: number): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
      return 0
    },
  )
  // A crash may have left half a line at the end; an empty line does no harm.
  const bytes = Buffer.from(`${size === 0 ? '' : '\n'}${lines.join('\n')}\n`)
  if (size > 0 && size + bytes.length > maxBytes) await rename(path, `${path}.1`)
  const handle = await openHandleForAppending(path)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(bytes)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

function openIfThere(path: string): number | undefined {
  // An account has no history for a long time, and an error costs more than a look.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  try {
    return openForReading(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function inodeOf(path: string): number | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    return fstatSync(fd).ino
  } finally {
    closeSync(fd)
  }
}
