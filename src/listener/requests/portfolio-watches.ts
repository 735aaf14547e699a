// `portfolio:watch`: the portfolio of accounts that need not be in focus, each looked at once for all who watch it.
import type { CommandPorts } from '../../commands/kit/ports.ts'
import type { Frame } from '../../protocol/frames.ts'
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import { LISTENER_LIMITS } from '../listener-limits.ts'
import { PortfolioSource } from '../topics/portfolio.ts'
import { type Watch, WatchTable } from './watch-table.ts'

interface PortfolioOnlooker {
  readonly id: string
  readonly isWelcomed: boolean
  send(frame: Frame<'state:portfolio'> | Frame<'error'>): void
}

interface PortfolioPlace {
  readonly account: string
  readonly symbol: string
}

interface PortfolioWatchPorts {
  readonly config: CommandPorts['config']
  readonly connect: CommandPorts['connect']
  readonly onBug: (error: unknown) => void
}

interface Told {
  /** The last, as text: a frame or why there is none. */
  last: string
}

interface WatchedPlace {
  readonly source: PortfolioSource
  end(): void
  timer: NodeJS.Timeout | undefined
}

export class PortfolioWatches {
  readonly #ports: PortfolioWatchPorts
  readonly #table = new WatchTable<PortfolioOnlooker, WatchedPlace, Told>({
    what: 'portfolios',
    perSession: WIRE_LIMITS.portfoliosPerSession,
    inAll: LISTENER_LIMITS.portfolios,
  })

  constructor(ports: PortfolioWatchPorts) {
    this.#ports = ports
  }

  /** @returns why not */
  begin(session: PortfolioOnlooker, id: string, at: PortfolioPlace): string | undefined {
    const key = JSON.stringify([at.account, at.symbol])
    const watch = this.#table.add(session, id, { key, begin: () => this.#begin(key, at) }, { last: '' })
    if (typeof watch === 'string') return watch
    this.#tell(watch)
    return undefined
  }

  end(session: PortfolioOnlooker, id: string): void {
    this.#table.end(session, id)
  }

  forget(session: PortfolioOnlooker): void {
    this.#table.forget(session)
  }

  endAll(error: string): void {
    this.#table.endAll(error)
  }

  stop(): void {
    this.#table.stop()
  }

  #begin(key: string, { account, symbol }: PortfolioPlace): WatchedPlace {
    const { config, connect, onBug } = this.#ports
    const focus = { account: () => account, symbol: () => symbol, watch: () => () => {} }
    const source = new PortfolioSource({
      services: { config, focus },
      connect,
      onBug,
      hasSubscribers: () => this.#table.looksAt(key),
    })
    const stop = source.watch(() => this.#tellSoon(place))
    const place: WatchedPlace = {
      source,
      timer: undefined,
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
      for (const watch of this.#table.all()) if (watch.look === place) this.#tell(watch)
    }, LISTENER_LIMITS.snapshotMs).unref()
  }

  /** What it has not got yet: the newest, or why nothing newer comes. */
  #tell({ session, id, look, told }: Watch<PortfolioOnlooker, WatchedPlace, Told>): void {
    const snapshot = look.source.snapshot()
    const problem = look.source.problem()
    if (!session.isWelcomed || typeof snapshot === 'string') return
    if (problem === undefined && snapshot === undefined) return
    const text = problem ?? JSON.stringify(snapshot)
    if (text === told.last) return
    told.last = text
    if (problem !== undefined) session.send({ t: 'error', id, error: problem })
    else if (snapshot !== undefined) session.send({ ...snapshot, id })
  }
}
