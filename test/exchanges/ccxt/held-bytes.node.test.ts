// An order that is signed, on a socket that is open, and not released: no byte of it leaves, whatever becomes of the process.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { createTransport } from '../../../src/exchanges/ccxt/transport.ts'
import { bundleChild, startChild } from '../../stores/child-program.ts'

/** Has two orders signed and on a socket each, one of them used before. */
const HOLDER = `
  import { createTransport } from '../exchanges/ccxt/transport.ts'
  const [url] = process.argv.slice(2)
  const transport = createTransport()
  const order = { url, method: 'POST', headers: {}, body: 'symbol=BTCUSDT' }
  const hold = () => void transport(order, { release: () => new Promise(() => {}) }).catch(() => {})
  void transport({ url, method: 'GET', headers: {} }).then(() => {
    hold()
    hold()
    setTimeout(() => process.stdout.write('held'), 100)
  })
`

const servers: { close(): void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Takes connections and counts what comes. */
async function listen() {
  const got: Buffer[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      got.push(bytes)
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push({
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return { server, sockets, got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/order` }
}

const post = (url: string) => ({ url, method: 'POST', headers: {}, body: 'symbol=BTCUSDT' })
const soon = () => new Promise((done) => setTimeout(done, 100))

describe('a request that is held', () => {
  it('has its socket, and leaves whole when it is released', async () => {
    const { got, sockets, url } = await listen()
    let free: () => void = () => {}
    const answer = createTransport()(post(url), { release: () => new Promise((done) => (free = done)) })
    await expect.poll(() => sockets.length).toBe(1)
    await soon()
    expect(got).toEqual([])
    free()
    expect((await answer).text).toBe('{}')
    expect(Buffer.concat(got).toString()).toMatch(/^POST \/order .*symbol=BTCUSDT$/s)
  })

  it('never leaves where it is not released, and says so', async () => {
    const { got, url } = await listen()
    const answer = createTransport()(post(url), { release: () => Promise.reject(new Error('no')) })
    await expect(answer).rejects.toMatchObject({ failure: 'held', neverLeft: true })
    await soon()
    expect(got).toEqual([])
  })

  it('has its whole time for an answer from its release on', async () => {
    const { url } = await listen()
    const answer = createTransport({ answerMs: 200 })(post(url), {
      release: () => new Promise((done) => setTimeout(done, 150)),
    })
    expect((await answer).text).toBe('{}')
  })

  it('that is held for too long never left', async () => {
    const { url } = await listen()
    const answer = createTransport({ answerMs: 50 })(post(url), { release: () => new Promise(() => {}) })
    await expect(answer).rejects.toMatchObject({ failure: 'timeout', neverLeft: true })
  })

  it('never leaves a process that is killed before it is released, on a new connection and on one that was used', async () => {
    const { got, sockets, url } = await listen()
    const program = await bundleChild(tempDirectory(), HOLDER)
    const child = startChild(program, [url])
    if (child.stdout === null) throw new Error('it prints nothing')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await soon()
    expect(sockets.length).toBe(2)
    expect(Buffer.concat(got).toString()).not.toContain('POST')
  })
})
