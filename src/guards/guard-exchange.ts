// The gate in front of every venue (behaviour 40): commands, hooks, tasks and copiers have no other way to send. What may be sent is decided by
// the guard; what is asked of the venue goes through as it is.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import type { Exchange, OrderContext, OrderOutcome } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderChange, OrderRef, OrderRequest } from '../exchange/order.ts'
import { Simulated } from '../exchange/simulated.ts'
import { Guard, type GuardOptions, type Pass } from './guard.ts'
import { GuardFacts } from './guard-facts.ts'
import { GuardedError } from './guarded-error.ts'

export type { GuardOptions } from './guard.ts'

/** The same account on the same venue, behind its guard. */
export function guardExchange(exchange: Exchange, options: GuardOptions): Exchange {
  const facts = new GuardFacts(exchange, options.now)
  const gate = new Gate(exchange, facts, new Guard(exchange, facts, options))
  const own: Partial<Exchange> = {
    createOrder: (request, context) => gate.create(request, context),
    editOrder: (ref, change, context) => gate.edit(ref, change, context),
    cancelOrder: (ref, context) => gate.cancel(ref, context),
    cancelAllOrders: (symbol, context) => gate.cancelAll(symbol, context),
    setLeverage: (symbol, leverage) => gate.setLeverage(symbol, leverage),
    fetchTicker: (symbol) => facts.fetchTicker(symbol),
    fetchPositions: () => facts.fetchPositions(),
    ...(exchange.setMarginMode === undefined
      ? {}
      : { setMarginMode: (symbol: string, mode: 'cross' | 'isolated') => gate.setMarginMode(symbol, mode) }),
  }
  return inFrontOf(exchange, own)
}

/** What `own` does not have is the exchange's, its controls of a paper account included. */
function inFrontOf(exchange: Exchange, own: Partial<Exchange>): Exchange {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(exchange, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Exchange]
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (!bound.has(name)) bound.set(name, value.bind(target))
      return bound.get(name)
    },
  })
}

const NO_CONTEXT: OrderContext = {}

class Gate {
  readonly #exchange: Exchange
  readonly #facts: GuardFacts
  readonly #guard: Guard

  constructor(exchange: Exchange, facts: GuardFacts, guard: Guard) {
    this.#exchange = exchange
    this.#facts = facts
    this.#guard = guard
  }

  create(request: OrderRequest, context: OrderContext = NO_CONTEXT): Promise<OrderOutcome> {
    if (context.isDry !== true && this.#guard.isFree(request)) {
      this.#facts.forgetPositions()
      return this.#exchange.createOrder(request)
    }
    return this.#judged(() => this.#create(request, context))
  }

  edit(ref: OrderRef, change: OrderChange, context: OrderContext = NO_CONTEXT): Promise<OrderOutcome> {
    const isFree = context.isDry !== true && change.triggerPrice === undefined && this.#guard.isFree(change)
    if (isFree || context.protects === true) return this.#exchange.editOrder(ref, change)
    return this.#judged(() => this.#edit(ref, change, context))
  }

  /** Without a context it is a part of something that was sent for real, and is sent too. */
  async cancel(ref: OrderRef, context?: OrderContext): Promise<Order> {
    if (context !== undefined && this.#guard.isSimulated(context)) throw new Simulated({ kind: 'cancel', ref })
    return this.#exchange.cancelOrder(ref)
  }

  async cancelAll(symbol: string | undefined, context?: OrderContext): Promise<readonly Order[]> {
    if (context !== undefined && this.#guard.isSimulated(context)) {
      throw new Simulated({ kind: 'cancel-all', ...(symbol === undefined ? {} : { symbol }) })
    }
    return this.#exchange.cancelAllOrders(symbol)
  }

  async setLeverage(symbol: string, leverage: string): Promise<void> {
    this.#requireSettable({ symbol, what: 'leverage', value: leverage })
    return this.#exchange.setLeverage(symbol, leverage)
  }

  async setMarginMode(symbol: string, mode: 'cross' | 'isolated'): Promise<void> {
    this.#requireSettable({ symbol, what: 'margin', value: mode })
    return this.#exchange.setMarginMode?.(symbol, mode)
  }

  #requireSettable(what: {
    readonly symbol: string
    readonly what: 'leverage' | 'margin'
    readonly value: string
  }): void {
    const guarding = this.#guard.guarding()
    if (guarding.state === 'halted') throw this.#guard.stateRefusal(guarding)
    if (guarding.simulated) throw new Simulated({ kind: 'set', ...what })
  }

  async #create(request: OrderRequest, context: OrderContext): Promise<OrderOutcome> {
    const { clientOrderId, ...order } = request
    const pass = await this.#guard.judge({ id: clientOrderId, key: clientOrderId, order: request, context })
    if (this.#guard.isSimulated(context)) throw new Simulated({ kind: 'place', order })
    this.#guard.requireStill(pass)
    this.#facts.forgetPositions()
    return this.#exchange.createOrder(pass.asReduceOnly ? { ...request, reduceOnly: true } : request)
  }

  async #edit(ref: OrderRef, change: OrderChange, context: OrderContext): Promise<OrderOutcome> {
    const guarding = this.#guard.guarding()
    if (guarding.state === 'halted' && context.flattens !== true) throw this.#guard.stateRefusal(guarding)
    const known = await this.#exchange.fetchOrder(ref).catch((error: unknown) => {
      if (error instanceof ExchangeError && error.code === 'order-not-found') return error
      throw this.#guard.uncheckable(error)
    })
    if (known instanceof ExchangeError) return { kind: 'refused', error: known }
    const pass = await this.#judgeChange(known, change, context)
    if (this.#guard.isSimulated(context)) throw new Simulated({ kind: 'change', ref, change })
    this.#guard.requireStill(pass)
    this.#facts.forgetPositions()
    return this.#exchange.editOrder(ref, change)
  }

  async #judgeChange(known: Order, change: OrderChange, context: OrderContext): Promise<Pass> {
    const { amount, ...prices } = change
    const isSmaller = amount !== undefined && new Decimal(amount).lte(known.amount) && Object.keys(prices).length === 0
    if (isSmaller) return { isExit: false, shrinks: true, asReduceOnly: false }
    const id = known.clientOrderId ?? known.id
    return this.#guard.judge({ id, key: randomUUID(), order: { ...known, ...change }, context, before: known.amount })
  }

  /** A refusal of the guard is an outcome, as one of the venue is. */
  async #judged(send: () => Promise<OrderOutcome>): Promise<OrderOutcome> {
    try {
      return await send()
    } catch (error) {
      if (error instanceof GuardedError) return { kind: 'refused', error }
      throw error
    }
  }
}
