// Takes pictures of a page in every look, and says where one is too wide; and what is done to a page over and over.
import { join } from 'node:path'

/** @typedef {import('playwright-core').Page} Page */

/** @type {{ look: string, colorScheme: 'light' | 'dark', width: number, height: number }[]} */
const LOOKS = [
  { look: 'light', colorScheme: 'light', width: 1440, height: 900 },
  { look: 'dark', colorScheme: 'dark', width: 1440, height: 900 },
  { look: 'narrow-light', colorScheme: 'light', width: 360, height: 740 },
  { look: 'narrow-dark', colorScheme: 'dark', width: 360, height: 740 },
]
const TABS = ['Terminal', 'Portfolio', 'Hooks', 'Accounts', 'Tasks', 'Cross-trade']

/** @param {string} folder for the pictures @param {string[]} faults where what looks wrong is added */
export function createCamera(folder, faults) {
  /** In every look, as it stands. @param {Page} page @param {string} name */
  async function shoot(page, name) {
    for (const { look, colorScheme, width, height } of LOOKS) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height })
      // xterm.js draws in its own time and tells nobody.
      await page.waitForTimeout(200)
      // A scroll bar where none belongs.
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (overflow > 0) faults.push(`${name}, ${look}: the page is ${overflow} px too wide`)
      await page.screenshot({ path: join(folder, `${name}.${look}.png`) })
    }
  }

  /** @param {Page} page @param {string} name */
  async function shootPanels(page, name) {
    await shoot(page, name)
    for (const { look, colorScheme, width, height } of LOOKS.slice(2)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height })
      for (const tab of TABS) {
        await page.getByRole('tab', { name: tab }).click()
        await page.screenshot({ path: join(folder, `${name}-${tab.toLowerCase()}.${look}.png`) })
      }
      await page.getByRole('tab', { name: 'Terminal' }).click()
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  return { shoot, shootPanels }
}

/** @param {Page} page @param {string} text */
export const badge = (page, text) => page.getByRole('button', { name: `Connection: ${text}` })

/** @param {Page} page */
export async function connect(page) {
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

/** @param {Page} page @param {string} line @param {RegExp} pattern */
export async function typeLine(page, line, pattern) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
  await page.locator('.xterm-rows').getByText(pattern).first().waitFor()
}
