// The gate in front of every venue (behaviour 40): commands, hooks, tasks and copiers have no other way to send. What may be sent is decided by
// the guard; what is asked of the venue goes through as it is.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { defined } from '../base/defined.ts'
import type { Exchange, OrderContext, OrderOutcome, VenueView } from '../exchange/exchange.ts'
import { ExchangeError } from '../exchange/exchange-error.ts'
import type { Order, OrderChange, OrderRef, OrderRequest } from '../exchange/order.ts'
import { Simulated, type Would } from '../exchange/simulated.ts'
import { ADDS, closeHint, EXIT, Guard, GuardFacts, type GuardOptions } from './guard.ts'
import { GuardedError } from './rules.ts'

export type { GuardOptions } from './guard.ts'

/** The same account on the same venue, behind its guard. */
export function guardExchange(exchange: Exchange, options: GuardOptions): Exchange {
  return guardAccount(exchange, options).exchange
}

export interface GuardedAccount {
  readonly exchange: Exchange
  /**
   * Whether the account has lost what it may lose in a day, though nothing is ordered: then it only reduces from now on.
   * @throws what keeps it from being known
   */
  lookAtLoss(): Promise<void>
}

/** As `guardExchange`, with what is to be looked at while the account is open. */
export function guardAccount(exchange: Exchange, options: GuardOptions): GuardedAccount {
  const facts = new GuardFacts(exchange, options.now)
  const guard = new Guard(exchange, facts, options)
  const gate = new Gate(exchange, facts, guard)
  return { exchange: behindGate(exchange, facts, gate), lookAtLoss: () => guard.lookAtLoss() }
}

function behindGate(exchange: Exchange, facts: GuardFacts, gate: Gate): Exchange {
  return inFrontOf(exchange, {
    createOrder: (request, context) => gate.create(request, context),
    editOrder: (ref, change, context) => gate.edit(ref, change, context),
    cancelOrder: (ref, context) => gate.cancel(ref, context),
    cancelAllOrders: (symbol, context) => gate.cancelAll(symbol, context),
    setLeverage: (symbol, leverage, context) => gate.setLeverage(symbol, leverage, context),
    fetchTicker: (symbol) => facts.fetchTicker(symbol),
    fetchOpenOrders: (symbol) => facts.fetchOpenOrders(symbol),
    fetchPositions: () => facts.fetchPositions(),
    ...(exchange.setMarginMode === undefined
      ? {}
      : { setMarginMode: (symbol, mode, context) => gate.setMarginMode(symbol, mode, context) }),
  })
}

/** What may be asked as it is. A method that is neither here nor in front is not there at all. */
const QUESTIONS: Readonly<
  Record<
    | Exclude<
        keyof VenueView,
        'id' | 'kind' | 'capabilities' | 'findableMs' | 'holdsOrders' | 'stream' | 'unread' | 'intervals'
      >
    | 'close',
    true
  >
> = {
  loadMarkets: true,
  fetchTicker: true,
  knownTicker: true,
  knownPositions: true,
  knownStanding: true,
  checkAccess: true,
  fetchBalances: true,
  fetchPositions: true,
  fetchOpenOrders: true,
  fetchOrder: true,
  fetchMargin: true,
  fetchMyTrades: true,
  fetchTradeHistory: true,
  fetchCandles: true,
  replayedSince: true,
  fetchOrderBook: true,
  knownTape: true,
  fetchMarketSummary: true,
  fetchFundingPayments: true,
  trial: true,
  isFired: true,
  subscribe: true,
  watchTicker: true,
  close: true,
}

/** For who only asks: nothing can be changed through it. */
export function questionsOf(exchange: Exchange): VenueView & Pick<Exchange, 'close'> {
  return inFrontOf(exchange, {})
}

/** Values are those of the exchange: its name, what it can do, the controls of a paper account. */
function inFrontOf(exchange: Exchange, own: Partial<Exchange>): Exchange {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(exchange, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof Exchange]
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (!Object.hasOwn(QUESTIONS, name)) return undefined
      if (!bound.has(name)) bound.set(name, value.bind(target))
      return bound.get(name)
    },
  })
}

const NO_CONTEXT: OrderContext = {}

const FIGURES = ['amount', 'price', 'triggerPrice', 'takeProfitPrice'] as const
const DECIMAL = /^-?\d+(?:\.\d+)?$/

/** What cannot be worth anything can be held to no limit. */
function notANumber(name: (typeof FIGURES)[number]): OrderOutcome {
  return { kind: 'refused', error: new ExchangeError('invalid-order', `the ${name} of the order is not a number`) }
}

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
    const unreadable = FIGURES.find((name) => request[name] !== undefined && !DECIMAL.test(request[name]))
    if (unreadable !== undefined) return Promise.resolve(notANumber(unreadable))
    if (isPlain(context) && this.#guard.isFree(request)) return this.#createFree(request, context)
    return judged(() => this.#create(request, context))
  }

  /** Nothing holds for the account; the run that ordered may have been stopped meanwhile. */
  #createFree(request: OrderRequest, context: OrderContext): Promise<OrderOutcome> {
    const pass = request.reduceOnly === true ? EXIT : ADDS
    const refused: { reason?: unknown } = {}
    const release = async (): Promise<void> => {
      await context.release?.()
      try {
        this.#guard.requireStill(pass, context)
      } catch (error) {
        refused.reason = error
        throw error
      }
    }
    return judged(async () => {
      if (context.release === undefined) this.#guard.requireStill(pass, context)
      const outcome = await this.#facts.changing(() =>
        this.#exchange.createOrder(request, passedOn(context, context.release && release)),
      )
      if ('reason' in refused) throw refused.reason
      return outcome
    })
  }

  edit(ref: OrderRef, change: OrderChange, context: OrderContext = NO_CONTEXT): Promise<OrderOutcome> {
    if (context.protects === true) return this.#send(ref.clientOrderId ?? ref.id ?? '', randomUUID(), ref, change)
    const isFree = isPlain(context) && change.triggerPrice === undefined && this.#guard.isFree(change)
    // A grant that is given from here on finds it judged without one, and holds it up. What a run that has ended may still change is judged.
    return isFree && context.cap === undefined && context.whyEnded?.() === undefined
      ? this.#facts.changing(() => this.#exchange.editOrder(ref, change))
      : judged(() => this.#edit(ref, change, context))
  }

  /** @param key tells the change from others of the order */
  async #send(
    id: string,
    key: string,
    ref: OrderRef,
    change: OrderChange,
    context: OrderContext = NO_CONTEXT,
  ): Promise<OrderOutcome> {
    const outcome = await this.#facts.changing(() => this.#exchange.editOrder(ref, change))
    if (outcome.kind !== 'unknown') this.#guard.answer(id, key, outcome.kind === 'placed' ? 'made' : 'refused', context)
    return outcome
  }

  /** Without a context it is a part of something that was sent for real, and is sent too. */
  async cancel(ref: OrderRef, context?: OrderContext): Promise<Order> {
    if (context !== undefined && this.#guard.isSimulated(context)) throw new Simulated({ kind: 'cancel', ref })
    return this.#exchange.cancelOrder(ref)
  }

  async cancelAll(symbol: string | undefined, context?: OrderContext): Promise<readonly Order[]> {
    if (context !== undefined && this.#guard.isSimulated(context)) {
      throw new Simulated({ kind: 'cancel-all', ...defined({ symbol }) })
    }
    return this.#exchange.cancelAllOrders(symbol)
  }

  async setLeverage(symbol: string, leverage: string, context: OrderContext = NO_CONTEXT): Promise<void> {
    await this.#requireSettable({ symbol, what: 'leverage', value: leverage }, context)
    return this.#exchange.setLeverage(symbol, leverage)
  }

  async setMarginMode(symbol: string, mode: 'cross' | 'isolated', context: OrderContext = NO_CONTEXT): Promise<void> {
    await this.#requireSettable({ symbol, what: 'margin', value: mode }, context)
    return this.#exchange.setMarginMode?.(symbol, mode)
  }

  async #requireSettable(what: Omit<Extract<Would, { kind: 'set' }>, 'kind'>, context: OrderContext): Promise<void> {
    await this.#guard.judgeSetting(randomUUID(), what.symbol, context)
    if (this.#guard.isSimulated(context)) throw new Simulated({ kind: 'set', ...what })
    this.#guard.requireStill({ isExit: false, shrinks: true, asReduceOnly: false }, context)
  }

  async #create(request: OrderRequest, context: OrderContext): Promise<OrderOutcome> {
    const { clientOrderId } = request
    const asked = this.#guard.judge({ id: clientOrderId, key: clientOrderId, order: request, context })
    const pass = await asked.catch((error: unknown) =>
      this.#unlessRefused(error, { kind: 'place', order: withoutId(request) }, context),
    )
    if (pass instanceof ExchangeError) return { kind: 'refused', error: pass }
    const sent = pass.asReduceOnly ? { ...request, reduceOnly: true } : request
    if (this.#guard.isSimulated(context)) throw new Simulated({ kind: 'place', order: withoutId(sent) })
    const refused: { reason?: unknown } = {}
    const stillMay = async (): Promise<void> => {
      await pass.confirm?.()
      this.#guard.requireStill(pass, context)
    }
    const release = async (): Promise<void> => {
      await context.release?.()
      await stillMay().catch((error: unknown) => {
        refused.reason = error
        throw error
      })
    }
    // One that holds orders prepares them meanwhile.
    if (context.release === undefined)
      await stillMay().catch((error: unknown) => this.#giveBack(context, clientOrderId, error))
    const outcome = await this.#facts.changing(() =>
      this.#exchange.createOrder(sent, passedOn(context, context.release && release)),
    )
    if ('reason' in refused) this.#giveBack(context, clientOrderId, refused.reason)
    if (outcome.kind === 'refused' && outcome.error.code !== 'duplicate-id') context.budget?.giveBack(clientOrderId)
    return pass.asReduceOnly ? this.#withClose(outcome, request) : outcome
  }

  /** Nobody is asked about a limit where the venue refuses the order all the same. @returns its refusal @throws the breach */
  async #unlessRefused(error: unknown, would: Would, { isDry }: OrderContext): Promise<ExchangeError> {
    if (!(error instanceof GuardedError) || error.breaches.length === 0 || isDry === true) throw error
    const trial = await this.#exchange.trial?.()
    try {
      await trial?.take(would)
    } catch (refusal) {
      if (refusal instanceof ExchangeError) return refusal
      throw refusal
    }
    throw error
  }

  /** The venue has its own rule for what is reduce-only: what it advises is for a person who typed that. */
  async #withClose(outcome: OrderOutcome, request: OrderRequest): Promise<OrderOutcome> {
    if (outcome.kind !== 'refused' || outcome.error.code !== 'reduce-only-rejected') return outcome
    const { code, message, retryAfterMs, clientOrderId } = outcome.error
    const market = await this.#facts.market(request.symbol)
    const hint = market === undefined ? 'type `close`' : closeHint(request, market)
    const options = defined({ hint, retryAfterMs, clientOrderId })
    return { kind: 'refused', error: new ExchangeError(code, message, { ...options, cause: outcome.error }) }
  }

  #giveBack({ budget }: OrderContext, id: string, error: unknown): never {
    budget?.giveBack(id)
    throw error
  }

  async #edit(ref: OrderRef, change: OrderChange, context: OrderContext): Promise<OrderOutcome> {
    const known = await this.#orderOf(ref, context)
    if (known instanceof ExchangeError) return { kind: 'refused', error: known }
    const id = known.clientOrderId ?? known.id
    const key = randomUUID()
    const order = { ...known, ...change }
    try {
      const pass = isSmaller(known, change)
        ? EXIT
        : await this.#guard
            .judge({ id, key, order, context, before: known.amount })
            .catch((error: unknown) => this.#unlessRefused(error, { kind: 'change', ref, change }, context))
      if (pass instanceof ExchangeError) {
        this.#guard.answer(id, key, 'not-sent', context)
        return { kind: 'refused', error: pass }
      }
      if (this.#guard.isSimulated(context)) throw new Simulated({ kind: 'change', ref, change })
      await pass.confirm?.()
      this.#guard.requireStill(pass, context)
    } catch (error) {
      // What is only worked out was not counted.
      if (!this.#guard.isSimulated(context)) this.#guard.answer(id, key, 'not-sent', context)
      throw error
    }
    return this.#send(id, key, ref, change, context)
  }

  /** What is counted is counted from the order as it is now. */
  async #orderOf(ref: OrderRef, { cap }: OrderContext): Promise<Order | ExchangeError> {
    const isCounted = cap?.() !== undefined || this.#guard.isCounting()
    const seen = isCounted ? undefined : this.#facts.seenOpen(ref)
    if (seen !== undefined) return seen
    return this.#exchange.fetchOrder(ref).catch((error: unknown) => {
      if (error instanceof ExchangeError && error.code === 'order-not-found') return error
      throw this.#guard.uncheckable(error)
    })
  }
}

/** Neither worked out alone nor held to what its fire, or the grant of its client, allows. */
function isPlain({ isDry, budget, cap }: OrderContext): boolean {
  return isDry !== true && budget === undefined && cap?.() === undefined
}

function withoutId({ clientOrderId: _, ...order }: OrderRequest): Omit<OrderRequest, 'clientOrderId'> {
  return order
}

function passedOn({ protects }: OrderContext, release: OrderContext['release']): OrderContext {
  return defined({ release, protects })
}

/** It takes back a part of the order, and does nothing else. */
function isSmaller(known: Order, { amount, ...prices }: OrderChange): boolean {
  return amount !== undefined && new Decimal(amount).lte(known.amount) && Object.keys(prices).length === 0
}

/** A refusal of the guard is an outcome, as one of the venue is. */
async function judged(send: () => Promise<OrderOutcome>): Promise<OrderOutcome> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof GuardedError) return { kind: 'refused', error }
    throw error
  }
}
