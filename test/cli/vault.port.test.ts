// Keys and the vault in the whole program: at a terminal, from a pipe, as a service; and what of them can be seen anywhere else.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory, tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import {
  answerQuestions,
  BINARY,
  type Ended,
  enterLines,
  openTerminal,
  RunningHookline,
  run,
} from '../../harness/process/hookline.ts'
import { canBeAnotherUser } from '../../harness/process/other-user.ts'

const PASSPHRASE = 'correct horse battery'
const SECRETS = ['KEYofmain', 'SECRETofmain', 'PHRASEofmain', PASSPHRASE, 'another horse']
const PLAIN = {
  accounts: [
    {
      name: 'main',
      exchange: 'okx',
      createdAt: 1,
      updatedAt: 1,
      apiKey: 'KEYofmain',
      secret: 'SECRETofmain',
      password: 'PHRASEofmain',
    },
    { name: 'paper', exchange: 'paper', createdAt: 1, updatedAt: 1 },
  ],
}

/** As an earlier version left it, and an editor. */
function earlier(directory = tempDirectory()): string {
  for (const name of ['accounts.json', 'accounts.json.bak']) {
    writeFileSync(join(directory, name), JSON.stringify(PLAIN), { mode: 0o600 })
  }
  return directory
}

const first = earlier(tempDirectoryOfFile())
let made: Promise<Ended> | undefined

/** The same, once somebody has made the vault: that is done once for all tests of this file. */
async function withVault(): Promise<string> {
  made ??= run(first, ['exec', 'vault unlock'], { input: `${PASSPHRASE}\n${PASSPHRASE}\n` })
  await made
  const directory = tempDirectory()
  cpSync(first, directory, { recursive: true })
  return directory
}

const holds = (text: string): boolean => SECRETS.some((secret) => text.includes(secret))

/** Files that have a key or a passphrase in them. */
function holders(directory: string): readonly string[] {
  // A lock is a folder.
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ name }) => name).filter((name) => holds(readFileSync(join(directory, name), 'latin1')))
}

describe('keys at a terminal', () => {
  it('that are plain text are told of, move at the first unlock, and are seen nowhere afterwards', async () => {
    const directory = earlier()
    const terminal = await openTerminal(directory, { columns: 120 })
    await terminal.shows(
      'the keys of main are plain text in accounts.json until `vault unlock` moves them into the vault',
    )
    await answerQuestions(terminal, 'vault unlock', [
      ['new passphrase of the vault: ', PASSPHRASE],
      ['the same again: ', PASSPHRASE],
    ])
    await terminal.shows('moved the keys of main out of accounts.json into the vault')
    await enterLines(terminal, ['account', 'vault', 'audit', 'runs'])
    await answerQuestions(terminal, 'vault change', [
      ['passphrase of the vault: ', PASSPHRASE],
      ['new passphrase of the vault: ', 'another horse'],
      ['the same again: ', 'another horse'],
    ])
    await terminal.shows('the vault has a new passphrase')
    await enterLines(terminal, ['vault lock'])
    await answerQuestions(terminal, 'vault unlock', [['passphrase of the vault: ', PASSPHRASE]])
    await terminal.shows('this passphrase does not open the vault')
    await answerQuestions(terminal, 'vault unlock --for 2s', [['passphrase of the vault: ', 'another horse']])
    await terminal.shows('the vault is locked again; 1 account disconnected, in this process')
    terminal.send('exit\r')
    await terminal.exit()
    expect(holds(terminal.raw)).toBe(false)
    expect(holders(directory)).toEqual([])
    expect(existsSync(join(directory, 'accounts.json.bak'))).toBe(false)
    expect(readFileSync(join(directory, 'history'), 'utf8')).toContain('vault change')
  })
})

describe('keys from a pipe', () => {
  it('are asked for in the order shown, each answer the next line, and printed by nothing', async () => {
    const directory = earlier()
    const input = `vault unlock\n${PASSPHRASE}\n${PASSPHRASE}\naccount keys main --to file\nvault\naccount\n`
    const { stdout, stderr, code } = await run(directory, [], { input })
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout).toMatch(/new passphrase of the vault: ?\nthe same again: ?\nmade the vault; it is unlocked\n/)
    expect(stdout).toMatch(/\nmain: its keys are in .*keys-main\.json, in plain text, readable only by you\n/)
    expect(stdout).toMatch(/\nthe vault is unlocked; it keeps the keys of no account\n/)
    expect(holds(stdout)).toBe(false)
    expect(holders(directory)).toEqual(['keys-main.json'])
    expect(statSync(join(directory, 'keys-main.json')).mode & 0o777).toBe(0o600)
  })

  it('that nobody asked for are not run as commands', async () => {
    const directory = tempDirectory()
    const input = 'account add main nowhere\nKEYofmain\nSECRETofmain\necho never\n'
    const { stdout, code } = await run(directory, [], { input })
    expect(stdout).toMatch(
      /error: hookline cannot trade on nowhere [^\n]*\nerror: stopped: the lines that follow may be keys or a passphrase; none of them is run\n$/,
    )
    expect(code).toBe(1)
    expect(holders(directory)).toEqual([])
  })

  it.each(['acount add main binance', 'acct add main binance', 'vualt unlock', 'accountadd main binance'])(
    'are not run as commands after `%s`, which was mistyped',
    async (line) => {
      const directory = tempDirectory()
      const input = `echo before\n${line}\nKEYofmain\nSECRETofmain\necho never\n`
      const { stdout, code } = await run(directory, [], { input })
      expect(stdout).toMatch(
        /\nbefore\nerror: unknown command [^\n]*\nerror: stopped: the lines that follow may be keys/,
      )
      expect([stdout.includes('never'), holds(stdout), code]).toEqual([false, false, 1])
      expect(holders(directory)).toEqual([])
    },
  )

  it('reach `exec` in the same way; questions are no output', async () => {
    const directory = earlier()
    expect(await run(directory, ['exec', 'vault unlock'], { input: `${PASSPHRASE}\n${PASSPHRASE}\n` })).toEqual({
      stdout: expect.stringMatching(/made the vault; it is unlocked\nmoved the keys of main /),
      stderr: expect.stringMatching(/^new passphrase of the vault:\nthe same again:\n/),
      code: 0,
    })
    expect(await run(directory, ['exec', 'vault unlock'], { input: 'not the passphrase\n' })).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^passphrase of the vault:\nerror: this passphrase does not open the vault /),
      code: 1,
    })
    expect(await run(directory, ['exec', 'vault unlock'], { input: '' })).toMatchObject({
      stderr: expect.stringContaining('canceled: the input ended before the answer'),
      code: 1,
    })
    expect(holders(directory)).toEqual([])
  })

  it('typed on the command line are refused, and in no journal', async () => {
    const directory = tempDirectory()
    const { stderr, code } = await run(directory, ['exec', 'account add main okx linear KEYofmain SECRETofmain'])
    expect(stderr).toMatch(/leave keys out, hookline asks for them/)
    expect(code).toBe(1)
    expect(holds(stderr)).toBe(false)
    expect(holders(directory)).toEqual([])
  })
})

describe('a key that was typed', () => {
  it.runIf(process.platform === 'linux')(
    'is in no argument and no environment that the system shows of the process',
    async () => {
      const directory = earlier()
      const child = new RunningHookline(directory)
      for (const line of ['vault unlock', PASSPHRASE, PASSPHRASE]) child.say(line)
      await child.prints('moved the keys of main')
      const shown = ['cmdline', 'environ', 'comm'].map((name) => readFileSync(`/proc/${child.pid}/${name}`, 'latin1'))
      expect(shown.join('').includes(directory)).toBe(true)
      expect(holds(shown.join(''))).toBe(false)
    },
  )
})

describe('keys of a service', () => {
  const secretFile = (text: string, mode = 0o400): string => {
    const path = join(tempDirectory(), 'passphrase')
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }

  it('move into a vault that a file opens, without a person', async () => {
    const directory = earlier()
    const env = { HOOKLINE_VAULT_PASSPHRASE_FILE: secretFile(`${PASSPHRASE}\n`) }
    const service = await RunningHookline.listening(directory, { env })
    await service.prints('moved the keys of main out of accounts.json into the vault')
    expect(holders(directory)).toEqual([])
    service.signal('SIGTERM')
    await service.ended()
    const again = await RunningHookline.listening(directory, { env })
    again.signal('SIGTERM')
    const { stdout } = await again.ended()
    expect(stdout).not.toMatch(/vault|keys/)
  })

  it('are let go of within a second of `vault lock` in another process, until `vault unlock`', async () => {
    const directory = earlier()
    const env = { HOOKLINE_VAULT_PASSPHRASE_FILE: secretFile(`${PASSPHRASE}\n`) }
    const service = await RunningHookline.listening(directory, { env })
    await service.prints('moved the keys of main out of accounts.json into the vault')
    expect(await run(directory, ['exec', 'vault lock'])).toMatchObject({
      stdout: expect.stringContaining('the vault is locked in every process'),
    })
    const lockedAt = performance.now()
    await service.prints('the vault was locked: runs on main are refused until `vault unlock`')
    expect(performance.now() - lockedAt).toBeLessThan(2_000)
    const vault = async () => (await run(directory, ['exec', 'vault'], { env })).stdout
    expect(await vault()).toMatch(/the vault is locked/)
    expect(await run(directory, ['exec', 'vault unlock'], { input: `${PASSPHRASE}\n` })).toMatchObject({ code: 0 })
  })

  it('are opened by what systemd hands over', async () => {
    const directory = earlier()
    const credentials = tempDirectory()
    writeFileSync(join(credentials, 'hookline-vault'), PASSPHRASE, { mode: 0o400 })
    const service = await RunningHookline.listening(directory, { env: { CREDENTIALS_DIRECTORY: credentials } })
    await service.prints('moved the keys of main out of accounts.json into the vault')
    expect(holders(directory)).toEqual([])
  })

  it.each([
    ['without a passphrase', {}, 'the vault is locked: runs on main are refused until `vault unlock`'],
    ['with a wrong one', { text: 'not the passphrase' }, 'this passphrase does not open the vault'],
    ['with one that others may read', { text: PASSPHRASE, mode: 0o444 }, 'may be read by other users'],
  ])(
    '%s stay locked, which is said; paper goes on',
    async (_what, { text, mode }: { text?: string; mode?: number }, says) => {
      const directory = await withVault()
      const env = text === undefined ? {} : { HOOKLINE_VAULT_PASSPHRASE_FILE: secretFile(text, mode) }
      const service = await RunningHookline.listening(directory, { env })
      await service.prints(says)
      expect((await run(directory, ['exec', 'buy $100 BTCUSDT'], { env })).code).toBe(0)
      expect(holds(service.stdout)).toBe(false)
    },
  )
})

describe('the files of keys', () => {
  it('are closed to others under any umask', () => {
    const directory = earlier()
    const { status } = spawnSync(
      'sh',
      ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, BINARY, 'exec', 'vault unlock'],
      {
        env: { PATH: process.env.PATH ?? '', HOME: directory, HOOKLINE_CONFIG_DIR: directory },
        input: `${PASSPHRASE}\n${PASSPHRASE}\n`,
      },
    )
    expect(status).toBe(0)
    for (const name of readdirSync(directory))
      expect([name, statSync(join(directory, name)).mode & 0o077]).toEqual([name, 0])
  })

  it.skipIf(!canBeAnotherUser)('are not read by another user of the machine', async () => {
    const directory = await withVault()
    const { status, stderr } = spawnSync('cat', [join(directory, 'vault.json')], {
      uid: 65_534,
      gid: 65_534,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Permission denied/)])
  })
})
