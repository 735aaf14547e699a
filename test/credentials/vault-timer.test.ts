// A vault that is opened for a while.
import { describe, expect, it } from 'vitest'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { Vault } from '../../src/credentials/vault.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const PASSPHRASE = 'correct horse battery'

/** Its timer fires when a test says so. */
async function opened() {
  const timers: { readonly ms: number; readonly fire: () => void; stopped: boolean }[] = []
  const locked: string[] = []
  const vault = new Vault({
    file: openVaultFile(tempDirectory()),
    now: () => 1_000,
    passphrase: () => PASSPHRASE,
    deriveKey: quickKey,
    after(ms, run) {
      const timer = { ms, stopped: false, fire: () => void (timer.stopped || run()) }
      timers.push(timer)
      return () => {
        timer.stopped = true
      }
    },
  })
  await vault.create(PASSPHRASE)
  await vault.write('main', 'binance', { apiKey: 'k', secret: 's' })
  return { vault, timers, locked, lockAfter: (ms: number) => vault.lockAfter(ms, () => void locked.push('locked')) }
}

describe('a vault that locks itself', () => {
  it('says when, locks then, and tells it once', async () => {
    const { vault, timers, locked, lockAfter } = await opened()
    lockAfter(60_000)
    expect([vault.locksAt(), timers[0]?.ms, vault.state()]).toEqual([61_000, 60_000, 'unlocked'])
    timers[0]?.fire()
    expect([vault.locksAt(), vault.state(), locked]).toEqual([undefined, 'locked', ['locked']])
    // Its time is over for the passphrase file, too.
    await expect(vault.read('main', 'binance')).rejects.toMatchObject({ code: 'vault-locked' })
  })

  it.each<[string, (vault: Vault) => Promise<void>, string]>([
    ['is unlocked again', (vault) => vault.unlock(PASSPHRASE), 'unlocked'],
    ['is locked by hand', async (vault) => vault.lock(), 'locked'],
    ['gets another passphrase', (vault) => vault.change(PASSPHRASE, 'the new passphrase'), 'unlocked'],
    ['gets another time', async (vault) => vault.lockAfter(5, () => {}), 'unlocked'],
  ])('forgets its time when it %s', async (_what, act, state) => {
    const { vault, timers, locked, lockAfter } = await opened()
    lockAfter(60_000)
    await act(vault)
    timers[0]?.fire()
    expect([vault.state(), locked]).toEqual([state, []])
  })

  it('is locked by a real timer, too, which keeps no process alive', async () => {
    const vault = new Vault({
      file: openVaultFile(tempDirectory()),
      now: Date.now,
      passphrase: () => undefined,
      deriveKey: quickKey,
    })
    await vault.create(PASSPHRASE)
    await new Promise<void>((resolve) => vault.lockAfter(1, resolve))
    expect(vault.state()).toBe('locked')
  })
})
