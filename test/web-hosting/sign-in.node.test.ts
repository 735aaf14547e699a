import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { claimsOf, host, noPostgres, startPostgresOfFile } from '../../harness/sign-in/hosted-console.ts'
import { UNVERIFIED } from '../../harness/sign-in/real-provider.ts'
import { ScriptedBrowser } from '../../harness/sign-in/scripted-browser.ts'
import { openDatabase } from '../../src/web-hosting/database.ts'

startPostgresOfFile()

describe.skipIf(noPostgres !== undefined)(
  `a hosted console${noPostgres === undefined ? '' : ` (${noPostgres})`}`,
  () => {
    it('tells nothing to a browser that is not signed in, and leads it to the service', async () => {
      const { url, provider } = await host()
      const browser = new ScriptedBrowser()
      for (const path of ['/api/settings', '/api/devices', '/api/layouts'])
        expect((await browser.ask(`${url}${path}`)).status).toBe(401)
      const leaving = await browser.ask(`${url}/auth/sign-in`)
      const to = new URL(leaving.headers.get('location') ?? '')
      expect(to.origin).toBe(provider.issuer)
      expect(Object.fromEntries(to.searchParams)).toMatchObject({
        response_type: 'code',
        client_id: 'hookline-web',
        scope: 'openid email',
        code_challenge_method: 'S256',
        redirect_uri: `${url}/auth/callback`,
      })
      expect(leaving.headers.get('cache-control')).toBe('no-store')
    })

    it('signs a person in, and comes back to the page that was left', async () => {
      const { url } = await host()
      const browser = new ScriptedBrowser()
      const { url: back, response } = await browser.visit(`${url}/auth/sign-in?return=/hooks`, {
        person: 'ada',
        until: url,
      })
      expect(back).toMatch(/\/auth\/callback\?code=/)
      expect([response.status, response.headers.get('location')]).toEqual([303, '/hooks'])
      const settings = await (await browser.ask(`${url}/api/settings`)).json()
      expect(settings).toEqual({
        account: { email: 'ada@example.com', id: expect.any(String) },
        cli: { checkins: {} },
        trustedOn: [],
        now: expect.any(Number),
      })
    })

    it('comes back to all of the address that was left, and puts nothing into a header that it cannot hold', async () => {
      const { url } = await host()
      const comesBackTo = async (wanted: string) => {
        const browser = new ScriptedBrowser()
        const from = `${url}/auth/sign-in?return=${encodeURIComponent(wanted)}`
        return (await browser.visit(from, { person: 'ada', until: url })).response.headers.get('location')
      }
      expect(await comesBackTo('/hooks/new?command=buy%20btc&x=é')).toBe('/hooks/new?command=buy%20btc&x=%C3%A9')
      expect(await comesBackTo('/trade?a=1\r\nSet-Cookie: b=2')).toBe('/trade?a=1Set-Cookie:%20b=2')
    })

    it('knows the page that was left where the sign-in took too long, and signs nobody in', async () => {
      const { url, databaseUrl } = await host()
      const browser = new ScriptedBrowser()
      const back = await comeBack(browser, `${url}/auth/sign-in?return=/journal?hook=dip`, url)
      const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
      await database.query("UPDATE sign_ins SET begun_at = now() - interval '601 s'")
      await database.close()
      expect((await browser.ask(back)).headers.get('location')).toBe('/journal?hook=dip&sign-in=expired')
      expect((await browser.ask(`${url}/api/settings`)).status).toBe(401)
      expect((await browser.ask(back)).headers.get('location')).toBe('/?sign-in=expired')
    })

    it.each([
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/hooks/../../x',
      `/${'a'.repeat(300)}`,
      '/api/settings',
    ])('comes back to its front page rather than to %s', async (path) => {
      const { url } = await host()
      const browser = new ScriptedBrowser()
      const { response } = await browser.visit(`${url}/auth/sign-in?return=${encodeURIComponent(path)}`, {
        person: 'ada',
        until: url,
      })
      expect(response.headers.get('location')).toBe('/')
    })

    it('shows no address that the service has not verified', async () => {
      const { signedIn } = await host()
      const { ask } = await signedIn(UNVERIFIED)
      expect((await ask('GET', '/api/settings')).body.account).toEqual({ email: '', id: expect.any(String) })
    })

    it('gives a session to the browser that left, and to no other, and only once', async () => {
      const { url } = await host()
      const victim = new ScriptedBrowser()
      const attacker = new ScriptedBrowser()
      const back = await comeBack(attacker, `${url}/auth/sign-in`, url)
      for (const browser of [victim, attacker, attacker]) {
        const response = await browser.ask(back)
        const isFirst = browser === attacker && response.headers.get('location') === '/'
        expect((await browser.ask(`${url}/api/settings`)).status).toBe(browser === attacker ? 200 : 401)
        if (browser === victim) expect(isFirst).toBe(false)
      }
      expect((await attacker.ask(back)).headers.get('location')).toBe('/?sign-in=expired')
    })

    it.each([
      ['another code', 'code', 'x'.repeat(43), 'invalid'],
      ['another issuer', 'iss', 'https://evil.example', 'invalid'],
      ['an unknown state', 'state', 'x'.repeat(43), 'expired'],
      ['a no', 'error', 'access_denied', 'denied'],
    ])('refuses a way back with %s, and says so', async (_what, name, value, outcome) => {
      const { url, failures, refused } = await host()
      const browser = new ScriptedBrowser()
      const back = new URL(await comeBack(browser, `${url}/auth/sign-in?return=/journal?hook=dip`, url))
      back.searchParams.set(name, value)
      if (name === 'error') back.searchParams.delete('code')
      const response = await browser.ask(back.href)
      // Of a state that is not known, nobody knows the page either.
      const page = outcome === 'expired' ? '/?' : '/journal?hook=dip&'
      expect(response.headers.get('location')).toBe(`${page}sign-in=${outcome}`)
      expect((await browser.ask(`${url}/api/settings`)).status).toBe(401)
      expect(failures).toEqual([])
      // A state that is not known is anybody's doing; what follows it is for the operator to look into.
      expect(refused).toEqual(outcome === 'expired' ? [] : [expect.stringMatching(/^a sign-in: /)])
    })

    it.each([
      ['that fails', '/token', 500, {}, 'provider-gone'],
      ['behind a gateway that fails', '/token', 502, {}, 'provider-gone'],
      ['that is busy', '/token', 429, { error: 'slow_down' }, 'provider-gone'],
      ['that cannot do it now', '/token', 400, { error: 'temporarily_unavailable' }, 'provider-gone'],
      ['whose keys cannot be had', '/jwks', 500, {}, 'provider-gone'],
      ['that does not know this console', '/token', 401, { error: 'invalid_client' }, 'client-refused'],
    ])('tells a service %s as what it is, and logs it', async (_what, path, status, body, code) => {
      const { url, provider, failures } = await host()
      const browser = new ScriptedBrowser()
      const back = await comeBack(browser, `${url}/auth/sign-in`, url)
      provider.answer(path, status, body)
      const answer = await browser.ask(back)
      expect([answer.status, failures]).toEqual([503, [expect.objectContaining({ code })]])
    })

    it.each([
      ['has an endpoint of another kind', (issuer: string) => ({ token_endpoint: 'ftp://id.example/token', issuer })],
      ['names no keys', (issuer: string) => ({ jwks_uri: undefined, issuer })],
    ])('does not believe a description that %s, and asks again', async (_what, change) => {
      const { url, provider, failures } = await host()
      const path = '/.well-known/openid-configuration'
      const description = (await (await fetch(`${provider.issuer}${path}`)).json()) as Record<string, unknown>
      const { back } = provider.answer(path, 200, { ...description, ...change(provider.issuer) })
      const browser = new ScriptedBrowser()
      expect((await browser.ask(`${url}/auth/sign-in`)).status).toBe(503)
      expect(failures).toMatchObject([{ code: 'provider-gone' }])
      back()
      expect((await browser.ask(`${url}/auth/sign-in`)).status).toBe(302)
    })

    it('believes a description that has led nowhere for 10 s more, and another one then', async () => {
      const { url, provider } = await host()
      const clock = performance.now.bind(performance)
      let ahead = 0
      const put = vi.spyOn(performance, 'now').mockImplementation(() => clock() + ahead)
      onTestFinished(() => put.mockRestore())
      const path = '/.well-known/openid-configuration'
      const description = (await (await fetch(`${provider.issuer}${path}`)).json()) as Record<string, unknown>
      const wrong = { ...description, token_endpoint: `${provider.issuer}/nowhere` }
      const { back } = provider.answer(path, 200, wrong)
      provider.answer('/nowhere', 404, 'nothing here')
      const arrive = async () => {
        const browser = new ScriptedBrowser()
        return (await browser.ask(await comeBack(browser, `${url}/auth/sign-in`, url))).status
      }
      expect(await arrive()).toBe(503)
      back()
      expect(await arrive()).toBe(503)
      ahead = 10_000
      expect(await arrive()).toBe(303)
    })

    it.each<readonly [string, Readonly<Record<string, unknown>>]>([
      ['of next year', { iat: Math.floor(Date.now() / 1_000) + 3e7, exp: Math.floor(Date.now() / 1_000) + 4e7 }],
      ['about nobody', { sub: '' }],
      ['about a NUL', { sub: 'a\0' }],
      ['issued to another client', { azp: 'another' }],
      ['for several, and issued to none', { aud: ['hookline-web', 'another'] }],
    ])('checks the token of a sign-in as that of a check-in: one %s signs nobody in', async (_what, change) => {
      const { url, provider, failures, refused } = await host()
      const arriveWith = async (change: Readonly<Record<string, unknown>>) => {
        const browser = new ScriptedBrowser()
        const leaving = (await browser.ask(`${url}/auth/sign-in`)).headers.get('location') ?? ''
        const nonce = new URL(leaving).searchParams.get('nonce')
        const back = await comeBack(browser, leaving, url)
        const claims = { ...claimsOf('ada'), aud: 'hookline-web', nonce, ...change }
        const token = { access_token: 'a', token_type: 'Bearer', id_token: await provider.token(claims) }
        const asked = provider.answer('/token', 200, token)
        const { status, headers } = await browser.ask(back)
        asked.back()
        return [status, headers.get('location')]
      }
      expect(await arriveWith({})).toEqual([303, '/'])
      expect(await arriveWith(change)).toEqual([303, '/?sign-in=invalid'])
      expect([failures, refused]).toEqual([[], [expect.stringMatching(/^a sign-in: /)]])
    })

    it('is not ended by another tab that leaves, nor by a site that leads to the way back', async () => {
      const { url } = await host()
      const browser = new ScriptedBrowser()
      const back = await comeBack(browser, `${url}/auth/sign-in`, url)
      await browser.ask(`${url}/auth/sign-in`)
      const led = await browser.ask(`${url}/auth/callback?state=x`)
      expect(led.headers.get('location')).toBe('/?sign-in=expired')
      expect((await browser.ask(back)).headers.get('location')).toBe('/')
      expect((await browser.ask(`${url}/api/settings`)).status).toBe(200)
    })

    it('keeps no session and no secret of one in the database', async () => {
      const { url, databaseUrl, signedIn } = await host()
      const { browser } = await signedIn('ada')
      const secrets = [...browser.cookies(new URL(url).host).values()]
      expect(secrets).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
      const database = openDatabase(databaseUrl, { onIdleFailure: () => {} })
      for (const table of ['users', 'sessions', 'sign_ins']) {
        const rows = await database.query(`SELECT ${table}::text AS row FROM ${table}`)
        expect(JSON.stringify(rows)).not.toContain(secrets[0])
      }
      await database.close()
    })

    it('ends a session at sign-out, in this browser alone', async () => {
      const { signedIn } = await host()
      const [first, second] = [await signedIn('ada'), await signedIn('ada')]
      expect((await first.ask('POST', '/auth/sign-out')).status).toBe(204)
      expect((await first.ask('GET', '/api/settings')).status).toBe(401)
      expect((await second.ask('GET', '/api/settings')).status).toBe(200)
    })

    it('ends the session before, where somebody else signs in', async () => {
      const { url } = await host()
      const browser = new ScriptedBrowser()
      await browser.visit(`${url}/auth/sign-in`, { person: 'ada', until: url })
      const before = new ScriptedBrowser()
      for (const [name, value] of browser.cookies(new URL(url).host))
        await before.ask(url).then(() => setCookie(before, url, name, value))
      expect((await before.ask(`${url}/api/settings`)).status).toBe(200)
      await browser.ask(`${url}/auth/sign-in`)
      await browser.visit(`${url}/auth/sign-in`, { person: 'bob', until: url })
      expect((await before.ask(`${url}/api/settings`)).status).toBe(401)
    })

    it('says that the service is gone, and goes on once it is back', async () => {
      const { url, provider, failures, signedIn } = await host()
      const back = provider.interrupt()
      const browser = new ScriptedBrowser()
      const answer = await browser.ask(`${url}/auth/sign-in`)
      expect([answer.status, await answer.json()]).toEqual([
        503,
        { ok: false, error: 'the sign-in service does not answer; try again' },
      ])
      expect(failures).toMatchObject([{ code: 'provider-gone' }])
      back()
      const { ask } = await signedIn('ada')
      expect((await ask('GET', '/api/settings')).status).toBe(200)
    })
  },
)

/** Signs in, and stops before the way back is taken. */
async function comeBack(browser: ScriptedBrowser, url: string, own: string): Promise<string> {
  return (await browser.visit(url, { person: 'ada', before: `${own}/auth/callback` })).url
}

/** A copy of a cookie, as a thief would have it. */
function setCookie(browser: ScriptedBrowser, url: string, name: string, value: string): void {
  ;(browser.cookies(new URL(url).host) as Map<string, string>).set(name, value)
}
