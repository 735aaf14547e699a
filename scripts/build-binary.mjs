// A single binary of hookline for Linux: Node with the bundle, the console and the venues inside. Node comes from the registry, where its binaries are
// packages; nothing else is downloaded.
//
//   node scripts/build-binary.mjs [--arch x64|arm64] [--out <file>]
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** `--build-sea` is Node's own from 25.5 on; the blob is for this very version. */
const NODE = '26.10.0'
const ARCHES = ['x64', 'arm64']
const CACHE = 'node_modules/.cache/hookline-nodes'

const { values } = parseArgs({ options: { arch: { type: 'string' }, out: { type: 'string' } } })
const arch = values.arch ?? process.arch
if (!ARCHES.includes(arch)) throw new Error(`--arch is one of ${ARCHES.join(', ')}`)
if (process.platform !== 'linux') throw new Error('binaries are built on Linux')
if (!existsSync('dist/main.cjs')) throw new Error('nothing is built yet: run `npm run build`')
const out = resolve(values.out ?? `dist-binary/hookline-linux-${arch}`)

/** @param {string} wanted @returns {string} the path of that Node */
function fetchNode(wanted) {
  const name = `node-linux-${wanted}`
  const folder = join(CACHE, `binary-${NODE}-${wanted}`)
  const path = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const careful = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  // It is not run here, where it is for another machine.
  const foreign = wanted === process.arch ? [] : ['--force']
  execFileSync('npm', ['install', `${name}@${NODE}`, '--prefix', folder, ...careful, ...foreign], { stdio: 'inherit' })
  return path
}

/** @param {string} folder of dist @param {string} prefix in the binary @returns {[string, string][]} name in the binary → path */
function filesIn(folder, prefix) {
  const entries = readdirSync(join('dist', folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [`${prefix}${path.slice(join('dist', folder).length + 1)}`, resolve(path)]
    })
}

const work = mkdtempSync(join(tmpdir(), 'hookline-binary-'))
try {
  const assets = Object.fromEntries([...filesIn('ccxt', 'ccxt/'), ...filesIn('web', 'web/')])
  const listed = join(work, 'files.json')
  writeFileSync(listed, JSON.stringify(Object.keys(assets)))
  const main = join(work, 'hookline.cjs')
  const bundle = readFileSync('dist/main.cjs', 'utf8')
  // Not by a pattern: the bundle has `$&` and the like.
  writeFileSync(main, readFileSync('scripts/binary-main.cjs', 'utf8').split('  // BUNDLE\n').join(`${bundle}\n`))
  const config = {
    main,
    mainFormat: 'commonjs',
    output: out,
    executable: resolve(fetchNode(arch)),
    disableExperimentalSEAWarning: true,
    // Code is of the machine that compiled it.
    useCodeCache: arch === process.arch,
    useSnapshot: false,
    assets: { ...assets, 'files.json': listed },
  }
  writeFileSync(join(work, 'config.json'), JSON.stringify(config))
  mkdirSync(join(out, '..'), { recursive: true })
  rmSync(out, { force: true })
  execFileSync(fetchNode(process.arch), ['--build-sea', join(work, 'config.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  chmodSync(out, 0o755)
} finally {
  rmSync(work, { recursive: true })
}
