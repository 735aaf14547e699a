// Which topics this page wants, counted by who wants them: two panels may want the same one. Kept while there is no connection, and
// asked for again after each welcome.
import type { Frame, Topic } from '../protocol/frames.ts'

export class Subscriptions {
  readonly #wanted = new Map<Topic, number>()
  readonly #send: (frame: Frame<'subscribe'> | Frame<'unsubscribe'>) => void

  constructor(send: (frame: Frame<'subscribe'> | Frame<'unsubscribe'>) => void) {
    this.#send = send
  }

  /** Asks for every topic, also for those that are wanted already: each caller gets its snapshot. @returns takes the wish back */
  add(topics: readonly Topic[]): () => void {
    const added = [...new Set(topics)]
    for (const topic of added) this.#wanted.set(topic, (this.#wanted.get(topic) ?? 0) + 1)
    if (added.length > 0) this.#send({ t: 'subscribe', topics: added })
    let isKept = true
    return () => {
      if (isKept) this.#remove(added)
      isKept = false
    }
  }

  restore(): void {
    if (this.#wanted.size > 0) this.#send({ t: 'subscribe', topics: [...this.#wanted.keys()] })
  }

  #remove(topics: readonly Topic[]): void {
    const unwanted = topics.filter((topic) => {
      const others = (this.#wanted.get(topic) ?? 0) - 1
      if (others > 0) this.#wanted.set(topic, others)
      else this.#wanted.delete(topic)
      return others <= 0
    })
    if (unwanted.length > 0) this.#send({ t: 'unsubscribe', topics: unwanted })
  }
}
