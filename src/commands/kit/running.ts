// Waiting that ends with the run.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { AcceptedBreach, OrdersAhead } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { Simulated } from '../../exchange/simulated.ts'
import { breachRefusal } from '../../guards/guard.ts'
import { type Breach, GuardedError } from '../../guards/rules.ts'
import { showAmount } from '../../trading/figures.ts'
import { type Funds, findMarket, fundsOnce } from '../../trading/market-view.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import { type OrderedBy, type OrderPlan, orderIdOf } from '../../trading/order-plan.ts'
import { nothingLooked, PreviewDesk } from '../../trading/preview/preview-desk.ts'
import { createTrialAccount, requireTaken } from '../../trading/preview/trial-account.ts'
import { fillPrice } from '../../trading/pricing.ts'
import { type CommandContext, questionOf } from './command.ts'
import { CommandError, describeRefusal, isRefusal } from './errors.ts'
import { printWould } from './preview.ts'

/** The longest single delay asked of the clock: timers count no further than 24 days. */
const LONGEST_DELAY_MS = 24 * 60 * 60_000

/** For a wait that the operator or the end of the process cancels. */
export function interrupted(): CommandError {
  return new CommandError('interrupted', 'the run was canceled')
}

/** @throws {CommandError} `interrupted` when the run is canceled first */
export async function pause(context: CommandContext, ms: number): Promise<void> {
  if (!context.signal.aborted) await context.clock.delay(ms, context.signal)
  if (context.signal.aborted) throw interrupted()
}

/** Resolves when `signal` aborts, or after `timeoutMs` where given. */
export async function untilAborted(context: CommandContext, signal: AbortSignal, timeoutMs?: number): Promise<void> {
  if (timeoutMs !== undefined && !signal.aborted) return context.clock.delay(timeoutMs, signal)
  while (!signal.aborted) await context.clock.delay(LONGEST_DELAY_MS, signal)
}

// How many steps one run may take (behaviour 30): a hook or page that asks for a million would keep every other run waiting.

/** Every command counts, also one inside a group, and an alias with the commands it stands for. */
export const MAX_STEPS = 10_000

/** For the step after the last. */
export function tooManySteps(): CommandError {
  return new CommandError('too-many-steps', 'this run has reached its limit of 10,000 steps', {
    hint: 'repeat less often, or do the rest in another run',
  })
}

// One command over several symbols: one line each, and one that fails does not stop the others. Commands that add to a position look
// first at all of them (`foreseeEach`); those that reduce go as far as they can.

/**
 * Runs `work` for each item in order. A single item fails as itself; of several, each refusal is printed and the step
 * fails at the end. A no of a person ends them all.
 * @throws {CommandError} `partly-failed`
 */
export async function forEachItem(
  context: CommandContext,
  items: readonly string[],
  work: (item: string) => Promise<void>,
): Promise<void> {
  if (items.length === 1 && items[0] !== undefined) return work(items[0])
  const failed = await failuresOf(context, items, work)
  if (failed.length === 0) return
  throw new CommandError('partly-failed', `${failed.length} of ${items.length} failed: ${failed.join(', ')}`)
}

async function failuresOf(
  context: CommandContext,
  items: readonly string[],
  work: (item: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const failed: string[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      if (error instanceof Simulated) {
        printWould(error.would, (text, data) => context.out.info(text, data), context.marketsOf(context.accountName))
        continue
      }
      if (!isRefusal(error)) throw error
      failed.push(item)
      context.out.error(`${item}: ${describeRefusal(error)}`)
      if (context.isDeclined === true) break
    }
  }
  return failed
}

// At a terminal an order that would break a limit of its account asks; anywhere else it is refused (behaviour 40). While the question waits
// nothing is under way: no lock is held, no order is counted. After the answer everything is worked out again, at the prices of then.

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
    const by = context.orderedBy()
    try {
      return await attempt(accepted.length === 0 ? by : { ...by, accepted }, accepted !== before)
    } catch (error) {
      const breaches = breachesOf(error)
      if (error instanceof GuardedError) by.asking?.refused()
      if (!(error instanceof GuardedError) || breaches.length === 0 || context.confirm === undefined) throw error
      const question = questionOf(`account ${error.account}: ${error.message}`, 'send it anyway?')
      if (!(await context.confirm(question, { isOfGuards: true })) || context.isAborted) throw error
      const asked = breaches.map(({ limit, value }) => ({ limit, value }))
      accepted = [...accepted.filter(({ limit }) => !asked.some((each) => each.limit === limit)), ...asked]
    }
  }
}

// A list is sent whole or not at all, for what can be foreseen (behaviour 39): before the first order of it is sent, each is looked at on what the
// ones before it would leave, by the limits of its account, the budget of its fire and what the venue would say. A person is asked then, and not again.

/** Limits that a person let an item pass. */
type Accepted = ReadonlyMap<string, readonly AcceptedBreach[]>

/**
 * Orders of one symbol. A person is asked once for all of them, about the largest breach of each limit. Changes nothing.
 * @throws the refusal of the first that would be refused
 */
export async function foreseeAll(
  context: CommandContext,
  account: TradingAccount,
  plans: readonly OrderPlan[],
): Promise<readonly AcceptedBreach[]> {
  const budget = context.orderedBy().budget
  const ids: string[] = []
  let refusedAt = 0
  try {
    return await placeAsking(context, async ({ accepted = [] }) => {
      const looking = await lookingAt(account)
      const worst = new Map<string, Breach>()
      for (const [index, plan] of plans.entries()) {
        if (worst.size === 0) refusedAt = index
        const by = context.orderedBy()
        ids.push(orderIdOf(by))
        const look = (more: readonly AcceptedBreach[]) =>
          looking.look(plan, { ...by, accepted: [...accepted, ...more] })
        await look([]).catch((error: unknown) => {
          const breaches = breachesOf(error)
          if (breaches.length === 0) throw error
          for (const breach of breaches) keepLarger(worst, breach)
          return look(breaches)
        })
      }
      if (worst.size > 0) throw breachRefusal(account.name, [...worst.values()])
      return accepted
    })
  } catch (error) {
    const { orders } = account
    const refused = plans[refusedAt]
    if (orders instanceof PreviewDesk && isRefusal(error) && refused !== undefined) {
      orders.leaveOut(plans.slice(0, refusedAt))
      orders.refuse(refused, error)
      orders.leaveOut(plans.slice(refusedAt + 1))
    }
    throw error
  } finally {
    for (const id of ids) budget?.giveBack(id)
  }
}

function keepLarger(worst: Map<string, Breach>, breach: Breach): void {
  const before = worst.get(breach.limit)
  if (before === undefined || new Decimal(breach.value).gt(before.value)) worst.set(breach.limit, breach)
}

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
        const allowed = await placeAsking(asker(), async (by) => {
          await looking.look(await planOn(item, looking.account), by)
          return by.accepted ?? []
        })
        accepted.set(item, allowed)
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

/**
 * Before a person is asked about orders: what would be refused all the same. A limit that a person may let them pass is asked about later. Sends
 * nothing, and takes nothing of the fire's budget.
 * @throws the refusal of the first that would be refused
 */
export async function requirePlaceable(
  context: Pick<CommandContext, 'orderedBy' | 'confirm' | 'isDry'>,
  account: TradingAccount,
  plans: readonly OrderPlan[],
): Promise<void> {
  const [first] = plans
  if (first === undefined) return
  const { budget: _, ...by } = context.orderedBy()
  // Nobody is asked: what the venue makes of it is found out by sending it.
  if (context.confirm === undefined || context.isDry) {
    await account.orders.look(first, by).catch((error: unknown) => {
      if (context.confirm === undefined || breachesOf(error).length === 0) throw error
    })
    return
  }
  const looking = await lookingAt(account)
  for (const plan of plans) {
    await looking.look(plan, by).catch((error: unknown) => {
      const accepted = breachesOf(error)
      if (accepted.length === 0) throw error
      return looking.look(plan, { ...by, accepted })
    })
  }
}

/** Limits that a person may let it pass. */
export function breachesOf(error: unknown): readonly Breach[] {
  return error instanceof GuardedError ? error.breaches : []
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
  let ahead: OrdersAhead = { value: '0', count: 0, underWay: [] }
  const funds = new SpotFunds(real)
  return {
    account,
    /** Each is judged as if those before it were sent. */
    async look(plan: OrderPlan, by: OrderedBy): Promise<void> {
      await funds.require(plan)
      const refused = await account.orders.place(plan, { ...by, ahead }, () => {}).catch((error: unknown) => error)
      // What the venue would refuse is not asked about.
      if (breachesOf(refused).length > 0) await requireTaken(trial.venue, plan)
      // An exit that the venue does not take whole is sent in parts.
      const isLooked = refused instanceof Simulated || (plan.reduceOnly === true && !(refused instanceof GuardedError))
      if (!isLooked) throw refused
      const { symbol, side, amount } = plan
      ahead = {
        value: new Decimal(looked.orders.at(-1)?.value ?? 0).plus(ahead.value).toFixed(),
        count: ahead.count + 1 + protectiveOrders(plan),
        underWay: [...ahead.underWay, { id: orderIdOf(by), symbol, side, amount }],
      }
      funds.take()
    },
  }
}

/** Those that follow an entry at once. */
function protectiveOrders({ protection, type, crosses }: OrderPlan): number {
  if (protection === undefined || (type !== 'market' && crosses !== true)) return 0
  return [protection.triggerPrice, protection.takeProfitPrice].filter((price) => price !== undefined).length
}

/** Of a spot venue that cannot try orders: what each takes out of what is free. What a margin account takes is the venue's own to say. */
class SpotFunds {
  readonly #account: TradingAccount
  readonly #funds: Funds
  readonly #taken = new Map<string, Decimal>()
  #next: { readonly currency: string; readonly amount: Decimal } | undefined

  constructor(account: TradingAccount) {
    this.#account = account
    this.#funds = fundsOnce(account.venue)
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
    const free = new Decimal(await this.#funds.free(currency)).minus(this.#taken.get(currency) ?? 0)
    if (amount.gt(free)) {
      throw new ExchangeError(
        'insufficient-funds',
        `it takes ${showAmount(amount)} ${currency}, and ${showAmount(free)} is left`,
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
