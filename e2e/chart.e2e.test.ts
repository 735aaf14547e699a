// The chart of the Trade page: candles, and lines that are moved by mouse or keys.
import { resolve } from 'node:path'
import type { Locator } from 'playwright-core'
import { describe, expect } from 'vitest'
import { PATIENCE_MS } from '../harness/patience.ts'
import { violations, withAxe } from './axe.ts'
import type { ConsolePage } from './console-page.ts'
import { GRIP_STEP_PX } from './hands.ts'
import { it } from './stage.ts'

const chart = (console: ConsolePage) => console.page.getByRole('region', { name: 'Chart' })

describe('the chart', () => {
  it('shows candles in the interval that the address names, with positions and fills, and tells of a line too far to be seen', async ({
    stage,
  }) => {
    const { hookline, console } = await stage.openPaired()
    await console.run('buy $500 BTCUSDT; stop at -2%')
    const candles = chart(console).getByRole('img', {
      name: /^Candles of BTCUSDT, 1h; long .+; .+ stop, sell .+; 1 marks/,
    })
    await candles.waitFor()
    await console.run('buy $200 BTCUSDT at -40%')
    const far = chart(console).getByRole('button', { name: /^p\d+ buy [\d.]+ at [\d,.]+, below the visible range/ })
    await far.waitFor()
    await console.page.keyboard.press('Escape')
    await far.click()
    await far.waitFor({ state: 'detached' })
    await chart(console).getByRole('combobox', { name: 'Other intervals' }).selectOption('2h')
    await chart(console)
      .getByRole('img', { name: /^Candles of BTCUSDT, 2h; long / })
      .waitFor()
    await chart(console).getByRole('button', { name: '5m', exact: true }).click()
    await chart(console)
      .getByRole('img', { name: /^Candles of BTCUSDT, 5m; long / })
      .waitFor()
    await console.page.waitForURL(/interval=5m/)
    await console.reload()
    await chart(console)
      .getByRole('img', { name: /^Candles of BTCUSDT, 5m; / })
      .waitFor()
    const since = chart(console).getByText(/^Replay since \d\d:\d\d:\d\d\. /)
    expect(await since.isVisible()).toBe(false)
    hookline.send(`paper replay "${resolve('examples/candles/crash.csv')}" --background\r`)
    await console.page.getByRole('button', { name: /^Account paper/ }).click()
    await console.page.getByRole('button', { name: /^replay simulated/ }).click()
    await since.waitFor()
  })
})

describe('the keys of the chart', () => {
  it('move and zoom the visible range, and say it in the time zone of the settings', async ({ desk }) => {
    const { console } = await desk.openPaired({
      timezoneId: 'Asia/Tokyo',
      prepare: (page) => page.addInitScript('localStorage.setItem(\'hookline.preferences\', \'{"timeZone":"utc"}\')'),
    })
    const keys = chart(console).getByRole('group', { name: /^Candles: arrows move/ })
    const said = chart(console).getByRole('status')
    await keys.focus()
    const oldest = await pressed(console, said, 'Home')
    const newest = await pressed(console, said, 'End')
    expect(newest[1]).toMatch(/ UTC$/)
    expect(newest).not.toEqual(oldest)
    const wider = await pressed(console, said, '-')
    expect(wider[1]).toBe(newest[1])
    expect(wider[0]).not.toBe(newest[0])
    const back = await pressed(console, said, 'ArrowLeft')
    expect(back[0]).not.toBe(wider[0])
    expect((await pressed(console, said, 'End'))[1]).toBe(newest[1])
  })
})

/** @returns the times of the oldest and the newest candle in sight */
async function pressed(console: ConsolePage, said: Locator, key: string): Promise<string[]> {
  const before = await said.textContent()
  await console.page.keyboard.press(key)
  await expect.poll(() => said.textContent()).not.toBe(before)
  return ((await said.textContent()) ?? '').split(' to ')
}

describe('a line of the chart', () => {
  it('that is dragged shows the command, which Enter sends and Escape does not', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
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

  it('is moved by keys: from the list of lines, by arrows, and Enter', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    const { keyboard } = console.page
    await console.run('buy $500 BTCUSDT; stop at -2%')
    await chart(console).getByRole('button', { name: 'Lines 2' }).waitFor()
    await keyboard.press('Escape')
    await chart(console).getByRole('button', { name: 'Lines 2' }).focus()
    await keyboard.press('Enter')
    await console.tabTo(/^p\d+ stop, sell .+ −[\d.]+ net at [\d,.]+$/)
    await keyboard.press('Enter')
    const card = console.page.getByRole('dialog', { name: 'Move the line' })
    const price = card.getByRole('textbox', { name: 'Price' })
    const from = await price.inputValue()
    await card.getByText(/^from [\d,.]+$/).waitFor()
    await keyboard.press('ArrowUp')
    await keyboard.press('Shift+ArrowUp')
    const to = String(Number((Number(from) + 1.1).toFixed(1)))
    await card.getByText('If it fills there').waitFor()
    await expect.poll(() => card.getByRole('code').textContent()).toMatch(new RegExp(`^move p\\d+ to ${to}$`))
    await card.getByRole('button', { name: /^Move/, disabled: false }).waitFor()
    await keyboard.press('Enter')
    await console.prints(new RegExp(`> move p\\d+ to ${to}$`))
  })

  it('is there for the stop that an entry waits for, and is moved before the entry fills', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    const { keyboard } = console.page
    await console.run('buy 0.01 BTCUSDT at -1% stop -2% tp +4%')
    const orders = await console.openOrders()
    await orders.getByText(/then stop [\d,.]+, target [\d,.]+$/).waitFor()
    await keyboard.press('Escape')
    await chart(console).getByRole('button', { name: 'Lines 3' }).click()
    await chart(console)
      .getByRole('button', { name: /^p\d+ then stop −[\d.]+ net at / })
      .click()
    const card = console.page.getByRole('dialog', { name: 'Move the line' })
    await keyboard.press('ArrowUp')
    await card.getByText('Reward to risk').waitFor()
    await card.getByText(/^amend p\d+ stop [\d.]+$/).waitFor()
    await card.getByRole('button', { name: /^Move/, disabled: false }).waitFor()
    await keyboard.press('Enter')
    await console.prints(/is followed by: stop at [\d,.]+, take-profit at [\d,.]+$/)
  })

  it('is drawn for the ticket too, and edits it when it is dragged', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    const form = console.page.getByRole('region', { name: 'Ticket' })
    await form.getByRole('textbox', { name: 'Size' }).fill('500')
    await form.getByRole('textbox', { name: 'Stop' }).fill('-2%')
    await form.getByText('If the stop is hit').waitFor()
    await dragOrder(console)
    const line = form.getByRole('textbox', { name: 'Command' })
    await expect.poll(() => line.inputValue()).toMatch(/^buy \$500 BTCUSDT stop \d[\d.]+$/)
    await form.getByRole('button', { name: /^Buy [\d.]+ BTC at the market/, disabled: false }).waitFor()
  })
})

describe('a price', () => {
  it('of the book or the chart becomes an alert, a paused hook or a line that lasts, by keys alone', async ({
    desk,
  }) => {
    const { hookline, console } = await desk.openPaired({ ...withAxe, viewport: { width: 1366, height: 768 } })
    const { page } = console
    await chart(console).getByRole('button', { name: 'Draw' }).click()
    await chart(console).getByRole('checkbox', { name: 'RSI' }).check()
    expect(await violations(console, { isOver: true })).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('list', { name: 'Asks' }).getByRole('button').first().focus()
    await page.keyboard.press('Shift+F10')
    const price = page.getByRole('dialog', { name: /^At / }).getByRole('textbox')
    await price.waitFor()
    expect(await violations(console, { isOver: true })).toEqual([])
    expect(await price.inputValue()).toMatch(/^[\d.]+$/)
    // So far that the market is not there before the line runs.
    await price.fill('999999')
    await page.getByRole('button', { name: /^Alert here/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('alert BTCUSDT > 999999').waitFor()
    await page.getByRole('button', { name: 'Run the line' }).click()
    await hookline.shows('reports BTCUSDT > 999,999')
    const lines = chart(console).getByRole('button', { name: 'Lines 1' })
    await lines.click()
    await chart(console)
      .getByRole('button', { name: /^alert.* at 999,999\.0 cancel$/ })
      .click()
    await page
      .getByRole('dialog')
      .getByText(/^tasks cancel [0-9a-f-]{36}$/)
      .waitFor()
    await page.getByRole('button', { name: 'Run the line' }).click()
    await lines.waitFor({ state: 'hidden' })
    await chart(console)
      .getByRole('group', { name: /^Candles: arrows move/ })
      .focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('button', { name: /^Hook here/ }).click()
    const line = page.getByRole('textbox', { name: 'Command' }).last()
    await expect
      .poll(() => line.inputValue())
      // The price is that of the key: the market may be above it by now.
      .toMatch(/^hook create btcusdt-[\d-]+ "buy \$100 BTCUSDT" --account paper --when "BTCUSDT last [<>] [\d.]+"$/)
    await page.getByRole('button', { name: 'Run the line' }).click()
    await expect
      .poll(() => desk.storedHooks())
      .toMatchObject([{ name: expect.stringMatching(/^btcusdt-/), paused: expect.anything() }])
    await chart(console)
      .getByRole('group', { name: /^Candles: arrows move/ })
      .focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('button', { name: /^Line here/ }).click()
    await chart(console)
      .getByRole('img', { name: /; line at [\d,.]+;/ })
      .waitFor()
    await console.reload()
    await chart(console)
      .getByRole('img', { name: /; line at [\d,.]+;/ })
      .waitFor()
  })
})

describe('a hook on the chart', () => {
  it('draws the indicators of its condition and marks its fires, also after a reload', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    hookline.send('hook create dip "echo came through" --when "rsi(14, 1h) crosses above 30"\r')
    await expect.poll(() => desk.storedHooks()).toMatchObject([{ name: 'dip' }])
    await chart(console).getByRole('button', { name: 'Draw' }).click()
    await chart(console)
      .getByRole('combobox', { name: /^Indicators and fires of/ })
      .selectOption('dip (1h)')
    await console.page.keyboard.press('Escape')
    const legend = chart(console).getByText(/^rsi\(14\) \d+\.\d\s*$/)
    await legend.waitFor()
    expect(await desk.fire('dip')).toMatchObject({ status: 200 })
    const fired = chart(console).getByRole('img', { name: /1 marks of fires of dip;/ })
    await fired.waitFor()
    await console.reload()
    await legend.waitFor()
    await fired.waitFor()
  })
})

/** Takes the line where the cursor says that it can be taken, and lets it go a little lower. What is asked for may not be drawn yet. */
async function dragOrder(console: ConsolePage): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) if (await dragLine(console)) return
  throw new Error('no line can be taken')
}

/** @returns whether there was one */
async function dragLine({ page }: ConsolePage): Promise<boolean> {
  const canvas = page.locator('.chart-canvas')
  const box = await canvas.boundingBox()
  if (box === null) throw new Error('there is no chart')
  const x = box.x + box.width / 3
  for (let y = box.y + 4; y < box.y + box.height; y += GRIP_STEP_PX) {
    await page.mouse.move(x, y)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))')
    if (((await canvas.getAttribute('data-grip')) ?? '') === '') continue
    await page.mouse.down()
    await page.mouse.move(x, y + 10, { steps: 3 })
    await page.mouse.up()
    return true
  }
  return false
}
