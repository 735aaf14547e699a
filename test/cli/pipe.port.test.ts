// Commands from a pipe (behaviour 35): order, exit status, and nothing on the output but output.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { LISTENING, RunningHookline, run } from '../../harness/process/hookline.ts'
import { WsClient } from '../../harness/wire/ws-client.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'

function feed(input: string, args: readonly string[] = []) {
  return run(tempDirectory(), args, { input })
}

describe('hookline fed by a pipe', () => {
  it('runs line after line, the last without newline too, and prints neither prompts nor colours', async () => {
    expect(await feed('sleep 100ms; echo one\n\necho two\r\nbogus\necho three')).toEqual({
      stdout: expect.stringMatching(new RegExp(`^${LISTENING}\none\ntwo\nerror: unknown command [^\n]+\nthree\n$`)),
      stderr: '',
      code: 1,
    })
  })

  it.each(['nuke\n', 'echo one\nbogus\necho two\n', 'bogus\nexit\n', 'buy $1\n'])(
    'ends with 1 where a line has failed: %j',
    async (input) => {
      expect((await feed(input)).code).toBe(1)
    },
  )

  it('ends with 0 by a signal, whatever its lines were', async () => {
    const hookline = new RunningHookline(tempDirectory())
    await hookline.prints(LISTENING)
    hookline.say('bogus')
    await hookline.prints('unknown command')
    hookline.child.kill('SIGTERM')
    expect((await hookline.ended()).code).toBe(0)
  })

  it('ends with 0 when there is no input at all', async () => {
    expect(await feed('')).toEqual({ stdout: `${LISTENING}\n`, stderr: '', code: 0 })
  })

  it('runs nothing after exit', async () => {
    expect(await feed('echo one\nexit\necho never\n')).toMatchObject({ stdout: `${LISTENING}\none\n`, code: 0 })
  })

  it('stops under --strict at the first line that fails, says how many were not run, and ends with 1', async () => {
    const { stdout, code } = await feed('echo before\nbogus\necho after\necho more # of it\n', ['--strict'])
    expect(stdout).toMatch(/\nbefore\nerror: unknown command [^\n]+\nerror: stopped [^\n]+; 2 lines were not run\n$/)
    expect(code).toBe(1)
  })

  it('takes what follows # as a comment', async () => {
    expect(await feed('# what this does\necho one # and why\necho "# two"\n', ['--strict'])).toMatchObject({
      stdout: `${LISTENING}\none\n# two\n`,
      code: 0,
    })
  })

  it('beside a listening hookline says nothing about the port, unless the pipe stays open', async () => {
    const directory = tempDirectory()
    const first = await RunningHookline.listening(directory)
    expect(await run(directory, [], { input: 'sleep 1500ms; echo done\n' })).toMatchObject({
      stdout: 'done\n',
      stderr: '',
    })
    const open = new RunningHookline(directory)
    await open.prints(`127.0.0.1:53219 is held by the hookline with pid ${first.pid}`)
  })

  it('takes `y` for an approval while a line runs', async () => {
    const hookline = new RunningHookline(tempDirectory())
    await hookline.prints(LISTENING)
    hookline.say('echo begin; sleep 1m')
    await hookline.prints('begin')
    const client = await WsClient.hello({ clientId: '0'.repeat(32) })
    await hookline.prints('approve it? y or n')
    await sleep(APPROVAL_LIMITS.readMs + 100)
    hookline.say('y')
    await client.nextFrame('welcome')
    await hookline.prints('approved')
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
    expect([stderr, code]).toEqual(['', 1])
  })

  it('ends quietly when nobody reads its output any more', async () => {
    const hookline = new RunningHookline(tempDirectory())
    hookline.child.stdin.write('echo line\n'.repeat(2_000))
    await once(hookline.child.stdout, 'data')
    hookline.child.stdout.destroy()
    expect(await hookline.ended()).toMatchObject({ stderr: '', code: 0 })
  })
})
