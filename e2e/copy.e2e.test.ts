// Copy: who copies whom, changed from the page; stopping is for the page, starting for the terminal.
import { describe, expect } from 'vitest'
import { enterLines } from '../harness/process/hookline.ts'
import { violations, withAxe } from './axe.ts'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

interface Row {
  readonly id: string
  readonly enabled: boolean
  readonly copiers: readonly { readonly account: string; readonly weight: number; readonly mode: string }[]
}

describe('copying', () => {
  it('shows what a copier should hold and holds, is turned off and stopped by held presses, and says what to type', async ({
    stage,
  }) => {
    const { hookline, console } = await stage.openPaired()
    await enterLines(hookline, [
      'account add swing paper',
      'cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5 --enabled',
      'cross-trade start',
      'buy 0.02 BTCUSDT',
    ])
    const engine = await console.open('Cross-trade')
    await engine.getByText(/^pid \d+, since /).waitFor()
    expect(await engine.getByText('One engine at a time').count()).toBe(0)
    const card = cardOf(console, /^swing × 0\.5/)
    await expect.poll(() => card.textContent()).toMatch(/in step.*should hold 0\.01.*holds 0\.01.*on target/)
    const last = region(console, 'Last copies').getByRole('row', { name: /swing copies paper/ })
    await expect.poll(() => last.textContent()).toMatch(/buy 0\.01 BTCUSDT.*0\.01 at .*filled/)

    stage.writeJson('cross-trade-pages.json', { pid: 1, seenAt: Date.now(), labels: ['a bot'] })
    await engine.getByText('A web page reports that it leads').waitFor()

    await enterLines(hookline, ['close BTCUSDT'])
    await expect.poll(() => card.textContent()).toMatch(/should hold 0.*holds 0.*on target/)
    await card.click()
    await console.page.waitForURL(/pair=/)
    await console.hold(/^Turn off paper BTCUSDT → swing/)
    await region(console, 'paper BTCUSDT → swing').getByText('To turn it on, in the hookline terminal:').waitFor()
    expect(rows(stage)).toMatchObject([{ enabled: false }])
    await console.hold('Stop copying')
    await engine.getByText('engine off').waitFor()
    await engine.getByText('cross-trade start', { exact: true }).waitFor()
    await region(console, 'Last copies')
      .getByRole('button', { name: /^Show order .*sell/ })
      .click()
    await console.page.waitForURL(/\/trade\/BTCUSDT\?tab=fills/)
    await console.page
      .getByRole('button', { name: /^Account: swing|swing/ })
      .first()
      .waitFor()
  })

  it('gets a pair, changes and loses it by the page, which says at the field what hookline would say no to', async ({
    stage,
  }) => {
    const { hookline, console } = await stage.openPaired(withAxe)
    await enterLines(hookline, ['account add swing paper', 'account add market-maker-of-the-night-shift paper'])
    await console.open('Who copies whom')
    const { page } = console
    await console.press('Add a pair')
    const form = region(console, 'New pair')
    const field = (name: string) =>
      form.getByRole(/^(Master|Copier)$/.test(name) ? 'combobox' : 'textbox', { name, exact: true })
    await field('Master').selectOption('paper')
    await field('Copier').selectOption('paper')
    await form.getByText('account paper would copy itself').waitFor()
    expect(await field('Copier').getAttribute('aria-invalid')).toBe('true')
    expect(await violations(console)).toEqual([])
    await field('Copier').selectOption('swing')
    await field('Weight').fill('half')
    await form.getByText(/^`half` is not a weight/).waitFor()
    await field('Weight').fill('0.5')
    await field('Its symbol').fill('BTCUSDT')
    await form.getByText('cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5').waitFor()
    await form.getByRole('button', { name: 'Add the pair' }).click()
    const pair = region(console, 'paper BTCUSDT → swing')
    await pair.getByText('Nothing is copied by it.').waitFor()
    expect(rows(stage)).toMatchObject([
      { enabled: false, copiers: [{ account: 'swing', weight: 0.5, mode: 'Market' }] },
    ])

    // What only the terminal may is done there, while the pair is open; the page never turns it on.
    await pair.getByText(`cross-trade enable ${rows(stage)[0]?.id}`).waitFor()
    await enterLines(hookline, [`cross-trade enable ${rows(stage)[0]?.id}`])
    await pair.getByText('The engine is off: nothing is known of it now.').waitFor()
    await pair.getByRole('textbox', { name: 'Weight', exact: true }).fill('-2')
    await pair.getByRole('radio', { name: 'Chase' }).check()
    await pair.getByRole('button', { name: 'Save the change' }).click()
    await pair.getByText('Saved.').waitFor()
    expect(rows(stage)).toMatchObject([{ enabled: true, copiers: [{ weight: -2, mode: 'Chase' }] }])
    await cardOf(console, /^swing × −2/).waitFor()

    expect(await violations(console)).toEqual([])
    for (const width of [1600, 1366]) {
      await page.setViewportSize({ width, height: 844 })
      expect(await page.evaluate(NAMES_IN_ONE_LINE), `${width}`).toEqual(['paper', 'BTCUSDT', 'swing'])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await console.outOfReach()).toEqual([])
    expect(await violations(console)).toEqual([])
    await pair.getByRole('button', { name: 'Close' }).click()
    await cardOf(console, /^swing × −2/).waitFor()
    expect(await page.evaluate(NAMES_IN_ONE_LINE)).toEqual(['paper', 'BTCUSDT', 'swing'])
    expect(await console.outOfReach()).toEqual([])
    await cardOf(console, /^swing × −2/).click()
    await console.hold('Remove paper BTCUSDT → swing')
    await page.getByText('No copies yet').waitFor()
    expect(rows(stage)).toMatchObject([{ enabled: false, copiers: [] }])
  })
})

/** Of the matrix: who is copied, what of it, and by whom. */
const NAMES_IN_ONE_LINE = `(() => {
  const names = [...document.querySelectorAll('.matrix-name, .matrix tbody th .muted, .pair-copier')]
  const isWhole = (name) => {
    const text = document.createRange()
    text.selectNodeContents(name)
    return new Set([...text.getClientRects()].map(({ top }) => top)).size === 1
  }
  return names.filter(isWhole).map((name) => name.textContent)
})()`

function region(console: ConsolePage, name: string) {
  return console.page.getByRole('region', { name, exact: true })
}

function cardOf(console: ConsolePage, name: RegExp) {
  return console.pane('Who copies whom').getByRole('button', { name })
}

function rows(stage: { readJson<T>(name: string): T }): readonly Row[] {
  return stage.readJson<{ configs: readonly Row[] }>('cross-trade.json').configs
}
