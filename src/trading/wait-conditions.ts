// What `wait` watches, as questions to the exchange's events.
import { Decimal } from 'decimal.js'
import { CommandError } from '../commands/kit/command-error.ts'
import { noPosition } from '../commands/kit/live-values.ts'
import type { Exchange, ExchangeEvent, Ticker } from '../exchange/exchange.ts'
import type { Comparator, Condition } from '../language/condition.ts'
import { LanguageError } from '../language/language-error.ts'
import { printable, shown } from '../language/printable.ts'
import { findMarket, viewSymbol } from './market-view.ts'
import { resolvePrice } from './pricing.ts'

type Holds = boolean | Promise<boolean>
type ConditionOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/** A condition under watch. Both may throw: then it can no longer come true. */
export interface Watched {
  /** Asked once, after events have begun to be listened to. */
  holdsNow(): Holds
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

/** Offsets in the value count from the market as it is now. @throws {CommandError} {ExchangeError} */
export async function watchPrice(exchange: Exchange, condition: ConditionOf<'price'>, focus: string): Promise<Watched> {
  const symbol = condition.symbol ?? focus
  const { anchor, comparator, value } = condition
  const compare = COMPARE[comparator]
  if (anchor === 'pnl') return watchPnl(exchange, symbol, (pnl) => compare(pnl, absoluteOf(condition)))
  const limit = resolvePrice(value, await viewSymbol(exchange, symbol))
  const watched = anchor === 'auto' ? watchedSide(comparator) : anchor
  const holds = (ticker: Ticker) => compare(new Decimal(ticker[watched]), limit)
  return {
    holdsNow: async () => holds(await exchange.fetchTicker(symbol)),
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

function watchPnl(exchange: Exchange, symbol: string, holds: (pnl: Decimal) => boolean): Watched {
  const look = async () => {
    // Also asks for the symbol's ticker, whose changes are what moves the figure.
    const { position } = await viewSymbol(exchange, symbol)
    if (position === undefined) throw noPosition(symbol)
    return holds(new Decimal(position.unrealizedPnl))
  }
  return { holdsNow: look, holdsAfter: (event) => (concerns(event, symbol) ? look() : undefined) }
}

function concerns(event: ExchangeEvent, symbol: string): boolean {
  return event.type === 'ticker' ? event.ticker.symbol === symbol : event.order.symbol === symbol
}

/** @throws {CommandError} `unknown-symbol`: a symbol that does not exist would be waited for in vain */
export async function watchPosition(
  exchange: Exchange,
  condition: ConditionOf<'position'>,
  focus: string,
): Promise<Watched> {
  const symbol = condition.symbol ?? focus
  if (!condition.any) await findMarket(exchange, symbol)
  const look = async () => {
    const positions = await exchange.fetchPositions()
    if (condition.any) return positions.length > 0
    const position = positions.find((row) => row.symbol === symbol)
    if (condition.closed) return position === undefined
    return position !== undefined && (condition.side ?? position.side) === position.side
  }
  return { holdsNow: look, holdsAfter: (event) => (event.type === 'trade' ? look() : undefined) }
}

/** All that is named must fill: an order wholly, before or after now; a symbol with one more trade. Nothing named: any trade. */
export function watchFill(exchange: Exchange, { names }: ConditionOf<'fill'>): Watched {
  const orders = new Set<string>()
  const symbols = new Set<string>()
  return {
    async holdsNow() {
      if (names.length === 0) return false
      const [open, trades, markets] = await Promise.all([
        exchange.fetchOpenOrders(),
        exchange.fetchMyTrades(LOOK_BACK),
        exchange.loadMarkets(),
      ])
      for (const { text, column } of names) {
        if (open.some((order) => order.id === text)) orders.add(text)
        else if (markets.some((market) => market.symbol === text.toUpperCase())) symbols.add(text.toUpperCase())
        else if (!trades.some((trade) => trade.orderId === text)) throw nothingToFill(text, column)
      }
      return orders.size + symbols.size === 0
    },
    holdsAfter(event) {
      if (event.type === 'ticker') return undefined
      const { id, symbol, status } = event.order
      if (orders.has(id) && (status === 'canceled' || status === 'rejected')) throw endedUnfilled(id, status)
      if (status === 'closed') orders.delete(id)
      if (event.type === 'trade') symbols.delete(symbol)
      return names.length === 0 ? event.type === 'trade' : orders.size + symbols.size === 0
    },
  }
}

/** How many trades back an order that is no longer open is looked for. */
const LOOK_BACK = 500

function nothingToFill(text: string, column: number): LanguageError {
  const message = `${shown(text)} is no open order, no filled one and no symbol`
  return new LanguageError('bad-argument', message, column, '`orders` lists what can fill')
}

function endedUnfilled(id: string, status: string): CommandError {
  return new CommandError('order-ended', `order ${printable(id, 40)} is ${status} and will not fill`)
}
