// axe-core's rules, all of them, at three widths, light and dark, in states of the table that the pictures are taken of.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type ConsoleState, visit } from '../scripts/console-states.mjs'
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
export const LOOKS_OF_A_STATE = SIZES.length * THEMES.length

/** A hundred checks and more, each of all rules. */
export const CHECKS_MS = 300_000

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What is over a page: a dialog or a card. */
const OVER = ['dialog[open]', ':popover-open']

/** @returns `rule: element`, with what axe says of it */
export async function violations({ page }: ConsolePage, isOver = false): Promise<string[]> {
  const context = isOver ? `[...document.querySelectorAll('${OVER}')].at(-1)` : 'document'
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(${context}, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
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
    for (const size of SIZES) {
      await console.page.setViewportSize(size)
      for (const colorScheme of THEMES) {
        await console.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const state = `${name}, ${size.width} px, ${colorScheme}`
        for (const violation of await violations(console, isOver)) found.push(`${state}: ${violation}`)
        looks.push(state)
      }
    }
  })
  return { found, looks }
}
