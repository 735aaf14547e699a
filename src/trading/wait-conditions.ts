// What `wait` watches that is not a condition of one symbol: fills, and positions of all symbols. They are questions to the exchange's events.
import type { ExchangeEvent, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Condition } from '../language/condition.ts'
import { LanguageError } from '../language/language-error.ts'
import { printable, shown } from '../language/printable.ts'
import { matchMarket } from './market-view.ts'
import { TradingError } from './trading-error.ts'

type Holds = boolean | Promise<boolean>
type ConditionOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/** A condition under watch. Both may throw: then it can no longer come true. */
export interface Watched {
  /** Asked once, after events have begun to be listened to. */
  holdsNow(): Holds
  /** Asked when the stream is current again after it was stale; absent where the events that were missed tell all. */
  holdsAgain?(): Holds
  /** Undefined when the event says nothing about it. */
  holdsAfter(event: ExchangeEvent): Holds | undefined
}

/** Until something is held, of any symbol. */
export function watchAnyPosition(venue: VenueView): Watched {
  const look = async () => (await venue.fetchPositions()).length > 0
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
