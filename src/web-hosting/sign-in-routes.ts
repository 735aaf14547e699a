// Sign-in by code flow, and its end. A browser that leaves for the sign-in service takes a secret of its own along, and only that browser can
// come back for a session (login CSRF).
import type { Context } from 'hono'
import type { Hono } from 'hono/tiny'
import { isConsolePage } from '../protocol/console-pages.ts'
import { browserLabel } from './browser-label.ts'
import { CALLBACK_PATH } from './hosted-guard.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { SignInRefused } from './provider.ts'
import type { RoutePorts } from './route-ports.ts'
import { isSecret, newSecret } from './secrets.ts'

/** In the address of the page that is shown after a sign-in that failed: what happened, as a word. */
type Outcome = 'denied' | 'invalid' | 'expired'

export function addSignInRoutes(app: Hono, ports: RoutePorts): void {
  const { provider, sessions, cookies } = ports
  app.get('/auth/sign-in', async (context) => {
    const departure = await provider.depart()
    // One browser may leave by several tabs: each comes back.
    const browser = cookies.departure.read(context.req.header('cookie')) ?? newSecret()
    const returnTo = safePath(context.req.query('return'))
    await sessions.beginSignIn(departure.state, browser, { ...departure, returnTo })
    context.header('Set-Cookie', cookies.departure.set(browser, HOSTING_LIMITS.signInSeconds))
    return context.redirect(departure.url.href, 302)
  })
  app.get(CALLBACK_PATH, (context) => arrive(context, ports))
  app.post('/auth/sign-out', async (context) => {
    const user = await ports.requireUser(context)
    await sessions.end(user.userId, user.sessionId)
    context.header('Set-Cookie', cookies.session.clear)
    // What the page deletes itself, also where its program does not come to it.
    context.header('Clear-Site-Data', '"storage"')
    return context.body(null, 204)
  })
}

async function arrive(
  context: Context,
  { provider, sessions, cookies, publicUrl, onRefused }: RoutePorts,
): Promise<Response> {
  const header = context.req.header('cookie')
  const browser = cookies.departure.read(header)
  const state = context.req.query('state')
  const pending = browser !== undefined && isSecret(state) ? await sessions.takeSignIn(state, browser) : undefined
  // Any site can lead a browser here: what does not belong to a sign-in of its own ends none.
  if (pending === undefined || !isSecret(state)) return failed(context, 'expired')
  context.header('Set-Cookie', cookies.departure.clear)
  const { search } = new URL(context.req.url)
  try {
    const identity = await provider.arrive(new URL(CALLBACK_PATH + search, publicUrl), { ...pending, state })
    const label = browserLabel(context.req.header('user-agent'))
    const token = await sessions.begin(identity, label, cookies.session.read(header))
    context.header('Set-Cookie', cookies.session.set(token, HOSTING_LIMITS.sessionSeconds), { append: true })
    return context.redirect(pending.returnTo, 303)
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    const { cause } = error
    onRefused(`a sign-in: ${cause instanceof Error ? cause.message : error.message}`)
    return failed(context, error.why)
  }
}

function failed(context: Context, outcome: Outcome): Response {
  return context.redirect(`/?sign-in=${outcome}`, 303)
}

/** Only a page of this console; anything else is its front page. */
function safePath(path = '/'): string {
  const [page = ''] = path.split(/[?#]/, 1)
  return path.length <= 200 && /^\/(?![/\\])[\w/.:-]*$/.test(page) && isConsolePage(page) ? page : '/'
}
