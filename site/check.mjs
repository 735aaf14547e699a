// Looks at the built site as people do: every page in a narrow and a wide window, light and dark. Links and anchors lead somewhere, axe-core
// finds nothing, no page is wider than its window, nothing comes from another host, and the search finds pages.
// Usage: npm run site:check [-- --pictures <folder>]
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'

const { pictures } = parseArgs({ options: { pictures: { type: 'string' } } }).values
const DIST = join(import.meta.dirname, 'dist')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const KINDS = new Map([
  ['.html', 'text/html'],
  ['.js', 'text/javascript'],
  ['.css', 'text/css'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
])
const WINDOWS = [
  { width: 390, height: 844, colorScheme: /** @type {const} */ ('light') },
  { width: 1280, height: 800, colorScheme: /** @type {const} */ ('dark') },
]

/** @type {string[]} */
const faults = []
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://x').pathname
  readFile(join(DIST, path.endsWith('/') ? `${path}index.html` : path)).then(
    (body) =>
      response.writeHead(200, { 'content-type': KINDS.get(extname(path) || '.html') ?? 'text/plain' }).end(body),
    () => response.writeHead(404).end(),
  )
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
const browser = await chromium.launch({ executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium' })

/** Of each page: what it links to, and the ids it has. @type {Map<string, { links: string[], ids: Set<string> }>} */
const pages = new Map()
for (const window of WINDOWS) await walk(window)
for (const [path, { links }] of pages) {
  for (const link of links) {
    const { pathname, hash } = new URL(link, origin)
    const target = pages.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    if (target === undefined) faults.push(`${path}: no page ${pathname}`)
    else if (hash !== '' && !target.ids.has(decodeURIComponent(hash.slice(1))))
      faults.push(`${path}: no anchor ${pathname}${hash}`)
  }
}
await search()
await browser.close()
server.close()
process.stdout.write(
  `${pages.size} pages, ${[...pages.values()].reduce((sum, { links }) => sum + links.length, 0)} links\n`,
)
for (const fault of new Set(faults)) process.stdout.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1

/** @param {(typeof WINDOWS)[number]} window */
async function walk({ width, height, colorScheme }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`asks ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  const seen = new Set(['/index.html'])
  for (const path of seen) {
    const response = await page.goto(`${origin}${path}`, { waitUntil: 'load' })
    if (!response?.ok()) faults.push(`${path}: ${response?.status()}`)
    const { links, ids, wide } = await page.evaluate(() => ({
      links: [...document.querySelectorAll('a[href]')].map((link) => /** @type {HTMLAnchorElement} */ (link).href),
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      wide: document.documentElement.scrollWidth - innerWidth,
    }))
    const inside = links.filter((link) => link.startsWith(origin))
    pages.set(path, { links: inside, ids: new Set(ids) })
    for (const link of inside) {
      const { pathname } = new URL(link)
      seen.add(pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    }
    if (wide > 0) faults.push(`${path}: ${wide} px wider than ${width}`)
    await page.evaluate(AXE)
    const violations = await page.evaluate(async () => {
      const { violations: found } = await /** @type {any} */ (globalThis).axe.run(document, {
        resultTypes: ['violations'],
      })
      return found.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0]?.target} (${nodes.length})`)
    })
    for (const violation of violations) faults.push(`${path} at ${width}: ${violation}`)
    if (pictures !== undefined) {
      await page.screenshot({ path: join(pictures, `${path.slice(1).replaceAll('/', '-')}.${width}.png`) })
    }
  }
  await page.close()
}

async function search() {
  const page = await browser.newPage()
  await page.goto(origin, { waitUntil: 'networkidle' })
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill('trailing stop')
  await page.locator('#localsearch-list a').first().waitFor()
  await page.close()
}
