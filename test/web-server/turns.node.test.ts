// Whose request is begun next where one server is asked by many, and what those get who ask too often. The server's own timers are held.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { createFront } from '../../src/web-server/front.ts'
import { WEB_SERVER_LIMITS } from '../../src/web-server/web-server-limits.ts'

const { sockets, requestsOfSender, lateMs, pacedMs, sliceBytes } = WEB_SERVER_LIMITS

/** Without a timer: those stand still. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** A front whose senders are named by a header. What asks for `/held` is not answered. */
async function serve() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked: IncomingMessage[] = []
  const begun: string[] = []
  const front = createFront({
    version: '1.2.3',
    route({ url = '' }: IncomingMessage, response: ServerResponse) {
      begun.push(url)
      if (url !== '/held') response.end('ok')
    },
    judge(request) {
      asked.push(request)
      return { ok: true }
    },
    onRefused: () => {},
    senderOf: ({ headers, url }) => ({ name: String(headers.from), isPaced: url?.startsWith('/paced') ?? false }),
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => {
    front.close()
    front.closeAllConnections()
  })
  const { port } = front.address() as AddressInfo
  /** Resolves once the server has read the head. */
  const send = async (from: string, path: string, body = ''): Promise<RawClient> => {
    const count = asked.length
    const client = await new RawClient(port).connected()
    onTestFinished(() => client.close())
    client.send(`PUT ${path} HTTP/1.1\r\nHost: a\r\nFrom: ${from}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await until(() => asked.length > count)
    return client
  }
  const ends = (socket: Socket | undefined): Promise<unknown> =>
    socket === undefined || socket.destroyed ? Promise.resolve() : once(socket, 'close')
  return { asked, begun, send, ends }
}

describe('a sender of whom as many requests are under way as may be', () => {
  it('is refused late, unread, and others are answered meanwhile', async () => {
    const { asked, begun, send } = await serve()
    for (let count = 0; count < requestsOfSender; count++) await send('ada', '/held')
    const refused = await send('ada', '/more', 'x'.repeat(16_000))
    expect((await (await send('bob', '/')).answer()).status).toBe(200)
    vi.advanceTimersByTime(lateMs - 1)
    expect((await (await send('bob', '/again')).answer()).status).toBe(200)
    expect(refused.socket.bytesRead).toBe(0)
    expect(asked[requestsOfSender]?.readableLength).toBeLessThan(sliceBytes)
    vi.advanceTimersByTime(1)
    expect(await refused.answer()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    expect(begun).not.toContain('/more')
  })

  it('does not keep others out by requests that wait for their refusal', async () => {
    const { send, ends } = await serve()
    const all: RawClient[] = []
    for (let count = 0; count < sockets; count++) all.push(await send('ada', '/held'))
    expect((await (await send('bob', '/')).answer()).status).toBe(200)
    await ends(all[requestsOfSender]?.socket)
    expect(all.findIndex(({ socket }) => socket.destroyed)).toBe(requestsOfSender)
  })
})

describe('what is paced', () => {
  it('is begun one at a time, of each sender in turn, after what is not', async () => {
    const { begun, send } = await serve()
    const step = async (count: number) => {
      vi.advanceTimersByTime(pacedMs)
      await until(() => begun.length === count)
    }
    await send('ada', '/paced-1')
    await until(() => begun.length === 1)
    for (const [from, path] of [
      ['ada', '/paced-2'],
      ['ada', '/paced-3'],
      ['bob', '/paced-4'],
    ] as const)
      await send(from, path)
    expect((await (await send('ada', '/other')).answer()).status).toBe(200)
    expect(begun).toEqual(['/paced-1', '/other'])
    for (const count of [3, 4, 5]) await step(count)
    expect(begun.slice(2)).toEqual(['/paced-2', '/paced-4', '/paced-3'])
  })

  it('gives up its turn when its sender hangs up', async () => {
    const { asked, begun, send } = await serve()
    await send('ada', '/paced-1')
    await until(() => begun.length === 1)
    await send('bob', '/paced-2')
    await send('cyd', '/paced-3')
    const gone = asked[1] && once(asked[1].socket, 'close')
    asked[1]?.socket.destroy()
    await gone
    vi.advanceTimersByTime(pacedMs)
    await until(() => begun.length === 2)
    expect(begun).toEqual(['/paced-1', '/paced-3'])
  })
})
