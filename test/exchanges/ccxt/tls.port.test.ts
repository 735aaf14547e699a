// What speaks for a venue must have its name in its certificate, whatever the environment says.
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, type TestContext, vi } from 'vitest'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { connectVenue } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { createTransport } from '../../../src/exchanges/ccxt/transport.ts'

const servers: Server[] = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Speaks for the names of venues, and not for an address. */
async function impostor(context: TestContext) {
  const certificate = venueCertificate()
  if ('missing' in certificate) return context.skip(certificate.missing)
  const heard: unknown[] = []
  const server = createServer(certificate, (request, response) => {
    heard.push(request.url)
    response.end('{}')
  })
  server.on('upgrade', (request, socket) => {
    heard.push(request.url)
    socket.destroy()
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { heard, port: (server.address() as AddressInfo).port }
}

describe.each([
  ['as it is', {}],
  ['that would allow anybody', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  [
    'with proxies',
    { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'socks5://127.0.0.1:9' },
  ],
])('under an environment %s', (_what, variables) => {
  it('a request is not sent to somebody else', async (context) => {
    const { heard, port } = await impostor(context)
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const answer = createTransport()({
      url: `https://127.0.0.1:${port}/order`,
      method: 'POST',
      headers: {},
      body: 'key',
    })
    await expect(answer).rejects.toMatchObject({ failure: 'connection', systemCode: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(heard).toEqual([])
  })

  it('a stream is not opened to somebody else', async (context) => {
    const { heard, port } = await impostor(context)
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const { client } = await connectVenue({
      venue: 'binance',
      kind: 'linear',
      environment: 'live',
      keys: {},
      now: Date.now,
    })
    const url = `wss://127.0.0.1:${port}/ws/listen-key`
    const streams = client as unknown as {
      urls: { api: Record<string, unknown> }
      client(url: string): { connect(): unknown; future(hash: string): Promise<unknown> }
    }
    streams.urls.api.impostor = url
    const socket = streams.client(url)
    const heardOfIt = socket.future('orders')
    socket.connect()
    await expect(heardOfIt).rejects.toThrow(/altnames/)
    await client.close()
    expect(heard).toEqual([])
  })
})
