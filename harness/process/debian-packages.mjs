// Debian's packages, taken apart into a folder of our own. Nothing is installed, and no service starts. Plain JavaScript, since the bench runs as
// it is.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const FETCH_MS = 60_000
/** The browser tests may be installing theirs. */
const UPDATE_MS = 300_000

/** @param {string} folder made whole or not at all @param {readonly string[]} packages @returns {Promise<string | undefined>} what went wrong */
export async function fetchInto(folder, packages) {
  if (spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0)
    return 'there is no apt-get to fetch it with'
  mkdirSync(dirname(folder), { recursive: true })
  const stage = mkdtempSync(`${folder}-`)
  try {
    const problem = await download(stage, packages)
    if (problem !== undefined) return problem
    for (const archive of readdirSync(stage).filter((file) => file.endsWith('.deb')))
      await execute('dpkg', ['-x', join(stage, archive), join(stage, 'root')])
    renameSync(join(stage, 'root'), folder)
    return undefined
  } catch (error) {
    return `its package could not be taken apart: ${/** @type {Error} */ (error).message}`
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** A fresh machine has no lists of packages. @param {string} cwd @param {readonly string[]} packages */
async function download(cwd, packages) {
  const get = ['apt-get', 'download', '-q', ...packages]
  const first = await succeed(get, cwd, FETCH_MS)
  if (first === undefined || process.getuid?.() !== 0) return first
  const update = ['flock', '/var/lib/apt', 'apt-get', 'update', '-q']
  return (await succeed(update, cwd, UPDATE_MS)) ?? succeed(get, cwd, FETCH_MS)
}

/** @param {readonly string[]} words @param {string} cwd @param {number} timeout in ms @returns {Promise<string | undefined>} what went wrong */
async function succeed([command = '', ...args], cwd, timeout) {
  try {
    await execute(command, args, { cwd, timeout })
    return undefined
  } catch (error) {
    const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (error)
    return `${[command, ...args].join(' ')} failed: ${stderr.trim().split('\n').at(-1) || message}`
  }
}
