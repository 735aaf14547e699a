// Places one order, says what came of it, and keeps telling about it while it rests.
import type { Exchange, ExchangeEvent, Order, OrderRequest, Trade } from '../exchange/exchange.ts'
import { printable } from '../language/printable.ts'
import { CommandError, type CommandContext, type Source } from './command.ts'
import { fillLine, openLine } from './order-lines.ts'

/** How long a resting order keeps printing under the run that placed it. */
export const FOLLOW_MS = 60 * 60_000

/** A process that ends with its run (`exec`) has nobody to tell later. */
const FOLLOWING_SOURCES: readonly Source[] = ['repl', 'hook', 'web']

/**
 * Places the order and prints its fills and what rests; later fills print under the same run (design decision 29).
 * @throws {ExchangeError} {CommandError} `order-rejected`
 */
export async function placeOrder(context: CommandContext, exchange: Exchange, request: OrderRequest): Promise<Order> {
  // Subscribed before the order exists, so that no event falls between its placing and our listening.
  const events = bufferEvents(exchange)
  let followed = false
  try {
    const order = await exchange.createOrder(request)
    if (order.status === 'rejected') throw rejected(order)
    const trades = order.filled === '0' ? [] : await tradesOf(exchange, order)
    if (trades.length > 0) context.out.success(fillLine(trades))
    if (order.status === 'open') {
      context.out.success(openLine(order))
      followed = FOLLOWING_SOURCES.includes(context.source)
      if (followed) context.background(followOrder(context, events, order, trades))
    }
    return order
  } finally {
    if (!followed) events.stop()
  }
}

async function tradesOf(exchange: Exchange, order: Order): Promise<readonly Trade[]> {
  const trades = await exchange.fetchMyTrades()
  return trades.filter((trade) => trade.orderId === order.id)
}

function rejected(order: Order): CommandError {
  return new CommandError('order-rejected', `order ${printable(order.id, 40)} was rejected`)
}

/** Prints fills, and an end that nobody here asked for, until the order is done, the run is cut or an hour has passed. */
async function followOrder(
  context: CommandContext,
  events: EventBuffer,
  order: Order,
  told: readonly Trade[],
): Promise<void> {
  const known = new Set(told.map((trade) => trade.id))
  const ended = new AbortController()
  const name = `order ${printable(order.id, 40)}`
  events.flow((event) => {
    if (event.type === 'ticker' || event.order.id !== order.id) return
    if (event.type === 'trade' && !known.has(event.trade.id)) {
      known.add(event.trade.id)
      context.out.success(`${name}: ${fillLine([event.trade])}`)
    }
    if (event.type === 'order' && event.reason !== undefined) {
      context.out.warn(`${name} is ${event.order.status}: ${printable(event.reason, 200)}`)
    }
    if (event.order.status !== 'open') ended.abort()
  })
  await context.services.delay(FOLLOW_MS, AbortSignal.any([context.signal, ended.signal]))
  events.stop()
}

interface EventBuffer {
  /** Replays what came so far, then passes on what comes. */
  flow(handler: (event: ExchangeEvent) => void): void
  stop(): void
}

function bufferEvents(exchange: Exchange): EventBuffer {
  let waiting: ExchangeEvent[] = []
  let handler = (event: ExchangeEvent) => {
    if (event.type !== 'ticker') waiting.push(event)
  }
  const stop = exchange.subscribe((event) => handler(event))
  return {
    flow(next) {
      handler = next
      for (const event of waiting) next(event)
      waiting = []
    },
    stop,
  }
}
