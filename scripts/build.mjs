// Bundles the command line to one CommonJS file: one file starts faster than many, and CommonJS faster than ESM
// (measured in bench/start-up). Modules reached only through `import()` stay unevaluated until they are used. Then runs it twice, to
// keep what V8 compiles.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { build as buildConsole } from 'vite'
import { buildCcxt } from './build-ccxt.mjs'
import { writeNotices } from './notices.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** @returns of the tree that is built, `-dirty` where it has changes; empty outside git */
function commitOfTree() {
  const words = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

// V8 knows a bundle by its length alone: code of an older one must be gone before there is a new one.
mkdirSync('dist', { recursive: true })
for (const name of readdirSync('dist')) if (name.endsWith('.code')) rmSync(`dist/${name}`, { force: true })

/**
 * Node's own modules are loaded where they are first used, and not where they are imported: those that a command never uses take a tenth
 * of its start.
 * @param {string} bundle as esbuild writes it
 */
function loadNodeLate(bundle) {
  /** @type {Map<string, string>} */
  const modules = new Map()
  const imports = /^ *(import_\w+) = (require\("node:[a-z0-9_/]+"\));\n/gm
  const rest = bundle.replace(imports, (_line, name, load) => {
    modules.set(name, load)
    return ''
  })
  return rest.replace(/(^var [\w$, ]+;$)|(?<![\w$.])(import_\w+)(\.)?/gm, (found, declared, name, dot) => {
    const load = modules.get(name)
    if (declared !== undefined || load === undefined) return found
    if (dot === undefined) throw new Error(`${name} is used as a whole, which cannot be loaded late`)
    return `(${name} ??= ${load}).`
  })
}

/**
 * What a script of the bundle gives to the launcher is a function, as Node makes of a module: Node would copy all of the source to wrap it. Run as a
 * module, the bundle calls it.
 * @param {string} bundle
 */
function asOneFunction(bundle) {
  const names = 'exports, require, module, __filename, __dirname'
  // The single binary has lines without a semicolon in front.
  const begin = `;((program) => typeof arguments === 'undefined' ? program : program(${names}))(function (${names}) {`
  // By the last line the launcher knows that it has the whole.
  return `${begin}\n${bundle}})\n// end of hookline\n`
}

const program = await build({
  write: false,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/main.cjs',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  // `ws` and `pg` do without: they are binaries for one machine.
  external: ['bufferutil', 'utf-8-validate', 'pg-native', './contract.cjs', './mcp.cjs'],
  // `import()` becomes `require()`: a script started from a code cache has no loader for modules.
  supported: { 'dynamic-import': false },
  // jsonc-parser's CommonJS build is UMD, which cannot be bundled; its ES build can.
  mainFields: ['module', 'main'],
  define: {
    __HOOKLINE_VERSION__: JSON.stringify(version),
    __HOOKLINE_COMMIT__: JSON.stringify(process.env.HOOKLINE_COMMIT || commitOfTree()),
    __HOOKLINE_CHUNKS__: '"./ccxt"',
    __HOOKLINE_CONTRACT__: '"./contract.cjs"',
    __HOOKLINE_MCP__: '"./mcp.cjs"',
  },
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Sources find ccxt by it in tests; the program has its chunks.
  logOverride: { 'empty-import-meta': 'silent' },
})
writeFileSync('dist/main.cjs', asOneFunction(loadNodeLate(program.outputFiles[0].text)))
copyFileSync('scripts/launch.cjs', 'dist/hookline.cjs')
chmodSync('dist/hookline.cjs', 0o755)

const directory = mkdtempSync(join(tmpdir(), 'hookline-build-'))
for (const line of [['listen'], ['exec', 'status']]) {
  execFileSync(process.execPath, ['scripts/keep-code.cjs', ...line], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, HOOKLINE_CONFIG_DIR: directory },
    timeout: 20_000,
  })
}
rmSync(directory, { recursive: true })

// `man hookline`: from the program's own table of what can be typed.
writeFileSync('dist/hookline.1', execFileSync(process.execPath, ['dist/main.cjs', 'man']))

// `hookline/client`: what a web app imports. Its types come from `npm run build:types` when the package is packed.
await build({
  entryPoints: ['src/client/public.ts'],
  outfile: 'dist/client.js',
  bundle: true,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2023',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
})

// Live venues, loaded at the first use of one.
const venues = await buildCcxt()

/** Of a bundle that one command loads. */
const LOADED_APART = /** @type {const} */ ({
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'cjs',
  minify: true,
  keepNames: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
})

// The contract of the exchange port, which `account prove` alone loads.
const contract = await build({
  entryPoints: ['src/exchanges/contract/prove.ts'],
  outfile: 'dist/contract.cjs',
  ...LOADED_APART,
})

// The tools of `hookline mcp`, which that command alone loads.
const tools = await build({
  entryPoints: ['src/mcp/serve.ts'],
  outfile: 'dist/mcp.cjs',
  ...LOADED_APART,
  // `ws` does without: they are binaries for one machine.
  external: ['bufferutil', 'utf-8-validate'],
  mainFields: ['module', 'main'],
  // The SDK's other checker of schemas, which makes no code at run time and is half as large.
  conditions: ['workerd'],
})

// The console, which `hookline web` serves.
const webConsole = await buildConsole({ configFile: 'vite.config.ts', logLevel: 'warn' })
const outputs = /** @type {import('vite').Rolldown.RolldownOutput[]} */ ([webConsole].flat())
const shown = outputs.flatMap(({ output }) => output.flatMap((chunk) => ('moduleIds' in chunk ? chunk.moduleIds : [])))
writeNotices([
  ...Object.keys(program.metafile.inputs),
  ...Object.keys(contract.metafile.inputs),
  ...Object.keys(tools.metafile.inputs),
  ...shown,
  ...venues,
])
