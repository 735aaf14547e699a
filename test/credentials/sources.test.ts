// The environment and the keychain as sources of keys, and how keys are called.
import { describe, expect, it } from 'vitest'
import { keychainInMemory } from '../../harness/credentials/keychain-in-memory.ts'
import { takeEnvironmentKeys } from '../../src/credentials/environment.ts'
import { Keychain, type KeychainPackage } from '../../src/credentials/keychain.ts'
import { CredentialsError, keysIn } from '../../src/credentials/keys.ts'

const MAIN = { name: 'main', exchange: 'okx' }
const KEYS = { apiKey: 'the-key', secret: 'the-secret' }

describe('the environment', () => {
  it('gives an account its own variables, and has none of them afterwards', () => {
    const env = {
      HOOKLINE_MAIN_API_KEY: 'k',
      HOOKLINE_MAIN_SECRET: 's\n',
      HOOKLINE_MAIN_PASSWORD: 'p',
      HOOKLINE_HL_WALLET_ADDRESS: '0xw',
      HOOKLINE_HL_PRIVATE_KEY: '0xp',
      HOOKLINE_VAULT_PASSPHRASE_FILE: '/x',
      HOOKLINE_CONFIG_DIR: '/y',
      SECRET: 'not ours',
    }
    const keys = takeEnvironmentKeys(env)
    expect(keys.read('main')).toEqual({ apiKey: 'k', secret: 's', password: 'p' })
    expect(keys.read('hl')).toEqual({ walletAddress: '0xw', privateKey: '0xp' })
    expect(env).toEqual({ HOOKLINE_VAULT_PASSPHRASE_FILE: '/x', HOOKLINE_CONFIG_DIR: '/y', SECRET: 'not ours' })
  })

  it('has no keys for an account whose name begins with that of another', () => {
    const keys = takeEnvironmentKeys({ HOOKLINE_MAIN_API_KEY: 'k', HOOKLINE_MAIN_SECRET: 's' })
    for (const name of ['mai', 'main_', 'main_api', 'ma']) {
      expect(() => keys.read(name)).toThrow(expect.objectContaining({ code: 'missing-keys' }))
    }
  })

  it('refuses a name with -, which would share its variables with one with _', () => {
    const keys = takeEnvironmentKeys({ HOOKLINE_A_B_API_KEY: 'k', HOOKLINE_A_B_SECRET: 's' })
    expect(keys.read('a_b')).toEqual({ apiKey: 'k', secret: 's' })
    expect(() => keys.read('a-b')).toThrow(expect.objectContaining({ code: 'unsuitable-source' }))
  })
})

describe('keys', () => {
  it('are called as the venue library calls them', () => {
    expect(keysIn({ apiKey: 'k', apiSecret: 's', passphrase: 'p', uid: 12, name: 'x', token: '' })).toEqual({
      apiKey: 'k',
      secret: 's',
      password: 'p',
      uid: '12',
    })
    expect(keysIn({ secret: 'own', apiSecret: 'other' })).toEqual({ secret: 'own' })
  })
})

describe('the keychain', () => {
  it('keeps keys under a place of their own, gives them back and removes them', async () => {
    const packaged = keychainInMemory()
    const keychain = new Keychain(async () => packaged)
    const [one, other] = [await keychain.write(MAIN, KEYS), await keychain.write(MAIN, { ...KEYS, secret: 'x' })]
    expect(one).not.toBe(other)
    expect(await keychain.read(MAIN, one)).toEqual(KEYS)
    expect(await keychain.remove(one)).toBe(true)
    await expect(keychain.read(MAIN, one)).rejects.toMatchObject({ code: 'missing-keys' })
    expect(packaged.entries.size).toBe(1)
  })

  it('leaves nothing of its test behind', async () => {
    const packaged = keychainInMemory()
    await new Keychain(async () => packaged).test()
    expect(packaged.entries.size).toBe(0)
  })

  it('gives the keys of one account to no other account or venue', async () => {
    const keychain = new Keychain(async () => keychainInMemory())
    const packaged = keychainInMemory()
    const shared = new Keychain(async () => packaged)
    const place = await shared.write(MAIN, KEYS)
    await expect(shared.read({ ...MAIN, exchange: 'bybit' }, place)).rejects.toMatchObject({ code: 'bad-keys' })
    await expect(shared.read({ ...MAIN, name: 'other' }, place)).rejects.toMatchObject({ code: 'bad-keys' })
    await expect(keychain.read(MAIN, undefined)).rejects.toMatchObject({ code: 'missing-keys' })
  })

  const failing = (fail: () => never): KeychainPackage => ({
    AsyncEntry: class {
      setPassword = async () => fail()
      getPassword = async () => fail()
      deletePassword = async () => fail()
    },
  })
  const forgetful: KeychainPackage = {
    AsyncEntry: class {
      setPassword = async () => {}
      getPassword = async () => null
      deletePassword = async () => false
    },
  }
  const denied = (): never => {
    throw new Error('Couldn\'t access platform secure storage: Zbus error for "the-secret"')
  }

  it.each([
    ['that is not installed', () => Promise.reject(new Error('Cannot find module')), /is not installed$/],
    ['that the system denies', async () => failing(denied), /gives no access to it$/],
    ['that forgets', async () => forgetful, /does not give back what was stored$/],
  ])('%s is one line with another way, and names no secret', async (_what, load, says) => {
    const error = await new Keychain(load).write(MAIN, KEYS).catch((each: unknown) => each)
    expect(error).toBeInstanceOf(CredentialsError)
    expect(error).toMatchObject({ code: 'keychain-unavailable', message: expect.stringMatching(says) })
    const { message, hint } = error as CredentialsError
    expect(`${message} ${hint}`).not.toContain('the-secret')
    expect(hint).toMatch(/keep the keys in the vault/)
  })
})
