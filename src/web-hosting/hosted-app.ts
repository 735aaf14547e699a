// The routes of a hosted console: as for one person, but behind a sign-in and with a record for each user. A request that gets here has passed
// hosted-guard.ts.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import { notFound, serveAssets } from '../web-server/asset-route.ts'
import { SenderPlaces } from '../web-server/front.ts'
import { clientAddress, type TrustedProxies } from './client-address.ts'
import { createCookies } from './cookies.ts'
import { HEALTH_PATH, isFromOwnPage } from './hosted-guard.ts'
import { HostingError, type HostingErrorCode } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { createRequestRate } from './request-rate.ts'
import type { HostedAppPorts, RoutePorts } from './route-ports.ts'
import { Sessions } from './sessions.ts'
import { addCheckInRoutes, addSettingsRoutes } from './settings-routes.ts'
import { addSignInRoutes } from './sign-in-routes.ts'
import { SettingsRecord } from './user-settings.ts'

export function createHostedApp(ports: HostedAppPorts): Hono {
  const app = new Hono()
  const sessions = new Sessions(ports.database)
  const cookies = createCookies(ports.publicUrl.protocol === 'https:')
  const { burst, perSecond, addresses, requestsOfPerson, healthMs } = HOSTING_LIMITS
  const rate = createRequestRate({ burst, perSecond, addresses, now: () => performance.now() })
  const places = new SenderPlaces(requestsOfPerson)
  const routes: RoutePorts = {
    ...{ ...ports, sessions, cookies, record: new SettingsRecord(ports.database) },
    async requireUser(context) {
      const token = cookies.session.read(context.req.header('cookie'))
      const user = token === undefined ? undefined : await sessions.find(token)
      if (user === undefined) throw new HTTPException(401, { message: 'not signed in' })
      // For all addresses and browsers of one person together.
      const { outgoing } = context.env as HttpBindings
      const wait = places.take(user.userId, outgoing) ? rate(user.userId) : 1
      if (wait === undefined) return user
      context.header('Retry-After', String(wait))
      throw new HTTPException(429, { message: 'too many requests' })
    },
  }
  limitRequests(app, ports.trustedProxies)
  let health: { readonly at: number; readonly asked: Promise<unknown> } | undefined
  app.get(HEALTH_PATH, async (context) => {
    const now = performance.now()
    if (health === undefined || now - health.at >= healthMs)
      health = { at: now, asked: ports.database.query('SELECT 1') }
    await health.asked
    return context.json({ ok: true })
  })
  addSignInRoutes(app, routes)
  addCheckInRoutes(app, routes)
  addSettingsRoutes(app, routes)
  serveAssets(app, ports.assets)
  app.notFound(notFound)
  app.onError((error, context) => answerFailure(error, context, ports.onFailure))
  return app
}

/** Before any route but that of files: no cache, no flood, and no change that another site's page has asked for. */
function limitRequests(app: Hono, trusted: TrustedProxies): void {
  const { burst, perSecond, addresses } = HOSTING_LIMITS
  const rate = createRequestRate({ burst, perSecond, addresses, now: () => performance.now() })
  const limit = async (context: Context, next: () => Promise<void>) => {
    context.header('Cache-Control', 'no-store')
    const { incoming } = context.env as HttpBindings
    const wait = rate(clientAddress(incoming.socket.remoteAddress, context.req.header('x-forwarded-for'), trusted))
    if (wait !== undefined) {
      context.header('Retry-After', String(wait))
      return context.json({ ok: false, error: 'too many requests' }, 429)
    }
    const isRead = context.req.method === 'GET' || context.req.method === 'HEAD'
    const { origin, 'sec-fetch-site': site } = context.req.header()
    // A command line sends no cookie, so that no other page can use it in a person's name.
    const isOurs = context.req.path === '/api/cli/checkin' || isFromOwnPage(origin, site)
    if (!isRead && !isOurs) throw new HTTPException(403, { message: 'forbidden' })
    return next()
  }
  app.use('/api/*', limit)
  app.use('/auth/*', limit)
}

const UNAVAILABLE: Partial<Record<HostingErrorCode, string>> = {
  'provider-gone': 'the sign-in service does not answer',
  'client-refused': 'the sign-in service does not accept this console',
  'database-read-only': 'the database takes no changes now',
}

function answerFailure(error: Error, context: Context, onFailure: HostedAppPorts['onFailure']): Response {
  context.header('Cache-Control', 'no-store')
  if (error instanceof HTTPException) return context.json({ ok: false, error: error.message }, error.status)
  if (error instanceof HostingError && error.code === 'too-many')
    return context.json({ ok: false, error: error.message }, 400)
  onFailure(error)
  if (!(error instanceof HostingError)) return context.json({ ok: false, error: 'failed; see the server’s log' }, 500)
  context.header('Retry-After', '5')
  return context.json(
    { ok: false, error: `${UNAVAILABLE[error.code] ?? 'the database does not answer'}; try again` },
    503,
  )
}
