// Who receives notices over https must have its name in its certificate, whatever the environment says, and no proxy of the environment is asked.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { venueCertificate } from '../../harness/network/venue-names.ts'
import { telegramDelivery } from '../../src/notices/telegram.ts'
import { webhookDelivery } from '../../src/notices/webhook.ts'

afterEach(() => void vi.unstubAllEnvs())

const row = { id: 1, at: 0, kind: 'said', severity: 'info', text: 'hello', count: 1 }
const TAKEN = { rows: [row], ids: ['1'], leftOut: 0 }

describe.each([
  ['as it is', {}],
  ['that would allow anybody', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ['with proxies', { HTTPS_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'socks5://127.0.0.1:9', NODE_USE_ENV_PROXY: '1' }],
])('under an environment %s', (_what, variables) => {
  it('nothing is sent to somebody else', async (context) => {
    const certificate = venueCertificate()
    if ('missing' in certificate) return context.skip(certificate.missing)
    const heard: unknown[] = []
    const server = createServer(certificate, (request, response) => {
      heard.push(request.url)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const secret = async () => `whsec_${Buffer.alloc(32).toString('base64')}`
    const token = async () => `123456789:${'A'.repeat(35)}`
    const failure = { code: 'unreachable', message: 'the receiver cannot be reached: ERR_TLS_CERT_ALTNAME_INVALID' }
    const signal = AbortSignal.timeout(20_000)
    const webhook = webhookDelivery({ url: `${origin}/in`, secret, now: Date.now, version: '1' })
    await expect(webhook(TAKEN, signal)).rejects.toMatchObject(failure)
    const bot = telegramDelivery({ chatId: '1', token, now: Date.now, api: origin })
    await expect(bot(TAKEN, signal)).rejects.toMatchObject(failure)
    expect(heard).toEqual([])
  })
})
