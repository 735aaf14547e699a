// The package, installed in an empty folder as its users do, works under every Node that it is for.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isFree } from '../../harness/network/free-port.ts'
import { botProgram } from '../../harness/process/bot-program.ts'
import { LISTENING, post, withoutTimes } from '../../harness/process/hookline.ts'
import { lockMachine } from '../../harness/process/machine-lock.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { CONSOLE_PORT } from '../../src/protocol/address.ts'
import { type Installation, runHookline, runNode, startHookline } from './installed-hookline.ts'
import { ROOT, read } from './lock-file.ts'
import { fetchNode, NODE_RELEASES, need, type Obtained, obtain } from './node-releases.ts'
import { npmInstall, packHookline } from './packed.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-installed-'))
const nodes = new Map<string, Obtained>()
let installed: Obtained

beforeAll(async () => {
  const { path } = await packHookline(directory)
  const folder = join(directory, 'app')
  const fetches = NODE_RELEASES.map(async (release) => void nodes.set(release, await fetchNode(release)))
  installed = await obtain(folder, () => npmInstall(folder, path, 60_000))
  await Promise.all(fetches)
}, 110_000)

afterAll(() => rmSync(directory, { recursive: true }))

function installationUnder(release: string, context: TestContext): Installation {
  const folder = need(context, installed)
  return { folder, nodeFolder: need(context, nodes.get(release)), home: tempDirectory() }
}

/** The built-in WebSocket is behind a flag in Node 20. */
const flagsFor = (release: string) => (release.startsWith('20') ? ['--experimental-websocket', '--no-warnings'] : [])

describe.each(NODE_RELEASES)('under Node %s, the installed hookline', (release) => {
  it('answers on the command line', async (context) => {
    const at = installationUnder(release, context)
    const { version } = JSON.parse(read('package.json'))
    expect(await runHookline(at, '--version')).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 })
    const price = { stdout: expect.stringMatching(/^BTCUSDT [\d,.]+ .*\n {2}mark [^\n]*\n$/), stderr: '', code: 0 }
    expect(await runHookline(at, 'exec', 'price')).toEqual(price)
  })

  it('fires a hook, journals its run, and ends at SIGTERM with 0', async (context) => {
    const at = installationUnder(release, context)
    const hook = JSON.parse((await runHookline(at, 'hook', 'create', 'x', 'echo fired', '--json')).stdout)
    onTestFinished(await lockMachine('fixed ports'))
    const listener = startHookline(at, 'listen')
    await listener.prints(LISTENING)
    const { status, body } = await post(hook.url, hook.token)
    expect(status).toBe(200)
    await listener.prints('[hook:x] fired\n')
    const { stdout, ...ended } = await listener.stop()
    expect(withoutTimes(stdout)).toBe(`${LISTENING}\n[hook:x] fired\n`)
    expect(ended).toEqual({ stderr: '', code: 0 })
    const journal = readFileSync(join(at.home, '.hookline/runs.jsonl'), 'utf8').trim().split('\n')
    const { runId } = JSON.parse(body)
    expect(journal.map((line) => JSON.parse(line))).toMatchObject([
      { t: 'start', runId, command: 'echo fired' },
      { t: 'done', runId, ok: true },
    ])
  })

  it('serves the console', { timeout: 100_000 }, async (context) => {
    const at = installationUnder(release, context)
    onTestFinished(await lockMachine('fixed ports'))
    await expect.poll(() => isFree(CONSOLE_PORT), { timeout: 70_000, interval: 500 }).toBe(true)
    const server = startHookline(at, 'web')
    await server.prints(`console on ${ORIGIN}`)
    const page = await fetch(`${ORIGIN}/`)
    const html = await page.text()
    expect([page.status, html]).toEqual([200, expect.stringContaining('<title>hookline</title>')])
    const [, script = 'none'] = /<script [^>]*src="([^"]+)"/.exec(html) ?? []
    const answer = await fetch(new URL(script, ORIGIN), { headers: { connection: 'close' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await answer.text()).toBe(readFileSync(join(at.folder, 'node_modules/hookline/dist/web', script), 'utf8'))
    expect(await server.stop()).toMatchObject({ stderr: '', code: 0 })
  })

  it('does what a program tells it that imports hookline/client', async (context) => {
    const at = installationUnder(release, context)
    const bot = join(at.folder, `bot-${release}.mjs`)
    writeFileSync(bot, botProgram('hookline/client'))
    const clientId = randomUUID()
    expect(await runHookline(at, 'clients', 'trust', clientId)).toMatchObject({ code: 0 })
    onTestFinished(await lockMachine('fixed ports'))
    const listener = startHookline(at, 'listen')
    await listener.prints(LISTENING)
    const said = 'from a program\n{"success":true}\n'
    expect(await runNode(at, ...flagsFor(release), bot, clientId)).toEqual({ stdout: said, stderr: '', code: 0 })
    expect(await listener.stop()).toMatchObject({ stderr: '', code: 0 })
  })

  it('gives its client to CommonJS too', async (context) => {
    const at = installationUnder(release, context)
    const script = "console.log(typeof require('hookline/client').createHooklineClient)"
    expect(await runNode(at, '-e', script)).toMatchObject({ stdout: 'function\n', code: 0 })
  })
})

describe("V8's code of the program", () => {
  const ACCEPTED = `
    const { Script } = require('node:vm')
    const source = require('node:fs').readFileSync('dist/main.cjs', 'latin1')
    const cachedData = require('node:fs').readFileSync(process.argv[1])
    console.log(!new Script(source, { filename: 'main.cjs', cachedData }).cachedDataRejected)`

  it('is for the Node that made it, and harms no other that starts beside it', async (context) => {
    const folder = tempDirectory()
    mkdirSync(join(folder, 'dist'))
    for (const file of ['main.cjs', 'hookline.cjs']) copyFileSync(join(ROOT, 'dist', file), join(folder, 'dist', file))
    const kept = new Set<string>()
    const all = NODE_RELEASES.map((release) => ({ ...installationUnder(release, context), folder }))
    for (const at of all) {
      await runNode(at, join(ROOT, 'scripts/keep-code.cjs'), 'exec', 'status')
      const [code, ...more] = readdirSync(join(folder, 'dist')).filter(
        (file) => /\.code$/.test(file) && !kept.has(file),
      )
      expect([code, more]).toEqual([expect.stringMatching(/^main\.v/), []])
      kept.add(`${code}`)
      expect(await runNode(at, '-e', ACCEPTED, `dist/${code}`)).toEqual({ stdout: 'true\n', stderr: '', code: 0 })
    }
    for (const at of all) {
      const ended = await runNode(at, 'dist/hookline.cjs', 'exec', 'echo started')
      expect(ended).toEqual({ stdout: 'started\n', stderr: '', code: 0 })
    }
  })
})

describe('the types of the installed hookline/client', () => {
  it('compile in strict mode, with every declaration checked', async (context) => {
    const folder = need(context, installed)
    const program = `
      import { type ClientOptions, createHooklineClient, createMemoryPin, type RunResult } from 'hookline/client'
      const options: ClientOptions = { clientId: '', label: '', pin: createMemoryPin() }
      export const result: Promise<RunResult> = createHooklineClient(options).exec('price').result
      // @ts-expect-error a line is text
      createHooklineClient(options).exec(1)`
    writeFileSync(join(folder, 'program.mts'), program)
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023,dom', '--types', '']
    const checked = promisify(execFile)(process.execPath, [compiler, ...options, 'program.mts'], { cwd: folder })
    await expect(checked).resolves.toMatchObject({ stdout: '' })
  })
})
