// Portfolio, as somebody looks at it in the evening: what it is worth, what made it, and the fills in a file.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { violations, withAxe } from './axe.ts'
import type { ConsolePage } from './console-page.ts'
import { seedEquity } from './seeded-equity.ts'
import { it } from './stage.ts'

describe('the portfolio', () => {
  it('shows the curve with its gap, what was made, and saves the fills', async ({ stage }) => {
    seedEquity(stage)
    const { console } = await stage.openPaired()
    const { page } = console
    await console.run('buy $100 BTCUSDT; close BTCUSDT')
    await console.prints(/^closed |^sold /)
    await console.goToPage('Portfolio')
    await page.getByRole('button', { name: '1D', exact: true }).click()
    await page.waitForURL(/span=1d/)
    await page.getByRole('img', { name: /^paper: / }).waitFor()
    await page.getByText(/1 gap, where hookline did not run/).waitFor()
    const table = page.getByRole('table', { name: 'Profit and loss by symbol' })
    await table.getByText('Total USDT').waitFor()
    await page.getByRole('tab', { name: 'Day' }).click()
    await page.getByRole('table', { name: 'Profit and loss by day' }).waitFor()
    await page.getByRole('tab', { name: 'Symbol' }).click()
    await page
      .getByRole('table', { name: 'Profit and loss by symbol' })
      .getByRole('row', { name: /^BTCUSDT / })
      .waitFor()
    await page.reload()
    await console.badgeSays('Connected')
    await page.getByRole('table', { name: 'Profit and loss by symbol' }).waitFor()
    expect(await page.getByRole('button', { name: '1D', exact: true }).getAttribute('aria-pressed')).toBe('true')
    const [fills, made, equity] = [await save(page, 'Fills'), await save(page, 'Profit'), await save(page, 'Equity')]
    expect(fills.name).toBe('fills-paper-1d.csv')
    expect(fills.lines.map((line) => line.split(',').slice(1, 3))).toEqual([
      ['symbol', 'side'],
      ['BTCUSDT', 'buy'],
      ['BTCUSDT', 'sell'],
    ])
    expect(made.lines[1]).toMatch(/^BTCUSDT,USDT,-?\d+\.\d+,/)
    expect(equity.lines[0]).toBe('time,account,currency,equity,wallet')
    expect(equity.lines.length).toBeGreaterThan(200)
  })

  it('is a calendar of days in the zone of the settings, walked through by keys, and fits a narrow window', async ({
    stage,
  }) => {
    seedEquity(stage)
    // A day ahead of the other end of the world: the fills of one instant are of two days.
    const { console } = await stage.openPaired({ ...withAxe, timezoneId: 'Pacific/Kiritimati' })
    const { page } = console
    await console.run('buy $100 BTCUSDT; close BTCUSDT')
    await console.prints(/^closed |^sold /)
    await console.goToPage('Portfolio')
    const days = console.page.getByRole('region', { name: 'Days', exact: true })
    await days.getByText('days in Pacific/Kiritimati').waitFor()
    const local = await dayOfFills(console)
    await days.getByText(/1 day won|0 days won, 1 lost/).waitFor()
    await page.locator('.calendar [tabindex="0"]').focus()
    await page.keyboard.press('PageUp')
    await page.waitForURL(/month=\d{4}-\d\d/)
    await days.getByText(/: no fills\.$/).waitFor()
    const before = await focusedDay(page)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focusedDay(page)).toBe(addDay(before, -1))
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('PageDown')
    await days.getByText(/1 day won|0 days won, 1 lost/).waitFor()
    const texts = await page.locator('.equity-chart svg text[text-anchor="middle"]').allTextContents()
    expect(texts.length).toBeGreaterThan(1)
    expect(new Set(texts).size).toBe(texts.length)

    await page.evaluate(`localStorage.setItem('hookline.preferences', JSON.stringify({ timeZone: 'utc' }))`)
    await page.reload()
    await console.badgeSays('Connected')
    await days.getByText('days in UTC').waitFor()
    const utc = await dayOfFills(console)
    expect(utc <= local).toBe(true)
    expect(Date.now() - Date.parse(utc)).toBeLessThan(2 * 86_400_000)
    expect(await violations(console)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await violations(console)).toEqual([])
    expect(await console.outOfReach()).toEqual([])
  })

  it('says in words that there is no curve yet, and takes it all away with the switch of accounts', async ({
    stage,
  }) => {
    const { console } = await stage.openPaired()
    const { page } = console
    await console.goToPage('Portfolio')
    await page.getByText('Nothing filled in this span').waitFor()
    await page.getByText(/^(No curve yet|Nothing in this span)$/).waitFor()
    stage.setFlags({ accountSync: false })
    await page.getByText(/^Accounts are off: no page sees/).waitFor()
    expect(await page.getByRole('region', { name: 'Figures' }).count()).toBe(0)
  })
})

async function save(page: Page, item: string) {
  await page.getByRole('button', { name: 'Files of paper as CSV' }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('dialog', { name: 'Files as CSV' }).getByRole('button', { name: item }).click()
  const file = await saving
  const text = readFileSync(await file.path(), 'utf8')
  return { name: file.suggestedFilename(), lines: text.trimEnd().split('\r\n') }
}

/** The one day of the month that has fills. */
async function dayOfFills({ page }: ConsolePage): Promise<string> {
  const cell = page.locator('.calendar td[data-tone]')
  await cell.waitFor()
  return String(await cell.getAttribute('data-day'))
}

function focusedDay(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.dataset.day')
}

function addDay(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)
}
