// The icons of the installed console, drawn by Chromium from src/web/icon.svg. They are committed; run this when the drawing changes.
// Usage: node scripts/icons.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'

const FOLDER = resolve(import.meta.dirname, '../src/web/public/icons')
const svg = readFileSync(resolve(import.meta.dirname, '../src/web/icon.svg'), 'utf8')
/** Systems cut a maskable one to a shape of theirs: its ground goes to the edges, its mark stays within the middle 80 %. */
const maskable = svg
  .replace(/<rect[^>]*\/>/, '<rect width="32" height="32" fill="#0f6bd6"/>')
  .replace('<path', '<path transform="translate(16 16) scale(.8) translate(-16 -16)"')

const browser = await chromium.launch({
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
mkdirSync(FOLDER, { recursive: true })
for (const [name, drawing, size] of /** @type {const} */ ([
  ['icon-192', svg, 192],
  ['icon-512', svg, 512],
  ['icon-maskable-512', maskable, 512],
])) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`)
  writeFileSync(`${FOLDER}/${name}.png`, await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
