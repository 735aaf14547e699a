// A port that nobody listens on and the system still holds: any connection of this machine may have been given it as its own end.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { assetsIn } from '../../src/web-server/assets.ts'
import { startWebServer } from '../../src/web-server/web-server.ts'

interface Occupied {
  readonly port: number
  /** Ends the connection; the other end hangs up first, so that nothing of it stays. */
  free(): Promise<void>
}

/** A port that the system has given to a connection. */
async function occupy(): Promise<Occupied> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  const [other] = await accepted
  onTestFinished(() => {
    server.close()
    socket.destroy()
  })
  return {
    port: socket.localPort ?? 0,
    async free() {
      other.end()
      socket.resume()
      await once(socket, 'close')
    },
  }
}

const options = (port: number) => ({
  directory: tempDirectory(),
  assets: assetsIn(tempDirectory()),
  version: '1.2.3',
  port,
  onRefused: () => {},
  onFailure: () => {},
})

test('a port that a connection has is waited for, and taken when it is free', async () => {
  const { port, free } = await occupy()
  const waited: number[] = []
  const starting = startWebServer({ ...options(port), onWaiting: (of) => void waited.push(of) })
  await expect.poll(() => waited).toEqual([port])
  await free()
  const server = await starting
  expect(server.port).toBe(port)
  expect(waited).toEqual([port])
  await server.close()
})

test('whoever stops waiting is told what holds the port', async () => {
  const { port } = await occupy()
  const signal = AbortSignal.abort()
  await expect(startWebServer({ ...options(port), signal })).rejects.toMatchObject({
    code: 'port-taken',
    message: `127.0.0.1:${port} is held by another program's connection`,
  })
})
