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

/**
 * Calls `take` with each line, without its end. What `take` throws ends the reading, and so does an abort.
 * @throws {StoreError} `invalid-value`: it is not there, not a file, or larger than `maxBytes`
 */
export async function readNamedLines(
  path: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
  take: (line: string) => void,
): Promise<void> {
  const file = await openRegular(path, maxBytes)
  try {
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
      for (const line of lines) take(line)
      // A line without an end is given as far as it is read.
      if (rest.length > LONGEST_LINE) take(rest)
    }
    if (rest !== '') take(rest)
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
