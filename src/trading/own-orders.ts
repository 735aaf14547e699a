// The orders that this process has placed or taken back itself: their runs report them, and nothing else does.
import { BoundedSet } from '../base/concurrency.ts'
import { type Order, orderKey } from '../exchange/order.ts'

/** What of an order tells whose it is. */
export type OrderNames = Pick<Order, 'id' | 'symbol'> & {
  readonly clientOrderId?: string
  readonly status?: Order['status']
}

/** So many are remembered after they are over: a venue may tell the last of an order late. */
const MAX_REMEMBERED = 5_000

export class OwnOrders {
  readonly #clientIds = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #ids = new BoundedSet<string>(MAX_REMEMBERED)
  readonly #cancelling = new Map<object, string | undefined>()
  readonly #takenBack = new BoundedSet<string>(MAX_REMEMBERED)

  /** Before it is sent. */
  addSent(clientOrderId: string): void {
    this.#clientIds.add(clientOrderId)
  }

  /** The venue's own id, for venues that do not tell the other one with every event. */
  addPlaced({ symbol, id }: Pick<Order, 'symbol' | 'id'>): void {
    this.#ids.add(orderKey(symbol, id))
  }

  /** It is being taken back, or made to end, by this process. */
  addTakenBack(symbol: string, id: string): void {
    this.#takenBack.add(orderKey(symbol, id))
  }

  isTakenBack({ symbol, id }: Pick<OrderNames, 'symbol' | 'id'>): boolean {
    if (this.#takenBack.has(orderKey(symbol, id))) return true
    return [...this.#cancelling.values()].some((each) => each === undefined || each === symbol)
  }

  /** From now until the returned function is called, a cancel of these orders is ours. @param symbol undefined: of all symbols */
  beginCancel(symbol: string | undefined): () => void {
    const mark = {}
    this.#cancelling.set(mark, symbol)
    return () => this.#cancelling.delete(mark)
  }

  has({ id, clientOrderId, symbol, status }: OrderNames): boolean {
    if (this.#ids.has(orderKey(symbol, id)) || (clientOrderId !== undefined && this.#clientIds.has(clientOrderId)))
      return true
    if (status !== 'canceled') return false
    return [...this.#cancelling.values()].some((each) => each === undefined || each === symbol)
  }
}
