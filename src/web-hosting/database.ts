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

export interface Database extends Statements {
  /** All of it or nothing. @throws {HostingError} `database-gone`, or what `work` throws */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Of SQLSTATE: bad data, a broken constraint, a statement that cannot be (PostgreSQL, appendix A). */
const BUG_CLASSES: ReadonlySet<string> = new Set(['22', '23', '42'])
const INSUFFICIENT_PRIVILEGE = '42501'

/** Connects at the first statement. @param onIdleFailure a connection that nobody was using broke; the next statement opens another */
export function openDatabase(url: string, onIdleFailure: (error: HostingError) => void): Database {
  const pool = new Pool({
    connectionString: url,
    max: HOSTING_LIMITS.databaseConnections,
    connectionTimeoutMillis: HOSTING_LIMITS.databaseMs,
    query_timeout: HOSTING_LIMITS.databaseMs,
    statement_timeout: HOSTING_LIMITS.databaseMs,
    application_name: 'hookline web',
  })
  pool.on('error', (cause) => onIdleFailure(databaseGone(cause)))
  return {
    query: (text, values) => ask(pool, text, values),
    async transaction(work) {
      const client = await pool.connect().catch(gone)
      // Between two statements nobody else hears that the connection broke; the next statement says so.
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

async function ask<Row extends QueryResultRow>(
  client: Pool | PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(text, [...values]).catch(gone)
  return rows
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
  const isBug = state !== INSUFFICIENT_PRIVILEGE && BUG_CLASSES.has(state.slice(0, 2))
  throw isBug ? cause : databaseGone(cause)
}

function databaseGone(cause: unknown): HostingError {
  return new HostingError('database-gone', 'PostgreSQL does not answer', {
    hint: 'check that it runs and that DATABASE_URL is right',
    cause,
  })
}
