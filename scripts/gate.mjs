// `npm test` after the build: types, then lint and every tier of the tests, side by side. Most tests wait for processes, those of the browser compute:
// one after another they would leave half of a small machine idle. Anything that fails makes the exit status 1.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

if (process.argv.length > 2) throw new Error('the gate is whole; for a part of it: npx vitest run <files>')

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))

/** @param {readonly string[]} projects */
const tests = (...projects) => ({
  command: process.execPath,
  args: [VITEST, 'run', ...projects.flatMap((project) => ['--project', project])],
})

/** @typedef {{ readonly name: string, readonly command: string, readonly args: readonly string[] }} Part */
/** @type {Part} */
const WAITING = { name: 'tests', ...tests('unit', 'sim', 'node', 'port') }
/** @type {Part} */
const BROWSING = { name: 'browser and package tests', ...tests('registry', 'e2e') }
/** @param {string} name @returns {Part} */
const check = (name) => ({ name, command: 'npm', args: ['run', '--silent', `check:${name}`] })

/** @type {string[]} */
const kept = []

/** @param {Part} part @returns {Promise<string[]>} its name where it failed */
async function run(part) {
  // Vitest redraws the last lines of a terminal: no other part may write there meanwhile.
  const isKept = part !== WAITING && process.stdout.isTTY
  const child = spawn(part.command, part.args, { stdio: ['ignore', isKept ? 'pipe' : 'inherit', 'inherit'] })
  const [output, [code]] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'close')])
  kept.push(output)
  return code === 0 ? [] : [part.name]
}

/** @returns {Promise<string[]>} the parts that failed */
async function runAll() {
  // First: the tests of the package pack what the compiler writes.
  const untyped = await run(check('types'))
  if (untyped.length > 0) return untyped
  const ownNetwork = fileURLToPath(new URL('../harness/network/own-network.ts', import.meta.url))
  const { module } = await runnerImport(ownNetwork)
  const waiting = run(WAITING)
  // On shared ports, the tiers follow one another.
  const browsing = 'prefix' in module.findOwnNetwork() ? run(BROWSING) : waiting.then(() => run(BROWSING))
  return (await Promise.all([run(check('lint')), waiting, browsing])).flat()
}

const failed = await runAll()
process.stdout.write(kept.join(''))
process.stdout.write(failed.length === 0 ? 'the gate is green\n' : `the gate is red: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
