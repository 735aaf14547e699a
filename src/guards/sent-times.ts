// When the orders of one account were sent, for the limit of orders a minute (behaviour 40). Looking changes nothing, so that what was read
// anew says the same; a clock that was set back holds nobody up for longer than a minute.
const MINUTE_MS = 60_000

interface Sent {
  readonly key: string
  readonly at: number
}

export class SentTimes {
  /** By time, whatever the order in which they came: an order looks at its own minute, and not at the hundreds before it. */
  readonly #byTime: Sent[] = []
  /** Those that were not sent after all stay, so that they are not added again. */
  readonly #byKey = new Map<string, Sent | undefined>()

  add(key: string, at: number): void {
    if (this.#byKey.has(key)) return
    const sent = { key, at }
    this.#byKey.set(key, sent)
    this.#byTime.splice(this.#firstAfter(at), 0, sent)
  }

  /** It was not sent after all. */
  remove(key: string): void {
    const sent = this.#byKey.get(key)
    if (sent === undefined) return
    this.#byKey.set(key, undefined)
    this.#byTime.splice(this.#byTime.indexOf(sent, this.#firstAfter(sent.at - 1)), 1)
  }

  /** @param besides the key of the one in question */
  lastMinute(now: number, besides: string | undefined): number {
    const count = this.#firstAfter(now + MINUTE_MS) - this.#firstAfter(now - MINUTE_MS)
    const own = besides === undefined ? undefined : this.#byKey.get(besides)
    return own !== undefined && own.at > now - MINUTE_MS && own.at <= now + MINUTE_MS ? count - 1 : count
  }

  /** Where the first is that was sent later. */
  #firstAfter(at: number): number {
    let [low, high] = [0, this.#byTime.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#byTime[middle] as Sent).at > at) high = middle
      else low = middle + 1
    }
    return low
  }
}
