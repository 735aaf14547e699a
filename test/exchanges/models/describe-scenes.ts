// What a venue does that no stand-in of ours was built to: scenes that each model plays, as facts about the adapter. A fact is skipped where the
// venue has no such thing, and says why.
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import { type ModelSpec, VenueModel } from '../../../harness/venues/models/model.ts'
import type { ModelMarket, ModelOrder, Side } from '../../../harness/venues/models/orders.ts'
import { newOrderId, place } from '../../../harness/venues/place.ts'
import type { Exchange, ExchangeEvent } from '../../../src/exchange/exchange.ts'
import { type Order, type OrderRequest, refOf } from '../../../src/exchange/order.ts'
import { priceOnGrid } from '../../../src/exchange/price-grid.ts'
import { openModel, type Pace, advance as pass } from './play.ts'

export interface Traits extends Pace {
  /** Why a scene cannot be played there, by the first word of its name. */
  readonly lacks?: Partial<Record<SceneName, string>>
  /** Default: all. */
  readonly only?: readonly SceneName[]
  /** Whether a document says how a trigger order that the venue refused is told apart from one that was cancelled. Default: yes. */
  readonly saysWhyTriggersFail?: boolean
}

const DAY_MS = 86_400_000

const SCENES = {
  strangers: 'orders of the trader beside ours are never taken for ours',
  'lost-stop': 'a stop whose answer was lost is found by our id or not at all, and never as the trader’s newer one',
  'lost-market': 'a market order whose answer was lost is known 61 s later, by itself or by its fills',
  fired: 'a stop that fired is told as filled, under its own id, within 5 s',
  'fired-in-part': 'a stop that fired and was filled to 40 % has ended with that much, and is not open',
  'trigger-failed': 'a stop whose order the venue refused has ended with nothing, and says why',
  'would-trigger': 'a stop that the price has passed is refused as would-trigger',
  'cancelled-limit': 'a limit order that the trader cancels on the page is told as canceled',
  'cancelled-stop': 'a stop that the trader cancels on the page is told as canceled, not as expired',
  'filled-in-part': 'a market order that found too little ended as canceled with what it got',
  liquidation: 'a liquidation is a fill with its cause, and ends what rested for that cause',
  deleveraging: 'auto-deleveraging is a fill with its cause',
  history: 'fills of 20 and 12 days ago are listed with those of today',
  forgotten: 'an order that ended two hours ago is found by the venue’s id',
  later: 'a fill that comes 80 ms after the acknowledgement is there when it is asked for, and is told',
  clock: 'a clock that is 20 s off is noticed, and orders go out',
  another: 'an answer about another order is not taken for ours',
  older: 'an answer from before does not open what has ended',
  unreadable: 'a list that was cut or is a page of somebody is an error, and no empty account',
  limited: 'a rate limit of a question says when to ask again',
  twice: 'an order that arrives twice is there once, where the venue knows its id',
} as const
export type SceneName = keyof typeof SCENES

/** A model with an adapter before it, and ways to do what the trader does on the venue's page. */
export class Stage {
  readonly model: VenueModel
  readonly events: ExchangeEvent[] = []
  saysWhyTriggersFail = true
  patience = 1
  exchange: Exchange

  private constructor(model: VenueModel, exchange: Exchange) {
    this.model = model
    this.exchange = exchange
    exchange.subscribe((event) => this.events.push(event))
  }

  static async open(spec: ModelSpec): Promise<Stage> {
    const model = new VenueModel(spec)
    const stage = new Stage(model, await openModel(model))
    await stage.exchange.loadMarkets()
    await pass(200)
    return stage
  }

  async close(): Promise<void> {
    await this.exchange.close()
    expect(this.model.unexpected).toEqual([])
  }

  async restart(): Promise<void> {
    await this.exchange.close()
    this.exchange = await openModel(this.model)
    this.exchange.subscribe((event) => this.events.push(event))
  }

  /** The account as another process asks it, which hears nothing: no poll of its own meets a fault. */
  async quiet(): Promise<Exchange> {
    const other = await openModel(this.model)
    await other.fetchBalances()
    await other.loadMarkets()
    await this.exchange.close()
    this.exchange = other
    await pass(20_000)
    return other
  }

  get market(): ModelMarket {
    return this.model.engine.markets[0] as ModelMarket
  }

  get symbol(): string {
    return this.market.symbol
  }

  get isSpot(): boolean {
    return this.market.settle === undefined
  }

  async price(percent: number): Promise<string> {
    const market = (await this.exchange.loadMarkets()).find(({ symbol }) => symbol === this.symbol)
    if (market === undefined) throw new Error('the market is not listed')
    return priceOnGrid(this.model.engine.last(this.market).times(1 + percent / 100), market, 'nearest')
  }

  /** So many dollars of it, in base. */
  async amount(dollars = 1200): Promise<string> {
    const { lot, contractValue } = this.market
    const step = new Decimal(lot).times(contractValue)
    return new Decimal(dollars).div(this.model.engine.last(this.market)).div(step).floor().times(step).toFixed()
  }

  async request(more: Partial<OrderRequest> = {}): Promise<OrderRequest> {
    const amount = more.amount ?? (await this.amount())
    return { clientOrderId: newOrderId(), symbol: this.symbol, side: 'buy', type: 'market', ...more, amount }
  }

  async place(more: Partial<OrderRequest> = {}): Promise<Order> {
    return place(this.exchange, await this.request(more))
  }

  /** A position, and a stop of all of it. */
  async guarded(percent = -2): Promise<{ readonly stop: Order; readonly amount: string }> {
    const bought = await this.place()
    await this.advance(500)
    const triggerPrice = await this.price(percent)
    const reduceOnly = this.exchange.capabilities.reduceOnly
    const stop = await this.place({
      side: 'sell',
      type: this.stopType,
      amount: bought.amount,
      triggerPrice,
      ...(await this.#limit(percent)),
      ...(reduceOnly && { reduceOnly }),
    })
    return { stop, amount: bought.amount }
  }

  get stopType(): 'stop' | 'stop-limit' {
    return this.exchange.capabilities.orderTypes.includes('stop') ? 'stop' : 'stop-limit'
  }

  async #limit(percent: number): Promise<{ readonly price?: string }> {
    return this.stopType === 'stop' ? {} : { price: await this.price(percent - 2) }
  }

  /** What the trader types on the venue's page: it has no id of ours. */
  async typed(side: Side, price: string | undefined, trigger?: string, dollars = 3000): Promise<ModelOrder> {
    const { engine } = this.model
    const amount = new Decimal(await this.amount(dollars)).div(this.market.contractValue)
    return engine.place({
      market: this.market,
      clientId: '',
      side,
      amount,
      ...(price !== undefined && { price: new Decimal(price) }),
      ...(trigger !== undefined && {
        trigger: { price: new Decimal(trigger), way: engine.last(this.market).lt(trigger) ? 'up' : 'down' },
      }),
    })
  }

  async advance(ms: number): Promise<void> {
    await pass(ms * this.patience)
  }

  told(order: Pick<Order, 'id'>): Order | undefined {
    const orders = this.events.flatMap((event) =>
      event.type === 'order' && event.order.id === order.id ? [event.order] : [],
    )
    return orders.at(-1)
  }

  async move(percent: number): Promise<void> {
    this.model.engine.movePrice(this.symbol, await this.price(percent))
  }
}

type Play = (stage: Stage) => Promise<void>

const PLAYS: Readonly<Record<SceneName, Play>> = {
  async strangers(stage) {
    const { exchange } = stage
    await stage.typed('buy', await stage.price(-6))
    const before = exchange.capabilities.orderTypes.includes('stop')
      ? await stage.typed('buy', undefined, await stage.price(7))
      : undefined
    const ours = [await stage.place({ type: 'limit', price: await stage.price(-5) })]
    if (before !== undefined) ours.push(await stage.place({ type: 'stop', triggerPrice: await stage.price(6) }))
    await stage.typed('buy', await stage.price(-7))
    if (before !== undefined) await stage.typed('buy', undefined, await stage.price(8))
    for (const isKnown of [true, false]) {
      await expectOursAlone(stage, ours, isKnown)
      await stage.restart()
    }
  },

  async 'lost-stop'(stage) {
    const { amount } = await stage.guarded()
    const request = await stage.request({ side: 'sell', type: 'stop', amount, triggerPrice: await stage.price(-4) })
    stage.model.fail({ kind: 'lost', isDone: true })
    expect(await stage.exchange.createOrder(request)).toMatchObject({ kind: 'unknown' })
    const ours = stage.model.engine.open().at(-1)
    const theirs = await stage.typed('sell', undefined, await stage.price(-5))
    const found = await orNotFound(stage.exchange, {
      symbol: stage.symbol,
      clientOrderId: request.clientOrderId,
      isTrigger: true,
    })
    expect(found?.id).not.toBe(theirs.id)
    if (found !== undefined) expect(found.id).toBe(ours?.id)
  },

  async 'lost-market'(stage) {
    const request = await stage.request(stage.isSpot ? { side: 'sell' } : {})
    stage.model.fail({ kind: 'lost', isDone: true })
    expect(await stage.exchange.createOrder(request)).toMatchObject({ kind: 'unknown' })
    await stage.advance(61_000)
    const { clientOrderId, symbol } = request
    const found = await orNotFound(stage.exchange, { symbol, clientOrderId })
    const fills = await stage.exchange.fetchMyTrades({ symbol })
    expect(found?.status ?? fills.find((fill) => fill.clientOrderId === clientOrderId)?.clientOrderId).toBe(
      found === undefined ? clientOrderId : 'closed',
    )
  },

  async fired(stage) {
    const { stop, amount } = await stage.guarded()
    await stage.move(-3)
    await stage.advance(5000)
    expect(stage.told(stop)).toMatchObject({ id: stop.id, status: 'closed', filled: amount })
    const fills = await stage.exchange.fetchMyTrades({ symbol: stage.symbol })
    expect(fills.at(-1)).toMatchObject({ orderId: stop.id, side: 'sell' })
    const { average } = await stage.exchange.fetchOrder(refOf(stop))
    expect(Number(average)).toBeCloseTo(Number(fills.at(-1)?.price), 4)
  },

  async 'fired-in-part'(stage) {
    const { stop, amount } = await stage.guarded()
    stage.model.engine.nextTakes = 0.4
    await stage.move(-3)
    await stage.advance(5000)
    const ended = await stage.exchange.fetchOrder(refOf(stop))
    const part = Number(amount) * 0.4
    expect(ended.status).not.toBe('open')
    expect(Math.abs(Number(ended.filled) - part)).toBeLessThan(Number(amount) * 0.05)
    expect(stage.told(stop)).toMatchObject({ status: ended.status, filled: ended.filled })
  },

  async 'trigger-failed'(stage) {
    const { stop } = await stage.guarded()
    stage.model.engine.failsNextTrigger = true
    await stage.move(-3)
    await stage.advance(5000)
    const ended = await stage.exchange.fetchOrder(refOf(stop))
    expect(ended).toMatchObject({ filled: '0', status: expect.stringMatching(/^(canceled|rejected|expired)$/) })
    expect(stage.told(stop)?.status).toBe(ended.status)
    if (stage.saysWhyTriggersFail) expect(ended.cause).toBe('trigger-failed')
  },

  async 'would-trigger'(stage) {
    const request = await stage.request({ side: 'sell', type: 'stop', triggerPrice: await stage.price(2) })
    expect(await stage.exchange.createOrder(request)).toMatchObject({
      kind: 'refused',
      error: { code: 'would-trigger' },
    })
  },

  async 'cancelled-limit'(stage) {
    const order = await stage.place({ type: 'limit', price: await stage.price(-5) })
    await stage.advance(3500)
    stage.model.engine.cancel(stage.model.engine.open().at(-1) as ModelOrder)
    await stage.advance(5000)
    expect(stage.told(order)).toMatchObject({ status: 'canceled', filled: '0' })
  },

  async 'cancelled-stop'(stage) {
    const { stop } = await stage.guarded()
    await stage.advance(3500)
    stage.model.engine.cancel(stage.model.engine.open().at(-1) as ModelOrder)
    await stage.advance(5000)
    expect(stage.told(stop)).toMatchObject({ status: 'canceled', filled: '0' })
  },

  async 'filled-in-part'(stage) {
    stage.model.engine.nextTakes = 0.4
    const order = await stage.place({ side: stage.isSpot ? 'sell' : 'buy' })
    await stage.advance(5000)
    const ended = await stage.exchange.fetchOrder(refOf(order))
    expect(ended).toMatchObject({ status: expect.stringMatching(/^(canceled|expired)$/) })
    expect(Number(ended.filled)).toBeGreaterThan(0)
    expect(Number(ended.remaining)).toBeGreaterThan(0)
  },

  async liquidation(stage) {
    await stage.place()
    const resting = await stage.place({ type: 'limit', price: await stage.price(-9) })
    await stage.advance(1000)
    stage.model.engine.takeAway(stage.symbol, 'liquidation')
    await stage.advance(5000)
    const fills = await stage.exchange.fetchMyTrades({ symbol: stage.symbol })
    expect(fills.at(-1)).toMatchObject({ side: 'sell', cause: 'liquidation' })
    const ended = stage.told(resting)
    expect(ended?.status).toMatch(/^(canceled|expired|rejected)$/)
  },

  async deleveraging(stage) {
    await stage.place()
    await stage.advance(1000)
    stage.model.engine.takeAway(stage.symbol, 'deleveraging', 0.5)
    await stage.advance(5000)
    const fills = await stage.exchange.fetchMyTrades({ symbol: stage.symbol })
    expect(fills.at(-1)).toMatchObject({ side: 'sell', cause: 'deleveraging' })
  },

  async history(stage) {
    const { engine } = stage.model
    const side = stage.isSpot ? 'sell' : 'buy'
    await stage.place({ side })
    engine.run()
    engine.age(8 * DAY_MS)
    await stage.place({ side })
    engine.run()
    engine.age(12 * DAY_MS)
    await stage.place({ side })
    await stage.advance(1000)
    const since = Date.now() - 30 * DAY_MS
    const fills = await stage.exchange.fetchMyTrades({ symbol: stage.symbol, since, limit: 500 })
    expect(fills.map(({ timestamp }) => Math.round((Date.now() - timestamp) / DAY_MS))).toEqual([20, 12, 0])
  },

  async forgotten(stage) {
    const order = await stage.place({ side: stage.isSpot ? 'sell' : 'buy' })
    await stage.advance(4000)
    stage.model.engine.age(2 * 3_600_000)
    await stage.restart()
    expect(await stage.exchange.fetchOrder({ symbol: stage.symbol, id: order.id })).toMatchObject({
      status: 'closed',
      filled: order.amount,
    })
  },

  async later(stage) {
    await stage.place({ side: stage.isSpot ? 'sell' : 'buy' })
    await stage.advance(4000)
    stage.model.engine.fillsLaterMs = 80
    const order = await stage.place({ side: stage.isSpot ? 'buy' : 'sell' })
    await pass(200)
    expect(await stage.exchange.fetchOrder(refOf(order))).toMatchObject({ status: 'closed', filled: order.amount })
    await stage.advance(4000)
    expect(stage.told(order)).toMatchObject({ status: 'closed', filled: order.amount })
  },

  async clock(stage) {
    stage.model.clockOffsetMs = 20_000
    await stage.restart()
    const order = await stage.place({ side: stage.isSpot ? 'sell' : 'buy' })
    expect(order.amount).not.toBe('0')
  },

  async another(stage) {
    const [first, second] = [
      await stage.place({ type: 'limit', price: await stage.price(-5) }),
      await stage.place({ type: 'limit', price: await stage.price(-6) }),
    ]
    await stage.quiet()
    await stage.exchange.fetchOrder(refOf(first))
    stage.model.fail({ kind: 'of-another', route: 'private', times: 1 })
    const answered = await stage.exchange.fetchOrder(refOf(second)).then(
      ({ id }) => id,
      () => undefined,
    )
    expect([second.id, undefined]).toContain(answered)
  },

  async older(stage) {
    const order = await stage.place({ type: 'limit', price: await stage.price(-2) })
    await stage.advance(3500)
    await stage.exchange.fetchOrder(refOf(order)).catch(() => undefined)
    await stage.move(-3)
    await stage.advance(4000)
    expect(stage.told(order)).toMatchObject({ status: 'closed' })
    const count = stage.events.length
    stage.model.fail({ kind: 'older', route: 'private', times: 4 })
    await stage.advance(8000)
    const later = stage.events
      .slice(count)
      .flatMap((event) => (event.type === 'order' && event.order.id === order.id ? [event.order.status] : []))
    expect(later).not.toContain('open')
  },

  async unreadable(stage) {
    await stage.place({ type: 'limit', price: await stage.price(-5) })
    await stage.quiet()
    for (const kind of ['cut', 'html'] as const) {
      stage.model.fail({ kind, route: 'private' })
      await expect(stage.exchange.fetchOpenOrders(stage.symbol)).rejects.toMatchObject({ code: 'network' })
    }
  },

  async limited(stage) {
    await stage.exchange.fetchBalances()
    stage.model.fail({
      kind: 'rate-limited',
      retryAfterS: 7,
      route: 'private',
    })
    await expect(stage.exchange.fetchBalances()).rejects.toMatchObject({ code: 'rate-limited', retryAfterMs: 7000 })
  },

  async twice(stage) {
    stage.model.fail({ kind: 'twice' })
    const request = await stage.request({ type: 'limit', price: await stage.price(-5) })
    const outcome = await stage.exchange.createOrder(request)
    expect(stage.model.engine.open()).toHaveLength(1)
    // The second answer is a no, and the order is there: nobody may take it for refused.
    expect(outcome.kind === 'refused' ? outcome.error.code : 'duplicate-id').toBe('duplicate-id')
  },
}

/** @param isKnown whether this process has placed them */
async function expectOursAlone({ exchange, symbol }: Stage, ours: readonly Order[], isKnown: boolean): Promise<void> {
  const foreign = (await exchange.fetchOpenOrders(symbol)).filter(({ id }) => !ours.some((order) => order.id === id))
  expect(foreign).toHaveLength(2 * ours.length)
  for (const { clientOrderId } of foreign) expect(clientOrderId).toBeUndefined()
  for (const { id, amount, clientOrderId, type } of ours) {
    expect(await exchange.fetchOrder(refOf({ id, symbol, type }))).toMatchObject({ id, amount })
    const found = await orNotFound(exchange, {
      symbol,
      ...(clientOrderId && { clientOrderId }),
      isTrigger: type === 'stop',
    })
    if (isKnown) expect(found).toMatchObject({ id, amount, clientOrderId })
    // A venue that keeps no name of a stop cannot tell whose it is.
    else if (found !== undefined) expect(found.id).toBe(id)
  }
}

export function describeScenes(
  name: string,
  start: () => ModelSpec,
  { lacks = {}, saysWhyTriggersFail = true, patience = 1, only }: Traits = {},
): void {
  describe(`scenes of ${name}:`, () => {
    for (const [scene, what] of Object.entries(SCENES) as readonly (readonly [SceneName, string])[]) {
      if (only !== undefined && !only.includes(scene)) continue
      it(what, async ({ skip }) => {
        const why = lacks[scene]
        if (why !== undefined) skip(why)
        const stage = await Stage.open(start())
        Object.assign(stage, { saysWhyTriggersFail, patience })
        try {
          await PLAYS[scene](stage)
        } finally {
          await stage.close()
        }
      })
    }
  })
}

async function orNotFound(exchange: Exchange, ref: Parameters<Exchange['fetchOrder']>[0]): Promise<Order | undefined> {
  return exchange.fetchOrder(ref).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'order-not-found' })
    return undefined
  })
}
