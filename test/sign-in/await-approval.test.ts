// How a provider is asked while a person decides: never sooner than it wants, never longer than the code lives.
import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  ISSUER,
  json,
  makeKey,
  NOW,
  type ScriptedIssuer,
  scriptIssuer,
} from '../../harness/sign-in/scripted-issuer.ts'
import { type AwaitingPorts, awaitApproval, type Poll } from '../../src/sign-in/await-approval.ts'
import { type DeviceCode, readDeviceCode } from '../../src/sign-in/device-code.ts'
import { openProvider } from '../../src/sign-in/provider.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'
import type { NewTokens } from '../../src/sign-in/tokens.ts'

const KEY = makeKey('key-1')
const TOKENS: NewTokens = { idToken: 't', subject: 's', email: '', expiresAt: NOW + 1 }
const CODE: DeviceCode = {
  deviceCode: 'device-1',
  userCode: 'WDJB-MJHT',
  address: `${ISSUER}/activate`,
  expiresAt: NOW + 90_000,
  intervalMs: 5_000,
}

/** A clock that only waiting moves. */
function stage(answers: readonly (Awaited<ReturnType<Poll>> | SignInError)[], abortAfter = Number.POSITIVE_INFINITY) {
  const stop = new AbortController()
  const waited: number[] = []
  const left: number[] = []
  let now = NOW
  let polls = 0
  const ports: AwaitingPorts = {
    now: () => now,
    async delay(ms) {
      waited.push(ms / 1_000)
      now += ms
      if (waited.length >= abortAfter) stop.abort()
    },
    signal: stop.signal,
    onWaiting: (ms: number) => void left.push(ms / 1_000),
  }
  const poll: Poll = async (deviceCode) => {
    expect(deviceCode).toBe('device-1')
    const answer = answers[polls] ?? 'pending'
    polls += 1
    if (answer instanceof SignInError) throw answer
    return answer
  }
  return { waited, left, polls: () => polls, outcome: awaitApproval(CODE, poll, ports) }
}

const gone = new SignInError('provider-unreachable', 'id.example.com cannot be reached')

describe('waiting for approval', () => {
  it('asks at the interval of the provider, and tells how long is left', async () => {
    const { outcome, waited, left } = stage(['pending', 'pending', TOKENS])
    expect(await outcome).toBe(TOKENS)
    expect(waited).toEqual([5, 5, 5])
    expect(left).toEqual([85, 80])
  })

  it('asks 5 s later from each `slow_down` on', async () => {
    const { outcome, waited } = stage(['slow-down', 'pending', 'slow-down', TOKENS])
    await outcome
    expect(waited).toEqual([5, 10, 10, 15])
  })

  it('ends when the code has expired, without another question', async () => {
    const { outcome, waited, polls } = stage([])
    await expect(outcome).rejects.toMatchObject({ code: 'code-expired', hint: '`login` gives another' })
    expect(waited.reduce((sum, each) => sum + each)).toBe(90)
    expect(polls()).toBe(17)
  })

  it('goes on when the provider is away for a moment, ever more slowly, and gives up when it stays away', async () => {
    const back = stage([gone, gone, gone, TOKENS])
    expect(await back.outcome).toBe(TOKENS)
    expect(back.waited).toEqual([5, 10, 20, 40])
    const away = stage([gone, gone, gone, gone])
    await expect(away.outcome).rejects.toBe(gone)
    expect(away.polls()).toBe(4)
  })

  it.each(['access-denied', 'code-expired', 'bad-token', 'clock-skew', 'client-refused'] as const)(
    'ends at once with %s',
    async (code) => {
      const { outcome, polls } = stage(['pending', new SignInError(code, 'so')])
      await expect(outcome).rejects.toMatchObject({ code })
      expect(polls()).toBe(2)
    },
  )

  it('ends with Ctrl-C, without another question', async () => {
    const { outcome, polls } = stage(['pending'], 2)
    await expect(outcome).rejects.toMatchObject({ code: 'interrupted' })
    expect(polls()).toBe(1)
  })
})

describe('the answer to a question', () => {
  const open = (issuer: ScriptedIssuer) =>
    openProvider({
      issuer: new URL(ISSUER),
      clientId: CLIENT,
      now: () => NOW,
      signal: new AbortController().signal,
      fetch: issuer.fetch,
    })

  it.each([
    ['authorization_pending', 400, 'pending'],
    ['slow_down', 400, 'slow-down'],
  ])('`%s` is no end', async (error, status, outcome) => {
    const issuer = scriptIssuer(KEY)
    issuer.answers.set('/token', () => json({ error }, status))
    expect(await (await open(issuer)).poll('device-1', { nonce: 'n', askedAt: NOW })).toBe(outcome)
  })

  it.each([
    ['access_denied', 400, 'access-denied', 'access was denied at id.example.com'],
    ['expired_token', 400, 'code-expired', 'the code expired before it was approved'],
    ['invalid_grant', 400, 'code-expired', 'the code expired before it was approved'],
    ['invalid_client', 401, 'client-refused', 'id.example.com refuses the client: invalid_client'],
    ['unauthorized_client', 400, 'client-refused', 'id.example.com refuses the client: unauthorized_client'],
    ['temporarily_unavailable', 503, 'provider-unreachable', 'id.example.com is not available: status 503'],
    [
      'temporarily_unavailable',
      400,
      'provider-unreachable',
      'id.example.com is not available: temporarily_unavailable',
    ],
    ['\u001b[31mmade up', 400, 'provider-malformed', 'id.example.com did not answer with tokens'],
  ])('%j ends it, in words of ours', async (error, status, code, message) => {
    const issuer = scriptIssuer(KEY)
    issuer.answers.set('/token', () => json({ error, error_description: 'a text of theirs' }, status))
    await expect((await open(issuer)).poll('device-1', { nonce: 'n', askedAt: NOW })).rejects.toMatchObject({
      code,
      message,
    })
  })

  it('is one of ours also where there is no sign-in for devices, or the client is not known', async () => {
    const issuer = scriptIssuer(KEY)
    issuer.metadata.device_authorization_endpoint = undefined
    await expect((await open(issuer)).askForCode('n')).rejects.toMatchObject({ code: 'no-device-flow' })
    const strict = scriptIssuer(KEY)
    strict.answers.set('/device', () =>
      json({ error: 'invalid_client' }, 401, { 'www-authenticate': 'Basic realm="x"' }),
    )
    await expect((await open(strict)).askForCode('n')).rejects.toMatchObject({ code: 'client-refused' })
  })

  it('asks for the email by name, and for renewal, where the provider can do that', async () => {
    const able = scriptIssuer(KEY)
    able.metadata.claims_parameter_supported = true
    await (await open(able)).askForCode('n-1')
    const { form } = able.asked.at(-1) ?? {}
    expect(Object.fromEntries(form ?? [])).toEqual({
      client_id: CLIENT,
      nonce: 'n-1',
      scope: 'openid email offline_access',
      claims: '{"id_token":{"email":null,"email_verified":null}}',
    })
    const plain = scriptIssuer(KEY)
    plain.metadata.scopes_supported = ['openid', 'email']
    await (await open(plain)).askForCode('n-2')
    expect(Object.fromEntries(plain.asked.at(-1)?.form ?? [])).toEqual({
      client_id: CLIENT,
      nonce: 'n-2',
      scope: 'openid email',
    })
  })

  it('has followed no redirect', async () => {
    const issuer = scriptIssuer(KEY)
    await (await open(issuer)).askForCode('n')
    expect(issuer.asked.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })
})

describe('a code for a device', () => {
  const answer = { device_code: 'd', user_code: 'WDJB-MJHT', verification_uri: `${ISSUER}/activate`, expires_in: 600 }
  const read = (changes: object) => readDeviceCode({ ...answer, ...changes }, NOW, 'id.example.com')

  it('is asked about every 5 s where the provider says nothing, and within bounds where it says something odd', () => {
    expect(read({})).toMatchObject({ intervalMs: 5_000, expiresAt: NOW + 600_000 })
    expect(read({ interval: 0.001 }).intervalMs).toBe(1_000)
    expect(read({ interval: 1e9 }).intervalMs).toBe(60_000)
    expect(read({ expires_in: 1e12 }).expiresAt).toBe(NOW + 30 * 60_000)
    expect(read({ expires_in: -5 }).expiresAt).toBe(NOW)
  })

  it.each([
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['http://id.example.com/activate'],
    ['https://user:password@id.example.com/'],
    ['-oProxyCommand=x'],
    [`https://id.example.com/${'x'.repeat(2_000)}`],
  ])('sends nobody to %j', (address) => {
    expect(() => read({ verification_uri: address })).toThrow(expect.objectContaining({ code: 'unsafe-address' }))
    expect(read({ verification_uri_complete: address })).not.toHaveProperty('addressWithCode')
  })

  it('is shown without what could steer a terminal, and not at all where nothing is left of it', () => {
    expect(read({ user_code: '\u001b]0;x\u0007AB\u202eCD' }).userCode).toBe(']0;x AB CD')
    expect(() => read({ user_code: '\u0007\u200b' })).toThrow(expect.objectContaining({ code: 'provider-malformed' }))
    expect(() => read({ user_code: 'A'.repeat(65) })).toThrow(expect.objectContaining({ code: 'provider-malformed' }))
  })
})
