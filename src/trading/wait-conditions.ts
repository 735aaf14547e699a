// What `wait` watches, as questions to the exchange's events.
import { Decimal } from 'decimal.js'
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Ticker } from '../exchange/market.ts'
import type { Comparator, Condition } from '../language/condition.ts'
import { LanguageError } from '../language/language-error.ts'
import { printable, shown } from '../language/printable.ts'
import { findMarket, matchMarket, viewSymbol } from './market-view.ts'
import { resolvePrice } from './pricing.ts'
import { noPosition, TradingError } from './trading-error.ts'

type Holds = boolean | Promise<boolean>
type ConditionOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/** A condition under watch. Both may throw: then it can no longer come true. */
export interface Watched {
  /** The symbol whose ticker events it needs. */
  readonly ticker?: string
  /** Asked once, after events have begun to be listened to. */
  holdsNow(): Holds
  /** Asked when the stream is current again after it was stale; absent where the events that were missed tell all. */
  holdsAgain?(): Holds
  /** Undefined when the event says nothing about it. */
  holdsAfter(event: ExchangeEvent): Holds | undefined
}

const COMPARE: Record<Comparator, (value: Decimal, limit: Decimal) => boolean> = {
  '>': (value, limit) => value.greaterThan(limit),
  '<': (value, limit) => value.lessThan(limit),
  '>=': (value, limit) => value.greaterThanOrEqualTo(limit),
  '<=': (value, limit) => value.lessThanOrEqualTo(limit),
  '==': (value, limit) => value.equals(limit),
  '!=': (value, limit) => !value.equals(limit),
}

/** Offsets in the value count from the market as it is now. @throws {TradingError} {ExchangeError} */
export async function watchPrice(venue: VenueView, condition: ConditionOf<'price'>, focus: string): Promise<Watched> {
  const { symbol } = await findMarket(venue, condition.symbol ?? focus)
  const { anchor, comparator, value } = condition
  const compare = COMPARE[comparator]
  if (anchor === 'pnl') return watchPnl(venue, symbol, (pnl) => compare(pnl, absoluteOf(condition)))
  const limit = resolvePrice(value, await viewSymbol(venue, symbol))
  const watched = anchor === 'auto' ? watchedSide(comparator) : anchor
  const holds = (ticker: Ticker) => compare(new Decimal(ticker[watched]), limit)
  const look = async () => holds(await venue.fetchTicker(symbol))
  return {
    ticker: symbol,
    holdsNow: look,
    holdsAgain: look,
    holdsAfter: (event) =>
      event.type === 'ticker' && event.ticker.symbol === symbol ? holds(event.ticker) : undefined,
  }
}

/** A sum, which unlike a price may be zero or less. */
function absoluteOf({ value }: ConditionOf<'price'>): Decimal {
  return new Decimal(value.base.kind === 'absolute' ? value.base.price : 0)
}

/** Upward, what one would pay; downward, what one would get. */
function watchedSide(comparator: Comparator): 'ask' | 'bid' | 'last' {
  if (comparator.startsWith('>')) return 'ask'
  return comparator.startsWith('<') ? 'bid' : 'last'
}

function watchPnl(venue: VenueView, symbol: string, holds: (pnl: Decimal) => boolean): Watched {
  const look = async () => {
    const position = (await venue.fetchPositions()).find((row) => row.symbol === symbol)
    if (position?.unrealizedPnl === undefined) throw noPosition(symbol)
    return holds(new Decimal(position.unrealizedPnl))
  }
  return {
    ticker: symbol,
    holdsNow: look,
    holdsAgain: look,
    holdsAfter: (event) => (concerns(event, symbol) ? look() : undefined),
  }
}

function concerns(event: ExchangeEvent, symbol: string): boolean {
  switch (event.type) {
    case 'ticker':
      return event.ticker.symbol === symbol
    case 'trade':
      return event.trade.symbol === symbol
    case 'order':
    case 'stream':
      return false
  }
}

/** @throws {TradingError} `unknown-symbol`: a symbol that does not exist would be waited for in vain */
export async function watchPosition(
  venue: VenueView,
  condition: ConditionOf<'position'>,
  focus: string,
): Promise<Watched> {
  const symbol = condition.any ? focus : (await findMarket(venue, condition.symbol ?? focus)).symbol
  const look = async () => {
    const positions = await venue.fetchPositions()
    if (condition.any) return positions.length > 0
    const position = positions.find((row) => row.symbol === symbol)
    if (condition.closed) return position === undefined
    return position !== undefined && (condition.side ?? position.side) === position.side
  }
  return { holdsNow: look, holdsAgain: look, holdsAfter: (event) => (event.type === 'trade' ? look() : undefined) }
}

/** All that is named must fill: an order wholly, before or after now; a symbol with one more trade. Nothing named: any trade. */
export function watchFill(venue: VenueView, { names }: ConditionOf<'fill'>, focus: string): Watched {
  const orders = new Set<string>()
  const symbols = new Set<string>()
  const isDone = () => orders.size + symbols.size === 0
  return {
    async holdsNow() {
      if (names.length === 0) return false
      const [open, markets] = await Promise.all([venue.fetchOpenOrders(), venue.loadMarkets()])
      for (const { text, column } of names) {
        const isOrder = open.some((order) => order.id === text)
        const market = isOrder ? undefined : matchMarket(markets, text)
        if (isOrder) orders.add(text)
        else if (market !== undefined) symbols.add(market.symbol)
        else await requireFilled(venue, { symbol: focus, id: text }, column)
      }
      return isDone()
    },
    holdsAfter(event) {
      if (event.type === 'trade') {
        symbols.delete(event.trade.symbol)
        return names.length === 0 || isDone()
      }
      if (event.type !== 'order') return undefined
      const { id, status } = event.order
      if (orders.has(id) && status !== 'open' && status !== 'closed') throw endedUnfilled(id, status)
      if (status === 'closed') orders.delete(id)
      return names.length > 0 && isDone()
    },
  }
}

/** An order that is not open must have filled. @throws {LanguageError} {TradingError} `order-ended` */
async function requireFilled(venue: VenueView, ref: { symbol: string; id: string }, column: number): Promise<void> {
  const order = await venue.fetchOrder(ref).catch((error: unknown) => {
    if (error instanceof ExchangeError && error.code === 'order-not-found') throw nothingToFill(ref.id, column)
    throw error
  })
  if (order.status !== 'closed' && order.status !== 'open') throw endedUnfilled(order.id, order.status)
}

function nothingToFill(text: string, column: number): LanguageError {
  const message = `${shown(text)} is neither an order nor a symbol`
  return new LanguageError('bad-argument', message, column, '`orders` lists what can fill')
}

function endedUnfilled(id: string, status: string): TradingError {
  return new TradingError('order-ended', `order ${printable(id, 40)} is ${status} and will not fill`)
}
