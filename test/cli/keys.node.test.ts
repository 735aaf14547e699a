// Keys beyond the vault in the whole program: the keychain of the system that runs this, the environment, a terminal that only `exec` has.
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, run } from '../../harness/process/hookline.ts'
import { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'

const PASSPHRASE = 'correct horse battery'
const KEYS = { apiKey: 'KEYofmain', secret: 'SECRETofmain' }

function withMain(fields: object = KEYS): string {
  const directory = tempDirectory()
  const accounts = [
    { name: 'main', exchange: 'okx', ...fields, createdAt: 1, updatedAt: 1 },
    { name: 'paper', exchange: 'paper', createdAt: 1, updatedAt: 1 },
  ]
  writeFileSync(join(directory, 'accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
  return directory
}

const rowOfMain = (directory: string): object =>
  JSON.parse(readFileSync(join(directory, 'accounts.json'), 'utf8')).accounts.find(
    ({ name }: { readonly name: string }) => name === 'main',
  )

function holders(directory: string): readonly string[] {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map(({ name }) => name)
    .filter((name) => {
      const text = readFileSync(join(directory, name), 'latin1')
      return [...Object.values(KEYS), PASSPHRASE].some((secret) => text.includes(secret))
    })
}

describe.skipIf(process.platform !== 'linux')('a keychain that is not there', () => {
  it('on a machine without a desktop is refused before anything moves, and the next best is named', async () => {
    const directory = withMain()
    // With no session bus, the package has nobody to ask.
    const { stderr, code } = await run(directory, ['exec', 'account keys main --to keychain'])
    expect(stderr).toBe(
      'error: no keychain can be used: the system gives no access to it (keep the keys in the vault, or in a file)\n',
    )
    expect(code).toBe(1)
    expect(rowOfMain(directory)).toMatchObject(KEYS)
  })

  it('for want of its package says how to install it', async () => {
    const directory = withMain()
    const alone = tempDirectory()
    for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(dirname(BINARY), file), join(alone, file))
    const { stderr } = await run(directory, ['exec', 'account keys main --to keychain'], {
      binary: join(alone, 'hookline.cjs'),
    })
    expect(stderr).toMatch(
      /^error: no keychain can be used: the package @napi-rs\/keyring is not installed \(install it /,
    )
    expect(rowOfMain(directory)).toMatchObject(KEYS)
  })
})

describe('keys in the environment', () => {
  const ENV = { HOOKLINE_MAIN_API_KEY: KEYS.apiKey, HOOKLINE_MAIN_SECRET: KEYS.secret }

  it('take the place of the same keys elsewhere, and of no others', async () => {
    const directory = withMain()
    const other = { ...ENV, HOOKLINE_MAIN_SECRET: 'another' }
    const refused = await run(directory, ['exec', 'account keys main --to environment'], { env: other })
    expect(refused.stderr).toMatch(
      /^error: the environment has other keys for account main \(correct them there first\)/,
    )
    expect(rowOfMain(directory)).toMatchObject(KEYS)
    const { code } = await run(directory, ['exec', 'account keys main --to environment'], { env: ENV })
    expect(code).toBe(0)
    expect(rowOfMain(directory)).toMatchObject({ credentials: { from: 'environment' } })
    expect(holders(directory)).toEqual([])
  })

  it('move to the vault, with a word that they are in the environment still', async () => {
    const directory = withMain({ credentials: { from: 'environment' } })
    const input = `${PASSPHRASE}\n${PASSPHRASE}\n`
    const { stdout, stderr } = await run(directory, ['exec', 'account keys main --to vault'], { env: ENV, input })
    expect(stdout).toMatch(/main: its keys are in the vault\n$/)
    expect(stderr).toMatch(/they are in the environment too: remove them there\n$/)
    expect(holders(directory)).toEqual([])
  })
})

describe('exec at a terminal', () => {
  it('asks without echo, and gives the terminal back as it was', async () => {
    const directory = withMain()
    const terminal = new PseudoTerminal({
      argv: ['-c', '"$@"; stty -a | grep -o -- "-\\?echo "', 'sh', process.execPath, BINARY, 'exec', 'vault unlock'],
      file: 'sh',
      env: environmentOf(directory),
      columns: 100,
    })
    onTestFinished(() => terminal.close())
    for (const question of ['new passphrase of the vault:', 'the same again:']) {
      await terminal.until((screen) => screen.typed().startsWith(question))
      terminal.send(`${PASSPHRASE}\r`)
    }
    expect(await terminal.exit()).toBe(0)
    await terminal.shows('moved the keys of main out of accounts.json into the vault')
    await terminal.until((screen) => screen.lines().at(-1)?.trim() === 'echo')
    expect(terminal.raw).not.toContain(PASSPHRASE)
    expect(holders(directory)).toEqual([])
  })

  it.each([
    ['Ctrl-C', (terminal: PseudoTerminal) => terminal.send('half of it\u0003')],
    ['SIGINT', (_terminal: PseudoTerminal, pid: number) => process.kill(pid, 'SIGINT')],
    ['SIGTERM', (_terminal: PseudoTerminal, pid: number) => process.kill(pid, 'SIGTERM')],
  ])('leaves everything as it is after %s, and ends', async (_what, stop) => {
    const directory = withMain()
    const terminal = new PseudoTerminal({
      argv: ['-c', 'echo "pid $$"; exec "$@"', 'sh', process.execPath, BINARY, 'exec', 'vault unlock'],
      file: 'sh',
      env: environmentOf(directory),
      columns: 100,
    })
    onTestFinished(() => terminal.close())
    await terminal.until((screen) => screen.typed().startsWith('new passphrase of the vault:'))
    stop(terminal, Number(/^pid (\d+)/m.exec(terminal.raw)?.[1]))
    expect(await terminal.exit()).toBe(1)
    expect(existsSync(join(directory, 'vault.json'))).toBe(false)
    expect(rowOfMain(directory)).toMatchObject(KEYS)
  })
})
