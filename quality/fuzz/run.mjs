// `npm run fuzz -- [--seconds 60] [--seed n] [--json <file>] [target…]`: changed inputs, led by the coverage they reach, against what
// src/ promises whatever comes. Targets are the files of targets/; `http` and `ws` need port 53219. The exit status is 1 when a
// promise was broken: the input that did it is printed, made small, with the seed.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { alignColumns } from '../../scripts/align-columns.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'string' },
  },
})

/** The fuzzer is TypeScript, which Node 20 does not run. @returns {Promise<typeof import('./program.ts')>} */
async function loadProgram() {
  const { outputFiles } = await build({
    entryPoints: ['quality/fuzz/program.ts'],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    packages: 'external',
  })
  const made = { exports: /** @type {typeof import('./program.ts')} */ ({}) }
  const run = compileFunction(outputFiles[0].text, ['require', 'module', 'exports'], {
    filename: 'quality/fuzz/program.ts',
  })
  run(createRequire(import.meta.url), made, made.exports)
  return made.exports
}

const { fuzzTargets, tableRows, targetNames } = await loadProgram()
const known = targetNames(root)
const unknown = positionals.find((name) => !known.includes(name))
if (unknown !== undefined) throw new Error(`there is no target ${unknown}: choose from ${known.join(', ')}`)
const seconds = Number(values.seconds)
const seed = Number(values.seed)
if (!(seconds > 0) || !Number.isSafeInteger(seed)) throw new Error('--seconds and --seed take a number')

const names = positionals.length === 0 ? known : positionals
const results = await fuzzTargets({ root, names, seconds, seed, say: (line) => console.error(line) })
console.log(`\n${alignColumns(tableRows(results))}\nseed ${seed}`)
if (values.json !== undefined) {
  const rows = results.map(({ corpus, ...result }) => ({ ...result, kept: corpus.length }))
  writeFileSync(values.json, `${JSON.stringify({ seconds, seed, rows }, null, 2)}\n`)
}
process.exitCode = results.some(({ crashes }) => crashes.length > 0) ? 1 : 0
