// Keys that are not typed, or not kept in the vault.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keychainInMemory } from '../../harness/credentials/keychain-in-memory.ts'
import { Keychain } from '../../src/credentials/keychain.ts'
import { holders, KEY, PASSPHRASE, SECRET, staged } from './adding-accounts.ts'

describe('keys that are there already', () => {
  it('in the environment are asked of nobody, checked, and stay there', async () => {
    const { session, asked, tried } = await staged([], {
      env: { HOOKLINE_MAIN_API_KEY: KEY, HOOKLINE_MAIN_SECRET: SECRET },
    })
    expect((await session.run('account add main binance --keys environment')).slice(-2)).toEqual([
      'info its keys are read from the environment, at each start',
      'success added account main on binance spot; `account use main` trades on it',
    ])
    expect(asked).toEqual([])
    expect(tried[0]?.keys).toEqual({ apiKey: KEY, secret: SECRET })
    expect(session.ports.accounts.find('main')).toMatchObject({ credentials: { from: 'environment' } })
    expect(holders(session)).toEqual([])
  })

  it('only in part are refused', async () => {
    const { session } = await staged([], { env: { HOOKLINE_MAIN_API_KEY: KEY } })
    expect(await session.run('account add main binance --keys environment')).toEqual([
      'error no-credentials: the environment has no `secret`, which binance requires | add it there',
    ])
  })
})

describe('the keychain', () => {
  const broken = new Keychain(() => Promise.reject(new Error('Cannot find module')))

  it('keeps keys where it passes its test', async () => {
    const packaged = keychainInMemory()
    const { session } = await staged([KEY, SECRET], { keychain: new Keychain(async () => packaged) })
    expect((await session.run('account add main binance --keys keychain')).slice(-2)).toEqual([
      "info its keys are in the system's keychain",
      'success added account main on binance spot; `account use main` trades on it',
    ])
    expect([...packaged.entries.values()]).toEqual([expect.stringContaining(SECRET)])
    expect(holders(session)).toEqual([])
  })

  it('that does not work is refused before a key is asked for, with the next best', async () => {
    const { session, asked } = await staged([], { keychain: broken })
    expect(await session.run('account add main binance --keys keychain')).toEqual([
      expect.stringMatching(/^error keychain-unavailable: no keychain can be used: .* \| .*the vault/),
    ])
    expect(asked).toEqual([])
  })

  it('that does not work takes no keys out of the vault', async () => {
    const { session, asked } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET], { keychain: broken })
    await session.run('account add main binance')
    session.ports.credentials.vault.lock()
    const before = asked.length
    expect(await session.run('account keys main --to keychain')).toEqual([
      expect.stringMatching(/^error keychain-unavailable: /),
    ])
    expect(asked.length).toBe(before)
    expect(session.ports.accounts.find('main')).toMatchObject({ credentials: { from: 'vault' } })
  })
})

describe('a file with keys that a crash has left', () => {
  async function withLeft(text: string) {
    const { session } = await staged([PASSPHRASE, PASSPHRASE, KEY, SECRET])
    await session.run('account add main binance')
    const path = join(session.directory, 'keys-main.json')
    writeFileSync(path, text, { mode: 0o600 })
    return { session, path }
  }

  it('is erased by the move that it cut short', async () => {
    const { session, path } = await withLeft(JSON.stringify({ venue: 'binance', apiKey: KEY, secret: SECRET }))
    expect(await session.run('account keys main --to vault')).toEqual([
      `success erased ${path}`,
      expect.stringMatching(/^info main: .*already$/),
    ])
    expect(existsSync(path)).toBe(false)
    expect(holders(session)).toEqual([])
  })

  it.each(['', '{"apiKey":"'])('is erased where it was never finished: %j', async (text) => {
    const { session, path } = await withLeft(text)
    await session.run('account keys main --to vault')
    expect(existsSync(path)).toBe(false)
  })

  it('stays where it has other keys', async () => {
    const { session, path } = await withLeft(JSON.stringify({ venue: 'binance', apiKey: KEY, secret: 'another' }))
    expect(await session.run('account keys main --to vault')).toContain(
      `warn ${path} has other keys than those: remove it yourself`,
    )
    expect(existsSync(path)).toBe(true)
  })
})
