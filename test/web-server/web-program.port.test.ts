// `hookline web` as people start it: the built binary on its real port.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, RunningHookline, run } from '../../harness/process/hookline.ts'
import { webSettings } from '../../src/protocol/web-api.ts'

const URL = 'http://127.0.0.1:53220'
const BANNER = `console on ${URL} (Ctrl-C to stop)\n`
const NOT_BUILT = 'the console is not built yet: run `npm run build`\n'

/** The binary in a folder of its own, with a console beside it or without. @returns its path */
function installed(page: string | undefined): string {
  const folder = tempDirectory()
  const binary = join(folder, 'hookline.cjs')
  for (const file of ['hookline.cjs', 'main.cjs']) copyFileSync(join(dirname(BINARY), file), join(folder, file))
  if (page !== undefined) {
    mkdirSync(join(folder, 'web'))
    writeFileSync(join(folder, 'web/index.html'), page)
  }
  return binary
}

interface Started {
  readonly web: RunningHookline
  readonly directory: string
}

async function startWeb({
  page,
  args = [],
  path,
  env = {},
}: {
  page?: string
  args?: readonly string[]
  path?: string
  env?: Readonly<Record<string, string>>
} = {}): Promise<Started> {
  const directory = tempDirectory()
  const web = new RunningHookline(directory, ['web', ...args], { binary: installed(page), env, ...(path && { path }) })
  await web.prints(BANNER)
  return { web, directory }
}

describe('hookline web', () => {
  test('serves the console that lies beside it', async () => {
    const { web } = await startWeb({ page: '<title>console</title>' })
    const answer = await fetch(`${URL}/`)
    expect(await answer.text()).toBe('<title>console</title>')
    expect(answer.headers.get('server')).toMatch(/^hookline-web\/\d+\.\d+\.\d+/)
    web.signal('SIGTERM')
    expect(await web.ended()).toEqual({ stdout: BANNER, stderr: '', code: 0 })
  })

  test('says in the terminal and in the browser that there is no console yet', async () => {
    const { web } = await startWeb()
    const answer = await fetch(`${URL}/`)
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build')])
    web.signal('SIGINT')
    expect(await web.ended()).toEqual({ stdout: BANNER, stderr: NOT_BUILT, code: 0 })
  })

  test('ends with 0 at Ctrl-C although a browser holds a connection', async () => {
    const { web } = await startWeb({ page: 'x' })
    const held = await fetch(`${URL}/`)
    expect(held.status).toBe(200)
    web.signal('SIGINT')
    expect((await web.ended()).code).toBe(0)
  })

  test('gets the check-in of a hookline that starts, both on their real ports', async () => {
    const { directory } = await startWeb({ page: 'x' })
    const listener = await RunningHookline.listening(tempDirectory())
    const checkins = async () => webSettings.parse(await (await fetch(`${URL}/api/settings`)).json()).cli.checkins
    await expect.poll(checkins).toEqual({
      [process.platform]: { at: expect.any(Number), version: expect.any(String) },
    })
    // Who asks is not told which listener it is; the file knows.
    const { [process.platform]: kept } = JSON.parse(readFileSync(join(directory, 'web-settings.json'), 'utf8')).cli
      .checkins
    expect(kept).toMatchObject({ listenerId: expect.any(String), ...(await checkins())[process.platform as 'linux'] })
    listener.signal('SIGTERM')
    await listener.ended()
  })

  test('logs why it refused a request, with both values', async () => {
    const { web, directory } = await startWeb({ page: 'x' })
    const refused = await fetch(`${URL}/api/settings`, { headers: { Origin: 'https://evil.test' } })
    expect([refused.status, await refused.text()]).toEqual([403, '{"ok":false,"error":"forbidden"}'])
    web.signal('SIGTERM')
    expect(await web.ended()).toMatchObject({ stdout: BANNER, stderr: '' })
    const log = readFileSync(join(directory, 'hookline.log'), 'utf8')
    expect(log).toContain('Origin is https://evil.test, not http://127.0.0.1:53220')
  })

  test('names the file and the line when the settings have a mistake', async () => {
    const directory = tempDirectory()
    writeFileSync(join(directory, 'web-settings.json'), '{\n"cli": 7}')
    const web = new RunningHookline(directory, ['web'], { binary: installed('x') })
    await web.prints(BANNER)
    await expect.poll(() => web.stderr).toContain('web-settings.json:2: cli must be an object')
    web.signal('SIGTERM')
    await web.ended()
  })
})

describe('a taken port ends it with 1 and one line', () => {
  test('when another hookline web has it', async () => {
    await startWeb({ page: 'x' })
    expect(await run(tempDirectory(), ['web'])).toEqual({
      stdout: '',
      stderr:
        'error: 127.0.0.1:53220 is held by another `hookline web` (open http://127.0.0.1:53220, where its console is)\n',
      code: 1,
    })
  })

  test.each<[string, (server: Server) => void]>([
    ['says nothing', () => {}],
    ['speaks no HTTP', (server) => server.on('connection', (socket) => socket.end('220 mail.test ESMTP\r\n'))],
    [
      'is another web server',
      (server) => server.on('connection', (socket) => socket.end('HTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n')),
    ],
    [
      'drips headers',
      (server) =>
        server.on('connection', (socket) => {
          socket.write('HTTP/1.1 200 OK\r\n')
          const drip = setInterval(() => socket.write('X: x\r\n'), 50)
          socket.on('close', () => clearInterval(drip))
        }),
    ],
  ])('when a program has it that %s', async (_what, behave) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket.on('error', () => {}).resume()))
    behave(server)
    await new Promise<void>((resolve) => server.listen(53220, '127.0.0.1', resolve))
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    })
    const { stdout, stderr, code } = await run(tempDirectory(), ['web'])
    expect([stdout, code]).toEqual(['', 1])
    expect(stderr).toMatch(/^error: 127\.0\.0\.1:53220 is held by another program \(.+\)\n$/)
  })
})

describe.skipIf(process.platform !== 'linux')('--open', () => {
  /** A folder with an `xdg-open` that does as told. */
  function opener(script: string): string {
    const folder = tempDirectory()
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, 'xdg-open'), 0o755)
    return folder
  }

  test('opens the console in the default browser', async () => {
    const path = opener('echo "$@" > "$0.called"')
    const { web } = await startWeb({ page: 'x', args: ['--open'], path })
    await expect.poll(() => readFileSync(join(path, 'xdg-open.called'), 'utf8')).toBe(`${URL}\n`)
    web.signal('SIGTERM')
    expect(await web.ended()).toEqual({ stdout: BANNER, stderr: '', code: 0 })
  })

  test('hands no keys of accounts to the browser', async () => {
    const path = opener('/usr/bin/env > "$0.env.new"; /bin/mv "$0.env.new" "$0.env"')
    const env = { HOOKLINE_MAIN_API_KEY: 'KEYofmain', HOOKLINE_MAIN_SECRET: 'SECRETofmain', OTHER: 'stays' }
    await startWeb({ page: 'x', args: ['--open'], path, env })
    await expect.poll(() => existsSync(join(path, 'xdg-open.env'))).toBe(true)
    const inherited = readFileSync(join(path, 'xdg-open.env'), 'utf8')
    expect(inherited).toContain('OTHER=stays')
    expect(inherited).not.toMatch(/ofmain/)
  })

  test.each([
    ['there is no opener', tempDirectory],
    ['the opener finds no browser', () => opener('exit 3')],
  ])('says what to do when %s, and serves on', async (_what, makePath) => {
    const { web } = await startWeb({ page: 'x', args: ['--open'], path: makePath() })
    await expect.poll(() => web.stderr).toBe(`\`xdg-open\` did not open a browser; open ${URL} yourself\n`)
    expect((await fetch(`${URL}/`)).status).toBe(200)
    web.signal('SIGTERM')
    expect((await web.ended()).code).toBe(0)
  })

  test('opens nothing unasked', async () => {
    const { web } = await startWeb({ page: 'x', path: tempDirectory() })
    web.signal('SIGTERM')
    expect(await web.ended()).toEqual({ stdout: BANNER, stderr: '', code: 0 })
  })
})
