// Portfolio, as somebody looks at it in the evening: what it is worth, what made it, and the fills in a file.
import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
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
    await page.getByRole('button', { name: '1d', exact: true }).click()
    await page.waitForURL(/span=1d/)
    await page.getByRole('img', { name: /^paper: / }).waitFor()
    await page.getByText(/1 gap, where hookline did not run/).waitFor()
    const table = page.getByRole('table', { name: 'Made by day' })
    await table.getByText('Total USDT').waitFor()
    await page.getByRole('tab', { name: 'Symbol' }).click()
    await page
      .getByRole('table', { name: 'Made by symbol' })
      .getByRole('row', { name: /^BTCUSDT / })
      .waitFor()
    await page.reload()
    await console.badgeSays('Connected')
    await page.getByRole('table', { name: 'Made by symbol' }).waitFor()
    expect(await page.getByRole('button', { name: '1d', exact: true }).getAttribute('aria-pressed')).toBe('true')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the fills of paper as CSV' }).click()
    const file = await saving
    expect(file.suggestedFilename()).toBe('fills-paper-1d.csv')
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => line.split(',').slice(1, 3))).toEqual([
      ['symbol', 'side'],
      ['BTCUSDT', 'buy'],
      ['BTCUSDT', 'sell'],
    ])
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
    await page.getByText(/^hookline shows no accounts to pages/).waitFor()
    expect(await page.getByRole('region', { name: 'Figures' }).count()).toBe(0)
  })
})
