// `npm run faults -- [--soak [--soak-minutes 30]] [--rounds 500] [--json <file>] [number…]`: what hookline survives, with figures.
// The exit status is 1 when a row fails or was not found; a row that is known to fall short is marked and says why.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { alignColumns } from '../../scripts/align-columns.mjs'
import { describeMachine } from '../bench/rounds.mjs'
import { requireFreePort } from '../bench/servers.mjs'

/** @typedef {import('./scenario.ts').FaultRow & { verdict: string, reason: string, seconds: number }} Row */
/** @typedef {{ readonly row: Row, readonly file: string, readonly line: number }} Told */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    soak: { type: 'boolean', default: false },
    'soak-minutes': { type: 'string', default: '30' },
    rounds: { type: 'string', default: '500' },
    json: { type: 'string' },
  },
})

const asked = new RegExp(positionals.length === 0 ? '' : `^(${positionals.join('|')})\\. `)
/** @type {Told[]} */
const told = []

/** Tells each row as soon as it is known. @type {import('vitest/node').Reporter} */
const reporter = {
  onTestCaseReady(testCase) {
    if (asked.test(testCase.name)) process.stderr.write(`… ${testCase.name}\n`)
  },
  onTestCaseResult(testCase) {
    const row = judge(testCase)
    if (row === undefined) return
    told.push({ row, file: testCase.module.moduleId, line: testCase.location?.line ?? 0 })
    process.stderr.write(`  ${row.verdict}: ${row.finding?.got ?? row.reason} (${row.seconds.toFixed(1)} s)\n`)
  },
  onUserConsoleLog: ({ content }) => void process.stderr.write(content),
}

/** @param {import('vitest/node').TestCase} testCase @returns {Row | undefined} undefined: it was not asked for */
function judge(testCase) {
  const result = testCase.result()
  if (result.state === 'skipped') return undefined
  const fault = testCase.meta().fault ?? { number: '?', title: testCase.name, wanted: '' }
  const seconds = (testCase.diagnostic()?.duration ?? 0) / 1_000
  if (fault.leftOut !== undefined) return { ...fault, verdict: 'left out', reason: fault.leftOut, seconds }
  if (result.state === 'passed' && fault.finding?.holds) return { ...fault, verdict: 'holds', reason: '', seconds }
  if (result.state === 'passed') return { ...fault, verdict: 'SHORT', reason: fault.finding?.short ?? '', seconds }
  const reason = (result.errors ?? []).map(({ message }) => message.split('\n')[0]).join('; ')
  return { ...fault, verdict: 'FAILS', reason, seconds }
}

/**
 * Numbers first, then words, and rows of one number as they are written down: not in the order of the run, in which Vitest begins with
 * the files that took longest the last time.
 * @param {Told} a @param {Told} b
 */
function byNumber(a, b) {
  const [numberA, numberB] = [a, b].map(({ row }) => Number.parseInt(row.number, 10) || Number.POSITIVE_INFINITY)
  if (numberA !== numberB) return numberA < numberB ? -1 : 1
  const [placeA, placeB] = [a, b].map(({ row, file, line }) =>
    [row.number, file, String(line).padStart(6, '0')].join(' '),
  )
  return placeA < placeB ? -1 : 1
}

/**
 * The files in which these rows stand, each found by its number as written. To load the others takes minutes on a machine that has other
 * things to do.
 * @param {readonly string[]} numbers @returns {string[]}
 */
function filesOf(numbers) {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.faults.ts'))
    .map((name) => ({
      path: join(import.meta.dirname, name),
      text: readFileSync(join(import.meta.dirname, name), 'utf8'),
    }))
  const row = new RegExp(`\\b(?:scenario|leftOut)\\(\\s*['"]?(?:${numbers.join('|')})['"]?,`)
  return files.filter(({ text }) => row.test(text)).map(({ path }) => path)
}

const wantedFiles = positionals.length === 0 ? [] : filesOf(positionals)
if (positionals.length > 0 && wantedFiles.length === 0) {
  console.error(`there is no scenario ${positionals.join(', ')}`)
  process.exit(1)
}
await requireFreePort()
const machine = describeMachine()
const vitest = await startVitest('test', wantedFiles, {
  testNamePattern: asked,
  config: 'quality/faults/vitest.config.ts',
  watch: false,
  includeTaskLocation: true,
  reporters: [reporter],
  provide: {
    faultOptions: { rounds: Number(values.rounds), soakMinutes: values.soak ? Number(values['soak-minutes']) : 0 },
  },
})
const broken = vitest.state.getUnhandledErrors()
for (const error of broken) console.error(error)
const files = vitest.state.getFiles().filter((file) => file.result?.state === 'fail' && file.tasks.length === 0)
for (const file of files) console.error(`${file.name} could not be loaded:`, file.result?.errors)
await vitest.close()

const rows = told.sort(byNumber).map(({ row }) => row)
const cells = rows.map(({ number, title, wanted: want, finding, verdict, reason }) => [
  number,
  title,
  want,
  finding?.got ?? '–',
  verdict,
  reason,
])
console.log(`\n${alignColumns([['#', 'fault', 'wanted', 'got', 'verdict', 'reason'], ...cells])}`)
const unknown = positionals.filter((number) => !rows.some((row) => row.number === number))
if (unknown.length > 0) console.error(`there is no scenario ${unknown.join(', ')}`)
const failed = rows.filter(({ verdict }) => verdict === 'FAILS').length + broken.length + files.length
console.log(
  `\n${rows.length} rows: ${['holds', 'SHORT', 'left out', 'FAILS'].map((verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`).join(', ')}`,
)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`)
process.exitCode = failed + unknown.length > 0 ? 1 : 0
