// A page that reads nothing, seen from the kernel: what has been sent to it and not been read.
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { WsClient } from '../../harness/wire/ws-client.ts'

/**
 * What hookline may hold for it (1 MiB) and half as much again, in pushes of 0.25 MB: when nothing more has come into
 * its queues for so long, hookline has hung up on it, a moment ago.
 */
const STUCK_PUSHES = 6

export class PausedReader {
  readonly page: WsClient
  readonly pausedAt = performance.now()
  readonly #port: string
  #queued = 0
  #unchanged = 0

  /** @param page is paused from now on */
  constructor(page: WsClient) {
    this.page = page
    page.ws.pause()
    const { _socket } = page.ws as unknown as { readonly _socket: Socket }
    this.#port = (_socket.localPort ?? 0).toString(16).toUpperCase().padStart(4, '0')
  }

  /** To be asked after each push. @returns whether nothing has been written to it for a while */
  isStuck(): boolean {
    const queued = queuedBytes(this.#port)
    this.#unchanged = queued === this.#queued ? this.#unchanged + 1 : 0
    this.#queued = queued
    return this.#unchanged >= STUCK_PUSHES
  }

  /** Reads again. @returns the close code it finds behind what it had not read */
  async readOn(): Promise<number> {
    this.page.ws.resume()
    return (await this.page.closed()).code
  }
}

/** In the queues of both ends of the connections of this port. @param port as /proc/net/tcp writes it */
function queuedBytes(port: string): number {
  let sum = 0
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const [, local, remote, , queues] = line.trim().split(/\s+/)
    if (!local?.endsWith(`:${port}`) && !remote?.endsWith(`:${port}`)) continue
    for (const queue of queues?.split(':') ?? []) sum += Number.parseInt(queue, 16)
  }
  return sum
}
