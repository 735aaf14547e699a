// Where the tokens of a sign-in are, and how others take their place. The order of the steps is the point: what is new is written under a name of
// its own and read back, then one write makes it count, then the old goes. A crash between any two leaves the old sign-in or the new one, and the
// name of what is to be removed.
import { randomBytes } from 'node:crypto'
import { defined } from '../base/defined.ts'
import type { Credentials, KeyOwner } from '../credentials/credentials.ts'
import { CredentialsError } from '../credentials/keys.ts'
import type { KeySource } from '../protocol/rows.ts'
import type { LeftTokens, SignInRow, SignInStore } from '../stores/sign-in.ts'
import { SignInError } from './sign-in-error.ts'

/** Kept where keys are kept. */
export interface KeptTokens {
  /** Absent: the provider gave none with the last renewal. */
  readonly idToken?: string
  readonly refreshToken?: string
  readonly nonce: string
}

/** All of a row but where its tokens are. */
type NewRow = Omit<SignInRow, 'id' | 'keys'>

export interface KeepingPorts {
  readonly store: SignInStore
  /** Those of `Credentials.ownOnly`. */
  readonly credentials: Pick<Credentials, 'read' | 'write' | 'remove' | 'placeFor'>
}

/** No account can have this name, because of the dot. */
const ownerOf = (id: string): KeyOwner => ({ name: `sign-in.${id}`, exchange: 'sign-in' })

/** @throws {CredentialsError} also `bad-keys`: these are not tokens @throws {StoreError} */
export async function readTokens({ credentials }: KeepingPorts, { id, keys }: LeftTokens): Promise<KeptTokens> {
  const { secret = '' } = await credentials.read(ownerOf(id), keys)
  const kept = parse(secret)
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const [idToken, refreshToken, nonce] = [text(kept?.idToken), text(kept?.refreshToken), text(kept?.nonce)]
  if (nonce !== undefined) {
    return { nonce, ...defined({ idToken, refreshToken }) }
  }
  throw new CredentialsError('bad-keys', 'what is kept of the sign-in is not tokens', {
    hint: '`login` signs in again',
  })
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // Its text may have a token in it.
    return undefined
  }
}

/**
 * Call within `store.alone`.
 * @param over the sign-in whose place this takes; undefined: there must be none
 * @throws {SignInError} `changed-meanwhile` @throws {CredentialsError} {StoreError} then the old sign-in counts on
 */
export async function keepTokens(
  ports: KeepingPorts,
  {
    row,
    tokens,
    source,
    over,
  }: {
    readonly row: NewRow
    readonly tokens: KeptTokens
    readonly source: KeySource
    readonly over: SignInRow | undefined
  },
): Promise<SignInRow> {
  const { store, credentials } = ports
  await removeLeft(ports)
  const id = randomBytes(8).toString('hex')
  const planned = credentials.placeFor(ownerOf(id), source)
  if (planned !== undefined) {
    const begun = { id, keys: planned }
    await store.update((content) => ({ ...content, left: [...(content.left ?? []), begun] }))
  }
  const keys = await credentials.write(ownerOf(id), { secret: JSON.stringify(tokens) }, source)
  const signIn: SignInRow = { ...row, id, keys }
  await store.update(({ left = [], ...content }) => {
    if (content.signIn?.id !== over?.id) throw changedMeanwhile()
    const others = left.filter((each) => each.id !== id)
    return { ...content, signIn, left: [...others, ...(over === undefined ? [] : [{ id: over.id, keys: over.keys }])] }
  })
  await removeLeft(ports)
  return signIn
}

/** What cannot be kept must not be asked for: the token that is sent is used up by it. @throws {StoreError} */
export async function requireWritable({ store }: KeepingPorts): Promise<void> {
  await store.update((content) => ({ ...content }))
}

/** Call within `store.alone`. No one is signed in from the first write on. @throws {StoreError} */
export async function forgetSignIn(ports: KeepingPorts, { id, keys }: LeftTokens): Promise<void> {
  await ports.store.update(({ signIn, left = [], ...content }) => {
    if (signIn?.id !== id) throw changedMeanwhile()
    return { ...content, left: [...left, { id, keys }] }
  })
  await removeLeft(ports)
}

/** What a crash left, and what was replaced. What cannot be removed now is tried again with the next change. @throws {StoreError} */
export async function removeLeft({ store, credentials }: KeepingPorts): Promise<void> {
  store.look()
  let left: readonly LeftTokens[] = []
  await store.update((content) => {
    left = (content.left ?? []).filter(({ id }) => id !== content.signIn?.id)
    return content
  })
  const gone: string[] = []
  for (const { id, keys } of left) {
    try {
      await credentials.remove(ownerOf(id), keys)
      gone.push(id)
    } catch (error) {
      // A keychain that does not answer: its entry stays named.
      if (!(error instanceof CredentialsError)) throw error
    }
  }
  if (gone.length === 0) return
  await store.update(({ left: found = [], ...content }) => {
    const rest = found.filter(({ id }) => !gone.includes(id))
    return rest.length === 0 ? content : { ...content, left: rest }
  })
}

function changedMeanwhile(): SignInError {
  return new SignInError('changed-meanwhile', 'another process signed in or out meanwhile', {
    hint: '`whoami` shows who it is',
  })
}
