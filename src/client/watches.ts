// Symbols and accounts that this page looks at: asked for again after each welcome, until the page looks away.
import type { ClientFrame, Frame, ServerFrame } from '../protocol/frames.ts'
import { callSafely } from './handlers.ts'

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
    if (kept !== undefined) callSafely(kept.onRefused, `what hookline says of it cannot be read: ${error}`)
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
