// Who watches what: each watch by its session and the id that the session gave it, what several watch looked at once.
import type { Frame } from '../../protocol/frames.ts'

/** Who looks. */
export interface Watcher {
  readonly id: string
  send(frame: Frame<'error'>): void
}

/** `told`: what it has been sent. */
export interface Watch<S extends Watcher, L extends Look, T> {
  readonly session: S
  readonly id: string
  readonly look: L
  readonly told: T
}

interface WatchLimits {
  /** In the plural: `markets`. */
  readonly what: string
  readonly perSession: number
  readonly inAll: number
}

interface Kept<S extends Watcher, L extends Look, T> extends Watch<S, L, T> {
  readonly lookKey: string
}

export class WatchTable<S extends Watcher, L extends Look, T> {
  readonly #limits: WatchLimits
  readonly #watches = new Map<string, Kept<S, L, T>>()
  readonly #looks: SharedLooks<L>

  constructor(limits: WatchLimits) {
    this.#limits = limits
    this.#looks = new SharedLooks(limits.inAll)
  }

  /**
   * Takes the place of a watch of this session with the same id.
   * @param at what is looked at; `begin` begins the look where nobody has it @returns why not
   */
  add(session: S, id: string, at: { readonly key: string; begin(): L }, told: T): Watch<S, L, T> | string {
    const { what, perSession, inAll } = this.#limits
    this.end(session, id)
    if (this.#of(session).length >= perSession) return `more than ${perSession} ${what} of this session are watched`
    const look = this.#looks.take(at.key, () => at.begin())
    if (look === undefined) return `more than ${inAll} ${what} are watched`
    const watch = { session, id, look, told, lookKey: at.key }
    this.#watches.set(keyOf(session, id), watch)
    return watch
  }

  /** Where nobody looks any more, nothing is asked for any more. */
  end(session: S, id: string): void {
    const key = keyOf(session, id)
    const watch = this.#watches.get(key)
    if (watch === undefined) return
    this.#watches.delete(key)
    for (const other of this.#watches.values()) if (other.look === watch.look) return
    this.#looks.leave(watch.lookKey)
  }

  /** The session is gone. */
  forget(session: S): void {
    for (const { id } of this.#of(session)) this.end(session, id)
  }

  /** Nobody may look any more. */
  endAll(error: string): void {
    for (const { session, id } of this.all()) {
      this.end(session, id)
      session.send({ t: 'error', id, error })
    }
  }

  stop(): void {
    this.#looks.stop()
    this.#watches.clear()
  }

  all(): readonly Watch<S, L, T>[] {
    return [...this.#watches.values()]
  }

  /** Whether a look is kept, if only for a moment more. */
  looksAt(key: string): boolean {
    return this.#looks.has(key)
  }

  #of(session: S): readonly Watch<S, L, T>[] {
    return this.all().filter((watch) => watch.session === session)
  }
}

function keyOf(session: Watcher, id: string): string {
  return `${session.id}/${id}`
}

// What several look at, looked at once. It is kept for a moment after the last has looked away: who looks away and back again, or at one thing after
// another without end, does not make a venue answer each time.

/** So long it is kept. */
const KEPT_MS = 5_000

interface Look {
  end(): void
}

class SharedLooks<L extends Look> {
  readonly #most: number
  readonly #looks = new Map<string, L>()
  readonly #unwatched = new Map<string, NodeJS.Timeout>()

  /** @param most at once, those that are only kept among them */
  constructor(most: number) {
    this.#most = most
  }

  /** @returns undefined: there are too many */
  take(key: string, begin: () => L): L | undefined {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    const known = this.#looks.get(key)
    if (known !== undefined) return known
    if (this.#looks.size >= this.#most) return undefined
    const look = begin()
    this.#looks.set(key, look)
    return look
  }

  has(key: string): boolean {
    return this.#looks.has(key)
  }

  /** Nobody looks at it. */
  leave(key: string): void {
    if (!this.#looks.has(key) || this.#unwatched.has(key)) return
    this.#unwatched.set(key, setTimeout(() => this.#end(key), KEPT_MS).unref())
  }

  stop(): void {
    for (const key of [...this.#looks.keys()]) this.#end(key)
  }

  #end(key: string): void {
    clearTimeout(this.#unwatched.get(key))
    this.#unwatched.delete(key)
    this.#looks.get(key)?.end()
    this.#looks.delete(key)
  }
}
