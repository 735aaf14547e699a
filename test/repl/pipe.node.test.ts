import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { tempDirectoryOfFile } from '../../harness/files/temp-directory.ts'
import { bundleProgram } from './bundle.ts'

const directory = tempDirectoryOfFile()
let program: string
beforeAll(async () => {
  program = await bundleProgram(directory)
})

function start(more: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env.PATH, FORCE_COLOR: '1', TERM: 'xterm-256color', ...more }
  return spawn(process.execPath, [program], { env })
}

async function feed(input: string, env: Readonly<Record<string, string>> = {}) {
  const child = start(env)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { stdout, stderr, code }
}

describe('fed by a pipe', () => {
  it('runs one line after another and prints only their output', async () => {
    expect(await feed('echo one\n\n   \necho two\r\necho three\n')).toEqual({
      stdout: 'one\ntwo\nthree\n',
      stderr: 'closed: end, 0 failed\n',
      code: 0,
    })
  })

  it('runs a last line that has no newline', async () => {
    expect((await feed('echo one\necho last')).stdout).toBe('one\nlast\n')
  })

  it('counts lines that failed, goes on after them, and says in words what a colour would have said', async () => {
    expect(await feed('fail broken\nsay warn careful\nfail again\nsay success fine\n')).toEqual({
      stdout: 'error: broken\nwarning: careful\nerror: again\nfine\n',
      stderr: 'closed: end, 2 failed\n',
      code: 1,
    })
  })

  it('under --strict stops at the first line that fails, and says how many lines were not run', async () => {
    expect(await feed('echo one\nfail broken\necho three\n\n# a comment\necho four\n', { STRICT: 'yes' })).toEqual({
      stdout: 'one\nerror: broken\nerror: stopped at the first failed line (--strict); 2 lines were not run\n',
      stderr: 'closed: failed, 1 failed\n',
      code: 1,
    })
  })

  it('takes what follows # as a comment, outside quotes and at the start of a word', async () => {
    const { stdout } = await feed('# first\necho one # two\n   # three\necho a#b "# c" d\n')
    expect(stdout.replaceAll(/ +\n/g, '\n')).toBe('one\na#b "# c" d\n')
  })

  it('takes an answer to a pending question while a line runs', async () => {
    const child = start({ EXPECT_ANSWER: 'yes' })
    child.stdin.write('hold\n')
    await once(child.stdout, 'data')
    child.stdin.write('echo later\ny\n')
    const [answered] = (await once(child.stdout, 'data')) as [Buffer]
    expect(answered.toString()).toBe('answered y\n')
    child.kill('SIGKILL')
  })

  it('stops reading at exit', async () => {
    expect(await feed('echo one\nexit\necho never\n')).toMatchObject({
      stdout: 'one\n',
      stderr: 'closed: exit, 0 failed\n',
    })
  })

  it('ends at exit while the pipe stays open', async () => {
    const child = start()
    child.stdin.write('exit\n')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })

  it('starts a line when the former has finished', async () => {
    expect((await feed('late one\necho two\nlate three')).stdout).toBe('one\ntwo\nthree\n')
  })

  it('answers a hidden question with the next line', async () => {
    expect((await feed('ask API key:\nhunter2\necho next\n')).stdout).toBe('API key:\ngot it\nnext\n')
  })

  it('runs nothing after a line that asks and fails: what follows may be answers', async () => {
    const { stdout, stderr, code } = await feed('asks nothing\nhunter2\necho hunter3\n')
    expect(stdout).toBe('error: stopped: the lines that follow may be keys or a passphrase; none of them is run\n')
    expect(stdout + stderr).not.toContain('hunter')
    expect(stderr).toContain('closed: failed, 1 failed')
    expect(code).toBe(1)
  })

  it('cancels a hidden question when the input ends', async () => {
    expect((await feed('ask API key:\n')).stdout).toBe('API key:\nerror: cancelled\n')
  })

  it('prints a hundred thousand own lines without losing one', async () => {
    const { stdout } = await feed('lines 100000\n')
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(100_000)
    expect(lines.at(-1)).toBe('own line 100000')
  })

  it('ends when nobody reads its output any more', async () => {
    const child = start()
    child.stdout.destroy()
    child.stdin.on('error', () => {})
    child.stdin.write('echo into the void\n')
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>])
    expect({ stderr, code }).toEqual({ stderr: 'closed: end, 0 failed\n', code: 0 })
  })
})
