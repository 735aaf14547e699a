// The `portfolio` topic: balance, positions and orders of the account in focus. Unlike the other topics it comes from an exchange and
// not from a file, so it is asked for, and only while somebody listens.

import type { CommandPorts } from '../../commands/kit/ports.ts'
import { isRefusal } from '../../commands/kit/refusal.ts'
import type { Balance } from '../../exchange/order.ts'
import type { Frame } from '../../protocol/frames.ts'
import { orderRow, pick, positionRow } from '../../protocol/rows.ts'
import type { TradingAccount } from '../../trading/order-desk.ts'
import type { TopicSource } from './topics.ts'

type Portfolio = Frame<'state:portfolio'>

export interface PortfolioPorts {
  readonly services: Pick<CommandPorts, 'config' | 'focus'>
  readonly connect: (accountName: string) => Promise<TradingAccount>
  readonly hasSubscribers: () => boolean
  readonly onBug: (error: unknown) => void
}

/** Prices move all the time: this often is enough for people. */
const REFRESH_MS = 1_000

export function portfolioSource(ports: PortfolioPorts): TopicSource {
  const source = new PortfolioSource(ports)
  return { snapshot: () => source.snapshot(), watch: (changed) => source.watch(changed) }
}

class PortfolioSource {
  readonly #ports: PortfolioPorts
  #latest: Portfolio | undefined
  #changed: () => void = () => {}
  #refreshing = false
  #isStale = false
  #followed: { readonly account: TradingAccount; readonly stop: () => void } | undefined

  constructor(ports: PortfolioPorts) {
    this.#ports = ports
  }

  /** What was last seen, if it is still of the account in focus; a newer one follows as a change. */
  snapshot(): Portfolio | undefined {
    this.#refreshSoon()
    const { focus } = this.#ports.services
    const isCurrent = this.#latest?.account === focus.account() && this.#latest.symbol === focus.symbol()
    return isCurrent ? this.#latest : undefined
  }

  watch(changed: () => void): () => void {
    this.#changed = changed
    const timer = setInterval(() => {
      if (this.#ports.hasSubscribers()) this.#refreshSoon()
      else this.#unfollow()
    }, REFRESH_MS)
    timer.unref()
    return () => {
      clearInterval(timer)
      this.#unfollow()
    }
  }

  /** One at a time; changes during one are seen by one more. */
  #refreshSoon(): void {
    this.#isStale = true
    if (this.#refreshing) return
    this.#refreshing = true
    void this.#refresh().finally(() => {
      this.#refreshing = false
    })
  }

  async #refresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      try {
        const seen = await this.#look()
        if (JSON.stringify(seen) === JSON.stringify(this.#latest)) continue
        this.#latest = seen
        this.#changed()
      } catch (error) {
        // A venue that does not answer leaves the last state standing; commands say why.
        if (!isRefusal(error)) this.#ports.onBug(error)
      }
    }
  }

  async #look(): Promise<Portfolio> {
    const { services, connect } = this.#ports
    const [name, symbol] = [services.focus.account(), services.focus.symbol()]
    const account = await connect(name)
    this.#follow(account)
    const { venue } = account
    const [{ last }, balances, positions, orders] = await Promise.all([
      venue.fetchTicker(symbol),
      venue.fetchBalances(),
      venue.fetchPositions(),
      venue.fetchOpenOrders(),
    ])
    return {
      t: 'state:portfolio',
      account: name,
      symbol,
      last,
      balance: balanceRow(balances[0]),
      positions: positions.map((position) => pick(positionRow, position)),
      orders: orders.map((order) => pick(orderRow, order)),
    }
  }

  /** Trades and orders show at once, not at the next second. */
  #follow(account: TradingAccount): void {
    if (this.#followed?.account === account) return
    this.#unfollow()
    const stop = account.venue.subscribe(({ type }) => {
      if (type !== 'ticker' && this.#ports.hasSubscribers()) this.#refreshSoon()
    })
    this.#followed = { account, stop }
  }

  #unfollow(): void {
    this.#followed?.stop()
    this.#followed = undefined
  }
}

/** The first one is what the account is counted in. */
function balanceRow(balance: Balance | undefined): Portfolio['balance'] {
  const { currency, wallet, total, used, free } = balance ?? NOTHING
  return { currency, wallet, total, used, free }
}

const NOTHING: Balance = { currency: '', wallet: '0', total: '0', used: '0', free: '0' }
