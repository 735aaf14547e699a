// A release, rehearsed: published into a registry on the loopback, installed from there, upgraded over real state; and the Debian package in a root of its own.
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type NpmRegistry, startNpmRegistry } from '../../harness/network/npm-registry.ts'
import type { Ended } from '../../harness/process/hookline.ts'
import { RunningProgram } from './installed-hookline.ts'
import { ROOT, read } from './lock-file.ts'
import { withDeclarations } from './packed.ts'

const exec = promisify(execFile)
const TOKEN = 'a-token-of-the-rehearsal'
const { version } = JSON.parse(read('package.json'))
const directory = mkdtempSync(join(tmpdir(), 'hookline-rehearsal-'))
const released = join(directory, 'released')

/** npm with a configuration, a cache and a home of its own: nothing of the machine's is used or changed. */
function npm(
  registry: NpmRegistry,
  args: readonly string[],
  cwd = directory,
): Promise<{ stdout: string; stderr: string }> {
  const home = join(directory, 'home')
  mkdirSync(home, { recursive: true })
  const { host } = new URL(registry.url)
  writeFileSync(
    join(home, 'npmrc'),
    `registry=${registry.url}\n//${host}/:_authToken=${TOKEN}\nupdate-notifier=false\n`,
  )
  const env = { PATH: process.env.PATH, HOME: home, npm_config_userconfig: join(home, 'npmrc') }
  const quiet = ['--cache', join(directory, 'cache'), '--no-audit', '--no-fund', '--loglevel=error']
  return exec('npm', [...quiet, ...args], { cwd, env, timeout: 60_000 })
}

const assemble = (out: string, ...only: readonly string[]) =>
  exec(
    process.execPath,
    ['scripts/release/assemble.mjs', '--rehearsal', '--out', out, ...only.flatMap((kind) => ['--only', kind])],
    // Outside git too.
    { cwd: ROOT, env: { ...process.env, SOURCE_DATE_EPOCH: '1790000000' } },
  )

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

beforeAll(async () => {
  await withDeclarations(() => assemble(released, 'npm', 'deb', 'sbom'))
}, 120_000)

afterAll(() => rmSync(directory, { recursive: true }))

describe('the files of a release', () => {
  it('have checksums that sha256sum accepts', () => {
    const { status, stdout } = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: released, encoding: 'utf8' })
    expect([status, stdout.trim().split('\n').length]).toEqual([0, 3])
  })

  it('are the same bytes when they are made again', async () => {
    const again = join(directory, 'again')
    await assemble(again, 'deb', 'sbom')
    const [sums = '', sumsAgain = ''] = [released, again].map((out) => readFileSync(join(out, 'SHA256SUMS'), 'utf8'))
    expect(sums.split('\n').filter((line) => !line.endsWith('.tgz'))).toEqual(sumsAgain.split('\n'))
  })

  it('have a bill of materials with what THIRD-PARTY.md names, each pinned by its hash', () => {
    const sbom = JSON.parse(readFileSync(join(released, `hookline-${version}.cdx.json`), 'utf8'))
    const named =
      read('dist/THIRD-PARTY.md')
        .match(/^## .+ .+: .+$/gm)
        ?.map((line) => line.slice(3)) ?? []
    const components: readonly {
      readonly name: string
      readonly version: string
      readonly licenses: readonly [{ readonly expression?: string; readonly license?: { readonly id: string } }]
      readonly hashes: readonly [{ readonly content: string }]
    }[] = sbom.components
    expect(named.length).toBeGreaterThan(30)
    expect(
      components.map(
        ({ name, version, licenses: [first] }) => `${name} ${version}: ${first.license?.id ?? first.expression}`,
      ),
    ).toEqual(named)
    const lock = JSON.parse(read('package-lock.json')).packages
    for (const { name, hashes } of components) {
      const pinned = Object.entries<{ integrity?: string }>(lock).flatMap(([path, { integrity = '' }]) =>
        path.endsWith(`node_modules/${name}`) ? [Buffer.from(integrity.slice(7), 'base64').toString('hex')] : [],
      )
      expect(pinned).toContain(hashes[0].content)
    }
  })
})

describe('published into a registry', () => {
  let registry: NpmRegistry
  const next = version.replace(/\d+$/, (patch: string) => `${Number(patch) + 1}`)

  beforeAll(async () => {
    registry = await startNpmRegistry(TOKEN)
    const zod = JSON.parse((await npm(registry, ['pack', '--json', join(ROOT, 'node_modules/zod')])).stdout)[0].filename
    await npm(registry, ['publish', '--ignore-scripts', join(directory, zod)])
    await npm(registry, ['publish', '--ignore-scripts', join(released, `hookline-${version}.tgz`)])
  }, 120_000)

  afterAll(() => registry.close())

  it('is what was packed', () => {
    const packed = readFileSync(join(released, `hookline-${version}.tgz`))
    expect(registry.tarballOf('hookline', version)?.equals(packed)).toBe(true)
  })

  it('trades on paper by npx, on a machine with Node alone', async () => {
    const run = async (line: string) =>
      npm(registry, ['exec', '--yes', '--package=hookline', '--', 'hookline', 'exec', line])
    expect((await run('buy 100usd BTCUSDT')).stdout).toContain('BTCUSDT')
    expect((await run('positions')).stdout).toContain('BTCUSDT')
  })

  it('is installed, upgraded over its state, and finds the newer version before; nothing is lost', async () => {
    const prefix = join(directory, 'global')
    await npm(registry, ['install', '--global', '--prefix', prefix, 'hookline'])
    const home = tempDirectory()
    const hookline = (...args: readonly string[]) => runGlobal(prefix, home, args)
    const lines = ['buy 100usd BTCUSDT', 'buy 100usd BTCUSDT at -20%', 'alias held "positions"', 'set @size 5usd']
    const started = [await hookline('hook', 'create', 'dip', 'buy 10usd BTCUSDT', '--json')]
    for (const line of lines) started.push(await hookline('exec', line))
    expect(started.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(started.map(() => 0))
    const state = join(home, '.hookline')
    const before = filesOf(state)
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['accounts.json', 'hooks.json', 'orders.jsonl', 'vars.json']),
    )

    await publishNext(registry, next)
    const check = await hookline('update', '--check', '--registry', registry.url)
    expect(check.stdout).toBe(
      `hookline ${next} is newer than this ${version}; run \`npm install -g hookline@${next}\`\n`,
    )

    await npm(registry, ['install', '--global', '--prefix', prefix, `hookline@${next}`])
    expect((await hookline('--version')).stdout).toBe(`${next}\n`)
    for (const file of ['accounts.json', 'hooks.json', 'aliases.json', 'vars.json', 'paper-paper.json'])
      expect(readFileSync(join(state, file), 'utf8')).toBe(before[file])
    const shown = [await hookline('exec', 'positions; orders; alias'), await hookline('hook', 'list')]
    expect(shown.map(({ code }) => code)).toEqual([0, 0])
    expect(shown[0]?.stdout).toMatch(/BTCUSDT.*limit.*held/s)
    expect(shown[1]?.stdout).toContain('dip')
    expect((await hookline('exec', 'buy 100usd BTCUSDT')).code).toBe(0)
    // Every line of the journal that the version before wrote is still its beginning.
    expect(readFileSync(join(state, 'orders.jsonl'), 'utf8').startsWith(`${before['orders.jsonl']}`)).toBe(true)
  })

  it('says in words what a version before its files cannot write', async () => {
    const home = tempDirectory()
    mkdirSync(join(home, '.hookline'), { mode: 0o700 })
    const hooks = '{"version":99,"hooks":[]}'
    writeFileSync(join(home, '.hookline/hooks.json'), hooks)
    const { stderr, code } = await runGlobal(join(directory, 'global'), home, ['hook', 'create', 'x', 'echo x'])
    expect(stderr).toContain('hooks.json is of version 99, written by a newer hookline; this one writes version')
    expect(code).toBe(1)
    expect(readFileSync(join(home, '.hookline/hooks.json'), 'utf8')).toBe(hooks)
  })
})

/** `hookline` as npm put it into the global folder. */
function runGlobal(prefix: string, home: string, args: readonly string[]): Promise<Ended> {
  const at = { folder: prefix, nodeFolder: dirname(process.execPath), home }
  return new RunningProgram(at, join(prefix, 'bin/hookline'), args).ended()
}

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(entries.map(({ name }) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** The same program under the next version. */
async function publishNext(registry: NpmRegistry, next: string): Promise<void> {
  const folder = join(directory, 'next')
  mkdirSync(folder)
  await exec('tar', ['-xzf', join(released, `hookline-${version}.tgz`), '-C', folder])
  const manifest = join(folder, 'package/package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(`"version": "${version}"`, `"version": "${next}"`))
  const main = join(folder, 'package/dist/main.cjs')
  const text = readFileSync(main, 'latin1')
  const changed = text.replace(`VERSION = true ? "${version}"`, `VERSION = true ? "${next}"`)
  expect(changed).not.toBe(text)
  writeFileSync(main, changed, 'latin1')
  await npm(registry, ['publish', '--ignore-scripts', '.'], join(folder, 'package'))
}

describe.skipIf(spawnSync('dpkg-deb', ['--version']).error !== undefined)('the Debian package', () => {
  const deb = join(released, `hookline_${version}_all.deb`)
  const root = join(directory, 'root')

  it('holds the command, the manual, completions, the unit, and the program as built', async () => {
    const { stdout } = await exec('dpkg-deb', ['--contents', deb])
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/))
    expect(rows.filter(([, owner]) => owner !== 'root/root')).toEqual([])
    const paths = rows.map(([mode = '', , , , , path = '']) => [path, mode] as const)
    const beside = paths.filter(([path]) => !path.endsWith('/') && !path.startsWith('./usr/lib/hookline/'))
    expect(beside).toEqual([
      ['./usr/lib/systemd/user/hookline.service', '-rw-r--r--'],
      ['./usr/share/bash-completion/completions/hookline', '-rw-r--r--'],
      ['./usr/share/doc/hookline/changelog.gz', '-rw-r--r--'],
      ['./usr/share/doc/hookline/copyright', '-rw-r--r--'],
      ['./usr/share/fish/vendor_completions.d/hookline.fish', '-rw-r--r--'],
      ['./usr/share/man/man1/hookline.1.gz', '-rw-r--r--'],
      ['./usr/share/zsh/vendor-completions/_hookline', '-rw-r--r--'],
      ['./usr/bin/hookline', 'lrwxrwxrwx'],
    ])
    await exec('dpkg-deb', ['--extract', deb, root])
    for (const file of ['main.cjs', 'hookline.cjs', 'contract.cjs', 'mcp.cjs', 'web/index.html', 'ccxt/binance.cjs'])
      expect(hashOf(join(root, 'usr/lib/hookline', file))).toBe(hashOf(join(ROOT, 'dist', file)))
    expect(readdirSync(join(root, 'usr/lib/hookline')).sort()).toEqual(
      ['ccxt', 'contract.cjs', 'hookline.cjs', 'main.cjs', 'mcp.cjs', 'web'].sort(),
    )
    expect(gunzipSync(readFileSync(join(root, 'usr/share/man/man1/hookline.1.gz'))).toString()).toBe(
      read('dist/hookline.1'),
    )
    const unit = readFileSync(join(root, 'usr/lib/systemd/user/hookline.service'), 'utf8')
    expect(unit).toContain('\nExecStart=:"/usr/bin/hookline" "listen"\n')
    expect(unit).toContain('\nReadWritePaths=%h/.hookline\n')
    expect(unit).not.toMatch(/HOME|service install/)
    rmSync(root, { recursive: true })
  })

  it('takes less than 13 MB when it is installed', async () => {
    // 10.9 MB when this was written.
    const { stdout } = await exec('dpkg-deb', ['--field', deb, 'Installed-Size'])
    expect(Number(stdout)).toBeLessThan(13_000)
  })

  it('is installed in a root of its own, runs there, and leaves nothing when it is removed', ({ skip }) => {
    for (const folder of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'usr/bin'])
      mkdirSync(join(root, folder), { recursive: true })
    // Node is there, as far as dpkg knows.
    const node = ['Package: nodejs', 'Status: install ok installed', 'Maintainer: x <x@x.invalid>', 'Architecture: all']
    writeFileSync(join(root, 'var/lib/dpkg/status'), `${[...node, 'Version: 22.0.0', 'Description: x'].join('\n')}\n\n`)
    writeFileSync(join(root, 'var/lib/dpkg/info/nodejs.list'), '')
    const asRoot = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user']
    const dpkg = (...args: readonly string[]) => {
      const [command = '', ...words] = [...asRoot, 'dpkg', `--root=${root}`, '--force-not-root', ...args]
      // Its PATH has no sbin for a plain user.
      const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
      return spawnSync(command, words, { encoding: 'utf8', env })
    }
    const installed = dpkg('--install', deb)
    skip(installed.error !== undefined, 'dpkg cannot be run here')
    expect([installed.status, installed.stderr]).toEqual([0, ''])
    const { status, stdout } = spawnSync(join(root, 'usr/bin/hookline'), ['--version'], { encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, `${version}\n`])
    expect(dpkg('--verify', 'hookline').stdout).toBe('')

    const removed = dpkg('--purge', 'hookline')
    expect([removed.status, removed.stderr]).toEqual([0, ''])
    const left = readdirSync(root, { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => !/^var(\/|$)/.test(path))).toEqual([])
  })
})
