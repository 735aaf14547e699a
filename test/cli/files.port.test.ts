// The config directory as the program leaves it: closed to others, whole, and without secrets where none belong.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import {
  BINARY,
  createHook,
  enterLines,
  isPrompt,
  openTerminal,
  post,
  RunningHookline,
  run,
} from '../../harness/process/hookline.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the first start', () => {
  it('makes the account paper and opens its files to nobody else, whatever the umask', async () => {
    const directory = join(tempDirectory(), 'not', 'yet', 'there')
    const argv = ['-e', 'process.umask(0); require(process.argv[1])', BINARY]
    const terminal = await openTerminal(directory, { argv })
    const lines = [
      'hook create x "echo ok"',
      'buy 0.01 BTCUSDT stop -2%',
      'set @a 1',
      'alias z "echo z"',
      'symbol ETHUSDT',
    ]
    await enterLines(terminal, lines)
    await terminal.until((screen) => screen.lines().some((line) => /^ETHUSDT [\d,.]+$/.test(line)))
    terminal.send('exit\r')
    expect(await terminal.exit()).toBe(0)

    const { accounts } = JSON.parse(readFileSync(join(directory, 'accounts.json'), 'utf8'))
    expect(accounts).toEqual([
      { name: 'paper', exchange: 'paper', createdAt: expect.any(Number), updatedAt: expect.any(Number) },
    ])
    const files = readdirSync(directory)
    expect(files).toEqual(
      expect.arrayContaining(['aliases.json', 'config.json', 'history', 'hooks.json', 'listener.json']),
    )
    expect(files).toEqual(expect.arrayContaining(['paper-paper.json', 'runs.jsonl', 'vars.json']))
    expect(files.filter((name) => modeOf(join(directory, name)) !== '600')).toEqual([])
    expect(modeOf(directory)).toBe('700')
  })
})

describe('a corrupt file', () => {
  const CORRUPT = '{\n  "mine": "keep this",\n  "listener": { "enabled": tru }\n}\n'

  it.each([
    ['config.json', 'symbol ETHUSDT'],
    ['hooks.json', 'hook create x "echo ok"'],
    ['accounts.json', 'account add second paper'],
  ])('is named with its line at the start, refuses writes and stays as it is: %s', async (name, write) => {
    const directory = tempDirectory()
    const path = join(directory, name)
    writeFileSync(path, CORRUPT)
    const { stdout, stderr, code } = await run(directory, ['--strict'], { input: `${write}\n` })
    expect(stdout).toContain(`error: ${path}:3: `)
    expect(stdout).toMatch(new RegExp(`^error: ${name}: line 3: [^\n]*until then hookline does not write to it`, 'm'))
    expect([stderr, code]).toEqual(['', 1])
    expect(readFileSync(path, 'utf8')).toBe(CORRUPT)
  })
})

describe("a hook's token", () => {
  it('is in hooks.json and nowhere else on the disk, and in no output of a hook', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'quiet', 'echo ok')
    const peeping = await createHook(
      directory,
      'peeping',
      `hook show ${hook.id}; hook rotate ${hook.id}; hooks; runs; status; echo peeped`,
    )
    const makingOne = await createHook(directory, 'making', 'hook create made "echo ok"; echo made it')
    const listener = await RunningHookline.listening(directory)
    await post(hook.url, 'f'.repeat(32))
    await post(hook.url, hook.token)
    await post(peeping.url, peeping.token)
    await listener.prints('[hook:peeping] peeped')
    await post(makingOne.url, makingOne.token)
    await listener.prints('[hook:making] made it')
    listener.signal('SIGTERM')
    await listener.ended()

    const terminal = await openTerminal(directory)
    await enterLines(terminal, [`hook show ${hook.id.slice(0, 8)}`, `hook rotate ${peeping.id.slice(0, 8)}`])
    await terminal.until((screen) => screen.lines().filter((line) => line.includes('curl')).length === 2)
    await terminal.until((screen) => isPrompt(screen.typed()))
    terminal.send('exit\r')
    await terminal.exit()

    const { hooks } = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8')) as { hooks: { secret: string }[] }
    const tokens = [hook.token, peeping.token, makingOne.token, ...hooks.map(({ secret }) => secret)]
    expect(new Set(tokens).size).toBe(6)
    const elsewhere = readdirSync(directory).filter((name) => name !== 'hooks.json')
    expect(elsewhere).toEqual(expect.arrayContaining(['history', 'runs.jsonl']))
    const leaks = elsewhere.filter((name) =>
      tokens.some((token) => readFileSync(join(directory, name)).includes(token)),
    )
    expect(leaks).toEqual([])
    expect(tokens.filter((token) => listener.stdout.includes(token))).toEqual([])
    expect(listener.stdout).toMatch(/\[hook:peeping\] token +<hidden>/)
  })
})
