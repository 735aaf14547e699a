// What leaves for a receiver, over real sockets, and what is made of its answers.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Received, receiveNotices } from '../../harness/network/notice-receiver.ts'
import type { NoticeRow } from '../../src/notices/notice.ts'
import { telegramDelivery } from '../../src/notices/telegram.ts'
import { webhookDelivery } from '../../src/notices/webhook.ts'

const KEY = Buffer.alloc(32, 9)
const SECRET = `whsec_${KEY.toString('base64')}`
const TOKEN = `123456789:${'Tt'.repeat(18)}`
const NOW = 1_795_326_743_949

const row: NoticeRow = {
  id: 3,
  at: NOW - 1_000,
  kind: 'stop',
  severity: 'urgent',
  count: 2,
  text: 'the <b>stop</b> of BTCUSDT is lost',
  account: 'paper',
  hook: 'dip',
}
const TAKEN = { rows: [row], ids: ['id-1'], leftOut: 0 }

function webhook(origin: string, path = '/in?x=1') {
  return webhookDelivery({ url: origin + path, secret: async () => SECRET, now: () => NOW, version: '1.2.3' })
}

function bot(api: string) {
  return telegramDelivery({ chatId: '-100123', token: async () => TOKEN, now: () => NOW, api })
}

const patient = () => AbortSignal.timeout(20_000)

/** As a receiver would, by the standard and not by our code. */
function isSigned({ headers, body }: Received): boolean {
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const wanted = createHmac('sha256', KEY).update(content).digest('base64')
  return headers['webhook-signature'] === `v1,${wanted}`
}

const answering =
  (status: number, headers = {}, body = 'no') =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)

describe('a webhook', () => {
  it('is posted with a signature that its receiver can check', async () => {
    const { origin, received } = await receiveNotices()
    await webhook(origin)(TAKEN, patient())
    const [request] = received as [Received]
    expect(request).toMatchObject({ method: 'POST', url: '/in?x=1' })
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'hookline/1.2.3',
      'webhook-timestamp': String(Math.floor(NOW / 1_000)),
      'webhook-id': 'msg_id-1',
    })
    expect(isSigned(request)).toBe(true)
    expect(isSigned({ ...request, body: request.body.replace('paper', 'other') })).toBe(false)
    expect(JSON.parse(request.body)).toEqual({
      type: 'notice.stop',
      timestamp: new Date(NOW - 1_000).toISOString(),
      data: { kind: 'stop', severity: 'urgent', text: row.text, account: 'paper', hook: 'dip', count: 2 },
    })
  })

  it('has the same id for each try of one notice, and another for the next', async () => {
    const { origin, received } = await receiveNotices()
    const deliver = webhook(origin)
    await deliver(TAKEN, patient())
    await deliver(TAKEN, patient())
    await deliver({ ...TAKEN, ids: ['id-2'] }, patient())
    const [first, second, third] = received.map(({ headers }) => headers['webhook-id'])
    expect(second).toBe(first)
    expect([first, third]).toEqual(['msg_id-1', 'msg_id-2'])
  })

  it.each([
    [500, true],
    [503, true],
    [429, true],
    [400, false],
    [404, false],
    [410, false],
  ])('that is answered with %i may be tried again: %s', async (status, mayRetry) => {
    const { origin } = await receiveNotices(answering(status))
    const error = { code: 'refused', mayRetry, message: `the receiver answered with status ${status}` }
    await expect(webhook(origin)(TAKEN, patient())).rejects.toMatchObject(error)
  })

  it.each([
    ['7', 7_000],
    [new Date(NOW + 60_000).toUTCString(), expect.closeTo(60_000, -4)],
    ['soon', undefined],
    ['-5', 0],
  ])('is told to wait by Retry-After: %s', async (value, retryAfterMs) => {
    const { origin } = await receiveNotices(answering(429, { 'Retry-After': value }))
    await expect(webhook(origin)(TAKEN, patient())).rejects.toMatchObject({ code: 'refused', retryAfterMs })
  })

  it.each([301, 302, 303, 307, 308])('is not followed to another place: %i', async (status) => {
    const other = await receiveNotices()
    const { origin, received } = await receiveNotices(answering(status, { Location: `${other.origin}/stolen` }))
    await expect(webhook(origin)(TAKEN, patient())).rejects.toMatchObject({ code: 'refused', mayRetry: false })
    expect([received.length, other.received.length]).toEqual([1, 0])
  })

  it('ends when its receiver never answers', async () => {
    const { origin } = await receiveNotices(() => {})
    await expect(webhook(origin)(TAKEN, AbortSignal.timeout(50))).rejects.toMatchObject({
      code: 'timeout',
      mayRetry: true,
    })
  })

  it('ends when its receiver answers slowly for ever', async () => {
    const { origin } = await receiveNotices((response) => {
      response.writeHead(200).write('a')
      const timer = setInterval(() => response.write('a'), 5)
      response.on('close', () => clearInterval(timer))
    })
    await expect(webhook(origin)(TAKEN, AbortSignal.timeout(100))).rejects.toMatchObject({ code: 'timeout' })
  })

  it('reads the start of an endless answer, and hangs up', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { origin } = await receiveNotices((response) => {
      closed = once(response, 'close')
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response
        .writeHead(200)
        .on('drain', more)
        .on('error', () => {})
      more()
    })
    await webhook(origin)(TAKEN, patient())
    await closed
  })

  it('that nobody receives says so without its address', async () => {
    const { origin } = await receiveNotices()
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as { readonly port: number }
    closed.close()
    await once(closed, 'close')
    const error = await webhook(origin.replace(/\d+$/, String(port)), '/secret')(TAKEN, patient()).catch((it) => it)
    expect(error).toMatchObject({ code: 'unreachable', mayRetry: true })
    expect(error.message).toBe('the receiver cannot be reached: ECONNREFUSED')
  })

  it('that is cut off, or answered by no HTTP, may be tried again', async () => {
    const server = createServer((socket) => socket.end('220 smtp.example.com\r\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { readonly port: number }
    await expect(webhook(`http://127.0.0.1:${port}`)(TAKEN, patient())).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('is not posted where config.json has an address that nobody could have typed', async () => {
    const deliver = webhook('http://example.com')
    await expect(deliver(TAKEN, patient())).rejects.toMatchObject({ code: 'not-supported' })
  })

  it('is not posted without a secret that can sign', async () => {
    const { origin, received } = await receiveNotices()
    const deliver = webhookDelivery({ url: origin, secret: async () => 'plain', now: () => NOW, version: '1' })
    await expect(deliver(TAKEN, patient())).rejects.toMatchObject({ code: 'no-secret' })
    expect(received).toEqual([])
  })
})

describe('a Telegram bot', () => {
  it('sends plain text to the chat, and nothing in it is markup', async () => {
    const { origin, received } = await receiveNotices()
    await bot(origin)(
      { rows: [row, { ...row, count: 1, text: '*long* [x](y)' }], ids: ['1', '2'], leftOut: 4 },
      patient(),
    )
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ method: 'POST', url: `/bot${TOKEN}/sendMessage` })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      chat_id: '-100123',
      text: 'hookline: 4 notices before this left out\n[paper] the <b>stop</b> of BTCUSDT is lost (×2)\n[paper] *long* [x](y)',
      link_preview_options: { is_disabled: true },
    })
  })

  it('waits as long as Telegram asks in its answer', async () => {
    const body = JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: 12 } })
    const { origin } = await receiveNotices(answering(429, {}, body))
    await expect(bot(origin)(TAKEN, patient())).rejects.toMatchObject({ mayRetry: true, retryAfterMs: 12_000 })
  })

  it.each([
    '{"parameters":{"retry_after":"12"}}',
    'null',
    '[',
    '{"parameters":null}',
    '{"parameters":{"retry_after":-1}}',
  ])('takes %s for no such wish', async (body) => {
    const { origin } = await receiveNotices(answering(429, {}, body))
    const error = await bot(origin)(TAKEN, patient()).catch((it) => it)
    expect(error).toMatchObject({ code: 'refused', mayRetry: true })
    expect(error.retryAfterMs).toBeUndefined()
  })

  it.each([
    ['refuses the token', answering(401, {}, '{"ok":false}')],
    ['does not know it', answering(404)],
    ['is down', answering(502)],
    ['cuts the connection', (response: ServerResponse) => void response.destroy()],
  ])('that %s: no error has the token', async (_what, answer) => {
    const { origin } = await receiveNotices(answer)
    const error = await bot(origin)(TAKEN, patient()).catch((it) => it)
    const { message, hint, stack, cause } = error
    expect(JSON.stringify({ message, hint, stack, cause: String(cause) })).not.toContain('TtTtTt')
    expect(error).toMatchObject({ code: expect.stringMatching(/^(refused|unreachable)$/) })
  })

  it('is not asked with what is no token', async () => {
    const { origin, received } = await receiveNotices()
    const token = async () => '1:../../evil'
    const deliver = telegramDelivery({ chatId: '1', token, now: () => NOW, api: origin })
    await expect(deliver(TAKEN, patient())).rejects.toMatchObject({ code: 'no-secret' })
    expect(received).toEqual([])
  })
})
