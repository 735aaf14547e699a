// When the orders of one account were sent, for the limit of orders a minute (behaviour 40). Looking changes nothing, so that what was read
// anew says the same; a clock that was set back holds nobody up for longer than a minute.
const MINUTE_MS = 60_000
/** How far back is looked, in case the clock jumped. */
const LOOK_BACK_MS = 60 * MINUTE_MS

interface Sent {
  readonly key: string
  readonly at: number
  isVoid: boolean
}

export class SentTimes {
  readonly #inOrder: Sent[] = []
  readonly #byKey = new Map<string, Sent>()

  add(key: string, at: number): void {
    if (this.#byKey.has(key)) return
    const sent = { key, at, isVoid: false }
    this.#inOrder.push(sent)
    this.#byKey.set(key, sent)
  }

  /** It was not sent after all. */
  remove(key: string): void {
    const sent = this.#byKey.get(key)
    if (sent !== undefined) sent.isVoid = true
  }

  /** @param besides the key of the one in question */
  lastMinute(now: number, besides: string | undefined): number {
    let count = 0
    for (let index = this.#inOrder.length - 1; index >= 0; index -= 1) {
      const { at, isVoid, key } = this.#inOrder[index] as Sent
      if (at <= now - LOOK_BACK_MS) break
      if (!isVoid && key !== besides && at > now - MINUTE_MS && at <= now + MINUTE_MS) count += 1
    }
    return count
  }
}
