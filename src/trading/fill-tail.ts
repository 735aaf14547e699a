// The newest fills of this process's orders, with who ordered them: heard as they are written into the order journal.
import { BoundedMap } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { Trade } from '../exchange/order.ts'
import { tradeKey } from './history/journal-history.ts'
import type { OrderJournal } from './order-journal.ts'
import type { OrderedBy } from './order-plan.ts'

export interface OwnOrderFill {
  readonly account: string
  readonly trade: Trade
  /** Absent where the order is older than this process. */
  readonly by?: OrderedBy
}

export interface FillTail {
  /** Newest first. */
  list(): readonly OwnOrderFill[]
  /** @returns stops the calls */
  watch(handler: (fill: OwnOrderFill) => void): () => void
}

const MAX_FILLS = 200
/** Orders that may still fill; who ordered one that fills later is told by the journal alone. */
const MAX_ORDERS = 10_000

/** The same journal, and what it is told of fills. */
export function tailFills(journal: OrderJournal): { readonly journal: OrderJournal; readonly fills: FillTail } {
  const orderedBy = new BoundedMap<string, OrderedBy>(MAX_ORDERS)
  const fills = new BoundedMap<string, OwnOrderFill>(MAX_FILLS)
  const handlers = new Set<(fill: OwnOrderFill) => void>()
  return {
    journal: {
      ...journal,
      intend(intent) {
        orderedBy.set(intent.id, intent.by)
        return journal.intend(intent)
      },
      async takeOver(account) {
        const left = await journal.takeOver(account)
        for (const { id, by } of left.orders) orderedBy.set(id, by)
        return left
      },
      fill(id, account, trade) {
        journal.fill(id, account, trade)
        const key = `${account}|${tradeKey(trade)}`
        // Who takes an order over writes its fills down again.
        if (fills.has(key)) return
        const by = orderedBy.get(id)
        const fill = { account, trade, ...defined({ by }) }
        fills.set(key, fill)
        for (const handler of handlers) handler(fill)
      },
    },
    fills: {
      list: () => [...fills.values()].reverse(),
      watch(handler) {
        handlers.add(handler)
        return () => void handlers.delete(handler)
      },
    },
  }
}
