// `listener.json`: the id by which web apps recognise this installation (behaviour 106). Made on the
// first run; two processes that start together agree on one.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

export interface ListenerIdentity {
  /** A UUID. */
  readonly listenerId: string
  /** ms since the epoch. */
  readonly createdAt: number
}

export interface IdentityStore extends FileState {
  /**
   * The identity, made and kept when there is none. Stays the same for this process whatever happens to the file.
   * @throws {StoreError} `store-corrupt`: a bad file is never replaced, for web apps have pinned what it held;
   *   `store-locked`, `store-write-failed`
   */
  load(): Promise<ListenerIdentity>
}

const fileSchema = z.looseObject({
  listenerId: z.string().check(z.uuid('must be a UUID')),
  createdAt: time,
})

/** Means "there is no file"; never written, since it has no valid id. */
const none: ListenerIdentity = { listenerId: '', createdAt: 0 }

export function openIdentity(directory: string, now: () => number = Date.now): IdentityStore {
  const file = createJsonFile<ListenerIdentity>({
    path: join(directory, 'listener.json'),
    parse: recordOf<ListenerIdentity>(fileSchema),
    defaults: none,
  })
  let loaded: ListenerIdentity | undefined
  return {
    async load() {
      const found = loaded ?? file.read()
      loaded =
        found === none
          ? await file.update((current) =>
              current === none ? { listenerId: randomUUID(), createdAt: now() } : current,
            )
          : found
      return loaded
    },
    ...stateOf(file),
  }
}
