// The single binary: Node, the program, the console and the venues in one file, which needs nothing beside it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { isFree } from '../../harness/network/free-port.ts'
import { findOwnNetwork } from '../../harness/network/own-network.ts'
import { LISTENING, post } from '../../harness/process/hookline.ts'
import { lockMachine } from '../../harness/process/machine-lock.ts'
import { type BuiltBinary, buildBinary } from '../../harness/process/single-binary.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'
import { CONSOLE_PORT } from '../../src/protocol/address.ts'
import { type Installation, RunningProgram } from './installed-hookline.ts'
import { ROOT, read } from './lock-file.ts'
import { need } from './node-releases.ts'

const { version } = JSON.parse(read('package.json'))
/** Nothing of the repository is beside it. */
const directory = mkdtempSync(join(tmpdir(), 'hookline-binary-'))
afterAll(() => rmSync(directory, { recursive: true }))

function takenAway(built: BuiltBinary): BuiltBinary {
  if ('missing' in built) return built
  const path = join(directory, built.path.slice(built.path.lastIndexOf('/') + 1))
  copyFileSync(built.path, path)
  return { path }
}

describe.skipIf(process.platform !== 'linux')('the single binary', () => {
  let built: BuiltBinary

  beforeAll(async () => {
    built = takenAway(await buildBinary(process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'))
  }, 300_000)

  // No PATH: what it needs is in it.
  const at = (): Installation => ({ folder: directory, nodeFolder: '/nonexistent', home: tempDirectory() })

  it('answers on the command line', async (context) => {
    const path = need(context, built)
    const installation = at()
    expect(await new RunningProgram(installation, path, ['--version']).ended()).toEqual({
      stdout: `${version}\n`,
      stderr: '',
      code: 0,
    })
    expect(await new RunningProgram(installation, path, ['exec', 'price']).ended()).toEqual({
      stdout: expect.stringMatching(/^BTCUSDT [\d,.]+ .*\n {2}mark [^\n]*\n$/),
      stderr: '',
      code: 0,
    })
    const { stdout } = await new RunningProgram(installation, path, ['service', 'install', '--print']).ended()
    expect(stdout).toContain(`\nExecStart=:"${path}" "listen"\n`)
  })

  it('listens, fires a hook, and ends at SIGTERM with 0', async (context) => {
    const path = need(context, built)
    const installation = at()
    const create = ['hook', 'create', 'x', 'echo fired', '--json']
    const hook = JSON.parse((await new RunningProgram(installation, path, create).ended()).stdout)
    onTestFinished(await lockMachine('fixed ports'))
    const listener = new RunningProgram(installation, path, ['listen'])
    await listener.prints(LISTENING)
    expect((await post(hook.url, hook.token)).status).toBe(200)
    await listener.prints('[hook:x] fired\n')
    expect(await listener.stop()).toMatchObject({ stderr: '', code: 0 })
  })

  it('serves the console from inside', { timeout: 100_000 }, async (context) => {
    const path = need(context, built)
    onTestFinished(await lockMachine('fixed ports'))
    await expect.poll(() => isFree(CONSOLE_PORT), { timeout: 70_000, interval: 500 }).toBe(true)
    const server = new RunningProgram(at(), path, ['web'])
    await server.prints(`console on ${ORIGIN}`)
    const html = await (await fetch(`${ORIGIN}/`)).text()
    const [, script = 'none'] = /<script [^>]*src="([^"]+)"/.exec(html) ?? []
    const answer = await fetch(new URL(script, ORIGIN), { headers: { connection: 'close' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await answer.text()).toBe(readFileSync(join(ROOT, 'dist/web', script), 'utf8'))
    expect((await fetch(`${ORIGIN}/../files.json`)).status).toBe(404)
    expect(await server.stop()).toMatchObject({ stderr: '', code: 0 })
  })

  it('loads nothing that lies beside it', async (context) => {
    const path = need(context, built)
    const planted = join(directory, 'node_modules/@napi-rs/keyring')
    const trace = join(directory, 'was-loaded')
    mkdirSync(planted, { recursive: true })
    writeFileSync(join(planted, 'package.json'), '{"main":"index.js"}')
    writeFileSync(join(planted, 'index.js'), `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')`)
    const line = ['exec', 'account add main binance linear --keys keychain']
    const { stderr } = await new RunningProgram(at(), path, line).ended()
    expect(stderr).toContain('no keychain can be used')
    expect(existsSync(trace)).toBe(false)
  })

  it('has the venues inside: one is asked by its own code, and nothing beside the binary is', async (context) => {
    const path = need(context, built)
    const network = findOwnNetwork()
    if ('missing' in network) return context.skip(`no network of its own: ${network.missing}`)
    const [command = '', ...prefix] = network.prefix
    const keys = ['HOOKLINE_MAIN_API_KEY=aaaaaaaaaaaaaaaa', 'HOOKLINE_MAIN_SECRET=bbbbbbbbbbbbbbbb']
    const line = ['exec', 'account add main binance linear --keys environment']
    const installation = { ...at(), nodeFolder: process.env.PATH ?? '' }
    const asked = new RunningProgram(installation, command, [...prefix, 'env', ...keys, path, ...line])
    expect(await asked.ended()).toMatchObject({
      stderr: expect.stringContaining('Binance cannot be reached; nothing was sent'),
      code: 1,
    })
  })
})

it('a binary for arm64 is built from the registry, and runs where the machine can pretend to be one', {
  timeout: 300_000,
}, async (context) => {
  context.skip(process.platform !== 'linux' || process.arch !== 'x64', 'this is not Linux on x64')
  const path = need(context, await buildBinary('linux-arm64'))
  // The machine that an ELF file is for: 183 is AArch64.
  expect(readFileSync(path).readUInt16LE(18)).toBe(183)
  const pretended = spawnSync('qemu-aarch64-static', ['--version']).error === undefined
  context.skip(!pretended, 'qemu-aarch64-static is not installed; the file is for arm64')
  const sysroot = '/usr/aarch64-linux-gnu'
  const { stdout, stderr } = spawnSync('qemu-aarch64-static', ['-L', sysroot, path, '--version'], { encoding: 'utf8' })
  context.skip(stderr.includes('ld-linux-aarch64'), 'there is no libc for arm64 here')
  expect(stdout).toBe(`${version}\n`)
})
