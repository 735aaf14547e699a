// Commands from a pipe (behaviour 35): order, exit status, and nothing on the output but output.
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { LISTENING, RunningHookline, run } from '../../harness/process/hookline.ts'

function feed(input: string, args: readonly string[] = []) {
  return run(tempDirectory(), args, { input })
}

describe('hookline fed by a pipe', () => {
  it('runs line after line, the last without newline too, and prints neither prompts nor colours', async () => {
    expect(await feed('sleep 100ms; echo one\n\necho two\r\nbogus\necho three')).toEqual({
      stdout: expect.stringMatching(new RegExp(`^${LISTENING}\none\ntwo\nerror: unknown command [^\n]+\nthree\n$`)),
      stderr: '',
      code: 0,
    })
  })

  it('ends with 0 when there is no input at all', async () => {
    expect(await feed('')).toEqual({ stdout: `${LISTENING}\n`, stderr: '', code: 0 })
  })

  it('runs nothing after exit', async () => {
    expect(await feed('echo one\nexit\necho never\n')).toMatchObject({ stdout: `${LISTENING}\none\n`, code: 0 })
  })

  it('ends with 1 under --strict when a line failed, after running the others', async () => {
    const { stdout, code } = await feed('bogus\necho after\n', ['--strict'])
    expect(stdout).toContain('\nafter\n')
    expect(code).toBe(1)
  })

  it('ends with 0 under --strict when every line succeeded', async () => {
    expect(await feed('echo one\nexit\n', ['--strict'])).toMatchObject({ stderr: '', code: 0 })
  })

  it('prints data for programs under --json, one object on a line', async () => {
    const { stdout, stderr, code } = await feed('price\nbogus\n', ['--json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual([
      { type: 'notice', kind: 'info', text: LISTENING },
      expect.objectContaining({ type: 'ticker', symbol: 'BTCUSDT', last: expect.stringMatching(/^[\d.]+$/) }),
      expect.objectContaining({ type: 'result', success: true }),
      expect.objectContaining({ type: 'error', code: 'unknown-command' }),
      expect.objectContaining({ type: 'result', success: false }),
    ])
    expect([stderr, code]).toEqual(['', 0])
  })

  it('ends quietly when nobody reads its output any more', async () => {
    const hookline = new RunningHookline(tempDirectory())
    hookline.child.stdin.write('echo line\n'.repeat(2_000))
    await once(hookline.child.stdout, 'data')
    hookline.child.stdout.destroy()
    expect(await hookline.ended()).toMatchObject({ stderr: '', code: 0 })
  })
})
