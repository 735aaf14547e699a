// Another user's program at the console's address, before, while and after hookline serves there, in a real browser: it places nothing and reads
// nothing of hookline. And the ways in: links, bookmarks, with the console's own worker and without.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import { BINARY } from '../harness/process/built-hookline.mjs'
import { canBeAnotherUser } from '../harness/process/other-user.ts'
import type { PseudoTerminal } from '../harness/process/pseudo-terminal.ts'
import { TEXT_REFUSED } from './console-page.ts'
import { it, type Stage } from './stage.ts'

const ORIGIN = 'http://127.0.0.1:53220'
const NOBODY = 65_534
/** Whatever the browser makes of a stranger's files. */
const ANY = { expects: /./, serviceWorkers: 'allow' } as const

const WORKER = `
  const routes = [{ condition: { urlPattern: '/*' }, source: 'race-network-and-fetch-handler' }]
  const tell = (what) => self.clients.matchAll({ includeUncontrolled: true }).then((all) => all.forEach((each) => each.postMessage(what)))
  self.addEventListener('install', (event) => {
    self.skipWaiting()
    event.waitUntil(Promise.resolve(event.addRoutes?.(routes)).catch(() => {}))
  })
  self.addEventListener('activate', (event) => event.waitUntil(
    self.registration.navigationPreload.enable().then(() => self.clients.claim())))
  self.addEventListener('fetch', (event) => {
    if (event.request.mode !== 'navigate') return
    const loot = async () => {
      const answers = await Promise.all([event.preloadResponse, fetch(event.request.clone()).catch(() => undefined)])
      const cache = await caches.open('loot')
      for (const answer of answers) if (answer) await cache.put('/loot/' + Math.random(), new Response(await answer.clone().text()))
    }
    event.waitUntil(loot())
  })
`

/** Leaves what it can in the browser. */
const PAGE = `<!doctype html><title>stranger</title><p>stranger</p><script>
  window.plant = async (paths) => {
    for (const path of paths) await fetch(path)
    const cache = await caches.open('hookline.console.planted')
    for (const path of paths) await cache.put(path, new Response('globalThis.stranger = true', { headers: { 'Content-Type': 'text/javascript' } }))
    await navigator.serviceWorker.register('/stranger.js', { updateViaCache: 'all' })
    await navigator.serviceWorker.ready
    return true
  }
</script>`

/** Another user's web server at the console's address: what it serves stays in caches, under our names and with our ETags. */
async function strangerServes(): Promise<() => Promise<void>> {
  const program = `
    const [page, worker] = JSON.parse(process.argv[1])
    require('node:http').createServer((q, r) => {
      const isScript = q.url.endsWith('.js')
      r.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
      r.setHeader('Cache-Control', q.url.startsWith('/assets/') || q.url === '/stranger.js' ? 'max-age=31536000, immutable' : 'no-cache')
      r.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
      r.end(q.url === '/stranger.js' ? worker : isScript ? 'globalThis.stranger = true' : page)
    }).listen(53220, '127.0.0.1', () => console.log('ready'))`
  const child = spawn(process.execPath, ['-e', program, JSON.stringify([PAGE, WORKER])], {
    ...(canBeAnotherUser ? { uid: NOBODY, gid: NOBODY } : {}),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(end)
  await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')
  return end
}

const SCRIPTS = readdirSync(join(dirname(BINARY), 'web/assets'))
  .filter((name) => name.endsWith('.js'))
  .map((name) => `/assets/${name}`)
const ENTRY = /src="(\/assets\/[^"]+)"/.exec(readFileSync(join(dirname(BINARY), 'web/index.html'), 'utf8'))?.[1] ?? ''

/** Speaks the plain wire, as far as a page without a ticket can. */
const enter = (page: Page, hello: object = {}) =>
  page.evaluate<string>(`new Promise((end) => {
    const hello = ${JSON.stringify({ t: 'hello', clientId: 'stranger', label: 'Console', ...hello })}
    const socket = new WebSocket('ws://127.0.0.1:53219/ws')
    socket.onopen = () => socket.send(JSON.stringify(hello))
    socket.onmessage = ({ data }) => end('heard ' + data)
    socket.onclose = ({ code }) => end('closed ' + code)
  })`)

async function exit(hookline: PseudoTerminal): Promise<void> {
  hookline.send('exit\r')
  await hookline.exit()
}

/** What a stranger's worker has read of documents. */
const LOOT = `caches.open('loot').then(async (cache) => {
  const texts = await Promise.all((await cache.matchAll()).map((each) => each.text()))
  return texts.join('\\n')
})`

/**
 * A look into a page of the stranger's worker. As soon as the browser asks our server for that worker's script, which may be in the middle of
 * the look, the page is loaded anew as one of ours: then another look is taken.
 */
async function lookInto<T>(page: Page, look: () => Promise<T>): Promise<T> {
  try {
    return await look()
  } catch {
    await page.getByRole('button', { name: /^Connection: / }).waitFor()
    return look()
  }
}

describe('another user’s program at the console’s address', () => {
  it('is let in neither while it has the port nor after, and what it left runs nothing and reads no ticket', async ({
    stage,
  }) => {
    await stage.stopWeb()
    const end = await strangerServes()
    const { page: left } = await stage.openConsole({ ...ANY, hasProgram: false })
    expect(await left.evaluate(`plant(${JSON.stringify([...SCRIPTS])})`)).toBe(true)
    const hookline = await stage.startHookline()
    // It has the port: nobody from there is let in, or asked about.
    expect(await enter(left)).toBe('closed 1006')
    expect(hookline.lines().join('\n')).not.toContain('asks to run commands')
    await end()
    await hookline.until((screen) => screen.lines().includes(`console on ${ORIGIN}`))

    // Ours serves, to the same browser: beside the page, its worker and what it left in the caches.
    const ours = await stage.openTab(left.context(), ANY)
    await stage.pair(ours, hookline)
    const inLeft = <T>(text: string) => lookInto(left, () => left.evaluate<T>(text))
    const inOurs = <T>(text: string) => lookInto(ours.page, () => ours.page.evaluate<T>(text))
    expect(await inOurs('globalThis.stranger')).toBeUndefined()
    expect(await inLeft(LOOT)).not.toContain('hookline-ticket')
    for (const hello of [
      {},
      { clientId: await inOurs<string>("JSON.parse(localStorage.getItem('hookline.client'))[0]") },
    ])
      expect(await lookInto(left, () => enter(left, hello))).toMatch(/^closed 44/)
    expect(await inLeft("fetch('/', { method: 'POST' }).then((answer) => answer.text())")).not.toContain(
      'hookline-ticket',
    )
    // A window that it opens is out of its reach.
    const opened = left
      .context()
      .waitForEvent('page')
      .catch(() => undefined)
    if (await inLeft("typeof plant === 'function' && Boolean((window.opened = window.open('/')))")) {
      await (await opened)?.getByRole('button', { name: /^Connection: / }).waitFor()
      expect(
        await inLeft("(() => { try { return String(opened.document.title) } catch { return 'closed off' } })()"),
      ).toBe('closed off')
    } else await left.getByRole('button', { name: /^Connection: / }).waitFor()

    // And after: the page that comes from there again is not let in, though hookline runs anew.
    await exit(hookline)
    await stage.stopWeb().catch(() => {})
    const endAgain = await strangerServes()
    await left.goto(`${ORIGIN}/again`)
    const again = await stage.startHookline()
    expect(await enter(left)).toBe('closed 1006')
    await endAgain()
    await again.until((screen) => screen.lines().includes(`console on ${ORIGIN}`))
    expect(await enter(left)).toMatch(/^closed 44/)
  })

  it('cannot change what the console’s own worker answers with', async ({ stage }) => {
    const { hookline, console } = await stage.openPaired(ANY)
    const { page } = console
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    const overwrite = `caches.keys().then((names) => Promise.all(names.map(async (name) => {
      const cache = await caches.open(name)
      for (const { url } of await cache.keys()) if (/js$|html$/.test(url)) await cache.put(url, new Response('globalThis.stranger = true', {
        headers: { 'Content-Type': /js$/.test(url) ? 'text/javascript' : 'text/html' } }))
    })))`
    await page.evaluate(overwrite)
    await page.reload()
    await console.badgeSays('Connected')
    expect(await page.evaluate('globalThis.stranger')).toBeUndefined()
    expect(ENTRY).not.toBe('')
    // Without any server there is nothing left that may be opened.
    await page.evaluate(overwrite)
    await exit(hookline)
    await stage.stopWeb()
    await page.reload().catch(() => {})
    expect(await page.evaluate('globalThis.stranger').catch(() => undefined)).toBeUndefined()
  })
})

describe('a text in a page of the console', () => {
  it('becomes no program, whatever it is given to; the console’s own worker is registered', async ({ stage }) => {
    const refused = TEXT_REFUSED
    const { console } = await stage.openPaired({ expects: refused, serviceWorkers: 'allow' })
    const { page } = console
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    expect(await console.textsThatRun()).toEqual([])
  })
})

describe('a link to the console', () => {
  async function follow(page: Page, path: string): Promise<void> {
    const site = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<a href="${ORIGIN}${path}">the desk</a>`)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const { port } = site.address() as { port: number }
    // Another site by its name, which is what browsers go by.
    await page.goto(`http://site.localhost:${port}/`)
    await page.getByText('the desk').click()
  }

  async function leadsIn(stage: Stage, serviceWorkers: 'allow' | 'block'): Promise<void> {
    const { hookline, console } = await stage.openPaired({ expects: /./, serviceWorkers })
    if (serviceWorkers === 'allow')
      await expect.poll(() => console.page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    await follow(console.page, '/trade/BTCUSDT')
    await console.badgeSays('Connected')
    expect(console.page.url()).toBe(`${ORIGIN}/trade/BTCUSDT`)
    // A bookmark, back and a reload.
    await console.page.goto(`${ORIGIN}/journal?state=failed`)
    await console.badgeSays('Connected')
    await console.page.goBack()
    await console.badgeSays('Connected')
    if (serviceWorkers === 'block') return
    await exit(hookline)
    await stage.stopWeb()
    await follow(console.page, '/trade/BTCUSDT')
    await console.page.getByRole('button', { name: /^Connection: / }).waitFor()
  }

  it('from another site leads to the page, connected', ({ stage }) => leadsIn(stage, 'block'))

  it('and so with the console’s worker, which opens the copy while no server runs', ({ stage }) =>
    leadsIn(stage, 'allow'))
})
