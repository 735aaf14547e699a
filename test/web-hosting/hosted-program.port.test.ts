// `hookline web --issuer …` as people start it: the built binary, a real PostgreSQL, a real sign-in service.
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createCluster, findPostgres } from '../../harness/process/debian-postgres.mjs'
import { RunningHookline, run } from '../../harness/process/hookline.ts'
import { startRealProvider } from '../../harness/sign-in/real-provider.ts'
import { ScriptedBrowser } from '../../harness/sign-in/scripted-browser.ts'

const URL = 'http://127.0.0.1:53220'

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
    const found = findPostgres()
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
})
