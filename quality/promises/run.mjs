// `npm run promises [-- T12 T84…]`: takes each promise of SECURITY.md away, one at a time and in a copy of the tree, and asks the test that
// the row names. Ends with 1 where a test passes all the same.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BREAKS } from './breaks.mjs'

/** @typedef {import('./breaks.mjs').Break} Break */
/** @typedef {{ readonly status: string, readonly fullName: string, readonly failureMessages: readonly string[] }} Case */
/** @typedef {{ readonly state: 'red' | 'green' | 'neither', readonly said: string }} Verdict */

const ROOT = resolve(import.meta.dirname, '../..')
/** What ends a test without an assertion: the break does not run, so its test has not judged it. */
const NOT_AN_ASSERTION =
  /^(SyntaxError(?!.*JSON)|ReferenceError|TypeError(?!: \.to)|RangeError|Error: (Cannot find|Failed to (load|resolve)|Transform failed))/

/** How vitest says that a test ran out of time. */
const TIMED_OUT = 'Error: STACK_TRACE_ERROR'

const asked = process.argv.slice(2)
const chosen = asked.length === 0 ? BREAKS : BREAKS.filter(({ threat }) => asked.includes(threat))
const unknown = asked.filter((each) => !BREAKS.some(({ threat }) => threat === each))
if (unknown.length > 0) {
  process.stderr.write(`no row ${unknown.join(', ')} in quality/promises/breaks.mjs\n`)
  process.exit(1)
}

const tree = mkdtempSync(join(tmpdir(), 'hookline-promises-'))
process.on('exit', () => rmSync(tree, { recursive: true, force: true }))
/** The test that runs. @type {import('node:child_process').ChildProcess | undefined} */
let running
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    running?.kill()
    process.exit(1)
  })
}
copyTree()

let kept = 0
const whole = await judgeUnbroken()
for (const each of chosen) {
  const before = whole.get(each) ?? { state: 'neither', said: 'was not run' }
  const after = before.state === 'green' ? await judgeBroken(each) : before
  if (before.state === 'green' && after.state === 'red') kept += 1
  print(each, before, after)
}
process.stdout.write(`${kept} of ${chosen.length} breaks turn their test red\n`)
process.exit(kept === chosen.length ? 0 : 1)

/** All files that git knows or would know, and the packages as they are. */
function copyTree() {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const file of listed.split('\0')) {
    if (file !== '' && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(tree, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'))
}

/** Every chosen test once, on the code as it is: what is red already proves nothing. */
async function judgeUnbroken() {
  if (chosen.some(({ built }) => built)) build()
  /** @type {Map<Break, Verdict>} */
  const verdicts = new Map()
  for (const tier of new Set(chosen.map(tierOf))) {
    const group = chosen.filter((each) => tierOf(each) === tier)
    const cases = await runTests(tier, group, [])
    for (const each of group) verdicts.set(each, judge(each, cases))
  }
  return verdicts
}

/** @param {Break} each @returns {Promise<Verdict>} */
async function judgeBroken(each) {
  const file = join(tree, each.file)
  const text = readFileSync(file, 'utf8')
  if (text.split(each.find).length !== 2)
    return { state: 'neither', said: `${each.file} has the text not exactly once` }
  writeFileSync(
    file,
    text.replace(each.find, () => each.replace),
  )
  try {
    if (each.built) build()
    // One is enough, and what never comes is waited for long.
    return judge(each, await runTests(tierOf(each), [each], ['--bail=1']))
  } catch (error) {
    return { state: 'neither', said: `does not build: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    writeFileSync(file, text)
  }
}

/** @param {string} tier @param {readonly Break[]} group @param {readonly string[]} more flags @returns {Promise<Map<string, readonly Case[]>>} */
async function runTests(tier, group, more) {
  const report = join(tree, 'promises.json')
  rmSync(report, { force: true })
  const files = [...new Set(group.map(fileOf))]
  const titles = group.map(({ title }) => patternOf(title)).join('|')
  const flags = ['--maxWorkers=1', '--reporter=json', `--outputFile=${report}`, ...more]
  const line = ['node_modules/vitest/vitest.mjs', 'run', '--project', tier, ...files, '-t', titles, ...flags]
  running = spawn(process.execPath, line, { cwd: tree, stdio: 'ignore' })
  await once(running, 'close')
  const { testResults } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] }
  return new Map(
    testResults.map((/** @type {any} */ each) => [each.name.slice(tree.length + 1), each.assertionResults]),
  )
}

/** @param {Break} each @param {Map<string, readonly Case[]>} results @returns {Verdict} */
function judge(each, results) {
  const title = new RegExp(patternOf(each.title))
  const cases = (results.get(fileOf(each)) ?? []).filter(({ fullName }) => title.test(fullName))
  const failed = cases.filter(({ status }) => status === 'failed')
  if (failed.length > 0) {
    const said =
      failed[0]?.failureMessages[0]?.split('\n')[0]?.replace(TIMED_OUT, 'what must come did not come in time') ?? ''
    return { state: failed.every(notJudged) ? 'neither' : 'red', said }
  }
  if (cases.some(({ status }) => status === 'passed')) return { state: 'green', said: '' }
  return { state: 'neither', said: cases.length === 0 ? 'the file did not load, or has no such test' : 'skipped here' }
}

/** @param {Case} failed */
function notJudged({ failureMessages }) {
  return failureMessages.every((each) => NOT_AN_ASSERTION.test(each))
}

function build() {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: tree, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** @param {Break} each */
function fileOf({ test, run }) {
  return run ?? test
}

/** @param {Break} each */
function tierOf(each) {
  return /\.(sim|node|port|registry|e2e)\.test\.ts$/.exec(fileOf(each))?.[1] ?? 'unit'
}

/** A title of a table has its values in it when it runs. @param {string} title */
function patternOf(title) {
  return title
    .split(/%[a-z]|\$\w+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('.*')
}

/** @param {Break} each @param {Verdict} before @param {Verdict} after */
function print({ threat, file, find, test, title }, before, after) {
  const [line = ''] = find.trim().split('\n')
  process.stdout.write(`${threat} ${file}: ${line}\n  ${test}: ${title}\n  ${inWords(before, after)}\n`)
}

/** @param {Verdict} before @param {Verdict} after */
function inWords(before, after) {
  if (before.state !== 'green') return `NOT GREEN without the break: ${before.said}`
  if (after.state === 'neither') return `NOT JUDGED: ${after.said}`
  return after.state === 'green' ? 'STILL GREEN' : `red: ${after.said.slice(0, 160)}`
}
