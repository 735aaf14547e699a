// Who the operator is (behaviour 51): signing in, out, and the token that a web app is shown. It gives no right on this machine: nothing here is asked by
// the runner, the guards or the listener, but for the address that `welcome` shows.
import { randomBytes } from 'node:crypto'
import { defined } from '../base/defined.ts'
import type { KeySource } from '../protocol/rows.ts'
import { isCurrent, type SignInRow } from '../stores/sign-in.ts'
import { awaitApproval } from './await-approval.ts'
import type { DeviceCode } from './device-code.ts'
import type { openProvider, Provider } from './provider.ts'
import { readIssuer } from './safe-address.ts'
import { SignInError } from './sign-in-error.ts'
import {
  forgetSignIn,
  type KeepingPorts,
  type KeptTokens,
  keepTokens,
  readTokens,
  removeLeft,
  requireWritable,
} from './token-keeping.ts'
import type { NewTokens, VerifiedToken } from './tokens.ts'

export interface SignInPorts extends KeepingPorts {
  /** ms since the epoch. */
  readonly now: () => number
  /** Resolves also when `signal` aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>
  /** Loads what speaks to providers. */
  readonly openProvider: typeof openProvider
  /** Gets a token that serves still, after a logout has removed it here. Never rejects. */
  readonly onLoggedOut?: (idToken: string) => Promise<void>
}

interface LoginOptions {
  readonly issuer: string
  readonly clientId: string
  readonly source: KeySource
  readonly signal: AbortSignal
  /** Shows the code to the person. */
  readonly onCode: (code: DeviceCode, issuer: string) => void | Promise<void>
  /** After each question that no one has decided yet. */
  readonly onWaiting?: (leftMs: number) => void
  /** Before the tokens are kept: opens a vault. */
  readonly beforeKeeping?: () => Promise<void>
}

interface LoggedOut {
  readonly row: SignInRow
  /** `revoked`: the provider has revoked its tokens too. `not-needed`: there was nothing that it could renew. */
  readonly provider: 'revoked' | 'not-needed' | 'not-possible' | { readonly error: unknown }
}

/** A token is renewed so long before it runs out: it must last until it is read. */
const LEAST_MS = 60_000
/** All of a renewal: another process that waits for its end gives up after 10 s. */
const RENEWAL_MS = 8_000
const REQUEST_MS = 5_000
const REVOCATION_MS = 5_000

export class SignIn {
  readonly #ports: SignInPorts
  readonly #renewals = new Set<Promise<unknown>>()

  constructor(ports: SignInPorts) {
    this.#ports = ports
  }

  /** As the file has it now; undefined: not signed in. */
  read(): SignInRow | undefined {
    return this.#ports.store.read()
  }

  /** Until a person has approved, nothing is written. @throws {SignInError} {CredentialsError} {StoreError} */
  async login(options: LoginOptions): Promise<SignInRow> {
    const { clientId, signal, source } = options
    const { now, delay, store } = this.#ports
    const issuer = readIssuer(options.issuer)
    const provider = await this.#ports.openProvider({ issuer, clientId, now, signal })
    const asked = { nonce: randomBytes(16).toString('hex'), askedAt: now() }
    const code = await provider.askForCode(asked.nonce)
    await options.onCode(code, issuer.href)
    const poll = (deviceCode: string) => provider.poll(deviceCode, asked)
    const waiting = defined({ onWaiting: options.onWaiting })
    const tokens = await awaitApproval(code, poll, { now, delay, signal, ...waiting })
    await options.beforeKeeping?.()
    const row = {
      issuer: provider.issuer,
      clientId,
      signedInAt: now(),
      ...rowOf(tokens, tokens.refreshToken !== undefined),
    }
    const { kept, over, before } = await store.alone(async () => {
      const over = store.read()
      // What cannot be read cannot be used either: the sign-in goes on without it.
      const before = over?.isRenewable === true ? await readTokens(this.#ports, over).catch(() => undefined) : undefined
      const kept = await keepTokens(this.#ports, { row, tokens: keptOf(tokens, asked.nonce), source, over })
      return { kept, over, before }
    })
    if (over !== undefined && before?.refreshToken !== undefined) await this.#revoke(over, before.refreshToken, signal)
    return kept
  }

  /**
   * Gone here first, whatever the provider says.
   * @returns undefined: no one was signed in @throws {StoreError} @throws {SignInError} `changed-meanwhile`
   */
  async logout(signal: AbortSignal): Promise<LoggedOut | undefined> {
    const { store } = this.#ports
    const found = await store.alone(async () => {
      const row = store.read()
      if (row === undefined) {
        await removeLeft(this.#ports)
        return undefined
      }
      const tokens = await readTokens(this.#ports, row).catch((error: unknown) => ({ error }))
      await forgetSignIn(this.#ports, row)
      return { row, tokens }
    })
    if (found === undefined) return undefined
    const { row, tokens } = found
    if ('idToken' in tokens && tokens.idToken !== undefined && this.#lasts(row)) {
      await this.#ports.onLoggedOut?.(tokens.idToken)
    }
    if ('error' in tokens) return { row, provider: row.isRenewable ? { error: tokens.error } : 'not-needed' }
    if (tokens.refreshToken === undefined) return { row, provider: 'not-needed' }
    return { row, provider: await this.#revoke(row, tokens.refreshToken, signal) }
  }

  /**
   * The token for a web app, renewed where it has run out. No one is asked.
   * @returns undefined: no one is signed in, or the provider gives no token any more
   * @throws {SignInError} {CredentialsError} {StoreError}
   */
  async token(signal: AbortSignal): Promise<string | undefined> {
    const { store } = this.#ports
    const row = this.#standing()
    if (row === undefined) return undefined
    if (this.#lasts(row)) return (await readTokens(this.#ports, row)).idToken
    if (!row.isRenewable || signal.aborted) return undefined
    // Once the provider is asked, its answer must be kept: a stop of the process waits for it (`settled`), and does not cut it off.
    const renewal = store.alone(() => this.#renew())
    this.#renewals.add(renewal)
    return renewal.finally(() => this.#renewals.delete(renewal))
  }

  /** Resolves when no renewal is under way, or after `ms`. */
  async settled(ms: number): Promise<void> {
    if (this.#renewals.size === 0) return
    const ended = new AbortController()
    const all = Promise.allSettled(this.#renewals).then(() => ended.abort())
    await Promise.race([all, this.#ports.delay(ms, ended.signal)])
  }

  #standing(): SignInRow | undefined {
    const row = this.#ports.store.read()
    return row !== undefined && isCurrent(row, this.#ports.now()) ? row : undefined
  }

  #lasts({ expiresAt }: SignInRow): boolean {
    return expiresAt - this.#ports.now() > LEAST_MS
  }

  /** Within `store.alone`: another process may have renewed it meanwhile, and a refresh token serves once. */
  async #renew(): Promise<string | undefined> {
    const { store, now } = this.#ports
    const row = this.#standing()
    if (row === undefined) return undefined
    const kept = await readTokens(this.#ports, row)
    if (this.#lasts(row)) return kept.idToken
    if (kept.refreshToken === undefined) return undefined
    await requireWritable(this.#ports)
    const signal = AbortSignal.timeout(RENEWAL_MS)
    const provider = await this.#open(row, signal)
    const asked = { nonce: kept.nonce, askedAt: now(), subject: row.subject }
    try {
      const { refreshToken = kept.refreshToken, token, problem } = await provider.renew(kept.refreshToken, asked)
      const tokens = { nonce: kept.nonce, refreshToken, ...(token && { idToken: token.idToken }) }
      const next = { ...withoutPlace(row), ...(token && rowOf(token, true)) }
      await keepTokens(this.#ports, { row: next, tokens, source: row.keys.from, over: row })
      if (problem !== undefined) throw problem
      return token?.idToken
    } catch (error) {
      if (error instanceof SignInError && error.code === 'sign-in-ended') await this.#end(row)
      throw error
    } finally {
      store.look()
    }
  }

  /** What the provider renews no more serves no one. */
  async #end({ id }: SignInRow): Promise<void> {
    const endedAt = this.#ports.now()
    await this.#ports.store.update((content) =>
      content.signIn?.id === id ? { ...content, signIn: { ...content.signIn, endedAt } } : content,
    )
  }

  async #revoke(row: SignInRow, refreshToken: string, signal: AbortSignal): Promise<LoggedOut['provider']> {
    try {
      const both = AbortSignal.any([signal, AbortSignal.timeout(REVOCATION_MS)])
      const provider = await this.#open(row, both)
      return (await provider.revoke(refreshToken)) ? 'revoked' : 'not-possible'
    } catch (error) {
      if (!(error instanceof SignInError)) throw error
      return { error }
    }
  }

  #open({ issuer, clientId }: SignInRow, signal: AbortSignal): Promise<Provider> {
    const { openProvider, now } = this.#ports
    return openProvider({ issuer: readIssuer(issuer), clientId, now, signal, timeoutMs: REQUEST_MS })
  }
}

function rowOf({ subject, email, expiresAt }: VerifiedToken, isRenewable: boolean) {
  return { subject, email, expiresAt, isRenewable }
}

function keptOf({ idToken, refreshToken }: NewTokens, nonce: string): KeptTokens {
  return { nonce, idToken, ...defined({ refreshToken }) }
}

function withoutPlace({ id: _id, keys: _keys, ...row }: SignInRow) {
  return row
}
