// Sums of money that never mix currencies.
import { Exact } from './average-cost.ts'

/** Of one currency. What was paid is positive among fees, and what was got is positive among the others. */
export interface Sums {
  readonly currency: string
  /** Before fees. */
  readonly realized: string
  readonly funding: string
  readonly fees: string
  /** `realized` and `funding` without `fees`. */
  readonly net: string
}

type Kind = 'realized' | 'funding' | 'fees'
const KINDS: readonly Kind[] = ['realized', 'funding', 'fees']

export class MoneySums {
  readonly #byCurrency = new Map<string, Record<Kind, Exact>>()

  add(kind: Kind, currency: string, amount: string): void {
    const known = this.#byCurrency.get(currency)
    const sums = known ?? { realized: new Exact(0), funding: new Exact(0), fees: new Exact(0) }
    if (known === undefined) this.#byCurrency.set(currency, sums)
    sums[kind] = sums[kind].plus(amount)
  }

  /** By currency. */
  list(): readonly Sums[] {
    return [...this.#byCurrency]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sums]) => {
        const [realized, funding, fees] = KINDS.map((kind) => sums[kind].toFixed()) as [string, string, string]
        return { currency, realized, funding, fees, net: sums.realized.plus(sums.funding).minus(sums.fees).toFixed() }
      })
  }
}
