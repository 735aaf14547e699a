// What the single binary runs: the bundle, which takes the place of the line with its name, with files that are inside the binary. Only those and Node's own
// modules are loaded, nothing beside the binary: it may lie in a folder where others may write.
process.on('SIGUSR1', () => {})

const { dirname: directoryOf } = require('node:path')
const { getAsset } = require('node:sea')
const { wrap } = require('node:module')
const { Script } = require('node:vm')

const inside = new Set(JSON.parse(getAsset('files.json', 'utf8')))
/** @type {Map<string, { exports: unknown }>} */
const loaded = new Map()

/** @param {string} request @param {string} from the folder of who asks, inside */
function nameOf(request, from) {
  const name = `${from}${request.slice('./'.length)}`
  if (inside.has(name)) return name
  throw Object.assign(new Error(`the binary has no ${name}`), { code: 'MODULE_NOT_FOUND' })
}

/** @param {string} name */
function load(name) {
  const known = loaded.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  // Before it runs: chunks ask for one another.
  loaded.set(name, module)
  const run = new Script(wrap(getAsset(name, 'utf8')), { filename: name }).runInThisContext()
  run(module.exports, requireFrom(`${directoryOf(name)}/`), module, name, directoryOf(name))
  return module.exports
}

/** @param {string} from */
function requireFrom(from) {
  /** @param {string} request */
  const inner = (request) => (request.startsWith('./') ? load(nameOf(request, from)) : require(request))
  /** @param {string} request */
  inner.resolve = (request) => (request.startsWith('./') ? `./${nameOf(request, from).slice(from.length)}` : request)
  return inner
}

;((require) => {
  void require
  // BUNDLE
})(requireFrom(''))
