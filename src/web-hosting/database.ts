// PostgreSQL as the store of a hosted console. Every change is one transaction; what the database refuses or does not answer is one error,
// which the routes tell as 503.
import { DatabaseError, Pool, type PoolClient, type QueryResultRow } from 'pg'
import { HostingError } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'

/** One statement, with its parameters apart. */
export interface Statements {
  /** @returns the rows @throws {HostingError} `database-gone` */
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

export interface DatabaseShare extends Statements {
  /** All of it or nothing. @throws {HostingError} `database-gone`, or what `work` throws */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
}

export interface Database extends DatabaseShare {
  close(): Promise<void>
}

/** Of SQLSTATE: bad data, a broken constraint, a statement that cannot be (PostgreSQL, appendix A). */
const BUG_CLASSES: ReadonlySet<string> = new Set(['22', '23', '42'])
const INSUFFICIENT_PRIVILEGE = '42501'
const READ_ONLY = '25006'
const LOCK_NOT_AVAILABLE = '55P03'

interface DatabaseOptions {
  /** A connection that no one was using broke; the next statement opens another. */
  readonly onIdleFailure: (error: HostingError) => void
  /** Default 10. */
  readonly connections?: number
  /** For each statement, ms. Default 3 s. */
  readonly statementMs?: number
}

/** Connects at the first statement. */
export function openDatabase(
  url: string,
  {
    onIdleFailure,
    connections = HOSTING_LIMITS.databaseConnections,
    statementMs = HOSTING_LIMITS.databaseMs,
  }: DatabaseOptions,
): Database {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: HOSTING_LIMITS.databaseMs,
    query_timeout: statementMs,
    statement_timeout: statementMs,
    // A server that is frozen within a change keeps its locks no longer.
    idle_in_transaction_session_timeout: HOSTING_LIMITS.databaseMs,
    application_name: 'hookline web',
  })
  pool.on('error', (cause) => onIdleFailure(databaseGone(cause)))
  return {
    query: (text, values) => ask(pool, text, values),
    async transaction(work) {
      const client = await connect(pool)
      // Between two statements no one else hears that the connection broke; the next statement says so.
      const ignore = (): void => {}
      client.on('error', ignore)
      let broken: Error | undefined
      try {
        await ask(client, 'BEGIN')
        const result = await work({ query: (text, values) => ask(client, text, values) })
        await ask(client, 'COMMIT')
        return result
      } catch (error) {
        broken = await rollBack(client)
        throw error
      } finally {
        client.off('error', ignore)
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}

/** A file that DATABASE_URL names is read now, and its absence thrown. */
async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    return gone(error)
  }
}

async function ask<Row extends QueryResultRow>(
  client: Pool | PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    return (await client.query<Row>(text, [...values])).rows
  } catch (error) {
    return gone(error)
  }
}

/** @returns why the connection cannot be used again */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('the connection broke')
  }
}

/** A statement that PostgreSQL understands to be wrong is a bug here, and told as one. */
function gone(cause: unknown): never {
  const state = cause instanceof DatabaseError ? (cause.code ?? '') : ''
  if (state === READ_ONLY) throw readOnly(cause)
  if (state === LOCK_NOT_AVAILABLE) throw databaseLocked(cause)
  const isBug = state !== INSUFFICIENT_PRIVILEGE && BUG_CLASSES.has(state.slice(0, 2))
  throw isBug ? cause : databaseGone(cause)
}

export function databaseLocked(cause?: unknown): HostingError {
  return new HostingError('database-locked', 'another program holds a lock on the tables', {
    hint: 'end what holds it, as pg_locks and pg_stat_activity name it',
    cause,
  })
}

function readOnly(cause: unknown): HostingError {
  return new HostingError('database-read-only', 'PostgreSQL takes no changes', {
    hint: 'check that DATABASE_URL leads to the primary server',
    cause,
  })
}

function databaseGone(cause: unknown): HostingError {
  return new HostingError('database-gone', 'PostgreSQL does not answer', {
    hint: 'check that it runs and that DATABASE_URL is right',
    cause,
  })
}
