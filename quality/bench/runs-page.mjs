// A page of the run journal, which a console asks for while somebody scrolls: of a journal with 100 000 runs against one with 1 000. Each page is
// read by a reader of its own, which knows nothing of other pages.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { judge, median, ratios } from './rounds.mjs'
import { temporaryDirectory } from './servers.mjs'

const FEW = 1_000
const MANY = 100_000
const AT = 1_700_000_000_000

/** @typedef {{ rounds: number }} Scale */

/** @type {import('./groups.mjs').Group<Scale>} */
export const runsPage = {
  full: { rounds: 60 },
  quick: { rounds: 15 },
  measure: measureRunsPage,
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measureRunsPage({ rounds }) {
  const directory = temporaryDirectory()
  writeRuns(join(directory, 'small.jsonl'), FEW)
  writeRuns(join(directory, 'large.jsonl'), MANY)
  const program = await bundle('quality/bench/journal-page.ts', join(directory, 'journal-page.mjs'))
  const printed = execFileSync(process.execPath, [program, directory, String(rounds)], { encoding: 'utf8' })
  rmSync(directory, { recursive: true, force: true })
  /** @type {Record<'small' | 'newest' | 'middle' | 'nothing', number>[]} */
  const results = JSON.parse(printed)
  /** @param {'small' | 'newest' | 'middle' | 'nothing'} what */
  const of = (what) => results.map((result) => result[what])
  const ms = (/** @type {'small' | 'newest' | 'middle' | 'nothing'} */ what) => `${median(of(what)).toFixed(2)} ms`
  const many = MANY.toLocaleString('en-US')
  return [
    judge(
      `the newest page of ${many} runs, against that of ${FEW.toLocaleString('en-US')}`,
      { atMost: 1.5 },
      ratios(of('newest'), of('small')),
      `${ms('newest')}; of few ${ms('small')}`,
    ),
    judge(
      `a page from the middle of ${many} runs, against the newest`,
      { atMost: 2 },
      ratios(of('middle'), of('newest')),
      `${ms('middle')}; the newest ${ms('newest')}`,
    ),
    judge(
      `a page of ${many} runs that a filter leaves empty, against the newest`,
      { atMost: 40 },
      ratios(of('nothing'), of('newest')),
      `${ms('nothing')} for 1 MiB looked through; the newest ${ms('newest')}`,
    ),
  ]
}

/** @param {string} path @param {number} count */
function writeRuns(path, count) {
  const lines = []
  for (let run = 0; run < count; run += 1) {
    const runId = randomUUID()
    const who = { source: 'hook', origin: 'dip', hook: 'ac4de871068ca99e314bdbc8f52809f1', account: 'paper' }
    lines.push(
      JSON.stringify({ t: 'start', runId, at: AT + run, ...who, command: 'buy $250 BTCUSDT; stop at -2%', pid: 4711 }),
      JSON.stringify({ t: 'done', runId, at: AT + run + 5, ok: true }),
    )
  }
  writeFileSync(path, `${lines.join('\n')}\n`)
}
