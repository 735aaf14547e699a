// Receives what a channel of notices sends, on a free port of this machine, and answers as a test says.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface NoticeReceiver {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  readonly received: Received[]
  /** Resolves when so many have come in all. */
  came(count: number): Promise<void>
}

/** @param answer to the request of this number, from 0. Default: 200 */
export async function receiveNotices(
  answer: (response: ServerResponse, index: number) => void = (response) => response.end('{"ok":true}'),
): Promise<NoticeReceiver> {
  const received: Received[] = []
  let wake = (): void => {}
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const index = received.push({ method, url, headers, body: await text(request) }) - 1
    answer(response, index)
    wake()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async came(count) {
      while (received.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
