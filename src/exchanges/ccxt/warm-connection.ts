// A connection that has been idle for seconds is not used again, and a new one takes an order two round trips: while an account orders, one to its
// venue is kept in use by the smallest question that there is.
import type { CcxtClient } from './ccxt-client.ts'
import type { Connection } from './connection.ts'
import { askFirst } from './pacing.ts'

/** Shorter than what the transport takes for idle (`transport.ts`). */
const EVERY_MS = 8_000
/** An account that has not ordered for so long is left alone. */
const IN_USE_MS = 60 * 60_000

interface WarmConnectionOptions {
  readonly client: CcxtClient
  readonly connection: Connection
  readonly now: () => number
}

export class WarmConnection {
  readonly #options: WarmConnectionOptions
  #orderedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: WarmConnectionOptions) {
    this.#options = options
  }

  /** An order leaves. */
  ordered(): void {
    this.#orderedAt = this.#options.now()
    if (this.#isClosed || this.#options.client.has.fetchTime !== true) return
    this.#timer ??= setInterval(() => this.#keep(), EVERY_MS).unref()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  #keep(): void {
    const { client, connection, now } = this.#options
    if (now() - this.#orderedAt > IN_USE_MS) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    // Each request while the venue wants quiet makes its ban longer. What fails says itself when it is needed.
    if (connection.isQuiet) return
    void askFirst(() => connection.nested(async () => client.fetchTime?.())).catch(() => {})
  }
}
