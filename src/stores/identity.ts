// `listener.json`: the id by which web apps recognise this installation (behaviour 106). Made on the
// first run; two processes that start together agree on one.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './rows.ts'
import { StoreError } from './store-error.ts'

interface ListenerIdentity {
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

// `listener-key.json`: the key pair by which this installation proves to its clients that it is itself (behaviour 48). Made on the
// first run; two processes that start together agree on one. The private key leaves the file for no other place.

export interface ListenerKey {
  /** As clients are told it: the uncompressed point of P-256 in base64url. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export interface ListenerKeyStore extends FileState {
  /**
   * The key, made and kept when there is none. Stays the same for this process whatever happens to the file.
   * @throws {StoreError} `store-corrupt`: a bad file is never replaced, for clients have pinned what it held;
   *   `store-locked`, `store-write-failed`
   */
  load(): Promise<ListenerKey>
  /** The public key that is in the file now; undefined: none, or not a sound one. */
  publicKey(): string | undefined
}

interface KeyFile {
  /** PKCS #8 in base64. */
  readonly privateKey: string
  /** ms since the epoch. */
  readonly createdAt: number
}

/** PKCS #8 in base64. */
export const privateKeyText = z
  .string()
  .check(z.refine((text) => keyIn(text) !== undefined, 'must be a P-256 key (PKCS #8 in base64)'))

const keySchema = z.looseObject({
  privateKey: privateKeyText,
  createdAt: time,
})

/** Means "there is no file"; never written, since it has no valid key. */
const noKey: KeyFile = { privateKey: '', createdAt: 0 }

export function openListenerKey(directory: string, now: () => number = Date.now): ListenerKeyStore {
  const file = createJsonFile<KeyFile>({
    path: join(directory, 'listener-key.json'),
    parse: recordOf<KeyFile>(keySchema),
    defaults: noKey,
  })
  let loaded: ListenerKey | undefined
  return {
    async load() {
      if (loaded) return loaded
      const found = file.read()
      const { privateKey } =
        found === noKey
          ? await file.update((current) => (current === noKey ? { privateKey: newKey(), createdAt: now() } : current))
          : found
      const key = keyIn(privateKey)
      if (!key) throw new StoreError('store-corrupt', 'listener-key.json holds no P-256 key')
      loaded = key
      return key
    },
    publicKey: () => loaded?.publicKey ?? keyIn(file.read().privateKey)?.publicKey,
    ...stateOf(file),
  }
}

/** A new key of P-256: PKCS #8 in base64. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

/** @param text PKCS #8 in base64 @returns undefined: not a key of P-256 */
export function keyIn(text: string): ListenerKey | undefined {
  try {
    const privateKey = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
    const { crv, x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
    if (crv !== 'P-256') return undefined
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
    return { publicKey: point.toString('base64url'), privateKey }
  } catch {
    // Not a private key at all: the caller names the file.
    return undefined
  }
}

// `console-key.json`: what only this user can read, by which the console's server proves to a hookline that it is this user's, and the pages
// that it gave out prove the same. Made by whichever of the two comes first; it leaves the file for no other place.

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

const consoleKeySchema = z.looseObject({
  key: z.string().check(z.regex(/^[\w-]{43}$/, 'must be 32 bytes of base64url')),
  createdAt: time,
})

/** Means "there is no file"; never written. */
const noConsoleKey: ConsoleKeyFile = { key: '', createdAt: 0 }

export function openConsoleKey(directory: string, now: () => number = Date.now): ConsoleKeyStore {
  const file = createJsonFile<ConsoleKeyFile>({
    path: join(directory, 'console-key.json'),
    parse: recordOf<ConsoleKeyFile>(consoleKeySchema),
    defaults: noConsoleKey,
  })
  let loaded: Buffer | undefined
  return {
    async load() {
      if (loaded) return loaded
      const found = file.read()
      const make = (current: ConsoleKeyFile) =>
        current === noConsoleKey ? { key: randomBytes(32).toString('base64url'), createdAt: now() } : current
      const { key } = found === noConsoleKey ? await file.update(make) : found
      loaded = Buffer.from(key, 'base64url')
      return loaded
    },
    find() {
      if (loaded) return loaded
      const found = file.read()
      return found === noConsoleKey ? undefined : Buffer.from(found.key, 'base64url')
    },
    ...stateOf(file),
  }
}
