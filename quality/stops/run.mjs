// `npm run stops -- [--papers] [stop…]`: every stop against everything that acts, by real processes (behaviour 30). A row for each stop and each way to
// say it; the exit status is 1 where a cell is not as the table of `src/authority/stop-table.ts` says.
// `--papers` writes that table into the papers instead.
import { parseArgs } from 'node:util'
import { startVitest } from 'vitest/node'
import { alignColumns } from '../../scripts/align-columns.mjs'

/** @typedef {import('./matrix.ts').Cell} Cell */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { papers: { type: 'boolean', default: false } },
})

/** @type {Cell[]} */
const cells = []
const began = Date.now()
let failed = 0

const vitest = await startVitest('test', values.papers ? ['papers.stops.ts'] : ['held', 'lifted', 'slept'], {
  config: 'quality/stops/vitest.config.ts',
  watch: false,
  provide: { stopNames: positionals },
  reporters: [
    {
      onTestCaseResult(testCase) {
        cells.push(...(testCase.meta().stops ?? []))
        const { state, errors = [] } = testCase.result()
        if (state === 'failed') failed += 1
        for (const { message } of errors) console.error(`${testCase.name}: ${message}`)
      },
      onUserConsoleLog: ({ content }) => void process.stderr.write(content),
    },
  ],
})
for (const error of vitest.state.getUnhandledErrors()) {
  failed += 1
  console.error(error)
}
await vitest.close()

if (!values.papers) {
  const columns = [...new Set(cells.map(({ column }) => column))]
  const rows = [...new Set(cells.map(({ stop, timing }) => `${stop}\t${timing}`))]
  const wrong = cells.filter((cell) => cell.wrong !== undefined)
  /** Columns of one row may say the same. */
  const says = [
    ...new Set(wrong.map(({ stop, timing, wrong: what }) => `${stop} (${timing}): ${what?.split('\n')[0]}`)),
  ]
  const cellOf = (/** @type {string} */ row, /** @type {string} */ column) => {
    const cell = cells.find((each) => `${each.stop}\t${each.timing}` === row && each.column === column)
    if (cell?.wrong === undefined) return cell?.course ?? '–'
    return `NOT OK ${says.indexOf(`${cell.stop} (${cell.timing}): ${cell.wrong.split('\n')[0]}`) + 1}`
  }
  const head = ['stop', 'said', ...columns]
  console.log(
    alignColumns([head, ...rows.map((row) => [...row.split('\t'), ...columns.map((each) => cellOf(row, each))])]),
  )
  for (const [index, what] of says.entries()) console.log(`${index + 1}. ${what}`)
  const seconds = Math.round((Date.now() - began) / 1_000)
  console.log(`\n${cells.length} cells of ${rows.length} rows in ${seconds} s: ${wrong.length} not ok`)
  failed += wrong.length + (cells.length === 0 ? 1 : 0)
}
process.exitCode = failed > 0 ? 1 : 0
