// What `npm publish` would send: the built program, the papers, and nothing of the house or of the machine it was built on.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, describe, expect, it } from 'vitest'
import { CCXT_VENUES } from '../../src/exchanges/venues.ts'
import { ROOT } from './lock-file.ts'
import { packHookline } from './packed.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-pack-'))
afterAll(() => rmSync(directory, { recursive: true }))

const packed = await packHookline(directory)
const tarball = new Uint8Array(readFileSync(packed.path))
const unpacked = createPackageFromTarballData(tarball)
const paths = packed.files.map(({ path }) => path)
const read = (path: string) => unpacked.readFile(`/node_modules/hookline/${path}`)

const declarationsOf = (folder: string) =>
  readdirSync(join(ROOT, 'src', folder)).map((file) => `dist/types/${folder}/${file.replace(/\.ts$/, '.d.ts')}`)

/** As Vite names what it makes. */
const ASSET = /^dist\/web\/assets\/[a-z-]+-[\w-]{8}\.(js|css|svg)$/

/** A file for each class of ccxt, and what they share. */
const VENUE = /^dist\/ccxt\/([a-z0-9]+)\.cjs$/
const SHARED = /^dist\/ccxt\/shared-[A-Z0-9]{8}\.cjs$/

describe('the package', () => {
  it('holds the program, the venues, the client with its types, the console and the papers, and nothing else', () => {
    const expected = [
      'CHANGELOG.md',
      'LICENSE',
      'PROTOCOL.md',
      'README.md',
      'SECURITY.md',
      'package.json',
      'dist/hookline.cjs',
      'dist/main.cjs',
      'dist/contract.cjs',
      'dist/mcp.cjs',
      'dist/client.js',
      'dist/web/index.html',
      'dist/THIRD-PARTY.md',
      'dist/hookline.1',
      'dist/web/manifest.webmanifest',
      'dist/web/sw.js',
      ...['192', '512', 'maskable-512'].map((icon) => `dist/web/icons/icon-${icon}.png`),
      ...declarationsOf('client'),
      ...declarationsOf('protocol'),
      ...declarationsOf('base'),
    ]
    expect(paths.filter((path) => ![ASSET, VENUE, SHARED].some((known) => known.test(path))).sort()).toEqual(
      expected.sort(),
    )
  })

  it('holds no part of the console that an earlier build left behind', () => {
    const assets = paths.filter((path) => ASSET.test(path))
    const console = paths.filter((path) => path.startsWith('dist/web/')).map((path) => ({ path, text: read(path) }))
    const unused = assets.filter((asset) => {
      const name = asset.slice(asset.lastIndexOf('/') + 1)
      return !console.some(({ path, text }) => path !== asset && text.includes(name))
    })
    expect(assets.length).toBeGreaterThan(2)
    expect(unused).toEqual([])
  })

  it('holds a file for each venue, and no other that no venue needs', () => {
    const venues = paths.flatMap((path) => VENUE.exec(path)?.[1] ?? [])
    expect(CCXT_VENUES.map(([id]) => id).filter((id) => !venues.includes(id))).toEqual([])
    const chunks = paths.filter((path) => path.startsWith('dist/ccxt/'))
    const asked = new Set(
      chunks.flatMap((path) => [...read(path).matchAll(/"\.\/([\w-]+\.cjs)"/g)].map(([, name]) => name)),
    )
    const shared = chunks.filter((path) => SHARED.test(path))
    expect(shared.length).toBeGreaterThan(1)
    expect(shared.filter((path) => !asked.has(path.slice('dist/ccxt/'.length)))).toEqual([])
  })

  it('lets nobody but the owner change its files, and runs one of them', () => {
    const modes = new Map(packed.files.map(({ path, mode }) => [path, (mode & 0o777).toString(8)]))
    expect(modes.get('dist/hookline.cjs')).toBe('755')
    expect([...modes].filter(([path, mode]) => mode !== '644' && path !== 'dist/hookline.cjs')).toEqual([])
  })

  it('is no larger than the program with its console and its venues: 13.7 MB unpacked, 3.45 MB on the way', () => {
    // 13.44 MB and 3.40 MB with the tools of `hookline mcp` (0.5 MB) and metrics: 4.8 MB of program, 5.2 of venues, 1.6 of console, 0.2 of contract, the rest types and papers. Source maps, a second React or V8's code of the program would not fit.
    expect(packed.unpackedSize).toBeLessThan(13_700_000)
    expect(packed.size).toBeLessThan(3_450_000)
  })

  it('tells nothing of the machine it was built on', () => {
    // A folder right under the root, such as `/app`, may well be a URL's path too.
    const own = [ROOT, homedir(), tmpdir()].filter((path) => path.lastIndexOf('/') > 0).map(escapeForRegExp)
    const anyones = ['/home', '/Users', '/root', '/tmp', '/work', String.raw`C:\\+Users`]
    const machinePath = new RegExp(String.raw`(?<![\w.*>-])(?:${[...own, ...anyones].join('|')})[/\\]`)
    expect('at /home/somebody/hookline/src').toMatch(machinePath)
    expect(paths.filter((path) => machinePath.test(read(path)))).toEqual([])
  })

  it('has no source maps, which would lead to files that are not there', () => {
    expect(paths.filter((path) => path.endsWith('.map') || /sourceMappingURL=/.test(read(path)))).toEqual([])
  })

  it('is found in order by publint', async () => {
    const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
    expect(messages).toEqual([])
  })
})

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

describe('the types of hookline/client', () => {
  it('are found by every compiler that reads `exports`, and say of an ES module that it is one', async () => {
    const result = await checkPackage(unpacked)
    if (!result.types) throw new Error('the package has no types')
    expect(Object.keys(result.entrypoints)).toEqual(['./client', './package.json'])
    expect(result.problems).toEqual([
      // Accepted: `moduleResolution: node10` knows nothing of `exports`, and nothing but `exports` offers a part of a package.
      { kind: 'NoResolution', entrypoint: './client', resolutionKind: 'node10' },
      // Accepted: the client is an ES module only. CommonJS gets it by `import()`, and by `require()` from Node 20.19 on.
      { kind: 'CJSResolvesToESM', entrypoint: './client', resolutionKind: 'node16-cjs' },
    ])
  })
})
