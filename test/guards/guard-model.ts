// The slow and simple truth that the guard is held to: every order that has arrived at the venue, looked at one by one, each time anew.
import { Decimal } from 'decimal.js'
import type { OrderRequest } from '../../src/exchange/order.ts'

export interface Arrived {
  request: OrderRequest
  readonly at: number
  /** Dollars, at the price of then; the most that it was, where it was changed. */
  value: Decimal
  filled: Decimal
  state: 'under-way' | 'open' | 'over' | 'refused' | 'unknown'
}

export interface ModelLimits {
  readonly order: string
  readonly day: string
  readonly position: string
  readonly rate: number
  readonly band: string
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export class GuardModel {
  readonly arrived: Arrived[] = []
  /** When orders were changed. */
  readonly changes: number[] = []
  readonly #limits: ModelLimits

  constructor(limits: ModelLimits) {
    this.#limits = limits
  }

  /** What is held: bought less sold, by what has filled. */
  held(symbol: string): Decimal {
    return Decimal.sum(
      0,
      ...this.arrived
        .filter(({ request }) => request.symbol === symbol)
        .map(({ request, filled }) => (request.side === 'buy' ? filled : filled.neg())),
    )
  }

  /** What may still fill. */
  outstanding(symbol: string, side: 'buy' | 'sell', isReduceOnly: boolean): Decimal {
    return Decimal.sum(
      0,
      ...this.arrived
        .filter(({ request, state }) => {
          const isOf =
            request.symbol === symbol && request.side === side && (request.reduceOnly === true) === isReduceOnly
          return isOf && state !== 'over' && state !== 'refused'
        })
        .map(({ request, filled }) => new Decimal(request.amount).minus(filled)),
    )
  }

  /** @returns every reason why it, or this change of an order, must not have arrived */
  refuses(request: OrderRequest, price: string, now: number, changed?: Arrived): string[] {
    if (request.reduceOnly === true) return []
    const amount = new Decimal(request.amount)
    const held = this.held(request.symbol)
    const sign = request.side === 'buy' ? 1 : -1
    // What has filled of it is held, and what has not is to go.
    const own = changed === undefined ? 0 : new Decimal(changed.request.amount)
    const sameSide = this.outstanding(request.symbol, request.side, false).minus(own)
    const worst = held.times(sign).plus(sameSide).plus(amount)
    // With all that may still fill it takes the position to flat at most.
    if (worst.lte(0)) return []
    const worth = amount.times(worthOf(request, price))
    const reasons: string[] = []
    if (worth.gt(this.#limits.order)) reasons.push('order')
    if (worst.times(Decimal.max(worthOf(request, price), price)).gt(this.#limits.position)) reasons.push('position')
    if (this.day(now, changed).plus(worth).gt(this.#limits.day)) reasons.push('day')
    if (this.lastMinute(now) + 1 > this.#limits.rate) reasons.push('rate')
    if (isThrough(request, price, this.#limits.band)) reasons.push('band')
    return reasons
  }

  day(now: number, besides?: Arrived): Decimal {
    const since = now - (now % DAY_MS)
    return Decimal.sum(
      0,
      ...this.arrived
        .filter((each) => each !== besides)
        .filter(({ at, request, state }) => at >= since && request.reduceOnly !== true && state !== 'refused')
        .map(({ request, value, filled, state }) =>
          state === 'over' ? value.times(filled).div(request.amount) : value,
        ),
    )
  }

  lastMinute(now: number): number {
    return [...this.arrived.map(({ at }) => at), ...this.changes].filter((at) => at > now - MINUTE_MS).length
  }
}

export function worthOf({ side, price }: OrderRequest, market: string): Decimal {
  if (price === undefined) return new Decimal(market)
  return side === 'buy' ? new Decimal(price) : Decimal.max(price, market)
}

function isThrough({ side, price }: OrderRequest, market: string, band: string): boolean {
  if (price === undefined) return false
  const beyond = side === 'buy' ? new Decimal(price).minus(market) : new Decimal(market).minus(price)
  return beyond.div(market).times(100).gt(band)
}
