// What a trader does on the venue's own page, at every venue and without its streams: told within 5 s, once, and never of what is ours.
import { randomUUID } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { journalInMemory } from '../../../harness/venues/journal-in-memory.ts'
import { MODELS } from '../../../harness/venues/models/all-models.ts'
import { bitgetModel } from '../../../harness/venues/models/bitget.ts'
import { krakenModel } from '../../../harness/venues/models/kraken.ts'
import { type ModelSpec, withoutStreams } from '../../../harness/venues/models/model.ts'
import type { ModelOrder } from '../../../harness/venues/models/orders.ts'
import { refOf } from '../../../src/exchange/order.ts'
import type { CreateAccountStreams } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import {
  type AccountStreamsOptions,
  createAccountStreams,
} from '../../../src/exchanges/ccxt/streams/account-streams.ts'
import { findVenue } from '../../../src/exchanges/venues.ts'
import { watchAccount } from '../../../src/trading/account-watch.ts'
import { OrderDesk } from '../../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../../src/trading/order-event.ts'
import { createOrderJournal } from '../../../src/trading/order-journal.ts'
import type { OrderPlan } from '../../../src/trading/order-plan.ts'
import { Stage } from './describe-scenes.ts'
import './play.ts'

const WITHIN_MS = 5_000

async function watched(spec: ModelSpec, createStreams?: CreateAccountStreams) {
  const stage = await Stage.open(spec, createStreams)
  const told: OrderEvent[] = []
  const onProblem = () => undefined
  const directory = tempDirectory()
  const lines: string[] = []
  const file = { ...journalInMemory(lines), path: `${directory}/orders.jsonl` }
  const clock = { now: Date.now, delay: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) }
  const openDesk = () =>
    new OrderDesk({
      account: 'model',
      exchange: stage.exchange,
      clock,
      report: () => {},
      onProblem,
      journal: createOrderJournal(file, { now: Date.now, onProblem }),
    })
  const [desk, another] = [openDesk(), openDesk()]
  const stop = watchAccount({
    venue: stage.exchange,
    orders: desk.records,
    now: Date.now,
    onProblem,
    notify: (event) => void told.push(event),
  })
  onTestFinished(async () => {
    stop()
    desk.close()
    another.close()
    await stage.close()
  })
  await stage.advance(4_000)
  return {
    stage,
    told,
    places: (on: 'here' | 'in another process', plan: OrderPlan) =>
      (on === 'here' ? desk : another).place(plan, { source: 'repl', runId: randomUUID(), step: 0 }, () => {}),
    ofOrders: () => told.filter(({ type }) => type === 'placed-elsewhere' || type === 'changed-elsewhere'),
  }
}

/** Lists orders of one symbol only, and the class asks for those that it knows of: without its stream nothing says where another order is. */
const hasList = ({ venue }: ModelSpec) => venue !== 'mexc'

describe.each(MODELS.filter(hasList).map((spec) => [`${spec.venue} ${spec.kind}`, spec] as const))(
  '%s',
  (_name, spec) => {
    it('a limit order that is typed on the page is told within 5 s, and so is its move', async () => {
      const { stage, ofOrders } = await watched(spec)
      const price = await stage.price(-6)
      const theirs = await stage.typed('buy', price)
      await stage.advance(WITHIN_MS)
      const { id } = theirs
      expect(ofOrders()).toMatchObject([{ type: 'placed-elsewhere', venue: spec.venue, orders: [{ id, price }] }])
      const moved = await stage.price(-7)
      stage.model.engine.amend(theirs, { price: new Decimal(moved) })
      await stage.advance(WITHIN_MS)
      await stage.advance(2 * WITHIN_MS)
      expect(ofOrders().slice(1)).toMatchObject([
        { type: 'changed-elsewhere', changes: [{ before: { id, price }, order: { id, price: moved } }] },
      ])
    })

    it('an order of a hookline on this directory is told by none of them', async () => {
      const { stage, places, ofOrders } = await watched(spec)
      const { symbol } = stage
      const amount = await stage.amount(600)
      const limit = { symbol, side: 'buy', type: 'limit', amount } as const
      await places('here', { ...limit, price: await stage.price(-6) })
      await places('in another process', { ...limit, price: await stage.price(-7) })
      const types = stage.exchange.capabilities.orderTypes
      for (const on of ['here', 'in another process'] as const) {
        if (types.includes('stop')) {
          await places(on, { symbol, side: 'buy', type: 'stop', amount, triggerPrice: await stage.price(6) })
        }
        if (types.includes('stop-limit')) {
          const [triggerPrice, price] = [await stage.price(2), await stage.price(1)]
          await places(on, { symbol, side: 'buy', type: 'stop-limit', amount, triggerPrice, price })
        }
      }
      await stage.advance(2 * WITHIN_MS)
      // Fires the stop-limits, whose orders rest below the price then.
      await stage.move(3)
      await stage.advance(4 * WITHIN_MS)
      expect(ofOrders()).toEqual([])
    })
  },
)

const SPOT = MODELS.filter(({ kind, venue }) => kind === 'spot' && venue !== 'kraken')

describe.each(SPOT.map((spec) => [spec.venue, spec] as const))('on %s spot', (_name, spec) => {
  it('a sale at the market on the page is told within 5 s', async () => {
    const { stage, told } = await watched(spec)
    const { engine } = stage.model
    const amount = new Decimal(await stage.amount(600))
    engine.place({ market: stage.market, clientId: '', side: 'sell', amount, timeInForce: 'ioc' })
    await stage.advance(WITHIN_MS)
    expect(told).toMatchObject([{ type: 'elsewhere', trades: [{ side: 'sell', amount: amount.toFixed() }] }])
  })
})

describe('on Kraken spot, which lets one question through every 3 s', () => {
  it('orders that are typed one after the other on the page are told within 10 s each, and no fills are asked for', async () => {
    const { stage, ofOrders } = await watched(krakenModel())
    // Longer than what may be asked at once lasts.
    await stage.advance(120_000)
    for (let count = 1; count <= 6; count += 1) {
      await stage.typed('buy', await stage.price(-6 - count / 10))
      await stage.advance(10_000)
      expect(ofOrders()).toHaveLength(count)
    }
    expect(stage.model.asked(/TradesHistory/)).toEqual([])
  })

  it('sales at the market on the page are told within 15 s, whenever they happen', async () => {
    const { stage, told } = await watched(krakenModel())
    const { engine } = stage.model
    const amount = new Decimal(await stage.amount(600))
    for (let count = 0; count < 10; count += 1) {
      await stage.advance(20_000 + count * 700)
      told.length = 0
      engine.place({ market: stage.market, clientId: '', side: 'sell', amount, timeInForce: 'ioc' })
      await stage.advance(15_000)
      expect(told).toMatchObject([{ type: 'elsewhere', trades: [{ side: 'sell', amount: amount.toFixed() }] }])
    }
  })
})

describe('on Bitget, what is typed on a position', () => {
  const typed = async () => {
    const all = await watched(bitgetModel())
    const { stage } = all
    const { engine } = stage.model
    await stage.place()
    await stage.advance(4_000)
    all.told.length = 0
    const { amount } = engine.account.held(stage.market)
    const wish = { market: stage.market, clientId: '', side: 'sell', amount, reduceOnly: true } as const
    const [stop, take] = [await stage.price(-3), await stage.price(3)]
    const plans = [
      engine.place({ ...wish, trigger: { price: new Decimal(stop), way: 'down' }, said: { planType: 'pos_loss' } }),
      engine.place({ ...wish, trigger: { price: new Decimal(take), way: 'up' }, said: { planType: 'profit_plan' } }),
    ]
    return { ...all, engine, plans, stop, take, ids: plans.map(({ id }) => id) }
  }

  it('is listed, told within 5 s, and never ours', async () => {
    const { stage, ofOrders, ids, stop, take } = await typed()
    const ours = await stage.place({
      type: 'stop',
      side: 'sell',
      triggerPrice: await stage.price(-4),
      reduceOnly: true,
    })
    await stage.advance(WITHIN_MS)
    const listed = await stage.exchange.fetchOpenOrders(stage.symbol)
    const foreign = listed.filter(({ clientOrderId }) => clientOrderId === undefined)
    expect(foreign).toMatchObject([
      { id: ids[0], type: 'stop', triggerPrice: stop, closesPosition: true, reduceOnly: true },
      { id: ids[1], type: 'take-profit', triggerPrice: take },
    ])
    expect(listed.map(({ id }) => id)).toEqual([...ids, ours.id])
    expect(
      ofOrders()
        .flatMap((event) => (event.type === 'placed-elsewhere' ? event.orders : []))
        .filter(({ clientOrderId }) => clientOrderId === undefined),
    ).toMatchObject(foreign)
    const found = await stage.exchange.fetchOrder({
      symbol: stage.symbol,
      clientOrderId: ours.clientOrderId ?? '',
      isTrigger: true,
    })
    expect(found.id).toBe(ours.id)
  })

  it('is canceled by the name of its kind, and its end on the page is told', async () => {
    const { stage, told, ids, plans, engine } = await typed()
    const { symbol } = stage
    await stage.advance(WITHIN_MS)
    expect(await stage.exchange.cancelOrder({ symbol, id: ids[1] ?? '', isTrigger: true })).toMatchObject({
      status: 'canceled',
    })
    told.length = 0
    engine.cancel(plans[0] as ModelOrder)
    await stage.advance(WITHIN_MS)
    expect(told).toMatchObject([
      { type: 'elsewhere', order: { id: ids[1] } },
      { type: 'elsewhere', order: { id: ids[0], status: 'canceled' } },
    ])
    expect(engine.open()).toEqual([])
  })

  it('is told as filled where it fires, and asks for nothing that stays open', async () => {
    const { stage, told } = await typed()
    await stage.advance(WITHIN_MS)
    told.length = 0
    await stage.move(-4)
    await stage.advance(2 * WITHIN_MS)
    expect(told[0]).toMatchObject({ type: 'elsewhere', trades: [{ side: 'sell' }] })
    expect(stage.exchange.stream).toBe('live')
  })
})

it('on Bitget, a stop that has ended cannot be canceled: the venue says so of each', async () => {
  const { stage } = await watched(bitgetModel())
  await stage.place()
  const stop = await stage.place({ type: 'stop', side: 'sell', triggerPrice: await stage.price(-4), reduceOnly: true })
  await stage.exchange.cancelOrder(refOf(stop))
  await expect(stage.exchange.cancelOrder(refOf(stop))).rejects.toMatchObject({ code: 'order-not-found' })
})

it.each(MODELS.map((spec) => [`${spec.venue} ${spec.kind}`, spec] as const))(
  'what `exchanges` says of %s without its streams follows from how it is asked',
  async (_name, spec) => {
    const asked: AccountStreamsOptions[] = []
    const stage = await Stage.open(spec, (options) => {
      asked.push(options)
      return withoutStreams(options)
    })
    const { reportedWithinS } = findVenue(spec.venue) ?? {}
    const inTurn = asked[0]?.read.isInTurn === true
    expect(reportedWithinS?.streams).toBe(5)
    // Two questions in turn, 3 s of the venue's allowance each, and as long again for what they find.
    expect(reportedWithinS?.asked).toBe(inTurn ? 12 : 5)
    expect(reportedWithinS?.isOfKnownSymbols === true).toBe(!hasList(spec))
    await stage.close()
  },
)

/** The `executions` channel, up and without a word until the test says one: what nothing has filled on yet. */
function channelOf() {
  const heard: ((rows: readonly unknown[]) => void)[] = []
  const client = {
    id: 'kraken',
    has: { watchOrders: true, watchMyTrades: true },
    watchOrders: () => new Promise((resolve) => heard.push(resolve)),
    watchMyTrades: () => new Promise(() => {}),
  }
  return {
    say: (row: unknown) => {
      for (const hear of heard.splice(0)) hear([row])
    },
    createStreams: (options: AccountStreamsOptions) => createAccountStreams({ ...options, client }),
  }
}

it('on Kraken spot, with its streams and before the first fill, an order that is typed on the page is told within 5 s', async () => {
  const channel = channelOf()
  const { stage, ofOrders } = await watched(krakenModel(), channel.createStreams)
  await stage.advance(120_000)
  for (let count = 1; count <= 6; count += 1) {
    const { id } = await stage.typed('buy', await stage.price(-6 - count / 10))
    // As the class makes it of a row of the channel.
    const info = { order_id: id, exec_type: 'new', order_status: 'new', symbol: 'BTC/USD' }
    channel.say({ id, symbol: 'BTC/USD', status: 'open', filled: 0, info })
    await stage.advance(WITHIN_MS)
    expect(ofOrders()).toHaveLength(count)
    await stage.advance(5_000)
  }
})
