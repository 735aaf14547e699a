import { type Order, refOf } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame } from './desk.ts'

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
    expect(outcome).toMatchObject({ kind: 'placed', order: { filled: order.filled, remaining: '0' } })
    expect(await desk.open()).toEqual([])
    expect(await desk.ended(order)).toMatchObject({ filled: order.filled })
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
