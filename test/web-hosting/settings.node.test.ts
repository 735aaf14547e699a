import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { claimsOf, type Hosted, host, noPostgres, startPostgresOfFile } from '../../harness/sign-in/hosted-console.ts'
import { ScriptedBrowser } from '../../harness/sign-in/scripted-browser.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { defined } from '../../src/base/defined.ts'
import { webSettings } from '../../src/protocol/web-api.ts'
import { openDatabase } from '../../src/web-hosting/database.ts'
import { HOSTING_LIMITS } from '../../src/web-hosting/hosting-limits.ts'
import { migrate } from '../../src/web-hosting/migrations.ts'
import { SettingsRecord } from '../../src/web-hosting/user-settings.ts'

startPostgresOfFile()

const where = noPostgres === undefined ? '' : ` (${noPostgres})`
const here = describe.skipIf(noPostgres !== undefined)

here(`a record of each user${where}`, () => {
  it('has the check-ins of that user, and nothing of another', async () => {
    const hosted = await host()
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    expect(await hosted.checkIn('ada', { platform: 'darwin', version: '2.0.0' })).toBe(204)
    const mine = (await ada.ask('GET', '/api/settings')).body
    expect(mine.cli.checkins).toEqual({ darwin: { at: expect.any(Number), version: '2.0.0' } })
    expect(webSettings.parse(mine)).toEqual(mine)
    expect(Math.abs(mine.now - mine.cli.checkins.darwin.at)).toBeLessThan(60_000)
    expect((await bob.ask('GET', '/api/settings')).body.cli.checkins).toEqual({})
    expect((await bob.ask('GET', '/api/devices')).body.machines).toEqual([])
  })

  it('is there for one whose command line came first', async () => {
    const hosted = await host()
    expect(await hosted.checkIn('ada')).toBe(204)
    const { ask } = await hosted.signedIn('ada')
    expect((await ask('GET', '/api/settings')).body.cli.checkins).toHaveProperty('linux')
  })

  it('has the latest machine of each kind, and lists them all without their listener’s id', async () => {
    const hosted = await host()
    const listenerId = randomUUID()
    await hosted.checkIn('ada', { listenerId, version: '1.0.0' })
    await hosted.checkIn('ada', { version: '3.0.0' })
    await hosted.checkIn('ada', { listenerId, version: '2.0.0' })
    const { ask } = await hosted.signedIn('ada')
    expect((await ask('GET', '/api/settings')).body.cli.checkins.linux.version).toBe('2.0.0')
    const { machines } = (await ask('GET', '/api/devices')).body
    expect(machines.map(({ version }: { version: string }) => version)).toEqual(['2.0.0', '3.0.0'])
    expect(JSON.stringify(machines)).not.toContain(listenerId)
  })

  it('keeps the machines seen last, up to a limit', async () => {
    const hosted = await host()
    for (let index = 0; index < HOSTING_LIMITS.machines + 3; index++) {
      const status = await hosted.checkIn('ada', { version: `1.0.${index}` })
      // Over the rate a sender waits; the test does not.
      expect([204, 429]).toContain(status)
    }
    const { ask } = await hosted.signedIn('ada')
    const { machines } = (await ask('GET', '/api/devices')).body
    expect(machines).toHaveLength(HOSTING_LIMITS.machines)
    expect(machines[0].version).toBe(`1.0.${HOSTING_LIMITS.machines + 2}`)
  })

  it('has the listener that each browser has pinned, and tells only that there is one', async () => {
    const hosted = await host()
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    const id = randomUUID()
    const { body } = await ada.ask('PATCH', '/api/settings', { trustedListenerIds: { laptop: id, desk: randomUUID() } })
    expect(body.trustedOn).toEqual(['desk', 'laptop'])
    expect(JSON.stringify(body)).not.toContain(id)
    expect((await bob.ask('GET', '/api/settings')).body.trustedOn).toEqual([])
    await bob.ask('PATCH', '/api/settings', { trustedListenerIds: { laptop: null } })
    expect((await ada.ask('GET', '/api/settings')).body.trustedOn).toEqual(['desk', 'laptop'])
    expect((await ada.ask('PATCH', '/api/settings', { trustedListenerIds: { desk: null } })).body.trustedOn).toEqual([
      'laptop',
    ])
  })

  it('takes all devices of a request or none', async () => {
    const { signedIn } = await host()
    const { ask } = await signedIn('ada')
    const devices = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${from + index}`, randomUUID()]))
    for (let from = 0; from < 256; from += 32)
      expect((await ask('PATCH', '/api/settings', { trustedListenerIds: devices(from, 32) })).status).toBe(200)
    const more = { ...devices(240, 31), d0: null }
    const { status, body } = await ask('PATCH', '/api/settings', { trustedListenerIds: more })
    expect([status, body.error]).toEqual([400, 'there are 256 devices with a trusted listener already'])
    expect((await ask('GET', '/api/settings')).body.trustedOn).toHaveLength(256)
    expect((await ask('PATCH', '/api/settings', { trustedListenerIds: { d0: null, d256: randomUUID() } })).status).toBe(
      200,
    )
    expect((await ask('PATCH', '/api/settings', { trustedListenerIds: devices(0, 33) })).body.error).toBe(
      '`trustedListenerIds` is not valid',
    )
  })

  it('changes all devices of a request by one statement, and none for a session that has ended', async () => {
    const hosted = await host()
    await hosted.signedIn('ada')
    const database = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => database.close())
    const [session] = await database.query<{ id: string; user_id: string }>('SELECT id, user_id FROM sessions')
    if (session === undefined) throw new Error('nobody is signed in')
    const asked: string[] = []
    const record = new SettingsRecord({
      ...database,
      query(text, values) {
        asked.push(text)
        return database.query(text, values)
      },
      transaction: () => Promise.reject(new Error('a transaction of several statements')),
    })
    const ids = { a: randomUUID(), b: randomUUID(), c: null }
    expect(await record.trust(session.user_id, session.id, ids)).toBe(true)
    expect(asked).toHaveLength(1)
    expect(await record.trust(session.user_id, randomUUID(), { a: null, d: randomUUID() })).toBe(false)
    expect((await record.read(session.user_id)).trustedOn).toEqual(['a', 'b'])
  })

  it('keeps layouts, up to a limit', async () => {
    const hosted = await host()
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    expect((await ada.ask('PUT', '/api/layouts/trade', { panes: [1, 2] })).status).toBe(204)
    expect((await ada.ask('PUT', '/api/layouts/trade', { panes: [3] })).status).toBe(204)
    expect((await ada.ask('GET', '/api/layouts')).body).toEqual({ trade: { panes: [3] } })
    expect((await bob.ask('GET', '/api/layouts')).body).toEqual({})
    for (let index = 1; index < HOSTING_LIMITS.layouts; index++)
      expect((await ada.ask('PUT', `/api/layouts/l${index}`, index)).status).toBe(204)
    expect((await ada.ask('PUT', '/api/layouts/more', {})).status).toBe(400)
    expect((await ada.ask('PUT', '/api/layouts/trade', {})).status).toBe(204)
    expect((await ada.ask('PUT', '/api/layouts/Trade', {})).status).toBe(400)
    expect((await ada.ask('PUT', '/api/layouts/trade', 'x'.repeat(HOSTING_LIMITS.layoutBytes))).status).toBe(413)
    expect((await ada.ask('PUT', '/api/layouts/trade', 'é'.repeat(HOSTING_LIMITS.layoutBytes / 2))).status).toBe(413)
    for (const text of ['\u0000', '\ud800', '\\\u0000'])
      expect((await ada.ask('PUT', '/api/layouts/trade', { [text]: text })).status).toBe(400)
    expect((await ada.ask('PUT', '/api/layouts/trade', ['\\u0000', '😀'])).status).toBe(204)
    expect((await ada.ask('DELETE', '/api/layouts/trade')).status).toBe(204)
    expect((await ada.ask('GET', '/api/layouts')).body).not.toHaveProperty('trade')
  })
})

here(`devices${where}`, () => {
  it('are listed by what they are, and removed by their owner alone', async () => {
    const hosted = await host()
    const [ada, other, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    await hosted.checkIn('ada')
    await other.ask('PATCH', '/api/settings', { trustedListenerIds: { other: randomUUID() } })
    const { browsers, machines } = (await ada.ask('GET', '/api/devices')).body
    expect(browsers).toHaveLength(2)
    expect(browsers).toContainEqual(expect.objectContaining({ label: 'Firefox on Linux', isThis: true }))
    const theirs = browsers.find(({ isThis }: { isThis: boolean }) => !isThis)
    for (const { id } of [theirs, machines[0]]) expect((await bob.ask('DELETE', `/api/devices/${id}`)).status).toBe(404)
    for (const { id } of [theirs, machines[0]]) expect((await ada.ask('DELETE', `/api/devices/${id}`)).status).toBe(204)
    // Its session is over, and what it had pinned is gone.
    expect((await other.ask('GET', '/api/settings')).status).toBe(401)
    expect((await ada.ask('GET', '/api/settings')).body).toMatchObject({ trustedOn: [], cli: { checkins: {} } })
    expect((await ada.ask('DELETE', '/api/devices/not-an-id')).status).toBe(404)
  })

  it('are at most so many browsers; those seen longest ago are signed out', async () => {
    const { signedIn } = await host()
    const first = await signedIn('ada')
    let last = first
    for (let index = 0; index < HOSTING_LIMITS.sessions; index++) last = await signedIn('ada')
    expect((await first.ask('GET', '/api/settings')).status).toBe(401)
    expect((await last.ask('GET', '/api/devices')).body.browsers).toHaveLength(HOSTING_LIMITS.sessions)
  })

  it.each([
    ['created_at', 31],
    ['seen_at', 15],
  ])('are signed out when %s is %i days ago', async (column, days) => {
    const { signedIn, databaseUrl } = await host()
    const { ask } = await signedIn('ada')
    const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
    await database.query(`UPDATE sessions SET ${column} = now() - interval '${days} days'`)
    await database.close()
    expect((await ask('GET', '/api/settings')).status).toBe(401)
  })
})

here(`a check-in${where}`, () => {
  it('is taken back by the machine that made it', async () => {
    const hosted = await host()
    const listenerId = randomUUID()
    await hosted.checkIn('ada', { listenerId })
    const { ask } = await hosted.signedIn('ada')
    for (const [person, left] of [
      ['bob', 1],
      ['ada', 0],
    ] as const) {
      const token = await hosted.provider.token(claimsOf(person))
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = { method: 'DELETE', headers, body: JSON.stringify({ listenerId }) }
      expect((await fetch(`${hosted.url}/api/cli/checkin`, init)).status).toBe(204)
      expect((await ask('GET', '/api/devices')).body.machines).toHaveLength(left)
    }
  })

  const bearer = async ({ url }: Hosted, authorization: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...defined({ authorization }) }
    const body = JSON.stringify({ platform: 'linux', listenerId: randomUUID(), version: '1.0.0' })
    const response = await fetch(`${url}/api/cli/checkin`, { method: 'POST', headers, body })
    return { status: response.status, challenge: response.headers.get('www-authenticate') }
  }
  const ago = (seconds: number) => Math.floor(Date.now() / 1_000) - seconds

  it.each<readonly [string, (hosted: Hosted) => Promise<string>]>([
    ['signed by a stranger', ({ provider }) => provider.token(claimsOf('ada'), 'stranger')],
    ['that is over', ({ provider }) => provider.token({ ...claimsOf('ada'), iat: ago(900), exp: ago(120) })],
    ['that is not valid yet', ({ provider }) => provider.token({ ...claimsOf('ada'), nbf: ago(-300) })],
    ['without an end', ({ provider }) => provider.token({ sub: 'ada', aud: 'hookline', iat: ago(0) })],
    ['of another issuer', ({ provider }) => provider.token({ ...claimsOf('ada'), iss: 'https://evil.example' })],
    ['for another program', ({ provider }) => provider.token({ ...claimsOf('ada'), aud: 'another' })],
    ['without a subject', ({ provider }) => provider.token({ aud: 'hookline', iat: ago(0), exp: ago(-60) })],
    ['about nobody', ({ provider }) => provider.token({ ...claimsOf(''), sub: '' })],
    ['about a number', ({ provider }) => provider.token({ ...claimsOf('ada'), sub: 7 as unknown as string })],
    ['about a NUL', ({ provider }) => provider.token(claimsOf('a\0'))],
    ['of next year', ({ provider }) => provider.token({ ...claimsOf('ada'), iat: ago(-3e7), exp: ago(-4e7) })],
    ['issued to another client', ({ provider }) => provider.token({ ...claimsOf('ada'), azp: 'another' })],
    [
      'for several, and issued to none',
      ({ provider }) => provider.token({ ...claimsOf('ada'), aud: ['hookline', 'b'] }),
    ],
    ['changed in the middle', async ({ provider }) => (await provider.token(claimsOf('ada'))).replace(/\.(.)/, '.x$1')],
    ['with no signature', async () => `${part({ alg: 'none' })}.${part(claimsOf('ada'))}.`],
    ['with a signature by a shared secret', async () => `${part({ alg: 'HS256' })}.${part(claimsOf('ada'))}.AAAA`],
    ['that is none', async () => 'nonsense'],
    ['that is endless', async () => 'a'.repeat(9_000)],
  ])('with a token %s is refused, and nothing is kept', async (_what, make) => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('ada')
    const { status, challenge } = await bearer(hosted, `Bearer ${await make(hosted)}`)
    expect([status, challenge]).toEqual([401, 'Bearer error="invalid_token"'])
    expect((await ask('GET', '/api/devices')).body.machines).toEqual([])
    expect(hosted.failures).toEqual([])
  })

  it.each([undefined, 'Basic YTpi', 'Bearer'])('without a token (%s) is refused', async (authorization) => {
    expect(await bearer(await host(), authorization)).toEqual({ status: 401, challenge: 'Bearer' })
  })

  it('is let in by clocks that differ by less than a minute', async () => {
    const hosted = await host()
    const token = await hosted.provider.token({ ...claimsOf('ada'), exp: ago(30) })
    expect((await bearer(hosted, `Bearer ${token}`)).status).toBe(204)
  })

  it('goes on when the service changes its keys, and what the old ones signed is over', async () => {
    const hosted = await host()
    const old = await hosted.provider.token(claimsOf('ada'))
    expect((await bearer(hosted, `Bearer ${old}`)).status).toBe(204)
    await hosted.provider.changeKeys()
    // No stranger can make the server ask for keys without end.
    expect(await hosted.checkIn('ada')).toBe(401)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await hosted.checkIn('ada')).toBe(204)
    expect((await bearer(hosted, `Bearer ${old}`)).status).toBe(401)
  })

  it('by a key that was withdrawn is over within a minute', async () => {
    const hosted = await host()
    const old = await hosted.provider.token(claimsOf('ada'))
    expect((await bearer(hosted, `Bearer ${old}`)).status).toBe(204)
    await hosted.provider.changeKeys()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 55_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect((await bearer(hosted, `Bearer ${old}`)).status).toBe(401)
  })

  it('is told 503 while the keys cannot be had, and strangers make the server ask for them a few times', async () => {
    const hosted = await host()
    const keys = hosted.provider.answer('/jwks', 500, {})
    const token = await hosted.provider.token(claimsOf('ada'), 'stranger')
    for (let count = 0; count < 3 * HOSTING_LIMITS.providerBurst; count++)
      expect([503, 429]).toContain((await bearer(hosted, `Bearer ${token}`)).status)
    expect(keys.asked()).toBeLessThan(2 * HOSTING_LIMITS.providerBurst)
    expect(hosted.failures[0]).toMatchObject({ code: 'provider-gone' })
  })

  it('is not lost for good while the service is away: it is told to come again', async () => {
    const hosted = await host()
    const back = hosted.provider.interrupt()
    expect(await hosted.checkIn('ada')).toBe(503)
    back()
    expect(await hosted.checkIn('ada')).toBe(204)
  })
})

here(`what asks for a change${where}`, () => {
  it.each<readonly [string, Record<string, string>, number]>([
    ['this console’s page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['another site’s page', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a link', { 'sec-fetch-site': 'none' }, 403],
    ['nobody that says so', {}, 403],
  ])('in the name of %s is answered with its due', async (_who, headers, status) => {
    const { url, signedIn } = await host()
    const { browser } = await signedIn('ada')
    const body = JSON.stringify({ trustedListenerIds: {} })
    const init = { method: 'PATCH', headers: { ...headers, 'content-type': 'application/json' }, body }
    expect((await browser.ask(`${url}/api/settings`, init)).status).toBe(status)
  })

  it('from one address too often waits, and others do not', async () => {
    const { url } = await host()
    const from = (address: string) =>
      fetch(`${url}/api/settings`, { headers: { 'x-forwarded-for': `9.9.9.9, ${address}` } })
    let answer = await from('192.0.2.1')
    for (let count = 0; answer.status !== 429; count++) {
      expect(count).toBeLessThan(10 * HOSTING_LIMITS.burst)
      answer = await from('192.0.2.1')
    }
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await from('192.0.2.2')).status).toBe(401)
  })
})

here(`a session that ends while its change waits in the database${where}`, () => {
  it('changes nothing, and is told so', async () => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('ada')
    const database = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => database.close())
    let change: ReturnType<typeof ask> | undefined
    await database.transaction(async (statements) => {
      await statements.query('SELECT id FROM users FOR UPDATE')
      await statements.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      change = ask('PATCH', '/api/settings', { trustedListenerIds: { device: randomUUID() } })
      const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      await expect.poll(() => database.query(waiting)).toHaveLength(1)
      await statements.query('DELETE FROM sessions')
    })
    expect(await change).toMatchObject({ status: 401, body: { error: 'not signed in' } })
    expect(await database.query('SELECT * FROM pinned_listeners')).toEqual([])
    expect(hosted.failures).toEqual([])
  })
})

here(`a page of another person than who is signed in by now${where}`, () => {
  it('sets nothing in that person’s record, and who signs out has the browser delete what it keeps', async () => {
    const hosted = await host()
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    const { id } = (await ada.ask('GET', '/api/settings')).body.account
    const patch = { trustedListenerIds: { device: randomUUID() }, account: id }
    expect((await bob.ask('PATCH', '/api/settings', patch)).status).toBe(409)
    expect((await bob.ask('GET', '/api/settings')).body.trustedOn).toEqual([])
    expect((await ada.ask('PATCH', '/api/settings', patch)).status).toBe(200)
    const out = await ada.browser.ask(`${hosted.url}/auth/sign-out`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect([out.status, out.headers.get('clear-site-data')]).toEqual([204, '"storage"'])
  })
})

here(`one person${where}`, () => {
  it('who asks from many addresses, with bodies that do not come, keeps nobody else waiting', async () => {
    const hosted = await host()
    const [ada, bob] = [await hosted.signedIn('ada'), await hosted.signedIn('bob')]
    const { port } = hosted.servers[0] ?? { port: 0 }
    const [[name, value] = ['', '']] = ada.browser.cookies(new URL(hosted.url).host)
    const head = (address: number) =>
      [
        `PATCH /api/settings HTTP/1.1\r\nHost: ${new URL(hosted.url).host}\r\nCookie: ${name}=${value}`,
        `Sec-Fetch-Site: same-origin\r\nX-Forwarded-For: 192.0.2.${address}`,
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      ].join('\r\n')
    const clients = await Promise.all(Array.from({ length: 40 }, () => new RawClient(port).connected()))
    onTestFinished(() => {
      for (const client of clients) client.close()
    })
    const told: number[] = []
    for (const [index, client] of clients.entries())
      void client
        .send(head(index % 6))
        .answer()
        .then(({ status }) => told.push(status))
        .catch(() => {})
    await expect.poll(() => told.filter((status) => status === 429).length).toBe(40 - HOSTING_LIMITS.requestsOfPerson)
    expect((await bob.ask('GET', '/api/settings')).status).toBe(200)
  })

  it('has one pace, whatever the number of addresses', async () => {
    const { url, signedIn } = await host()
    const { browser } = await signedIn('ada')
    // At the pace of one request after the other a slow machine never comes to the limit.
    const statuses: number[] = []
    for (let from = 0; from < 400 && !statuses.includes(429); from += HOSTING_LIMITS.requestsOfPerson / 2) {
      const some = Array.from({ length: HOSTING_LIMITS.requestsOfPerson / 2 }, (_, index) => from + index)
      const answers = some.map((each) =>
        browser.ask(`${url}/api/layouts`, { headers: { 'x-forwarded-for': `192.0.2.${each % 250}` } }),
      )
      statuses.push(...(await Promise.all(answers)).map(({ status }) => status))
    }
    expect(statuses).toContain(429)
  })
})

here(`a database that takes no changes${where}`, () => {
  it('is read on, and says so to who wants to change something; a server starts on it', async () => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('ada')
    const database = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => database.close())
    const [{ name = '' } = {}] = await database.query<{ name: string }>('SELECT current_database() AS name')
    await database.query("UPDATE sessions SET seen_at = now() - interval '2 hours'")
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [name],
    )
    await expect.poll(async () => (await ask('GET', '/api/settings')).status).toBe(200)
    expect(await ask('PATCH', '/api/settings', { trustedListenerIds: {} })).toMatchObject({
      status: 503,
      body: { error: 'the database takes no changes now; try again' },
    })
    const another = openDatabase(hosted.databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => another.close())
    await migrate(another)
    // A server that is frozen within a change keeps its locks for 3 s.
    expect(await another.query('SHOW idle_in_transaction_session_timeout')).toMatchObject([
      { idle_in_transaction_session_timeout: '3s' },
    ])
  })

  it('whose certificate is not there is told as a database, not as a bug', async () => {
    const database = openDatabase('postgres://a@127.0.0.1:1/b?sslrootcert=/not/there.pem', { onIdleFailure: () => {} })
    onTestFinished(() => database.close())
    for (const ask of [() => database.query('SELECT 1'), () => database.transaction(async () => {})])
      await expect(ask()).rejects.toMatchObject({ code: 'database-gone', cause: { code: 'ENOENT' } })
  })
})

here(`two servers${where}`, () => {
  it('behind one address are as one', async () => {
    const hosted = await host({ count: 2 })
    const { ask } = await hosted.signedIn('ada')
    await hosted.checkIn('ada')
    for (let turn = 0; turn < 4; turn++) {
      const { body } = await ask('GET', '/api/settings')
      expect(Object.keys(body.cli.checkins)).toEqual(['linux'])
    }
    expect((await ask('POST', '/auth/sign-out')).status).toBe(204)
    for (let turn = 0; turn < 2; turn++) expect((await ask('GET', '/api/settings')).status).toBe(401)
  })

  it('change the same record at once, and lose nothing', async () => {
    const hosted = await host({ count: 2 })
    const { ask } = await hosted.signedIn('ada')
    const names = Array.from({ length: 20 }, (_, index) => `device-${index}`)
    await Promise.all(
      names.map((name) => ask('PATCH', '/api/settings', { trustedListenerIds: { [name]: randomUUID() } })),
    )
    expect((await ask('GET', '/api/settings')).body.trustedOn).toEqual(names.toSorted())
  })
})

here(`a database that is gone${where}`, () => {
  it('is told to pages and command lines in words, loses nothing, and is found again', async () => {
    const hosted = await host()
    const { ask } = await hosted.signedIn('ada')
    await hosted.checkIn('ada')
    await hosted.stopDatabase()
    expect(await ask('GET', '/api/settings')).toEqual({
      status: 503,
      body: { ok: false, error: 'the database does not answer; try again' },
    })
    expect(await hosted.checkIn('ada')).toBe(503)
    expect((await new ScriptedBrowser().ask(`${hosted.url}/healthz`)).status).toBe(503)
    await hosted.startDatabase()
    const { status, body } = await ask('GET', '/api/settings')
    expect([status, Object.keys(body.cli.checkins)]).toEqual([200, ['linux']])
    expect(hosted.failures.every((error) => 'code' in error && error.code === 'database-gone')).toBe(true)
  })
})

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
