// The Trade page: what the market does, a ticket that writes the line, and what the account holds.
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const chart = (console: ConsolePage) => console.page.getByRole('region', { name: 'Chart' })
const ticket = (console: ConsolePage) => console.page.getByRole('region', { name: 'Ticket' })

describe('the chart', () => {
  it('shows candles of the symbol in the interval that the address names, with positions and fills', async ({
    stage,
  }) => {
    const { console } = await stage.openPaired()
    await console.run('buy $500 BTCUSDT; stop at -2%')
    const candles = chart(console).getByRole('img', {
      name: /^Candles of BTCUSDT, 1h; long .+; .+ stop, sell .+; 1 marks/,
    })
    await candles.waitFor()
    await chart(console).getByRole('button', { name: '5m', exact: true }).click()
    await chart(console)
      .getByRole('img', { name: /^Candles of BTCUSDT, 5m; long / })
      .waitFor()
    await console.page.waitForURL(/interval=5m/)
    await console.page.reload()
    await chart(console)
      .getByRole('img', { name: /^Candles of BTCUSDT, 5m; / })
      .waitFor()
  })
})

describe('the ticket', () => {
  it('writes the line as it is filled in, says what it brings, and runs it', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    const form = ticket(console)
    const line = form.getByRole('textbox', { name: 'This writes' })
    await form.getByRole('button', { name: 'Limit' }).click()
    await form.getByRole('textbox', { name: 'Size' }).fill('500')
    await form.getByRole('textbox', { name: /^Price/ }).fill('−1 %')
    await form.getByRole('textbox', { name: 'Stop' }).fill('-3%')
    await expect.poll(() => line.inputValue()).toBe('buy $500 BTCUSDT at -1% stop -3%')
    await form.getByText('If the stop is hit').waitFor()
    await form.getByRole('checkbox', { name: 'Post-only' }).check()
    await expect.poll(() => line.inputValue()).toBe('buy $500 BTCUSDT at -1% po stop -3%')
    await form.getByRole('button', { name: /^Buy [\d.]+ BTC at [\d,.]+/ }).click()
    await console.prints(/> buy \$500 BTCUSDT at -1% po stop -3%$/)
    await (await console.openOrders()).getByRole('button', { name: /^Cancel order .+: limit buy / }).waitFor()
  })

  it('follows a line that is edited by hand, and Enter runs it', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    const form = ticket(console)
    const line = form.getByRole('textbox', { name: 'This writes' })
    await line.fill('sell 0.01 BTCUSDT tp -2%')
    await form.getByRole('button', { name: 'Sell', pressed: true }).waitFor()
    expect(await form.getByRole('textbox', { name: 'Target' }).inputValue()).toBe('-2%')
    await form.getByRole('button', { name: /^Sell 0\.01 BTC at the market/, disabled: false }).waitFor()
    await line.focus()
    // Held: the browser repeats the key.
    for (let times = 0; times < 3; times++) await console.page.keyboard.down('Enter')
    await console.page.keyboard.up('Enter')
    await console.position('BTCUSDT').waitFor()
    await console.run('echo after')
    await console.prints(/^after$/)
    const rows = await console.rows()
    expect(rows.filter((row) => row.includes('> sell 0.01'))).toHaveLength(1)
  })

  it('says why nothing would come of the line, and does not run it', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    const form = ticket(console)
    await form.getByRole('textbox', { name: 'Size' }).fill('99999999')
    await form.locator('.refusal').first().waitFor()
    expect(await form.locator('button.run').isDisabled()).toBe(true)
    await console.run('halt paper')
    await form.getByText(/^Halted\. Only cancels/).waitFor()
  })

  it('is a sheet behind Buy and Sell in a narrow window', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 390, height: 844 } })
    await console.page.getByRole('region', { name: 'Trade' }).getByRole('button', { name: 'Sell' }).click()
    const sheet = console.page.getByRole('dialog', { name: 'Ticket' })
    await sheet.getByRole('textbox', { name: 'Size' }).fill('250')
    await sheet.getByRole('button', { name: /^Sell [\d.]+ BTC at the market/ }).click()
    await console.page.keyboard.press('Escape')
    await console.position('BTCUSDT').waitFor()
  })
})

describe('the book', () => {
  it('puts a price into the ticket, and sends nothing', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    const best = console.page.getByRole('list', { name: 'Bids' }).getByRole('button').first()
    await best.click()
    const price = ticket(console).getByRole('textbox', { name: /^Price/ })
    await expect.poll(() => price.inputValue()).toMatch(/^\d+/)
    await (await console.openOrders()).getByText('No resting orders.').waitFor()
  })
})

describe('a position', () => {
  it('is closed in part, and reversed, by lines that are shown first', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    await console.run('buy 0.02 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    await console.press('Close 50 % of the long in BTCUSDT')
    const dialog = console.page.getByRole('dialog')
    await dialog.getByText('close BTCUSDT 50%').waitFor()
    await dialog.getByText(/^0\.02 → 0\.01 BTC/).waitFor()
    await dialog.getByRole('button', { name: 'Run the line' }).click()
    await console.prints(/> close BTCUSDT 50%$/)
    await expect.poll(() => console.position('BTCUSDT').textContent()).toContain('long0.010')
    await console.press('Reverse the long in BTCUSDT')
    await dialog.getByText('position short 0.01 BTCUSDT').waitFor()
    await dialog.getByRole('button', { name: 'Run the line' }).click()
    await expect.poll(() => console.position('BTCUSDT').textContent()).toContain('short0.010')
    await console.page.getByRole('tab', { name: /^Fills/ }).click()
    await console.page
      .getByRole('table', { name: 'Fills' })
      .getByRole('row', { name: /sell.+you/ })
      .first()
      .waitFor()
    await console.page.getByRole('tab', { name: /^Runs/ }).click()
    await console.page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row', { name: /position short/ })
      .waitFor()
  })
})

describe('a line of the chart', () => {
  it('that is dragged shows the command, which Enter sends and Escape does not', async ({ stage }) => {
    const { console } = await stage.openPaired({ viewport: { width: 1366, height: 768 } })
    await console.run('buy $500 BTCUSDT; stop at -2%')
    const stop = (await console.openOrders()).getByRole('button', { name: /^Cancel order .+: stop sell / })
    await stop.waitFor()
    await console.page.keyboard.press('Escape')
    const before = await stop.getAttribute('aria-label')
    const card = console.page.getByRole('dialog', { name: 'Move the line' })
    await dragOrder(console)
    await card.getByRole('button', { name: /^Move/, disabled: false }).waitFor()
    await console.page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    expect(await stop.getAttribute('aria-label')).toBe(before)
    await dragOrder(console)
    await card.getByText(/^move p\d+ to [\d.]+$/).waitFor()
    await card.getByRole('button', { name: /^Move/, disabled: false }).waitFor()
    await console.page.keyboard.press('Enter')
    await console.prints(/> move p\d+ to [\d.]+$/)
    await expect.poll(() => stop.getAttribute('aria-label')).not.toBe(before)
  })
})

/** Takes the line where the cursor says that it can be taken, and lets it go a little lower. */
async function dragOrder(console: ConsolePage): Promise<void> {
  const canvas = console.page.locator('.chart-canvas')
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('there is no chart')
  const x = box.x + box.width / 3
  for (let y = box.y + 4; y < box.y + box.height; y += 4) {
    await console.page.mouse.move(x, y)
    if (((await canvas.getAttribute('data-grip')) ?? '') === '') continue
    await console.page.mouse.down()
    await console.page.mouse.move(x, y + 10, { steps: 3 })
    return console.page.mouse.up()
  }
  throw new Error('no line can be taken')
}
