// Runs tests under another Node: `npm run under -- 24 --project unit test/stores`.
import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { fetchNode } from './node-package.mjs'

const [version = '', ...words] = process.argv.slice(2)
if (!/^\d+(?:\.\d+){0,2}$/.test(version)) {
  process.stderr.write('error: give a version of Node, and what vitest runs: npm run under -- 24 --project unit\n')
  process.exit(2)
}
const node = fetchNode(version)
// What tests spawn as `node` is the same.
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...words], { stdio: 'inherit', env })
process.exitCode = status ?? 1
