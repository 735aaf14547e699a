// Sign-in by code flow, and its end. A browser that leaves for the sign-in service takes a secret of its own along, and only that browser can
// come back for a session (login CSRF).
import type { Context } from 'hono'
import type { Hono } from 'hono/tiny'
import { isConsolePage } from '../protocol/console.ts'
import { CALLBACK_PATH } from './hosted-guard.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import { SignInRefused } from './provider.ts'
import { RETRY, type RoutePorts } from './route-ports.ts'
import { isSecret, newSecret } from './secrets.ts'
import { Sessions } from './sessions.ts'
import { personOf } from './users.ts'

const SIGN_IN_PATH = '/auth/sign-in'
/** Of a page's address that a sign-in comes back to. */
const MAX_RETURN = 2_000

/** In the address of the page that is shown after a sign-in that failed: what happened, as a word. */
type Outcome = 'denied' | 'invalid' | 'expired'

export function addSignInRoutes(app: Hono, ports: RoutePorts): void {
  const { provider, cookies, askers, turns } = ports
  app.get(SIGN_IN_PATH, async (context) => {
    const departure = await provider.depart()
    // One browser may leave by several tabs: each comes back.
    const browser = cookies.departure.read(context.req.header('cookie')) ?? newSecret()
    const returnTo = safePath(context.req.query('return'))
    const sessions = new Sessions(turns.of(askers.stranger(context)))
    await sessions.beginSignIn(departure.state, browser, { ...departure, returnTo })
    context.header('Set-Cookie', cookies.departure.set(browser, HOSTING_LIMITS.signInKeptSeconds))
    return context.redirect(departure.url.href, 302)
  })
  app.get(CALLBACK_PATH, (context) => arrive(context, ports))
  app.post('/auth/sign-out', async (context) => {
    const { userId, sessionId, sessions } = await ports.requireUser(context)
    await sessions.end(userId, sessionId)
    context.header('Set-Cookie', cookies.session.clear)
    // What the page deletes itself, also where its program does not come to it.
    context.header('Clear-Site-Data', '"storage"')
    return context.body(null, 204)
  })
}

async function arrive(
  context: Context,
  { provider, askers, turns, cookies, publicUrl, onRefused }: RoutePorts,
): Promise<Response> {
  const header = context.req.header('cookie')
  const browser = cookies.departure.read(header)
  const state = context.req.query('state')
  const sessions = new Sessions(turns.of(askers.stranger(context)))
  const pending = browser !== undefined && isSecret(state) ? await sessions.takeSignIn(state, browser) : undefined
  // Any site can lead a browser here: what does not belong to a sign-in of its own ends none.
  if (pending === undefined || !isSecret(state)) return failed(context, 'expired')
  const { returnTo } = pending
  context.header('Set-Cookie', cookies.departure.clear)
  if (pending.isOver) return failed(context, 'expired', returnTo)
  // What brought the browser here serves once.
  context.set(RETRY, `${SIGN_IN_PATH}?return=${encodeURIComponent(returnTo)}`)
  const { search } = new URL(context.req.url)
  try {
    const identity = await provider.arrive(new URL(CALLBACK_PATH + search, publicUrl), { ...pending, state })
    const label = browserLabel(context.req.header('user-agent'))
    const own = new Sessions(turns.of({ kind: 'person', name: personOf(identity) }))
    const token = await own.begin(identity, label, cookies.session.read(header))
    context.header('Set-Cookie', cookies.session.set(token, HOSTING_LIMITS.sessionSeconds), { append: true })
    return context.redirect(returnTo, 303)
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    const { cause } = error
    onRefused(`a sign-in: ${cause instanceof Error ? cause.message : error.message}`)
    return failed(context, error.why, returnTo)
  }
}

/** @param returnTo as `safePath` says */
function failed(context: Context, outcome: Outcome, returnTo = '/'): Response {
  const { pathname, searchParams } = new URL(returnTo, ANY_ORIGIN)
  searchParams.set('sign-in', outcome)
  return context.redirect(`${pathname}?${searchParams}`, 303)
}

const ANY_ORIGIN = 'https://console.invalid'

/** Only a page of this console; anything else is its front page. */
function safePath(path = '/'): string {
  if (path.length > MAX_RETURN || !/^\/(?![/\\])[\w/.:-]*(?:[?#]|$)/.test(path)) return '/'
  // Without what a header cannot hold.
  const { pathname, search, hash } = new URL(path, ANY_ORIGIN)
  return isConsolePage(pathname) ? pathname + search + hash : '/'
}

// What a browser is called in the list of devices: its name and its system, as it says itself.
const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bLinux\b/, 'Linux'],
]

/** @param agent of `User-Agent`: nothing of it is repeated @returns as `Firefox on Linux` */
export function browserLabel(agent = ''): string {
  const [browser = 'A browser', system] = [BROWSERS, SYSTEMS].map(
    (table) => table.find(([mark]) => mark.test(agent))?.[1],
  )
  return system === undefined ? browser : `${browser} on ${system}`
}
