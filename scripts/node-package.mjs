// Other Nodes, from the registry, where their binaries are packages; kept, so that each is fetched once.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CACHE = 'node_modules/.cache/hookline-nodes'

/**
 * @param {string} version `26.10.0`, or `24` for the newest of that line at the first fetch
 * @param {string} [target] system and processor: `linux-x64`, `win-x64`, `darwin-arm64`; default: this machine
 * @returns {string} the absolute path of its program
 */
export function fetchNode(version, target = `${process.platform}-${process.arch}`) {
  // The other name has no newer Node than 18 for this system.
  const name = target.startsWith('darwin') ? `node-bin-${target}` : `node-${target}`
  const folder = join(CACHE, `binary-${version}-${target}`)
  const path = resolve(folder, 'node_modules', name, target.startsWith('win') ? 'bin/node.exe' : 'bin/node')
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const careful = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  // It is not run here, where it is for another machine.
  const foreign = target === `${process.platform}-${process.arch}` ? [] : ['--force']
  execFileSync('npm', ['install', `${name}@${version}`, '--prefix', folder, ...careful, ...foreign], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return path
}
