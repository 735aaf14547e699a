// nginx, Caddy and HAProxy: those of the machine, or Debian's packages. Plain JavaScript, since the bench runs as it is.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchInto } from './debian-packages.mjs'

/** @typedef {'nginx' | 'caddy' | 'haproxy'} ProxyName */
/** @typedef {{ readonly path: string, readonly libraries: string } | { readonly missing: string }} FoundProxy libraries: for LD_LIBRARY_PATH */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hookline-proxies', import.meta.url))

/** What each is in, and what else it needs that a small machine does not have. */
const PACKAGES = {
  nginx: ['nginx'],
  caddy: ['caddy'],
  haproxy: ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
}
const VERSION = { nginx: '-v', caddy: 'version', haproxy: '-v' }

/** @param {ProxyName} name @returns {Promise<FoundProxy>} missing: why there is none, for people */
export async function findProxy(name) {
  const folders = ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  const own = folders.map((folder) => ({ path: join(folder, name), libraries: '' })).find((each) => starts(name, each))
  return own ?? fetched(name)
}

/** @param {ProxyName} name @returns {Promise<FoundProxy>} */
async function fetched(name) {
  const folder = join(CACHE, name)
  if (!existsSync(folder)) {
    const problem = await fetchInto(folder, PACKAGES[name])
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

/** @param {ProxyName} name @param {{ path: string, libraries: string }} found */
function starts(name, { path, libraries }) {
  if (!existsSync(path)) return false
  return spawnSync(path, [VERSION[name]], { env: { LD_LIBRARY_PATH: libraries }, stdio: 'ignore' }).status === 0
}
