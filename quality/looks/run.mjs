// Every page of the console at six widths, in both themes and in forced colours, held to how it looked before: where its parts are, and how
// light each part of the picture is. Pictures themselves are not kept: prices differ from run to run, and what is left of a picture is small.
// Usage: npm run looks [-- --write] [-- --pictures <folder>]
// Needs ports 53219 and 53220 and a chromium (CHROME_PATH names its binary).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { badge, goTo, typeLine } from '../../scripts/console-camera.mjs'
import { openStage } from '../../scripts/console-stage.mjs'
import { makeHooks } from '../../scripts/console-work.mjs'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ boxes: Record<string, number[]>, light: Record<string, string> }} Look */

const BASELINE = new URL('./looks.txt', import.meta.url)
const PAGES = ['Trade', 'Hooks', 'Journal', 'Portfolio', 'Copy', 'Settings']
const SIZES = [
  [1440, 900],
  [1280, 800],
  [1024, 768],
  [800, 900],
  [390, 844],
  [320, 700],
]
/** @type {readonly (readonly [string, NonNullable<Parameters<Page['emulateMedia']>[0]>])[]} */
const THEMES = [
  ['dark', { colorScheme: 'dark', forcedColors: 'none' }],
  ['light', { colorScheme: 'light', forcedColors: 'none' }],
  ['forced', { colorScheme: 'dark', forcedColors: 'active' }],
]
/** What is drawn on a canvas does not say when it is done. */
const SETTLING_MS = 300
/** Left edges and widths are set by the layout; tops and heights by what is in them too. */
const TOLERANCES_PX = [8, 24, 8, 40]
/** Of a cell, of 255. */
const LIGHT_TOLERANCE = 44
const GRID = { columns: 8, rows: 6 }

/** The parts that the layout places, by what they are called. */
const BOXES = `Object.fromEntries(
  [...document.querySelectorAll('header, nav, footer, main, [data-region], [data-pane], .ticket-bar, .folio-figures')]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.dataset.pane ?? element.dataset.region ?? element.getAttribute('aria-label') ?? element.tagName, element])
    .map(([name, element]) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      return [String(name), [left, top, width, height].map(Math.round)]
    }),
)`
/** Of a picture, how light each cell is. */
const LIGHT = `async ({ png, columns, rows }) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))
  const canvas = new OffscreenCanvas(columns, rows)
  const context = canvas.getContext('2d')
  const image = await createImageBitmap(new Blob([bytes]), { resizeWidth: columns, resizeHeight: rows, resizeQuality: 'high' })
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, columns, rows)
  const cells = Array.from({ length: columns * rows }, (_, at) => data[at * 4] * 0.3 + data[at * 4 + 1] * 0.59 + data[at * 4 + 2] * 0.11)
  return cells.map((cell) => Math.round(cell).toString(16).padStart(2, '0')).join('')
}`

const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, pictures: { type: 'string' } } })
if (options.pictures) mkdirSync(options.pictures, { recursive: true })
const stage = await openStage()
/** @type {string[]} */
const faults = []
/** @type {Record<string, Look>} */
const looks = {}

/** @param {Page} page @param {Page} blank @param {string} title */
async function lookAt(page, blank, title) {
  for (const [width = 0, height = 0] of SIZES) {
    await page.setViewportSize({ width, height })
    /** @type {Look} */
    const look = { boxes: {}, light: {} }
    for (const [theme, media] of THEMES) {
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' })
      await page.waitForTimeout(SETTLING_MS)
      const png = await page.screenshot()
      if (options.pictures) writeFileSync(join(options.pictures, `${title}.${width}.${theme}.png`), png)
      const question = { png: png.toString('base64'), ...GRID }
      look.light[theme] = await blank.evaluate(`(${LIGHT})(${JSON.stringify(question)})`)
    }
    look.boxes = await page.evaluate(BOXES)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (overflow > 0) faults.push(`${title}, ${width} px: ${overflow} px too wide`)
    looks[`${title} ${width}`] = look
  }
}

/** @param {Look} now @param {Look} before @param {string} name */
function compare(now, before, name) {
  for (const [part, box] of Object.entries(before.boxes)) {
    const found = now.boxes[part]
    const isMoved =
      found === undefined || box.some((px, at) => Math.abs(px - (found[at] ?? 0)) > (TOLERANCES_PX[at] ?? 0))
    if (isMoved) faults.push(`${name}: ${part} was at ${box}, is ${found === undefined ? 'gone' : `at ${found}`}`)
  }
  for (const part of Object.keys(now.boxes)) if (!(part in before.boxes)) faults.push(`${name}: ${part} is new`)
  for (const [theme, cells] of Object.entries(before.light)) {
    const apart = farCells(cells, now.light[theme] ?? '')
    if (apart.length > 0)
      faults.push(`${name}, ${theme}: other colours in cells ${apart.join(', ')} of ${GRID.columns}×${GRID.rows}`)
  }
}

/** @param {string} before @param {string} now */
function farCells(before, now) {
  const lightOf = (/** @type {string} */ cells, /** @type {number} */ at) =>
    Number.parseInt(cells.slice(2 * at, 2 * at + 2), 16)
  const all = Array.from({ length: GRID.columns * GRID.rows }, (_, at) => at)
  return all.filter((at) => !(Math.abs(lightOf(before, at) - lightOf(now, at)) <= LIGHT_TOLERANCE))
}

try {
  // A curve from the start on: Portfolio is as high as what it has to show.
  const points = Array.from({ length: 300 }, (_, minute) => ({
    at: Date.now() - (300 - minute) * 60_000,
    account: 'paper',
    currency: 'USDT',
    total: (10_000 + Math.sin(minute / 30) * 80).toFixed(2),
    wallet: '10000',
  }))
  const file = join(stage.directory, 'equity.jsonl')
  writeFileSync(file, `${points.map((point) => JSON.stringify(point)).join('\n')}\n`, { mode: 0o600 })
  const hookline = await stage.startHookline()
  const context = await stage.browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  await page.goto(stage.url)
  await hookline.answer('y')
  await badge(page, 'Connected').waitFor()
  await page.getByRole('img', { name: /^Candles of BTCUSDT/ }).waitFor()
  await typeLine(page, 'buy 0.02 BTCUSDT stop -2%', /stop sell/)
  await page.getByRole('button', { name: /^Close `/ }).click()
  await page.getByRole('button', { name: 'Close the first steps' }).click()
  await makeHooks(page)
  const blank = await context.newPage()
  for (const title of PAGES) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await goTo(page, title)
    await page.waitForTimeout(2 * SETTLING_MS)
    await lookAt(page, blank, title)
  }
  await hookline.stop()
} finally {
  await stage.close()
}
const lines = Object.entries(looks).map(([name, look]) => `${name}\t${JSON.stringify(look)}\n`)
if (options.write) writeFileSync(BASELINE, lines.join(''))
else {
  for (const line of readFileSync(BASELINE, 'utf8').trimEnd().split('\n')) {
    const [name = '', look = ''] = line.split('\t')
    const now = looks[name]
    if (now) compare(now, JSON.parse(look), name)
    else faults.push(`${name} is gone`)
  }
}
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${Object.keys(looks).length * THEMES.length} looks, ${faults.length} faults\n`)
process.exitCode = faults.length === 0 ? 0 : 1
