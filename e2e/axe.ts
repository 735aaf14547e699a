// axe-core's rules, all of them, at three widths (two without `CI`), in states of the table that the pictures are taken of; those about colours again in the dark, which
// differs from the light in nothing else: at each width in CI, at the largest elsewhere.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type ConsoleState, visit } from '../scripts/console-states.mjs'
import { defined } from '../src/base/defined.ts'
import type { ConsolePage } from './console-page.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** So that the page's own scripts are there before any state is. */
export const withAxe = { prepare: (page: ConsolePage['page']) => page.addInitScript(AXE) }

export const SIZES = [
  { width: 390, height: 844 },
  { width: 1366, height: 768 },
  { width: 1600, height: 1000 },
] as const
const THEMES = ['light', 'dark'] as const
/** In CI. */
const ALL_LOOKS = SIZES.flatMap((size) => THEMES.map((theme) => ({ size, theme })))
/** Elsewhere: where the layout differs most. */
const LOOKS = process.env.CI
  ? ALL_LOOKS
  : ALL_LOOKS.filter(({ size, theme }) => size === SIZES[2] || (size === SIZES[0] && theme === 'light'))
export const ALL_LOOKS_OF_A_STATE = ALL_LOOKS.length
export const LOOKS_OF_A_STATE = LOOKS.length
/** Of the rules that are on unless a run says otherwise, those that read colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** A hundred checks and more, each of all rules. */
export const CHECKS_MS = 300_000

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What is over a page: a dialog or a card. */
const OVER = ['dialog[open]', ':popover-open']

interface AxeOptions {
  /** Default false: all of the page. */
  readonly isOver?: boolean
  /** Default: all. */
  readonly rules?: readonly string[]
}

/** @returns `rule: element`, with what axe says of it */
export async function violations({ page }: ConsolePage, { isOver = false, rules }: AxeOptions = {}): Promise<string[]> {
  const context = isOver ? `[...document.querySelectorAll('${OVER}')].at(-1)` : 'document'
  const options = { resultTypes: ['violations'], ...defined({ runOnly: rules }) }
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(${context}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} (${node.failureSummary})`))
}

export interface Looks {
  readonly found: readonly string[]
  readonly looks: readonly string[]
}

/** @returns what axe-core found, and in how many looks it looked */
export async function checkEveryLook(console: ConsolePage, states: readonly ConsoleState[]): Promise<Looks> {
  const found: string[] = []
  const looks: string[] = []
  await visit(console.page, states, async (_, { name, isOver }) => {
    for (const { size, theme } of LOOKS) {
      await console.page.setViewportSize(size)
      await console.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const state = `${name}, ${size.width} px, ${theme}`
      const rules = theme === 'dark' ? COLOUR_RULES : undefined
      for (const violation of await violations(console, defined({ isOver, rules })))
        found.push(`${state}: ${violation}`)
      looks.push(state)
    }
  })
  return { found, looks }
}
