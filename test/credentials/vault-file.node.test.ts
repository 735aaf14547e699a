// `vault.json` on the disk (behaviour 21): what took its place is not used and not overwritten, and it is never half written.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { canBeAnotherUser } from '../../harness/process/other-user.ts'
import { Vault } from '../../src/credentials/vault.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'

const PASSPHRASE = 'correct horse battery'
const KEYS = { apiKey: 'the-key', secret: 'the-secret' }
const NOBODY = 65_534

function vaultIn(directory: string): Vault {
  return new Vault({
    file: openVaultFile(directory),
    now: Date.now,
    passphrase: () => undefined,
    deriveKey: quickKey,
  })
}

async function filled(): Promise<{ readonly directory: string; readonly path: string }> {
  const directory = tempDirectory()
  const vault = vaultIn(directory)
  await vault.create(PASSPHRASE)
  await vault.write('main', 'okx', KEYS)
  return { directory, path: join(directory, 'vault.json') }
}

describe('what took the place of the vault', () => {
  const ODD: readonly [string, (path: string) => void][] = [
    ['a FIFO', (path) => execFileSync('sh', ['-c', 'rm "$1" && mkfifo "$1"', 'sh', path])],
    ['a directory', (path) => execFileSync('sh', ['-c', 'rm "$1" && mkdir "$1"', 'sh', path])],
    [
      'a link out of the directory',
      (path) => {
        const elsewhere = join(tempDirectory(), 'vault.json')
        renameSync(path, elsewhere)
        symlinkSync(elsewhere, path)
      },
    ],
    ['a link to nothing', (path) => execFileSync('ln', ['-sf', 'nothing', path])],
    ['a file that others may write', (path) => chmodSync(path, 0o662)],
    ['a cut file', (path) => writeFileSync(path, readFileSync(path).subarray(0, 200))],
    ['an empty file', (path) => writeFileSync(path, '')],
    ['another JSON file', (path) => writeFileSync(path, '{"accounts":[]}')],
    ['a vault of a later version', (path) => writeFileSync(path, '{"version":99,"entries":[]}')],
  ]

  test.each(ODD)('%s is never "no vault yet": it is not read, and no new one is made over it', async (_what, put) => {
    const { directory, path } = await filled()
    put(path)
    const kind = () => [lstatSync(path).mode, lstatSync(path).ino]
    const before = kind()
    const vault = vaultIn(directory)
    expect(() => vault.state()).toThrow(StoreError)
    for (const attempt of [
      () => vault.create('another passphrase'),
      () => vault.unlock(PASSPHRASE),
      () => vault.read('main', 'okx'),
      () => vault.write('main', 'okx', KEYS),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(Error)
    }
    expect(kind()).toEqual(before)
  })

  test.skipIf(!canBeAnotherUser)('a file of another user is not read', async () => {
    const { directory, path } = await filled()
    // Root may read it, and must not believe it.
    chownSync(path, NOBODY, NOBODY)
    expect(() => vaultIn(directory).state()).toThrow(/belongs to another user/)
  })
})

describe('the vault on the disk', () => {
  test('is 0600 under any umask, after every write', async () => {
    const before = process.umask(0)
    try {
      const { directory, path } = await filled()
      expect(statSync(path).mode & 0o777).toBe(0o600)
      chmodSync(path, 0o644)
      const vault = vaultIn(directory)
      await vault.unlock(PASSPHRASE)
      await vault.write('other', 'okx', KEYS)
      expect(statSync(path).mode & 0o777).toBe(0o600)
    } finally {
      process.umask(before)
    }
  })

  test('is replaced as a whole: who has the old file open goes on reading the old one', async () => {
    const { directory, path } = await filled()
    const old = join(directory, 'kept')
    renameSync(path, old)
    copyFileSync(old, path)
    const inode = statSync(path).ino
    const vault = vaultIn(directory)
    await vault.unlock(PASSPHRASE)
    await vault.write('other', 'okx', KEYS)
    expect(statSync(path).ino).not.toBe(inode)
    expect(readdirSync(directory).sort()).toEqual(['kept', 'vault.json'])
  })
})
