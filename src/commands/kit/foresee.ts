// A list is sent whole or not at all, for what can be foreseen (behaviour 39): before the first order of it is sent, each is looked at on what the
// ones before it would leave, by the limits of its account, the budget of its fire and what the venue would say. A person is asked then, and not again.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach, LimitUse } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { breachRefusal } from '../../guards/guard.ts'
import { type Breach, breachesOf, GuardedError, notAccepted } from '../../guards/rules.ts'
import { findMarket, freeOnce } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type OrderedBy, type OrderPlan, orderIdOf } from '../../trading/order-plan.ts'
import { nothingLooked, PreviewDesk } from '../../trading/preview/preview-desk.ts'
import { createTrialAccount } from '../../trading/preview/trial-account.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { placeAsking } from './ask-breach.ts'
import type { CommandContext } from './command.ts'
import { CommandError } from './command-error.ts'
import { describeRefusal, isRefusal } from './refusal.ts'

/** Limits that a person let an item pass. */
type Accepted = ReadonlyMap<string, readonly AcceptedBreach[]>

interface List {
  readonly account: TradingAccount
  readonly items: readonly string[]
  /** Every figure worked out. @param on the account as the items before would leave it */
  planOn(item: string, on: TradingAccount): Promise<OrderPlan>
}

/**
 * Changes nothing. One item is not looked at: its own work does that.
 * @throws {CommandError} `none-placed` when at least one would be refused, after each refusal was printed
 */
export async function foreseeEach(context: CommandContext, { account, items, planOn }: List): Promise<Accepted> {
  const accepted = new Map<string, readonly AcceptedBreach[]>()
  if (items.length < 2) return accepted
  const looking = await lookingAt(account)
  const failed: string[] = []
  const ids: string[] = []
  const budget = context.orderedBy().budget
  const asker = (): Parameters<typeof placeAsking>[0] => ({
    // After a no to one nobody is asked about the others.
    confirm: failed.length === 0 ? context.confirm : undefined,
    get isAborted() {
      return context.isAborted
    },
    orderedBy() {
      const by = context.orderedBy()
      ids.push(orderIdOf(by))
      return by
    },
  })
  try {
    for (const item of items) {
      try {
        const said = await placeAsking(asker(), async (by) => {
          await looking.look(await planOn(item, looking.account), by)
          return by.accepted ?? []
        })
        accepted.set(item, said)
      } catch (error) {
        if (!isRefusal(error)) throw error
        failed.push(item)
        context.out.error(`${item}: ${describeRefusal(error)}`)
      }
    }
  } finally {
    for (const id of ids) budget?.giveBack(id)
  }
  if (failed.length === 0) return accepted
  throw new CommandError('none-placed', `${failed.join(', ')} refused: no order was placed`, {
    hint: 'correct the size or the list',
  })
}

async function lookingAt(real: TradingAccount) {
  const trial = await createTrialAccount(real.venue)
  const looked = nothingLooked()
  const { name, priceBand } = real
  const account: TradingAccount = {
    name,
    venue: trial.venue,
    orders: new PreviewDesk(real, trial, looked),
    ...defined({ priceBand }),
  }
  const sums = new Sums()
  const funds = new SpotFunds(real)
  return {
    account,
    async look(plan: OrderPlan, by: OrderedBy): Promise<void> {
      await funds.require(plan)
      const refused = await account.orders.place(plan, by, () => {}).catch((error: unknown) => error)
      const uses = looked.orders.at(-1)?.uses ?? []
      const summed = sums.breachesOf(plan, uses, by.accepted)
      if (refused instanceof GuardedError && refused.breaches.length > 0) {
        const others = refused.breaches.filter(({ limit }) => !SUMMED.has(limit))
        throw breachRefusal(name, [...others, ...summed])
      }
      if (!(refused instanceof Simulated)) throw refused
      if (summed.length > 0) throw breachRefusal(name, summed)
      sums.take(plan, uses)
      funds.take()
    },
  }
}

/** Limits that count all orders together. */
const SUMMED: ReadonlySet<string> = new Set(['day', 'rate'])

/** Each order is judged by what was used before the list: what the list itself uses of a day and of a minute is added up here. */
class Sums {
  #dollars = new Decimal(0)
  #orders = 0

  breachesOf(plan: OrderPlan, uses: readonly LimitUse[], accepted: OrderedBy['accepted']): readonly Breach[] {
    const [day, rate] = [limitUse(uses, 'day'), limitUse(uses, 'rate')]
    const limits = { ...defined({ day: day?.max, rate: rate?.max }), lossWithOpen: true }
    const used = { day: this.#dollars.plus(day?.before ?? 0), lastMinute: this.#orders + Number(rate?.before ?? 0) }
    const facts = { value: worthOf(uses), positionValue: undefined, through: undefined, used }
    return notAccepted(breachesOf(plan, facts, limits), accepted)
  }

  take(plan: OrderPlan, uses: readonly LimitUse[]): void {
    this.#dollars = this.#dollars.plus(worthOf(uses))
    this.#orders += 1 + protectiveOrders(plan)
  }
}

function limitUse(uses: readonly LimitUse[], limit: string): LimitUse | undefined {
  return uses.find((use) => use.limit === limit)
}

/** Of the order, as the limit of a day counts it. */
function worthOf(uses: readonly LimitUse[]): Decimal {
  const day = limitUse(uses, 'day')
  return new Decimal(day?.after ?? 0).minus(day?.before ?? 0)
}

/** Those that follow an entry at once. */
function protectiveOrders({ protection, type, crosses }: OrderPlan): number {
  if (protection === undefined || (type !== 'market' && crosses !== true)) return 0
  return [protection.triggerPrice, protection.takeProfitPrice].filter((price) => price !== undefined).length
}

/** Of a spot venue that cannot try orders: what each takes out of what is free. What a margin account takes is the venue's own to say. */
class SpotFunds {
  readonly #account: TradingAccount
  readonly #free: (currency: string) => Promise<string>
  readonly #taken = new Map<string, Decimal>()
  #next: { readonly currency: string; readonly amount: Decimal } | undefined

  constructor(account: TradingAccount) {
    this.#account = account
    this.#free = freeOnce(account.venue)
  }

  /** @throws {ExchangeError} `insufficient-funds` */
  async require(plan: OrderPlan): Promise<void> {
    const { venue } = this.#account
    this.#next = undefined
    if (venue.kind !== 'spot' || venue.trial !== undefined || plan.triggerPrice !== undefined) return
    const { base, quote, symbol } = await findMarket(venue, plan.symbol)
    const currency = plan.side === 'buy' ? quote : base
    const price = plan.side === 'sell' ? 1 : (plan.price ?? fillPrice('buy', await this.#ticker(symbol), undefined))
    const amount = new Decimal(plan.amount).times(price)
    const free = new Decimal(await this.#free(currency)).minus(this.#taken.get(currency) ?? 0)
    if (amount.gt(free)) {
      throw new ExchangeError(
        'insufficient-funds',
        `it takes ${amount.toFixed()} ${currency}, and ${free.toFixed()} is left`,
      )
    }
    this.#next = { currency, amount }
  }

  take(): void {
    if (this.#next === undefined) return
    const { currency, amount } = this.#next
    this.#taken.set(currency, amount.plus(this.#taken.get(currency) ?? 0))
  }

  #ticker(symbol: string) {
    const { venue } = this.#account
    return venue.knownTicker?.(symbol) ?? venue.fetchTicker(symbol)
  }
}
