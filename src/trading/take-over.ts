// What processes that are gone have left of an account, taken over by its desk.
import type { Follower } from './following.ts'
import type { OrderAmender } from './order-amender.ts'
import type { OrderDeskOptions } from './order-desk-options.ts'
import { endsAtOnce } from './order-plan.ts'
import type { OrderSender } from './order-sender.ts'
import type { Protections } from './protections.ts'

interface TakeOverPorts extends Pick<OrderDeskOptions, 'account' | 'journal' | 'report'> {
  readonly follower: Follower
  readonly protections: Protections
  readonly sender: OrderSender
  readonly amender: OrderAmender
}

/** All are in doubt before the first is asked for, so that no order passes one that it depends on. */
export async function takeOver(ports: TakeOverPorts): Promise<void> {
  const { journal, account, report, follower, protections, sender, amender } = ports
  const { orders: left, changes } = await journal.takeOver(account)
  for (const intent of left.filter(({ protects }) => protects === undefined)) {
    follower.begin(intent.id, report, { isToRest: !endsAtOnce(intent.order) })
    // Only its fills are still to be read.
    if (!intent.isReleased) protections.begin(intent, report)
  }
  await Promise.all([
    ...left.map((intent) => sender.resume(intent, report)),
    ...changes.map((change) => amender.resume(change, report)),
  ])
  if (left.length > 0) protections.leftovers.suspectAll()
}
