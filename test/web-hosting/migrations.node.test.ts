import { describe, expect, it } from 'vitest'
import { host, noPostgres } from '../../harness/sign-in/hosted-console.ts'
import { openDatabase } from '../../src/web-hosting/database.ts'
import { migrate } from '../../src/web-hosting/migrations.ts'

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
