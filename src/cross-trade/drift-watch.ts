// What others have made of a copier's position: told when it was seen twice, and left as it is.
import type { Decimal, Figure } from './decimal.ts'

export class DriftWatch {
  #known: Decimal | undefined
  #seen: Decimal | undefined

  /** @returns whether what is not its own has changed by a lot or more, twice the same */
  look(held: Decimal, owned: Figure, lotSize: Figure): boolean {
    const foreign = held.minus(owned)
    const known = this.#known ?? foreign
    const isTwice = this.#seen?.eq(foreign) ?? false
    this.#seen = foreign
    const isDrift = isTwice && foreign.minus(known).abs().gte(lotSize)
    this.#known = isDrift ? foreign : known
    return isDrift
  }

  /** What is there now is nothing new. */
  forget(): void {
    this.#known = undefined
    this.#seen = undefined
  }
}
