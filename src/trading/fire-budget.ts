// What the orders of one fire may be worth together (behaviour 47, `--max`): counted before each is sent, and given back where the venue refuses.
import { Decimal } from 'decimal.js'
import type { OrderBudget } from '../exchange/exchange.ts'

export class FireBudget implements OrderBudget {
  readonly max: string
  /** Dollars, by the id of the order. */
  readonly #taken = new Map<string, Decimal>()

  constructor(max: string) {
    this.max = max
  }

  get spent(): string {
    return Decimal.sum(0, ...this.#taken.values()).toFixed()
  }

  take(id: string, dollars: string): boolean {
    const before = this.#taken.get(id) ?? new Decimal(0)
    // An order that is changed counts once, as the largest that it was.
    const now = Decimal.max(before, dollars)
    if (new Decimal(this.spent).minus(before).plus(now).gt(this.max)) return false
    this.#taken.set(id, now)
    return true
  }

  giveBack(id: string): void {
    this.#taken.delete(id)
  }

  /** The order journal has who ordered without it. */
  toJSON(): undefined {
    return undefined
  }
}
