/** What a roster holds: it notes its place there. */
export interface Placed {
  place: number
}

/**
 * Things that come and go by the ten thousand a second, in no order. A Set would do, but V8 links each table that a Set outgrows
 * to the next one: once one of them is old, all that passes through stays in memory until the next full collection, which made a
 * fire cost a quarter more (quality/bench/fires).
 */
export class UnorderedSet<T extends Placed> {
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

/** A first-in-first-out queue whose `take` does not move the rest (an array's `shift` is linear above a few thousand). */
export class Fifo<T extends object> {
  #items: (T | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  add(item: T): void {
    this.#items.push(item)
  }

  take(): T | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    // Taken is gone: nothing here may keep it in memory.
    this.#items[this.#head] = undefined
    this.#head++
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** The next that `take` gives. */
  peek(): T | undefined {
    return this.#items[this.#head]
  }

  /** Removes those that match. @returns them, oldest first */
  removeWhere(matches: (item: T) => boolean): T[] {
    const removed: T[] = []
    const kept: T[] = []
    for (const item of this.list()) (matches(item) ? removed : kept).push(item)
    if (removed.length > 0) {
      this.#items = kept
      this.#head = 0
    }
    return removed
  }

  /** Oldest first. */
  list(): T[] {
    return this.#items.slice(this.#head) as T[]
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }
}
