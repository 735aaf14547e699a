// Places one order, says what came of it, and keeps telling about it while it rests.
import { Decimal } from 'decimal.js'
import type { CommandContext } from '../commands/kit/command.ts'
import { CommandError } from '../commands/kit/command-error.ts'
import { filledLine, fillLine, openLine } from '../commands/kit/order-lines.ts'
import { untilAborted } from '../commands/kit/pause.ts'
import { isRefusal } from '../commands/kit/refusal.ts'
import type { Exchange, ExchangeEvent, Order, OrderRequest, Trade } from '../exchange/exchange.ts'
import { printable } from '../language/printable.ts'
import type { Source } from '../runs/run.ts'

/** How long a resting order keeps printing under the run that placed it, when nothing else depends on it. */
export const FOLLOW_MS = 60 * 60_000

/** What is still to be done when a resting order fills. */
export interface AfterFill {
  /** Never rejects: there is no command left to fail. */
  run(trade: Trade): Promise<void>
  /** The process ends while the order rests. */
  abandon(): void
}

/** A process that ends with its run (`exec`) has nobody to tell later and can do nothing later. */
export function outlivesRun(source: Source): boolean {
  return source !== 'exec'
}

/**
 * Places the order and prints its fills and what rests; later fills print under the same run (behaviour 29).
 * @param afterFill called for each fill that comes after the order was placed; keeps following beyond the hour
 * @returns the order as it stands after immediate fills
 * @throws {ExchangeError} {CommandError} `order-rejected`
 */
export async function placeOrder(
  context: CommandContext,
  exchange: Exchange,
  request: OrderRequest,
  afterFill?: AfterFill,
): Promise<Order> {
  // Subscribed before the order exists, so that no event falls between its placing and our listening.
  const events = bufferEvents(exchange)
  let isFollowed = false
  try {
    const order = await exchange.createOrder(request)
    if (order.status === 'rejected') throw rejected(order)
    const trades = hasFilled(order) ? await tradesOf(exchange, order) : []
    if (hasFilled(order)) context.out.success(trades.length > 0 ? fillLine(trades) : filledLine(order))
    if (order.status === 'open') {
      context.out.success(openLine(order))
      isFollowed = outlivesRun(context.source)
      if (isFollowed) context.background(follow(context, { order, told: trades, events, afterFill }))
    }
    return order
  } finally {
    if (!isFollowed) events.stop()
  }
}

export function hasFilled(order: Order): boolean {
  return new Decimal(order.filled).greaterThan(0)
}

/** Empty when the venue does not tell: the order stands, and must not read as refused because its fees are unknown. */
async function tradesOf(exchange: Exchange, order: Order): Promise<readonly Trade[]> {
  try {
    const trades = await exchange.fetchMyTrades()
    return trades.filter((trade) => trade.orderId === order.id)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return []
  }
}

function rejected(order: Order): CommandError {
  return new CommandError('order-rejected', `order ${printable(order.id, 40)} was rejected`)
}

interface Following {
  readonly order: Order
  /** Fills that were printed already. */
  readonly told: readonly Trade[]
  readonly events: EventBuffer
  readonly afterFill: AfterFill | undefined
}

/** Prints fills, and an end with a reason, until the order is done, the run is cut or nobody waits for it any more. */
async function follow(context: CommandContext, { order, told, events, afterFill }: Following): Promise<void> {
  const known = new Set(told.map((trade) => trade.id))
  const work: Promise<void>[] = []
  const ended = new AbortController()
  const name = `order ${printable(order.id, 40)}`
  events.flow((event) => {
    if (event.type === 'ticker' || event.order.id !== order.id) return
    if (event.type === 'trade' && !known.has(event.trade.id)) {
      known.add(event.trade.id)
      context.out.success(`${name}: ${fillLine([event.trade])}`)
      if (afterFill !== undefined) work.push(afterFill.run(event.trade))
    }
    if (event.type === 'order' && event.reason !== undefined) {
      context.out.warn(`${name} is ${event.order.status}: ${printable(event.reason, 200)}`)
    }
    if (event.order.status !== 'open') ended.abort()
  })
  const signal = AbortSignal.any([context.signal, ended.signal])
  await untilAborted(context, signal, afterFill === undefined ? FOLLOW_MS : undefined)
  events.stop()
  if (!ended.signal.aborted) afterFill?.abandon()
  await Promise.all(work)
}

interface EventBuffer {
  /** Replays what came so far, then passes on what comes. */
  flow(handler: (event: ExchangeEvent) => void): void
  stop(): void
}

function bufferEvents(exchange: Exchange): EventBuffer {
  const waiting: ExchangeEvent[] = []
  let handler = (event: ExchangeEvent) => {
    if (event.type !== 'ticker') waiting.push(event)
  }
  const stop = exchange.subscribe((event) => handler(event))
  return {
    flow(next) {
      handler = next
      for (const event of waiting.splice(0)) next(event)
    },
    stop,
  }
}
