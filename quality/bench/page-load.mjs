// What a visit waits for: its first paint, against a static page (the same words, style and policy headers, no program) in the same browser; and from
// the welcome to a chart that is drawn and a ticket that can be filled in. A browser profile of its own for each visit, so that nothing is cached.
// The headers count: for `Cross-Origin-Opener-Policy` a browser begins a process, whatever the page.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { badge } from '../../scripts/console-camera.mjs'
import { busyReason, openDesk } from './desk-stage.mjs'
import { interleave, judge, median, ratios, spreadOf } from './rounds.mjs'

/** @typedef {{ rounds: number }} Scale visits of each */

/** @type {import('./groups.mjs').Group<Scale>} */
export const pageLoad = {
  full: { rounds: 15 },
  quick: { rounds: 5 },
  measure: measurePageLoad,
}

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url))
/** The console's own page, without its program. */
const STATIC_PAGE = readFileSync(join(BUILT, 'index.html'), 'utf8')
  .replaceAll(/<script[^>]*><\/script>/g, '')
  .replaceAll(/<link rel="manifest"[^>]*>/g, '')

/** Serves it, with its style. @param {readonly (readonly [string, string])[]} policy */
async function startStatic(policy) {
  const server = createServer(({ url = '/' }, response) => {
    const isPage = !url.startsWith('/assets/')
    for (const [name, value] of policy) response.setHeader(name, value)
    response.setHeader('Content-Type', isPage ? 'text/html' : url.endsWith('.css') ? 'text/css' : 'image/svg+xml')
    response.end(isPage ? STATIC_PAGE : readFileSync(join(BUILT, url)))
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() }
}

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measurePageLoad({ rounds }) {
  const opened = await openDesk({ hooks: [], accounts: 2 })
  const { stage, page } = opened
  const bare = await startStatic(await policyOf(stage.url))
  const first = await interleave(rounds, {
    ours: () => firstPaint(stage.browser, stage.url),
    theirs: () => firstPaint(stage.browser, bare.url),
  })
  /** @type {number[]} */
  const usable = []
  for (let round = 0; round < rounds; round++) usable.push(await usableAfterWelcome(page))
  await opened.close()
  bare.stop()
  const busy = busyReason()
  const ms = (/** @type {number[]} */ values) => `${median(values).toFixed(0)} ms`
  return [
    judge(
      'first paint of the console, against the same page and headers without its program, on a bare server',
      { atMost: 1.5 },
      ratios(first.ours, first.theirs),
      `${ms(first.ours)}; static ${ms(first.theirs)}`,
      busy,
    ),
    judge(
      'the console: ms from the welcome to a drawn chart and a ticket that can be filled in',
      { atMost: 1_000 },
      spreadOf(usable),
      `${rounds} reloads of a page with 12 positions and 18 orders`,
      busy,
    ),
  ]
}

const POLICY = /^(content-security-policy|cross-origin-.+|permissions-policy|referrer-policy|x-.+)$/

/** @param {string} url @returns {Promise<[string, string][]>} what the page is held to by its headers */
async function policyOf(url) {
  const { headers } = await fetch(url)
  const policy = [...headers].filter(([name]) => POLICY.test(name))
  if (policy.length < 5) throw new Error('the console is served without its policy')
  return policy
}

/** @param {import('playwright-core').Browser} browser @param {string} url @returns {Promise<number>} ms until something of it was painted */
async function firstPaint(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 } })
  const page = await context.newPage()
  await page.goto(url)
  const ms = await page.evaluate(
    () =>
      /** @type {Promise<number>} */ (
        new Promise((resolve) => {
          new PerformanceObserver((list) => {
            const painted = list.getEntriesByName('first-contentful-paint')[0]
            if (painted) resolve(painted.startTime)
          }).observe({ type: 'paint', buffered: true })
        })
      ),
  )
  await context.close()
  return ms
}

/** @param {import('playwright-core').Page} page that was let in */
async function usableAfterWelcome(page) {
  await page.addInitScript(noteWelcome)
  await page.reload()
  const usableAt = page.evaluate(whenUsable)
  await badge(page, 'Connected').waitFor()
  const at = await usableAt
  return at - (await page.evaluate(() => /** @type {number} */ (Reflect.get(globalThis, 'welcomedAt'))))
}

/** In the page, before it is loaded. */
function noteWelcome() {
  const Bare = WebSocket
  globalThis.WebSocket = class extends Bare {
    /** @param {ConstructorParameters<typeof WebSocket>} parameters */
    constructor(...parameters) {
      super(...parameters)
      this.addEventListener('message', ({ data }) => {
        if (data.startsWith('{"t":"welcome"')) Reflect.set(globalThis, 'welcomedAt', performance.now())
      })
    }
  }
}

/** In the page. @returns {Promise<number>} */
function whenUsable() {
  return new Promise((resolve) => {
    const look = () => {
      const chart = document.querySelector('.chart-canvas[data-candles] canvas')
      const size = document.querySelector('.ticket-pane input')
      const isUsable = chart && size instanceof HTMLInputElement && !size.disabled
      if (!isUsable) return void requestAnimationFrame(look)
      setTimeout(() => resolve(performance.now()))
    }
    look()
  })
}
