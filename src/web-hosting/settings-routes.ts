// The settings record of the user who asks, and the check-in of a command line that is signed in.
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Hono } from 'hono/tiny'
import * as z from 'zod/mini'
import { checkInBody, layoutName, listenerBody, settingsPatch, type WebSettings } from '../protocol/web-api.ts'
import { readJsonBody } from '../web-server/json-body.ts'
import { HOSTING_LIMITS } from './hosting-limits.ts'
import type { RoutePorts, User } from './route-ports.ts'
import { SettingsRecord, type UserSettings } from './user-settings.ts'
import { type Identity, personOf } from './users.ts'

export function addCheckInRoutes(app: Hono, { provider, askers, turns }: RoutePorts): void {
  const recordOf = (context: Context, identity: Identity) =>
    new SettingsRecord(turns.of(askers.admit(context, personOf(identity))))
  const identify = async (context: Context): Promise<Identity> => {
    const [, token] = /^Bearer ([\w.~+/=-]+)$/i.exec(context.req.header('authorization') ?? '') ?? []
    const identity = token === undefined ? undefined : await provider.verify(token)
    if (identity !== undefined) return identity
    context.header('WWW-Authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"')
    throw new HTTPException(401, { message: 'sign in with `hookline login`' })
  }
  app.post('/api/cli/checkin', async (context) => {
    const identity = await identify(context)
    const record = recordOf(context, identity)
    await record.checkIn(identity, await readJsonBody(context, checkInBody))
    return context.body(null, 204)
  })
  app.delete('/api/cli/checkin', async (context) => {
    const identity = await identify(context)
    const record = recordOf(context, identity)
    const { listenerId } = await readJsonBody(context, listenerBody)
    await record.forgetListener(identity, listenerId)
    return context.body(null, 204)
  })
}

export function addSettingsRoutes(app: Hono, { cookies, requireUser }: RoutePorts): void {
  const answer = async (context: Context, { userId, email, record }: User) =>
    context.json(settingsAnswer(await record.read(userId), { email, id: userId }))
  app.get('/api/settings', async (context) => answer(context, await requireUser(context)))
  app.patch('/api/settings', async (context) => {
    const user = await requireUser(context)
    const { trustedListenerIds, account } = await readJsonBody(context, settingsPatch)
    if (account !== undefined && account !== user.userId)
      throw new HTTPException(409, { message: 'another user is signed in by now' })
    if (!(await user.record.trust(user.userId, user.sessionId, trustedListenerIds)))
      throw new HTTPException(401, { message: 'not signed in' })
    return answer(context, user)
  })
  app.get('/api/devices', async (context) => {
    const { userId, sessionId, sessions, record } = await requireUser(context)
    const [browsers, { machines }] = [await sessions.list(userId), await record.read(userId)]
    return context.json({ browsers: browsers.map((each) => ({ ...each, isThis: each.id === sessionId })), machines })
  })
  app.delete('/api/devices/:id', async (context) => {
    const { userId, sessionId, sessions, record } = await requireUser(context)
    const id = context.req.param('id')
    const isKnown =
      z.uuid().safeParse(id).success && ((await sessions.end(userId, id)) || (await record.removeMachine(userId, id)))
    if (!isKnown) throw new HTTPException(404, { message: 'no such device' })
    if (id === sessionId) context.header('Set-Cookie', cookies.session.clear)
    return context.body(null, 204)
  })
  addLayoutRoutes(app, requireUser)
}

function addLayoutRoutes(app: Hono, requireUser: RoutePorts['requireUser']): void {
  app.get('/api/layouts', async (context) => {
    const { userId, record } = await requireUser(context)
    return context.json(await record.layouts(userId))
  })
  app.put('/api/layouts/:name', async (context) => {
    const { userId, record } = await requireUser(context)
    const content = await readJsonBody(context, z.unknown())
    const text = JSON.stringify(content)
    if (Buffer.byteLength(text) > HOSTING_LIMITS.layoutBytes)
      throw new HTTPException(413, { message: `a layout is over ${HOSTING_LIMITS.layoutBytes} bytes` })
    // Neither is a character to PostgreSQL; JSON.stringify writes both as escapes.
    if (/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(text))
      throw new HTTPException(400, { message: 'a layout has no U+0000 and no half of a surrogate pair' })
    if (!(await record.keepLayout(userId, nameOf(context), content)))
      throw new HTTPException(400, { message: `there are ${HOSTING_LIMITS.layouts} layouts already` })
    return context.body(null, 204)
  })
  app.delete('/api/layouts/:name', async (context) => {
    const { userId, record } = await requireUser(context)
    await record.removeLayout(userId, nameOf(context))
    return context.body(null, 204)
  })
}

function nameOf(context: Context): string {
  const name = context.req.param('name')
  if (!layoutName.safeParse(name).success) throw new HTTPException(400, { message: 'the layout’s name is not valid' })
  return name as string
}

/** Of each platform the machine seen last. */
function settingsAnswer(
  { machines, trustedOn, now }: UserSettings,
  account: NonNullable<WebSettings['account']>,
): WebSettings {
  const latest = machines.toReversed().map(({ platform, seenAt, version }) => [platform, { at: seenAt, version }])
  return { cli: { checkins: Object.fromEntries(latest) }, trustedOn: [...trustedOn], now, account }
}
