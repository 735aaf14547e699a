// `localhost` means 127.0.0.1 or [::1], and both names of the console may ask for trust: nobody else may serve a page on either.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { assetsIn } from '../../src/web-server/assets.ts'
import { startWebServer } from '../../src/web-server/web-server.ts'
import { buildOf, PAGE, serve } from './serving.ts'

const hasIpv6 = (networkInterfaces().lo ?? networkInterfaces().lo0 ?? []).some(({ address }) => address === '::1')

const options = (port: number) => ({
  directory: tempDirectory(),
  assets: assetsIn(buildOf({ 'index.html': PAGE })),
  version: '1.2.3',
  port,
  onRefused: () => {},
  onFailure: () => {},
})

/** Somebody's page. */
async function squat(host: string, answer: RequestListener = (_request, response) => response.end('mine')) {
  const server = createServer(answer).listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, server }
}

test.runIf(hasIpv6)('a page of the twin is ours: it is answered under `localhost`', async () => {
  const { server } = await serve()
  const socket = connect({ host: '::1', port: server.port }).setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  socket.write(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\nConnection: close\r\n\r\n`)
  const [head] = await once(socket, 'data')
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect(head).toContain('hookline-web/1.2.3')
})

test.runIf(hasIpv6)(
  'another program on [::1] keeps it from starting, and the other address is given back',
  async () => {
    const { port } = await squat('::1')
    await expect(startWebServer(options(port))).rejects.toMatchObject({
      code: 'port-taken',
      message: `[::1]:${port} is held by another program`,
    })
    const again = createServer().listen(port, '127.0.0.1')
    await once(again, 'listening')
    again.close()
  },
)

test.runIf(hasIpv6)('another program on 127.0.0.1 does as well', async () => {
  const { port } = await squat('127.0.0.1')
  await expect(startWebServer(options(port))).rejects.toMatchObject({
    code: 'port-taken',
    message: `127.0.0.1:${port} is held by another program`,
  })
})

test.runIf(hasIpv6)('while it runs, nobody else gets [::1]', async () => {
  const { server } = await serve()
  const squatter = createServer().listen(server.port, '::1')
  await expect(once(squatter, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test.runIf(hasIpv6)('once it is closed, both are free', async () => {
  const server = await startWebServer(options(0))
  await server.close()
  for (const host of ['127.0.0.1', '::1']) {
    const next = createServer().listen(server.port, host)
    await once(next, 'listening')
    next.close()
  }
})
