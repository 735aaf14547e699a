// What hookline is made of: the packages that CONTRIBUTING.md argues for, and what comes with them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNodes, packageOf, packagesImportedBy } from './imports.ts'
import { closureOf, lockedPackages, nameOf, ROOT, read } from './lock-file.ts'

const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>

const sectionOf = (paper: string, title: string): string =>
  new RegExp(`^## ${title}\n(.*?)(?=^## |(?![^]))`, 'ms').exec(read(paper))?.[1] ?? ''

const argued = sectionOf('CONTRIBUTING.md', 'Dependencies')

/** What stands between backticks, as packages. */
const named = (text: string): Set<string> =>
  new Set([...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => packageOf(name)))

/** What npm brings to whoever installs hookline. */
const installed = closureOf(Object.keys(dependencies ?? {}))

const isConsole = (file: string) => file.startsWith('web/')
/** Imported by name, and those whose files the build compiles by their paths into chunks beside the program. */
const needed = [...packagesImportedBy((file) => !isConsole(file)), 'ccxt'].sort()
/** Compiled into the program, its chunks and the client, and into the console's files. */
const running = closureOf(needed)
const shown = closureOf(packagesImportedBy(isConsole))

describe('the packages that hookline needs to run', () => {
  it("are those of CONTRIBUTING's table", () => {
    const firstCells = [...argued.matchAll(/^\|([^|]*`[^|]*)\|/gm)].map(([, cell = '']) => cell)
    expect([...named(firstCells.join())].sort()).toEqual(needed)
  })

  it('are compiled into the program, which asks for nothing else', () => {
    const asked = [...read('dist/main.cjs').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name)
    expect(asked).toContain('node:http')
    // `ws` and `pg` go without their binaries where they are missing, which nobody here asks for.
    const optional = ['ws', 'pg'].flatMap((name) =>
      Object.keys(lockedPackages.get(`node_modules/${name}`)?.peerDependencies ?? {}),
    )
    const own = ['./contract.cjs', './mcp.cjs']
    expect(asked.filter((name) => !isNodes(name) && !optional.includes(name) && !own.includes(name))).toEqual([])
    const inContract = [...read('dist/contract.cjs').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name)
    expect(inContract.filter((name) => !isNodes(name))).toEqual([])
    const inTools = [...read('dist/mcp.cjs').matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name)
    expect(inTools.filter((name) => !isNodes(name) && !optional.includes(name))).toEqual([])
    expect(asksOfChunks().filter((name) => !isNodes(name) && !/^\.\/[\w-]+\.cjs$/.test(name))).toEqual([])
    expect(read('dist/client.js')).not.toMatch(/^import\b|^export\b.*\bfrom\b|\bimport\(|\brequire\(/m)
  })

  it("are, with the console's and all that comes with them, as many as SECURITY.md says, each with its licence", () => {
    const [, count] = /(\d+) packages are compiled/.exec(sectionOf('SECURITY.md', 'Supply chain')) ?? []
    const notices = [...read('dist/THIRD-PARTY.md').matchAll(/^## (\S+) ([\d.]+): \S+\n\n```\n/gm)]
    const known = new Set([...running, ...shown].map((path) => `${nameOf(path)} ${lockedPackages.get(path)?.version}`))
    expect(notices.filter(([, name, version]) => !known.has(`${name} ${version}`))).toEqual([])
    const listed = new Set(notices.map(([, name]) => name))
    expect([...needed, ...packagesImportedBy(isConsole)].filter((name) => !listed.has(name))).toEqual([])
    expect([listed.size, notices.length]).toEqual([Number(count), Number(count)])
  })
})

/** What the files of the venues ask for: each other, and Node's own. */
function asksOfChunks(): string[] {
  const files = readdirSync(join(ROOT, 'dist/ccxt')).map((file) => read(`dist/ccxt/${file}`))
  return files.flatMap((text) => [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name))
}

describe('the packages that come with hookline', () => {
  it("are those that the client's types speak of, and no other", () => {
    expect(Object.keys(dependencies ?? {})).toEqual(packagesImportedBy((file) => file.startsWith('protocol/')))
  })

  it('are what package-lock.json takes for needed', () => {
    const needed = [...lockedPackages].filter(([, { dev }]) => !dev).map(([path]) => path)
    expect(installed).toEqual(needed.sort())
  })
})

describe('the packages of the console', () => {
  it('are for development, and named in CONTRIBUTING', () => {
    const imported = packagesImportedBy(isConsole)
    expect(imported).toContain('react')
    expect(imported.filter((name) => !(devDependencies && name in devDependencies))).toEqual([])
    expect(imported.filter((name) => !named(argued).has(name))).toEqual([])
  })
})

describe('the packages for development', () => {
  it('are named in CONTRIBUTING', () => {
    const names = Object.keys(devDependencies ?? {}).filter((name) => !name.startsWith('@types/'))
    expect(names.filter((name) => !named(argued).has(name))).toEqual([])
  })

  it('run nothing while they are installed, but for those that CONTRIBUTING names with a reason', () => {
    const scripted = [...lockedPackages.keys()].filter((path) => runsAtInstall(path)).map(nameOf)
    const [, excused = ''] = /only ((?:`[^`]+`(?:, | and )?)+) ha(?:s|ve) an? install script/.exec(argued) ?? []
    expect(scripted.sort()).toEqual([...named(excused)].sort())
  })
})

/** npm compiles a package with a `binding.gyp` without being asked. */
function runsAtInstall(path: string): boolean {
  const folder = join(ROOT, path)
  if (lockedPackages.get(path)?.hasInstallScript) return true
  // Made for another platform.
  if (!existsSync(join(folder, 'package.json'))) return false
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return existsSync(join(folder, 'binding.gyp')) || ['preinstall', 'install', 'postinstall'].some((at) => at in scripts)
}

describe('every package that comes with hookline or is compiled into it', () => {
  const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']

  it.each([...new Set([...installed, ...running, ...shown])])(
    '%s has a permissive licence and is not deprecated',
    (path) => {
      const { license = 'none', deprecated } = lockedPackages.get(path) ?? {}
      expect(license.split(' OR ').some((one) => PERMISSIVE.includes(one))).toBe(true)
      expect(deprecated).toBeUndefined()
    },
  )

  it.each(installed)('%s runs nothing while it is installed', (path) => {
    expect(existsSync(join(ROOT, path, 'package.json'))).toBe(true)
    expect(runsAtInstall(path)).toBe(false)
  })
})

describe('package-lock.json', () => {
  const entries = [...lockedPackages]

  it('holds no addresses: packages come from the registry that npm is set to', () => {
    expect(entries.length).toBeGreaterThan(installed.length)
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    expect(read('package-lock.json')).not.toMatch(/\.tgz|\bregistry\b/)
  })

  it("pins every package by hash, but for the linter's binaries of platforms that no gate runs on", () => {
    const unpinned = entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    expect(unpinned.filter(([path]) => !path.startsWith('node_modules/@biomejs/cli-'))).toEqual([])
    expect(unpinned.filter(([, { dev, optional }]) => !dev || !optional)).toEqual([])
    expect(unpinned.filter(([path]) => existsSync(join(ROOT, path)))).toEqual([])
  })
})
