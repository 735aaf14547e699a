// A wire that can be cut: TCP to hookline, byte for byte, until a test ends it or holds back what hookline says.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export class CuttableProxy {
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  readonly #server = createServer((page) => this.#join(page))

  static async start(): Promise<CuttableProxy> {
    const proxy = new CuttableProxy()
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    onTestFinished(() => {
      proxy.cut()
      proxy.#server.close()
    })
    return proxy
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`
  }

  /** From now on what hookline says does not arrive; what the page says does. */
  holdAnswers(): void {
    for (const [page, hookline] of this.#pairs) hookline.unpipe(page)
  }

  cut(): void {
    for (const [page, hookline] of this.#pairs) {
      page.resetAndDestroy()
      hookline.resetAndDestroy()
    }
  }

  #join(page: Socket): void {
    const hookline = connect(53219, '127.0.0.1')
    const pair = [page, hookline] as const
    this.#pairs.add(pair)
    const end = () => {
      page.destroy()
      hookline.destroy()
      this.#pairs.delete(pair)
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    page.pipe(hookline).pipe(page)
  }
}
