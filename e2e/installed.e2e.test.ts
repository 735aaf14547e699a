// The console as an installed app: what browsers want of one, the copy that is kept, and how a new build comes in.
import { createServer } from 'node:http'
import { describe, expect, onTestFinished } from 'vitest'
import { makeAnotherBuild } from './another-build.ts'
import type { ConsolePage } from './console-page.ts'
import { it, NO_SERVERS, type Stage } from './stage.ts'

/** Neither of the two servers may be there. */
const GONE = { expects: NO_SERVERS, serviceWorkers: 'allow' } as const

/** Resolves once the browser has a copy, and its worker answers for the page. */
async function keepsCopy({ page }: ConsolePage): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        'caches.keys().then((names) => names.filter((name) => name.startsWith("hookline.console.")).length)',
      ),
    )
    .toBe(1)
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
}

const entryOf = ({ page }: ConsolePage) => page.evaluate<string>('document.querySelector("head script[src]").src')

/** Every address of which an answer is kept. */
const KEPT = `(async () => {
  const kept = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
  return kept.flat().map(({ url }) => new URL(url).pathname)
})()`

async function openKept(stage: Stage) {
  const { hookline, console } = await stage.openPaired(GONE)
  await keepsCopy(console)
  return { hookline, console }
}

describe('the console', () => {
  it('has what browsers want of an app, and keeps nothing before it was let in', async ({ stage }) => {
    const console = await stage.openConsole(GONE)
    await console.badgeSays('Not connected')
    const cdp = await console.page.context().newCDPSession(console.page)
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
    const { errors, data } = await cdp.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(JSON.parse(data ?? '')).toMatchObject({
      name: 'hookline',
      display: 'standalone',
      scope: '/',
      start_url: '/',
    })
    expect(await console.page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)')).toBe(
      0,
    )
  })

  it('trades while hookline runs, which serves it, and opens without any server to say how to start one', async ({
    stage,
  }) => {
    const { hookline, console } = await openKept(stage)
    expect(await console.page.evaluate<string[]>(KEPT)).not.toContainEqual(expect.stringMatching(/^\/api|^\/health/))
    await stage.stopWeb()
    await console.page.goto('http://127.0.0.1:53220/trade/BTCUSDT')
    await console.badgeSays('Connected')
    await console.run('buy $100 BTCUSDT')
    await console.position('BTCUSDT').waitFor()
    hookline.signal('SIGTERM')
    await hookline.exit()
    await console.reload()
    await console.badgeSays('Not running')
    const copied = console.page.getByText('this is the copy that this browser keeps').first()
    await console.page.getByRole('button', { name: /^Notices/ }).click()
    await copied.waitFor()
    await console.page.keyboard.press('Escape')
    expect(await (await console.advice()).getByRole('code').allTextContents()).toEqual([
      'hookline',
      'npm start',
      'hookline web',
    ])
  })

  it('takes a new build with the next load, tells a page of the old one, and mixes none', async ({ stage }) => {
    const { hookline, console } = await openKept(stage)
    const old = await entryOf(console)
    await console.page.evaluate('void (globalThis.worker = navigator.serviceWorker.controller)')
    hookline.send('exit\r')
    await hookline.exit()
    await stage.stopWeb()
    await stage.startWeb(makeAnotherBuild())
    await stage.startHookline()
    const second = await stage.openTab(console.page.context(), GONE)
    const next = await entryOf(second)
    expect(next).not.toBe(old)

    // Its worker fetches the whole build before it takes over, which on a busy machine takes longer than any step of the page.
    await expect.poll(() => console.page.evaluate('navigator.serviceWorker.controller !== worker')).toBe(true)
    await console.page.getByText('A new version is ready.').waitFor()
    // A page that the new build no longer has under this name.
    await console.goToPage('Settings')
    await console.pane('Accounts').waitFor()
    expect(await second.page.getByText('A new version is ready.').count()).toBe(0)
    await console.press('Reload')
    await expect.poll(() => entryOf(console)).toBe(next)
    await console.badgeSays('Connected')
    expect(await console.page.getByText('A new version is ready.').count()).toBe(0)
  })
})

describe('a worker that another program left at this address', () => {
  it('is gone with the first visit after hookline web is back', async ({ stage }) => {
    await stage.stopWeb()
    const squatter = createServer((request, response) => {
      const isWorker = request.headers['service-worker'] === 'script'
      response.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html')
      response.end(isWorker ? HOSTILE_WORKER : HOSTILE_PAGE)
    })
    await new Promise<void>((resolve) => squatter.listen(53_220, '127.0.0.1', resolve))
    const end = () =>
      new Promise<void>((resolve) => {
        squatter.closeAllConnections()
        squatter.close(() => resolve())
      })
    onTestFinished(() => void squatter.closeAllConnections())
    const { page } = await stage.openConsole({ serviceWorkers: 'allow' })
    await page.getByText('taken over').waitFor()
    await end()
    await stage.startWeb()
    await page.goto('http://127.0.0.1:53220/')
    await page.getByRole('button', { name: /^Connection: / }).waitFor()
    await expect
      .poll(() => page.evaluate('navigator.serviceWorker.getRegistrations().then(({ length }) => length)'))
      .toBe(0)
    await page.reload()
    await page.getByRole('button', { name: /^Connection: / }).waitFor()
  })
})

const HOSTILE_PAGE = `<!doctype html><p></p><script>
  navigator.serviceWorker.register('/taken.js').then(() => navigator.serviceWorker.ready)
    .then(() => document.querySelector('p').textContent = 'taken over')
</script>`

const HOSTILE_WORKER = `
  self.addEventListener('install', () => self.skipWaiting())
  self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
  self.addEventListener('fetch', (event) =>
    event.respondWith(new Response('still taken over', { headers: { 'Content-Type': 'text/html' } })))
`
