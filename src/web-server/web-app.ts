// The routes: the console's files, the check-in and the settings record. A request that gets here has passed request-guard.ts.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { checkInBody, settingsPatch, type WebSettings } from '../protocol/web-api.ts'
import { StoreError } from '../stores/store-error.ts'
import type { StoredWebSettings, WebSettingsStore } from '../stores/web-settings.ts'
import { type IssueTicket, notFound, serveAssets } from './asset-route.ts'
import type { AssetSource } from './assets.ts'
import { readJsonBody } from './json-body.ts'
import { answerRefusal } from './refusal-page.ts'

/** The console's own, as src/web-worker is built. */
const WORKER = '/sw.js'

// A service worker outlives the server that gave it out: a program that once had this port, or an older hookline, may have left
// one in the browser, which would go on answering in our name. Browsers ask the server for a worker's script anew at every visit, past all
// workers and caches; for any but our own the answer is this one, which takes itself away and what it kept.
const LEAVING_WORKER = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(leave()))
async function leave() {
  for (const name of await caches.keys()) await caches.delete(name)
  await self.registration.unregister()
  for (const page of await self.clients.matchAll({ type: 'window' })) await page.navigate(page.url).catch(() => {})
}
`

export interface WebAppPorts {
  readonly settings: WebSettingsStore
  readonly assets: AssetSource
  readonly issueTicket: IssueTicket
  /** Whether another user of this machine asks. */
  readonly isStranger: (context: Context) => Promise<boolean>
  /** A request could not be answered: a `StoreError` is for the operator to fix, anything else is a bug. */
  readonly onFailure: (error: Error) => void
}

export function createWebApp({ settings, assets, issueTicket, isStranger, onFailure }: WebAppPorts): Hono {
  const app = new Hono()

  app.use(async (context, next) => {
    const { path } = context.req
    if (context.req.header('service-worker') !== 'script') return next()
    // A worker of another make would answer in place of this server.
    const own = path === WORKER ? await assets.find(path) : undefined
    return context.body(own?.bytes ?? LEAVING_WORKER, 200, {
      'Content-Type': 'text/javascript',
      'Cache-Control': 'no-store',
    })
  })
  app.use('/api/*', async (context, next) => {
    const isRead = context.req.method === 'GET' || context.req.method === 'HEAD'
    // Who fills the record keeps this user's browsers out of it.
    if (!isRead && (await isStranger(context))) throw new HTTPException(403, { message: 'forbidden' })
    await next()
    context.header('Cache-Control', 'no-store')
  })
  app.post('/api/cli/checkin', async (context) => {
    const { platform, listenerId, version } = await readJsonBody(context, checkInBody)
    await settings.checkIn(platform, { listenerId, version })
    return context.body(null, 204)
  })
  app.get('/api/settings', (context) => context.json(settingsAnswer(settings.read())))
  app.patch('/api/settings', async (context) => {
    const { trustedListenerIds } = await readJsonBody(context, settingsPatch)
    return context.json(settingsAnswer(await settings.trust(trustedListenerIds)))
  })
  serveAssets(app, assets, issueTicket)

  app.notFound(notFound)
  app.onError((error, context) => {
    if (error instanceof HTTPException)
      return answerRefusal(context, error.status as ContentfulStatusCode, { error: error.message })
    if (error instanceof StoreError && error.code === 'invalid-value')
      return answerRefusal(context, 400, { error: error.message })
    onFailure(error)
    return answerRefusal(context, 500, { error: 'failed; see the terminal of `hookline web`' })
  })
  return app
}

/** That there is a listener, and on which devices it is trusted; never which one. */
export function settingsAnswer({ cli, trustedListenerIds }: StoredWebSettings): WebSettings {
  const checkins = Object.entries(cli.checkins).map(([platform, { at, version }]) => [platform, { at, version }])
  return {
    cli: { checkins: Object.fromEntries(checkins) },
    trustedOn: Object.keys(trustedListenerIds),
    now: Date.now(),
  }
}
