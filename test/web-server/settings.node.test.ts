import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canBeAnotherUser, sendAsAnotherUser } from '../../harness/process/other-user.ts'
import { defined } from '../../src/base/defined.ts'
import { checkIn } from '../../src/checkin/check-in.ts'
import { webSettings } from '../../src/protocol/web-api.ts'
import { WEB_SERVER_LIMITS } from '../../src/web-server/web-server-limits.ts'
import { CHECK_IN, LISTENER_ID, OTHER_ID, type Serving, serve } from './serving.ts'

/** By the server's own clock. */
const now = expect.any(Number)
const NOTHING = { cli: { checkins: {} }, trustedOn: [], now }

interface Stored {
  readonly cli?: { readonly checkins: unknown }
  readonly trustedListenerIds?: unknown
}

test('no answer tells a listenerId: whoever is on this machine may ask (behaviour 48)', async () => {
  const serving = await serve()
  const answers = [
    await serving.send('POST', '/api/cli/checkin', CHECK_IN),
    await trust(serving, { laptop: OTHER_ID }),
    await serving.ask('/api/settings'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([204, 200, 200])
  for (const { body } of answers) for (const id of [LISTENER_ID, OTHER_ID]) expect(body).not.toContain(id)
  expect(JSON.stringify(serving.stored())).toContain(LISTENER_ID)
})

test.runIf(canBeAnotherUser).for(['127.0.0.1', '::1'])(
  'another user of this machine changes nothing of the record, at %s',
  async (host, { skip }) => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    if (!own.some(({ address }) => address === host)) skip('this machine has no IPv6')
    const { server, directory } = await serve()
    for (const [head, value] of [
      ['PATCH /api/settings', { trustedListenerIds: { laptop: OTHER_ID } }],
      ['POST /api/cli/checkin', CHECK_IN],
    ] as const) {
      const body = JSON.stringify(value)
      const lines = [`Host: 127.0.0.1:${server.port}`, 'Content-Type: application/json', 'Connection: close']
      const bytes = [`${head} HTTP/1.1`, ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')
      expect(await sendAsAnotherUser(Buffer.from(bytes), { port: server.port, host })).toMatch(/^HTTP\/1\.1 403 /)
    }
    expect(existsSync(join(directory, 'web-settings.json'))).toBe(false)
  },
)

async function settingsOf({ ask }: Serving) {
  const { status, headers, body } = await ask('/api/settings')
  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  return webSettings.parse(JSON.parse(body))
}

function trust({ send }: Serving, trustedListenerIds: unknown) {
  return send('PATCH', '/api/settings', { trustedListenerIds })
}

describe('a check-in', () => {
  test('of the real command line is in the settings', async () => {
    const serving = await serve()
    const from = Date.now()
    const { url } = serving.server
    await expect(checkIn({ ...CHECK_IN, webUrl: url })).resolves.toEqual({ outcome: 'sent' })
    const { cli, trustedOn } = await settingsOf(serving)
    const { linux } = cli.checkins
    expect(cli.checkins).toEqual({ linux: { at: expect.any(Number), version: '1.2.3' } })
    expect(linux?.at).toBeGreaterThanOrEqual(from)
    expect(linux?.at).toBeLessThanOrEqual(Date.now())
    expect(trustedOn).toEqual([])
    expect(serving.stored()).toEqual({ cli: { checkins: { linux: { ...linux, listenerId: LISTENER_ID } } } })
    expect(statSync(join(serving.directory, 'web-settings.json')).mode & 0o777).toBe(0o600)
  })

  test('replaces the one before from that platform, and no other', async () => {
    const serving = await serve()
    for (const platform of ['darwin', 'win32', 'linux'])
      expect((await serving.send('POST', '/api/cli/checkin', { ...CHECK_IN, platform })).status).toBe(204)
    await serving.send('POST', '/api/cli/checkin', { platform: 'win32', listenerId: OTHER_ID, version: '2.0.0-rc.1+b' })
    expect((await settingsOf(serving)).cli.checkins).toMatchObject({ win32: { version: '2.0.0-rc.1+b' } })
    expect((serving.stored() as Stored).cli?.checkins).toMatchObject({
      darwin: { listenerId: LISTENER_ID, version: '1.2.3' },
      win32: { listenerId: OTHER_ID, version: '2.0.0-rc.1+b' },
      linux: { listenerId: LISTENER_ID, version: '1.2.3' },
    })
  })

  test('may say more than we know, which is not kept', async () => {
    const serving = await serve()
    const said = { ...CHECK_IN, token: 'secret', at: 1 }
    expect((await serving.send('POST', '/api/cli/checkin', said)).status).toBe(204)
    expect(JSON.stringify(serving.stored())).not.toContain('secret')
    expect((await settingsOf(serving)).cli.checkins.linux?.at).toBeGreaterThan(1)
  })

  test.each<[string, unknown]>([
    ['`platform`', { ...CHECK_IN, platform: 'freebsd' }],
    ['`platform`', { ...CHECK_IN, platform: '__proto__' }],
    ['`platform`', { ...CHECK_IN, platform: ['linux'] }],
    ['`platform`', { listenerId: LISTENER_ID, version: '1' }],
    ['`listenerId`', { ...CHECK_IN, listenerId: 'me' }],
    ['`listenerId`', { ...CHECK_IN, listenerId: undefined }],
    ['`version`', { ...CHECK_IN, version: '' }],
    ['`version`', { ...CHECK_IN, version: '<script>' }],
    ['`version`', { ...CHECK_IN, version: '1'.repeat(65) }],
    ['`version`', { ...CHECK_IN, version: 1 }],
  ])('with a bad %s gets 400 and changes nothing: %j', async (field, said) => {
    const serving = await serve()
    const { status, body } = await serving.send('POST', '/api/cli/checkin', said)
    expect([status, JSON.parse(body)]).toEqual([400, { ok: false, error: `${field} is not valid` }])
    expect(await settingsOf(serving)).toEqual(NOTHING)
  })
})

describe('trust', () => {
  test('is set, changed and forgotten, device by device, beside the check-ins', async () => {
    const serving = await serve()
    await serving.send('POST', '/api/cli/checkin', CHECK_IN)
    const { cli } = await settingsOf(serving)
    const steps = [
      [{ laptop: LISTENER_ID }, { laptop: LISTENER_ID }],
      [
        { 'b7:phone_2.x': OTHER_ID, none: null },
        { laptop: LISTENER_ID, 'b7:phone_2.x': OTHER_ID },
      ],
      [{ laptop: OTHER_ID }, { laptop: OTHER_ID, 'b7:phone_2.x': OTHER_ID }],
      [{}, { laptop: OTHER_ID, 'b7:phone_2.x': OTHER_ID }],
      [{ laptop: null }, { 'b7:phone_2.x': OTHER_ID }],
    ]
    for (const [change, expected] of steps) {
      const { status, body } = await trust(serving, change)
      const trustedOn = expect.arrayContaining(Object.keys(expected as object))
      expect([status, JSON.parse(body)]).toEqual([200, { cli, trustedOn, now }])
      expect(await settingsOf(serving)).toEqual({ cli, trustedOn, now })
      expect((serving.stored() as Stored).trustedListenerIds).toEqual(expected)
    }
  })

  test.each(['constructor', 'toString', 'hasOwnProperty', '0'])(
    'of a device called %s is like any other',
    async (device) => {
      const serving = await serve()
      await trust(serving, { [device]: LISTENER_ID })
      expect((await settingsOf(serving)).trustedOn).toEqual([device])
      await trust(serving, { [device]: null })
      expect((await settingsOf(serving)).trustedOn).toEqual([])
    },
  )

  test('of 100 devices at once, each by its own request, is all kept', async () => {
    const serving = await serve()
    const devices = Array.from({ length: 100 }, (_, index) => `device-${index}`)
    const answers = await Promise.all(devices.map((device) => trust(serving, { [device]: LISTENER_ID })))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect((await settingsOf(serving)).trustedOn.toSorted()).toEqual(devices.toSorted())
  })

  test('ends at 256 devices', async () => {
    const serving = await serve()
    const devices = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`device-${from + index}`, LISTENER_ID]))
    for (let from = 0; from < 256; from += 32) expect((await trust(serving, devices(from, 32))).status).toBe(200)
    expect((await trust(serving, devices(0, 33))).status).toBe(400)
    const { status, body } = await trust(serving, { more: LISTENER_ID })
    expect([status, JSON.parse(body).error]).toEqual([400, 'there are 256 devices with a trusted listener already'])
    expect((await trust(serving, { more: LISTENER_ID, 'device-0': null })).status).toBe(200)
    expect(serving.failures).toEqual([])
  })

  test.each<[string, unknown]>([
    ['missing or unexpected fields', { trustedListenerIds: {}, cli: { checkins: {} } }],
    ['missing or unexpected fields', { trustedListenerIds: {}, theme: 'dark' }],
    ['missing or unexpected fields', []],
    ['missing or unexpected fields', null],
    ['missing or unexpected fields', 'laptop'],
    ['missing or unexpected fields', 7],
    ['`trustedListenerIds` is not valid', {}],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: null }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: [LISTENER_ID] }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { laptop: 'me' } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { laptop: true } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { laptop: { id: LISTENER_ID } } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { '': LISTENER_ID } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { 'a b': LISTENER_ID } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { '<b>': LISTENER_ID } }],
    ['`trustedListenerIds` is not valid', { trustedListenerIds: { ['x'.repeat(65)]: LISTENER_ID } }],
  ])('is not what the body asks for: %s: %j', async (error, body) => {
    const serving = await serve()
    await trust(serving, { laptop: LISTENER_ID })
    const answer = await serving.send('PATCH', '/api/settings', body)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { ok: false, error }])
    expect((serving.stored() as Stored).trustedListenerIds).toEqual({ laptop: LISTENER_ID })
  })
})

describe.each([
  ['POST', '/api/cli/checkin', JSON.stringify(CHECK_IN)],
  ['PATCH', '/api/settings', JSON.stringify({ trustedListenerIds: { laptop: LISTENER_ID } })],
] as const)('%s %s', (method, path, good) => {
  const JSON_TYPE = { 'Content-Type': 'application/json' }
  const { bodyBytes } = WEB_SERVER_LIMITS
  const padded = (bytes: number) => good + ' '.repeat(bytes - good.length)

  test.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json ;x=y'])(
    'takes %s',
    async (type) => {
      const { ask } = await serve()
      expect((await ask(path, { method, headers: { 'Content-Type': type }, body: good })).status).toBeLessThan(300)
    },
  )

  test.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'text/json',
  ])('gets 415 as "%s", which a page could send without asking', async (type) => {
    const serving = await serve()
    const headers = defined({ 'Content-Type': type })
    expect((await serving.ask(path, { method, headers, body: good })).status).toBe(415)
    expect(await settingsOf(serving)).toEqual(NOTHING)
  })

  test.each<[string, string | Buffer]>([
    ['nothing', ' '],
    ['no JSON', 'hello'],
    ['JSON and more', `${good}}`],
    ['half of it', good.slice(0, -1)],
    ['two of them', good + good],
    ['a comment', `${good}//`],
    ['a byte that is not UTF-8', Buffer.from(good.replace('l', 'é'), 'latin1')],
    ['a NaN', 'NaN'],
    ['a prototype', good.replace('{', '{"__proto__":{"admin":true},')],
    ['a prototype further in', `{"trustedListenerIds":{"__proto__":"${LISTENER_ID}"},"platform":{"__proto__":1}}`],
    ['a prototype in disguise', good.replace('{', '{"\\u005f_proto__":{},')],
  ])('gets 400 for %s', async (_what, body) => {
    const serving = await serve()
    const answer = await serving.ask(path, { method, headers: JSON_TYPE, body })
    expect([answer.status, JSON.parse(answer.body)]).toEqual([400, { ok: false, error: 'the body is not JSON' }])
    expect(await settingsOf(serving)).toEqual(NOTHING)
    expect(({} as { admin?: unknown }).admin).toBeUndefined()
  })

  test.each([
    ['lists', '['.repeat(bodyBytes / 2) + ']'.repeat(bodyBytes / 2)],
    ['open lists', '['.repeat(bodyBytes)],
    ['objects', `${'{"a":'.repeat(2_700)}1${'}'.repeat(2_700)}`],
  ])('gets 400 for the deepest %s', async (_what, body) => {
    const { ask, failures } = await serve()
    expect((await ask(path, { method, headers: JSON_TYPE, body })).status).toBe(400)
    expect(failures).toEqual([])
  })

  test(`takes ${bodyBytes} bytes and not one more`, async () => {
    const { ask } = await serve()
    expect((await ask(path, { method, headers: JSON_TYPE, body: padded(bodyBytes) })).status).toBeLessThan(300)
    expect((await ask(path, { method, headers: JSON_TYPE, body: padded(bodyBytes + 1) })).status).toBe(413)
  })

  test('gets 411 for a body in chunks', async () => {
    const { ask } = await serve()
    const headers = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }
    const { status, body } = await ask(path, {
      method,
      headers,
      body: good,
    })
    expect([status, JSON.parse(body).error]).toEqual([411, 'Content-Length is missing'])
  })
})

describe('a file with a mistake in it', () => {
  test('reads as nothing, is not written to, and the operator is told, not the sender', async () => {
    const serving = await serve()
    const path = join(serving.directory, 'web-settings.json')
    writeFileSync(path, '{"cli":\n7}')
    expect(await settingsOf(serving)).toEqual(NOTHING)
    expect(serving.server.problem()).toEqual({ kind: 'file', path, line: 2, message: 'cli must be an object' })
    const { status, body } = await trust(serving, { laptop: LISTENER_ID })
    expect([status, JSON.parse(body)]).toEqual([
      500,
      { ok: false, error: 'failed; see the terminal of `hookline web`' },
    ])
    expect(serving.failures).toMatchObject([{ code: 'store-corrupt', message: expect.stringContaining('line 2') }])
    await expect(checkIn({ ...CHECK_IN, webUrl: serving.server.url })).resolves.toMatchObject({ code: 'refused' })
    writeFileSync(path, '{}')
    expect((await trust(serving, { laptop: LISTENER_ID })).status).toBe(200)
  })

  test('is not told of where there is none', async () => {
    const { server } = await serve()
    expect(server.problem()).toBeUndefined()
  })
})

test('fields that other versions keep in the file stay there and never leave', async () => {
  const serving = await serve()
  const row = { at: 5, listenerId: OTHER_ID, version: '9', more: 1 }
  const before = {
    cli: { checkins: { darwin: row, plan9: row }, theme: 'dark' },
    secret: 'x',
    trustedListenerIds: { 'my old laptop': OTHER_ID },
  }
  writeFileSync(join(serving.directory, 'web-settings.json'), JSON.stringify(before))
  chmodSync(join(serving.directory, 'web-settings.json'), 0o644)
  const { body } = await trust(serving, { laptop: LISTENER_ID })
  const trustedListenerIds = { 'my old laptop': OTHER_ID, laptop: LISTENER_ID }
  expect(JSON.parse(body)).toEqual({
    cli: { checkins: { darwin: { at: 5, version: '9' } } },
    trustedOn: ['my old laptop', 'laptop'],
    now,
  })
  expect(await settingsOf(serving)).toEqual({ ...JSON.parse(body), now })
  expect(serving.stored()).toEqual({ ...before, trustedListenerIds })
  expect(statSync(join(serving.directory, 'web-settings.json')).mode & 0o777).toBe(0o600)
})
