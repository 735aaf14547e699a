// The tables of a hosted console, version by version. A server that starts brings them up to its own version; several that start at once
// take turns.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, databaseLocked, type Statements } from './database.ts'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'

/** The first makes version 1 of an empty database; one for each version after. A migration that was released is never changed. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE users (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      issuer text NOT NULL,
      subject text NOT NULL,
      email text NOT NULL DEFAULT '',
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (issuer, subject)
    )`,
    `CREATE TABLE sign_ins (
      state_hash bytea PRIMARY KEY,
      browser_hash bytea NOT NULL,
      nonce text NOT NULL,
      code_verifier text NOT NULL,
      return_to text NOT NULL,
      begun_at timestamptz NOT NULL DEFAULT now()
    )`,
    'CREATE INDEX sign_ins_begun_at ON sign_ins (begun_at)',
    `CREATE TABLE sessions (
      token_hash bytea PRIMARY KEY,
      id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      label text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now()
    )`,
    'CREATE INDEX sessions_user_id ON sessions (user_id)',
    `CREATE TABLE machines (
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      listener_id uuid NOT NULL,
      id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
      platform text NOT NULL,
      version text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, listener_id)
    )`,
    `CREATE TABLE pinned_listeners (
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      device_key text NOT NULL,
      listener_id uuid NOT NULL,
      session_id uuid REFERENCES sessions (id) ON DELETE CASCADE,
      PRIMARY KEY (user_id, device_key)
    )`,
    'CREATE INDEX pinned_listeners_session_id ON pinned_listeners (session_id)',
    `CREATE TABLE layouts (
      user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      name text NOT NULL,
      content jsonb NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (user_id, name)
    )`,
  ],
]

/** Any number that other programs do not use for the same. */
const LOCK = 53_220_001

interface MigrateOptions {
  /** Called once: another server brings the tables up to date, or another program has them locked. */
  readonly onWaiting?: (() => void) | undefined
  /** Ends that waiting. */
  readonly signal?: AbortSignal | undefined
  /** For how long it waits, ms. Default 10 min. */
  readonly waitMs?: number
}

const { migrationMs, migrationPauseMs, lockMs } = HOSTING_LIMITS

/**
 * Asks for locks again and again, each time for a moment: what waits for a lock in PostgreSQL holds up everybody who comes behind it, the servers that
 * run among them.
 *
 * @throws {HostingError} `database-gone`; `database-newer`, `database-locked`: nothing was changed
 */
export async function migrate(
  database: Database,
  { onWaiting, signal, waitMs = migrationMs }: MigrateOptions = {},
): Promise<void> {
  const giveUpAt = performance.now() + waitMs
  for (let isFirst = true; ; isFirst = false) {
    const locked = await bringUpToDate(database)
    if (locked === undefined) return
    if (signal?.aborted || performance.now() >= giveUpAt) throw locked
    if (isFirst) onWaiting?.()
    await sleep(migrationPauseMs, undefined, { signal }).catch(() => {})
  }
}

/** @returns why not */
async function bringUpToDate(database: Database): Promise<HostingError | undefined> {
  try {
    return await database.transaction(async (statements) => {
      await statements.query(`SET LOCAL lock_timeout = ${lockMs}`)
      const [turn] = await statements.query<{ is_ours: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS is_ours', [
        LOCK,
      ])
      if (turn?.is_ours !== true) return databaseLocked()
      await changeTables(statements)
      return undefined
    })
  } catch (error) {
    if (error instanceof HostingError && error.code === 'database-locked') return error
    throw error
  }
}

async function changeTables(statements: Statements): Promise<void> {
  const from = await versionOf(statements)
  if (from > MIGRATIONS.length)
    throw new HostingError(
      'database-newer',
      `the tables are of version ${from}; this hookline knows ${MIGRATIONS.length}`,
      {
        hint: 'start the newer hookline again, or give this one another database',
      },
    )
  for (const statement of MIGRATIONS.slice(from).flat()) await statements.query(statement)
  if (from < MIGRATIONS.length) await statements.query('UPDATE hookline_version SET version = $1', [MIGRATIONS.length])
}

async function versionOf(statements: Statements): Promise<number> {
  const [found] = await statements.query<{ is_there: boolean }>(
    "SELECT to_regclass('hookline_version') IS NOT NULL AS is_there",
  )
  // A server may start on a database that takes no changes now.
  if (found?.is_there === true) {
    const [known] = await statements.query<{ version: number }>('SELECT version FROM hookline_version')
    if (known !== undefined) return known.version
  }
  await statements.query('CREATE TABLE IF NOT EXISTS hookline_version (version int NOT NULL)')
  await statements.query('INSERT INTO hookline_version VALUES (0)')
  return 0
}
