// The Trade page: the book, and what is done with a position.
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const ticket = (console: ConsolePage) => console.page.getByRole('region', { name: 'Ticket' })

/** From the best ask to the last price, and from there to the best bid, px. */
const BOOK_GAPS = `(() => {
  const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect()
  const last = boxOf('.book-last')
  return [
    last.top - boxOf('[aria-label="Asks"] > :last-child').bottom,
    boxOf('[aria-label="Bids"] > :first-child').top - last.bottom,
  ]
})()`

describe('the book', () => {
  it('puts a price into the ticket, and sends nothing; behind it is the tape, also after a reload', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    const best = console.page.getByRole('list', { name: 'Bids' }).getByRole('button').first()
    await best.click()
    const price = ticket(console).getByRole('textbox', { name: /^Price/ })
    await expect.poll(() => price.inputValue()).toMatch(/^\d+/)
    await (await console.openOrders()).getByText('No resting orders.').waitFor()

    await console.page.getByRole('tab', { name: 'Tape' }).click()
    const trades = console.page.getByRole('list', { name: 'Trades of the market' }).getByRole('listitem')
    await expect.poll(() => trades.count()).toBe(40)
    const newest = await trades.first().textContent()
    expect(newest).toMatch(/^(bought|sold) [\d,]+\.\d [\d.]+ \d\d:\d\d:\d\d$/)
    await expect.poll(() => trades.first().textContent()).not.toBe(newest)
    await console.reload()
    await trades.first().waitFor()
    await console.page.getByRole('tab', { name: 'Book', exact: true }).click()
    await best.waitFor()
    expect(await trades.count()).toBe(0)
  })

  it('has the best ask and the best bid beside the last price, whatever its height becomes', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 900 } })
    await console.page.getByRole('list', { name: 'Asks' }).getByRole('button').nth(9).waitFor()
    for (const height of [768, 900, 700]) {
      await console.page.setViewportSize({ width: 1366, height })
      // In one look: rows come and go with each price.
      const gaps = await console.page.evaluate<number[]>(BOOK_GAPS)
      for (const gap of gaps) expect(gap, `${height}`).toBeCloseTo(0, 0)
    }
  })
})

describe('a position', () => {
  it('is closed in part, and reversed, by lines that are shown first', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    await console.run('buy 0.02 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    await console.press('Close 50 % of the long in BTCUSDT')
    const dialog = console.page.getByRole('dialog')
    await dialog.getByText('close BTCUSDT 50%').waitFor()
    await dialog.getByText(/^0\.02 → 0\.01 BTC/).waitFor()
    await console.page.keyboard.press('Enter')
    await console.prints(/> close BTCUSDT 50%$/)
    await expect.poll(() => console.position('BTCUSDT').textContent()).toContain('long 10×0.010')
    await console.press('More: protect or reverse the long in BTCUSDT')
    await console.page.getByRole('button', { name: 'Trail a stop', exact: true }).click()
    expect(await dialog.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('trail 1% BTCUSDT')
    await console.press('Leave it')
    await console.press('More: protect or reverse the long in BTCUSDT')
    await console.page.getByRole('button', { name: 'Reverse', exact: true }).click()
    await dialog.getByText('position short 0.01 BTCUSDT').waitFor()
    await dialog.getByRole('button', { name: 'Run the line' }).click()
    await expect.poll(() => console.position('BTCUSDT').textContent()).toContain('short 10×0.010')
    await console.page.getByRole('tab', { name: /^Fills/ }).click()
    await console.page
      .getByRole('table', { name: 'Fills' })
      .getByRole('row', { name: /sell.+page Chrome/ })
      .first()
      .waitFor()
    await console.page.getByRole('tab', { name: /^Runs/ }).click()
    await console.page
      .getByRole('table', { name: 'Runs' })
      .getByRole('row', { name: /position short/ })
      .waitFor()
  })
})
