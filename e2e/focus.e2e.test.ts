// Which account the page's commands use: what the page says is what hookline does, also where an exchange does not answer.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { it } from './stage.ts'

const row = (name: string, exchange: string) => ({ name, exchange, createdAt: 1, updatedAt: 1 })
const ACCOUNTS = { accounts: [row('paper', 'paper'), row('second', 'paper'), row('live', 'bitmex')] }

describe('the account in focus', () => {
  it('is named by header, prompt and panels as soon as it changes, also where it does not answer', async ({
    stage,
  }) => {
    writeFileSync(join(stage.directory, 'accounts.json'), JSON.stringify(ACCOUNTS), { mode: 0o600 })
    const { hookline, console } = await stage.openPaired()
    const header = console.page.getByRole('banner')
    await header.getByText('paper', { exact: true }).waitFor()

    hookline.send('account use live\r')
    await header.getByText('live', { exact: true }).waitFor()
    await header.getByText('does not answer').waitFor()
    const portfolio = console.pane('Portfolio')
    await portfolio.getByText('hookline shows no figures of live: account live is on bitmex').waitFor()
    await (await console.open('Accounts')).getByRole('row', { name: /^live .*in focus/ }).waitFor()
    await console.goToPage('Trade')
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^live \[BTCUSDT\] > buy \$100 BTCUSDT$/)
    await console.prints(/^error: account live is on bitmex/)

    hookline.send('account use second\r')
    await header.getByText('second', { exact: true }).waitFor()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^second \[BTCUSDT\] > buy \$100 BTCUSDT$/)
    await console.position('BTCUSDT').waitFor()
    expect(await portfolio.getByText('second, in USDT').count()).toBe(1)
    expect(await header.getByText('does not answer').count()).toBe(0)
  })

  it('is not that of a ticket which is filled in, nor of a tab that chose its own, also after a reload', async ({
    stage,
  }) => {
    writeFileSync(join(stage.directory, 'accounts.json'), JSON.stringify(ACCOUNTS), { mode: 0o600 })
    const { hookline, console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    const { page } = console
    const header = page.getByRole('banner')
    const button = page.getByRole('region', { name: 'Ticket' }).getByRole('button', { name: / on paper/ })
    await header.getByText('paper', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Size' }).fill('100')
    await page.waitForURL(/\?account=paper$/)
    await button.waitFor()
    hookline.send('symbol ETHUSDT; account use second\r')
    await hookline.shows('trading on second')
    await header.getByRole('button', { name: 'Account paper' }).click()
    await page.getByText('Follow the terminal (second)').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Buy [\d.]+ BTC at the market on paper/, disabled: false }).click()
    await console.prints(/^paper \[BTCUSDT\] > buy \$100 BTCUSDT$/)
    await console.position('BTCUSDT').waitFor()
    await page.goto('http://127.0.0.1:53220/trade')
    await console.badgeSays('Connected')
    await header.getByRole('button', { name: 'Account paper' }).waitFor()
  })

  it('is marked as stale in header and panel while nothing is heard of its exchange', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired()
    const stale = console.page.getByRole('banner').getByText('stale', { exact: true })
    await console.pane('Portfolio').getByText('paper, in USDT').waitFor()
    expect(await stale.count()).toBe(0)
    hookline.send('paper faults gap 4\r')
    await stale.waitFor()
    await console.pane('Portfolio').getByText('The exchange has sent nothing for too long').waitFor()
    await stale.waitFor({ state: 'detached' })
  })
})
