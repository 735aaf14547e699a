// Work that outlives its command, seen and steered from a page: a task begun at the terminal.
import { describe, expect } from 'vitest'
import { enterLines } from '../harness/process/hookline.ts'
import { violations, withAxe } from './axe.ts'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const TWAP = 'twap buy $5000 BTCUSDT into 50 over 100s'

describe('a twap begun at the terminal', () => {
  it('is in the panel at once, and its progress moves as its slices fill', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    await console.open('Tasks')
    await enterLines(hookline, [TWAP])
    const row = taskRow(console)
    await row.getByText('running').waitFor()
    await row.getByText('slices').waitFor()
    const first = await progressOf(console)
    await expect.poll(() => progressOf(console)).toBeGreaterThan(first)
    await expect.poll(() => row.textContent()).toContain('$5000 BTCUSDT into 50 over 100s')
  })

  it('is named by a question about closing all that was open before it began', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    await enterLines(hookline, ['buy $5000 BTCUSDT'])
    await console.page.getByRole('button', { name: 'Close all positions of paper' }).click({ delay: 50 })
    const question = console.page.getByRole('dialog').filter({ hasText: 'Close all positions of paper?' })
    await question.getByText('You sell').waitFor()
    await enterLines(hookline, [TWAP])
    await question.getByText(/^twap [0-9a-f]{8} still runs on BTCUSDT: /).waitFor()
  })

  it('is paused by the page, goes on by the terminal, and is canceled once a person has said so twice', async ({
    stage,
  }) => {
    const { hookline, console } = await stage.openPaired(withAxe)
    await console.open('Tasks')
    await enterLines(hookline, [TWAP])
    const row = taskRow(console)
    await row.getByText('running').waitFor()
    const press = (action: string) =>
      row.getByRole('button', { name: new RegExp(`^${action} twap BTCUSDT on paper`) }).click()
    await row.click()
    const detail = console.page.getByRole('region', { name: 'twap BTCUSDT' })
    await detail.getByText(/^\d+ of 50 slices/).waitFor()
    await detail.getByText('Average price').waitFor()
    expect(await violations(console)).toEqual([])
    await console.page.waitForURL(/task=/)
    await press('Pause')
    await row.getByText('paused').first().waitFor()
    await detail.getByText('Why it waits').waitFor()
    expect(taskOnDisk(stage)).toMatchObject({ status: 'running', paused: true })
    const [line = ''] = await detail.getByText(/^tasks resume /).allTextContents()
    hookline.send(`${line}\r`)
    await row.getByText('running').waitFor()

    await press('Cancel')
    const question = console.page.getByRole('dialog').filter({ hasText: 'Cancel this twap?' })
    await expect.poll(() => question.textContent()).toContain('What has filled stays.')
    await question.getByRole('button', { name: 'Keep it' }).click()
    await question.waitFor({ state: 'detached' })
    expect(taskOnDisk(stage)).toMatchObject({ status: 'running' })
    await press('Cancel')
    await question.getByRole('button', { name: 'Cancel the twap' }).click()
    await row.getByText('cancelled', { exact: true }).waitFor()
    await detail.getByText(/^canceled by /).waitFor()
    await detail.getByRole('button', { name: 'Close' }).click()
    await detail.waitFor({ state: 'detached' })
    expect(taskOnDisk(stage)).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('canceled by') })
    expect(await row.getByRole('button').count()).toBe(0)
  })
})

describe('hundreds of tasks', () => {
  it('have only those in sight in the page, and the last is reached by scrolling', async ({ stage }) => {
    const { console } = await stage.openPaired()
    await console.open('Tasks')
    const now = Date.now()
    stage.writeJson('tasks.json', {
      version: 1,
      tasks: Array.from({ length: 400 }, (_, index) => ({
        id: `t${index}`,
        kind: 'chase',
        account: 'paper',
        symbol: 'BTCUSDT',
        status: 'done',
        command: `chase buy 0.01 no-${index}`,
        runId: `run-${index}`,
        progress: 1,
        startedAt: now - index,
        updatedAt: now,
      })),
    })
    const table = console.pane('Tasks').getByRole('table', { name: 'Tasks' })
    await table
      .getByRole('row', { name: /^chase BTCUSDT/ })
      .first()
      .waitFor()
    expect(await table.getByRole('row').count()).toBeLessThan(100)
    await console.page.evaluate("document.querySelector('.table-scroll[data-long=true]').scrollTop = 1e7")
    await table.locator('tr[data-index="399"]').waitFor()
  })
})

function taskRow(console: ConsolePage) {
  return console
    .pane('Tasks')
    .getByRole('table', { name: 'Tasks' })
    .getByRole('row', { name: /^twap BTCUSDT/ })
}

async function progressOf(console: ConsolePage): Promise<number> {
  return Number(await taskRow(console).getByRole('progressbar').getAttribute('value'))
}

function taskOnDisk(stage: { readJson<T>(name: string): T }) {
  return stage.readJson<{ tasks: { status: string }[] }>('tasks.json').tasks[0]
}
