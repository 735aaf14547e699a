// A day at the console, step by step, with whatever hands: each step is done as a person would, and seen to have come about.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { enterLines } from '../harness/process/hookline.ts'
import type { PseudoTerminal } from '../harness/process/pseudo-terminal.ts'
import { openRunJournal } from '../src/runtime/run-journal.ts'
import { openRunOutputLog } from '../src/runtime/run-output-log.ts'
import type { ConsolePage } from './console-page.ts'
import type { Hands } from './hands.ts'
import { answer, isAsked } from './operator.ts'
import type { Stage } from './stage.ts'

export interface Day {
  readonly stage: Stage
  readonly hookline: PseudoTerminal
  readonly console: ConsolePage
  readonly hands: Hands
}

const YESTERDAY_MS = 24 * 3_600_000
const FAILED = 'the order costs $9,999,999, and $10,000 are free'

/** A hook's run that failed a day ago, written by what writes down runs. hookline does not run yet. */
export function seedYesterday({ directory }: Stage): void {
  const now = () => Date.now() - YESTERDAY_MS
  const run = {
    runId: randomUUID(),
    source: 'hook',
    origin: 'overnight',
    hookId: 'a'.repeat(32),
    command: 'buy $9999999 ETHUSDT',
  } as const
  const journal = openRunJournal({ path: join(directory, 'runs.jsonl'), now })
  const output = openRunOutputLog({ path: join(directory, 'run-output.jsonl'), hideSecrets: (text) => text, now })
  const started = journal.start(run, 'paper', () => {})
  output.sink.started?.(run, now())
  output.sink.output?.(run, 'error', FAILED)
  output.sink.done?.(run, { success: false, error: FAILED }, { acceptedAt: now(), endedAt: now() })
  journal.done(started, { success: false, error: FAILED })
  output.close()
  journal.close()
}

/** From a page that was never let in, with an account to copy to. */
export async function begin(stage: Stage, console: ConsolePage, hands: Hands): Promise<Day> {
  const hookline = await stage.startHookline()
  await enterLines(hookline, ['account add swing paper'])
  await hands.press(console.page.getByRole('button', { name: 'Connect', exact: true }))
  await isAsked(hookline, console)
  await answer(hookline, 'y')
  await console.badgeSays('Connected')
  return { stage, hookline, console, hands }
}

/** All of it. */
export async function workADay(day: Day): Promise<void> {
  await workAHook(day)
  await moveAStop(day)
  await watchATwap(day)
  await addACopier(day)
  await findWhatFailed(day)
  await stopEverything(day)
}

/** Made, fired, paused. */
async function workAHook({ console, hands, stage }: Day): Promise<void> {
  const { page } = console
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await hands.goTo('Hooks')
  await hands.press(button('New hook'))
  const form = page.getByRole('dialog', { name: 'New hook' })
  await hands.write(form.getByRole('textbox', { name: 'Name' }), 'dip')
  await form.locator('.cm-content').waitFor()
  await hands.write(form.getByRole('textbox', { name: 'Command' }), 'buy $500 BTCUSDT stop -2%')
  await hands.press(button('Create hook'))
  await button('Pause hook dip').waitFor()
  expect(stage.storedHook('dip')).toMatchObject({ command: 'buy $500 BTCUSDT stop -2%' })

  await hands.press(page.getByRole('button', { name: /^Fire now on / }))
  await hands.press(page.getByRole('dialog', { name: 'Fire dip now?' }).getByRole('button', { name: 'Fire' }))
  await console.openHook().getByRole('list', { name: 'Runs of dip' }).getByText('ok', { exact: true }).waitFor()
  await hands.press(button('Pause hook dip'))
  await hands.press(page.getByRole('dialog', { name: 'Pause dip?' }).getByRole('button', { name: 'Pause' }))
  await console.openHook().getByRole('note').getByText('hook resume dip').waitFor()
  expect(stage.storedHook('dip')).toMatchObject({ paused: expect.anything() })
}

async function moveAStop({ console, hands }: Day): Promise<void> {
  const { page } = console
  await hands.goTo('Trade')
  await hands.press(page.getByRole('tab', { name: /^Orders/ }))
  const stop = page.getByRole('button', { name: /^Cancel order .+: stop sell / })
  await stop.waitFor()
  const before = await stop.getAttribute('aria-label')
  await hands.moveStop()
  const card = page.getByRole('dialog', { name: 'Move the line' })
  await card.getByText(/^move p\d+ to [\d.]+$/).waitFor()
  const move = card.getByRole('button', { name: /^Move/, disabled: false })
  await move.waitFor()
  await hands.press(move)
  await expect.poll(() => stop.getAttribute('aria-label')).not.toBe(before)
}

async function watchATwap({ console, hands }: Day): Promise<void> {
  const { page } = console
  const opens = page.getByRole('region', { name: 'Trade' }).getByRole('button', { name: 'Buy' })
  if (await opens.isVisible()) await hands.press(opens)
  const form = page.getByRole('region', { name: 'Ticket' }).or(page.getByRole('dialog', { name: 'Ticket' }))
  await hands.press(form.getByRole('button', { name: 'TWAP' }))
  await hands.write(form.getByRole('textbox', { name: 'Size' }), '9000')
  await hands.write(form.getByRole('textbox', { name: 'Slices' }), '60')
  await hands.write(form.getByRole('textbox', { name: 'Duration' }), '2m')
  await hands.press(form.getByRole('button', { name: /^Start the twap: buy /, disabled: false }))

  await hands.press(page.getByRole('tab', { name: /^Tasks/ }))
  const row = twapRow(console)
  await row.getByText('running').waitFor()
  const progress = async () => Number(await row.getByRole('progressbar').getAttribute('value'))
  const first = await progress()
  await expect.poll(progress).toBeGreaterThan(first)
  await hands.press(row)
  const detail = page.getByRole('region', { name: 'twap BTCUSDT' })
  await detail.getByText(/^\d+ of 60 slices/).waitFor()
  await detail.getByText('Average price').waitFor()
}

function twapRow({ page }: ConsolePage) {
  return page.getByRole('table', { name: 'Tasks' }).getByRole('row', { name: /^twap BTCUSDT/ })
}

/** The page adds it; the terminal turns it on. */
async function addACopier({ console, hands, hookline }: Day): Promise<void> {
  const { page } = console
  await hands.goTo('Copy')
  await hands.press(page.getByRole('button', { name: 'Add a pair' }))
  const form = page.getByRole('region', { name: 'New pair', exact: true })
  await hands.choose(form.getByRole('combobox', { name: 'Master', exact: true }), 'paper')
  await hands.choose(form.getByRole('combobox', { name: 'Copier', exact: true }), 'swing')
  await hands.write(form.getByRole('textbox', { name: 'Its symbol' }), 'BTCUSDT')
  await hands.write(form.getByRole('textbox', { name: 'Weight', exact: true }), '0.5')
  await hands.press(form.getByRole('button', { name: 'Add the pair', disabled: false }))
  const pair = page.getByRole('region', { name: 'paper BTCUSDT → swing', exact: true })
  await pair.getByText('Nothing is copied by it.').waitFor()
  const line = await pair.getByText(/^cross-trade enable /).textContent()
  await enterLines(hookline, [line ?? '', 'cross-trade start'])
  await pair.getByText('Should hold').waitFor()
}

async function findWhatFailed({ console, hands }: Day): Promise<void> {
  const { page } = console
  await hands.goTo('Journal')
  await hands.choose(page.getByRole('combobox', { name: 'State' }), 'failed')
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('button')
  await expect.poll(() => runs.count()).toBe(1)
  await hands.press(runs.filter({ hasText: /^\d+ [A-Z][a-z]{2} .*overnight/ }))
  const run = page.getByRole('region', { name: 'Run', exact: true })
  await run.getByRole('list', { name: 'Timeline' }).getByText(FAILED).first().waitFor()
}

/** The stop, the position, and the twap that would go on buying. */
async function stopEverything({ console, hands }: Day): Promise<void> {
  const { page } = console
  await hands.hold(page.getByRole('button', { name: 'Flatten paper' }))
  await hands.goTo('Trade')
  await hands.press(page.getByRole('tab', { name: /^Tasks/ }))
  await twapRow(console).getByText('cancelled', { exact: true }).waitFor()
  await hands.press(page.getByRole('tab', { name: /^Orders/ }))
  await page.getByText('No resting orders.').waitFor()
  await hands.press(page.getByRole('tab', { name: /^Positions/ }))
  await page.getByText('No open positions.').waitFor()
}
