// `hookline web --issuer …` as people start it: the built binary, a real PostgreSQL, a real sign-in service.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory, tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import { createCluster, findPostgres } from '../../harness/process/debian-postgres.mjs'
import { RunningHookline, run } from '../../harness/process/hookline.ts'
import { startRealProvider } from '../../harness/sign-in/real-provider.ts'
import { ScriptedBrowser } from '../../harness/sign-in/scripted-browser.ts'
import { openDatabase } from '../../src/web-hosting/database.ts'

const URL = 'http://127.0.0.1:53220'
const OPEN_SECRET = join(tempDirectoryOfFile(), 'secret')
writeFileSync(OPEN_SECRET, 'secret-of-mine', { mode: 0o644 })

describe('hookline web for many', () => {
  it.each<readonly [string, readonly string[], Record<string, string>, RegExp, number]>([
    ['without an address', ['--issuer', 'https://id.example'], {}, /^error: `--public-url` is missing \(give /, 2],
    [
      'without a database',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      {},
      /^error: DATABASE_URL is not set \(set it to /,
      2,
    ],
    [
      'with a secret that is not there',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/none', HOOKLINE_WEB_CLIENT_SECRET_FILE: '/not/there' },
      /^error: HOOKLINE_WEB_CLIENT_SECRET_FILE: there is no file \/not\/there \(check its path\)$/,
      2,
    ],
    [
      'with a secret that others may read',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/none', HOOKLINE_WEB_CLIENT_SECRET_FILE: OPEN_SECRET },
      /^error: HOOKLINE_WEB_CLIENT_SECRET_FILE: .*\(.*chmod 600/,
      2,
    ],
    [
      'with a database whose address is none',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      { DATABASE_URL: 'not a database' },
      /^error: .*DATABASE_URL/,
      2,
    ],
    [
      'with a certificate of the database that is not there',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      { DATABASE_URL: 'postgres://127.0.0.1:1/none?sslmode=verify-full&sslrootcert=/not/there.pem' },
      /^error: PostgreSQL does not answer: ENOENT.*there\.pem/,
      1,
    ],
    [
      'with a database that is not there',
      ['--issuer', 'https://id.example', '--public-url', 'https://console.example'],
      { DATABASE_URL: 'postgres://nobody:secret-of-mine@127.0.0.1:1/none' },
      /^error: PostgreSQL does not answer: .*ECONNREFUSED.* \(check that it runs /,
      1,
    ],
  ])('does not start %s, and says so in a line without secrets', async (_what, args, env, says, exit) => {
    const { stderr, stdout, code } = await run(tempDirectory(), ['web', ...args], { env: { DATABASE_URL: '', ...env } })
    expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([exit, '', [expect.stringMatching(says)]])
    expect(stderr).not.toContain('secret-of-mine')
  })

  it('does not open without its sign-in where flags say that it is for many', async () => {
    const { stderr, code } = await run(tempDirectory(), ['web', '--public-url', 'https://console.example'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: these flags need --issuer; see /)])
  })

  it('serves the console and signs people in, until it is told to stop', async ({ skip }) => {
    const found = await findPostgres()
    if ('missing' in found) return skip(found.missing)
    const cluster = await createCluster(found)
    onTestFinished(() => cluster.remove())
    const { issuer } = await startRealProvider([{ id: 'hookline-web', redirectUri: `${URL}/auth/callback` }])
    const web = new RunningHookline(tempDirectory(), ['web', '--issuer', issuer, '--public-url', URL], {
      env: { DATABASE_URL: cluster.url('postgres') },
    })
    await web.prints(`console on ${URL}, listening on 127.0.0.1:53220\n`)
    const browser = new ScriptedBrowser()
    expect(await (await browser.ask(`${URL}/trade`)).text()).toContain('<div id="root">')
    const { response } = await browser.visit(`${URL}/auth/sign-in?return=/trade`, { person: 'ada', until: URL })
    expect(response.headers.get('location')).toBe('/trade')
    expect(await (await browser.ask(`${URL}/api/settings`)).json()).toMatchObject({
      account: { email: 'ada@example.com' },
    })
    await cluster.stop()
    expect((await browser.ask(`${URL}/api/settings`)).status).toBe(503)
    web.signal('SIGTERM')
    const { code, stderr } = await web.ended()
    expect(code).toBe(0)
    // One line, however many requests failed.
    expect(stderr.split('\n').filter((line) => line.startsWith('PostgreSQL does not answer')).length).toBeGreaterThan(0)
    expect(stderr).not.toMatch(/\bat .*\.cjs:\d+/)
  })

  it('says once that it waits for its tables, serves nothing meanwhile, and ends or goes on as it is told', async ({
    skip,
  }) => {
    const found = await findPostgres()
    if ('missing' in found) return skip(found.missing)
    const cluster = await createCluster(found)
    onTestFinished(() => cluster.remove())
    const databaseUrl = cluster.url('postgres')
    const { issuer } = await startRealProvider([])
    const start = (port: number) =>
      new RunningHookline(
        tempDirectory(),
        ['web', '--issuer', issuer, '--public-url', URL, '--listen', `127.0.0.1:${port}`],
        { env: { DATABASE_URL: databaseUrl } },
      )
    const WAITS = 'waiting for another server, or for a lock, to bring the tables up to date\n'
    const waits = async (web: RunningHookline, port: number) => {
      await expect.poll(() => web.stderr).toBe(WAITS)
      await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    }
    const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
    onTestFinished(() => database.close())
    const ports = [53_220, 53_221] as const
    const servers: RunningHookline[] = []
    await database.transaction(async (statements) => {
      await statements.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      await statements.query('SELECT pg_advisory_xact_lock(53220001)')
      const leaving = start(53_222)
      await waits(leaving, 53_222)
      leaving.signal('SIGTERM')
      expect(await leaving.ended()).toMatchObject({ code: 0, stdout: '', stderr: WAITS })
      for (const port of ports) servers.push(start(port))
      for (const [index, web] of servers.entries()) await waits(web, ports[index] ?? 0)
    })
    for (const [index, web] of servers.entries()) {
      await web.prints('console on')
      expect((await fetch(`http://127.0.0.1:${ports[index]}/healthz`)).status).toBe(200)
      web.signal('SIGTERM')
      expect(await web.ended()).toMatchObject({ code: 0, stderr: WAITS })
    }
    expect(await database.query('SELECT version FROM hookline_version')).toEqual([{ version: 1 }])
  })

  it('shows a person a page, with a way on, wherever they come while something is gone, and a program JSON', async ({
    skip,
  }) => {
    const found = await findPostgres()
    if ('missing' in found) return skip(found.missing)
    const cluster = await createCluster(found)
    onTestFinished(() => cluster.remove())
    const provider = await startRealProvider([{ id: 'hookline-web', redirectUri: `${URL}/auth/callback` }])
    const web = new RunningHookline(tempDirectory(), ['web', '--issuer', provider.issuer, '--public-url', URL], {
      env: { DATABASE_URL: cluster.url('postgres') },
    })
    await web.prints(`console on ${URL}`)
    const browser = new ScriptedBrowser()
    const wanted = '/journal?hook=dip'
    const leave = `/auth/sign-in?return=${encodeURIComponent(wanted)}`
    const comeBack = async () => (await browser.visit(URL + leave, { person: 'ada', before: `${URL}/auth/` })).url
    /** Shown in words, with links that lead on. */
    const shows = async (
      address: string,
      [status, title, ...links]: readonly [number, string, ...string[]],
      site?: 'cross-site' | 'same-origin',
    ) => {
      const { status: got, headers, page } = await browser.open(address, site)
      expect([got, headers['content-type'], headers['cache-control']]).toEqual([
        status,
        expect.stringMatching(/^text\/html/),
        'no-store',
      ])
      expect([/<h1>(.*)<\/h1>/.exec(page)?.[1], ...[...page.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)]).toEqual([
        title,
        ...links,
      ])
    }
    const told = async (path: string) => (await browser.ask(URL + path)).json()

    // Not signed in, and what is no page of the console.
    await shows(`${URL}/api/settings`, [401, 'Not signed in', '/'])
    await shows(`${URL}/api/nothing`, [404, 'Not found', '/'])
    await shows(`${URL}/nothing`, [404, 'Not found', '/'])
    await shows(`${URL}/api/settings`, [403, 'Forbidden', '/'], 'cross-site')
    await shows(`${URL}${leave}`, [403, 'Forbidden', '/'], 'cross-site')
    expect(await told('/api/settings')).toEqual({ ok: false, error: 'not signed in' })

    // The sign-in service is gone: as a sign-in begins, and on the way back.
    const back = await comeBack()
    const restore = provider.answer('/token', 503, {})
    await shows(back, [503, 'The sign-in service does not answer', leave, '/'], 'cross-site')
    restore.back()
    // What the link leads to brings the person to the page that was wanted.
    const again = await browser.visit(URL + leave, { person: 'ada', until: `${URL}/auth/` })
    expect(again.response.headers.get('location')).toBe(wanted)
    expect((await browser.ask(`${URL}/api/settings`)).status).toBe(200)

    // The database is gone: the same address serves again once it is back.
    const late = await comeBack()
    await cluster.stop()
    await shows(late, [503, 'The database does not answer', '', '/'], 'cross-site')
    await shows(URL + leave, [503, 'The database does not answer', '', '/'], 'same-origin')
    await shows(`${URL}/api/settings`, [503, 'The database does not answer', '', '/'])
    await shows(`${URL}/healthz`, [503, 'The database does not answer', '', '/'])
    expect(await told('/api/settings')).toEqual({ ok: false, error: 'the database does not answer; try again' })
    await cluster.start()
    expect((await browser.open(late, 'same-origin')).headers.location).toBe(wanted)

    // One address asks too often.
    const asking: Promise<unknown>[] = []
    const shownThen = async () => {
      // Each of them is refused late.
      asking.push(...Array.from({ length: 40 }, () => browser.ask(`${URL}/api/nothing`)))
      return (await browser.open(URL + leave, 'same-origin')).page
    }
    await expect.poll(shownThen, { interval: 1 }).toMatch(/<h1>Too many requests<.*href="">Try again</s)
    await Promise.allSettled(asking)
    web.signal('SIGTERM')
    expect((await web.ended()).code).toBe(0)
  })
})
