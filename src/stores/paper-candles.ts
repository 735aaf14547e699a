// `paper-<account>.candles.csv`: the candles that an account replays, as its exchange writes them. A copy: the file that someone named may change.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { requireAccountName } from './accounts.ts'
import { replaceWhole } from './atomic-write.ts'
import { withFileLock } from './file-lock.ts'
import { readRecord } from './private-file.ts'
import { StoreError, systemCode, systemReason } from './store-error.ts'

interface PaperCandles {
  /** Empty where there are none. Throws the system's error. */
  read(): string
  /** @throws {StoreError} `store-write-failed`, `store-locked` */
  replace(text: string): Promise<void>
}

/** @throws {StoreError} `invalid-value` for a name that cannot be an account's */
export function openPaperCandles(directory: string, accountName: string): PaperCandles {
  requireAccountName(accountName)
  const path = join(directory, `paper-${accountName}.candles.csv`)
  return {
    read: () => readRecord(path),
    replace: (text) => withFileLock(path, () => replaceWhole(path, text)),
  }
}

// A file that a person names on a command line: anywhere, of any owner, and only to be read. A FIFO would never end, and a device has no lines.

/** Not every system has it. */
const { O_NONBLOCK = 0, O_RDONLY } = constants

const CHUNK_BYTES = 65_536
/** Callers refuse longer ones. */
const LONGEST_LINE = 65_536

interface NamedLines {
  readonly lines: readonly string[]
  /** How much of the file has been read, from 0 to 1. */
  readonly done: number
}

interface ReadingLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * Calls `take` with each line, without its end. What `take` throws ends the reading, and so does an abort.
 * @throws {StoreError} `invalid-value`: it is not there, not a file, or larger than `maxBytes`
 */
export async function readNamedLines(path: string, limits: ReadingLimits, take: (line: string) => void): Promise<void> {
  for await (const { lines } of namedLines(path, limits)) for (const line of lines) take(line)
}

/** Its lines, without their ends, as many at once as one read brings. @throws as `readNamedLines` */
export async function* namedLines(path: string, { maxBytes, signal }: ReadingLimits): AsyncGenerator<NamedLines> {
  const file = await openRegular(path, maxBytes)
  try {
    const { size } = await file.stat()
    const decoder = new TextDecoder()
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    let rest = ''
    for (let length = 0; length <= maxBytes; ) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) break
      length += bytesRead
      const lines = `${rest}${decoder.decode(buffer.subarray(0, bytesRead), { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      // A line without an end is given as far as it is read.
      if (rest.length > LONGEST_LINE) lines.push(rest)
      yield { lines, done: Math.min(1, length / size) }
    }
    if (rest !== '') yield { lines: [rest], done: 1 }
  } finally {
    await file.close()
  }
}

async function openRegular(path: string, maxBytes: number): Promise<FileHandle> {
  let file: FileHandle
  try {
    file = await open(path, O_RDONLY | O_NONBLOCK)
  } catch (cause) {
    throw new StoreError(
      'invalid-value',
      systemCode(cause) === 'ENOENT' ? 'no such file' : `the file cannot be read: ${systemReason(cause)}`,
      {
        cause,
        hint: 'check its name and its permissions',
      },
    )
  }
  const about = await file.stat()
  if (about.isFile() && about.size <= maxBytes) return file
  await file.close()
  if (!about.isFile()) throw new StoreError('invalid-value', 'it is not a regular file', { hint: 'name a file' })
  throw new StoreError('invalid-value', `the file has more than ${maxBytes / 1024 / 1024} MiB`, {
    hint: 'split it, and use a part',
  })
}
