// Prometheus: that of the machine, or Debian's package. It reads OpenMetrics strictly, which its `promtool` does not.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchInto } from './debian-packages.mjs'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/hookline-prometheus', import.meta.url))

/** @typedef {{ readonly path: string } | { readonly missing: string }} FoundPrometheus missing: why there is none, for people */

/** @returns {Promise<FoundPrometheus>} */
export async function findPrometheus() {
  if (starts('/usr/bin/prometheus')) return { path: '/usr/bin/prometheus' }
  if (!existsSync(CACHE)) {
    const problem = await fetchInto(CACHE, ['prometheus'])
    if (problem !== undefined) return { missing: `Prometheus is not installed, and ${problem}` }
  }
  const path = join(CACHE, 'usr/bin/prometheus')
  return starts(path) ? { path } : { missing: "Prometheus is not installed, and Debian's does not start here" }
}

/** @param {string} path */
function starts(path) {
  return existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0
}
