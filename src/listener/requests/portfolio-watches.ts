// `portfolio:watch`: the portfolio of accounts that need not be in focus, each looked at once for all who watch it.
import type { CommandPorts } from '../../commands/kit/ports.ts'
import type { Frame } from '../../protocol/frames.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { PortfolioSource } from '../topics/portfolio.ts'
import { SharedLooks } from './shared-looks.ts'

export interface PortfolioOnlooker {
  readonly id: string
  readonly isWelcomed: boolean
  send(frame: Frame<'state:portfolio'> | Frame<'error'>): void
}

export interface PortfolioPlace {
  readonly account: string
  readonly symbol: string
}

export interface PortfolioWatchPorts {
  readonly config: CommandPorts['config']
  readonly connect: CommandPorts['connect']
  readonly onBug: (error: unknown) => void
}

interface Watch {
  readonly session: PortfolioOnlooker
  readonly id: string
  readonly place: WatchedPlace
  /** What it has got last, as text: a frame or why there is none. */
  sent: string
}

interface WatchedPlace {
  readonly key: string
  readonly source: PortfolioSource
  end(): void
  timer: NodeJS.Timeout | undefined
}

export class PortfolioWatches {
  readonly #ports: PortfolioWatchPorts
  readonly #watches = new Map<string, Watch>()
  readonly #places = new SharedLooks<WatchedPlace>(LISTENER_LIMITS.portfolios)

  constructor(ports: PortfolioWatchPorts) {
    this.#ports = ports
  }

  /** @returns why not */
  begin(session: PortfolioOnlooker, id: string, at: PortfolioPlace): string | undefined {
    this.end(session, id)
    const own = [...this.#watches.values()].filter((watch) => watch.session === session).length
    if (own >= WIRE_LIMITS.portfoliosPerSession) {
      return `more than ${WIRE_LIMITS.portfoliosPerSession} portfolios of this session are watched`
    }
    const place = this.#placeOf(at)
    if (place === undefined) return `more than ${LISTENER_LIMITS.portfolios} portfolios are watched`
    const watch: Watch = { session, id, place, sent: '' }
    this.#watches.set(`${session.id}/${id}`, watch)
    this.#tell(watch)
    return undefined
  }

  end(session: PortfolioOnlooker, id: string): void {
    const key = `${session.id}/${id}`
    const watch = this.#watches.get(key)
    if (watch === undefined) return
    this.#watches.delete(key)
    for (const other of this.#watches.values()) if (other.place === watch.place) return
    this.#places.leave(watch.place.key)
  }

  forget(session: PortfolioOnlooker): void {
    for (const watch of [...this.#watches.values()]) if (watch.session === session) this.end(session, watch.id)
  }

  endAll(error: string): void {
    for (const { session, id } of [...this.#watches.values()]) {
      this.end(session, id)
      session.send({ t: 'error', id, error })
    }
  }

  stop(): void {
    this.#places.stop()
    this.#watches.clear()
  }

  /** @returns undefined: there are too many */
  #placeOf(at: PortfolioPlace): WatchedPlace | undefined {
    const key = JSON.stringify([at.account, at.symbol])
    return this.#places.take(key, () => this.#begin(key, at))
  }

  #begin(key: string, { account, symbol }: PortfolioPlace): WatchedPlace {
    const { config, connect, onBug } = this.#ports
    const focus = { account: () => account, symbol: () => symbol, watch: () => () => {} }
    const source = new PortfolioSource({
      ...{ services: { config, focus }, connect, onBug },
      hasSubscribers: () => this.#places.has(key),
    })
    const stop = source.watch(() => this.#tellSoon(place))
    const place: WatchedPlace = {
      ...{ key, source, timer: undefined },
      end() {
        clearTimeout(place.timer)
        stop()
      },
    }
    return place
  }

  #tellSoon(place: WatchedPlace): void {
    place.timer ??= setTimeout(() => {
      place.timer = undefined
      for (const watch of [...this.#watches.values()]) if (watch.place === place) this.#tell(watch)
    }, LISTENER_LIMITS.snapshotMs).unref()
  }

  /** What it has not got yet: the newest, or why nothing newer comes. */
  #tell(watch: Watch): void {
    const { session, id, place } = watch
    const snapshot = place.source.snapshot()
    const problem = place.source.problem()
    if (!session.isWelcomed || typeof snapshot === 'string') return
    if (problem === undefined && snapshot === undefined) return
    const text = problem ?? JSON.stringify(snapshot)
    if (text === watch.sent) return
    watch.sent = text
    if (problem !== undefined) session.send({ t: 'error', id, error: problem })
    else if (snapshot !== undefined) session.send({ ...snapshot, id })
  }
}
