// `npm run mutation [-- venue…]`: changes each line of the venues' profiles in turn and asks the tests. Writes docs/measured/mutation.json and what
// `exchanges` shows of it, src/exchanges/venue-scores.ts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startVitest } from 'vitest/node'
import { alignColumns } from '../../scripts/align-columns.mjs'

/** @typedef {{ readonly killed: number, readonly of: number, readonly lines: string, readonly survivors: readonly string[] }} Score */

/** @typedef {{ readonly mutation?: { readonly venue: string } & Score, readonly broken?: readonly string[] }} Told */

const ROOT = resolve(import.meta.dirname, '../..')
const MEASURED = resolve(ROOT, 'docs/measured/mutation.json')
const SCORES = resolve(ROOT, 'src/exchanges/venue-scores.ts')

/** @type {Record<string, Score>} */
const venues = existsSync(MEASURED) ? JSON.parse(readFileSync(MEASURED, 'utf8')).venues : {}
const asked = process.argv.slice(2)
if (asked.length > 0) process.env.MUTATION_VENUES = asked.join(',')
const broken = new Set()
let failed = false

/** @type {import('vitest/node').Reporter} */
const reporter = {
  onTestCaseResult(testCase) {
    const { mutation, broken: failing = [] } = /** @type {Told} */ (/** @type {unknown} */ (testCase.meta()))
    for (const each of failing) broken.add(each)
    if (testCase.result().state !== 'passed') {
      failed = true
      process.stderr.write(`${testCase.name}: ${JSON.stringify(testCase.result().errors)}\n`)
      return
    }
    if (mutation === undefined) return
    const { venue, of, lines, survivors } = mutation
    venues[venue] = { killed: of - survivors.length, of, lines, survivors }
    process.stderr.write(`${venue}: ${of - survivors.length} of ${of}\n`)
    write()
  },
}

const vitest = await startVitest('test', [], {
  config: 'quality/mutation/vitest.config.ts',
  root: ROOT,
  watch: false,
  reporters: [reporter],
})
await vitest.close()
for (const each of broken) process.stderr.write(`left out, it fails by itself: ${each}\n`)
if (failed) process.exit(1)

const cells = sorted().map(([venue, { killed, of }]) => [
  venue,
  `${killed}`,
  `${of}`,
  `${Math.floor((100 * killed) / of)} %`,
])
process.stdout.write(`${alignColumns([['venue', 'killed', 'of', ''], ...cells])}\n`)

function sorted() {
  return Object.entries(venues).sort(([left], [right]) => (left < right ? -1 : 1))
}

/** After each venue: a run that is stopped keeps what it knows. */
function write() {
  const { version } = JSON.parse(readFileSync(resolve(ROOT, 'node_modules/ccxt/package.json'), 'utf8'))
  const measured = { at: new Date().toISOString(), ccxt: version, venues: Object.fromEntries(sorted()) }
  writeFileSync(MEASURED, `${JSON.stringify(measured, null, 2)}\n`)
  writeFileSync(SCORES, scoresOf(sorted()))
}

/** @param {readonly [string, Score][]} scores */
function scoresOf(scores) {
  return [
    '// Made by `npm run mutation`: of single changes to the profile of a venue, how many make a test fail.',
    '',
    'export interface VenueScore {',
    '  readonly killed: number',
    '  readonly of: number',
    '}',
    '',
    '/** `lines`: a digest of the changes that were made. */',
    'export const VENUE_SCORES: Readonly<Record<string, VenueScore & { readonly lines: string }>> = {',
    ...scores.map(
      ([venue, { killed, of, lines }]) => `  ${venue}: { killed: ${killed}, of: ${of}, lines: '${lines}' },`,
    ),
    '}',
    '',
  ].join('\n')
}
