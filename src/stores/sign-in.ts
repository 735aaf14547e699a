// `sign-in.json`: who the operator is (behaviour 51). Nothing secret is in it: the tokens are in one of the sources of keys, and this file says in
// which. It is what makes a sign-in so: tokens count from the write that names them.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { type KeyPlace, keyPlace } from './accounts.ts'
import { withFileLock } from './file-lock.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './rows.ts'

export interface SignInRow {
  /** 16 hex characters, of these tokens: renewed ones have another. Under it they are kept. */
  readonly id: string
  readonly issuer: string
  readonly clientId: string
  /** Who it is, for the issuer: an email may be given to another person, this is not. */
  readonly subject: string
  /** Verified by the issuer; empty where it is not, or is not told. */
  readonly email: string
  /** ms since the epoch. */
  readonly signedInAt: number
  /** Until then the token serves as it is. */
  readonly expiresAt: number
  /** Whether a new token can be had without a person. */
  readonly isRenewable: boolean
  readonly keys: KeyPlace
  /** The issuer renews it no more. */
  readonly endedAt?: number
}

/** Tokens that nothing counts on: begun and not finished, or replaced and not removed yet. */
export interface LeftTokens {
  readonly id: string
  readonly keys: KeyPlace
}

interface SignInContent {
  readonly signIn?: SignInRow
  readonly left?: readonly LeftTokens[]
}

export interface SignInStore extends FileState {
  /** As on disk now; undefined: not signed in. One that has ended, or has run out, is there still. */
  read(): SignInRow | undefined
  /** For pages: the verified address of a current sign-in; else empty. */
  email(): string
  /** As `JsonFile.update`. @throws {StoreError} */
  update(change: (content: SignInContent) => SignInContent): Promise<void>
  /** What takes a while and must be done once: no two processes are in it at a time. @throws {StoreError} `store-locked` after 10 s */
  alone<R>(work: () => Promise<R>): Promise<R>
}

const id = z.string().check(z.regex(/^[0-9a-f]{16}$/, 'must be 16 hex characters'))
const text = z.string().check(z.maxLength(2_000))

const rowSchema = z.looseObject({
  id,
  issuer: text,
  clientId: text,
  subject: text,
  email: text,
  signedInAt: time,
  expiresAt: time,
  isRenewable: z.boolean(),
  keys: keyPlace,
  endedAt: z.exactOptional(time),
})

const fileSchema = z.looseObject({
  signIn: z.exactOptional(rowSchema),
  left: z.exactOptional(z.array(z.looseObject({ id, keys: keyPlace }))),
})

/** Whether it still serves, as far as is known here. */
export function isCurrent({ endedAt, isRenewable, expiresAt }: SignInRow, now: number): boolean {
  return endedAt === undefined && (isRenewable || expiresAt > now)
}

export function openSignIn(directory: string, now: () => number = Date.now): SignInStore {
  const file = createJsonFile<SignInContent>({
    path: join(directory, 'sign-in.json'),
    parse: recordOf<SignInContent>(fileSchema),
    defaults: {},
  })
  const read = () => file.read().signIn
  return {
    read,
    email() {
      const row = read()
      return row !== undefined && isCurrent(row, now()) ? row.email : ''
    },
    async update(change) {
      await file.update(change)
    },
    alone: (work) => withFileLock(join(directory, 'sign-in-tokens'), () => work()),
    ...stateOf(file),
  }
}
