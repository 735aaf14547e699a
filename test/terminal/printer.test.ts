import { expect, it } from 'vitest'
import type { RunData, RunRequest } from '../../src/runs/run.ts'
import { createJsonPrinter } from '../../src/terminal/json-printer.ts'
import { createPrinter } from '../../src/terminal/printer.ts'
import type { Screen } from '../../src/terminal/screen.ts'

const TYPED: RunRequest = { runId: 'r1', source: 'repl', command: 'buy 0.01 at -1%' }
const FIRED: RunRequest = { runId: 'r2', source: 'hook', origin: 'dip', command: 'buy 0.01' }
const PAGE: RunRequest = { runId: 'r3', source: 'web', origin: 'laptop', command: 'buy 0.01' }
const DUE: RunRequest = { runId: 'r4', source: 'exec', origin: 'every 3f9c2a71', command: 'price' }
const SCRIPT: RunRequest = { runId: 'r5', source: 'exec', command: 'price' }

function linesOf(run: RunRequest, data: RunData | undefined, focus: string | undefined): readonly string[] {
  const lines: string[] = []
  const screen: Pick<Screen, 'show' | 'mirror'> = {
    show: (each) => void lines.push(...each),
    mirror: (_prefix, each) => void lines.push(...each),
  }
  const { sink } = createPrinter(
    screen as Screen,
    false,
    () => undefined,
    () => focus,
  )
  sink.output?.(run, 'success', 'order p1: bought', data)
  return lines
}

const fill = (account: string): RunData => ({ type: 'order', account })

it.each([
  ['a fill on the account in focus', TYPED, fill('paper'), 'paper', 'order p1: bought'],
  ['a fill on another account', TYPED, fill('swing'), 'paper', '[swing] order p1: bought'],
  ['a fill where no prompt is', TYPED, fill('swing'), undefined, 'order p1: bought'],
  ['a table of another account', TYPED, { type: 'positions', account: 'swing' }, 'paper', 'order p1: bought'],
  ['a line without data', TYPED, undefined, 'paper', 'order p1: bought'],
  [
    "a fill of a hook's run that began on another account",
    FIRED,
    fill('swing'),
    'paper',
    '[hook:dip on swing] order p1: bought',
  ],
  ["a fill of a hook's run on the account in focus", FIRED, fill('paper'), 'paper', '[hook:dip] order p1: bought'],
  [
    'a fill of a pinned hook',
    { ...FIRED, account: 'swing' },
    undefined,
    'paper',
    '[hook:dip on swing] order p1: bought',
  ],
  ["a fill of a page's run on another account", PAGE, fill('swing'), 'paper', '[web:laptop on swing] order p1: bought'],
  ['a line that a task has run', DUE, undefined, 'paper', '[every 3f9c2a71] order p1: bought'],
  [
    "a fill of a task's line on another account",
    DUE,
    fill('swing'),
    'paper',
    '[every 3f9c2a71 on swing] order p1: bought',
  ],
])('%s', (_what, run, data, focus, line) => {
  expect(linesOf(run, data, focus)).toEqual([line])
})

it('a line of a script is printed by the script alone', () => {
  expect(linesOf(SCRIPT, undefined, 'paper')).toEqual([])
})

it('a line that a task has run says whose it is with --json', () => {
  const lines: string[] = []
  createJsonPrinter((line) => void lines.push(line)).sink.output?.(DUE, 'info', 'BTCUSDT 65,000')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { type: 'message', kind: 'info', text: 'BTCUSDT 65,000', runId: 'r4', source: 'exec', origin: 'every 3f9c2a71' },
  ])
})
