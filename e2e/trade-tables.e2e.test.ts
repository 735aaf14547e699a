// What the account holds, as tables that write lines: closed, reversed, protected, all at once.
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const DESK = { viewport: { width: 1366, height: 768 } }

const tab = (console: ConsolePage, name: RegExp) => console.page.getByRole('tab', { name })

async function runsTheLine(console: ConsolePage, line: string): Promise<void> {
  const dialog = console.page.getByRole('dialog')
  await dialog.getByText(line, { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Run the line' }).click()
}

/** Figures of positions that lie under the buttons of their row, or outside of the table. */
const COVERED = `(() => {
  const covered = []
  for (const row of document.querySelectorAll('.data-table tbody tr[data-key]')) {
    const table = row.closest('.holdings-body').getBoundingClientRect()
    const buttons = row.querySelector('.row-actions').getBoundingClientRect()
    for (const title of ['PnL', '%', 'Stop']) {
      const cell = row.querySelector('td[data-title="' + title + '"]')
      const box = cell?.getBoundingClientRect()
      if (box === undefined || box.right > buttons.left + 1 || box.left < table.left) covered.push(row.dataset.key + ': ' + title)
    }
  }
  return covered
})()`

describe('a position without a stop', () => {
  it('says so, and how much of it no stop covers, until a line that it writes protects all of it', async ({ desk }) => {
    const { console } = await desk.openPaired(DESK)
    const { page } = console
    await console.run('buy 0.02 BTCUSDT; stop 0.005 BTCUSDT at -3%')
    await page.keyboard.press('Escape')
    await tab(console, /^Positions 1/).waitFor()
    await console.position('BTCUSDT').getByText('no stop on 0.015', { exact: true }).waitFor()
    for (const width of [800, 900, 1024, 1150, 1250]) {
      await page.setViewportSize({ width, height: 768 })
      await expect.poll(() => page.evaluate<string[]>(COVERED), { message: `${width} px` }).toEqual([])
    }
    await page.evaluate(
      `document.querySelector('.holdings tbody th span').textContent = 'BTC/USDT:USDT-260327-120000-C'`,
    )
    for (const width of [1366, 1024, 800]) {
      await page.setViewportSize({ width, height: 768 })
      await expect.poll(() => page.evaluate<string[]>(COVERED), { message: `${width} px, long symbol` }).toEqual([])
    }
    await console.press('Close, protect or reverse the long in BTCUSDT')
    await console.press('Close 50 %')
    await page.getByRole('dialog').getByText('close BTCUSDT 50%', { exact: true }).waitFor()
    await console.press('Leave it')
    await tab(console, /^Book/).click()
    await page.getByRole('region', { name: 'Book', exact: true }).locator('.book-level').first().waitFor()
    await tab(console, /^Positions/).click()
    await page.setViewportSize(DESK.viewport)
    await console.press('No stop on 0.015 of 0.020: protect the long in BTCUSDT')
    const line = page.getByRole('dialog').getByRole('textbox', { name: 'Command' })
    expect(await line.inputValue()).toBe('stop 0.015 BTCUSDT at -2%')
    await line.fill('')
    await expect.poll(() => page.getByRole('button', { name: 'Run the line' }).isDisabled()).toBe(true)
    await line.fill('stop 0.015 BTCUSDT at -1%')
    await page.getByRole('dialog').getByText('You sell').waitFor()
    await line.press('Enter')
    await console.prints(/> stop 0\.015 BTCUSDT at -1%$/)
    await page.keyboard.press('Escape')
    await console.position('BTCUSDT').getByText('no stop').waitFor({ state: 'detached' })
    await console
      .position('BTCUSDT')
      .getByText(/^[\d,.]+ and 1 more$/)
      .waitFor()
    const { width = 0, height = 0 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width: 800, height })
    await expect.poll(() => page.evaluate(COVERED)).toEqual([])
    await page.setViewportSize({ width, height })
    const orders = await console.openOrders()
    const row = orders
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: /^Cancel .+: stop sell 0\.015 / }) })
    const edit = page.getByRole('dialog', { name: /^Edit order \S+: stop sell in BTCUSDT$/ })
    await row.getByRole('cell').nth(3).dblclick()
    await expect.poll(() => edit.getByRole('button', { name: 'Run the line' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await edit.waitFor({ state: 'detached' })
    await row.focus()
    await page.keyboard.press('Enter')
    await edit.getByRole('textbox', { name: 'Trigger' }).fill('-0.9%')
    await edit.getByText(/^amend \S+ at -0\.9%$/).waitFor()
    await edit.getByText('If it fills there, after fees').waitFor()
    await page.keyboard.press('Enter')
    await console.prints(/> amend \S+ at -0\.9%$/)
    await page.keyboard.press('Escape')
    await orders.getByRole('button', { name: /^Cancel order .+: stop sell 0\.015 / }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel this order?' })
    await dialog.getByText('Without it 0.015 of 0.02 has no stop').waitFor()
    await console.press('Keep it')
    await console.press('Cancel BTCUSDT orders')
    await page.getByRole('dialog').getByText('It takes away every stop of the long position in BTCUSDT.').waitFor()
    await runsTheLine(console, 'cancel BTCUSDT')
    await orders.getByText('No resting orders.').waitFor()
    await tab(console, /^Positions/).click()
    await console.position('BTCUSDT').getByText('no stop', { exact: true }).waitFor()
  })
})

describe('the tables of positions, orders, fills and runs', () => {
  it('count in their tabs, end all by a held press, keep a choice of columns and a filter, and lead to runs', async ({
    stage,
  }) => {
    const { console } = await stage.openPaired(DESK)
    const { page } = console
    await console.run('buy 0.02 BTCUSDT; sell 0.3 ETHUSDT')
    await page.keyboard.press('Escape')
    await tab(console, /^Positions 2/).waitFor()
    const positions = page.getByRole('table', { name: 'Open positions' })
    await positions.locator('tfoot').getByText('Total').waitFor()

    // By the arrows up to the heads, where Enter sorts.
    await positions.locator('tbody tr').first().focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => positions.getByRole('columnheader', { name: /^Symbol/ }).getAttribute('aria-sort'))
      .toBe('ascending')
    await page.keyboard.press('Enter')
    await expect.poll(() => positions.locator('tbody th').allTextContents()).toEqual(['ETHUSDT', 'BTCUSDT'])

    await console.press('Columns')
    await page.getByRole('checkbox', { name: 'Entry' }).uncheck()
    await page.getByRole('checkbox', { name: 'Margin' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('group', { name: 'Symbols' }).getByRole('button', { name: 'This symbol' }).click()
    await page.waitForURL(/of=symbol/)
    await page.reload()
    await positions.getByRole('columnheader', { name: 'Margin' }).waitFor()
    expect(await positions.getByRole('columnheader', { name: 'Entry' }).count()).toBe(0)
    await expect.poll(() => positions.locator('tbody th').allTextContents()).toEqual(['BTCUSDT'])
    await page.getByRole('group', { name: 'Symbols' }).getByRole('button', { name: 'All' }).click()

    await console.press('Close 25 % of the short in ETHUSDT')
    await runsTheLine(console, 'close ETHUSDT 25%')
    await console.prints(/> close ETHUSDT 25%$/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close all positions of paper' }).click({ delay: 50 })
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await expect.poll(() => positions.locator('tbody tr').count()).toBe(2)
    await console.hold('Close all positions of paper')
    await console.prints(/> close all$/)
    await page.keyboard.press('Escape')
    await console.pane('Portfolio').getByText('No open positions.').waitFor()

    await tab(console, /^Fills 5/).click()
    const fills = page.getByRole('table', { name: 'Fills' })
    const fees = await fills.locator('td[data-title=Fee]').allTextContents()
    expect(new Set(fees.map((fee) => fee.split('.')[1]?.length)).size).toBe(1)
    // What the orders that closed have realized comes with the history.
    const pnl = fills.locator('td[data-title=PnL]')
    await expect
      .poll(async () => (await pnl.allTextContents()).filter((text) => text !== '–').length)
      .toBeGreaterThanOrEqual(3)
    await tab(console, /^Runs/).click()
    await page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row', { name: /close all.+ok/ })
      .waitFor()
    await tab(console, /^Fills/).click()
    await fills
      .getByRole('link', { name: /^page Chrome/ })
      .first()
      .click()
    await page.waitForURL(/\/journal\/[0-9a-f-]+/)
  })
})

describe('Trade by single keys, its book and its header', () => {
  it('fill in the ticket, show the line that closes, put prices together, keep favourites, and say the last 24 hours', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired(DESK)
    const { page } = console
    const header = page.getByRole('banner')
    await header.getByText(/^[+−]?\d+\.\d\d %$/).waitFor()
    await header.getByTitle(/^In the last 24 hours: [\d,]+\.\d to [\d,]+\.\d$/).waitFor()

    await console.run('buy 0.02 BTCUSDT stop -2%')
    await console.position('BTCUSDT').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#page').focus()
    const form = page.getByRole('region', { name: 'Ticket' })
    await page.keyboard.press('v')
    await form.getByRole('button', { name: 'Sell', pressed: true }).waitFor()
    await page.keyboard.press('b')
    await form.getByRole('button', { name: 'Buy', pressed: true }).waitFor()
    await page.keyboard.press('l')
    await form.getByRole('textbox', { name: /^Price/ }).waitFor()
    await page.keyboard.press('m')
    await form.getByRole('textbox', { name: /^Price/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('0')
    expect((await console.focused()).name).toBe('Size')
    await page.keyboard.type('300')
    await page.locator('#page').focus()
    for (const key of ['b', '0', '5', '0']) await page.keyboard.press(key)
    expect(await form.getByRole('textbox', { name: 'Size' }).inputValue()).toBe('50')
    await page.locator('#page').focus()
    await page.keyboard.press('x')
    await page
      .getByRole('dialog', { name: 'Close the long in BTCUSDT?' })
      .getByText('close BTCUSDT', { exact: true })
      .waitFor()
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Run the line')
    await page.keyboard.press('Escape')
    expect(await console.position('BTCUSDT').count()).toBe(1)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('on Trade: buy, sell in the ticket').waitFor()
    await page.keyboard.press('Escape')

    const bids = page.getByRole('list', { name: 'Bids' }).getByRole('button')
    await page.getByRole('button', { name: /^Price step/ }).click()
    await page.getByRole('combobox', { name: 'Rows on each side' }).selectOption('20')
    await expect.poll(() => bids.count()).toBe(20)
    await page.getByRole('combobox', { name: 'Price step' }).selectOption('50')
    await page.waitForURL(/depth=20.*step=50|step=50.*depth=20/)
    await page.keyboard.press('Escape')
    // In the middle of what the rows reach over, and looked for at once: the price moves by 0.01 % within two seconds.
    await console.run('buy 0.001 BTCUSDT at -0.04% po')
    await bids.filter({ hasText: 'your order at' }).waitFor()
    const prices = async () =>
      (await bids.locator('.figure:nth-child(2)').allTextContents()).map((text) => text.replaceAll(',', ''))
    await expect.poll(async () => (await prices()).every((price) => Number(price) % 5 === 0)).toBe(true)

    await page.locator('#page').focus()
    await page.keyboard.press('s')
    const menu = page.getByRole('dialog', { name: 'Symbol of this tab' })
    await menu.getByRole('textbox', { name: 'Symbol' }).fill('eth')
    await menu.getByRole('button', { name: 'ETHUSDT' }).click()
    await page.waitForURL(/\/trade\/ETHUSDT/)
    await page.keyboard.press('s')
    await menu.getByRole('button', { name: /^Add ETHUSDT to the favourites/ }).click()
    await page.reload()
    await header.getByText('ETHUSDT', { exact: true }).waitFor()
    await page.locator('[data-switch=symbol]').click()
    await menu.getByRole('button', { name: /^ETHUSDT.*★/ }).waitFor()
  })
})
