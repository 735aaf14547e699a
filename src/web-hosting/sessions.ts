// Sessions of browsers, and the sign-ins that lead to them. Every server behind the public address reads and writes the same rows.
import type { DatabaseShare, Statements } from './database.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { hashOf, newSecret } from './secrets.ts'
import { type Identity, keepUser, personOf } from './users.ts'

/** A sign-in that has left for the sign-in service and is not back. */
interface PendingSignIn {
  readonly nonce: string
  readonly codeVerifier: string
  /** A path of this console. */
  readonly returnTo: string
}

interface TakenSignIn extends PendingSignIn {
  /** It took too long, and signs no one in. */
  readonly isOver: boolean
}

export interface SignedIn {
  readonly userId: string
  /** Of the session; what its owner may name it by. */
  readonly sessionId: string
  readonly email: string
  /** As `personOf` says. */
  readonly person: string
}

interface Browser {
  readonly id: string
  readonly label: string
  /** ms since the epoch. */
  readonly createdAt: number
  readonly seenAt: number
}

const {
  signInSeconds,
  signInKeptSeconds,
  sessionSeconds,
  idleSeconds,
  seenEverySeconds,
  sessions: MAX_SESSIONS,
} = HOSTING_LIMITS

/** Of a row of `sessions s`. */
const LIVE = `s.created_at > now() - interval '${sessionSeconds} s' AND s.seen_at > now() - interval '${idleSeconds} s'`

interface SignInRow {
  readonly nonce: string
  readonly code_verifier: string
  readonly return_to: string
  readonly is_over: boolean
}

interface UserRow {
  readonly user_id: string
  readonly id: string
  readonly email: string
  readonly issuer: string
  readonly subject: string
  readonly is_old: boolean
}

export class Sessions {
  readonly #database: DatabaseShare
  constructor(database: DatabaseShare) {
    this.#database = database
  }

  /** @param browser a secret that only this browser has: another that is led to the way back gets no session */
  async beginSignIn(state: string, browser: string, pending: PendingSignIn): Promise<void> {
    await this.#database.query(
      `WITH over AS (DELETE FROM sign_ins WHERE begun_at < now() - interval '${signInKeptSeconds} s')
       INSERT INTO sign_ins (state_hash, browser_hash, nonce, code_verifier, return_to) VALUES ($1, $2, $3, $4, $5)`,
      [hashOf(state), hashOf(browser), pending.nonce, pending.codeVerifier, pending.returnTo],
    )
  }

  /** Once only. @returns undefined: unknown, used before, or begun in another browser */
  async takeSignIn(state: string, browser: string): Promise<TakenSignIn | undefined> {
    const [row] = await this.#database.query<SignInRow>(
      `DELETE FROM sign_ins WHERE state_hash = $1 AND browser_hash = $2
       RETURNING nonce, code_verifier, return_to, begun_at <= now() - interval '${signInSeconds} s' AS is_over`,
      [hashOf(state), hashOf(browser)],
    )
    return row && { nonce: row.nonce, codeVerifier: row.code_verifier, returnTo: row.return_to, isOver: row.is_over }
  }

  /** @param replaces the browser's session until now, which ends @returns the new session's secret */
  async begin(identity: Identity, label: string, replaces: string | undefined): Promise<string> {
    const token = newSecret()
    await this.#database.transaction(async (statements) => {
      const userId = await keepUser(statements, identity)
      if (replaces !== undefined)
        await statements.query('DELETE FROM sessions WHERE token_hash = $1', [hashOf(replaces)])
      await statements.query('INSERT INTO sessions (token_hash, user_id, label) VALUES ($1, $2, $3)', [
        hashOf(token),
        userId,
        label,
      ])
      await removeOld(statements, userId)
    })
    return token
  }

  /** @returns undefined: no such session, or it is over */
  async find(token: string): Promise<SignedIn | undefined> {
    const [row] = await this.#database.query<UserRow>(
      `SELECT user_id, s.id, email, issuer, subject, seen_at < now() - interval '${seenEverySeconds} s' AS is_old
       FROM sessions s JOIN users u ON u.id = user_id
       WHERE token_hash = $1 AND ${LIVE}`,
      [hashOf(token)],
    )
    if (row === undefined) return undefined
    if (row.is_old) await this.#noteSeen(row.id)
    return { userId: row.user_id, sessionId: row.id, email: row.email, person: personOf(row) }
  }

  /** Reading goes on where the database takes no changes. */
  async #noteSeen(id: string): Promise<void> {
    try {
      await this.#database.query('UPDATE sessions SET seen_at = now() WHERE id = $1', [id])
    } catch (error) {
      if (!(error instanceof HostingError && error.code === 'database-read-only')) throw error
    }
  }

  async list(userId: string): Promise<readonly Browser[]> {
    const rows = await this.#database.query<{ id: string; label: string; created_at: Date; seen_at: Date }>(
      `SELECT id, label, created_at, seen_at FROM sessions s WHERE user_id = $1 AND ${LIVE} ORDER BY seen_at DESC, id`,
      [userId],
    )
    return rows.map(({ id, label, created_at, seen_at }) => ({
      id,
      label,
      createdAt: created_at.getTime(),
      seenAt: seen_at.getTime(),
    }))
  }

  /** What it has pinned goes with it. @returns whether there was one */
  async end(userId: string, sessionId: string): Promise<boolean> {
    const rows = await this.#database.query('DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id', [
      userId,
      sessionId,
    ])
    return rows.length > 0
  }
}

/** Those that are over, and those beyond the limit. */
async function removeOld(statements: Statements, userId: string): Promise<void> {
  await statements.query(
    `DELETE FROM sessions s WHERE user_id = $1 AND (NOT (${LIVE}) OR id IN
       (SELECT id FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, created_at DESC OFFSET ${MAX_SESSIONS}))`,
    [userId],
  )
}
