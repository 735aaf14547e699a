// At a terminal an order that would break a limit of its account asks; anywhere else it is refused (behaviour 40). While the question waits
// nothing is under way: no lock is held, no order is counted. After the answer everything is worked out again, at the prices of then.
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import { GuardedError } from '../../guards/rules.ts'
import { printable } from '../../language/printable.ts'
import type { OrderedBy } from '../../trading/order-plan.ts'
import type { CommandContext } from './command.ts'

/**
 * @param attempt works the order out and places it; called again after a `y`, with what that lets pass
 * @param before what the person has let it pass already
 * @throws as `attempt`: a breach that nobody was asked about, or that was answered with `n`
 */
export async function placeAsking<T>(
  context: Pick<CommandContext, 'orderedBy' | 'confirm' | 'isAborted'>,
  attempt: (by: OrderedBy, isAgain: boolean) => Promise<T>,
  before: readonly AcceptedBreach[] = [],
): Promise<T> {
  let accepted = before
  for (;;) {
    try {
      const by = context.orderedBy()
      return await attempt(accepted.length === 0 ? by : { ...by, accepted }, accepted !== before)
    } catch (error) {
      const breaches = error instanceof GuardedError ? error.breaches : []
      if (!(error instanceof GuardedError) || breaches.length === 0 || context.confirm === undefined) throw error
      const question = `account ${error.account}: ${error.message}; send it anyway? y or n >`
      if (!(await context.confirm(printable(question, 190))) || context.isAborted) throw error
      const asked = breaches.map(({ limit, value }) => ({ limit, value }))
      accepted = [...accepted.filter(({ limit }) => !asked.some((each) => each.limit === limit)), ...asked]
    }
  }
}
