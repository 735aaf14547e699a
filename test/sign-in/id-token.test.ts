// Which tokens are taken: one true one, and none that was forged, is old, was used before or belongs to somebody else.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CLIENT,
  claimsAt,
  ISSUER,
  json,
  makeKey,
  NOW,
  type ScriptedIssuer,
  type SigningKey,
  scriptIssuer,
  signToken,
  tokenAnswer,
} from '../../harness/sign-in/scripted-issuer.ts'
import { openProvider } from '../../src/sign-in/provider.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'
import { verifiedEmail } from '../../src/sign-in/tokens.ts'

const KEY = makeKey('key-1')
const OTHER = makeKey('key-1')
const NONCE = 'nonce-1'
const MIN_MS = 60_000

/** Asks once for the tokens of a device. @param ourClock in ms since the epoch */
async function take(issuer: ScriptedIssuer, ourClock = NOW) {
  const provider = await openProvider({
    issuer: new URL(ISSUER),
    clientId: CLIENT,
    now: () => ourClock,
    signal: new AbortController().signal,
    fetch: issuer.fetch,
  })
  return provider.poll('device-1', { nonce: NONCE, askedAt: ourClock })
}

/** What becomes of this very token. */
async function taken(token: string, { key = KEY, clock = NOW }: { key?: SigningKey; clock?: number } = {}) {
  const issuer = scriptIssuer(key)
  issuer.token = () => token
  return take(issuer, clock)
}

const of = (changes: Readonly<Record<string, unknown>>, header = {}) =>
  signToken(KEY, claimsAt(NOW, { nonce: NONCE, ...changes }), header)

describe('a token', () => {
  it('that is signed by the issuer, for this client, in time and of this sign-in, is taken', async () => {
    const token = of({})
    expect(await taken(token)).toEqual({
      idToken: token,
      subject: 'person-1',
      email: 'ana@example.com',
      refreshToken: 'refresh-1',
      expiresAt: NOW + 3_600_000,
    })
  })

  it.each([
    ['without a nonce, which a provider may leave out', of({ nonce: undefined })],
    ['for several clients, when it names this one as the one that asked', of({ aud: [CLIENT, 'other'], azp: CLIENT })],
    ['that runs out this minute', of({ exp: NOW / 1_000 - 55 })],
    ['that is a little from the future', of({ iat: NOW / 1_000 + 60 })],
  ])('%s is taken', async (_name, token) => {
    expect(await taken(token)).toMatchObject({ idToken: token })
  })

  it.each([
    ['forged: signed by another key of the same name', signToken(OTHER, claimsAt(NOW, { nonce: NONCE }))],
    ['signed by a key that is not published', signToken({ ...KEY, kid: 'key-2' }, claimsAt(NOW, { nonce: NONCE }))],
    ['without a signature', `${of({}).split('.').slice(0, 2).join('.')}.`],
    ['that says it needs none', of({}, { alg: 'none' })],
    ['signed by a shared secret', of({}, { alg: 'HS256' })],
    ['of another algorithm than the issuer uses', of({}, { alg: 'ES384' })],
    ['with a header that must be understood', of({}, { crit: ['exp'], exp: 1 })],
    ['of another issuer', of({ iss: 'https://evil.example.com' })],
    ['of an issuer that only looks alike', of({ iss: `${ISSUER}/` })],
    ['for another client', of({ aud: 'other' })],
    ['for several clients that another one asked for', of({ aud: [CLIENT, 'other'], azp: 'other' })],
    ['for nobody', of({ aud: [] })],
    ['without a subject', of({ sub: undefined })],
    ['with an empty subject', of({ sub: '' })],
    ['with a subject longer than the standard allows', of({ sub: 'x'.repeat(256) })],
    ['that has expired', of({ exp: NOW / 1_000 - 65 })],
    ['that never expires', of({ exp: undefined })],
    ['that expires at a word', of({ exp: 'never' })],
    ['that is not valid yet', of({ nbf: NOW / 1_000 + 65 })],
    ['that was issued at no time', of({ iat: undefined })],
    ['replayed: issued before it was asked for', of({ iat: NOW / 1_000 - 61 })],
    ['replayed: of another sign-in', of({ nonce: 'nonce-0' })],
    ['too large for a header', of({ filler: 'x'.repeat(12_000) })],
    ['that is not one', 'nonsense'],
    ['that is encrypted', 'a.b.c.d.e'],
  ])('%s is refused in words', async (_name, token) => {
    const error = await taken(token).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(SignInError)
    const { code, message, hint } = error as SignInError
    expect(['bad-token', 'provider-malformed']).toContain(code)
    expect(hint).toBeDefined()
    expect(`${message} ${hint}`).not.toContain(token.slice(0, 20))
    expect(message).not.toContain('\n')
  })

  it('is asked for again where it is missing from the answer', async () => {
    const issuer = scriptIssuer(KEY)
    issuer.answers.set('/token', () => json(tokenAnswer(undefined)))
    await expect(take(issuer)).rejects.toMatchObject({ code: 'provider-malformed' })
  })

  it.each([
    ['behind', NOW - 10 * MIN_MS, 'the clock of this machine is 10 min behind that of id.example.com'],
    ['ahead of', NOW + 120 * MIN_MS, 'the clock of this machine is 120 min ahead of that of id.example.com'],
  ])('of a provider whose clock ours is %s says so, and by how much', async (_name, clock, message) => {
    const issuer = scriptIssuer(KEY)
    issuer.token = () => of({})
    await expect(take(issuer, clock)).rejects.toMatchObject({ code: 'clock-skew', message })
  })

  it('is taken with a new key of the issuer, and no more with the one that it has dropped', async () => {
    const issuer = scriptIssuer(KEY)
    const next = makeKey('key-2')
    issuer.keys = [next]
    issuer.token = () => signToken(next, claimsAt(NOW, { nonce: NONCE }))
    expect(await take(issuer)).toMatchObject({ subject: 'person-1' })
    issuer.token = () => of({})
    await expect(take(issuer)).rejects.toMatchObject({ code: 'bad-token' })
  })

  it.each([
    ['no list', { keys: 'none' }],
    ['nonsense in it', { keys: [1, null, { kty: 'EC' }] }],
    ['a key that is none', { keys: [{ ...KEY.jwk, x: 'AA', y: 'AA' }] }],
    ['the same key twice', { keys: [KEY.jwk, KEY.jwk] }],
  ])('is refused where the keys of the issuer are %s', async (_name, body) => {
    const issuer = scriptIssuer(KEY)
    issuer.token = () => of({})
    issuer.answers.set('/keys', () => json(body))
    await expect(take(issuer)).rejects.toBeInstanceOf(SignInError)
  })
})

describe('whatever a token is changed to', () => {
  const token = of({})
  const [head = '', claims = '', signature = ''] = token.split('.')

  it('it is refused, for one bit of its signature', async () => {
    const bytes = Buffer.from(signature, 'base64url')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length * 8 - 1 }), async (bit) => {
        const forged = Buffer.from(bytes)
        forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const changed = `${head}.${claims}.${forged.toString('base64url')}`
        await expect(taken(changed)).rejects.toBeInstanceOf(SignInError)
      }),
      { numRuns: 25 },
    )
  })

  it('it is refused, for any other claims or header under the same signature', async () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const record = fc.dictionary(
      fc.constantFrom('iss', 'aud', 'sub', 'exp', 'iat', 'nbf', 'nonce', 'azp', 'email', 'email_verified', '__proto__'),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string(), { maxLength: 3 })),
    )
    await fc.assert(
      fc.asyncProperty(record, fc.boolean(), async (changes, isHeader) => {
        const part = encoded({
          ...(isHeader ? { alg: 'ES256', kid: 'key-1' } : claimsAt(NOW, { nonce: NONCE })),
          ...changes,
        })
        fc.pre(part !== (isHeader ? head : claims))
        const changed = isHeader ? `${part}.${claims}.${signature}` : `${head}.${part}.${signature}`
        await expect(taken(changed)).rejects.toBeInstanceOf(SignInError)
      }),
      { numRuns: 40 },
    )
  })

  it('only these claims decide, when the issuer itself signs: it is taken if they are right, and refused in words if not', async () => {
    const s = NOW / 1_000
    const near = fc.integer({ min: -200, max: 200 })
    await fc.assert(
      fc.asyncProperty(
        near,
        near,
        fc.constantFrom(ISSUER, 'https://evil.example.com'),
        fc.constantFrom<string | string[]>(CLIENT, 'other', [CLIENT], ['other']),
        fc.constantFrom(undefined, NONCE, 'other'),
        async (exp, iat, iss, aud, nonce) => {
          // Whole seconds are compared, and the system's clock goes on while the test's stands: the very end may be either.
          fc.pre(Math.abs(exp + 60) > 1)
          const isTrue =
            exp > -60 && Math.abs(iat) <= 60 && iss === ISSUER && String(aud) === CLIENT && nonce !== 'other'
          const outcome = await taken(of({ exp: s + exp, iat: s + iat, iss, aud, nonce })).catch(
            (error: unknown) => error,
          )
          expect(outcome instanceof SignInError).toBe(!isTrue)
          if (isTrue) expect(outcome).toMatchObject({ subject: 'person-1' })
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('an answer of any kind', () => {
  it('ends in tokens or in one of our errors, never in another', async () => {
    const body = fc.oneof(
      fc.json().map((text) => new Response(text, { headers: { 'content-type': 'application/json' } })),
      fc.string().map((text) => new Response(text, { status: 400, headers: { 'content-type': 'application/json' } })),
      fc.tuple(fc.string(), fc.constantFrom(200, 401, 403, 500)).map(([text, status]) => {
        const headers = { 'content-type': 'application/json', 'www-authenticate': text.replace(/[^\x20-\x7e]/g, '') }
        return new Response(JSON.stringify({ error: text }), { status, headers })
      }),
      fc
        .record({
          access_token: fc.anything(),
          token_type: fc.anything(),
          id_token: fc.string(),
          refresh_token: fc.anything(),
        })
        .map((record) =>
          json(JSON.parse(JSON.stringify(record, (_key, value) => (typeof value === 'bigint' ? 1 : value)) ?? '{}')),
        ),
    )
    const path = fc.constantFrom('/.well-known/openid-configuration', '/token', '/keys')
    await fc.assert(
      fc.asyncProperty(path, body, async (at, answer) => {
        const issuer = scriptIssuer(KEY)
        issuer.token = () => of({})
        issuer.answers.set(at, () => answer.clone())
        const outcome = await take(issuer).catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(SignInError)
      }),
      { numRuns: 90 },
    )
  })
})

describe('an email', () => {
  it.each([
    [{ email: 'ana@example.com', email_verified: true }, 'ana@example.com'],
    [{ email: 'ana@example.com' }, ''],
    [{ email: 'ana@example.com', email_verified: false }, ''],
    [{ email: 'ana@example.com', email_verified: 'true' }, ''],
    [{ email: 'ana@example.com', email_verified: 1 }, ''],
    [{ email: ['ana@example.com'], email_verified: true }, ''],
    [{ email: 'ana', email_verified: true }, ''],
    [{ email: 'ana@example.com\u202e', email_verified: true }, ''],
    [{ email: '\u001b[31m@example.com', email_verified: true }, ''],
    [{ email: `${'a'.repeat(64)}@${'b'.repeat(250)}`, email_verified: true }, ''],
    [{ email_verified: true }, ''],
  ])('of %j is shown as %j', (claims, shown) => {
    expect(verifiedEmail(claims)).toBe(shown)
  })
})
