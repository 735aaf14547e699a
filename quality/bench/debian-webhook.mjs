// Debian's `webhook`, the peer: found, or installed where that needs nobody's leave.
import { spawnSync } from 'node:child_process'

/**
 * @param {number} installMs how long an installation may take
 * @returns {{ version: string } | { missing: string }} missing: why there is none, for people
 */
export function findWebhook(installMs) {
  const version = versionOfWebhook()
  if (version !== undefined) return { version }
  const isRoot = process.getuid?.() === 0
  const isDebian = spawnSync('apt-get', ['--version']).status === 0
  if (!isRoot || !isDebian) return { missing: 'webhook is not installed: sudo apt install webhook' }
  console.error(`webhook, the peer, is not installed: apt-get install -y webhook, for ${installMs / 1_000} s at most …`)
  const problem = install(installMs)
  const installed = versionOfWebhook()
  if (installed !== undefined) return { version: installed }
  return { missing: `webhook is not installed, and apt-get did not help: ${problem ?? 'it does not start'}` }
}

function versionOfWebhook() {
  const { status, stdout } = spawnSync('webhook', ['-version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** @param {number} timeout ms @returns {string | undefined} what went wrong */
function install(timeout) {
  const { error, status, stderr } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'webhook'], {
    encoding: 'utf8',
    timeout,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (error)
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ETIMEDOUT'
      ? `not done after ${timeout / 1_000} s`
      : error.message
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `status ${status}`)
}
