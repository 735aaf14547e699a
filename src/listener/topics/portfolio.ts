// The `portfolio` topic: balance, positions and orders of the account in focus. Unlike the other topics it comes from an exchange and
// not from a file, so it is asked for, and only while someone listens.
import { defined } from '../../base/defined.ts'
import { unsettledLine } from '../../commands/account/settle-order.ts'
import { describeRefusal, isRefusal } from '../../commands/kit/errors.ts'
import type { Market, MarketKind } from '../../exchange/market.ts'
import type { Balance, Order, Position } from '../../exchange/order.ts'
import { stepAt } from '../../exchange/price-grid.ts'
import type { Frame } from '../../protocol/frames.ts'
import { orderRow, pick, positionRow } from '../../protocol/rows.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { Focus } from '../../stores/focus.ts'
import type { Connect, TradingAccount } from '../../trading/order-desk.ts'
import { bracketOf, currenciesOf, exitPnlOf, marginOf, settleBalance } from '../../trading/portfolio.ts'
import type { TopicSource } from './topics.ts'

type Portfolio = Frame<'state:portfolio'>

export interface PortfolioPorts {
  readonly services: {
    readonly config: ConfigStore
    readonly focus: Pick<Focus, 'account' | 'symbol' | 'watch'>
  }
  readonly connect: Connect
  readonly hasSubscribers: () => boolean
  readonly onBug: (error: unknown) => void
}

/** Prices move all the time: this often is enough for people. */
const REFRESH_MS = 1_000
/** A venue that takes longer is not waited for. */
export const ANSWER_MS = 10_000

/** What a live venue does not tell by itself is asked for this often. */
const LIVE_REFRESH_S = 10
/** A paper account is looked at with each price of its symbol; without one, this often. */
const PAPER_REFRESH_S = 2

interface Followed {
  readonly account: TradingAccount
  readonly symbol: string
  readonly stop: () => void
  /** Something has happened on a live account since it was looked at. */
  hasNews: boolean
}

interface Place {
  readonly account: string
  readonly symbol: string
}

export class PortfolioSource implements TopicSource {
  readonly #ports: PortfolioPorts
  #latest: Portfolio | undefined
  /** Why the account in focus could not be looked at; of that account. */
  #problem: { readonly place: Place; readonly text: string } | undefined
  readonly #handlers = new Set<() => void>()
  /** Of accounts that have not answered yet, when they have: they are not asked twice at a time. */
  readonly #asked = new Map<string, Promise<void>>()
  #giveUp: () => void = () => {}
  #refreshing = false
  #mustLook = false
  #secondsUnseen = 0
  #followed: Followed | undefined

  constructor(ports: PortfolioPorts) {
    this.#ports = ports
  }

  /** What was last seen, if it is still of the account in focus; a newer one follows as a change. */
  snapshot(): Portfolio | string | undefined {
    if (!this.#isShown()) return 'accountSync disabled'
    this.#refreshSoon()
    return this.#latest !== undefined && this.#isInFocus(this.#latest) ? this.#latest : undefined
  }

  /** Why the account in focus does not answer, as far as anyone has asked. */
  problem(): string | undefined {
    return this.#problem !== undefined && this.#isInFocus(this.#problem.place) ? this.#problem.text : undefined
  }

  /** Whether what the account in focus tells is old, as far as anyone has asked. */
  isStale(): boolean {
    const venue = this.#followed?.account.venue
    return venue?.stream === 'stale' && this.#followed?.account.name === this.#place().account
  }

  watch(changed: () => void): () => void {
    const { focus, config } = this.#ports.services
    this.#handlers.add(changed)
    const timer = setInterval(() => this.#secondPassed(), REFRESH_MS)
    timer.unref()
    const stops = [
      focus.watch(() => {
        this.#giveUp()
        if (this.#isWanted()) this.#refreshSoon()
      }),
      config.watch(() => {
        // What is hidden is not shown from memory when it is shown again.
        if (!this.#isShown()) this.#latest = undefined
        changed()
      }),
    ]
    return () => {
      this.#handlers.delete(changed)
      clearInterval(timer)
      for (const stop of stops) stop()
      this.#unfollow()
    }
  }

  /** Calls `handler` when `problem()` or `isStale()` may have changed. @returns stops the calls */
  watchProblem(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  #isShown(): boolean {
    return this.#ports.services.config.read().listener.accountSync
  }

  #isWanted(): boolean {
    return this.#ports.hasSubscribers() && this.#isShown()
  }

  #place(): Place {
    const { focus } = this.#ports.services
    return { account: focus.account(), symbol: focus.symbol() }
  }

  #isInFocus({ account, symbol }: Place): boolean {
    const place = this.#place()
    return account === place.account && symbol === place.symbol
  }

  #secondPassed(): void {
    if (!this.#isWanted()) return this.#unfollow()
    this.#secondsUnseen += 1
    if (this.#isDue()) this.#refreshSoon()
  }

  /** A live venue bans who asks too often; what happens there is told. */
  #isDue(): boolean {
    const followed = this.#followed
    if (followed === undefined) return true
    if (followed.account.venue.id === 'paper') return this.#secondsUnseen >= PAPER_REFRESH_S
    const isOther = this.#latest === undefined || !this.#isInFocus(this.#latest)
    return isOther || followed.hasNews || this.#secondsUnseen >= LIVE_REFRESH_S
  }

  /** One at a time; changes during one are seen by one more. */
  #refreshSoon(): void {
    this.#mustLook = true
    if (this.#refreshing) return
    this.#refreshing = true
    void this.#refresh().finally(() => {
      this.#refreshing = false
    })
  }

  async #refresh(): Promise<void> {
    while (this.#mustLook) {
      this.#mustLook = false
      this.#secondsUnseen = 0
      if (this.#followed !== undefined) this.#followed.hasNews = false
      const place = this.#place()
      try {
        this.#show(place, await this.#lookInTime(place))
      } catch (error) {
        if (!isRefusal(error)) this.#ports.onBug(error)
        this.#fail(place, isRefusal(error) ? describeRefusal(error) : 'internal error; see hookline.log')
      }
    }
  }

  #show(place: Place, seen: Portfolio | undefined): void {
    if (!this.#isShown()) return
    if (seen === undefined) return this.#fail(place, `account ${place.account} does not answer`)
    const isNews = this.#problem !== undefined || JSON.stringify(seen) !== JSON.stringify(this.#latest)
    this.#problem = undefined
    this.#latest = seen
    if (isNews) this.#send()
  }

  /** What was last seen of the account is left as it is; `focus` says why nothing newer comes. */
  #fail(place: Place, text: string): void {
    // The focus has moved on: what has not answered is of no interest any more.
    if (!this.#isInFocus(place)) return
    const isNews = this.#problem?.text !== text || !this.#isInFocus(this.#problem.place)
    this.#problem = { place, text }
    if (isNews) this.#send()
  }

  #send(): void {
    for (const handler of this.#handlers) handler()
  }

  /** @returns undefined when it took too long, or when the focus moved on */
  async #lookInTime(place: Place): Promise<Portfolio | undefined> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      this.#giveUp = () => resolve(undefined)
      timer = setTimeout(resolve, ANSWER_MS, undefined)
      timer.unref()
    })
    try {
      const before = this.#asked.get(place.account)?.then(() => true)
      if (before !== undefined && !(await Promise.race([before, late]))) return undefined
      return await Promise.race([this.#ask(place), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** An answer that no one waits for any more may be an error too. */
  #ask(place: Place): Promise<Portfolio> {
    const look = this.#look(place)
    const answered = look.then(
      () => {},
      () => {},
    )
    this.#asked.set(place.account, answered)
    void answered.then(() => this.#asked.delete(place.account))
    return look
  }

  async #look({ account: name, symbol }: Place): Promise<Portfolio> {
    const account = await this.#ports.connect(name)
    this.#follow(account, symbol)
    const { venue } = account
    const [{ last }, balances, positions, orders, markets, unsettled] = await Promise.all([
      venue.fetchTicker(symbol),
      venue.fetchBalances(),
      venue.fetchPositions(),
      venue.fetchOpenOrders(),
      venue.loadMarkets(),
      account.orders.records.unsettledAnywhere(),
    ])
    const currencies = currenciesOf(markets, symbol)
    const waiting = await waitingOf(account, orders)
    return {
      t: 'state:portfolio',
      account: name,
      symbol,
      last,
      balance: settleBalance(balances, currencies) ?? { ...NOTHING, currency: currencies[0] ?? '' },
      positions: positions.map((position) => positionRowOf(position, venue.kind)),
      orders: orders.map((order, index) => {
        const market = markets.find(({ symbol }) => symbol === order.symbol) ?? { kind: venue.kind }
        const bracket = bracketOf(order, waiting[index], market)
        return pick(orderRow, { ...order, ...exitPnlOf(order, positions, market, orders), ...bracket })
      }),
      ...(unsettled.length === 0 ? {} : { unsettled: unsettled.slice(0, MAX_UNSETTLED).map(unsettledLine) }),
      steps: stepsOf(markets, { symbol, last, positions, orders }),
    }
  }

  /** Trades, orders and prices show at once on paper, on a live account trades and orders at the next second. */
  #follow(account: TradingAccount, symbol: string): void {
    const { venue } = account
    if (this.#followed?.account.venue === venue && this.#followed.symbol === symbol) return
    this.#unfollow()
    const isPaper = venue.id === 'paper'
    const unsubscribe = venue.subscribe((event) => {
      if (!this.#isWanted()) return
      if (event.type === 'ticker' && !(isPaper && event.ticker.symbol === symbol)) return
      if (event.type === 'stream') this.#send()
      if (isPaper) this.#refreshSoon()
      else followed.hasNews = true
    })
    const unwatch = isPaper ? venue.watchTicker(symbol) : () => {}
    const stop = () => {
      unwatch()
      unsubscribe()
    }
    const followed: Followed = { account, symbol, stop, hasNews: false }
    this.#followed = followed
  }

  #unfollow(): void {
    this.#followed?.stop()
    this.#followed = undefined
  }
}

/** More is a venue that does not answer at all. */
const MAX_UNSETTLED = 20

const NOTHING: Balance = { currency: '', wallet: '0', total: '0', used: '0', free: '0' }

// A portfolio as pages are shown it: what a position locks, and the steps of the markets in it, so that figures of one market have the same digits.

type PortfolioFrame = Frame<'state:portfolio'>
type PositionRow = PortfolioFrame['positions'][number]
type Steps = NonNullable<PortfolioFrame['steps']>

/** With the margin that its worth of now takes at its leverage, where the venue tells the leverage. In the currency it is settled in. */
export function positionRowOf(position: Position, kind: MarketKind): PositionRow {
  const margin = marginOf(position, kind)
  return { ...pick(positionRow, position), ...defined({ margin }) }
}

interface Shown {
  readonly symbol: string
  readonly last: string
  readonly positions: readonly Position[]
  readonly orders: readonly Order[]
}

/** Of every market that is in focus, held or ordered in; of one that is not listed, none. */
export function stepsOf(markets: readonly Market[], { symbol, last, positions, orders }: Shown): Steps {
  const prices = new Map<string, string | undefined>([
    ...orders.map(({ symbol: name, triggerPrice, price }) => [name, triggerPrice ?? price] as const),
    ...positions.map(({ symbol: name, markPrice, entryPrice }) => [name, markPrice ?? entryPrice] as const),
    [symbol, last],
  ])
  return markets
    .filter((market) => prices.has(market.symbol))
    .map(({ symbol: name, lotSize, priceGrid }) => {
      const price = prices.get(name)
      const tick = priceGrid.kind === 'tick' ? priceGrid.tick : price && stepAt(price, priceGrid).toFixed()
      return { symbol: name, lotSize, ...defined({ tick }) }
    })
}

/** What protects each order once it fills. The journal is read for orders of other processes alone, and once for all of them. */
async function waitingOf({ orders: { records } }: TradingAccount, orders: readonly Order[]) {
  const waiting: Awaited<ReturnType<typeof records.waitingAnywhere>>[] = []
  for (const order of orders)
    waiting.push(records.isOwn(order) ? records.waitingFor(order) : await records.waitingAnywhere(order))
  return waiting
}
