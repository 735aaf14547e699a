// The routes of a hosted console: as for one person, but behind a sign-in and with a record for each user. A request that gets here has passed
// hosted-guard.ts.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Hono } from 'hono/tiny'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { notFound, serveAssets } from '../web-server/asset-route.ts'
import { answerRefusal, wantsPage } from '../web-server/refusal-page.ts'
import { HEALTH_PATH, isFromOwnPage } from './hosted-guard.ts'
import { HostingError, type HostingErrorCode } from './hosting-error.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { type HostedAppPorts, RETRY, type RoutePorts } from './route-ports.ts'
import { Sessions } from './sessions.ts'
import { addCheckInRoutes, addSettingsRoutes } from './settings-routes.ts'
import { addSignInRoutes } from './sign-in-routes.ts'
import { StatementTurns } from './statement-turns.ts'
import { SettingsRecord } from './user-settings.ts'

export function createHostedApp({ database, databaseConnections: connections, ...ports }: HostedAppPorts): Hono {
  const app = new Hono()
  const { cookies, askers } = ports
  const turns = new StatementTurns(database, { connections })
  const routes: RoutePorts = {
    ...ports,
    turns,
    async requireUser(context) {
      const token = cookies.session.read(context.req.header('cookie'))
      if (token === undefined) throw notSignedIn()
      // Who has asked with it before is counted before the database is asked anything.
      const owner = askers.ownerOf(token)
      const asker = owner === undefined ? askers.visitor(context) : askers.admit(context, owner)
      const user = await new Sessions(turns.of(asker)).find(token)
      if (user?.person !== owner) askers.noteOwner(token, user?.person)
      if (user === undefined) throw notSignedIn()
      const share = turns.of(owner === user.person ? asker : askers.admit(context, user.person))
      return { ...user, sessions: new Sessions(share), record: new SettingsRecord(share) }
    },
  }
  limitRequests(app, ports)
  addHealthRoute(app, turns)
  addSignInRoutes(app, routes)
  addCheckInRoutes(app, routes)
  addSettingsRoutes(app, routes)
  serveAssets(app, ports.assets)
  app.notFound(notFound)
  app.onError((error, context) => answerFailure(error, context, ports.onFailure))
  return app
}

function notSignedIn(): HTTPException {
  return new HTTPException(401, { message: 'not signed in' })
}

/** Asks the database, by a share of its own. */
function addHealthRoute(app: Hono, turns: StatementTurns): void {
  const share = turns.of({ kind: 'person', name: HEALTH_PATH })
  let health: { readonly at: number; readonly asked: Promise<unknown> } | undefined
  app.get(HEALTH_PATH, async (context) => {
    const now = performance.now()
    if (health === undefined || now - health.at >= HOSTING_LIMITS.healthMs)
      health = { at: now, asked: share.query('SELECT 1') }
    await health.asked
    return context.json({ ok: true })
  })
}

/** Before any route but that of files: no cache, no flood, and no change that another site's page has asked for. */
function limitRequests(app: Hono, { askers, late }: Pick<HostedAppPorts, 'askers' | 'late'>): void {
  const delayRefusal = async (context: Context, next: () => Promise<void>) => {
    await next()
    const { outgoing } = context.env as HttpBindings
    if (context.res.status === 429) await late.wait(outgoing)
  }
  const limit = async (context: Context, next: () => Promise<void>) => {
    context.header('Cache-Control', 'no-store')
    const wait = askers.waitOf(askers.addressOf(context))
    if (wait !== undefined) {
      context.header('Retry-After', String(wait))
      return answerRefusal(context, 429, { error: 'too many requests' })
    }
    const isRead = context.req.method === 'GET' || context.req.method === 'HEAD'
    const { origin, 'sec-fetch-site': site } = context.req.header()
    // A command line sends no cookie, so that no other page can use it in a person's name.
    const isOurs = context.req.path === '/api/cli/checkin' || isFromOwnPage(origin, site)
    if (!isRead && !isOurs) throw new HTTPException(403, { message: 'forbidden' })
    return next()
  }
  app.use('/api/*', delayRefusal, limit)
  app.use('/auth/*', delayRefusal, limit)
}

/** What passes by itself. */
const UNAVAILABLE: Partial<Record<HostingErrorCode, string>> = {
  'provider-gone': 'the sign-in service does not answer',
  'client-refused': 'the sign-in service does not accept this console',
  'database-read-only': 'the database takes no changes now',
  'database-busy': 'the database is busy',
}

const DATABASE_GONE = 'the database does not answer'

function answerFailure(error: Error, context: Context, onFailure: HostedAppPorts['onFailure']): Response {
  const retry: string | undefined = context.get(RETRY)
  const refuse = (status: ContentfulStatusCode, reason: string, shown = reason) => {
    const error = wantsPage(context.req.header()) ? shown : reason
    return answerRefusal(context, status, retry === undefined ? { error } : { error, retry })
  }
  if (error instanceof HTTPException) return refuse(error.status as ContentfulStatusCode, error.message)
  if (error instanceof HostingError && error.code === 'too-many') return refuse(400, error.message)
  if (error instanceof HostingError && error.code === 'too-many-waiting') {
    context.header('Retry-After', '1')
    return refuse(429, error.message)
  }
  onFailure(error)
  if (!(error instanceof HostingError)) return refuse(500, 'failed; see the server’s log', 'this console has failed')
  context.header('Retry-After', '5')
  const fact = UNAVAILABLE[error.code] ?? DATABASE_GONE
  return refuse(503, `${fact}; try again`, fact)
}
