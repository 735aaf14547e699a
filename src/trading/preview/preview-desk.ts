// A desk that sends nothing: it asks whether each order would be let through, keeps what it was, and ends the step as simulation does
// (behaviour 40). Whatever else a desk does is either looked up at the real one or not done.
import { Decimal } from 'decimal.js'
import { defined } from '../../base/defined.ts'
import type { LimitUse } from '../../exchange/exchange.ts'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import type { Ticker } from '../../exchange/market.ts'
import { type Order, type OrderChange, type OrderRef, refOf } from '../../exchange/order.ts'
import { Simulated, type Would } from '../../exchange/simulated.ts'
import type { Replacement } from '../order-amender.ts'
import type { Adopted, Orders, TradingAccount } from '../order-desk.ts'
import {
  endsAtOnce,
  type OrderedBy,
  type OrderPlan,
  orderIdOf,
  type ProtectionPlan,
  type WaitingPrices,
  withAttached,
  withoutAsked,
} from '../order-plan.ts'
import { type ExitPnl, exitPnlOf, type Rated } from '../portfolio.ts'
import { attachedOrders } from '../protection-state.ts'
import { heldAgainst } from '../protections.ts'
import { TradingError } from '../trading-error.ts'
import { type TrialAccount, takesNow } from './trial-account.ts'

/** In the order in which they would be sent; `refused`: why one would not be. */
export interface Looked {
  orders: {
    readonly account: TradingAccount
    readonly plan: OrderPlan
    /** Its figures were worked out with it: those of the preview are, too. */
    readonly ticker?: Ticker
    /** How many orders and changes were looked at before it. */
    readonly seq: number
    readonly refused?: unknown
    readonly liquidationPrice?: string
    /** Of one that takes at once: what the book holds of it, where that is less. */
    readonly fills?: string
    /** Of its account's limits. */
    readonly uses: readonly LimitUse[]
    /** In dollars, as the limit of a day counts it; absent: it is not counted. */
    readonly value?: string
  }[]
  cancels: { readonly account: string; readonly order: Order | OrderRef }[]
  changes: {
    readonly account: string
    readonly order: Order
    readonly change: OrderChange
    readonly on: TradingAccount
    /** The line itself would place the order: what is held with it has been counted. */
    readonly isNew: boolean
    readonly seq: number
    readonly refused?: unknown
    /** What of it goes through the market at once. */
    readonly taken?: OrderPlan
    /** The entry as it would rest then, with its protection. */
    readonly resting?: OrderPlan
    /** Of one that ends what is held, as far as that is known. */
    readonly exit?: ExitPnl
  }[]
  settings: { readonly account: string; readonly symbol: string; readonly what: string; readonly value: string }[]
}

export function nothingLooked(): Looked {
  return { orders: [], cancels: [], changes: [], settings: [] }
}

export class PreviewDesk implements Orders {
  readonly records: Orders['records']
  readonly amender: Orders['amender']
  readonly leftovers: Orders['leftovers'] = { exited: async () => {} }
  readonly #account: TradingAccount
  readonly #trial: TrialAccount
  readonly #looked: Looked

  /** @param account whose guards and doubts decide; nothing is sent through it @param trial what the venue would say */
  constructor(account: TradingAccount, trial: TrialAccount, looked: Looked) {
    this.#account = account
    this.records = account.orders.records
    this.amender = account.orders.amender
    this.#trial = trial
    this.#looked = looked
  }

  async place(plan: OrderPlan, by: OrderedBy): Promise<never> {
    const account = this.#account
    const { protection: _, ...order } = withoutAsked(plan)
    const seq = this.#seq()
    const ticker = this.#trial.ticker(plan.symbol)
    let would: Extract<Would, { kind: 'place' }> = { kind: 'place', order }
    const isCarried = account.venue.capabilities.attached !== undefined
    const against = isCarried ? await heldAgainst(this.#trial.venue, plan) : undefined
    const uses: LimitUse[] = []
    let value: string | undefined
    const onJudged: OrderedBy['onJudged'] = (judged, counted) => {
      uses.push(...judged)
      value = counted
    }
    try {
      const sent = await account.orders.look(plan, { ...by, onJudged })
      would = { kind: 'place', order: { ...order, ...sent } }
      const placed = await this.#trial.take(would)
      const liquidationPrice = fills(placed) ? this.#trial.liquidationPrice(plan.symbol) : undefined
      const short = endsAtOnce(plan) && placed !== undefined && new Decimal(placed.filled).lt(plan.amount)
      this.#looked.orders.push({
        account,
        plan: { ...plan, ...sent },
        uses,
        seq,
        ...(short ? { fills: placed.filled } : {}),
        ...defined({ liquidationPrice, value, ticker }),
      })
      if (placed !== undefined) await this.#takeStop(plan, placed.filled)
      if (short) throw new Simulated(would, placed.filled)
    } catch (refused) {
      if (refused instanceof Simulated) throw refused
      this.#looked.orders.push({ account, plan, uses, refused, seq, ...defined({ ticker }) })
      throw refused
    }
    const { protection } = withAttached(plan, account.venue.capabilities, against)
    const attached = attachedOrders(orderIdOf(by), protection, account.venue.capabilities)
    throw new Simulated(attached === undefined ? would : { kind: 'place', order: { ...would.order, attached } })
  }

  /** Orders of a line of which one is refused. */
  leaveOut(plans: readonly OrderPlan[]): void {
    const refused = new TradingError('not-sent', 'not sent: another order of the line is refused')
    for (const plan of plans) this.refuse(plan, refused)
  }

  refuse(plan: OrderPlan, refused: unknown): void {
    this.#looked.orders.push({ account: this.#account, plan, uses: [], refused, seq: this.#seq() })
  }

  /** The stop that follows what has filled: later steps of the line find it resting. */
  async #takeStop({ symbol, side, reduceOnly, protection }: OrderPlan, filled: string): Promise<void> {
    const { triggerPrice, takeProfitPrice } = protection ?? {}
    if (triggerPrice === undefined || reduceOnly === true || new Decimal(filled).isZero()) return
    const exit = side === 'buy' ? 'sell' : 'buy'
    const stop = { symbol, side: exit, type: 'stop', amount: filled, triggerPrice, reduceOnly: true } as const
    const isPair = this.#account.venue.capabilities.oco === true
    const order = { ...stop, ...(isPair ? defined({ takeProfitPrice }) : {}) }
    // What the venue would refuse of it is not this step's failure.
    await this.#trial.take({ kind: 'place', order }).catch((error: unknown) => {
      if (!(error instanceof ExchangeError)) throw error
    })
  }

  async judge(plan: OrderPlan, by: OrderedBy): Promise<void> {
    await this.look(plan, by).finally(() => by.budget?.giveBack(orderIdOf(by)))
  }

  look(plan: OrderPlan, by: OrderedBy): ReturnType<Orders['look']> {
    return this.#account.orders.look(plan, by)
  }

  async cancel(ref: OrderRef): Promise<never> {
    const { name: account } = this.#account
    const open = await this.#trial.venue.fetchOpenOrders(ref.symbol)
    const order = open.find(
      ({ id, clientOrderId }) => id === ref.id || (ref.id === undefined && clientOrderId === ref.clientOrderId),
    )
    await this.#trial.take({ kind: 'cancel', ref })
    this.#looked.cancels.push({ account, order: order ?? ref })
    throw new Simulated({ kind: 'cancel', ref })
  }

  async cancelAll(symbol: string | undefined): Promise<never> {
    const { name: account } = this.#account
    const open = await this.#trial.venue.fetchOpenOrders(symbol)
    const would = { kind: 'cancel-all', ...defined({ symbol }) } as const
    await this.#trial.take(would)
    this.#looked.cancels.push(...open.map((order) => ({ account, order })))
    throw new Simulated(would)
  }

  async amend(order: Order, change: OrderChange, by: OrderedBy): Promise<never> {
    const on = this.#account
    const would = { kind: 'change', ref: refOf(order), change } as const
    const protection = await this.records.waitingAnywhere(order)
    const looked = { account: on.name, on, order, change, seq: this.#seq(), isNew: this.#trial.isNew(order) }
    let taken: OrderPlan | undefined
    try {
      await this.#lookAtOwn(order, change, by)
      const asked = takenPlan(order, change)
      const takes = asked !== undefined && (await takesNow(this.#trial.venue, asked))
      const after = await this.#trial.take(would)
      const filled = after === undefined ? asked?.amount : new Decimal(after.filled).minus(order.filled).toFixed()
      if (takes && filled !== undefined && new Decimal(filled).gt(0))
        taken = { ...asked, amount: filled, ...defined({ protection }) }
    } catch (refused) {
      this.#looked.changes.push({ ...looked, refused })
      throw refused
    }
    const positions = (await this.#trial.venue.knownPositions?.()) ?? []
    const exit = taken === undefined ? exitPnlOf({ ...order, ...change }, positions, await this.#rated(order)) : {}
    const resting = taken === undefined ? restingEntry({ ...order, ...change }, protection) : undefined
    this.#looked.changes.push({ ...looked, exit, ...defined({ taken, resting }) })
    throw new Simulated(would)
  }

  async #rated({ symbol }: Order): Promise<Rated> {
    const { venue } = this.#trial
    return (await venue.loadMarkets()).find((market) => market.symbol === symbol) ?? { kind: venue.kind }
  }

  /** Nothing of it would be sent. */
  async reprotect(order: Order, prices: WaitingPrices): Promise<never> {
    const on = this.#account
    const protection = { ...(await this.records.waitingAnywhere(order)), ...prices } as ProtectionPlan
    const would = { kind: 'change', ref: refOf(order), change: {}, protection: prices } as const
    const looked = { account: on.name, on, order, change: {}, seq: this.#seq(), isNew: this.#trial.isNew(order) }
    this.#looked.changes.push({ ...looked, ...defined({ resting: restingEntry(order, protection) }) })
    throw new Simulated(would)
  }

  /** One that the line itself would place is judged as it would be then: the venue does not know it. */
  async #lookAtOwn(order: Order, change: OrderChange, by: OrderedBy): Promise<void> {
    if (!this.#trial.isNew(order)) return this.amender.judge(order, change, by)
    const { symbol, side, type, amount, price, triggerPrice, reduceOnly, postOnly } = { ...order, ...change }
    const plan = {
      symbol,
      side,
      type,
      amount,
      ...defined({ price, triggerPrice }),
      ...(reduceOnly ? { reduceOnly } : {}),
      ...(postOnly ? { postOnly } : {}),
    }
    await this.judge(plan, by)
  }

  #seq(): number {
    return this.#looked.orders.length + this.#looked.changes.length
  }

  /** As if it were taken back just as it is now. */
  async replace(order: Order, planFor: (ended: Order) => OrderPlan | undefined, by: OrderedBy): Promise<Replacement> {
    await this.#trial.take({ kind: 'cancel', ref: refOf(order) })
    this.#looked.cancels.push({ account: this.#account.name, order })
    const plan = planFor({ ...order, status: 'canceled' })
    if (plan === undefined) throw new Simulated({ kind: 'cancel', ref: refOf(order) })
    return this.place(plan, by)
  }

  /** It throws `Simulated` before it asks the venue. */
  async setLeverage(symbol: string, leverage: string, by: OrderedBy): Promise<void> {
    await this.#setting({ symbol, what: 'leverage', value: leverage }, () =>
      this.#account.orders.setLeverage(symbol, leverage, { ...by, isDry: true }),
    )
  }

  async setMarginMode(symbol: string, mode: 'cross' | 'isolated', by: OrderedBy): Promise<void> {
    await this.#setting({ symbol, what: 'margin', value: mode }, () =>
      this.#account.orders.setMarginMode(symbol, mode, { ...by, isDry: true }),
    )
  }

  async settleByHand(): Promise<never> {
    throw new Error('a preview settles no orders')
  }

  claimEnds(): () => void {
    return () => {}
  }

  async replacing(): Promise<undefined> {}

  claimFills(): () => void {
    return () => {}
  }

  noteCanceled(): void {}
  noteReset(): void {}
  async recover(): Promise<void> {}
  async recoverAgain(): Promise<void> {}
  close(): void {}

  async adopt(): Promise<Adopted> {
    throw new Error('a preview adopts no orders')
  }

  async #setting(what: Omit<Looked['settings'][number], 'account'>, ask: () => Promise<void>): Promise<void> {
    try {
      await ask()
    } catch (error) {
      if (error instanceof Simulated) {
        await this.#trial.take(error.would)
        this.#looked.settings.push({ account: this.#account.name, ...what })
      }
      throw error
    }
  }
}

/** What of a limit order would be left to fill after the change; undefined: it waits for a trigger, or nothing is left. */
function takenPlan(order: Order, change: OrderChange): OrderPlan | undefined {
  const { symbol, side, type, amount, price, filled, reduceOnly, postOnly } = { ...order, ...change }
  const left = new Decimal(amount).minus(filled)
  if (type !== 'limit' || price === undefined || left.lte(0)) return undefined
  return {
    symbol,
    side,
    type,
    amount: left.toFixed(),
    price,
    ...(reduceOnly ? { reduceOnly } : {}),
    ...(postOnly ? { postOnly } : {}),
  }
}

function restingEntry(order: Order, protection: ProtectionPlan | undefined): OrderPlan | undefined {
  const { symbol, side, type, amount, filled, price, triggerPrice, reduceOnly, postOnly } = order
  const left = new Decimal(amount).minus(filled)
  if (reduceOnly || left.lte(0)) return undefined
  const flags = postOnly ? { postOnly } : {}
  return { symbol, side, type, amount: left.toFixed(), ...flags, ...defined({ price, triggerPrice, protection }) }
}

function fills(placed: Order | undefined): boolean {
  return placed !== undefined && new Decimal(placed.filled).gt(0)
}
