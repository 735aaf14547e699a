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
