// Which topics this page wants, counted by who wants them: two panels may want the same one. Kept while there is no connection, and
// asked for again after each welcome.
import type { ClientFrame, Frame, ServerFrame, Topic } from '../protocol/frames.ts'
import { callSafely } from './handlers.ts'

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

// Symbols and accounts that this page looks at: asked for again after each welcome, until the page looks away.

type WatchFrame = Frame<'market:watch'> | Frame<'portfolio:watch'>

/** A frame's fields, as a caller fills them in. */
export type Watched<T extends WatchFrame['t']> = Omit<Frame<T>, 't' | 'id'>

export interface Watches {
  /** @param onRefused why it is not shown, or not any more @returns ends it */
  market(
    watched: Watched<'market:watch'>,
    onFrame: (frame: Frame<'state:market'>) => void,
    onRefused?: (error: string) => void,
  ): () => void
  /** As `market`. */
  portfolio(
    watched: Watched<'portfolio:watch'>,
    onFrame: (frame: Frame<'state:portfolio'>) => void,
    onRefused?: (error: string) => void,
  ): () => void
}

interface Kept {
  readonly frame: WatchFrame
  readonly onFrame: (frame: ServerFrame) => void
  readonly onRefused: (error: string) => void
}

const END = { 'market:watch': 'market:unwatch', 'portfolio:watch': 'portfolio:unwatch' } as const

export class KeptWatches implements Watches {
  readonly #kept = new Map<string, Kept>()
  readonly #newId: () => string
  readonly #send: (frame: ClientFrame) => void

  constructor(newId: () => string, send: (frame: ClientFrame) => void) {
    this.#newId = newId
    this.#send = send
  }

  market(
    watched: Watched<'market:watch'>,
    onFrame: (frame: Frame<'state:market'>) => void,
    onRefused: (error: string) => void = () => {},
  ): () => void {
    const frame: WatchFrame = { ...watched, t: 'market:watch', id: this.#newId() }
    return this.#keep({ frame, onFrame: (each) => each.t === 'state:market' && onFrame(each), onRefused })
  }

  portfolio(
    watched: Watched<'portfolio:watch'>,
    onFrame: (frame: Frame<'state:portfolio'>) => void,
    onRefused: (error: string) => void = () => {},
  ): () => void {
    const frame: WatchFrame = { ...watched, t: 'portfolio:watch', id: this.#newId() }
    return this.#keep({ frame, onFrame: (each) => each.t === 'state:portfolio' && onFrame(each), onRefused })
  }

  restore(): void {
    for (const { frame } of this.#kept.values()) this.#send(frame)
  }

  take(frame: ServerFrame): void {
    const kept = 'id' in frame && frame.id !== undefined ? this.#kept.get(frame.id) : undefined
    if (kept === undefined) return
    if (frame.t === 'error') callSafely(kept.onRefused, frame.error)
    else callSafely(kept.onFrame, frame)
  }

  /** A frame that cannot be read: what was known before it is not shown as if it were of now. */
  unreadable(id: string, error: string): void {
    const kept = this.#kept.get(id)
    if (kept !== undefined) callSafely(kept.onRefused, `the answer of hookline cannot be read: ${error}`)
  }

  #keep(kept: Kept): () => void {
    const { t, id } = kept.frame
    this.#kept.set(id, kept)
    this.#send(kept.frame)
    return () => {
      if (this.#kept.delete(id)) this.#send({ t: END[t], id })
    }
  }
}
