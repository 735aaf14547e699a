// What opens over Trade, the other pages, and what opens over them; and what a system may ask of all: contrast, its own colours, no motion.
import { describe, expect } from 'vitest'
import { ON_PAGES, OVER_TRADE } from '../scripts/console-states.mjs'
import { CHECKS_MS, checkEveryLook, LOOKS_OF_A_STATE, SIZES, violations, withAxe } from './axe.ts'
import { fillDesk } from './full-desk.ts'
import { seedEquity } from './seeded-equity.ts'
import { it } from './stage.ts'

/** Who shows by colour alone that it has the focus, or is on, shows nothing where the system sets the colours. */
const LOST_IN_FORCED_COLOURS = `[...document.querySelectorAll('[aria-checked], [aria-pressed=true], [aria-selected=true], [aria-current]')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const looks = [getComputedStyle(element), getComputedStyle(element, '::before')]
    return looks.every(({ borderStyle, borderWidth, outlineStyle, fontWeight, content }) =>
      (borderStyle === 'none' || borderWidth === '0px') && outlineStyle === 'none' && fontWeight < 500 && content === 'none')
  })
  .map((element) => element.outerHTML.slice(0, 120))`
const MOVING = `document.getAnimations().map(({ effect }) => effect.target?.className ?? '')`

describe('axe-core finds nothing', () => {
  it(
    'over Trade, on any other page, nor on Trade where the system asks for contrast, for its own colours, or for no motion',
    async ({ stage }) => {
      seedEquity(stage)
      const { console } = await stage.openPaired({ ...withAxe, viewport: SIZES[1] })
      const { page } = console
      await fillDesk(stage, console)
      const states = [...OVER_TRADE, ...ON_PAGES]
      const { found, looks } = await checkEveryLook(console, states)
      expect(found).toEqual([])
      expect(looks).toHaveLength(states.length * LOOKS_OF_A_STATE)

      await console.goToPage('Trade')
      await console.position('BTCUSDT').waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, contrast: 'more' })
        expect(await violations(console), `more contrast, ${colorScheme}`).toEqual([])
        await page.emulateMedia({ colorScheme, contrast: null, forcedColors: 'active' })
        expect(await violations(console), `forced colours, ${colorScheme}`).toEqual([])
        expect(await page.evaluate<string[]>(LOST_IN_FORCED_COLOURS)).toEqual([])
      }
      await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'reduce' })
      await page.getByRole('button', { name: 'Flatten paper' }).hover()
      await page.mouse.down()
      await page.getByText('Keep holding').waitFor()
      expect(await page.evaluate<string[]>(MOVING)).toEqual([])
      await page.mouse.move(0, 0)
      await page.mouse.up()
      await console.position('BTCUSDT').waitFor()
    },
    CHECKS_MS,
  )
})
