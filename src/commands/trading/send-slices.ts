// Several orders of one command, sent one after the other or all together, and what became of them as one answer (behaviour 37): what was placed
// stays placed, nothing is sent twice, and what rests can be taken back by what is printed.
import type { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach } from '../../exchange/exchange.ts'
import type { Market } from '../../exchange/market.ts'
import type { Order } from '../../exchange/order.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { printable } from '../../language/printable.ts'
import { showAmount, showAverageOf, showMoney } from '../../trading/figures.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { OrderedBy, OrderPlan } from '../../trading/order-plan.ts'
import { PreviewDesk } from '../../trading/preview/preview-desk.ts'
import type { CommandContext } from '../kit/command.ts'
import type { SlicedData } from '../kit/data.ts'
import { CommandError, describeRefusal, isRefusal, type Refusal } from '../kit/errors.ts'
import { orderReporter } from '../kit/lines.ts'
import { printWould } from '../kit/preview.ts'
import { foreseeAll, placeAsking } from '../kit/running.ts'

/** What became of those that were sent. */
interface SentSlices {
  /** As they were answered, in that order. */
  readonly orders: readonly Order[]
  /** Worked out and not sent (behaviour 40). */
  readonly simulated: number
  /** Which were refused, or are not known to be placed; counted from 1. */
  readonly failed: readonly { readonly number: number; readonly error: Refusal }[]
}

/** One after the other, up to the first that is not placed. */
export async function sendInTurn(
  context: CommandContext,
  account: TradingAccount,
  plans: readonly OrderPlan[],
): Promise<SentSlices> {
  const sending = new Sending(context, account, await foresee(context, account, plans))
  for (const [index, plan] of plans.entries()) {
    await sending.send(plan, index + 1)
    if (sending.failed.length === 0) continue
    if (account.orders instanceof PreviewDesk) account.orders.leaveOut(plans.slice(index + 1))
    break
  }
  return sending.sent()
}

/** All at once. A breach of a limit is asked about once: who says no is not asked about the others. */
export async function sendTogether(
  context: CommandContext,
  account: TradingAccount,
  plans: readonly OrderPlan[],
): Promise<SentSlices> {
  const sending = new Sending(context, account, await foresee(context, account, plans))
  await Promise.all(plans.map((plan, index) => sending.send(plan, index + 1)))
  return sending.sent()
}

/** What only reduces goes as far as it can. */
async function foresee(
  context: CommandContext,
  account: TradingAccount,
  plans: readonly OrderPlan[],
): Promise<readonly AcceptedBreach[]> {
  return plans.every(({ reduceOnly }) => reduceOnly === true) ? [] : foreseeAll(context, account, plans)
}

class Sending {
  readonly #context: CommandContext
  readonly #account: TradingAccount
  readonly #accepted: readonly AcceptedBreach[]
  readonly #orders: Order[] = []
  readonly failed: SentSlices['failed'][number][] = []
  #simulated = 0
  #asking: Promise<boolean> = Promise.resolve(true)

  constructor(context: CommandContext, account: TradingAccount, accepted: readonly AcceptedBreach[]) {
    this.#context = context
    this.#account = account
    this.#accepted = accepted
  }

  sent(): SentSlices {
    const failed = this.failed.toSorted((a, b) => a.number - b.number)
    return { orders: this.#orders, simulated: this.#simulated, failed }
  }

  async send(plan: OrderPlan, number: number): Promise<void> {
    const context = this.#context
    const report = orderReporter(context)
    try {
      const place = (by: OrderedBy) => this.#account.orders.place(plan, by, report)
      const order = await placeAsking(this.#asker(), place, this.#accepted)
      this.#orders.push(order)
    } catch (error) {
      if (error instanceof Simulated) {
        this.#simulated += 1
        return printWould(
          error.would,
          (text, data) => context.out.info(text, data),
          context.marketsOf(context.accountName),
        )
      }
      if (!isRefusal(error)) throw error
      this.failed.push({ number, error })
    }
  }

  #asker(): Parameters<typeof placeAsking>[0] {
    const context = this.#context
    return {
      orderedBy: () => context.orderedBy(),
      confirm: context.confirm === undefined ? undefined : (...asked) => this.#ask(...asked),
      get isAborted() {
        return context.isAborted
      },
    }
  }

  #ask(...asked: Parameters<NonNullable<CommandContext['confirm']>>): Promise<boolean> {
    this.#asking = this.#asking.then(async (goesOn) => goesOn && (await this.#context.confirm?.(...asked)) === true)
    return this.#asking
  }
}

/**
 * Says what stays, and fails the step. Where nothing was placed the refusal speaks for itself.
 * @throws {CommandError} `partly-placed` @throws {Refusal}
 */
export async function refusePartly(
  { out }: CommandContext,
  account: TradingAccount,
  { orders, failed }: SentSlices,
  data: SlicedData,
): Promise<void> {
  const [first, ...others] = failed
  if (first === undefined) return
  if (orders.length === 0 && others.every(({ error }) => isAs(error, first.error))) throw first.error
  for (const { number, error } of others) out.error(`order ${number} of ${data.slices}: ${describeRefusal(error)}`)
  const ids = (await restingOf(account, orders)).map((id) => printable(id, 64))
  const rests = ids.length === 0 ? '' : `; \`cancel ${ids.join(',')}\` cancels ${ids.length === 1 ? 'it' : 'them'}`
  out.warn(`${orders.length} of ${data.slices} orders were placed${rests}`, data)
  const { code, message, hint } = first.error
  const what = code === 'outcome-unknown' ? 'has an unknown outcome' : 'was refused'
  const isStopped = others.length === 0 && orders.length === first.number - 1 && first.number < data.slices
  const why = `order ${first.number} of ${data.slices} ${what}${isStopped ? ', and no more were sent' : ''}: ${message}`
  throw new CommandError('partly-placed', why, { cause: first.error, ...defined({ hint }) })
}

/** The ids of those that rest now; where the venue does not say, of those that did. */
async function restingOf({ venue }: TradingAccount, orders: readonly Order[]): Promise<readonly string[]> {
  const [first] = orders
  if (first === undefined) return []
  const ids = orders.filter(({ status }) => status === 'open').map(({ id }) => id)
  try {
    const open = new Set((await venue.fetchOpenOrders(first.symbol)).map(({ id }) => id))
    return ids.filter((id) => open.has(id))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return ids
  }
}

/** For the same reason. One of which nothing is known is like no other. */
function isAs({ code }: Refusal, other: Refusal): boolean {
  return code === other.code && code !== 'outcome-unknown'
}

export interface SlicedSum {
  readonly amount: Decimal
  readonly average: Decimal
}

/** `buy 0.01 BTCUSDT in 5 orders, $630.50 at 63,050 on average`. @param what is done, or was: `bought` */
export function describeSum(
  what: string,
  { symbol, slices }: Pick<SlicedData, 'symbol' | 'slices'>,
  { amount, average }: SlicedSum,
  market: Market,
): string {
  const at = showAverageOf(average, market)
  const money = showMoney(worthOf({ amount, average }, market))
  return `${what} ${showAmount(amount)} ${symbol} in ${slices} orders, ${money} at ${at} on average`
}

/** In quote. */
export function worthOf({ amount, average }: SlicedSum, { amountUnit }: Market): Decimal {
  return amountUnit === 'quote' ? amount : amount.times(average)
}
