// dist/ccxt: ccxt in CommonJS chunks beside the program, one file per class and what they share. A start loads none of them; the first use
// of a venue loads its file and the shared ones. esbuild splits ES modules only, so each chunk is turned into CommonJS afterwards. Made anew
// only when ccxt, esbuild or this script changes: node_modules/.cache holds the last one.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, version as esbuildVersion, transform } from 'esbuild'

const SOURCES = 'node_modules/ccxt/js/src'
const CACHE = 'node_modules/.cache/hookline-ccxt'
/** Whether a cached directory is whole; what bundlers read, for the notices. */
const INPUTS = 'inputs.json'

/**
 * What is left out of ccxt. A module that is imported when needed then fails, and ccxt does without, or says `NotSupported`.
 * - undici: hookline has a transport of its own (512 KiB)
 * - fflate: for browsers
 * - bufferutil: a binary for one machine
 * - zklink: fetches WebAssembly from a stranger's server at run time and hands it the keys: never
 * - protobufjs: not a dependency of ccxt; the orders of dydx and the spot streams of mexc ask for it, so what they need it for is left out too
 */
const LEFT_OUT =
  /^(undici|fflate|bufferutil|utf-8-validate)$|zklink-sdk-web\.js$|^protobufjs\/|protobuf\/mexc\/compiled\.cjs$|dydx-v4-client\/.*\.c?js$/

/** Those that every class imports at once give what it asks for; the others fail when they are asked for. @param {string} path */
function contentsOf(path) {
  const failure = `throw new Error('left out of hookline: ${path}')`
  if (path === 'helpers.js') return 'export const Long = undefined'
  return path.startsWith('zklink') ? `export default async () => { ${failure} }` : failure
}

/** @type {import('esbuild').Plugin} */
const leaveOut = {
  name: 'leave-out',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: LEFT_OUT }, ({ path }) => ({ path: path.replace(/^.*\//, ''), namespace: 'left-out' }))
    onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({ contents: contentsOf(path) }))
  },
}

/** ccxt computes `1e400000000` digit by digit: one such text in an answer would hold up everything for minutes, and then the memory. */
const EXPONENT = 'modifier = parseInt(str.slice(eIndex + 1));'
const BOUNDED = `${EXPONENT} if (!(Math.abs(modifier) < 400)) throw new RangeError('a figure with so many digits');`

/** @type {import('esbuild').Plugin} */
const boundFigures = {
  name: 'bound-figures',
  setup({ onLoad }) {
    onLoad({ filter: /ccxt\/js\/src\/base\/Precise\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes(EXPONENT)) throw new Error(`${path} is not as it was: see where exponents are read`)
      return { contents: source.replace(EXPONENT, BOUNDED) }
    })
  },
}

/** Where signing calls noble's HMAC, in JavaScript: each order waits for it. That of OpenSSL takes a tenth of the time, and gives the same. */
const HMAC = '((hash, key, message) => new _HMAC(hash, key).update(message).digest())'
const NATIVE_HMAC = `((hash, key, message) => {
  const name = hash === sha256 ? 'sha256' : hash === sha384 ? 'sha384' : hash === sha512 ? 'sha512' : undefined
  if (name === undefined) return new _HMAC(hash, key).update(message).digest()
  return new Uint8Array(createHmac(name, abytes(key, undefined, 'key')).update(abytes(message)).digest())
})`

/** @type {import('esbuild').Plugin} */
const nativeHmac = {
  name: 'native-hmac',
  setup({ onLoad }) {
    onLoad({ filter: /@noble\/hashes\/hmac\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      if (!source.includes(HMAC)) throw new Error(`${path} is not as it was: see where messages are signed`)
      const imports = "import { createHmac } from 'node:crypto'\nimport { sha256, sha384, sha512 } from './sha2.js'\n"
      return { contents: `${imports}${source.replace(HMAC, () => NATIVE_HMAC)}` }
    })
  },
}

/** Class → its file: that with streams, where there is one. */
function entryPoints() {
  const names = readdirSync(SOURCES).flatMap((file) => /^([a-z0-9]+)\.js$/.exec(file)?.[1] ?? [])
  return Object.fromEntries(
    names.map((name) => {
      const withStreams = join(SOURCES, 'pro', `${name}.js`)
      return [name, existsSync(withStreams) ? withStreams : join(SOURCES, `${name}.js`)]
    }),
  )
}

/** @param {string} directory to write to */
async function buildChunks(directory) {
  const target = {
    platform: /** @type {const} */ ('node'),
    target: 'node20.19',
    legalComments: /** @type {const} */ ('none'),
  }
  const { outputFiles, metafile } = await build({
    ...target,
    entryPoints: entryPoints(),
    outdir: directory,
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    // ccxt signs with RSA by the name of a class.
    keepNames: true,
    metafile: true,
    write: false,
    // One version of it, which the listener uses as well.
    alias: { ws: resolve('node_modules/ws') },
    plugins: [leaveOut, boundFigures, nativeHmac],
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'silent' },
  })
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      ...target,
      format: 'cjs',
      minify: true,
      supported: { 'dynamic-import': false },
    })
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.js$/, '.cjs')
    writeFileSync(join(directory, name), code.replaceAll(/require\("\.\/([\w-]+)\.js"\)/g, 'require("./$1.cjs")'))
  }
  // As they are found from here, also where node_modules is a link to a folder elsewhere.
  const inputs = Object.keys(metafile.inputs).flatMap((path) =>
    path.startsWith('left-out:') ? [] : [path.slice(Math.max(0, path.indexOf('node_modules/')))],
  )
  writeFileSync(join(directory, INPUTS), JSON.stringify(inputs))
}

function cacheKey() {
  const { version } = JSON.parse(readFileSync('node_modules/ccxt/package.json', 'utf8'))
  const script = readFileSync(fileURLToPath(import.meta.url))
  return createHash('sha256').update(`${version} ${esbuildVersion} `).update(script).digest('hex').slice(0, 16)
}

/** @returns {Promise<string[]>} the modules that the chunks were made of */
export async function buildCcxt() {
  const cached = join(CACHE, cacheKey())
  if (!existsSync(join(cached, INPUTS))) {
    mkdirSync(CACHE, { recursive: true })
    const fresh = mkdtempSync(join(CACHE, 'new-'))
    await buildChunks(fresh)
    try {
      renameSync(fresh, cached)
    } catch {
      // Another build was first, and its chunks are the same.
      rmSync(fresh, { recursive: true })
    }
  }
  rmSync('dist/ccxt', { recursive: true, force: true })
  mkdirSync('dist/ccxt', { recursive: true })
  for (const name of readdirSync(cached)) if (name !== INPUTS) copyFileSync(join(cached, name), join('dist/ccxt', name))
  return JSON.parse(readFileSync(join(cached, INPUTS), 'utf8'))
}
