// Plain keys on their way into the vault: killed before each change of a file, they are in one place or in both, and the next start finishes.
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { quickKey } from '../../harness/credentials/quick-key.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openCredentials } from '../../src/app/account-keys.ts'
import { movePlainKeys } from '../../src/credentials/credentials.ts'
import { keysIn } from '../../src/credentials/keys.ts'
import { type AccountRow, openAccountStore } from '../../src/stores/accounts.ts'
import { openVaultFile } from '../../src/stores/vault-file.ts'
import { bundleChild, startChild } from '../stores/child-program.ts'

const PASSPHRASE = 'correct horse battery'
const row = (name: string, fields: object): AccountRow => ({
  name,
  exchange: 'okx',
  createdAt: 1,
  updatedAt: 1,
  ...fields,
})
const ROWS = [
  row('first', { apiKey: 'key-of-first', secret: 'secret-of-first', passphrase: 'phrase-of-first' }),
  row('second', { exchange: 'binance', apiKey: 'key-of-second', secret: 'secret-of-second', testnet: false }),
  row('paper', { exchange: 'paper' }),
]
const SECRETS = ['key-of', 'secret-of', 'phrase-of']

function open(directory: string) {
  const credentials = openCredentials({ env: {}, directory, file: openVaultFile(directory), deriveKey: quickKey })
  return { credentials, accounts: openAccountStore(directory) }
}

/** As an earlier version left it, with what it and an editor put beside it. */
async function earlier(directory: string): Promise<string> {
  const text = JSON.stringify({ accounts: ROWS })
  for (const name of ['accounts.json', 'accounts.json.bak', 'accounts.json.v1', 'accounts.json~']) {
    writeFileSync(join(directory, name), text)
  }
  writeFileSync(join(directory, 'accounts.json.old'), '{"accounts":[]}')
  await open(directory).credentials.vault.create(PASSPHRASE)
  return join(directory, 'accounts.json')
}

/** The files that hold a secret. */
function holders(directory: string): string[] {
  return readdirSync(directory).filter((name) => {
    const text = readFileSync(join(directory, name), 'latin1')
    return SECRETS.some((secret) => text.includes(secret))
  })
}

async function allKeys(directory: string): Promise<unknown> {
  const { accounts, credentials } = open(directory)
  await credentials.vault.unlock(PASSPHRASE)
  const rows = accounts.list().filter(({ exchange }) => exchange !== 'paper')
  return Promise.all(rows.map(async (each) => [each.name, await credentials.resolveKeys(each)]))
}

const EXPECTED = ROWS.slice(0, 2).map((each) => [each.name, keysIn(each)])

const mover = `
  const fs = require('node:fs')
  const promises = require('node:fs/promises')
  import { openCredentials } from '../app/account-keys.ts'
  import { quickKey } from '../../harness/credentials/quick-key.ts'
  import { movePlainKeys } from '../credentials/credentials.ts'
  import { openAccountStore } from './accounts.ts'
  import { openVaultFile } from './vault-file.ts'
  const [directory, killAt] = [process.argv[2], Number(process.argv[3])]
  let calls = 0
  function watch(module, names) {
    for (const name of names) {
      const before = module[name]
      module[name] = (...args) => {
        calls += 1
        if (calls === killAt) process.kill(process.pid, 'SIGKILL')
        return before(...args)
      }
    }
  }
  async function main() {
    const credentials = openCredentials({ env: {}, directory, file: openVaultFile(directory), deriveKey: quickKey })
    await credentials.vault.unlock('${PASSPHRASE}')
    watch(fs, ['linkSync', 'rmSync', 'writeSync', 'fsyncSync'])
    watch(promises, ['open', 'rename', 'rm'])
    const moved = await movePlainKeys(openAccountStore(directory), credentials)
    process.stdout.write(JSON.stringify({ moved, calls }))
  }
  void main()
`

async function moveAndDie(program: string, directory: string, killAt: number) {
  const child = startChild(program, [directory, String(killAt)])
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  const [code, signal] = await once(child, 'close')
  for (const name of readdirSync(directory)) {
    // As their age would after five seconds.
    if (name.endsWith('.lock')) rmSync(join(directory, name), { recursive: true })
  }
  return { code, signal, printed }
}

test('killed before any change of a file, keys are never lost, and the next unlock leaves none in plain', async () => {
  const base = tempDirectory()
  const program = await bundleChild(base, mover)
  const stage = join(base, 'stage')
  mkdirSync(stage)
  await earlier(stage)
  let killed = 0
  for (let killAt = 1; ; killAt += 1) {
    const directory = join(base, `kill-${killAt}`)
    cpSync(stage, directory, { recursive: true })
    const { code, signal, printed } = await moveAndDie(program, directory, killAt)
    if (code === 0) {
      expect(JSON.parse(printed).moved).toEqual(['first', 'second'])
      expect(JSON.parse(printed).calls).toBe(killAt - 1)
      break
    }
    expect(signal).toBe('SIGKILL')
    killed += 1
    expect(await allKeys(directory), `killed before change ${killAt}`).toEqual(EXPECTED)
    const { accounts, credentials } = open(directory)
    await credentials.vault.unlock(PASSPHRASE)
    await movePlainKeys(accounts, credentials)
    expect(await allKeys(directory)).toEqual(EXPECTED)
    expect(holders(directory), `killed before change ${killAt}`).toEqual([])
  }
  expect(killed).toBeGreaterThanOrEqual(12)
})

describe('keys that were moved', () => {
  test('are in no file beside the vault; copies without keys stay', async () => {
    const directory = tempDirectory()
    const path = await earlier(directory)
    const { accounts, credentials } = open(directory)
    await credentials.vault.unlock(PASSPHRASE)
    expect(await movePlainKeys(accounts, credentials)).toEqual(['first', 'second'])
    expect(holders(directory)).toEqual([])
    expect(readdirSync(directory).sort()).toEqual(['accounts.json', 'accounts.json.old', 'vault.json'])
    expect(JSON.parse(readFileSync(path, 'utf8')).accounts).toEqual([
      row('first', { credentials: { from: 'vault' } }),
      row('second', { exchange: 'binance', testnet: false, credentials: { from: 'vault' } }),
      ROWS[2],
    ])
    expect(await allKeys(directory)).toEqual(EXPECTED)
  })

  test('are overwritten in the old file: who has it open reads nothing of them', async () => {
    const directory = tempDirectory()
    const path = await earlier(directory)
    const fd = openSync(path, 'r')
    const { accounts, credentials } = open(directory)
    await credentials.vault.unlock(PASSPHRASE)
    await movePlainKeys(accounts, credentials)
    const bytes = Buffer.alloc(100_000)
    const read = readSync(fd, bytes, 0, bytes.length, 0)
    closeSync(fd)
    expect(read).toBeGreaterThan(100)
    expect(bytes.subarray(0, read).every((byte) => byte === 0)).toBe(true)
  })

  test('stay in a file that has another name: it is not ours alone to overwrite', async () => {
    const directory = tempDirectory()
    const elsewhere = join(tempDirectory(), 'snapshot.json')
    linkSync(await earlier(directory), elsewhere)
    const { accounts, credentials } = open(directory)
    await credentials.vault.unlock(PASSPHRASE)
    await movePlainKeys(accounts, credentials)
    expect(readFileSync(elsewhere, 'utf8')).toContain('secret-of-first')
    expect(holders(directory)).toEqual([])
  })

  test('are not taken from a row that was given other keys meanwhile', async () => {
    const directory = tempDirectory()
    await earlier(directory)
    const { accounts, credentials } = open(directory)
    await credentials.vault.unlock(PASSPHRASE)
    const slow = {
      write: async (...args: Parameters<typeof credentials.write>) => {
        const place = await credentials.write(...args)
        if (args[0].name === 'first')
          await accounts.merge(row('first', { apiKey: 'key-newer', secret: 's', updatedAt: 9 }))
        return place
      },
    }
    expect(await movePlainKeys(accounts, slow)).toEqual(['second'])
    expect(accounts.find('first')).toMatchObject({ apiKey: 'key-newer' })
    expect(await movePlainKeys(accounts, credentials)).toEqual(['first'])
    expect(await allKeys(directory)).toEqual([['first', { apiKey: 'key-newer', secret: 's' }], EXPECTED[1]])
  })
})
