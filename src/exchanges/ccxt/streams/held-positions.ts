// What the account holds, as it was last read, for as long as nothing has been sent and the streams have told of nothing that changes it. Who
// asks for it is likely to ask again: what an order has changed is read anew behind it, and not before the next one.
import type { OrderRequest, Position } from '../../../exchange/order.ts'

/** A venue may settle, or end a position by itself, without a word on the streams. A look at the account comes more often (`gap-keeper.ts`). */
const KEPT_MS = 40_000
/** An order may fill in several parts at once, and each is told as a fill and as a change of the order. */
const REREAD_MS = 10
/** So often it is read anew for one that has asked. */
const REREADS = 2

export interface HeldPositionsOptions {
  readonly read: () => Promise<readonly Position[]>
  /** Whether every fill of the account is told at once. */
  readonly isTold: () => boolean
  readonly now: () => number
  /** Calls `work` once, without keeping the process alive. */
  readonly after: (ms: number, work: () => void) => void
}

type Sent = Pick<OrderRequest, 'symbol' | 'side'>

export class HeldPositions {
  readonly #options: HeldPositionsOptions
  /** Read after the last change, or being read. */
  #known: { readonly positions: readonly Position[] | Promise<readonly Position[]>; readonly at: number } | undefined
  /** The last that was read, and what was sent since it was asked for; `undefined` among those: anything. */
  #last:
    | { readonly positions: readonly Position[]; readonly at: number; readonly since: (Sent | undefined)[] }
    | undefined
  /** While it is read. */
  #sentMeanwhile: (Sent | undefined)[] = []
  #changes = 0
  /** Orders of which the venue has not answered. */
  #sending = 0
  #rereads = 0
  /** How often something was heard, or an order was answered. */
  #news = 0

  constructor(options: HeldPositionsOptions) {
    this.#options = options
  }

  async read(): Promise<readonly Position[]> {
    const [at, changes] = [this.#options.now(), this.#changes]
    const isCurrent = () => changes === this.#changes && this.#sending === 0
    const isUnsent = this.#sending === 0
    const since: (Sent | undefined)[] = []
    if (isUnsent) this.#sentMeanwhile = since
    const reading = this.#options.read()
    if (isCurrent()) this.#known ??= { positions: reading, at }
    try {
      const positions = await reading
      // What was under way as it was asked for may be in it, or not.
      if (isUnsent && this.#sentMeanwhile === since) this.#last = { positions, at, since }
      if (isCurrent()) this.#known = { positions, at }
      return positions
    } catch (error) {
      if (this.#known?.positions === reading) this.#known = undefined
      throw error
    }
  }

  known(before?: Sent): readonly Position[] | Promise<readonly Position[]> | undefined {
    this.#rereads = REREADS
    const { now, isTold } = this.#options
    if (!isTold()) return undefined
    if (before !== undefined && !Array.isArray(this.#known?.positions)) {
      const last = this.#lastBefore(before)
      if (last !== undefined) return last
    }
    if (this.#known === undefined) return undefined
    return Math.abs(now() - this.#known.at) <= KEPT_MS ? this.#known.positions : undefined
  }

  /** @returns as `known`, and whether that is still so, whatever order has left since and was not answered */
  seen(): { readonly positions: readonly Position[]; readonly isStill: () => boolean } | undefined {
    const positions = this.known()
    if (positions === undefined || positions instanceof Promise) return undefined
    const news = this.#news
    return { positions, isStill: () => news === this.#news && this.#options.isTold() }
  }

  /** Of an order that adds to what is held it need not be known how much that is. */
  #lastBefore({ symbol, side }: Sent): readonly Position[] | undefined {
    if (this.#last === undefined || Math.abs(this.#options.now() - this.#last.at) > KEPT_MS) return undefined
    const { positions, since } = this.#last
    const held = positions.find((position) => position.symbol === symbol)
    const adds = held === undefined || (held.side === 'long') === (side === 'buy')
    const goesOn = since.every((sent) => sent !== undefined && (sent.symbol !== symbol || sent.side === side))
    return adds && goesOn ? positions : undefined
  }

  /** Something was heard, or lost, that may have changed what is held. */
  changed(): void {
    this.#news += 1
    this.#changes += 1
    this.#known = undefined
    if (this.#rereads === 0) return
    const changes = this.#changes
    this.#options.after(REREAD_MS, () => {
      if (changes !== this.#changes || this.#sending > 0 || this.#known !== undefined) return
      this.#rereads -= 1
      // Who needs it asks again, and is told what is wrong.
      void this.read().catch(() => {})
    })
  }

  /** Sends what may change what is held. @param sent the order; absent: something else */
  async changing<T>(send: () => Promise<T>, sent?: Sent): Promise<T> {
    this.#sentMeanwhile.push(sent)
    if (this.#last !== undefined && this.#last.since !== this.#sentMeanwhile) this.#last.since.push(sent)
    this.#known = undefined
    this.#changes += 1
    this.#sending += 1
    try {
      return await send()
    } finally {
      this.#sending -= 1
      this.changed()
    }
  }
}
