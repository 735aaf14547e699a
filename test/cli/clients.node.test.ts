// `hookline clients …`: trust for a listener without a prompt, given from the shell.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { run } from '../../harness/process/hookline.ts'
import { newTestKey } from '../../harness/wire/proving-client.ts'
import { describeUnattended } from '../../src/app/warnings.ts'

const TAB = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

const stored = (directory: string) => JSON.parse(readFileSync(join(directory, 'trusted-clients.json'), 'utf8')).clients

it('trusts, lists and revokes a client', async () => {
  const directory = tempDirectory()
  const trusted = await run(directory, ['clients', 'trust', TAB, '--label', "the page; it's mine & yours"])
  expect(trusted).toEqual({
    stdout: `trusted client ${TAB} (the page; it's mine & yours) on http://127.0.0.1:53220\n`,
    stderr: '',
    code: 0,
  })
  expect(stored(directory)).toMatchObject([{ clientId: TAB, label: "the page; it's mine & yours" }])
  for (const args of [['clients'], ['clients', 'list']]) {
    expect((await run(directory, args)).stdout).toContain(TAB)
  }
  expect(await run(directory, ['clients', 'revoke', TAB.slice(0, 8)])).toMatchObject({ code: 0 })
  expect(stored(directory)).toEqual([])
})

it('trusts on the origin given', async () => {
  const directory = tempDirectory()
  await run(directory, ['clients', 'trust', TAB, '--origin', 'http://localhost:53220'])
  expect(stored(directory)).toMatchObject([{ origin: 'http://localhost:53220' }])
})

it('trusts with a key, as the line that `hookline listen` prints for a client that it denied', async () => {
  const directory = tempDirectory()
  const key = newTestKey().publicKey
  const denied = describeUnattended({ clientId: TAB, label: 'bot', origin: 'http://127.0.0.1:53220', key })
  const [, line = ''] = /: (hookline clients trust .*)$/.exec(denied) ?? []
  expect(await run(directory, line.split(' ').slice(1))).toMatchObject({ stderr: '', code: 0 })
  expect(stored(directory)).toMatchObject([{ clientId: TAB, key }])
})

it('revokes all', async () => {
  const directory = tempDirectory()
  await run(directory, ['clients', 'trust', TAB])
  expect(await run(directory, ['clients', 'revoke', '--all'])).toMatchObject({
    stdout: 'revoked 1 client; open sessions are cut\n',
    code: 0,
  })
})

it.each([
  [['clients', 'revoke'], 2, 'give an id, or --all'],
  [['clients', 'revoke', TAB, '--all'], 2, 'give an id, or --all'],
  [['clients', 'trust'], 2, "missing required argument 'clientId'"],
  [['clients', 'rvoke'], 2, "unknown command 'rvoke': did you mean 'revoke'?"],
  [['clients', 'revoke', '00000000'], 1, 'no client has an id that begins with `00000000`'],
  [['clients', 'trust', TAB, '--origin', 'app.test'], 1, 'app.test is not an origin'],
])('%j ends with %i: %s', async (args, code, says) => {
  const ended = await run(tempDirectory(), args)
  expect(ended).toMatchObject({ stdout: '', code })
  expect(ended.stderr).toContain(says)
})

it('runs nothing that a text with both kinds of quotes would let through', async () => {
  const directory = tempDirectory()
  const ended = await run(directory, ['clients', 'trust', TAB, '--label', `"'; echo caught; echo '`])
  expect(ended).toEqual({
    stdout: '',
    stderr: 'error: one text cannot hold both " and \' (use one kind of quotes in it)\n',
    code: 2,
  })
})
