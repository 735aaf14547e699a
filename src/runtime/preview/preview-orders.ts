// What was looked at, as a preview tells it: each order with its consequences, in the order in which they would be sent.
import { Decimal } from 'decimal.js'
import type { Market } from '../../exchange/market.ts'
import type { Order, OrderRef } from '../../exchange/order.ts'
import type { PreviewCancel, PreviewChange, PreviewOrder, PreviewPosition } from '../../protocol/preview.ts'
import { type AccountFacts, createFacts } from '../../trading/preview/account-facts.ts'
import { consequencesOf, type Held, heldAfter } from '../../trading/preview/order-consequences.ts'
import type { Looked } from '../../trading/preview/preview-desk.ts'
import { errorOf } from './preview-run.ts'

/** More than a person reads; the first are kept. */
export const MAX_LISTED = 200

interface Position {
  readonly market: Market
  readonly before: Decimal
  held: Held
}

export interface ToldOrders {
  readonly orders: PreviewOrder[]
  readonly positions: PreviewPosition[]
}

/** @param note is told what is not known, and why */
export async function tellOrders({ orders }: Looked, note: (text: string) => void): Promise<ToldOrders> {
  const factsOf = createFacts(note)
  const told: PreviewOrder[] = []
  const positions = new Map<string, Position & { readonly account: string }>()
  for (const { account, plan, refused, liquidationPrice } of orders.slice(0, MAX_LISTED)) {
    const facts = await factsOf(account, plan.symbol)
    const key = `${account.name} ${plan.symbol}`
    const position = positions.get(key) ?? { account: account.name, ...beginning(facts) }
    if (position.market.kind !== 'spot') positions.set(key, position)
    const { held } = position
    const { protection: _, asked: __, ...request } = plan
    told.push({
      ...{ account: account.name, ...request },
      ...consequencesOf({ plan, held, ...facts }),
      ...(liquidationPrice === undefined ? {} : { liquidationPrice }),
      ...(refused === undefined ? {} : { refused: errorOf(refused) }),
    })
    if (refused !== undefined) continue
    const after = heldAfter({ plan, held })
    position.held = after.eq(held.amount) ? held : { ...held, amount: after }
  }
  return { orders: told, positions: [...positions.values()].map(positionRow) }
}

function beginning({ market, position }: AccountFacts): Position {
  const size = new Decimal(position?.amount ?? 0)
  const before = position?.side === 'short' ? size.neg() : size
  const held = position === undefined ? { amount: before } : { amount: before, entryPrice: position.entryPrice }
  return { market, before, held }
}

function positionRow({ account, market, before, held }: Position & { readonly account: string }): PreviewPosition {
  const unit = market.amountUnit === 'base' ? market.base : market.quote
  const figures = { before: before.toFixed(), after: held.amount.toFixed() }
  return { account, symbol: market.symbol, unit, ...figures }
}

export function tellCancels({ cancels }: Looked): PreviewCancel[] {
  const rows = cancels.slice(0, MAX_LISTED).map(({ account, order }) => cancelRow(account, order))
  return [...new Map(rows.map((row) => [`${row.account} ${row.symbol} ${row.id}`, row])).values()]
}

function cancelRow(account: string, order: Order | OrderRef): PreviewCancel {
  const { symbol, id, clientOrderId } = order
  const known = 'side' in order ? order : undefined
  return {
    ...{ account, symbol, id: id ?? clientOrderId ?? '' },
    ...(known === undefined ? {} : { side: known.side, type: known.type, amount: known.amount }),
    ...(known?.price === undefined ? {} : { price: known.price }),
    ...(known?.triggerPrice === undefined ? {} : { triggerPrice: known.triggerPrice }),
  }
}

export function tellChanges({ changes }: Looked): PreviewChange[] {
  return changes.slice(0, MAX_LISTED).map(({ account, order, change, refused, exit }) => ({
    ...{ account, symbol: order.symbol, id: order.id, ...change, ...exit },
    ...(refused === undefined ? {} : { refused: errorOf(refused) }),
  }))
}
