// Trading from the page: its terminal, and the panel that follows.
import { describe, expect } from 'vitest'
import { it } from './stage.ts'

/** Where rows of the terminal begin and end, from the first. */
const ROWS = `[...document.querySelectorAll('.transcript-row')]
  .sort((a, b) => a.dataset.index - b.dataset.index)
  .map((row) => row.getBoundingClientRect())
  .map(({ top, bottom }) => [Math.round(top), Math.round(bottom)])`

describe("the page's terminal", () => {
  it('runs what is typed, prints the fill, and the portfolio shows the position', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
    await console.run('buy $100 BTCUSDT')
    await console.prints(/^bought 0\.\d+ BTCUSDT at [\d,.]+/)
    await console.position('BTCUSDT').waitFor()
    await expect.poll(() => console.position('BTCUSDT').textContent()).toMatch(/^BTCUSDTlong 10×0\.\d+/)
    await hookline.shows('[web:console in Chrome on Linux] bought 0.')
  })

  it('says errors in colour, in words, and to screen readers', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('positons')
    await console.prints(/^error: .*did you mean/)
    expect(await console.rowColour('error: ')).toBe(await console.colour('--danger'))
    const announced = console.pane('Terminal').locator('[aria-live=assertive]')
    await expect.poll(() => announced.textContent()).toMatch(/^failed: .*did you mean/)
  })

  it('has the lines typed before under the arrow keys, after a reload too', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const { keyboard } = console.page
    await console.run('echo one')
    await console.prints(/^one$/)
    await console.run('echo two')
    await console.prints(/^two$/)
    await keyboard.press('ArrowUp')
    await expect.poll(() => console.typedRow()).toMatch(/> echo two$/)
    await keyboard.press('ArrowUp')
    await expect.poll(() => console.typedRow()).toMatch(/> echo one$/)
    await keyboard.press('ArrowDown')
    await expect.poll(() => console.typedRow()).toMatch(/> echo two$/)
    await console.reload()
    await console.badgeSays('Connected')
    await console.type('')
    await keyboard.press('ArrowUp')
    await expect.poll(() => console.typedRow()).toMatch(/> echo two$/)
  })

  it('completes commands and symbols at Tab, and lists what there is to choose', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.pane('Portfolio').getByText('No open positions.').waitFor()
    await console.type('mark')
    await console.page.keyboard.press('Tab')
    await expect.poll(() => console.typedRow()).toMatch(/> markets$/)
    await console.page.keyboard.press('Control+u')
    await console.type('buy $100 bt')
    await console.page.keyboard.press('Tab')
    await expect.poll(() => console.typedRow()).toMatch(/> buy \$100 BTCUSDT$/)
    await console.page.keyboard.press('Control+u')
    await console.type('ba')
    await console.page.keyboard.press('Tab')
    await console.page.keyboard.press('Tab')
    await console.pane('Terminal').getByText('bal  balance', { exact: true }).waitFor()
  })

  it('prints above the line being typed', async ({ desk }) => {
    const { hookline, console } = await desk.openPaired()
    await console.open('Hooks')
    hookline.send('hook create late "echo from the hook"\r')
    await console.hook('late').waitFor()
    await console.type('positi')
    await desk.fire('late')
    await console.prints(/^\[hook:late\] from the hook$/)
    await console.type('ons')
    await expect.poll(() => console.typedRow()).toMatch(/> positions$/)
    await console.page.keyboard.press('Enter')
    for (const end of ['one', 'two']) await console.run(`echo ${'a line that is not short, '.repeat(3)}${end}`)
    await console.prints(/^a line.*, two$/)
    // Each line below the one before, however wide the window comes to be.
    for (const width of [390, 1366, 420]) {
      await console.page.setViewportSize({ width, height: 800 })
      await expect
        .poll(async () => {
          const rows = await console.page.evaluate<[number, number][]>(ROWS)
          return rows.length > 2 && rows.every(([top], index) => index === 0 || top === rows[index - 1]?.[1])
        })
        .toBe(true)
    }
  })

  it('asks before it runs several pasted lines', async ({ desk }) => {
    const { console } = await desk.openPaired({ permissions: ['clipboard-write'] })
    await console.pasteIntoTerminal('echo one\necho two')
    await console.page.getByRole('dialog', { name: 'Run 2 pasted lines?' }).waitFor()
    await console.press('Run 2 lines')
    await console.prints(/^one$/)
    await console.prints(/^two$/)
  })
})

describe('an order in the portfolio', () => {
  it('is cancelled by its button, once that is confirmed, and the terminal shows the command', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.run('buy $100 BTCUSDT at -5% po')
    const orders = await console.openOrders()
    const cancel = orders.getByRole('button', { name: /^Cancel order .+: limit buy / })
    await cancel.click()
    await console.press('Keep it')
    await cancel.click()
    await console.press('Cancel the order')
    await console.prints(/> cancel \S+$/)
    await orders.getByText('No resting orders.').waitFor()
  })
})
