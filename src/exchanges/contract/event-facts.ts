import { Decimal } from 'decimal.js'
import { type Order, type OrderRequest, refOf, type Trade } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame } from './desk.ts'

export function eventFacts(about: AboutFacts): void {
  const fact = about('events')
  fact('report a placed and a canceled order, with its state', async (desk) => {
    const order = await desk.rest()
    await desk.until(() => desk.ordersReported(order).length > 0)
    await desk.exchange.cancelOrder(refOf(order))
    await desk.until(() => desk.ordersReported(order).at(-1)?.status === 'canceled')
    expect(desk.ordersReported(order)[0]).toMatchObject({ status: 'open', clientOrderId: order.clientOrderId })
    expect(desk.trades()).toEqual([])
  })

  fact('report each fill once, and the order as it ended', async (desk) => {
    const orders = [await desk.place(), await desk.place({ side: 'sell' }), await desk.place()]
    for (const order of orders) await desk.until(() => desk.ordersReported(order).at(-1)?.status === 'closed')
    await expectAllReported(desk)
    for (const order of orders) expectSame(desk.ordersReported(order).slice(-1), [await desk.now(order)])
  })

  fact('report every part of an order that fills in parts, once', ['thinBook'], async (desk) => {
    await desk.venue.control.thinBook?.()
    const order = await desk.place({
      type: 'limit',
      price: await desk.priceAway(1),
      amount: await desk.amountWorth(4000),
    })
    await desk.until(() => desk.ordersReported(order).at(-1)?.status === 'closed')
    expect(desk.trades().length).toBeGreaterThan(2)
    await expectAllReported(desk)
    const filled = desk.ordersReported(order).map((reported) => Number(reported.filled))
    expect(filled).toEqual([...filled].sort((left, right) => left - right))
  })

  fact('report what another process does on the account, once', ['openAnother', 'listAll'], async (desk) => {
    const other = await desk.venue.openAnother?.()
    if (other === undefined) return
    const [mine, theirs] = [await desk.place(), await other.createOrder(await desk.request())]
    if (theirs.kind !== 'placed') throw theirs.error
    for (const order of [mine, theirs.order])
      await desk.until(() => desk.ordersReported(order).at(-1)?.status === 'closed')
    await expectAllReported(desk)
    await other.close()
  })

  fact('stop when asked, and report nothing from before', async (desk) => {
    await desk.place()
    const received: unknown[] = []
    const stop = desk.exchange.subscribe((event) => received.push(event))
    expect(received).toEqual([])
    stop()
    const order = await desk.place()
    await desk.until(() => desk.ordersReported(order).at(-1)?.status === 'closed')
    expect(received).toEqual([])
  })

  fact('go on after a restart without repeating an event', ['movePrice', 'listAll'], async (desk) => {
    const [filled, resting] = [await desk.place(), await desk.rest({ price: await desk.priceAway(-1) })]
    await desk.until(() => desk.ordersReported(filled).at(-1)?.status === 'closed')
    await desk.restart()
    // What fills before the account has been read is not news.
    await desk.advance(300)
    await desk.moveTo(-2)
    await desk.until(() => desk.ordersReported(resting).at(-1)?.status === 'closed')
    await expectAllReported(desk)
  })
  gapsFacts(about)
}

function gapsFacts(about: AboutFacts): void {
  const fact = about('a gap in the stream')
  fact(
    'makes it stale; each missed event comes once when it ends, and then it is live again',
    ['openGap'],
    async (desk) => {
      const before = await desk.place()
      await desk.until(() => desk.ordersReported(before).at(-1)?.status === 'closed')
      expect(desk.exchange.stream).toBe('live')
      const end = await desk.venue.control.openGap?.()
      const resting = await desk.rest()
      const missed = [await desk.place(), await desk.place({ side: 'sell' })]
      await desk.until(() => desk.exchange.stream === 'stale')
      expect([desk.streamStates(), desk.trades().length]).toEqual([['stale'], 1])
      await end?.()
      await desk.until(() => desk.streamStates().includes('resynced'))
      expect(desk.exchange.stream).toBe('live')
      await expectAllReported(desk)
      for (const order of missed) expect(desk.ordersReported(order).at(-1)).toMatchObject({ status: 'closed' })
      expect(desk.ordersReported(resting).at(-1)).toMatchObject({ status: 'open' })
      const resynced = desk.events.findIndex((event) => event.type === 'stream' && event.state === 'resynced')
      expect(desk.events.findLastIndex(({ type }) => type === 'trade')).toBeLessThan(resynced)
      const after = await desk.place()
      await desk.until(() => desk.ordersReported(after).at(-1)?.status === 'closed')
      await expectAllReported(desk)
    },
  )

  fact('does not hide a stop that fires in it', ['openGap', 'movePrice'], async (desk) => {
    const stop = await desk.place({ type: 'stop', triggerPrice: await desk.priceAway(2) })
    const end = await desk.venue.control.openGap?.()
    await desk.moveTo(3)
    expect(await desk.ended(stop)).toMatchObject({ status: 'closed' })
    await end?.()
    await desk.until(() => desk.streamStates().includes('resynced'))
    await expectAllReported(desk)
    expect(desk.ordersReported(stop).at(-1)).toMatchObject({ status: 'closed' })
  })
}

/** The fills that were told are the fills there are: each once, in order within its order. */
async function expectAllReported(desk: Desk): Promise<void> {
  const all = await desk.fills()
  expect(byOrder([...desk.trades()].sort(byTime))).toEqual(byOrder([...all].sort(byTime)))
}

/** A fill that a stream has swallowed is reported once the gap is read again, which may be after a newer one. */
function byTime(left: Trade, right: Trade): number {
  return left.timestamp - right.timestamp || Number(left.id) - Number(right.id) || left.id.localeCompare(right.id)
}

/** Without our own ids: of orders from before a restart, some venues' lists of fills do not say them. */
function byOrder(trades: readonly Trade[]): Record<string, Omit<Trade, 'clientOrderId'>[]> {
  const orders: Record<string, Omit<Trade, 'clientOrderId'>[]> = {}
  for (const { clientOrderId: _, ...trade } of trades) orders[trade.orderId] = [...(orders[trade.orderId] ?? []), trade]
  return orders
}

export function fillFacts(about: AboutFacts): void {
  let fact = about('a market order')
  fact('fills at once, for a fee, and opens a position of what it bought', async (desk) => {
    const order = await desk.ended(await desk.place())
    expect(order).toMatchObject({ status: 'closed', filled: order.amount, remaining: '0' })
    const trades = await tradesOf(desk, order)
    expectSum(order, trades)
    for (const trade of trades) expect(trade.takerOrMaker ?? 'taker').toBe('taker')
    if (desk.exchange.kind === 'spot') return expect(await desk.exchange.fetchPositions()).toEqual([])
    expect(await desk.exchange.fetchPositions()).toMatchObject([
      { symbol: desk.symbol, side: 'long', amount: order.amount, settle: desk.market.settle },
    ])
  })

  fact('the other way closes it, and money is what it was but for the fees and the spread', async (desk) => {
    const before = await desk.exchange.fetchBalances()
    const bought = await desk.ended(await desk.place())
    const sold = await desk.ended(await desk.place({ side: 'sell', amount: bought.filled }))
    expect(await desk.exchange.fetchPositions()).toEqual([])
    const trades = [...(await tradesOf(desk, bought)), ...(await tradesOf(desk, sold))]
    if (desk.exchange.kind !== 'linear' || trades.some(({ fee, realizedPnl }) => !fee || !realizedPnl)) return
    const after = await desk.exchange.fetchBalances()
    const wallet = (balances: typeof before) =>
      new Decimal(balances.find(({ currency }) => currency === desk.market.settle)?.wallet ?? 'NaN')
    const booked = trades.reduce((sum, trade) => sum.plus(trade.realizedPnl ?? 0).minus(trade.fee ?? 0), new Decimal(0))
    expect(wallet(after).minus(wallet(before)).toFixed()).toBe(booked.toFixed())
  })

  fact('larger than what rests in the book fills in parts, and ends canceled', ['thinBook'], async (desk) => {
    await desk.venue.control.thinBook?.()
    const order = await desk.ended(await desk.place({ amount: await desk.large() }))
    expect(['canceled', 'expired']).toContain(order.status)
    expect(Number(order.filled)).toBeGreaterThan(0)
    expect(Number(order.remaining)).toBeGreaterThan(0)
    const trades = await tradesOf(desk, order)
    expect(trades.length).toBeGreaterThan(1)
    expectSum(order, trades)
    expect(Number(trades.at(-1)?.price)).toBeGreaterThan(Number(trades[0]?.price))
  })

  fact = about('a limit order')
  fact('in a thin book fills in parts at no worse than its price, and the parts add up', ['thinBook'], async (desk) => {
    await desk.venue.control.thinBook?.()
    const price = await desk.priceAway(1)
    const order = await desk.place({ type: 'limit', price, amount: await desk.amountWorth(3000) })
    expect(await desk.now(order)).toMatchObject({ status: 'open', filled: expect.not.stringMatching(/^0$/) })
    const ended = await desk.ended(order)
    expect(ended).toMatchObject({ status: 'closed', remaining: '0' })
    const trades = await tradesOf(desk, ended)
    expect(trades.length).toBeGreaterThan(2)
    expectSum(ended, trades)
    for (const trade of trades) expect(Number(trade.price)).toBeLessThanOrEqual(Number(price))
  })

  fact('rests until the price comes to it, and fills at no worse than its price', ['movePrice'], async (desk) => {
    const order = await desk.rest({ price: await desk.priceAway(-1) })
    expect(await desk.now(order)).toMatchObject({ status: 'open' })
    await desk.moveTo(-2)
    const ended = await desk.ended(order)
    expect(ended).toMatchObject({ status: 'closed' })
    for (const trade of await tradesOf(desk, ended)) {
      expect(Number(trade.price)).toBeLessThanOrEqual(Number(order.price))
      expect(trade.takerOrMaker ?? 'maker').toBe('maker')
    }
  })

  fact('ioc fills what it can and ends; where it can nothing, it expires', async (desk) => {
    desk.needs('ioc')
    const taking = await desk.place({ type: 'limit', price: await desk.priceAway(1), timeInForce: 'ioc' })
    expect(await desk.ended(taking)).toMatchObject({ status: 'closed' })
    const missing = await desk.request({ type: 'limit', price: await desk.priceAway(-1), timeInForce: 'ioc' })
    await expectUnfilled(desk, missing)
    expect(await desk.open()).toEqual([])
  })

  fact('ioc in a thin book keeps what it got, and the rest expires', ['thinBook'], async (desk) => {
    desk.needs('ioc')
    await desk.venue.control.thinBook?.()
    const amount = await desk.large()
    const order = await desk.place({ type: 'limit', price: await desk.priceAway(1), amount, timeInForce: 'ioc' })
    const ended = await desk.ended(order)
    expect(ended.status).toBe('expired')
    expect(Number(ended.filled)).toBeGreaterThan(0)
    expectSum(ended, await tradesOf(desk, ended))
  })

  fact('fok fills whole or not at all', ['thinBook'], async (desk) => {
    desk.needs('fok')
    const price = await desk.priceAway(1)
    expect(await desk.ended(await desk.place({ type: 'limit', price, timeInForce: 'fok' }))).toMatchObject({
      status: 'closed',
    })
    await desk.venue.control.thinBook?.()
    const large = await desk.request({ type: 'limit', price, amount: await desk.large(), timeInForce: 'fok' })
    await expectUnfilled(desk, large)
  })

  fact = about('a stop')
  fact('waits for its trigger price and then trades as a market order', ['movePrice'], async (desk) => {
    desk.needs('stop')
    const bought = await desk.ended(await desk.place())
    const stop = await desk.place({
      side: 'sell',
      type: 'stop',
      amount: bought.filled,
      triggerPrice: await desk.priceAway(-2),
      ...(desk.exchange.capabilities.reduceOnly ? { reduceOnly: true } : {}),
    })
    expect(stop).toMatchObject({ status: 'open', type: 'stop' })
    await desk.moveTo(-1)
    expect(await desk.now(stop)).toMatchObject({ status: 'open' })
    await desk.moveTo(-3)
    expect(await desk.ended(stop)).toMatchObject({ status: 'closed', filled: bought.filled })
    expect(await desk.exchange.fetchPositions()).toEqual([])
  })

  fact = about('a reduce-only order')
  fact('never goes through the position', async (desk) => {
    desk.needs('reduceOnly')
    const bought = await desk.ended(await desk.place())
    const amount = await desk.amountWorth(3 * 700)
    const outcome = await desk.exchange.createOrder(await desk.request({ side: 'sell', amount, reduceOnly: true }))
    // Venues cut it to the position or refuse it.
    if (outcome.kind === 'placed') {
      expect(await desk.ended(outcome.order)).toMatchObject({ filled: bought.filled })
      expect(await desk.exchange.fetchPositions()).toEqual([])
    } else {
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'reduce-only-rejected' } })
    }
  })

  fact = about('fills')
  fact('are listed oldest first, from a time on, the newest up to the limit', async (desk) => {
    const orders: Order[] = []
    for (let count = 0; count < 3; count += 1) {
      orders.push(await desk.ended(await desk.place({ side: count === 1 ? 'sell' : 'buy' })))
      await desk.advance(1000)
    }
    const { symbol } = desk
    const all = await desk.fills()
    expect(all.map(({ orderId }) => orderId)).toEqual(orders.map(({ id }) => id))
    expect(await desk.exchange.fetchMyTrades({ symbol, limit: 2 })).toEqual(all.slice(-2))
    expect(await desk.exchange.fetchMyTrades({ symbol, since: all[1]?.timestamp ?? 0 })).toEqual(all.slice(1))
  })
}

/** It is taken and ended, but where the venue says that it refuses it. */
async function expectUnfilled(desk: Desk, request: OrderRequest): Promise<void> {
  const { timeInForce = 'gtc' } = request
  const outcome = await desk.exchange.createOrder(request)
  if (desk.exchange.capabilities.refusesUnfilled?.includes(timeInForce) === true) {
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
    return
  }
  if (outcome.kind !== 'placed') throw outcome.error
  expect(await desk.ended(outcome.order)).toMatchObject({ status: 'expired', filled: '0' })
}

/** As the venue lists them, once it lists all that the order has filled. */
async function tradesOf(desk: Desk, order: Order): Promise<readonly Trade[]> {
  return desk.until(async () => {
    const all = await desk.fills()
    const made = all.filter(({ orderId }) => orderId === order.id)
    const sum = made.reduce((total, { amount }) => total.plus(amount), new Decimal(0))
    return sum.gte(order.filled) && made
  })
}

function expectSum(order: Order, trades: readonly Trade[]): void {
  const filled = trades.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
  const cost = trades.reduce((sum, { amount, price }) => sum.plus(new Decimal(amount).times(price)), new Decimal(0))
  expect(filled.toFixed()).toBe(order.filled)
  expect(new Decimal(order.filled).plus(order.remaining).toFixed()).toBe(order.amount)
  expect(Number(order.average)).toBeCloseTo(cost.div(filled).toNumber(), 4)
  expect(new Set(trades.map(({ id }) => id)).size).toBe(trades.length)
  for (const { fee, feeCurrency, clientOrderId } of trades) {
    if (fee !== undefined) expect([fee, feeCurrency]).toEqual([expect.stringMatching(/^-?\d/), expect.any(String)])
    if (clientOrderId !== undefined) expect(clientOrderId).toBe(order.clientOrderId)
  }
}
