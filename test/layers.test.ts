// The architecture as a test: which folder may import which. The folder map of ARCHITECTURE.md says the same, row by row.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')
const PAPER = resolve(import.meta.dirname, '../ARCHITECTURE.md')

/** Folder → folders of src it may import. A folder may always import itself and `base`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: [],
  language: [],
  exchange: [],
  triggers: ['language', 'exchange'],
  runs: [],
  stores: ['protocol'],
  credentials: ['protocol', 'stores'],
  exchanges: ['exchange'],
  authority: ['runs', 'stores', 'trust'],
  trading: ['language', 'exchange', 'runs', 'stores'],
  guards: ['exchange', 'stores', 'trading'],
  tasks: ['language', 'exchange', 'triggers', 'runs', 'stores', 'authority', 'trading'],
  'cross-trade': ['protocol', 'exchange', 'runs', 'stores', 'trading', 'tasks'],
  hooks: ['protocol', 'language', 'runs', 'stores'],
  trust: ['protocol', 'stores'],
  notices: ['protocol', 'language', 'stores', 'credentials'],
  metrics: ['exchange', 'stores'],
  'sign-in': ['protocol', 'language', 'stores', 'credentials'],
  terminal: ['language', 'runs'],
  service: ['language'],
  proxies: ['protocol', 'language'],
  commands: [
    'protocol',
    'language',
    'exchange',
    'triggers',
    'runs',
    'stores',
    'credentials',
    'exchanges',
    'authority',
    'trading',
    'guards',
    'tasks',
    'cross-trade',
    'hooks',
    'trust',
    'notices',
    'sign-in',
    'terminal',
  ],
  runtime: ['protocol', 'language', 'exchange', 'runs', 'stores', 'authority', 'trading', 'hooks', 'commands'],
  replay: [
    'language',
    'exchange',
    'triggers',
    'runs',
    'stores',
    'exchanges',
    'authority',
    'trading',
    'guards',
    'tasks',
    'hooks',
    'commands',
    'runtime',
  ],
  listener: [
    'protocol',
    'language',
    'exchange',
    'runs',
    'stores',
    'exchanges',
    'trading',
    'tasks',
    'cross-trade',
    'hooks',
    'trust',
    'notices',
    'commands',
    'runtime',
  ],
  repl: ['language', 'runs', 'trading', 'stores', 'terminal', 'commands', 'runtime'],
  checkin: ['protocol', 'stores'],
  client: ['protocol'],
  mcp: ['protocol', 'language', 'stores', 'client'],
  web: ['client', 'protocol', 'language', 'triggers'],
  'web-worker': ['protocol'],
  'web-server': ['protocol', 'stores', 'trust'],
  'web-hosting': ['protocol', 'web-server'],
  app: [
    'protocol',
    'language',
    'exchange',
    'runs',
    'stores',
    'credentials',
    'exchanges',
    'authority',
    'trading',
    'guards',
    'tasks',
    'cross-trade',
    'hooks',
    'trust',
    'notices',
    'metrics',
    'sign-in',
    'terminal',
    'commands',
    'runtime',
    'replay',
    'listener',
    'repl',
    'checkin',
  ],
  cli: [
    'protocol',
    'language',
    'runs',
    'stores',
    'credentials',
    'hooks',
    'terminal',
    'commands',
    'runtime',
    'web-server',
    'web-hosting',
    'service',
    'proxies',
    'mcp',
    'app',
  ],
}

/** Packages a pure folder may use; everything else may use what package.json lists. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ['zod/mini'],
  language: [],
  exchange: ['decimal.js'],
  triggers: [],
  runs: [],
  'exchanges/paper': ['decimal.js', 'zod/mini'],
  trust: ['node:crypto', 'node:net', 'node:os'],
  client: [],
}

interface Import {
  readonly file: string
  readonly folder: string
  readonly target: string
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const folder = file.split('/')[0] ?? ''
  const specifiers = [...text.matchAll(/(?<!')(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '')
  return specifiers.map((specifier) => ({
    file,
    folder,
    target: specifier.startsWith('.') ? relative(SRC, resolve(SRC, file, '..', specifier)) : specifier,
  }))
}

const imports = sourceFiles().flatMap(importsOf)

/** The folder map: each folder with the last cell of its row, where it says what it may import. */
function folderMap(): Record<string, string[]> {
  const paper = readFileSync(PAPER, 'utf8')
  const section = /^## Folder map\n(.*?)^\| folder \| rooms \|/ms.exec(paper)?.[1] ?? ''
  const rows = [...section.matchAll(/^\| `([\w-]+)` \|.*\| ([^|]*) \|$/gm)]
  return Object.fromEntries(rows.map(([, folder = '', cell = '']) => [folder, namesIn(cell)]))
}

/** @throws for a cell that holds anything but names in backquotes, or `nothing` */
function namesIn(cell: string): string[] {
  const names = [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)
  const said = names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(' ')
  if (cell !== said) throw new Error(`ARCHITECTURE.md: the cell ${cell} is neither names nor nothing`)
  return names.sort()
}

describe('layers', () => {
  it('knows every folder of src, and no other', () => {
    const folders = new Set(sourceFiles().map((file) => file.split('/')[0]))
    expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
  })

  it('says in ARCHITECTURE.md what it holds: the same folders, each with the same imports', () => {
    const held = Object.fromEntries(Object.entries(MAY_IMPORT).map(([folder, names]) => [folder, [...names].sort()]))
    expect(folderMap()).toEqual(held)
  })

  it('lets arrows point one way only', () => {
    const wrong = imports.filter(({ folder, target }) => {
      if (!target.endsWith('.ts') && !target.endsWith('.tsx')) return false
      const to = target.split('/')[0] ?? ''
      return to !== folder && to !== 'base' && !MAY_IMPORT[folder]?.includes(to)
    })
    expect(wrong).toEqual([])
  })

  it('keeps pure folders free of Node and of packages they do not need', () => {
    const files = sourceFiles()
    const wrong = Object.entries(PURE).flatMap(([pure, packages]) => {
      expect(
        files.filter((file) => file.startsWith(`${pure}/`)),
        `files of ${pure}`,
      ).not.toEqual([])
      return imports.filter(
        ({ file, target }) => file.startsWith(`${pure}/`) && !target.endsWith('.ts') && !packages.includes(target),
      )
    })
    expect(wrong).toEqual([])
  })

  it('keeps the pages of the console apart, and its components below its shell and its pages', () => {
    const rooms = imports.map(({ file, target }) => ({ from: file.split('/'), to: target.split('/'), file, target }))
    const between = rooms.filter(
      ({ from, to }) => from[1] === 'pages' && from[0] === 'web' && to[1] === 'pages' && from[2] !== to[2],
    )
    const above = ['shell', 'pages', 'palette', 'terminal', 'connection']
    const upwards = rooms.filter(
      ({ from, to }) => from[0] === 'web' && from[1] === 'components' && above.includes(to[1] ?? ''),
    )
    expect([...between, ...upwards].map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  it('has no cycle between files', () => {
    const edges = new Map<string, string[]>()
    for (const { file, target } of imports) edges.set(file, [...(edges.get(file) ?? []), target])
    const done = new Set<string>()
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) throw new Error(`cycle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`)
      if (done.has(file)) return
      for (const next of edges.get(file) ?? []) visit(next, [...trail, file])
      done.add(file)
    }
    for (const file of edges.keys()) visit(file, [])
  })

  it('touches files only in stores, and exits and reads argv only in app and cli', () => {
    const files = imports.filter(
      ({ folder, target }) => /^node:fs/.test(target) && folder !== 'stores' && folder !== 'web-server',
    )
    expect(files).toEqual([])
    const exits = sourceFiles().filter(
      (file) => !/^(app|cli)\//.test(file) && /process\.(exit|argv|env)\b/.test(readFileSync(join(SRC, file), 'utf8')),
    )
    expect(exits).toEqual([])
  })
})
