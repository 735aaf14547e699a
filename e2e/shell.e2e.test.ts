// What stands around every page: news over nothing that can be pressed, dialogs in low windows, the key that stops trading.
import { describe, expect } from 'vitest'
import { fakeHookline, oldHookline } from '../scripts/console-disguises.mjs'
import type { ConsolePage } from './console-page.ts'
import { it, NO_HOOKLINE } from './stage.ts'

/** Buttons, links and headings that the news lies over. */
const COVERED_BY_NEWS = `(() => {
  const toast = document.querySelector('.toast:last-child')
  const news = toast.getBoundingClientRect()
  toast.style.visibility = 'hidden'
  const covered = [...document.querySelectorAll('button, a, input, select, h1, h2')].filter((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const [from, to] = [Math.max(left, news.left), Math.min(right, news.right)]
    const [above, below] = [Math.max(top, news.top), Math.min(bottom, news.bottom)]
    return from < to && above < below && element.contains(document.elementFromPoint((from + to) / 2, (above + below) / 2))
  })
  toast.style.visibility = ''
  return covered.map((element) => element.getAttribute('aria-label') ?? element.textContent)
})()`

/** Parts of the header that lie over one another, or outside of the window. */
const OVERLAPPING = `(() => {
  const parts = [...document.querySelectorAll('.head > *, .lamp, .flatten button, .head-figures dd')].filter((part) => part.checkVisibility())
  const boxes = parts
    .map((part) => ({ name: part.getAttribute('aria-label') ?? part.className, part, ...part.getBoundingClientRect().toJSON() }))
    .filter(({ width }) => width > 1)
  const isOver = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
  const pairs = boxes.flatMap((a, index) => boxes.slice(index + 1).map((b) => [a, b]))
  const over = pairs.filter(([a, b]) => !a.part.contains(b.part) && isOver(a, b)).map(([a, b]) => a.name + ' over ' + b.name)
  return [...over, ...boxes.filter(({ right }) => right > innerWidth).map(({ name }) => name + ' is outside')]
})()`

const LARGE_FIGURES = `(() => {
  const [open, today, equity] = document.querySelectorAll('.head-figures dd')
  open.textContent = '−12,345.67'
  today.textContent = '−29,481.23'
  equity.textContent = '1,234,567.89'
})()`

const SHOWS_OPEN_PNL = `(() => {
  const [figures, open] = ['.head-figures', '.head-figures dd'].map((each) => document.querySelector(each).getBoundingClientRect())
  return open.width > 0 && open.top >= figures.top && open.bottom <= figures.bottom + 1 && open.right <= figures.right + 1
})()`

const NEWS = /^too-much failed/

async function newsOver(console: ConsolePage): Promise<string[]> {
  await console.page.getByRole('status', { name: 'News' }).getByText(NEWS).waitFor()
  return console.page.evaluate<string[]>(COVERED_BY_NEWS)
}

describe('the frame of the desk', () => {
  it('shows news where nothing can be pressed, at any width, and with the terminal open', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1366, height: 768 } })
    const { page } = console
    await console.makeHook('too-much', 'buy $9999999 ETHUSDT')
    await console.goToPage('Trade')
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    await page.keyboard.press('Escape')
    await desk.fire('too-much')
    expect(await newsOver(console)).toEqual([])
    await console.openTerminal()
    expect(await newsOver(console)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close this news' }).last().click()

    await page.setViewportSize({ width: 390, height: 844 })
    await console.goToPage('Hooks')
    await desk.fire('too-much')
    const covered = await newsOver(console)
    expect(covered).not.toContain('New hook')
    expect(covered).not.toContain('Hooks')
    await console.goToPage('Trade')
    expect(await newsOver(console)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(Buy|Sell|Flatten)/)]))
  })

  it('keeps the buttons of a dialog in sight in a low window, and gives the focus back', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: { width: 1280, height: 420 } })
    const { page } = console
    await console.open('Hooks')
    await page.getByRole('button', { name: 'New hook' }).press('Enter')
    const create = await page.getByRole('button', { name: 'Create hook' }).boundingBox()
    expect(create && create.y + create.height).toBeLessThan(420)
    await page.keyboard.press('Escape')
    expect(await console.focused()).toEqual({ name: 'New hook', isVisible: true })

    await page.getByRole('button', { name: 'More ways to stop' }).press('Enter')
    await page.getByRole('button', { name: 'Halt halt', exact: true }).press('Enter')
    await page.getByRole('dialog', { name: 'Halt paper?' }).waitFor()
    await page.keyboard.press('Escape')
    expect((await console.focused()).name).toBe('More ways to stop')
  })

  it('asks before Ctrl . halts, from the terminal and from a dialog too, and says when it cannot', async ({
    stage,
  }) => {
    await stage.startWeb()
    const { console, hookline } = await stage.openPaired({ expects: NO_HOOKLINE })
    const { page } = console
    const question = page.getByRole('dialog', { name: 'Halt paper?' })
    await console.type('buy')
    await page.keyboard.press('Control+.')
    await question.waitFor()
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Find or run' }).waitFor()
    await page.keyboard.press('Control+.')
    await question.getByRole('button', { name: 'Halt' }).press('Enter')
    await page.getByText(/^Halted\. Only cancels/).waitFor()
    expect(await console.rows()).toEqual(expect.arrayContaining([expect.stringMatching(/> halt paper$/)]))

    await page.keyboard.press('Escape')
    for (const width of [320, 360, 390, 800, 1024, 1280, 1366, 1600, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate<string[]>(OVERLAPPING), `${width} px`).toEqual([])
    }
    // Equity of seven digits beside a loss of five.
    await page.evaluate(LARGE_FIGURES)
    for (const width of [320, 360, 375, 800, 1024, 1366]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate<string[]>(OVERLAPPING), `${width} px, large figures`).toEqual([])
      expect(await page.evaluate<boolean>(SHOWS_OPEN_PNL), `${width} px, open PnL`).toBe(true)
    }
    hookline.signal('SIGTERM')
    await console.badgeSays('Not running')
    await page.keyboard.press('Control+.')
    await page
      .getByRole('status', { name: 'News' })
      .getByText('Nothing was halted. This page is not connected to hookline. Nothing is sent.')
      .waitFor()
    expect(await question.count()).toBe(0)
  })

  it('says in words that hookline is too old to send prices', async ({ stage }) => {
    const console = await stage.openConsole({ prepare: (page) => fakeHookline(page, oldHookline) })
    await console.follow('Connect')
    await console.badgeSays('Connected')
    await console.page.getByText('This hookline is older than this page and sends it no prices.').waitFor()
    expect(await console.page.locator('.chart-pane .skeleton, .book-pane .skeleton').count()).toBe(0)
  })
})
