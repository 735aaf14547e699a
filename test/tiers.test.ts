// Each test file belongs to the tier that its name says, and does no more than that tier may. Vitest's projects go by the same names.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

type Tier = 'unit' | 'sim' | 'node' | 'port' | 'registry' | 'e2e'

function tierOf(file: string): Tier {
  const [, suffix] = /\.(sim|node|port|registry|e2e)\.test\.ts$/.exec(file) ?? []
  return (suffix as Tier | undefined) ?? 'unit'
}

function filesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /\.(m?ts|mjs|cjs)$/.test(name)).map((name) => `${folder}/${name}`)
}

const testFiles = ['test', 'e2e'].flatMap(filesIn).filter((file) => file.endsWith('.test.ts'))
const pure = testFiles.filter((file) => ['unit', 'sim'].includes(tierOf(file)))

interface Source {
  /** What it imports for its values, as it is written: types cost and do nothing. */
  readonly specifiers: readonly string[]
  /** The names it imports. */
  readonly names: readonly string[]
  readonly code: string
}

const sources = new Map<string, Source>()

function read(file: string): Source {
  const known = sources.get(file)
  if (known) return known
  const code = readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, '')
  const statements = [...code.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^'"`;]*?)\s+from\s+)?'([^']+)'/gm)]
  const dynamic = [...code.matchAll(/\bimport\(\s*'([^']+)'/g)].map(([, specifier = '']) => specifier)
  const source = {
    specifiers: [...statements.map(([, , specifier = '']) => specifier), ...dynamic],
    names: statements.flatMap(([, clause = '']) => clause.match(/\w+/g) ?? []),
    code,
  }
  sources.set(file, source)
  return source
}

/** The file and what it imports of tests, staging and runners, over and over. What src does is its own affair. */
function reachedFrom(file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file)) return reached
  reached.add(file)
  for (const specifier of read(file).specifiers.filter((each) => each.startsWith('.'))) {
    const target = relative(ROOT, resolve(ROOT, file, '..', specifier))
    if (!target.startsWith('src/') && existsSync(join(ROOT, target))) reachedFrom(target, reached)
  }
  return reached
}

/** `file → what is wrong with a file that it reaches`. */
function faultsOf(files: readonly string[], faultIn: (source: Source) => string | undefined): string[] {
  return files.flatMap((file) =>
    [...reachedFrom(file)].flatMap((reached) => {
      const fault = faultIn(read(reached))
      return fault === undefined ? [] : [`${file} → ${reached}: ${fault}`]
    }),
  )
}

const OUTSIDE =
  /^(node:(child_process|cluster|worker_threads|net|tls|dgram|https?|http2)|esbuild|vite|ws|playwright-core|@lydell\/node-pty)$/

/** What listens on the fixed ports, or starts something that does. */
const ON_FIXED_PORTS = ['startApp', 'HooklineProcess', 'RunningHookline', 'openTerminal', 'squatSilently', 'WsClient']

describe('a test file', () => {
  it('belongs to one tier by its name, and there are files in each', () => {
    expect(testFiles.filter((file) => file.startsWith('e2e/') !== (tierOf(file) === 'e2e'))).toEqual([])
    expect(new Set(testFiles.map(tierOf))).toEqual(new Set(['unit', 'sim', 'node', 'port', 'registry', 'e2e']))
  })

  it('of the unit and sim tiers reaches nothing that spawns, builds or opens a socket', () => {
    expect(faultsOf(pure, ({ specifiers }) => specifiers.find((specifier) => OUTSIDE.test(specifier)))).toEqual([])
  })

  it('of the unit and sim tiers reads nothing that was built', () => {
    expect(faultsOf(pure, ({ code }) => /['"`/]dist['"`/]/.exec(code)?.[0])).toEqual([])
  })

  it('of the node tier needs no fixed port', () => {
    const node = testFiles.filter((file) => tierOf(file) === 'node')
    const wrong = node.flatMap((file) =>
      read(file)
        .names.filter((name) => ON_FIXED_PORTS.includes(name))
        .map((name) => `${file}: ${name}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('the table of long files', () => {
  it('names only files that there are', () => {
    const named = Object.keys(JSON.parse(readFileSync(resolve(ROOT, 'harness/tiers/measured-seconds.json'), 'utf8')))
    expect(named.filter((file) => !testFiles.includes(file))).toEqual([])
  })
})

describe('proofs and end-to-end tests', () => {
  it('take their staging from harness, not from test', () => {
    const files = ['e2e', 'quality', 'harness'].flatMap(filesIn)
    const wrong = files.flatMap((file) =>
      read(file)
        .specifiers.map((specifier) => relative(ROOT, resolve(ROOT, file, '..', specifier)))
        .filter((target) => target.startsWith('test/'))
        .map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('no test', () => {
  it('is tried a second time', () => {
    const files = [...['test', 'e2e', 'quality', 'harness'].flatMap(filesIn), 'vitest.config.ts']
    const others = files.filter((file) => file !== 'test/tiers.test.ts')
    expect(others.filter((file) => /\bretry:|\.retry\(|--retry\b/.test(read(file).code))).toEqual([])
  })
})
