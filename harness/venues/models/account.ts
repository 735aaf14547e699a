// What one account of a model owns, owes and holds: money of each currency, positions in net mode and what they were a while ago.
import { Decimal } from 'decimal.js'
import { changeHeld, type Net } from '../held.ts'
import type { ModelFill, ModelMarket, ModelOrder, Side } from './orders.ts'

const ZERO = new Decimal(0)
const DEFAULT_LEVERAGE = 10

export interface HeldBy extends Net {
  readonly market: ModelMarket
  /** Of closing, since it was opened. */
  realized: Decimal
  openedAt: number
  updatedAt: number
}

interface Snapshot {
  readonly at: number
  readonly held: HeldBy
}

export interface AccountState {
  readonly last: (market: ModelMarket) => Decimal
  readonly open: () => readonly ModelOrder[]
}

/** Money, by the way it is bound. */
export interface Funds {
  readonly wallet: Decimal
  readonly unrealized: Decimal
  readonly inPositions: Decimal
  readonly inOrders: Decimal
  readonly available: Decimal
}

export class ModelAccount {
  /** Of each currency, what resting orders lock included. */
  readonly wallet = new Map<string, Decimal>()
  readonly leverage = new Map<string, number>()
  /** By the market's id: what a question may say of it, newest last. */
  readonly #positions = new Map<string, HeldBy>()
  readonly #snapshots: Snapshot[] = []
  readonly #state: AccountState

  constructor(state: AccountState, wallet: Readonly<Record<string, string>>) {
    this.#state = state
    for (const [currency, amount] of Object.entries(wallet)) this.wallet.set(currency, new Decimal(amount))
  }

  leverageOf({ id }: ModelMarket): number {
    return this.leverage.get(id) ?? DEFAULT_LEVERAGE
  }

  held(market: ModelMarket): HeldBy {
    const known = this.#positions.get(market.id)
    if (known !== undefined) return known
    const fresh = { market, amount: ZERO, entry: ZERO, realized: ZERO, openedAt: 0, updatedAt: 0 }
    this.#positions.set(market.id, fresh)
    return fresh
  }

  /** Those that are not flat, as they were at this moment. */
  positionsAt(moment: number): readonly HeldBy[] {
    const seen = new Map<string, HeldBy>()
    for (const { at, held } of this.#snapshots) if (at <= moment) seen.set(held.market.id, held)
    return [...seen.values()].filter(({ amount }) => !amount.isZero())
  }

  /** How much a reduce-only order of this side may take off, as it was at this moment. */
  reducible(market: ModelMarket, side: Side, moment: number): Decimal {
    const amount = this.positionsAt(moment).find((each) => each.market === market)?.amount ?? ZERO
    return (side === 'sell' ? amount.gt(0) : amount.lt(0)) ? amount.abs() : ZERO
  }

  /** Writes one execution into the books. @returns what it realised */
  book({ order, price, amount, fee, feeCurrency, time }: Omit<ModelFill, 'realized'>): Decimal {
    const { market, side } = order
    this.#add(feeCurrency, fee.neg())
    if (market.settle === undefined) {
      const cost = amount.times(price)
      this.#add(market.base, side === 'buy' ? amount : amount.neg())
      this.#add(market.quote, side === 'buy' ? cost.neg() : cost)
      return ZERO
    }
    const held = this.held(market)
    if (held.amount.isZero()) Object.assign(held, { realized: ZERO, openedAt: time })
    const realized = changeHeld(held, side === 'buy' ? amount : amount.neg(), price, market.contractValue)
    held.realized = held.realized.plus(realized)
    held.updatedAt = time
    this.#add(market.settle, realized)
    this.#snapshots.push({ at: time, held: { ...held } })
    return realized
  }

  #add(currency: string, amount: Decimal): void {
    this.wallet.set(currency, (this.wallet.get(currency) ?? ZERO).plus(amount))
  }

  /** What orders lock of a currency on spot. */
  locked(currency: string): Decimal {
    return this.#state
      .open()
      .map((order) => lockOf(order, currency))
      .reduce((sum, each) => sum.plus(each), ZERO)
  }

  /** Of contracts that settle in this currency; on spot what is free of it. */
  funds(currency: string): Funds {
    const wallet = this.wallet.get(currency) ?? ZERO
    let [unrealized, inPositions, inOrders] = [ZERO, ZERO, this.locked(currency)]
    for (const { market, amount, entry } of this.#positions.values()) {
      if (market.settle !== currency || amount.isZero()) continue
      const last = this.#state.last(market)
      unrealized = unrealized.plus(worthOf(amount, last.minus(entry), market))
      inPositions = inPositions.plus(worthOf(amount.abs(), last, market).div(this.leverageOf(market)))
    }
    for (const order of this.#state.open()) {
      if (order.market.settle !== currency || order.reduceOnly || order.trigger !== undefined) continue
      const rest = order.amount.minus(order.filled)
      const price = order.price ?? this.#state.last(order.market)
      inOrders = inOrders.plus(worthOf(rest, price, order.market).div(this.leverageOf(order.market)))
    }
    const available = Decimal.max(0, wallet.plus(unrealized).minus(inPositions).minus(inOrders))
    return { wallet, unrealized, inPositions, inOrders, available }
  }
}

/** Only what may trade now locks: on a venue where a waiting stop locks too, its order says so. */
function lockOf({ market, side, amount, filled, price, trigger, phase }: ModelOrder, currency: string): Decimal {
  if (market.settle !== undefined || price === undefined || (trigger !== undefined && phase === 'waiting')) return ZERO
  const rest = amount.minus(filled)
  if (side === 'buy') return currency === market.quote ? rest.times(price) : ZERO
  return currency === market.base ? rest : ZERO
}

/** In quote. */
export function worthOf(amount: Decimal, price: Decimal, { contractValue }: ModelMarket): Decimal {
  return amount.times(contractValue).times(price)
}
