// `hookline exec`, `--version` and `--help`: what goes where, and what the shell learns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../support/temp-directory.ts'
import { BINARY, createHook, exec, run } from './hookline.ts'

const jsonLines = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('hookline exec', () => {
  it('prints output on stdout and ends with 0', async () => {
    expect(await run(tempDirectory(), ['exec', 'echo one; echo two'])).toEqual({
      stdout: 'one\ntwo\n',
      stderr: '',
      code: 0,
    })
  })

  it('prints what failed on stderr, goes on, and ends with 1', async () => {
    expect(await run(tempDirectory(), ['exec', 'echo one; bogus; echo two'])).toEqual({
      stdout: 'one\ntwo\n',
      stderr: expect.stringMatching(/^error: unknown command `bogus`[^\n]*\n$/),
      code: 1,
    })
  })

  it('prints JSON, one object per output and one with the result', async () => {
    const good = await run(tempDirectory(), ['exec', 'echo one', '--json'])
    expect(jsonLines(good.stdout)).toEqual([
      { kind: 'print', text: 'one' },
      { runId: expect.stringMatching(/^[0-9a-f-]{36}$/), success: true },
    ])
    const bad = await run(tempDirectory(), ['exec', 'bogus', '--json'])
    const error = expect.stringMatching(/^unknown command `bogus`/)
    expect(jsonLines(bad.stdout)).toEqual([
      { kind: 'error', text: error },
      { runId: expect.any(String), success: false, error },
    ])
    expect([bad.stderr, bad.code]).toEqual(['', 1])
  })

  it('runs on the account and the symbol it is given, and leaves the focus where it was', async () => {
    const directory = tempDirectory()
    await exec(directory, 'account add second paper')
    const args = ['exec', 'buy $500', '--account', 'second', '--symbol', 'ethusdt']
    expect((await run(directory, args)).stdout).toMatch(/^bought [\d.]+ ETHUSDT /)
    expect((await run(directory, ['exec', 'positions', '-a', 'second'])).stdout).toContain('ETHUSDT')
    expect(await exec(directory, 'positions')).toBe('no open positions\n')
    expect(await exec(directory, 'symbol')).toMatch(/^BTCUSDT /)
  })

  it('ends with 1 when there is no such account', async () => {
    const { stderr, code } = await run(tempDirectory(), ['exec', 'echo one', '--account', 'nobody'])
    expect(stderr).toMatch(/^error: .*nobody/)
    expect(code).toBe(1)
  })

  it('reveals the token of a hook to the terminal that asks', async () => {
    const directory = tempDirectory()
    const { id, token } = await createHook(directory, 'dip', 'echo ok')
    expect(await exec(directory, `hook show ${id.slice(0, 8)}`)).toContain(token)
    expect(await exec(directory, 'hooks')).not.toContain(token)
  })

  it('refuses what only the prompt can do', async () => {
    const { stderr, code } = await run(tempDirectory(), ['exec', 'exit'])
    expect(stderr).toMatch(/^error: `exit` runs only at/)
    expect(code).toBe(1)
  })

  it('finishes the line when nobody reads its output any more', async () => {
    const directory = tempDirectory()
    const env = { PATH: process.env.PATH, HOOKLINE_CONFIG_DIR: directory }
    const child = spawn(process.execPath, [BINARY, 'exec', 'markets; set @reached yes'], { env })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(await exec(directory, 'set')).toBe('@reached  yes\n')
  })
})

describe('a command line that is not understood', () => {
  it.each([
    [['--bogus'], "error: unknown option '--bogus'"],
    [['exec', 'echo one', '--bogus'], "error: unknown option '--bogus'"],
    [['exec'], "error: missing required argument 'line'"],
    [['exec', 'echo', 'one'], 'error: too many arguments'],
    [['lisen'], "error: unknown command 'lisen': did you mean 'listen'?"],
    [['nonsense'], "error: unknown command 'nonsense'"],
    [['hook', 'rvoke'], "error: unknown command 'rvoke': did you mean 'revoke'?"],
    [['hook', 'revoke'], 'error: give an id, or --all'],
    [['hook', 'revoke', '01234567', '--all'], 'error: give an id, or --all'],
  ])('ends with 2 and points to the help: %j', async (args, message) => {
    const { stdout, stderr, code } = await run(tempDirectory(), args)
    const [first, second] = stderr.split('\n')
    expect(first?.startsWith(message)).toBe(true)
    expect(second).toBe('`hookline --help` tells what can be given')
    expect([stdout, code]).toEqual(['', 2])
  })
})

describe('hookline about itself', () => {
  it.each(['--version', '-v'])('tells its version with %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await run(tempDirectory(), [flag])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 })
  })

  it('shows every subcommand and every option in its help', async () => {
    const { stdout, code } = await run(tempDirectory(), ['--help'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot()
  })

  it('shows every form of hook in its help', async () => {
    const { stdout, code } = await run(tempDirectory(), ['hook', '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot()
  })
})
