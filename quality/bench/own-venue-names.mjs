// For programs that measure orders to a venue by the venue's own host names.
import { spawnSync } from 'node:child_process'
import { findOwnNetwork } from '../../harness/network/own-network.ts'
import { makeVenueNames } from '../../harness/network/venue-names.ts'

const INSIDE = 'HOOKLINE_BENCH_INSIDE'

/** Runs this program again in a network of its own with the venue's names, prints its last line, and ends. Inside it returns at once. */
export function goInside() {
  if (process.env[INSIDE] !== undefined) return
  console.log(outputInside())
  process.exit()
}

/** @returns {string} what was measured; or why there is no such network */
function outputInside() {
  const network = findOwnNetwork()
  const names = 'prefix' in network ? makeVenueNames() : network
  if ('missing' in network || 'missing' in names) {
    return JSON.stringify({ missing: 'missing' in names ? names.missing : '' })
  }
  const [file = '', ...before] = [
    ...network.prefix,
    ...names.prefix,
    process.execPath,
    process.argv[1],
    process.argv[2],
  ]
  const inside = { ...process.env, ...names.env, [INSIDE]: 'yes' }
  const { stdout, status } = spawnSync(file, before, {
    env: inside,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error('nothing was measured')
  return stdout.trim()
}
