// Takes pictures of the console in every look, and says where it is wider than its window; and what is done to a page over and over.
import { join } from 'node:path'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ width: number, height: number, colorScheme: 'light' | 'dark' }} Look */

/** Where a page stands between pictures, and the size of the README's. */
export const DESK = { width: 1366, height: 768 }
const SIZES = [{ width: 1600, height: 1000 }, DESK, { width: 390, height: 844 }]
/** @type {Look[]} */
const LOOKS = SIZES.flatMap((size) => [
  { ...size, colorScheme: 'dark' },
  { ...size, colorScheme: 'light' },
])
/** As long as a page is. @type {Look} */
const WHOLE = { width: 390, height: 2400, colorScheme: 'dark' }
/** What is drawn on a canvas, or after a hold of the mouse, tells nobody that it is done. */
const SETTLING_MS = 250

/** @param {string} folder for the pictures @param {string[]} faults where what looks wrong is added */
export function createCamera(folder, faults) {
  /** Of all that was taken. @type {Set<string>} */
  const names = new Set()

  /** @param {Page} page @param {string} name of the file @param {Look} look */
  async function shootOne(page, name, { width, height, colorScheme }) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    await page.waitForTimeout(SETTLING_MS)
    // A scroll bar where none belongs.
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (overflow > 0) faults.push(`${name}, ${width} px, ${colorScheme}: the page is ${overflow} px too wide`)
    await page.screenshot({ path: join(folder, `${name}.png`) })
  }

  /** In every look, as it stands. @param {Page} page @param {string} name */
  async function shoot(page, name) {
    names.add(name)
    for (const look of LOOKS) await shootOne(page, `${name}.${look.width}.${look.colorScheme}`, look)
    await page.setViewportSize(DESK)
  }

  /** Also down to its foot, as a phone would scroll it. @param {Page} page @param {string} name */
  async function shootPage(page, name) {
    await shoot(page, name)
    await shootOne(page, `${name}.390.whole`, WHOLE)
    await page.setViewportSize(DESK)
  }

  /** What only a narrow window has. @param {Page} page @param {string} name */
  async function shootNarrow(page, name) {
    for (const look of LOOKS.filter(({ width }) => width < 800))
      await shootOne(page, `${name}.${look.width}.${look.colorScheme}`, look)
    await page.setViewportSize(DESK)
  }

  return { shoot, shootPage, shootNarrow, names }
}

/** @typedef {ReturnType<typeof createCamera>} Camera */

/** @param {Page} page @param {string} text */
export const badge = (page, text) => page.getByRole('button', { name: `Connection: ${text}` })

/** By the advice, which is on the first visit's page or behind the badge. @param {Page} page */
export async function connect(page) {
  const button = page.locator('#connection-advice').getByRole('button', { name: 'Connect', exact: true })
  if (!(await button.isVisible())) await badge(page, '').click()
  await button.click()
}

/** By the rail. @param {Page} page @param {string} title */
export async function goTo(page, title) {
  const links = page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${title}(,|$)`) })
  await links.filter({ visible: true }).click()
  await page.waitForURL(new RegExp(`/${title.toLowerCase()}(/|\\?|$)`))
}

/** @param {Page} page */
export async function openTerminal(page) {
  if (await page.getByRole('region', { name: 'Terminal', exact: true }).isVisible()) return
  await page
    .getByRole('button', { name: /^Terminal/ })
    .filter({ visible: true })
    .click()
}

/** @param {Page} page */
export async function closeTerminal(page) {
  await page.getByRole('button', { name: /^Close `/ }).click()
}

/** In the terminal of the page. @param {Page} page @param {string} line @param {RegExp} answer */
export async function typeLine(page, line, answer) {
  await openTerminal(page)
  await page.getByRole('textbox', { name: /^Terminal input/ }).fill(line)
  await page.keyboard.press('Enter')
  await page.locator('.transcript-row').getByText(answer).last().waitFor()
}
