// The terminal under load and under a screen reader: what is typed is never lost in what is printed.
import { describe, expect } from 'vitest'
import type { ConsolePage } from './console-page.ts'
import { it } from './stage.ts'

/** ms from a key to the frame that shows it, of each of these keys. */
async function echoTimes(console: ConsolePage, text: string): Promise<number[]> {
  const times: number[] = []
  for (const key of text) {
    await console.page.evaluate(WATCH_FIELD)
    await console.page.keyboard.press(key)
    times.push(await console.page.evaluate<number>('globalThis.echoed'))
  }
  return times
}

const WATCH_FIELD = `
  globalThis.echoed = new Promise((resolve) => {
    const field = document.querySelector('.input-line input')
    field.addEventListener('keydown', (event) => {
      const from = event.timeStamp
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)))
    }, { once: true })
  })
  void 0
`

describe('while a hook prints a thousand lines at once', () => {
  it('keys show at once, the last line is there, and equal lines are one', async ({ desk }) => {
    const { console } = await desk.openPaired()
    const line = 'echo tick; '.repeat(100)
    await console.makeHook('noise', `${line}echo done`)
    await console.type('buy')
    const fires = Array.from({ length: 10 }, () => desk.fire('noise'))
    const times = await echoTimes(console, ' $250 BTCUSDT')
    await Promise.all(fires)
    expect(await console.typedRow()).toMatch(/> buy \$250 BTCUSDT$/)
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(100)
    await console.prints(/^\[hook:noise\] done( ×\d+)?$/)
    await console.prints(/^\[hook:noise\] tick ×\d+$/)
  })
})

describe('a screen reader', () => {
  it('hears how a line ended, and nothing while it is typed', async ({ desk }) => {
    const { console } = await desk.openPaired()
    await console.openTerminal()
    await console.page.evaluate(`
      globalThis.heard = []
      for (const region of document.querySelectorAll('[aria-live], [role=status], [role=log], [role=alert]'))
        new MutationObserver(() => heard.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true })
    `)
    const heard = () => console.page.evaluate<string[]>('heard')
    await console.type('echo one')
    await expect.poll(() => console.typedRow()).toMatch(/echo one$/)
    expect(await heard()).toEqual([])
    await console.page.keyboard.press('Enter')
    await expect.poll(heard).toEqual(['one'])
  })
})

describe('pasted lines', () => {
  it('are stopped between two of them, and what is typed meanwhile stays', async ({ desk }) => {
    const { console } = await desk.openPaired({ permissions: ['clipboard-write'] })
    await console.pasteIntoTerminal('sleep 8s\necho second\necho third')
    await console.press('Run 3 lines')
    await console.page.getByText('Pasted line 1 of 3').waitFor()
    await console.type('buy $1')
    await console.pane('Terminal').getByRole('button', { name: 'Stop', exact: true }).click()
    await console.prints(/^warning: 2 pasted lines were not run: you stopped them$/)
    expect(await console.typedRow()).toMatch(/> buy \$1$/)
    expect((await console.rows()).filter((row) => row === 'second')).toEqual([])
  })

  it('end with the first that fails', async ({ desk }) => {
    const { console } = await desk.openPaired({ permissions: ['clipboard-write'] })
    await console.pasteIntoTerminal('positons\necho second')
    await console.press('Run 2 lines')
    await console.prints(/^warning: 1 pasted line was not run: the one before failed$/)
    expect((await console.rows()).filter((row) => row === 'second')).toEqual([])
  })
})

describe('Ctrl R', () => {
  it('finds a line typed before by a piece of it', async ({ desk }) => {
    const { console } = await desk.openPaired()
    for (const line of ['echo alpha', 'echo beta']) await console.run(line)
    await console.prints(/^beta$/)
    await console.page.keyboard.press('Control+r')
    await console.page.keyboard.type('alp')
    await console.page.keyboard.press('Enter')
    await expect.poll(() => console.typedRow()).toMatch(/> echo alpha$/)
  })
})
