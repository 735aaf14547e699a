import type { ExchangeErrorCode } from '../../exchange/exchange-error.ts'
import { type Order, type OrderRequest, refOf } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame, newOrderId } from './desk.ts'

type Refusal = readonly [what: string, code: ExchangeErrorCode, request: (desk: Desk) => Promise<Partial<OrderRequest>>]

const REFUSALS: readonly Refusal[] = [
  ['for a symbol that is not listed', 'bad-symbol', async () => ({ symbol: 'NONESUCH' })],
  ['off the lot', 'invalid-order', async ({ market }) => ({ amount: `${Number(market.lotSize) * 1.5}` })],
  ['for nothing', 'invalid-order', async () => ({ amount: '0' })],
  ['for what is not a number', 'invalid-order', async () => ({ amount: 'much' })],
  ['as a limit without a price', 'invalid-order', async () => ({ type: 'limit' })],
  [
    'as a stop without a trigger price',
    'invalid-order',
    async (desk) => {
      desk.needs('stop')
      return { type: 'stop' }
    },
  ],
  ['off the price grid', 'invalid-order', async (desk) => ({ type: 'limit', price: await desk.priceOffGrid() })],
  ['beyond the funds', 'insufficient-funds', async (desk) => ({ amount: await desk.amountWorth(5_000_000) })],
]

export function outcomeFacts(about: AboutFacts): void {
  const fact = about('an order is refused, and nothing is placed,')
  for (const [what, code, wanted] of REFUSALS) {
    fact(`${what}: ${code}`, async (desk) => {
      const request = await desk.request(await wanted(desk))
      expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
      await expectNothing(desk, request)
    })
  }

  fact('as post-only where it would trade at once: order-immediately-fillable', async (desk) => {
    desk.needs('postOnly')
    const request = await desk.request({ type: 'limit', price: await desk.priceAway(1), postOnly: true })
    const outcome = await desk.exchange.createOrder(request)
    // Some venues acknowledge it first and then cancel it.
    if (outcome.kind === 'placed') expect(await desk.ended(outcome.order)).toMatchObject({ filled: '0' })
    else expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'order-immediately-fillable' } })
    expect(await desk.open()).toEqual([])
  })

  fact('as reduce-only without a position: reduce-only-rejected', async (desk) => {
    desk.needs('reduceOnly')
    const request = await desk.request({ side: 'sell', reduceOnly: true })
    const code = 'reduce-only-rejected'
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
    await expectNothing(desk, request)
  })

  fact('with an id that arrived before: duplicate-id, also once that order has ended', async (desk) => {
    const [resting, filled] = [await desk.rest(), await desk.place()]
    for (const { clientOrderId } of [resting, await desk.ended(filled)]) {
      const outcome = await desk.exchange.createOrder(await desk.request({ clientOrderId: clientOrderId ?? '' }))
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'duplicate-id' } })
    }
    expect(await desk.open()).toHaveLength(1)
  })

  for (const code of ['unavailable', 'rate-limited'] as const) {
    fact(`by a venue that is ${code}`, ['refuseNext'], async (desk) => {
      const request = await desk.request()
      await desk.venue.control.refuseNext?.(code)
      expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'refused', error: { code } })
      await expectNothing(desk, request)
      await desk.place()
    })
  }

  unknownFacts(about)
}

function unknownFacts(about: AboutFacts): void {
  let fact = about('an order that gets no answer')
  fact('is unknown, and found by its id where it arrived', ['loseNext'], async (desk) => {
    const request = await desk.request()
    await desk.venue.control.loseNext?.(true)
    const { clientOrderId } = request
    const outcome = await desk.exchange.createOrder(request)
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'outcome-unknown', clientOrderId } })
    const found = await desk.until(() =>
      desk.exchange.fetchOrder({ symbol: desk.symbol, clientOrderId }).catch(() => undefined),
    )
    expect(found).toMatchObject({ clientOrderId, amount: request.amount })
    const again = await desk.exchange.createOrder(request)
    expect(again).toMatchObject({ kind: 'refused', error: { code: 'duplicate-id' } })
  })

  fact('is unknown, and not found where it never arrived; then its id is still free', ['loseNext'], async (desk) => {
    const request = await desk.request()
    await desk.venue.control.loseNext?.(false)
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'unknown' })
    await expectNothing(desk, request)
    expect(await desk.exchange.createOrder(request)).toMatchObject({ kind: 'placed' })
  })

  fact = about('an order')
  fact('that was placed is what was asked for', async (desk) => {
    const price = await desk.priceAway(-5)
    const request = await desk.request({ type: 'limit', price })
    const outcome = await desk.exchange.createOrder(request)
    const { amount, clientOrderId } = request
    expect(outcome).toMatchObject({
      kind: 'placed',
      order: {
        clientOrderId,
        symbol: desk.symbol,
        side: 'buy',
        type: 'limit',
        amount,
        filled: '0',
        remaining: amount,
        price,
        reduceOnly: false,
        postOnly: false,
        status: 'open',
      },
    })
  })

  fact('can be asked for by either id, and only under its own symbol', async (desk) => {
    const order = await desk.rest()
    const { symbol } = desk
    expectSame([await desk.exchange.fetchOrder({ symbol, id: order.id })], [order])
    const { clientOrderId } = order
    expectSame([await desk.exchange.fetchOrder({ symbol, ...(clientOrderId && { clientOrderId }) })], [order])
  })

  fact('that was never placed is order-not-found', async ({ exchange, symbol }) => {
    const refusal = { code: 'order-not-found' }
    const unknown = { symbol, clientOrderId: newOrderId() }
    await expect(exchange.fetchOrder(unknown)).rejects.toMatchObject(refusal)
    await expect(exchange.cancelOrder(unknown)).rejects.toMatchObject(refusal)
  })
}

async function expectNothing(desk: Desk, { clientOrderId }: OrderRequest): Promise<void> {
  await expect(desk.exchange.fetchOrder({ symbol: desk.symbol, clientOrderId })).rejects.toMatchObject({
    code: 'order-not-found',
  })
  expect(await desk.open()).toEqual([])
  expect(await desk.exchange.fetchPositions()).toEqual([])
  expect(desk.trades()).toEqual([])
}

export function restingFacts(about: AboutFacts): void {
  let fact = about('a resting order')
  fact('is listed with stops, oldest first, of one symbol where asked', async (desk) => {
    const first = await desk.rest()
    const stops = await restStops(desk)
    const last = await desk.rest()
    const ids = [first, ...stops, last].map(({ id }) => id)
    expect((await desk.open()).map(({ id }) => id)).toEqual(ids)
    expect((await desk.exchange.fetchOpenOrders(desk.symbol)).map(({ id }) => id)).toEqual(ids)
    const other = (await desk.exchange.loadMarkets()).find(({ symbol }) => symbol !== desk.symbol)
    if (other !== undefined) expect(await desk.exchange.fetchOpenOrders(other.symbol)).toEqual([])
  })

  fact('locks money, and gives it back when it is canceled', async (desk) => {
    const before = await desk.exchange.fetchBalances()
    const order = await desk.rest()
    const during = await desk.exchange.fetchBalances()
    expect(during.some(({ used }, at) => Number(used) > Number(before[at]?.used))).toBe(true)
    expect(await desk.exchange.cancelOrder(refOf(order))).toMatchObject({ id: order.id, status: 'canceled' })
    expect(await desk.exchange.fetchBalances()).toEqual(before)
  })

  fact('is canceled by its client order id alone, once; asked for again it is canceled', async (desk) => {
    const { id: _, ...ref } = refOf(await desk.rest())
    await desk.exchange.cancelOrder(ref)
    await expect(desk.exchange.cancelOrder(ref)).rejects.toMatchObject({ code: 'order-not-found' })
    expect(await desk.exchange.fetchOrder(ref)).toMatchObject({ status: 'canceled', filled: '0' })
  })

  fact('that has filled cannot be canceled', async (desk) => {
    const order = await desk.ended(await desk.place())
    await expect(desk.exchange.cancelOrder(refOf(order))).rejects.toMatchObject({ code: 'order-not-found' })
    expect(await desk.now(order)).toMatchObject({ status: 'closed' })
  })

  fact('is canceled with all others, stops too, and named', async (desk) => {
    const all = [await desk.rest(), ...(await restStops(desk))]
    const canceled = await desk.exchange.cancelAllOrders(desk.symbol)
    expect(canceled.map(({ id, status }) => [id, status])).toEqual(all.map(({ id }) => [id, 'canceled']))
    expect(await desk.open()).toEqual([])
  })

  fact('is canceled on all symbols at once, and nothing twice', ['listAll'], async (desk) => {
    const order = await desk.rest()
    expect(await desk.exchange.cancelAllOrders()).toMatchObject([{ id: order.id, status: 'canceled' }])
    expect(await desk.exchange.cancelAllOrders()).toEqual([])
  })

  fact('is still there after a restart, and so are orders that ended', async (desk) => {
    const resting = await desk.rest()
    const bought = await desk.ended(await desk.place())
    const isSpot = desk.market.kind === 'spot'
    const filled = isSpot ? await desk.ended(await desk.place({ side: 'sell', amount: bought.filled })) : bought
    await desk.restart()
    expectSame(await desk.open(), [resting])
    const found = await desk.now(filled)
    // Where it is sent as a limit order, nothing of its row says otherwise.
    const sent = desk.exchange.capabilities.marketIsLimit === true ? { type: 'limit', price: found.price } : {}
    expectSame([found], [{ ...filled, ...sent } as Order])
    expect(await desk.exchange.cancelOrder(refOf(resting))).toMatchObject({ status: 'canceled' })
  })

  fact = about('editing')
  fact('changes price and amount where the order rests', async (desk) => {
    desk.needsEdit('limit')
    const order = await desk.rest()
    const [price, amount] = [await desk.priceAway(-6), await desk.amountWorth(2000)]
    const outcome = await desk.exchange.editOrder(refOf(order), { price, amount })
    expect(outcome).toMatchObject({ kind: 'placed', order: { price, amount, remaining: amount, status: 'open' } })
    expect(await desk.open()).toMatchObject([{ clientOrderId: order.clientOrderId, price, amount }])
  })

  fact('moves the trigger price of a stop', ['movePrice'], async (desk) => {
    desk.needs('stop')
    desk.needsEdit('stop')
    const stop = await desk.place({ type: 'stop', triggerPrice: await desk.priceAway(5) })
    const triggerPrice = await desk.priceAway(2)
    expect(await desk.exchange.editOrder(refOf(stop), { triggerPrice })).toMatchObject({ order: { triggerPrice } })
    await desk.moveTo(3)
    expect(await desk.ended(stop)).toMatchObject({ status: 'closed' })
  })

  fact('counts what has filled into the amount; not above it ends the order', ['thinBook'], async (desk) => {
    desk.needsEdit('limit')
    await desk.venue.control.thinBook?.()
    const price = await desk.priceAway(1)
    const order = await desk.now(await desk.place({ type: 'limit', price, amount: await desk.large() }))
    expect(Number(order.filled)).toBeGreaterThan(0)
    const outcome = await desk.exchange.editOrder(refOf(order), { amount: order.filled })
    expect(outcome).toMatchObject({ kind: 'placed', order: { remaining: '0' } })
    expect(await desk.open()).toEqual([])
    const { filled } = await desk.ended(order)
    // More of it may have filled before the change came to the venue.
    expect(Number(filled)).toBeGreaterThanOrEqual(Number(order.filled))
    expect(outcome).toMatchObject({ order: { filled } })
  })

  fact('an order that has ended is refused as order-not-found', async (desk) => {
    desk.needsEdit('limit')
    const order = await desk.rest()
    await desk.exchange.cancelOrder(refOf(order))
    expect(await desk.exchange.editOrder(refOf(order), { price: await desk.priceAway(-6) })).toMatchObject({
      kind: 'refused',
      error: { code: 'order-not-found' },
    })
  })

  fact('to what the venue does not take is refused, and leaves the order as it was', async (desk) => {
    desk.needsEdit('limit')
    const order = await desk.rest({ ...(desk.exchange.capabilities.postOnly ? { postOnly: true } : {}) })
    const price = await desk.priceAway(-6)
    for (const change of [{ amount: '0' }, { price: await desk.priceOffGrid() }, { triggerPrice: price }]) {
      expect(await desk.exchange.editOrder(refOf(order), change)).toMatchObject({
        kind: 'refused',
        error: { code: 'invalid-order' },
      })
    }
    expectSame(await desk.open(), [order])
  })
}

/** One of the first kind of stop that the venue has; none where it has none. */
async function restStops(desk: Desk): Promise<readonly Order[]> {
  const { orderTypes } = desk.exchange.capabilities
  const triggerPrice = await desk.priceAway(5)
  if (orderTypes.includes('stop')) return [await desk.place({ type: 'stop', triggerPrice })]
  if (!orderTypes.includes('stop-limit')) return []
  return [await desk.place({ type: 'stop-limit', triggerPrice, price: await desk.priceAway(6) })]
}
