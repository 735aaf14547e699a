// Tokens change places: a crash between any two steps leaves the old sign-in or the new one, and nothing that nobody knows of.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keychainInMemory } from '../../harness/credentials/keychain-in-memory.ts'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { approvingProvider } from '../../harness/sign-in/approving-provider.ts'
import { openCredentials } from '../../src/app/account-keys.ts'
import { Keychain } from '../../src/credentials/keychain.ts'
import { SignIn, type SignInPorts } from '../../src/sign-in/sign-in.ts'
import { SignInError } from '../../src/sign-in/sign-in-error.ts'
import type { KeepingPorts } from '../../src/sign-in/token-keeping.ts'
import { openSignIn } from '../../src/stores/sign-in.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const NOW = 1_790_000_000_000
const HOUR_MS = 3_600_000
const never = new AbortController().signal
const SOURCES = ['file', 'vault', 'keychain'] as const
type Source = (typeof SOURCES)[number]

class Crash extends Error {}

/** A config directory, and processes on it that may die at any step. */
async function stage(person: Parameters<typeof approvingProvider>[1] = {}) {
  const directory = tempDirectory()
  const clock = { now: NOW, delay: (): Promise<void> => Promise.resolve() }
  const provider = approvingProvider(() => clock.now, person)
  const entries = keychainInMemory()
  const credentials = openCredentials({
    env: {},
    directory,
    file: openVaultFile(directory),
    deriveKey: quickKey,
    keychain: new Keychain(async () => entries),
  })
  await credentials.vault.create('a long passphrase')
  const store = openSignIn(directory, () => clock.now)

  /** @param diesAt the number of the write before which it dies */
  function process(diesAt = Number.POSITIVE_INFINITY): { signIn: SignIn; steps: () => number } {
    let steps = 0
    const step = async <R>(work: () => Promise<R>): Promise<R> => {
      steps += 1
      if (steps >= diesAt) throw new Crash(`at write ${diesAt}`)
      return work()
    }
    const own = credentials.ownOnly()
    const ports: KeepingPorts & SignInPorts = {
      store: { ...store, update: (change) => step(() => store.update(change)) },
      credentials: {
        read: (owner, place) => own.read(owner, place),
        placeFor: (owner, from) => own.placeFor(owner, from),
        write: (owner, keys, from) => step(() => own.write(owner, keys, from)),
        remove: (owner, place) => step(() => own.remove(owner, place)),
      },
      now: () => clock.now,
      delay: () => clock.delay(),
      openProvider: provider.open,
    }
    return { signIn: new SignIn(ports), steps: () => steps }
  }

  /** Everything that has a token in it. */
  const secrets = (): string[] => [
    ...readdirSync(directory).filter((name) => name.startsWith('keys-')),
    ...credentials.vault.accounts().map((name) => `vault: ${name}`),
    ...[...entries.entries.keys()].map((name) => `keychain: ${name}`),
  ]
  return { directory, clock, provider, store, process, secrets, credentials }
}

const login = (signIn: SignIn, source: Source, issuer = 'https://id.example.com') =>
  signIn.login({ issuer, clientId: 'hookline', source, signal: never, onCode: () => {} })

describe.each(SOURCES)('tokens in the %s', (source) => {
  it('are there alone: nothing of them is in another file, and nothing is left when they go', async () => {
    const { directory, process, secrets } = await stage()
    const { signIn } = process()
    await login(signIn, source)
    expect(secrets()).toHaveLength(1)
    expect(await signIn.token(never)).toBe('id-token-1')
    const texts = readdirSync(directory).map((name) => readFileSync(`${directory}/${name}`, 'utf8'))
    expect(texts.filter((text) => /id-token|refresh-/.test(text))).toHaveLength(source === 'file' ? 1 : 0)
    await signIn.logout(never)
    expect(secrets()).toEqual([])
  })

  it('of the sign-in before are ended at the provider by a new one', async () => {
    const { process, provider } = await stage()
    const { signIn } = process()
    await login(signIn, source)
    expect(provider.asked.filter((each) => each.startsWith('revoke'))).toEqual([])
    await login(signIn, source)
    expect(provider.asked.filter((each) => each.startsWith('revoke'))).toEqual(['revoke refresh-1'])
    await signIn.logout(never)
    expect(provider.asked.filter((each) => each.startsWith('revoke'))).toHaveLength(2)
  })

  it('survive a crash at any write of a renewal: the old count, or the new', async () => {
    for (let diesAt = 1; ; diesAt += 1) {
      const { clock, process, store, secrets, provider } = await stage()
      await login(process().signIn, source)
      const before = store.read()
      clock.now += 2 * HOUR_MS
      const dying = process(diesAt)
      const outcome = await dying.signIn.token(never).catch((error: unknown) => error)
      const after = store.read()
      if (!(outcome instanceof Crash)) {
        expect(outcome).toBe('id-token-2')
        expect(diesAt).toBeGreaterThan(4)
        return
      }
      const isOld = after?.id === before?.id
      // What is named can be read, whichever it is.
      if (!isOld) expect(await process().signIn.token(never)).toBe('id-token-2')
      else if (provider.asked.includes('renew refresh-1')) {
        // The provider has used the old one up, and the new one died with the process.
        await expect(process().signIn.token(never)).rejects.toMatchObject({ code: 'sign-in-ended' })
      } else expect(await process().signIn.token(never)).toBe('id-token-2')
      await login(process().signIn, source)
      // An entry of a keychain has no name before it is made.
      expect(secrets().length).toBeLessThanOrEqual(source === 'keychain' && isOld ? 2 : 1)
    }
  })

  it('survive a crash at any write of another login, and of a logout', async () => {
    for (let diesAt = 1; ; diesAt += 1) {
      const { process, store, secrets } = await stage()
      await login(process().signIn, source)
      const outcome = await login(process(diesAt).signIn, source, 'https://two.example.com').catch(
        (error: unknown) => error,
      )
      const isOver = !(outcome instanceof Crash)
      const token = await process().signIn.token(never)
      expect(token).toBe(store.read()?.issuer === 'https://two.example.com' ? 'id-token-2' : 'id-token-1')
      const out = await process(diesAt)
        .signIn.logout(never)
        .catch((error: unknown) => error)
      if (out instanceof Crash) await process().signIn.logout(never)
      expect(store.read()).toBeUndefined()
      expect(secrets().length).toBeLessThanOrEqual(source === 'keychain' ? 1 : 0)
      if (isOver && !(out instanceof Crash)) return
    }
  })
})

describe('a token', () => {
  it('serves as it is while it lasts, and is renewed a minute before it runs out', async () => {
    const { clock, process, provider } = await stage()
    const { signIn } = process()
    await login(signIn, 'file')
    clock.now += HOUR_MS - 61_000
    expect(await signIn.token(never)).toBe('id-token-1')
    clock.now += 2_000
    expect(await signIn.token(never)).toBe('id-token-2')
    expect(provider.asked.filter((each) => each.startsWith('renew'))).toEqual(['renew refresh-1'])
  })

  it('that cannot be renewed ends the sign-in when it runs out', async () => {
    const { clock, process, store } = await stage({ isRenewable: false })
    const { signIn } = process()
    await login(signIn, 'file')
    expect(store.email()).toBe('ana@example.com')
    clock.now += HOUR_MS
    expect(store.email()).toBe('')
    expect(await signIn.token(never)).toBeUndefined()
    expect(await signIn.logout(never)).toMatchObject({ provider: 'not-needed' })
  })

  it('that is wrong in a renewal is not used, and the refresh token that came with it is kept all the same', async () => {
    const { clock, process, provider, store } = await stage()
    const { signIn } = process()
    await login(signIn, 'file')
    clock.now += 2 * HOUR_MS
    const problem = new SignInError('clock-skew', 'the clock of this machine is 5 min behind that of id.example.com')
    provider.answers.renew = async () => ({ refreshToken: 'refresh-9', problem })
    await expect(signIn.token(never)).rejects.toBe(problem)
    delete provider.answers.renew
    expect(await signIn.token(never)).toBe('id-token-2')
    expect(provider.asked.at(-1)).toBe('renew refresh-9')
    expect(store.email()).toBe('ana@example.com')
  })

  it('that the provider does not send with a renewal is missed, and nothing else', async () => {
    const { clock, process, provider, store } = await stage()
    const { signIn } = process()
    await login(signIn, 'file')
    clock.now += 2 * HOUR_MS
    provider.answers.renew = async () => ({ refreshToken: 'refresh-9' })
    expect(await signIn.token(never)).toBeUndefined()
    expect(store.email()).toBe('ana@example.com')
  })

  it('is not asked for when the vault is locked: the refresh token must not be used up for nothing', async () => {
    const { clock, process, provider, credentials } = await stage()
    const { signIn } = process()
    await login(signIn, 'vault')
    credentials.vault.lock()
    clock.now += 2 * HOUR_MS
    provider.asked.length = 0
    await expect(signIn.token(never)).rejects.toMatchObject({ code: 'vault-locked' })
    expect(provider.asked).toEqual([])
    // The file of the vault gives an entry up without its passphrase.
    expect(await signIn.logout(never)).toMatchObject({ provider: { error: { code: 'vault-locked' } } })
    expect(credentials.vault.accounts()).toEqual([])
  })

  it('is not asked for when nothing can be written', async () => {
    const { clock, process, provider } = await stage()
    await login(process().signIn, 'file')
    clock.now += 2 * HOUR_MS
    provider.asked.length = 0
    await expect(process(1).signIn.token(never)).rejects.toBeInstanceOf(Crash)
    expect(provider.asked).toEqual([])
  })

  it('is not renewed for a process that stops, and one that is being renewed is waited for', async () => {
    const { clock, process, provider } = await stage()
    const { signIn } = process()
    await login(signIn, 'file')
    clock.now += 2 * HOUR_MS
    provider.asked.length = 0
    expect(await signIn.token(AbortSignal.abort())).toBeUndefined()
    expect(provider.asked).toEqual([])
    let answer = (): void => {}
    provider.answers.renew = () =>
      new Promise((resolve) => {
        answer = () => resolve({ refreshToken: 'refresh-9' })
      })
    const renewal = signIn.token(never)
    await expect.poll(() => provider.asked.at(-1)).toBe('renew refresh-1')
    clock.delay = () => new Promise(() => {})
    const order: string[] = []
    const settled = signIn.settled(1).then(() => order.push('settled'))
    answer()
    await renewal.then(() => order.push('kept'))
    await settled
    expect(order).toEqual(['kept', 'settled'])
  })
})
