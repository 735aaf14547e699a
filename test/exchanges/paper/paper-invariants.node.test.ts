// Whatever is ordered and wherever prices go: random orders and prices against the whole exchange, the books audited from the
// outside after every step.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket, type ScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { Exchange, ExchangeEvent } from '../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../src/exchange/exchange-error.ts'
import { isTriggerType, type Order, type OrderType, refOf, type Trade } from '../../../src/exchange/order.ts'
import { createSyntheticDepth, type Depth, THIN_DEPTH, UNLIMITED_DEPTH } from '../../../src/exchanges/paper/depth.ts'
import { findMarket, START_PRICES } from '../../../src/exchanges/paper/markets.ts'
import '../../../harness/tiers/runs.ts'

const DEPOSIT = 10_000
const NO_ORDER = { id: 'none', symbol: 'BTCUSDT', type: 'limit', amount: '1' } as const
const SYMBOLS = ['BTCUSDT', 'DOGEUSDT', 'SOLUSDT']

type Step =
  | { readonly do: 'place'; readonly order: Wanted }
  | { readonly do: 'move'; readonly symbol: string; readonly price: string }
  | { readonly do: 'cancel'; readonly nth: number }
  | { readonly do: 'edit'; readonly nth: number; readonly percent: number; readonly times: number }
  | { readonly do: 'restart' }

const symbol = fc.constantFrom(...SYMBOLS)

function nearStart(symbol: string, percent: number): string {
  const tick = new Decimal(findMarket(symbol).priceGrid.tick)
  const price = new Decimal(START_PRICES[symbol] ?? '0').times(1 + percent / 100)
  return price.div(tick).round().times(tick).toFixed()
}

const order: fc.Arbitrary<Step> = fc
  .record({
    symbol,
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('market', 'limit', 'stop', 'stop-limit', 'take-profit') as fc.Arbitrary<OrderType>,
    // Up to 12 times the deposit in notional.
    notional: fc.integer({ min: 1, max: 60_000 }),
    percent: fc.integer({ min: -12, max: 12 }),
    reduceOnly: fc.boolean(),
    postOnly: fc.boolean(),
  })
  .map(({ symbol, side, type, notional, percent, reduceOnly, postOnly }) => {
    const lot = new Decimal(findMarket(symbol).lotSize)
    const lots = new Decimal(notional)
      .div(START_PRICES[symbol] ?? '1')
      .div(lot)
      .floor()
    const price = nearStart(symbol, percent)
    return {
      do: 'place',
      order: {
        symbol,
        side,
        type,
        amount: lots.times(lot).toFixed(),
        reduceOnly,
        ...(type === 'limit' ? { price, postOnly } : {}),
        ...(type === 'stop-limit' ? { price } : {}),
        ...(isTriggerType(type) ? { triggerPrice: price } : {}),
      },
    }
  })

const move: fc.Arbitrary<Step> = fc
  .record({ symbol, percent: fc.double({ min: -15, max: 15, noNaN: true }) })
  .map(({ symbol, percent }) => ({ do: 'move', symbol, price: nearStart(symbol, percent) }))

const edit: fc.Arbitrary<Step> = fc
  .record({ nth: fc.nat({ max: 3 }), percent: fc.integer({ min: -12, max: 12 }), times: fc.constantFrom(0.2, 1, 2) })
  .map((change) => ({ do: 'edit', ...change }))

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: order },
    { weight: 4, arbitrary: move },
    { weight: 1, arbitrary: fc.nat({ max: 5 }).map((nth): Step => ({ do: 'cancel', nth })) },
    { weight: 1, arbitrary: edit },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
  ),
  { maxLength: 40, size: 'max' },
)

/** What an outsider who only hears the events believes about the account. */
function createAuditor(edited: ReadonlySet<string>) {
  const held = new Map<string, Decimal>()
  let booked = new Decimal(DEPOSIT)
  let cash = new Decimal(DEPOSIT)

  /** Trades by order; each trade is judged with its order, whose event comes after it. */
  const fills = new Map<string, { readonly trade: Trade; readonly before: Decimal; readonly after: Decimal }[]>()
  const ids = new Set<string>()

  function hear(event: ExchangeEvent): void {
    if (event.type === 'trade') hearTrade(event.trade)
    if (event.type === 'order') hearOrder(event.order)
  }

  function hearTrade(trade: Trade): void {
    const { priceGrid, lotSize } = findMarket(trade.symbol)
    const amount = new Decimal(trade.amount)
    const price = new Decimal(trade.price)
    const before = held.get(trade.symbol) ?? new Decimal(0)
    const after = trade.side === 'buy' ? before.plus(amount) : before.minus(amount)

    expect(ids.has(trade.id)).toBe(false)
    ids.add(trade.id)
    expect(amount.gt(0) && amount.mod(lotSize).isZero()).toBe(true)
    expect(price.gt(0) && price.mod(priceGrid.tick).isZero()).toBe(true)
    if (before.isZero() || before.isNeg() === (trade.side === 'sell')) expect(trade.realizedPnl).toBe('0')
    expect(new Decimal(trade.realizedPnl ?? 'NaN').decimalPlaces()).toBeLessThanOrEqual(8)
    expect(new Decimal(trade.fee ?? 'NaN').decimalPlaces()).toBeLessThanOrEqual(8)

    fills.set(trade.orderId, [...(fills.get(trade.orderId) ?? []), { trade, before, after }])
    held.set(trade.symbol, after)
    booked = booked.plus(trade.realizedPnl ?? 0).minus(trade.fee ?? 0)
    cash = cash.minus(after.minus(before).times(price)).minus(trade.fee ?? 0)
  }

  function hearOrder(order: Order): void {
    const made = fills.get(order.id) ?? []
    const sum = made.reduce((total, { trade }) => total.plus(trade.amount), new Decimal(0))
    const cost = made.reduce(
      (total, { trade }) => total.plus(new Decimal(trade.amount).times(trade.price)),
      new Decimal(0),
    )
    expect(order.filled).toBe(sum.toFixed())
    expect(new Decimal(order.filled).plus(order.remaining).toFixed()).toBe(order.amount)
    expect(order.average).toBe(made.length === 0 ? undefined : cost.div(sum).toDecimalPlaces(8, 6).toFixed())
    if (order.status === 'closed') expect(order.remaining).toBe('0')
    if (order.status === 'open') expect(order.remaining).not.toBe('0')
    for (const { trade, before, after } of made) {
      if (order.postOnly) expect(trade.takerOrMaker).toBe('maker')
      if (!order.reduceOnly) continue
      expect(after.abs().lt(before.abs())).toBe(true)
      expect(after.isZero() || after.isNeg() === before.isNeg()).toBe(true)
    }
    if (order.price === undefined || edited.has(order.id)) return
    for (const { trade } of made) {
      expect(
        order.side === 'buy' ? Number(trade.price) <= Number(order.price) : Number(trade.price) >= Number(order.price),
      ).toBe(true)
    }
  }

  /** Money is conserved: by the books (realized PnL and fees) and, independently of them, by what was paid and received. */
  async function audit(market: ScriptedMarket, exchange: ScriptedMarket['exchange']): Promise<void> {
    const covered = market.store.read().covered
    const balance = await balanceOf(exchange)
    const positions = await exchange.fetchPositions()
    const unrealized = positions.reduce((sum, position) => sum.plus(position.unrealizedPnl ?? 0), new Decimal(0))
    const worth = positions.reduce(
      (sum, { side, notional }) => (side === 'long' ? sum.plus(notional) : sum.minus(notional)),
      new Decimal(0),
    )
    expect(balance.wallet).toBe(booked.plus(covered).toFixed())
    expect(balance.total).toBe(new Decimal(balance.wallet).plus(unrealized).toFixed())
    expect(balance.total).toBe(cash.plus(worth).plus(covered).toFixed())
    expect(Number(balance.free)).toBeGreaterThanOrEqual(0)
    if (positions.length === 0) expect(Number(balance.wallet)).toBeGreaterThanOrEqual(0)
    expect(positions.map(({ symbol, side, amount }) => [symbol, side, amount])).toEqual(
      [...held]
        .filter(([, amount]) => !amount.isZero())
        .map(([symbol, amount]) => [symbol, amount.isNeg() ? 'short' : 'long', amount.abs().toFixed()])
        .sort(),
    )
    for (const order of await exchange.fetchOpenOrders()) {
      const amount = held.get(order.symbol) ?? new Decimal(0)
      if (order.reduceOnly) expect(order.side === 'sell' ? amount.gt(0) : amount.lt(0)).toBe(true)
    }
  }

  return { hear, audit }
}

describe('whatever is ordered and wherever prices go', () => {
  it.each<[string, Depth, number]>([
    ['whatever is asked for', UNLIMITED_DEPTH, 200],
    ['levels', createSyntheticDepth('audit'), 150],
    ['almost nothing', THIN_DEPTH, 150],
  ])(
    'money is conserved, limits hold, reduce-only reduces, fills add up and funds suffice, in a book of %s',
    async (_what, depth, numRuns) => {
      await fc.assert(
        fc.asyncProperty(steps, (steps) => runAudited(steps, depth)),
        { numRuns },
      )
    },
  )
})

async function runAudited(steps: readonly Step[], depth: Depth): Promise<void> {
  const market = createScriptedMarket({ balance: String(DEPOSIT), depth })
  const edited = new Set<string>()
  const auditor = createAuditor(edited)
  let exchange = market.exchange
  exchange.subscribe(auditor.hear)
  for (const step of steps) {
    if (step.do === 'place') {
      await placeAudited(exchange, step.order)
    } else if (step.do === 'move') {
      market.setPrice(step.symbol, step.price)
      await market.advance()
    } else if (step.do === 'cancel') {
      const open = await exchange.fetchOpenOrders()
      await exchange.cancelOrder(refOf(open[step.nth] ?? NO_ORDER)).catch(expectRefusal)
    } else if (step.do === 'edit') {
      const order = (await exchange.fetchOpenOrders())[step.nth] ?? NO_ORDER
      edited.add(order.id)
      const price = nearStart(order.symbol, step.percent)
      const change = isTriggerType(order.type) ? { triggerPrice: price } : { price }
      const { lotSize } = findMarket(order.symbol)
      const amount = new Decimal(order.amount).times(step.times).div(lotSize).ceil().times(lotSize).toFixed()
      const outcome = await exchange.editOrder(refOf(order), { ...change, amount })
      if (outcome.kind !== 'placed') expectRefusal(outcome.error)
    } else {
      await exchange.close()
      exchange = market.openExchange()
      exchange.subscribe(auditor.hear)
    }
    await auditor.audit(market, exchange)
  }
  expect(market.problems).toEqual([])
}

/** An order that does not just take off a position locks no more than the account is worth. */
async function placeAudited(exchange: Exchange, order: Wanted): Promise<void> {
  const heldBefore = await heldOf(exchange, order.symbol)
  const { used: usedBefore } = await balanceOf(exchange)
  try {
    await place(exchange, order)
  } catch (error) {
    expectRefusal(error)
    if (order.reduceOnly) expect(error).not.toMatchObject({ code: 'insufficient-funds' })
    return
  }
  const held = await heldOf(exchange, order.symbol)
  const reduced = held.abs().lt(heldBefore.abs()) && held.times(heldBefore).gte(0)
  const { used, total } = await balanceOf(exchange)
  if (!reduced && new Decimal(used).gt(usedBefore)) expect(new Decimal(used).lte(total)).toBe(true)
}

async function heldOf(exchange: Exchange, symbol: string): Promise<Decimal> {
  const position = (await exchange.fetchPositions()).find((held) => held.symbol === symbol)
  return new Decimal(position?.amount ?? 0).times(position?.side === 'short' ? -1 : 1)
}

function expectRefusal(error: unknown): void {
  expect(error).toBeInstanceOf(ExchangeError)
}
