// What one person, or strangers, may take of the database from others: held back by locks of a real PostgreSQL, so that no clock decides.
import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BUSY_MS } from '../../harness/patience.ts'
import {
  claimsOf,
  type Hosted,
  host,
  noPostgres,
  startPostgresOfFile,
  type Visitor,
} from '../../harness/sign-in/hosted-console.ts'
import { openDatabase, type Statements } from '../../src/web-hosting/database.ts'
import { HOSTING_LIMITS } from '../../src/web-hosting/hosting-limits.ts'
import { WEB_SERVER_LIMITS } from '../../src/web-server/web-server-limits.ts'

startPostgresOfFile()

const where = noPostgres === undefined ? '' : ` (${noPostgres})`
const here = describe.skipIf(noPostgres !== undefined)

/** A timer counts from the turn of the event loop that it was set in. */
const TIMER_MS = 50

/** What `sql` locks is locked until the returned function is called. */
async function lock({ databaseUrl }: Hosted, sql: string): Promise<() => Promise<void>> {
  const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked = (): void => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const holding = database.transaction(async (statements) => {
    await statements.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await statements.query(sql)
    locked()
    await released
  })
  const ended = holding.finally(() => database.close())
  const unlock = () => {
    release()
    return ended
  }
  onTestFinished(unlock)
  await Promise.race([isLocked, holding])
  return unlock
}

/** Statements that wait for a lock now. */
async function waitingIn(statements: Statements): Promise<number> {
  const [row] = await statements.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  )
  return row?.count ?? 0
}

const change = ({ ask }: Visitor) => ask('PATCH', '/api/settings', { trustedListenerIds: { device: randomUUID() } })

here(`others${where}`, () => {
  it('are answered while all that one person has asked for waits in the database', async () => {
    const hosted = await host({ databaseConnections: 4 })
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    const look = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => look.close())
    const unlock = await lock(hosted, "SELECT id FROM users WHERE subject = 'ada' FOR UPDATE")
    const all = Array.from({ length: 8 }, () => change(ada))
    await expect.poll(() => waitingIn(look)).toBeGreaterThan(0)
    expect([(await bob.ask('GET', '/api/settings')).status, (await change(bob)).status]).toEqual([200, 200])
    expect(await waitingIn(look)).toBeLessThanOrEqual(HOSTING_LIMITS.statementsOfAsker)
    await unlock()
    await Promise.allSettled(all)
  })

  it('are answered while strangers at many addresses begin sign-ins that wait in the database', async () => {
    const hosted = await host({ databaseConnections: 6 })
    const bob = await hosted.signedIn('bob')
    const look = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => look.close())
    const unlock = await lock(hosted, 'LOCK TABLE sign_ins IN ACCESS EXCLUSIVE MODE')
    const all = Array.from({ length: 20 }, (_, index) => {
      const headers = { 'x-forwarded-for': `192.0.2.${index}` }
      return fetch(`${hosted.url}/auth/sign-in`, { headers, redirect: 'manual' })
    })
    await expect.poll(() => waitingIn(look)).toBeGreaterThan(0)
    expect([(await change(bob)).status, (await bob.ask('GET', '/api/settings')).status]).toEqual([200, 200])
    expect(await waitingIn(look)).toBeLessThanOrEqual(2)
    await unlock()
    await Promise.allSettled(all)
  })
})

here(`strangers${where}`, () => {
  it('at many addresses begin one sign-in in 10 ms together, and others are answered meanwhile', async () => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('bob')
    const clock = performance.now.bind(performance)
    let stopped: number | undefined
    const put = vi.spyOn(performance, 'now').mockImplementation(() => stopped ?? clock())
    onTestFinished(() => put.mockRestore())
    // The pace of the sign-in before is over.
    stopped = clock() + 1_000
    const begun: number[] = []
    const all = Array.from({ length: 5 }, async (_, index) => {
      const headers = { 'x-forwarded-for': `192.0.2.${index}` }
      begun.push((await fetch(`${hosted.url}/auth/sign-in`, { headers, redirect: 'manual' })).status)
    })
    for (let count = 1; count <= all.length; count++) {
      await expect.poll(() => begun.length, { timeout: BUSY_MS }).toBe(count)
      for (let others = 0; others < 8; others++) expect((await ask('GET', '/api/settings')).status).toBe(200)
      expect(begun).toHaveLength(count)
      stopped += WEB_SERVER_LIMITS.pacedMs
    }
    await Promise.all(all)
    expect(new Set(begun)).toEqual(new Set([302]))
  })
})

here(`one person${where}`, () => {
  it('over their pace costs the database nothing, from whatever address', async () => {
    const hosted = await host()
    const { browser } = await hosted.signedIn('ada')
    const askFrom = async (index: number) => {
      const headers = { 'x-forwarded-for': `192.0.2.${index % 250}` }
      const { status } = await browser.ask(`${hosted.url}/api/layouts`, { headers })
      return status
    }
    expect(await askFrom(0)).toBe(200)
    await hosted.stopDatabase()
    onTestFinished(() => hosted.startDatabase())
    const statuses: number[] = []
    for (let from = 0; from < 400 && !statuses.includes(429); from += 8)
      statuses.push(...(await Promise.all(Array.from({ length: 8 }, (_, index) => askFrom(from + index)))))
    expect(new Set(statuses)).toEqual(new Set([503, 429]))
  })

  it('over their pace is refused a second late', async () => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('ada')
    const timed = async () => {
      const from = performance.now()
      const { status } = await ask('GET', '/api/layouts')
      return { status, ms: performance.now() - from }
    }
    const refused: number[] = []
    for (let count = 0; count < 400 && refused.length === 0; count += 8) {
      const some = await Promise.all(Array.from({ length: 8 }, timed))
      refused.push(...some.flatMap(({ status, ms }) => (status === 429 ? [ms] : [])))
    }
    expect(Math.min(...refused)).toBeGreaterThan(WEB_SERVER_LIMITS.lateMs - TIMER_MS)
  })

  it('has one pace for check-ins, and another person is not held up by it', async () => {
    const hosted = await host()
    const checkIn = async (person: string, token: string, index: number) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-forwarded-for': `192.0.2.${index % 250}`,
      }
      const body = JSON.stringify({ platform: 'linux', listenerId: randomUUID(), version: '1.0.0' })
      const { status } = await fetch(`${hosted.url}/api/cli/checkin`, { method: 'POST', headers, body })
      return `${person} ${status}`
    }
    const [ada, bob] = await Promise.all(['ada', 'bob'].map((each) => hosted.provider.token(claimsOf(each))))
    const told = new Set<string>()
    for (let from = 0; from < 400 && !told.has('ada 429'); from += 8) {
      const some = Array.from({ length: 8 }, (_, index) => checkIn('ada', ada ?? '', from + index))
      for (const each of await Promise.all(some)) told.add(each)
    }
    expect(told).toEqual(new Set(['ada 204', 'ada 429']))
    expect(await checkIn('bob', bob ?? '', 251)).toBe('bob 204')
  })
})
