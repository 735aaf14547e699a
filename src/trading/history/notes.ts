// What people noted of orders, beside the tags that were typed with them.
import { defined } from '../../base/defined.ts'
import { orderKey } from '../../exchange/order.ts'
import { MAX_TAGS, type NoteLine } from '../../stores/notes.ts'
import { isWithin, type Range } from './account-history.ts'

export interface Noted {
  readonly note?: string
  readonly tags?: readonly string[]
}

interface OrderNotes extends Noted {
  /** The tags that were typed with the order do not count any more. */
  readonly isCleared?: true
}

export class Notes {
  readonly #byOrder: ReadonlyMap<string, OrderNotes>

  /** @param lines of one account, oldest first @param range of the account as it is asked about: ids begin anew after a reset */
  constructor(lines: readonly NoteLine[], range: Range) {
    const byOrder = new Map<string, OrderNotes>()
    for (const { at, symbol, orderId, note, tags = [], isCleared } of lines) {
      if (!isWithin(at, range)) continue
      const key = orderKey(symbol, orderId)
      const before: OrderNotes = isCleared === true ? { isCleared } : (byOrder.get(key) ?? {})
      byOrder.set(key, { ...before, ...defined({ note }), tags: union(before.tags, tags) })
    }
    this.#byOrder = byOrder
  }

  /** @param own the tags that were typed with it */
  ofOrder(symbol: string, orderId: string, own: readonly string[] = []): Noted {
    const { note, tags, isCleared } = this.#byOrder.get(orderKey(symbol, orderId)) ?? {}
    return noted(isCleared === true ? [] : own, tags ?? [], note)
  }

  /** Those of all orders of a trade. @param own of its entries, by their ids */
  ofTrade(symbol: string, orderIds: readonly string[], own: ReadonlyMap<string, readonly string[]>): Noted {
    const each = orderIds.map((id) => this.ofOrder(symbol, id, own.get(id)))
    const notes = [...new Set(each.flatMap(({ note }) => note ?? []))]
    return noted(
      [],
      each.reduce<readonly string[]>((all, { tags }) => union(all, tags), []),
      notes.length === 0 ? undefined : notes.join('; '),
    )
  }
}

function noted(own: readonly string[], added: readonly string[], note: string | undefined): Noted {
  const tags = union(own, added)
  return { ...defined({ note }), ...(tags.length === 0 ? {} : { tags }) }
}

function union(first: readonly string[] = [], second: readonly string[] = []): readonly string[] {
  return [...new Set([...first, ...second])].slice(0, 2 * MAX_TAGS)
}
