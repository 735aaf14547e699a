/** What a roster holds: it notes its place there. */
export interface Placed {
  place: number
}

/**
 * Things that come and go by the ten thousand a second, in no order. A Set would do, but V8 links each table that a Set outgrows
 * to the next one: once one of them is old, all that passes through stays in memory until the next full collection, which made a
 * fire cost a quarter more (quality/bench/fires).
 */
export class Roster<T extends Placed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  /** The last one takes the place that becomes free. */
  remove(item: T): void {
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#items[item.place] = last
    last.place = item.place
  }

  /** A copy: its reader may cause removals. */
  list(): T[] {
    return [...this.#items]
  }
}
