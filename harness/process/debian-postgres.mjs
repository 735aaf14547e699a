// PostgreSQL: that of the machine, or Debian's package, as a cluster of the test's own on a socket in a folder of its own. Plain JavaScript, since
// the bench runs as it is.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchInto } from './debian-packages.mjs'

/** @typedef {{ readonly bin: string, readonly libraries: string } | { readonly missing: string }} FoundPostgres libraries: for LD_LIBRARY_PATH */
/** @typedef {{ url: (database: string) => string, start: () => Promise<void>, stop: () => Promise<void>, remove: () => Promise<void> }} Cluster */

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hookline-postgres', import.meta.url))
const DEBIANS = '/usr/lib/postgresql'
/** The server alone; what else it needs that a small machine does not have. */
const PACKAGES = [
  'postgresql-15',
  'libpq5',
  'libicu72',
  'libxml2',
  'libldap-2.5-0',
  'libsasl2-2',
  'libllvm14',
  'libz3-4',
  'libedit2',
  'libbsd0',
]
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** @returns {Promise<FoundPostgres>} missing: why there is none, for people */
export async function findPostgres() {
  const own = inside(DEBIANS, '')
  if (own !== undefined) return own
  if (!existsSync(CACHE)) {
    const problem = await fetchInto(CACHE, PACKAGES)
    if (problem !== undefined) return { missing: `PostgreSQL is not installed, and ${problem}` }
  }
  const lib = join(CACHE, 'usr/lib')
  const triplet = existsSync(lib) ? readdirSync(lib).find((each) => each.includes('-linux-')) : undefined
  const fetched = inside(join(CACHE, DEBIANS), triplet === undefined ? '' : join(lib, triplet))
  return fetched ?? { missing: "PostgreSQL is not installed, and Debian's does not start here" }
}

/** @param {string} folder with a folder for each version @param {string} libraries */
function inside(folder, libraries) {
  const versions = existsSync(folder) ? readdirSync(folder).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => ({ bin: join(folder, version, 'bin'), libraries }))
    .find(
      ({ bin }) =>
        spawnSync(join(bin, 'postgres'), ['--version'], { env: { LD_LIBRARY_PATH: libraries } }).status === 0,
    )
}

/** @param {{ readonly bin: string, readonly libraries: string }} found @returns {Promise<Cluster>} one that runs */
export async function createCluster({ bin, libraries }) {
  const directory = mkdtempSync(join(tmpdir(), 'hookline-pg-'))
  const data = join(directory, 'data')
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) chownSync(directory, NOBODY, NOBODY)
  const env = { LD_LIBRARY_PATH: libraries, PATH: process.env.PATH, LC_ALL: 'C' }
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'hookline', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { ...as, env, encoding: 'utf8', cwd: directory },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  const settings = ["listen_addresses = ''", `unix_socket_directories = '${directory}'`, 'fsync = off', 'jit = off']
  appendFileSync(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`)
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let server
  const start = async () => {
    const child = spawn(join(bin, 'postgres'), ['-D', data], {
      ...as,
      env,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    let said = ''
    await new Promise((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said = (said + text).slice(-4_000)
        if (said.includes('ready to accept connections')) resolve(undefined)
      })
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
    })
  }
  const stop = async () => {
    if (server === undefined || server.exitCode !== null) return
    const ended = once(server, 'exit')
    // At once, whoever is connected; what was committed stays.
    server.kill('SIGINT')
    await ended
  }
  await start()
  return {
    url: (database) => `postgresql://hookline@${encodeURIComponent(directory)}/${database}`,
    start,
    stop,
    async remove() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
