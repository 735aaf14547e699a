// A single binary of hookline: Node with the bundle, the console and the venues inside. Node comes from the registry, where its binaries are packages; nothing
// else is downloaded. It is made on Linux for every system; the one for macOS has to be signed there before it starts.
//
//   node scripts/build-binary.mjs [--target linux-x64|linux-arm64|win-x64|darwin-arm64] [--out <file> | --folder <folder>]
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
import { fetchNode } from './node-package.mjs'

/** `--build-sea` is Node's own from 25.5 on; the blob is for this very version. */
const NODE = '26.10.0'
const TARGETS = ['linux-x64', 'linux-arm64', 'win-x64', 'darwin-arm64']

const { values } = parseArgs({
  options: { target: { type: 'string' }, out: { type: 'string' }, folder: { type: 'string', default: 'dist-binary' } },
})
const own = `linux-${process.arch}`
const target = values.target ?? own
if (!TARGETS.includes(target)) throw new Error(`--target is one of ${TARGETS.join(', ')}`)
if (process.platform !== 'linux') throw new Error('binaries are built on Linux')
if (!existsSync('dist/main.cjs')) throw new Error('nothing is built yet: run `npm run build`')
const suffix = target.startsWith('win') ? '.exe' : ''
const out = resolve(values.out ?? `${values.folder}/hookline-${target}${suffix}`)

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
  const assets = Object.fromEntries([
    ...filesIn('ccxt', 'ccxt/'),
    ...filesIn('web', 'web/'),
    ['mcp.cjs', resolve('dist/mcp.cjs')],
  ])
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
    executable: resolve(fetchNode(NODE, target)),
    disableExperimentalSEAWarning: true,
    // Code is of the machine that compiled it.
    useCodeCache: target === own,
    useSnapshot: false,
    assets: { ...assets, 'files.json': listed },
  }
  writeFileSync(join(work, 'config.json'), JSON.stringify(config))
  mkdirSync(join(out, '..'), { recursive: true })
  rmSync(out, { force: true })
  execFileSync(fetchNode(NODE, own), ['--build-sea', join(work, 'config.json')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  chmodSync(out, 0o755)
} finally {
  rmSync(work, { recursive: true })
}
