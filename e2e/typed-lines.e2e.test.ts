// A line of the terminal from the first letter to its output: pasted whole or not at all, completed, never hidden, told in the same times as
// the panes.
import { describe, expect } from 'vitest'
import { it } from './stage.ts'

const NARROW = { width: 700, height: 760 }

/** Words of the terminal's output that stand on two lines, though they would fit on one. */
const BROKEN_WORDS = `(() => {
  const broken = []
  for (const line of document.querySelectorAll('.transcript-row .transcript-line')) {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text; text = walker.nextNode())
      for (const { 0: word, index } of text.data.matchAll(/\\S{2,30}/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
      }
  }
  return broken
})()`

/** Notes every moment in which the prompt, or what is typed after it, is not there to be seen. */
const WATCH_PROMPT = `
  globalThis.gaps = []
  const look = () => {
    const prompt = document.querySelector('.input-line .input-prompt')
    const field = document.querySelector('.input-line input')
    if (!prompt?.checkVisibility() || !prompt.textContent.includes('>')) gaps.push('no prompt')
    if (field?.value !== 'buy $25') gaps.push(field?.value ?? 'no field')
    requestAnimationFrame(look)
  }
  look()
`

/** Of the day, in the first time of day of a text. */
function secondsOf(text: string): number {
  const [, hours, minutes, seconds] = /(\d\d):(\d\d):(\d\d)/.exec(text) ?? []
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
}

describe('a line of the terminal', () => {
  it('that is too long is not pasted at all, and nothing of it runs', async ({ desk }) => {
    const { console } = await desk.openPaired({ permissions: ['clipboard-write'] })
    const line = `echo HEAD-REACHED; echo ${'x'.repeat(9_000)}; echo TAIL-REACHED`
    await console.type('echo kept')
    await console.pasteIntoTerminal(line)
    await console.prints(/nothing was pasted: the line would have 9,0\d\d characters/)
    await console.page.keyboard.press('Enter')
    await console.prints(/^kept$/)
    expect((await console.rows()).join('\n')).not.toMatch(/HEAD-REACHED|xxxx|TAIL-REACHED/)
  })

  it('is completed by Tab with what nobody has seen yet: symbols, clauses, flags, prices', async ({ desk }) => {
    const { console } = await desk.openPaired()
    for (const [typed, completed] of [
      ['buy $100 ETH', /> buy \$100 ETHUSDT$/],
      ['buy $100 BTCUSDT st', /> buy \$100 BTCUSDT stop$/],
      ['nuke --ev', /> nuke --everywhere$/],
      ['halt --f', /> halt --flatten$/],
      ['hook create dip "buy $250" --cool', /--cooldown$/],
      ['buy $250 at $b', /> buy \$250 at \$bid$/],
    ] as const) {
      await console.type(typed)
      await console.page.keyboard.press('Tab')
      await expect.poll(() => console.typedRow()).toMatch(completed)
      await console.page.keyboard.press('Control+u')
    }
  })

  it('stays with its prompt while output flows, and output breaks between words', async ({ desk }) => {
    const { console } = await desk.openPaired({ viewport: NARROW })
    await console.makeHook('noise', 'repeat 200 (echo tick tock)')
    await console.type('buy $25')
    await console.page.evaluate(WATCH_PROMPT)
    await Promise.all(Array.from({ length: 5 }, () => desk.fire('noise')))
    await console.prints(/^\[hook:noise\] tick tock ×[\d,]+$/)
    expect(await console.page.evaluate('gaps')).toEqual([])
    await console.page.keyboard.press('Control+u')
    await console.run('runs')
    await console.prints(/started \(UTC\)/)
    expect(await console.page.evaluate(BROKEN_WORDS)).toEqual([])
  })

  it('has the times of the panes: those of the computer, or UTC in both', async ({ desk }) => {
    const { console } = await desk.openPaired({ timezoneId: 'Asia/Tokyo' })
    const { page } = console
    await console.run('echo when')
    await console.run('runs')
    await console.prints(/^[0-9a-f]{8} .* echo when$/)
    const rows = await console.rows()
    const id = rows.find((row) => /^[0-9a-f]{8} .* echo when$/.test(row))?.slice(0, 8)
    // Beside long lines the command has a table of its own.
    const utc =
      rows.map((row) => /^(\S{8}) .*?(\d\d:\d\d:\d\d)/.exec(row)).find((row) => row?.[1] === id)?.[2] ?? 'none'
    await page.keyboard.press('Escape')
    const shown = async () => {
      await console.goToPage('Journal')
      const row = console.pane('Journal').getByRole('button', { name: /echo when/ })
      await row.waitFor()
      return secondsOf((await row.textContent()) ?? '')
    }
    // A run starts a moment after it was taken.
    const isAheadBy = (seconds: number, hours: number) =>
      Math.abs(((seconds - secondsOf(utc) - hours * 3_600 + 36 * 3_600) % 86_400) - 43_200) < 60
    expect(isAheadBy(await shown(), 9)).toBe(true)
    await console.goToPage('Settings')
    await page.getByLabel('UTC', { exact: true }).check()
    expect(isAheadBy(await shown(), 0)).toBe(true)
    await console.openTerminal()
    const clocks = await page.locator('.transcript-row .transcript-time').allTextContents()
    expect(clocks.some((clock) => isAheadBy(secondsOf(clock), 0))).toBe(true)
  })
})
