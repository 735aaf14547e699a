// The console's server that a hookline keeps (behaviour 9): real processes on the real ports.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { environmentOf } from '../../harness/process/built-hookline.mjs'
import { BINARY, openTerminal, RunningHookline, run } from '../../harness/process/hookline.ts'
import { canBeAnotherUser } from '../../harness/process/other-user.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { CONSOLE_CHILD, whoHas } from '../../src/app/console-server.ts'
import { openConsoleKey } from '../../src/stores/identity.ts'

const PORT = 53_220
const NOBODY = 65_534

/** Who has the port, as a hookline of that directory sees it. */
async function holder(directory: string): Promise<string> {
  const { by, release } = await whoHas(PORT, await openConsoleKey(directory).load())
  release?.()
  return by
}

/** The processes of this hookline's own. */
function serversOf({ pid }: RunningHookline): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

/** As `status` of another process says it. */
async function consoleOf(directory: string): Promise<unknown> {
  const { stdout } = await run(directory, ['exec', 'status --json'])
  return JSON.parse(stdout).console
}

/** One that has ended and that nobody has asked about yet is not. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'))
}

const opens = () =>
  WsClient.open().then(
    () => 'open',
    (error: Error) => error.message,
  )

/** Answers every request as our server would, but for the proof. */
async function squat(): Promise<() => Promise<void>> {
  const program = `require('node:http').createServer((q, r) => {
    r.setHeader('Server', 'hookline-web/9.9.9')
    r.end(JSON.stringify({ proof: 'x'.repeat(43) }) + '\\n')
  }).listen(${PORT}, '127.0.0.1', () => console.log('ready'))`
  const child = spawn(process.execPath, ['-e', program], {
    ...(canBeAnotherUser ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(end)
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return end
}

describe('hookline listen', () => {
  it('serves the console by a process of its own, again when that dies, and takes it along when it is killed', async () => {
    const directory = tempDirectory()
    const hookline = await RunningHookline.listening(directory)
    // Upgrades wait until it is known who has the port, and more than a few leave no warning of Node.
    expect(await Promise.all(Array.from({ length: 16 }, opens))).toEqual(Array.from({ length: 16 }, () => 'open'))
    expect(hookline.stderr).not.toContain('Warning')
    expect((await fetch(`${ORIGIN}/`)).headers.get('server')).toMatch(/^hookline-web\//)
    const [first = 0] = serversOf(hookline)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => serversOf(hookline)).not.toContain(first)
    expect(await opens()).toBe('open')
    await expect.poll(() => holder(directory)).toBe('ours')
    expect(serversOf(hookline)).toHaveLength(1)
    hookline.signal('SIGKILL')
    await hookline.ended()
    await expect.poll(() => holder(directory)).toBe('none')
  })

  it('leaves no server behind where it is killed before that has begun', async () => {
    const directory = tempDirectory()
    const program = `const { spawn } = require('node:child_process')
      const env = { ...process.env, ${CONSOLE_CHILD}: String(process.pid) }
      const stdio = ['ignore', 'ignore', 'ignore', 'ipc']
      const { pid } = spawn(process.execPath, [${JSON.stringify(BINARY)}, 'web'], { env, stdio, detached: true })
      require('node:fs').writeSync(1, String(pid))
      process.kill(process.pid, 'SIGKILL')`
    const parent = spawn(process.execPath, ['-e', program], { env: environmentOf(directory) })
    const [pid] = await once(parent.stdout, 'data')
    onTestFinished(() => void (isRunning(Number(pid)) && process.kill(Number(pid), 'SIGKILL')))
    await expect.poll(() => isRunning(Number(pid))).toBe(false)
  })

  it('shares it with others of its directory, and the next one serves when it ends', async () => {
    const directory = tempDirectory()
    const first = await RunningHookline.listening(directory)
    await expect.poll(() => holder(directory)).toBe('ours')
    const second = new RunningHookline(directory, ['listen'])
    await second.prints('is held by the hookline with pid')
    expect(await run(directory, ['web'])).toEqual({
      stdout: `console on ${ORIGIN}, served by the hookline that runs\n`,
      stderr: '',
      code: 0,
    })
    first.signal('SIGTERM')
    expect((await first.ended()).code).toBe(0)
    await second.prints('listening on 127.0.0.1:53219')
    expect(await opens()).toBe('open')
    expect(serversOf(second)).toHaveLength(1)
  })

  it('says that another program has the port, refuses every page from there, and serves as soon as it is free', async () => {
    const end = await squat()
    const directory = tempDirectory()
    const hookline = await RunningHookline.listening(directory)
    expect(await opens()).toMatch('403')
    await hookline.prints('127.0.0.1:53220 is held by another program: pages from there are refused')
    expect(serversOf(hookline)).toEqual([])
    expect(await consoleOf(directory)).toEqual({
      state: 'held',
      address: 'http://127.0.0.1:53220',
      ...(process.platform === 'linux' ? { user: canBeAnotherUser ? NOBODY : process.geteuid?.() } : {}),
    })
    await end()
    await expect.poll(() => holder(directory)).toBe('ours')
    await expect.poll(opens).toBe('open')
    expect(await consoleOf(directory)).toMatchObject({ state: 'served' })
    hookline.signal('SIGTERM')
    await hookline.ended()
    expect(await consoleOf(directory)).toMatchObject({ state: 'not-served' })
  })

  it('takes a program that has the port and is ending for no other user’s', async () => {
    const ending = createServer((socket) => {
      ending.close()
      socket.destroy()
    })
    await new Promise<void>((resolve) => ending.listen(PORT, '127.0.0.1', resolve))
    const hookline = await RunningHookline.listening(tempDirectory())
    expect(await opens()).toBe('open')
    hookline.signal('SIGTERM')
    const { stdout, stderr } = await hookline.ended()
    expect(stdout + stderr).not.toContain('is held by another program')
  })

  it('does not where web.enabled is false, and follows it', async () => {
    const directory = tempDirectory()
    const config = join(directory, 'config.json')
    writeFileSync(config, '{"web":{"enabled":false}}')
    const hookline = await RunningHookline.listening(directory)
    expect(await opens()).toMatch('403')
    expect(await holder(directory)).toBe('none')
    writeFileSync(config, '{"web":{"enabled":true}}')
    await expect.poll(opens).toBe('open')
    writeFileSync(config, '{"web":{"enabled":false}}')
    await expect.poll(() => serversOf(hookline)).toEqual([])
    expect(await opens()).toMatch('403')
  })
})

describe('the terminal', () => {
  it('says where the console is where it is asked, and not by itself', async () => {
    const terminal = await openTerminal(tempDirectory())
    await expect.poll(opens).toBe('open')
    terminal.send('status\r')
    await terminal.until((screen) => screen.lines().some((line) => line.includes(ORIGIN)))
    expect(terminal.lines().join('\n')).not.toContain('console on')
  })
})

describe('a pipe', () => {
  it('serves no console until a page asks, and exec none', async () => {
    const directory = tempDirectory()
    const piped = new RunningHookline(directory)
    await piped.prints('listening on 127.0.0.1:53219')
    await run(directory, ['exec', 'echo here'])
    expect(await holder(directory)).toBe('none')
    expect(serversOf(piped)).toEqual([])
    expect(await opens()).toBe('open')
    expect(await holder(directory)).toBe('ours')
  })
})
