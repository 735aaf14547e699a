// nginx, Caddy and HAProxy: those of the machine, or Debian's packages, taken apart into a folder of our own. Nothing is installed, and no service
// starts. Plain JavaScript, since the bench runs as it is.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {'nginx' | 'caddy' | 'haproxy'} ProxyName */
/** @typedef {{ readonly path: string, readonly libraries: string } | { readonly missing: string }} FoundProxy libraries: for LD_LIBRARY_PATH */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hookline-proxies', import.meta.url))
const FETCH_MS = 60_000

/** What each is in, and what else it needs that a small machine does not have. */
const PACKAGES = {
  nginx: ['nginx'],
  caddy: ['caddy'],
  haproxy: ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
}
const VERSION = { nginx: '-v', caddy: 'version', haproxy: '-v' }

/** @param {ProxyName} name @returns {FoundProxy} missing: why there is none, for people */
export function findProxy(name) {
  const folders = ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const own = folders.map((folder) => ({ path: join(folder, name), libraries: '' })).find((each) => starts(name, each))
  return own ?? fetched(name)
}

/** @param {ProxyName} name @returns {FoundProxy} */
function fetched(name) {
  const folder = join(CACHE, name)
  if (!existsSync(folder)) {
    const problem = fetchInto(folder, PACKAGES[name])
    if (problem !== undefined) return { missing: `${name} is not installed, and ${problem}` }
  }
  const lib = join(folder, 'usr/lib')
  const triplet = existsSync(lib) ? readdirSync(lib).find((each) => each.includes('-linux-')) : undefined
  const libraries = triplet === undefined ? '' : join(lib, triplet)
  const found = ['usr/sbin', 'usr/bin']
    .map((bin) => ({ path: join(folder, bin, name), libraries }))
    .find((each) => starts(name, each))
  return found ?? { missing: `${name} is not installed, and Debian's does not start here` }
}

/** @param {string} folder made whole or not at all @param {readonly string[]} packages @returns {string | undefined} what went wrong */
function fetchInto(folder, packages) {
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0)
    return 'there is no apt-get to fetch it with'
  mkdirSync(CACHE, { recursive: true })
  const stage = mkdtempSync(`${folder}-`)
  try {
    const problem = download(stage, packages)
    if (problem !== undefined) return problem
    for (const archive of readdirSync(stage).filter((file) => file.endsWith('.deb')))
      execFileSync('dpkg', ['-x', join(stage, archive), join(stage, 'root')], { stdio: 'ignore' })
    renameSync(join(stage, 'root'), folder)
    return undefined
  } catch (error) {
    return `its package could not be taken apart: ${/** @type {Error} */ (error).message}`
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** A fresh machine has no lists of packages. @param {string} cwd @param {readonly string[]} packages */
function download(cwd, packages) {
  const first = aptGet(['download', '-q', ...packages], cwd)
  if (first === undefined || process.getuid?.() !== 0) return first
  return aptGet(['update', '-q'], cwd) ?? aptGet(['download', '-q', ...packages], cwd)
}

/** @param {readonly string[]} args @param {string} cwd @returns {string | undefined} what went wrong */
function aptGet(args, cwd) {
  const { status, stderr, error } = spawnSync('apt-get', args, {
    ...{ cwd, encoding: 'utf8', timeout: FETCH_MS, stdio: ['ignore', 'ignore', 'pipe'] },
  })
  if (status === 0) return undefined
  return `apt-get ${args[0]} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`
}

/** @param {ProxyName} name @param {{ path: string, libraries: string }} found */
function starts(name, { path, libraries }) {
  if (!existsSync(path)) return false
  return spawnSync(path, [VERSION[name]], { env: { LD_LIBRARY_PATH: libraries }, stdio: 'ignore' }).status === 0
}
