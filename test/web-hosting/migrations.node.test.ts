import { describe, expect, it, onTestFinished } from 'vitest'
import { host, noPostgres, startPostgresOfFile } from '../../harness/sign-in/hosted-console.ts'
import { type Database, openDatabase } from '../../src/web-hosting/database.ts'
import { migrate } from '../../src/web-hosting/migrations.ts'

startPostgresOfFile()

function open(url: string) {
  const database = openDatabase(url, { onIdleFailure: () => {} })
  onTestFinished(() => database.close())
  return database
}

describe.skipIf(noPostgres !== undefined)(`the tables${noPostgres === undefined ? '' : ` (${noPostgres})`}`, () => {
  it('are made once, however many servers start at once', async () => {
    const { databaseUrl, signedIn } = await host({ count: 4 })
    await signedIn('ada')
    const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
    await Promise.all([migrate(database), migrate(database), migrate(database)])
    expect(await database.query('SELECT version FROM hookline_version')).toEqual([{ version: 1 }])
    expect(await database.query('SELECT email FROM users')).toEqual([{ email: 'ada@example.com' }])
    await database.close()
  })

  it('are waited for while another server changes them, and made once it is done', async () => {
    const { databaseUrl } = await host()
    const [first, second] = [open(databaseUrl), open(databaseUrl)]
    await first.query('DROP TABLE hookline_version, layouts, pinned_listeners, machines, sessions, sign_ins, users')
    let told = 0
    let tries = 0
    const counted: Database = {
      ...second,
      transaction(work) {
        tries++
        return second.transaction(work)
      },
    }
    let waiting: Promise<void> | undefined
    await first.transaction(async (statements) => {
      await statements.query('SELECT pg_advisory_xact_lock(53220001)')
      await statements.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      waiting = migrate(counted, { onWaiting: () => void told++ })
      await expect.poll(() => tries, { timeout: 10_000 }).toBe(3)
    })
    await waiting
    expect(told).toBe(1)
    expect(await first.query('SELECT version FROM hookline_version')).toEqual([{ version: 1 }])
  })

  it('that another program has locked hold up no server that runs, and are given up in the end', async () => {
    const { databaseUrl } = await host()
    const [first, second, third] = [open(databaseUrl), open(databaseUrl), open(databaseUrl)]
    await first.transaction(async (statements) => {
      await statements.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      await statements.query('LOCK TABLE hookline_version IN ACCESS EXCLUSIVE MODE')
      await expect(migrate(second, { waitMs: 1 })).rejects.toMatchObject({ code: 'database-locked' })
      // Nobody waits in PostgreSQL any more, behind whom others would have to.
      expect(
        await third.query("SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'hookline_version'::regclass"),
      ).toEqual([])
    })
  })

  it('of a newer hookline are left alone', async () => {
    const { databaseUrl } = await host()
    const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
    await database.query('UPDATE hookline_version SET version = 99')
    await expect(migrate(database)).rejects.toMatchObject({ code: 'database-newer' })
    expect(await database.query('SELECT version FROM hookline_version')).toEqual([{ version: 99 }])
    await database.close()
  })

  it('take all of a change or nothing', async () => {
    const { databaseUrl } = await host()
    const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
    const work = database.transaction(async (statements) => {
      await statements.query("INSERT INTO users (issuer, subject) VALUES ('a', 'b')")
      await statements.query('SELECT no_such_column')
    })
    await expect(work).rejects.toMatchObject({ code: '42703' })
    expect(await database.query('SELECT * FROM users')).toEqual([])
    await database.close()
  })
})
