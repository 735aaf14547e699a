// `console-key.json`: what only this user can read, by which the console's server proves to a hookline that it is this user's, and the pages
// that it gave out prove the same. Made by whichever of the two comes first; it leaves the file for no other place.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

export interface ConsoleKeyStore extends FileState {
  /**
   * 32 bytes, made and kept when there are none. Stay the same for this process whatever happens to the file.
   * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`
   */
  load(): Promise<Buffer>
  /** undefined: none was made yet. @throws {StoreError} `store-corrupt` */
  find(): Buffer | undefined
}

interface ConsoleKeyFile {
  /** base64url */
  readonly key: string
  /** ms since the epoch. */
  readonly createdAt: number
}

const fileSchema = z.looseObject({
  key: z.string().check(z.regex(/^[\w-]{43}$/, 'must be 32 bytes of base64url')),
  createdAt: time,
})

/** Means "there is no file"; never written. */
const none: ConsoleKeyFile = { key: '', createdAt: 0 }

export function openConsoleKey(directory: string, now: () => number = Date.now): ConsoleKeyStore {
  const file = createJsonFile<ConsoleKeyFile>({
    path: join(directory, 'console-key.json'),
    parse: recordOf<ConsoleKeyFile>(fileSchema),
    defaults: none,
  })
  let loaded: Buffer | undefined
  return {
    async load() {
      if (loaded) return loaded
      const found = file.read()
      const make = (current: ConsoleKeyFile) =>
        current === none ? { key: randomBytes(32).toString('base64url'), createdAt: now() } : current
      const { key } = found === none ? await file.update(make) : found
      loaded = Buffer.from(key, 'base64url')
      return loaded
    },
    find() {
      if (loaded) return loaded
      const found = file.read()
      return found === none ? undefined : Buffer.from(found.key, 'base64url')
    },
    ...stateOf(file),
  }
}
