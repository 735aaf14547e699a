// One vault and several processes: what their locks and files do, with a quick key.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type DeriveKey, Vault } from '../../src/credentials/vault.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'
import { bundleChild, runChild } from '../stores/child-program.ts'

const ACCOUNTS = ['a', 'b', 'c', 'd']

function open(directory: string, derived: { readonly deriveKey?: DeriveKey } = { deriveKey: quickKey }): Vault {
  return new Vault({ file: openVaultFile(directory), now: Date.now, passphrase: () => undefined, ...derived })
}

/** Does what it is told, and prints the codes of what was refused. */
const program = `
  import { Vault } from '../credentials/vault.ts'
  import { quickKey as deriveKey } from '../../harness/credentials/quick-key.ts'
  import { openVaultFile } from './vault-file.ts'
  const [directory, ...deeds] = process.argv.slice(2)
  const vault = new Vault({ file: openVaultFile(directory), now: Date.now, passphrase: () => undefined, deriveKey })
  async function main() {
    const codes = []
    for (const deed of deeds) {
      const [name, ...args] = JSON.parse(deed)
      try { await vault[name](...args); codes.push('done') } catch (error) { codes.push(error.code ?? String(error)) }
    }
    process.stdout.write(JSON.stringify(codes))
  }
  void main()
`

async function bundled() {
  const directory = tempDirectory()
  const child = await bundleChild(tempDirectory(), program)
  const run = async (...deeds: readonly (readonly unknown[])[]): Promise<string[]> =>
    JSON.parse(await runChild(child, [directory, ...deeds.map((deed) => JSON.stringify(deed))]))
  return { directory, run }
}

test('of processes that make the vault together one does, and its passphrase alone opens it', async () => {
  const { directory, run } = await bundled()
  const answers = await Promise.all(ACCOUNTS.map((name) => run(['create', `passphrase of ${name}`])))
  expect(answers.flat().sort()).toEqual(['done', 'vault-exists', 'vault-exists', 'vault-exists'])
  for (const [index, name] of ACCOUNTS.entries()) {
    const opens = await open(directory)
      .unlock(`passphrase of ${name}`)
      .then(
        () => true,
        () => false,
      )
    expect(opens).toBe(answers[index]?.[0] === 'done')
  }
}, 60_000)

test('while one process changes the passphrase, what others write is either kept or refused, never lost or unreadable', async () => {
  const { directory, run } = await bundled()
  const vault = open(directory)
  await vault.create('the first passphrase')
  await vault.write('kept', 'okx', { apiKey: 'k' })
  const [changes, ...writes] = await Promise.all([
    run(['change', 'the first passphrase', 'the second passphrase']),
    ...ACCOUNTS.map((name) =>
      run(
        ['unlock', 'the first passphrase'],
        ['write', name, 'okx', { apiKey: name }],
        ['write', `${name}2`, 'okx', { apiKey: name }],
      ),
    ),
  ])
  expect(changes).toEqual(['done'])
  const after = open(directory)
  await after.unlock('the second passphrase')
  expect(await after.read('kept', 'okx')).toEqual({ apiKey: 'k' })
  for (const [index, name] of ACCOUNTS.entries()) {
    for (const [at, account] of [name, `${name}2`].entries()) {
      const told = writes[index]?.[at + 1]
      const found = await after.read(account, 'okx').catch((error: { code: string }) => error.code)
      expect(found).toEqual(told === 'done' ? { apiKey: name } : 'missing-keys')
      expect(told).toMatch(/^(done|vault-locked)$/)
    }
  }
  expect(JSON.parse(readFileSync(join(directory, 'vault.json'), 'utf8')).kdf).toBe('scrypt N=131072 r=8 p=1')
}, 60_000)

test('of two that change the passphrase together one does, and everything stays readable', async () => {
  const { directory, run } = await bundled()
  const vault = open(directory)
  await vault.create('the first passphrase')
  await vault.write('kept', 'okx', { apiKey: 'k' })
  const answers = await Promise.all(
    ['x', 'y'].map((name) => run(['change', 'the first passphrase', `passphrase ${name}`])),
  )
  expect(answers.flat().sort()).toEqual([
    expect.stringMatching(/^done$/),
    expect.stringMatching(/^vault-locked|wrong-passphrase$/),
  ])
  const after = open(directory)
  await after.unlock(`passphrase ${answers[0]?.[0] === 'done' ? 'x' : 'y'}`)
  expect(await after.read('kept', 'okx')).toEqual({ apiKey: 'k' })
}, 60_000)

test('by the real derivation of keys one passphrase is the same in both ways of writing an accent', async () => {
  const directory = tempDirectory()
  await open(directory, {}).create('caf\u00e9 au lait')
  const again = open(directory, {})
  await again.unlock('cafe\u0301 au lait')
  expect(again.state()).toBe('unlocked')
})
