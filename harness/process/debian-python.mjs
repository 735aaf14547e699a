// A Python with what the client in `clients/python` needs: the machine's, with Debian's packages where it has them not.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchInto } from './debian-packages.mjs'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hookline-python', import.meta.url))
const PACKAGES = ['python3-websockets', 'python3-cryptography', 'python3-cffi-backend']

/** @returns {Promise<{ readonly command: string, readonly env: Record<string, string> } | { readonly missing: string }>} missing: why there is none, for people */
export async function findPython() {
  if (hasPackages('python3', {})) return { command: 'python3', env: {} }
  if (!existsSync(CACHE)) {
    const problem = await fetchInto(CACHE, PACKAGES)
    if (problem !== undefined) return { missing: `python3 lacks websockets or cryptography, and ${problem}` }
  }
  const env = { PYTHONPATH: join(CACHE, 'usr/lib/python3/dist-packages') }
  // Debian's packages are compiled for Debian's Python.
  const command = ['/usr/bin/python3', 'python3'].find((each) => hasPackages(each, env))
  return command === undefined ? { missing: "Debian's packages do not load in this Python" } : { command, env }
}

/** @param {string} command @param {Record<string, string>} env */
function hasPackages(command, env) {
  const words = ['-c', 'import websockets, cryptography.hazmat.primitives.asymmetric.ec']
  return spawnSync(command, words, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' }).status === 0
}
