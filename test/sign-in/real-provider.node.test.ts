// Signing in at a real OpenID provider, from the code to the end, with a browser as a person would use it.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { startRealProvider, UNVERIFIED } from '../../harness/sign-in/real-provider.ts'
import { openCredentials } from '../../src/app/account-keys.ts'
import type { DeviceCode } from '../../src/sign-in/device-code.ts'
import { openProvider } from '../../src/sign-in/provider.ts'
import { SignIn } from '../../src/sign-in/sign-in.ts'
import { openSignIn } from '../../src/stores/sign-in.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const never = new AbortController().signal

/** A process on a config directory. `ahead`: how far its clock is, in ms. */
function hookline(directory = tempDirectory()) {
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const credentials = openCredentials({ env: {}, directory, file: openVaultFile(directory) }).ownOnly()
  const store = openSignIn(directory, now)
  const signIn = new SignIn({ store, credentials, now, delay: async () => {}, openProvider })
  return { directory, clock, store, signIn }
}

type Hookline = ReturnType<typeof hookline>

async function login({ signIn }: Hookline, issuer: string, decide: (code: DeviceCode) => Promise<unknown>) {
  return signIn.login({
    issuer,
    clientId: 'hookline',
    source: 'file' as const,
    signal: never,
    // It is asked about only when the person has decided.
    onCode: async (code) => void (await decide(code)),
  })
}

describe('a sign-in at a real provider', () => {
  it('gives the verified email, keeps its tokens in a file of this user alone, and nothing secret elsewhere', async () => {
    const real = await startRealProvider()
    const one = hookline()
    const row = await login(one, real.issuer, async ({ userCode, address, addressWithCode = '' }) => {
      expect(userCode).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
      expect(address).toBe(`${real.issuer}/device`)
      expect(await real.approve(addressWithCode)).toContain('was successful')
    })
    expect(row).toMatchObject({ issuer: real.issuer, subject: 'ana', email: 'ana@example.com', isRenewable: true })
    expect(one.store.email()).toBe('ana@example.com')
    const files = readdirSync(one.directory).sort()
    expect(files).toEqual([`keys-sign-in.${row.id}.json`, 'sign-in.json'])
    for (const file of files) expect(statSync(join(one.directory, file)).mode & 0o777).toBe(0o600)
    const token = await one.signIn.token(never)
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(readFileSync(join(one.directory, 'sign-in.json'), 'utf8')).not.toContain(token)
  })

  it('has no email where the provider has not verified it', async () => {
    const real = await startRealProvider()
    const one = hookline()
    const approve = ({ addressWithCode = '' }: DeviceCode) => real.approve(addressWithCode, UNVERIFIED)
    expect(await login(one, real.issuer, approve)).toMatchObject({ subject: UNVERIFIED, email: '' })
    expect(one.store.email()).toBe('')
  })

  it('that a person denies ends in one line, and leaves nothing', async () => {
    const real = await startRealProvider()
    const one = hookline()
    await expect(
      login(one, real.issuer, ({ addressWithCode = '' }) => real.deny(addressWithCode)),
    ).rejects.toMatchObject({ code: 'access-denied', message: `access was denied at ${new URL(real.issuer).host}` })
    expect(readdirSync(one.directory)).toEqual([])
  })

  it('is renewed when its token has run out, each time with the refresh token of the time before', async () => {
    const real = await startRealProvider()
    const one = hookline()
    const first = await login(one, real.issuer, ({ addressWithCode = '' }) => real.approve(addressWithCode))
    const tokens = [await one.signIn.token(never)]
    for (let round = 0; round < 3; round += 1) {
      // As if the token had run out.
      await one.store.update(({ signIn, ...content }) => ({
        ...content,
        ...(signIn && { signIn: { ...signIn, expiresAt: 1 } }),
      }))
      tokens.push(await one.signIn.token(never))
    }
    expect(tokens.every((token) => token !== undefined)).toBe(true)
    expect(real.requests.filter((request) => request.endsWith('refresh_token'))).toHaveLength(3)
    const row = one.signIn.read()
    expect(row).toMatchObject({ subject: 'ana', email: 'ana@example.com', signedInAt: first.signedInAt })
    expect(row?.id).not.toBe(first.id)
    expect(readdirSync(one.directory).sort()).toEqual([`keys-sign-in.${row?.id}.json`, 'sign-in.json'])
  })

  it('is renewed once where four find it run out at the same moment: the provider would end it otherwise', async () => {
    const real = await startRealProvider()
    const one = hookline()
    await login(one, real.issuer, ({ addressWithCode = '' }) => real.approve(addressWithCode))
    await one.store.update(({ signIn, ...content }) => ({
      ...content,
      ...(signIn && { signIn: { ...signIn, expiresAt: 1 } }),
    }))
    const processes = [one, hookline(one.directory), hookline(one.directory), hookline(one.directory)]
    const tokens = await Promise.all(processes.map(({ signIn }) => signIn.token(never)))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toBeDefined()
    expect(real.requests.filter((request) => request.endsWith('refresh_token'))).toHaveLength(1)
  })

  it('ends when somebody else has used its refresh token: that is said, and pages see no email', async () => {
    const real = await startRealProvider()
    const one = hookline()
    const row = await login(one, real.issuer, ({ addressWithCode = '' }) => real.approve(addressWithCode))
    const { secret } = JSON.parse(readFileSync(row.keys.path ?? '', 'utf8'))
    const { refreshToken } = JSON.parse(secret)
    const form = { grant_type: 'refresh_token', client_id: 'hookline', refresh_token: refreshToken }
    expect((await fetch(`${real.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })).status).toBe(200)
    await one.store.update(({ signIn, ...content }) => ({
      ...content,
      ...(signIn && { signIn: { ...signIn, expiresAt: 1 } }),
    }))
    await expect(one.signIn.token(never)).rejects.toMatchObject({ code: 'sign-in-ended' })
    expect(one.signIn.read()?.endedAt).toBeGreaterThan(row.signedInAt)
    expect(one.store.email()).toBe('')
    expect(await one.signIn.token(never)).toBeUndefined()
  })

  it('ends at the provider too with `logout`, and leaves nothing here', async () => {
    const real = await startRealProvider()
    const one = hookline()
    const row = await login(one, real.issuer, ({ addressWithCode = '' }) => real.approve(addressWithCode))
    const { refreshToken } = JSON.parse(JSON.parse(readFileSync(row.keys.path ?? '', 'utf8')).secret)
    expect(await one.signIn.logout(never)).toMatchObject({ row: { id: row.id }, provider: 'revoked' })
    expect(one.signIn.read()).toBeUndefined()
    expect(readdirSync(one.directory)).toEqual(['sign-in.json'])
    const form = { grant_type: 'refresh_token', client_id: 'hookline', refresh_token: refreshToken }
    const answer = await fetch(`${real.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
    expect(await one.signIn.logout(never)).toBeUndefined()
  })
})
