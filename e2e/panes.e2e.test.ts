// The panes of Trade and the terminal's drawer: sizes by mouse and by keys, kept, taken back; and what windows of three sizes hold.
import type { Locator } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

const DESK = { width: 1366, height: 768 }
const SYMBOLS = ['ADAUSDT', 'BTCUSDT', 'ETHUSDT', 'SOLUSDT']

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox()
  if (box === null) throw new Error('it cannot be seen')
  return box
}

const chart = ({ page }: ConsolePage) => page.getByRole('region', { name: 'Chart', exact: true })
const book = ({ page }: ConsolePage) => page.getByRole('region', { name: 'Book', exact: true })
const ticket = ({ page }: ConsolePage) => page.getByRole('region', { name: 'Ticket', exact: true })
const edge = ({ page }: ConsolePage, name: string) => page.getByRole('separator', { name })

async function drag(console: ConsolePage, name: string, by: { x?: number; y?: number }): Promise<void> {
  const { x, y, width, height } = await boxOf(edge(console, name))
  const [left, top] = [x + width / 2, y + height / 2]
  await console.page.mouse.move(left, top)
  await console.page.mouse.down()
  await console.page.mouse.move(left + (by.x ?? 0), top + (by.y ?? 0), { steps: 4 })
  await console.page.mouse.up()
}

/** Without a scroll. */
async function isAllInSight(locator: Locator, size: { width: number; height: number }): Promise<boolean> {
  const { x, y, width, height } = await boxOf(locator)
  return x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height
}

describe('the panes of Trade', () => {
  it('are dragged or moved by arrows, kept in this browser, and take their usual sizes back', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: DESK })
    const { page } = console
    await edge(console, 'Width of the book').waitFor()
    const usual = { book: (await boxOf(book(console))).width, ticket: (await boxOf(ticket(console))).width }
    await drag(console, 'Width of the book', { x: -60 })
    await expect.poll(async () => (await boxOf(book(console))).width).toBeCloseTo(usual.book + 60, -1)
    await page.keyboard.press('Shift')
    await edge(console, 'Width of the ticket').focus()
    expect(await console.focused()).toEqual({ name: 'Width of the ticket', isVisible: true })
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => (await boxOf(ticket(console))).width).toBeGreaterThan(usual.ticket + 20)
    const moved = await boxOf(ticket(console))

    await page.keyboard.press('F6')
    await expect.poll(async () => (await console.focused()).name).not.toMatch(/^Width|^Height/)
    await page.reload()
    await edge(console, 'Width of the book').waitFor()
    await expect.poll(async () => (await boxOf(book(console))).width).toBeCloseTo(usual.book + 60, -1)
    await expect.poll(async () => (await boxOf(ticket(console))).width).toBeCloseTo(moved.width, -1)

    await edge(console, 'Width of the book').dblclick()
    await expect.poll(async () => (await boxOf(book(console))).width).toBeCloseTo(usual.book, -1)
    for (const [layout, is] of [
      ['Layout: Tables', (height: number) => height < 260],
      ['Reset layout', (height: number) => height > 330],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Find or run' }).getByRole('combobox').fill(layout)
      await page.getByRole('option', { name: `${layout} kept in this browser` }).click()
      await expect.poll(async () => is((await boxOf(chart(console))).height), { message: layout }).toBe(true)
    }
    await expect.poll(async () => (await boxOf(ticket(console))).width).toBeCloseTo(usual.ticket, -1)
  })

  it('hold what a day needs at 1366 px, scroll under an open terminal, and use the room of a large window', async ({
    desk,
  }) => {
    const { console } = await desk.openPaired({ viewport: DESK })
    const { page } = console
    await console.run(`buy $100 ${SYMBOLS.join(',')}`)
    await console.prints(/^bought .*SOLUSDT/)
    await page.keyboard.press('Escape')
    await (await console.open('Portfolio')).waitFor()
    await page.getByRole('img', { name: /^Candles of/ }).waitFor()
    for (const symbol of SYMBOLS) {
      await console.position(symbol).waitFor()
      expect(await isAllInSight(console.position(symbol), { ...DESK, height: DESK.height - 34 }), symbol).toBe(true)
    }
    const run = ticket(console).getByRole('button', { name: /^Buy / })
    for (const pane of [chart(console), book(console), run]) expect(await isAllInSight(pane, DESK)).toBe(true)
    expect((await boxOf(chart(console))).height).toBeGreaterThan(300)

    await console.openTerminal()
    const terminal = console.pane('Terminal')
    const grip = edge(console, 'Height of the terminal')
    await grip.focus()
    await page.keyboard.press('Home')
    const line = 19
    await expect.poll(async () => (await boxOf(terminal)).height).toBe(200)
    expect((await boxOf(page.locator('.transcript'))).height).toBeGreaterThanOrEqual(6 * line)
    await page.keyboard.press('PageUp')
    await expect.poll(async () => (await boxOf(terminal)).height).toBe(360)
    expect((await boxOf(chart(console))).height).toBeGreaterThan(200)
    await run.scrollIntoViewIfNeeded()
    expect(await isAllInSight(run, { ...DESK, height: DESK.height - 360 })).toBe(true)
    await page.reload()
    await console.openTerminal()
    await expect.poll(async () => (await boxOf(terminal)).height).toBe(360)
    await page.keyboard.press('Escape')

    // Jumps in which the book appears while the usual sizes change.
    for (const width of Array.from({ length: 12 }, () => [1024, 1600, 390, 1920]).flat())
      await page.setViewportSize({ width, height: 800 })
    await page.setViewportSize({ width: 2560, height: 1440 })
    await expect.poll(async () => (await boxOf(chart(console))).width).toBeGreaterThan(1_600)
    const { x, y, width, height } = await boxOf(ticket(console))
    expect(x + width).toBeGreaterThan(2_540)
    expect(y + height).toBeGreaterThan(1_390)
    expect(await console.outOfReach()).toEqual([])
  })
})
