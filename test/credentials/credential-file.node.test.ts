// Keys in files, and the passphrase in one (behaviour 21): what others may write, read or have put there is not used.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { canBeAnotherUser } from '../../harness/process/other-user.ts'
import { FileKeys, passphraseFile } from '../../src/credentials/credential-file.ts'
import { CredentialsError } from '../../src/credentials/keys.ts'

const MAIN = { name: 'main', exchange: 'okx' }
const KEYS = { apiKey: 'the-key', secret: 'the-secret' }
const NOBODY = 65_534

/** As systemd hands credentials over: a directory of the service's own, files without a right to write. */
function handedOver(files: Readonly<Record<string, string>>) {
  const credentialsDirectory = tempDirectory()
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(credentialsDirectory, name), text)
    chmodSync(join(credentialsDirectory, name), 0o440)
  }
  chmodSync(credentialsDirectory, 0o500)
  return { files: new FileKeys({ directory: tempDirectory(), credentialsDirectory }), credentialsDirectory }
}

describe('systemd credentials', () => {
  test('give an account its own file', () => {
    const { files } = handedOver({
      'hookline-main.json': JSON.stringify(KEYS),
      'hookline-other.json': '{"apiKey":"o"}',
    })
    expect(files.read(MAIN, undefined)).toEqual(KEYS)
    expect(() => files.read({ ...MAIN, name: 'third' }, undefined)).toThrow(
      expect.objectContaining({ code: 'missing-keys' }),
    )
  })

  test('of another venue are refused', () => {
    const { files } = handedOver({ 'hookline-main.json': JSON.stringify({ ...KEYS, venue: 'bybit' }) })
    expect(() => files.read(MAIN, undefined)).toThrow(/has keys of another venue than okx$/)
  })

  test.each(['', '[]', 'null', '"the-secret"', '{"apiKey":"the-secret"', '{"apiKey":""}'])(
    '%j are refused, and not quoted',
    (text) => {
      const { files } = handedOver({ 'hookline-main.json': text })
      const read = () => files.read(MAIN, undefined)
      expect(read).toThrow(CredentialsError)
      expect(read).not.toThrow('the-secret')
    },
  )

  test('have the passphrase of the vault too, without the newline at its end', () => {
    const { credentialsDirectory } = handedOver({ 'hookline-vault': 'two words \n' })
    expect(passphraseFile({ CREDENTIALS_DIRECTORY: credentialsDirectory })()).toBe('two words ')
    expect(passphraseFile({ CREDENTIALS_DIRECTORY: tempDirectory() })()).toBeUndefined()
    expect(passphraseFile({})()).toBeUndefined()
  })

  test('give way to the file that is named, which must be there', () => {
    const { credentialsDirectory } = handedOver({ 'hookline-vault': 'two words' })
    const named = passphraseFile({
      CREDENTIALS_DIRECTORY: credentialsDirectory,
      HOOKLINE_VAULT_PASSPHRASE_FILE: '/nowhere/file',
    })
    expect(named).toThrow(expect.objectContaining({ code: 'missing-keys' }))
  })
})

describe('a file with keys', () => {
  const asAnother = canBeAnotherUser ? test : test.skip

  function refused(prepare: (path: string) => void): CredentialsError {
    const path = join(tempDirectory(), 'keys.json')
    prepare(path)
    try {
      new FileKeys({ directory: tempDirectory(), credentialsDirectory: undefined }).read(MAIN, path)
    } catch (error) {
      if (error instanceof CredentialsError) return error
      throw error
    }
    throw new Error('it was read')
  }

  const write = (mode: number) => (path: string) => {
    writeFileSync(path, JSON.stringify(KEYS))
    chmodSync(path, mode)
  }

  test.each<[string, RegExp, (path: string) => void]>([
    ['that all may read', /may be read by other users$/, write(0o604)],
    ['that its group may write to', /may be written by other users$/, write(0o660)],
    ['that is a FIFO', /is not a regular file$/, (path) => execFileSync('mkfifo', ['-m', '600', path])],
    ['that is a device', /is not a regular file|links out/, (path) => symlinkSync('/dev/zero', path)],
    ['that is a directory', /is not a regular file$/, (path) => mkdirSync(path)],
    ['that is too large', /is too large$/, (path) => writeFileSync(path, Buffer.alloc(70_000), { mode: 0o600 })],
  ])('%s is refused, with what to do', (_what, says, prepare) => {
    const error = refused(prepare)
    expect(error.code).toBe('bad-keys')
    expect(error.message).toMatch(says)
    expect(error.hint).toBeDefined()
  })

  test('that links elsewhere is refused', () => {
    const target = join(tempDirectory(), 'target.json')
    write(0o600)(target)
    expect(refused((path) => symlinkSync(target, path)).message).toMatch(/links out of its directory$/)
  })

  asAnother('of another user is refused, also for root', () => {
    const error = refused((path) => {
      write(0o600)(path)
      chownSync(path, NOBODY, NOBODY)
    })
    expect(error.message).toMatch(/belongs to another user$/)
  })

  test('is named by its whole path', () => {
    const files = new FileKeys({ directory: tempDirectory(), credentialsDirectory: undefined })
    expect(() => files.read(MAIN, 'keys.json')).toThrow(/is not absolute$/)
    expect(() => files.read(MAIN, undefined)).toThrow(expect.objectContaining({ code: 'missing-keys' }))
  })

  test('that hookline makes is its own: 0600, never over another, and removed with the account', async () => {
    const directory = tempDirectory()
    const files = new FileKeys({ directory, credentialsDirectory: undefined })
    const path = await files.write(MAIN, KEYS)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(files.read(MAIN, path)).toEqual(KEYS)
    await expect(files.write(MAIN, KEYS)).rejects.toMatchObject({ code: 'unsuitable-source' })
    const other = join(directory, 'theirs.json')
    write(0o600)(other)
    expect(await files.remove('main', other)).toBe(false)
    expect(await files.remove('main', path)).toBe(true)
    expect([existsSync(other), existsSync(path)]).toEqual([true, false])
  })
})
