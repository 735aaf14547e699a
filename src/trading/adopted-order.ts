// An order that was sent by a process that no longer looks after it: what it is now.
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderRef } from '../exchange/order.ts'
import type { Follower } from './following.ts'
import type { OrderListener } from './order-event.ts'
import type { OrderJournal } from './order-journal.ts'
import type { JournalledOrder } from './order-journal-lines.ts'
import { endsAtOnce } from './order-plan.ts'
import type { OrderSender } from './order-sender.ts'
import type { Protections } from './protections.ts'
import { orderOf } from './settlement.ts'

export type AdoptedRef = OrderRef & { readonly clientOrderId: string }

export type Adopted =
  | { readonly kind: 'found'; readonly order: Order }
  /** Its intent was never written, or what came of it was a refusal. */
  | { readonly kind: 'never-arrived' }
  /** `isFollowed`: it is told when it is known; else it is to be asked for again. */
  | { readonly kind: 'unknown'; readonly isFollowed: boolean }

interface AdoptPorts {
  readonly exchange: VenueView
  readonly journal: OrderJournal
  readonly follower: Follower
  readonly protections: Protections
  readonly sender: OrderSender
}

/** From now on it is told to `tell`. @throws {StoreError} the journal cannot be read */
export async function adoptOrder(ports: AdoptPorts, ref: AdoptedRef, notify: OrderListener): Promise<Adopted> {
  const { journal, follower, protections, sender } = ports
  const id = ref.clientOrderId
  if (!follower.renotify(id, notify)) {
    const intent = await journal.claim(id)
    if (intent !== undefined) {
      follower.begin(id, notify, { isToRest: !endsAtOnce(intent.order) })
      if (!intent.isReleased) protections.begin(intent, notify)
      await sender.resume(intent, notify)
    }
  }
  if (sender.renotify(id, notify)) return { kind: 'unknown', isFollowed: true }
  return askAdopted(ports, ref)
}

/** Of an order that the journal knows no doubt about: it was never sent, it is over, or it is followed. A venue forgets what is over. */
async function askAdopted({ exchange, journal, follower }: AdoptPorts, ref: AdoptedRef): Promise<Adopted> {
  const id = ref.clientOrderId
  try {
    return { kind: 'found', order: await exchange.fetchOrder(ref) }
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    if (error.code !== 'order-not-found' || follower.find(id) !== undefined)
      return { kind: 'unknown', isFollowed: false }
    const known = await journal.recordOf(id)
    const stated = known?.outcome?.outcome
    if (known === undefined || stated === 'refused' || stated === 'simulated') return { kind: 'never-arrived' }
    const order = asEnded(known)
    return order === undefined ? { kind: 'unknown', isFollowed: false } : { kind: 'found', order }
  }
}

/** As the journal has it; undefined where it has no end. */
function asEnded({ intent, outcome, end, filled, average }: JournalledOrder): Order | undefined {
  if (end === undefined || outcome?.outcome !== 'placed') return undefined
  const { id, at, order } = intent
  const ref = { symbol: order.symbol, clientOrderId: id }
  const most = Decimal.max(end.filled, filled)
  return {
    ...orderOf({ ref, sentAt: at }, order, outcome.orderId, []),
    status: end.status,
    filled: most.toFixed(),
    remaining: Decimal.max(0, new Decimal(order.amount).minus(most)).toFixed(),
    ...defined({ average }),
  }
}
