// Keys in plain text that a crash has left behind (behaviour 43): looked for at every start.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createKeysAtRest, openCredentials } from '../../src/app/account-keys.ts'
import { openStores } from '../../src/app/open-stores.ts'

const KEYS = { apiKey: 'the-key', secret: 'the-secret' }

async function started(files: Readonly<Record<string, unknown>>) {
  const directory = tempDirectory()
  const { accounts, vaultFile } = openStores(directory)
  await accounts.add({ name: 'main', exchange: 'binance', credentials: { from: 'environment' } })
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), JSON.stringify(content), { mode: 0o600 })
  const env = { HOOKLINE_MAIN_API_KEY: KEYS.apiKey, HOOKLINE_MAIN_SECRET: KEYS.secret }
  const warned: string[] = []
  const audited: unknown[] = []
  const unexpected = (error: unknown) => void warned.push(`bug: ${error}`)
  const keys = createKeysAtRest({
    accounts,
    credentials: openCredentials({ env, directory, file: vaultFile }),
    bug: unexpected,
    audit: { record: async (what, details) => void audited.push([what, details]) },
    disconnect: async () => {},
    warn: (text) => void warned.push(text.replaceAll(directory, '…')),
  })
  await keys.settle()
  return { warned, audited, left: Object.keys(files).filter((name) => existsSync(join(directory, name))) }
}

test('a file with the keys that the account has elsewhere is erased, told and audited', async () => {
  const { warned, audited, left } = await started({ 'keys-main.json': { venue: 'binance', ...KEYS } })
  expect(left).toEqual([])
  expect(warned).toEqual(['erased …/keys-main.json: the keys of main are elsewhere'])
  expect(audited).toEqual([['account keys', { name: 'main', from: 'a file left over', to: 'erased' }]])
})

test.each([
  ['of no account', 'keys-gone.json', { venue: 'okx', ...KEYS }, 'no account gone found'],
  ['other than those of its account', 'keys-main.json', { venue: 'binance', apiKey: 'a' }, 'the account has others'],
])('keys %s stay, and a person is told', async (_what, name, content, why) => {
  const { warned, audited, left } = await started({ [name]: content })
  expect([left, audited]).toEqual([[name], []])
  expect(warned).toEqual([
    `…/${name} has keys in plain text that nothing uses, for ${why}: remove it, or \`shred -u\` it`,
  ])
})
