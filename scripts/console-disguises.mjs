// What one machine cannot show for real, put on in front of the page, never in it: another site, another browser, another hookline.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').WebSocketRoute} WebSocketRoute */

export const FOREIGN = 'https://console.example'

/** A page's WebSocket that is answered here: `answer` sees each frame. @param {Page} page @param {(frame: any, socket: WebSocketRoute) => unknown} answer */
export async function fakeHookline(page, answer) {
  await page.route('http://127.0.0.1:53219/health', (route) =>
    route.fulfill({ json: { ok: true, pid: 1, port: 53219 }, headers: { 'Access-Control-Allow-Origin': '*' } }),
  )
  await page.routeWebSocket('ws://127.0.0.1:53219/ws', (socket) =>
    socket.onMessage((text) => void answer(JSON.parse(String(text)), socket)),
  )
}

/** The console as another site would serve it. @param {Page} page */
export async function asForeignSite(page) {
  await page.route(`${FOREIGN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/api/')) return route.fulfill({ status: 404 })
    const file = resolve(import.meta.dirname, '../dist/web', pathname === '/' ? 'index.html' : pathname.slice(1))
    /** @type {Record<string, string>} */
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
    await route.fulfill({ body: await readFile(file), contentType: `${types[file.split('.').at(-1) ?? '']}` })
  })
}

export const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'

/** Knows no portfolio and gives no accounts. @param {any} frame @param {WebSocketRoute} socket */
export function oldHookline(frame, socket) {
  const send = (/** @type {object} */ answer) => socket.send(JSON.stringify(answer))
  if (frame.t === 'hello')
    send({ t: 'welcome', listenerId: '45bcf5fd-87f4-4104-9436-6a75e540f952', user: { email: '' } })
  if (frame.t === 'subscribe' && frame.topics.includes('portfolio')) send({ t: 'error', error: 'unknown topic' })
  if (frame.t === 'subscribe' && frame.topics.includes('hooks')) send({ t: 'state:hooks', hooks: [] })
}
