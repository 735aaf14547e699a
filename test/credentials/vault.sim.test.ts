// The vault as properties: what goes in comes out, and nothing else does.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { CredentialsError, type Keys } from '../../src/credentials/keys.ts'
import { seal, unseal, Vault } from '../../src/credentials/vault.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const PASSPHRASE = 'correct horse battery'
const KEYS: Keys = { apiKey: 'the-api-key', secret: 'the-secret', password: 'words' }

function vaultIn(directory: string, passphrase?: () => string | undefined) {
  const clock = { now: 1_000 }
  const tries: string[] = []
  const vault = new Vault({
    file: openVaultFile(directory),
    now: () => clock.now,
    passphrase: passphrase ?? (() => undefined),
    deriveKey: (typed, salt) => {
      tries.push(typed)
      return quickKey(typed, salt)
    },
  })
  return { vault, clock, tries, path: join(directory, 'vault.json') }
}

async function filled() {
  const directory = tempDirectory()
  const { vault, path } = vaultIn(directory)
  await vault.create(PASSPHRASE)
  await vault.write('main', 'binance', KEYS)
  return { directory, vault, path }
}

/** What a new process reads of an account. */
async function readAnew(directory: string, account = 'main', venue = 'binance'): Promise<Keys> {
  const { vault } = vaultIn(directory)
  await vault.unlock(PASSPHRASE)
  return vault.read(account, venue)
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof CredentialsError || error instanceof StoreError) return error.code
      throw error
    },
  )
}

describe('what is sealed', () => {
  const texts = fc.string({ unit: 'binary' })
  const owners = fc.array(fc.oneof(fc.string(), fc.nat()), { maxLength: 4 })
  const key = Buffer.alloc(32, 7)

  it('comes out as it went in, for any text and owner', () => {
    fc.assert(
      fc.property(texts, owners, (text, owner) => {
        expect(unseal(key, seal(key, text, owner), owner)).toBe(text)
      }),
    )
  })

  it('does not come out for another owner, however alike they read', () => {
    fc.assert(
      fc.property(texts, owners, owners, (text, owner, other) => {
        fc.pre(JSON.stringify(owner) !== JSON.stringify(other))
        expect(unseal(key, seal(key, text, owner), other)).toBeUndefined()
      }),
    )
    expect(unseal(key, seal(key, 'x', ['a', 'bc']), ['ab', 'c'])).toBeUndefined()
  })

  it('never uses a nonce twice', () => {
    const nonces = Array.from({ length: 2_000 }, () => seal(key, 'x', []).nonce)
    expect(new Set(nonces).size).toBe(2_000)
  })
})

describe('the vault', () => {
  it('gives back the keys of each account and venue, in another process too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1, unit: 'binary' }), { maxKeys: 5 }),
        async (secrets) => {
          const directory = tempDirectory()
          const { vault } = vaultIn(directory)
          await vault.create(PASSPHRASE)
          for (const [account, secret] of Object.entries(secrets)) await vault.write(account, 'okx', { secret })
          const again = vaultIn(directory).vault
          await again.unlock(PASSPHRASE)
          for (const [account, secret] of Object.entries(secrets)) {
            expect(await again.read(account, 'okx')).toEqual({ secret })
          }
        },
      ),
      { numRuns: 20 },
    )
  })

  it('holds nothing that can be read without the passphrase', async () => {
    const { path } = await filled()
    const text = readFileSync(path, 'latin1')
    for (const secret of Object.values(KEYS)) expect(text).not.toContain(secret)
    expect(text).not.toContain(PASSPHRASE)
  })

  it('refuses, or does not mind, every change of every byte, and never gives other keys', async () => {
    const { directory, path } = await filled()
    const sound = readFileSync(path)
    const seen = new Set<string>()
    for (let at = 0; at < sound.length; at += 1) {
      const bytes = Buffer.from(sound)
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 + (at % 255)), at)
      writeFileSync(path, bytes)
      const keys = await readAnew(directory).catch((error: unknown) => error)
      if (keys instanceof Error) seen.add((keys as CredentialsError | StoreError).code)
      else expect(keys).toEqual(KEYS)
      expect(keys instanceof Error ? [CredentialsError, StoreError] : [Object]).toContain((keys as object).constructor)
    }
    expect([...seen].sort()).toEqual(['missing-keys', 'store-corrupt', 'vault-damaged', 'wrong-passphrase'])
  })

  it('tells a wrong passphrase from an entry that was changed', async () => {
    const { directory, path } = await filled()
    const { vault } = vaultIn(directory)
    expect(await codeOf(vault.unlock('another horse'))).toBe('wrong-passphrase')
    expect(vault.state()).toBe('locked')
    const content = JSON.parse(readFileSync(path, 'utf8'))
    content.entries[0].data = content.entries[0].data.replace(/^./, (digit: string) => (digit === '0' ? '1' : '0'))
    writeFileSync(path, JSON.stringify(content))
    expect(await codeOf(readAnew(directory))).toBe('vault-damaged')
  })

  it.each([
    ['another account', { account: 'other' }, 'other', 'binance'],
    ['another venue', { venue: 'okx' }, 'main', 'okx'],
    ['another time', { updatedAt: 999 }, 'main', 'binance'],
  ])('refuses an entry that was put under %s', async (_what, change, account, venue) => {
    const { directory, path } = await filled()
    const content = JSON.parse(readFileSync(path, 'utf8'))
    content.entries = [{ ...content.entries[0], ...change }]
    writeFileSync(path, JSON.stringify(content))
    expect(await codeOf(readAnew(directory, account, venue))).toBe('vault-damaged')
  })

  it('refuses the entries of another vault with the same passphrase', async () => {
    const [one, other] = [await filled(), await filled()]
    const [content, foreign] = [one, other].map(({ path }) => JSON.parse(readFileSync(path, 'utf8')))
    writeFileSync(one.path, JSON.stringify({ ...content, entries: foreign.entries }))
    expect(await codeOf(readAnew(one.directory))).toBe('vault-damaged')
  })

  it('refuses at once while it is locked, and after it was locked', async () => {
    const { directory, vault } = await filled()
    const fresh = vaultIn(directory).vault
    expect(await codeOf(fresh.read('main', 'binance'))).toBe('vault-locked')
    expect(await codeOf(fresh.write('main', 'binance', KEYS))).toBe('vault-locked')
    vault.lock()
    expect(await codeOf(vault.read('main', 'binance'))).toBe('vault-locked')
  })

  it('lets an entry be removed while it is locked', async () => {
    const { directory } = await filled()
    const { vault } = vaultIn(directory)
    expect(await vault.remove('main', 'okx')).toBe(false)
    expect(await vault.remove('main', 'binance')).toBe(true)
    expect(await codeOf(readAnew(directory))).toBe('missing-keys')
  })

  it('is never made over one that is there, nor over a file that cannot be read', async () => {
    const { directory, path } = await filled()
    const before = readFileSync(path)
    expect(await codeOf(vaultIn(directory).vault.create('some other words'))).toBe('vault-exists')
    expect(readFileSync(path)).toEqual(before)
    writeFileSync(path, '{')
    const { vault } = vaultIn(directory)
    expect(() => vault.state()).toThrow(StoreError)
    expect(await codeOf(vault.create('some other words'))).toBe('store-corrupt')
    expect(readFileSync(path, 'utf8')).toBe('{')
  })

  it('takes no passphrase of less than 8 characters', async () => {
    const { vault } = vaultIn(tempDirectory())
    expect(await codeOf(vault.create('seven77'))).toBe('weak-passphrase')
    expect(vault.state()).toBe('absent')
  })
})

describe('another passphrase', () => {
  it('opens everything, and the one before opens nothing', async () => {
    const { directory, vault } = await filled()
    await vault.write('second', 'okx', { apiKey: 'k', secret: 's' })
    await vault.change(PASSPHRASE, 'the new passphrase')
    expect(await vault.read('main', 'binance')).toEqual(KEYS)
    const again = vaultIn(directory).vault
    expect(await codeOf(again.unlock(PASSPHRASE))).toBe('wrong-passphrase')
    await again.unlock('the new passphrase')
    expect(await again.read('second', 'okx')).toEqual({ apiKey: 'k', secret: 's' })
  })

  it('is refused, and nothing is written, for a wrong one before and for an entry that cannot be read', async () => {
    const { vault, path } = await filled()
    const before = readFileSync(path)
    expect(await codeOf(vault.change('wrong passphrase', 'the new passphrase'))).toBe('wrong-passphrase')
    expect(await codeOf(vault.change(PASSPHRASE, 'short'))).toBe('weak-passphrase')
    expect(readFileSync(path)).toEqual(before)
    const content = JSON.parse(before.toString())
    writeFileSync(path, JSON.stringify({ ...content, entries: [{ ...content.entries[0], account: 'moved' }] }))
    const damaged = readFileSync(path)
    expect(await codeOf(vault.change(PASSPHRASE, 'the new passphrase'))).toBe('vault-damaged')
    expect(readFileSync(path)).toEqual(damaged)
  })

  it('locks the vault for processes that have the one before, which say so and write nothing', async () => {
    const { directory, vault, path } = await filled()
    const other = vaultIn(directory).vault
    await other.unlock(PASSPHRASE)
    await vault.change(PASSPHRASE, 'the new passphrase')
    const after = readFileSync(path)
    expect(other.state()).toBe('locked')
    await expect(other.read('main', 'binance')).rejects.toThrow('another process changed the passphrase')
    expect(await codeOf(other.write('main', 'binance', KEYS))).toBe('vault-locked')
    expect(readFileSync(path)).toEqual(after)
  })
})

describe('a passphrase in a file', () => {
  it('opens the vault at the first question, once for all that ask together', async () => {
    const { directory } = await filled()
    const { vault, tries } = vaultIn(directory, () => PASSPHRASE)
    const answers = await Promise.all(Array.from({ length: 5 }, () => vault.read('main', 'binance')))
    expect(answers).toEqual(Array.from({ length: 5 }, () => KEYS))
    expect(tries).toEqual([PASSPHRASE])
  })

  it('that is wrong is tried once in ten seconds, however many ask', async () => {
    const { directory } = await filled()
    const { vault, clock, tries } = vaultIn(directory, () => 'not the passphrase')
    for (let fires = 0; fires < 20; fires += 1)
      expect(await codeOf(vault.read('main', 'binance'))).toBe('wrong-passphrase')
    expect(tries).toHaveLength(1)
    clock.now += 10_000
    expect(await codeOf(vault.read('main', 'binance'))).toBe('wrong-passphrase')
    expect(tries).toHaveLength(2)
  })

  it('does not open a vault that a person has locked', async () => {
    const { directory } = await filled()
    const { vault } = vaultIn(directory, () => PASSPHRASE)
    await vault.read('main', 'binance')
    vault.lock()
    expect(await codeOf(vault.read('main', 'binance'))).toBe('vault-locked')
    await vault.unlock(PASSPHRASE)
    expect(await vault.read('main', 'binance')).toEqual(KEYS)
  })

  it('leaves the vault locked when a person locks it while its key is being made', async () => {
    const { directory } = await filled()
    const { vault } = vaultIn(directory, () => PASSPHRASE)
    const reading = codeOf(vault.read('main', 'binance'))
    vault.lock()
    expect(await reading).toBe('vault-locked')
    expect([vault.state(), await codeOf(vault.read('main', 'binance'))]).toEqual(['locked', 'vault-locked'])
    await vault.unlock(PASSPHRASE)
    expect(await vault.read('main', 'binance')).toEqual(KEYS)
  })

  it.each<[string, (vault: Vault) => Promise<unknown>]>([
    ['unlock', (vault) => vault.unlock(PASSPHRASE)],
    ['change', (vault) => vault.change(PASSPHRASE, 'the new passphrase')],
  ])('and so does `vault %s`', async (_form, work) => {
    const { directory } = await filled()
    const { vault } = vaultIn(directory)
    const working = codeOf(work(vault))
    vault.lock()
    expect([await working, vault.state()]).toEqual(['vault-locked', 'locked'])
  })
})

describe('a vault that one process locks', () => {
  async function two(passphrase?: () => string) {
    const { directory, vault } = await filled()
    const other = vaultIn(directory, passphrase).vault
    await other.unlock(PASSPHRASE)
    return { directory, vault, other }
  }

  it('is locked in every other, which forget their keys and say so once', async () => {
    const { vault, other } = await two()
    expect([other.noticeLock(), other.state()]).toEqual([false, 'unlocked'])
    await vault.lockEverywhere()
    expect([other.state(), await codeOf(other.read('main', 'binance'))]).toEqual(['locked', 'vault-locked'])
    expect([other.noticeLock(), other.noticeLock()]).toEqual([true, false])
    expect(await codeOf(other.write('more', 'okx', KEYS))).toBe('vault-locked')
    expect(() => other.requireHeld()).toThrow(/locked/)
  })

  it('is locked in one that slept until it was unlocked again', async () => {
    const { vault, other } = await two()
    await vault.lockEverywhere()
    await vault.unlock(PASSPHRASE)
    expect([vault.state(), other.state(), other.noticeLock()]).toEqual(['unlocked', 'locked', true])
    expect(() => other.requireHeld()).toThrow(/locked/)
    expect(() => vault.requireHeld()).not.toThrow()
    await other.unlock(PASSPHRASE)
    expect(await other.read('main', 'binance')).toEqual(KEYS)
  })

  it('is opened by no file, of a process that begins later either, until a person unlocks it anywhere', async () => {
    const { directory, vault, other } = await two(() => PASSPHRASE)
    await vault.lockEverywhere()
    const later = vaultIn(directory, () => PASSPHRASE).vault
    for (const each of [other, later]) {
      expect([each.mayOpenByFile(), await codeOf(each.read('main', 'binance'))]).toEqual([false, 'vault-locked'])
    }
    await vault.unlock(PASSPHRASE)
    for (const each of [other, later]) expect(await each.read('main', 'binance')).toEqual(KEYS)
  })

  it('stays locked for a passphrase that was given before it was', async () => {
    const { vault, other } = await two()
    const working = codeOf(other.change(PASSPHRASE, 'the new passphrase'))
    await vault.lockEverywhere()
    await working
    expect([vault.state(), other.state()]).toEqual(['locked', 'locked'])
  })

  it('locks nothing where its file cannot be read: what is open may still be closed', async () => {
    const { directory, other } = await two()
    writeFileSync(join(directory, 'vault.json'), '{')
    expect(other.noticeLock()).toBe(false)
    expect(() => other.requireHeld()).not.toThrow()
  })
})
