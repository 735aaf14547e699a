// All accounts of an engine: which are asked, when, and who is told.
import type { Clock } from '../trading/clock.ts'
import type { TradingAccount } from '../trading/order-desk.ts'
import { AccountLink, STALE_MS } from './account-link.ts'
import { Burst } from './burst.ts'
import type { CopierEvent } from './copier-event.ts'

interface AccountLinksOptions {
  readonly connect: (account: string) => Promise<TradingAccount>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly report: (event: CopierEvent) => void
  readonly onProblem: (error: unknown) => void
  /** Accounts on which anything depends now. */
  readonly needed: () => ReadonlySet<string>
  /** Its positions were read: as a master's, after these symbols traded; none: for another reason. */
  readonly onRead: (link: AccountLink, traded: ReadonlySet<string>) => void
  readonly onLost: (link: AccountLink) => void
}

interface Linked {
  readonly link: AccountLink
  readonly burst: Burst
  isToldStale: boolean
}

const NONE: ReadonlySet<string> = new Set()

export class AccountLinks {
  readonly #options: AccountLinksOptions
  readonly #links = new Map<string, Linked>()

  constructor(options: AccountLinksOptions) {
    this.#options = options
  }

  /** The same one for the same name. */
  link(name: string): AccountLink {
    const known = this.#links.get(name)
    if (known !== undefined) return known.link
    const { connect, clock, signal, onProblem } = this.#options
    const link = new AccountLink(name, {
      connect,
      clock,
      onProblem,
      onTrade: (traded, symbol) => this.#links.get(traded.name)?.burst.traded(symbol),
      onChange: (changed) => this.#changed(changed),
    })
    const onEnd = (symbols: ReadonlySet<string>) => this.#readFor(link, symbols)
    this.#links.set(name, { link, burst: new Burst({ clock, signal, onEnd, onProblem }), isToldStale: false })
    return link
  }

  /** Asks those that are needed and were not asked yet. Resolves when they have answered, or 15 s later. */
  async open(): Promise<void> {
    const { clock } = this.#options
    const needed = this.#options.needed()
    const fresh = [...this.#links.values()].filter(({ link }) => link.account === undefined && needed.has(link.name))
    const late = new AbortController()
    await Promise.race([Promise.all(fresh.map(({ link }) => link.refresh())), clock.delay(STALE_MS, late.signal)])
    late.abort()
  }

  /** Asks it now, for another reason than that it traded. */
  look(link: AccountLink): void {
    this.#readFor(link, NONE)
  }

  beat(): void {
    const { report } = this.#options
    const needed = this.#options.needed()
    for (const linked of this.#links.values()) {
      const { link } = linked
      if (!needed.has(link.name)) continue
      const due = link.beat()
      if (due === 'look') this.look(link)
      if (due === 'lost') void link.refresh()
      if (!link.isStale() || linked.isToldStale) continue
      linked.isToldStale = true
      report({ type: 'account-stale', account: link.name, why: link.loss ?? '' })
    }
  }

  /** Nothing that was known is current. */
  loseAll(why: string): void {
    for (const { link } of this.#links.values()) link.lose(why)
  }

  close(): void {
    for (const { link } of this.#links.values()) link.close()
  }

  /** A link that was lost tells by itself that it no longer is. */
  #readFor(link: AccountLink, symbols: ReadonlySet<string>): void {
    const wasLost = link.loss !== undefined
    link
      .refresh()
      .then((isCurrent) => {
        if (isCurrent && (symbols.size > 0 || !wasLost)) this.#options.onRead(link, symbols)
      })
      .catch(this.#options.onProblem)
  }

  #changed(link: AccountLink): void {
    const { onLost, onRead, report } = this.#options
    if (link.loss !== undefined) return onLost(link)
    const linked = this.#links.get(link.name)
    if (linked?.isToldStale === true) {
      linked.isToldStale = false
      report({ type: 'account-current', account: link.name })
    }
    onRead(link, NONE)
  }
}
