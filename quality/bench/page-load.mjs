// What a visit waits for: its first paint, against a static page of the same server's kind in the same browser; and from the welcome to a chart that
// is drawn and a ticket that can be filled in. A browser profile of its own for each visit, so that nothing is cached.
import { createServer } from 'node:http'
import { badge } from '../../scripts/console-camera.mjs'
import { openDesk } from './desk-stage.mjs'
import { interleave, judge, median, ratios, spreadOf } from './rounds.mjs'

/** @typedef {{ rounds: number }} Scale visits of each */

/** @type {import('./groups.mjs').Group<Scale>} */
export const pageLoad = {
  full: { rounds: 15 },
  quick: { rounds: 5 },
  measure: measurePageLoad,
}

const STATIC_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>static</title>
<style>body { margin: 0; font: 13px sans-serif; background: #fff; color: #111 }</style></head>
<body><header><h1>hookline</h1></header><main><p>A page that is only read.</p></main></body></html>`

/** @param {Scale} scale @returns {Promise<import('./rounds.mjs').Row[]>} */
async function measurePageLoad({ rounds }) {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(STATIC_PAGE)
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const opened = await openDesk({ hooks: [], accounts: 2 })
  const { stage, page } = opened
  const first = await interleave(rounds, {
    ours: () => firstPaint(stage.browser, stage.url),
    theirs: () => firstPaint(stage.browser, `http://127.0.0.1:${port}/`),
  })
  /** @type {number[]} */
  const usable = []
  for (let round = 0; round < rounds; round++) usable.push(await usableAfterWelcome(page))
  await opened.close()
  server.close()
  const ms = (/** @type {number[]} */ values) => `${median(values).toFixed(0)} ms`
  return [
    judge(
      'first paint of the console, against a static page',
      { atMost: 1.5 },
      ratios(first.ours, first.theirs),
      `${ms(first.ours)}; static ${ms(first.theirs)}`,
    ),
    judge(
      'the console: ms from the welcome to a drawn chart and a ticket that can be filled in',
      { atMost: 1_000 },
      spreadOf(usable),
      `${rounds} reloads of a page with 12 positions and 18 orders`,
    ),
  ]
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
