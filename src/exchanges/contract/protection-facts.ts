import { defined } from '../../base/defined.ts'
import { type AttachedOrder, type Order, type OrderRequest, refOf } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, expectSame, newOrderId } from './desk.ts'

/** The stop that an order carries, where the venue takes such. */
export function attachedFacts(about: AboutFacts): void {
  const fact = about('a stop that an order carries')

  fact('is placed by the venue once its order has filled: under its id, reduce-only and as large', async (desk) => {
    const carried = await carriedStop(desk)
    const entry = await desk.ended(await desk.place({ attached: [carried] }))
    const stop = await placedBy(desk, carried)
    expect(stop).toMatchObject({
      type: 'stop',
      side: 'sell',
      amount: entry.filled,
      filled: '0',
      status: 'open',
      reduceOnly: true,
      clientOrderId: carried.clientOrderId,
      triggerPrice: carried.triggerPrice,
    })
    expect(await desk.open()).toMatchObject([{ id: stop.id }])
  })

  fact('is found, changed and canceled by who knows nothing of it', async (desk) => {
    const carried = await carriedStop(desk)
    await desk.ended(await desk.place({ attached: [carried], amount: await desk.amountWorth(2000) }))
    await placedBy(desk, carried)
    await desk.restart()
    const stop = await placedBy(desk, carried)
    const amount = await desk.small()
    if (desk.exchange.capabilities.editOrder) {
      expect(await desk.exchange.editOrder(refOf(stop), { amount })).toMatchObject({ kind: 'placed' })
      expect(await desk.open()).toMatchObject([{ id: stop.id, amount }])
    }
    await desk.exchange.cancelOrder(refOf(stop))
    expect(await desk.open()).toEqual([])
    expect(await desk.now(stop)).toMatchObject({ status: 'canceled', filled: '0' })
  })

  fact('closes what its order opened when the price comes, and its fills are its own', ['movePrice'], async (desk) => {
    const carried = await carriedStop(desk)
    const entry = await desk.ended(await desk.place({ attached: [carried] }))
    const stop = await placedBy(desk, carried)
    await desk.moveTo(-6)
    expect(await desk.ended(stop)).toMatchObject({ status: 'closed', filled: entry.filled })
    expect([await desk.exchange.fetchPositions(), await desk.open()]).toEqual([[], []])
    const exits = (await desk.fills()).filter(({ side }) => side === 'sell')
    expect(new Set(exits.map(({ clientOrderId }) => clientOrderId))).toEqual(new Set([carried.clientOrderId]))
  })

  fact('of an order that is canceled before it has filled is never placed', async (desk) => {
    const carried = await carriedStop(desk, -8)
    const entry = await desk.rest({ attached: [carried] })
    expect(entry).toMatchObject({ type: 'limit', status: 'open' })
    expect(await desk.open()).toMatchObject([{ id: entry.id }])
    await desk.exchange.cancelOrder(refOf(entry))
    await desk.advance(2000)
    expect(await desk.open()).toEqual([])
    await expect(asked(desk, carried)).rejects.toMatchObject({ code: 'order-not-found' })
  })

  fact(
    'of an order that is canceled with a part filled is as large as the part, or is never placed',
    ['thinBook'],
    async (desk) => {
      const carried = await carriedStop(desk)
      await desk.venue.control.thinBook?.()
      const large = { price: await desk.priceAway(1), amount: await desk.large() }
      const entry = await desk.place({ type: 'limit', ...large, attached: [carried] })
      await desk.exchange.cancelOrder(refOf(entry))
      const { filled, status } = await desk.ended(entry)
      expect([status, Number(filled) > 0]).toEqual(['canceled', true])
      if (desk.exchange.capabilities.attached === 'when-over') {
        return expect(await placedBy(desk, carried)).toMatchObject({ amount: filled, reduceOnly: true })
      }
      await desk.advance(2000)
      expect(await desk.open()).toEqual([])
    },
  )

  fact('that the price has passed has its order refused, and nothing is placed', async (desk) => {
    const carried = await carriedStop(desk, 5)
    const outcome = await desk.exchange.createOrder(await desk.request({ attached: [carried] }))
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'would-trigger' } })
    expect([await desk.exchange.fetchPositions(), await desk.open()]).toEqual([[], []])
  })

  fact('off the grid, or of an order that opens nothing, is refused: invalid-order', async (desk) => {
    const carried = await carriedStop(desk)
    const odd = { ...carried, triggerPrice: await desk.priceOffGrid() }
    const trigger = { type: 'stop', triggerPrice: await desk.priceAway(5) } as const
    for (const more of [{ attached: [odd] }, { ...trigger, attached: [carried] }]) {
      const outcome = await desk.exchange.createOrder(await desk.request(more))
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
    }
  })
}

/** For a buy. @param percent from last */
async function carriedStop(desk: Desk, percent = -5): Promise<AttachedOrder> {
  desk.needs('attached')
  return { clientOrderId: newOrderId(), type: 'stop', triggerPrice: await desk.priceAway(percent) }
}

function asked({ exchange, symbol }: Desk, { clientOrderId }: AttachedOrder): Promise<Order> {
  return exchange.fetchOrder({ symbol, clientOrderId, isTrigger: true })
}

/** Once the venue has placed it. */
function placedBy(desk: Desk, carried: AttachedOrder): Promise<Order> {
  return desk.until(() => asked(desk, carried).catch(() => undefined))
}

/** A stop and a take-profit in one order, where the venue has such. */
export function pairFacts(about: AboutFacts): void {
  const fact = about('one order with two triggers')
  for (const [which, percent] of [
    ['stop', -6],
    ['take-profit', 4],
  ] as const) {
    fact(
      `is executed whole by its ${which}, its fills are its own, and nothing is left`,
      ['movePrice'],
      async (desk) => {
        const pair = await placePair(desk)
        await desk.moveTo(percent)
        const ended = await desk.ended(pair)
        expect(ended).toMatchObject({ id: pair.id, status: 'closed', filled: pair.amount })
        expect(await desk.open()).toEqual([])
        const own = (await desk.exchange.fetchMyTrades({ symbol: desk.symbol })).filter(
          ({ orderId }) => orderId === pair.id,
        )
        expect(own).not.toEqual([])
        expect(new Set(own.map(({ clientOrderId }) => clientOrderId))).toEqual(new Set([pair.clientOrderId]))
        await desk.until(() => desk.ordersReported(pair).some(({ status }) => status === 'closed'))
        expect(desk.ordersReported(pair).at(-1)).toMatchObject({ type: 'stop', filled: pair.amount })
        // The other trigger is gone with it.
        await desk.moveTo(-2 * percent)
        if (desk.market.kind !== 'spot') expect(await desk.exchange.fetchPositions()).toEqual([])
      },
    )
  }

  fact('is found by its client order id, and listed as it is, by who knows nothing of it', async (desk) => {
    const pair = await placePair(desk)
    await desk.restart()
    const { clientOrderId = '' } = pair
    const { takeProfitPrice } = pair
    const found = await desk.exchange.fetchOrder({ symbol: desk.symbol, clientOrderId, isTrigger: true })
    expectSame([found], [pair])
    expect(found).toMatchObject({ takeProfitPrice })
    const listed = await desk.open()
    expectSame(listed, [pair])
    expect(listed).toMatchObject([{ takeProfitPrice }])
    await desk.exchange.cancelOrder({ symbol: desk.symbol, clientOrderId, isTrigger: true })
    expect(await desk.open()).toEqual([])
    expect(await desk.now(pair)).toMatchObject({ status: 'canceled', filled: '0' })
  })

  fact('is changed in its triggers and its size, each alone and together', ['movePrice'], async (desk) => {
    desk.needsEdit('stop')
    const pair = await placePair(desk, await desk.amountWorth(2000))
    const { triggerPrice, takeProfitPrice } = pair
    const change = async (what: object) => {
      const outcome = await desk.exchange.editOrder(refOf(pair), what)
      const [only, ...more] = await desk.open()
      expect([outcome.kind, more]).toEqual(['placed', []])
      expect(outcome).toMatchObject({ order: what })
      expect(only).toMatchObject({ id: pair.id, type: 'stop', status: 'open', ...what })
      expect(desk.ordersReported(pair).at(-1)).toMatchObject(what)
      return only
    }
    const [lower, higher, closer] = [await desk.priceAway(-7), await desk.priceAway(5), await desk.priceAway(4)]
    expect(await change({ triggerPrice: lower })).toMatchObject({ takeProfitPrice })
    expect(await change({ takeProfitPrice: higher })).toMatchObject({ triggerPrice: lower })
    const amount = await desk.small()
    expect(await change({ amount })).toMatchObject({ triggerPrice: lower, takeProfitPrice: higher })
    await desk.restart()
    await change({ triggerPrice, takeProfitPrice: closer, amount: pair.amount })
    await desk.moveTo(4.5)
    expect(await desk.ended(pair)).toMatchObject({ status: 'closed', filled: pair.amount })
  })

  fact('off the grid, or of another type than a stop, is refused: invalid-order', async (desk) => {
    desk.needs('oco')
    const takeProfitPrice = await desk.priceAway(3)
    const [below, odd] = [await desk.priceAway(-5), await desk.priceOffGrid()]
    const wrong: readonly Partial<OrderRequest>[] = [
      { type: 'stop', triggerPrice: below, takeProfitPrice: odd },
      { type: 'limit', price: below, takeProfitPrice },
    ]
    for (const each of wrong) {
      const outcome = await desk.exchange.createOrder(await desk.request({ side: 'sell', ...each }))
      expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'invalid-order' } })
    }
    const stop = await desk.place({ type: 'stop', side: 'sell', triggerPrice: below })
    expect(await desk.exchange.editOrder(refOf(stop), { takeProfitPrice })).toMatchObject({
      kind: 'refused',
      error: { code: 'invalid-order' },
    })
  })
}

/** It closes what is bought for it, 5 % below and 3 % above. */
async function placePair(desk: Desk, amount?: string): Promise<Order> {
  desk.needs('oco')
  const { filled } = await desk.ended(await desk.place(defined({ amount })))
  const [triggerPrice, takeProfitPrice] = [await desk.priceAway(-5), await desk.priceAway(3)]
  const reduceOnly = desk.exchange.capabilities.reduceOnly ? { reduceOnly: true } : {}
  const terms = { type: 'stop', side: 'sell', amount: filled, triggerPrice, takeProfitPrice } as const
  const pair = await desk.place({ ...terms, ...reduceOnly })
  expect(pair).toMatchObject({ ...terms, status: 'open', filled: '0' })
  return pair
}
