import { canEdit } from '../../exchange/exchange.ts'
import type { Order, OrderChange, OrderRequest, OrderType, TimeInForce } from '../../exchange/order.ts'
import { refOf } from '../../exchange/order.ts'
import { type AboutFacts, type Desk, expect, newOrderId } from './desk.ts'

const ORDER_TYPES: readonly OrderType[] = ['market', 'limit', 'stop', 'stop-limit', 'take-profit']
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'ioc', 'fok']

/** What a venue says it can is taken, what it says it cannot is refused with `not-supported`. */
export function capabilityFacts(about: AboutFacts): void {
  const fact = about('capabilities tell the truth')
  for (const type of ORDER_TYPES) {
    fact(`about ${type} orders`, async (desk) => {
      const price = await desk.priceAway(-5)
      const above = await desk.priceAway(5)
      const figures = {
        market: {},
        limit: { price },
        stop: { triggerPrice: above },
        'stop-limit': { triggerPrice: above, price: above },
        'take-profit': { triggerPrice: price },
      }[type]
      await expectTaken(desk, { type, ...figures }, desk.exchange.capabilities.orderTypes.includes(type))
    })
  }

  for (const timeInForce of TIMES_IN_FORCE) {
    fact(`about ${timeInForce}`, async (desk) => {
      const isTaken = desk.exchange.capabilities.timeInForce.includes(timeInForce)
      // One that can fill: some venues refuse an `ioc` or a `fok` that cannot.
      const price = await desk.priceAway(timeInForce === 'gtc' ? -5 : 1)
      await expectTaken(desk, { type: 'limit', price, timeInForce }, isTaken)
    })
  }

  fact('about one order with two triggers', async (desk) => {
    const { filled } = await desk.ended(await desk.place())
    const [triggerPrice, takeProfitPrice] = [await desk.priceAway(-5), await desk.priceAway(3)]
    const pair = { type: 'stop', side: 'sell', amount: filled, triggerPrice, takeProfitPrice } as const
    await expectTaken(desk, pair, desk.exchange.capabilities.oco === true)
  })

  fact('about an order that carries a stop', async (desk) => {
    const stop = { clientOrderId: newOrderId(), type: 'stop', triggerPrice: await desk.priceAway(-5) } as const
    await expectTaken(desk, { attached: [stop] }, desk.exchange.capabilities.attached !== undefined)
  })

  fact('about post-only', async (desk) => {
    const request = { type: 'limit', price: await desk.priceAway(-5), postOnly: true } as const
    await expectTaken(desk, request, desk.exchange.capabilities.postOnly)
  })

  fact('about reduce-only', async (desk) => {
    const { filled } = await desk.ended(await desk.place())
    await expectTaken(desk, { side: 'sell', amount: filled, reduceOnly: true }, desk.exchange.capabilities.reduceOnly)
  })

  fact('about editing', async (desk) => {
    const order = await desk.rest()
    await expectEdited(desk, order, { price: await desk.priceAway(-6) })
  })

  fact('about editing a stop', async (desk) => {
    desk.needs('stop')
    const stop = await desk.place({ type: 'stop', triggerPrice: await desk.priceAway(5) })
    await expectEdited(desk, stop, { triggerPrice: await desk.priceAway(6) })
    expect(await desk.open()).toMatchObject([{ id: stop.id }])
  })

  fact('about leverage: it is set up to the maximum and is what the margin follows', async (desk) => {
    const { exchange, symbol, market } = desk
    if (!exchange.capabilities.setLeverage) {
      return expect(exchange.setLeverage(symbol, '2')).rejects.toMatchObject({ code: 'not-supported' })
    }
    const tooMuch = String(Number(market.maxLeverage) + 1)
    for (const leverage of [tooMuch, '0', '1.5', 'much']) {
      await expect(exchange.setLeverage(symbol, leverage)).rejects.toMatchObject({ code: 'invalid-order' })
    }
    await expect(exchange.setLeverage('NONESUCH', '2')).rejects.toMatchObject({ code: 'bad-symbol' })
    await exchange.setLeverage(symbol, '2')
    await desk.ended(await desk.place())
    expect(await exchange.fetchPositions()).toMatchObject([{ leverage: '2' }])
    const usedAt2 = await usedOf(desk)
    await exchange.setLeverage(symbol, '5')
    expect(Number(await usedOf(desk)) / Number(usedAt2)).toBeCloseTo(2 / 5, 2)
    await desk.restart()
    expect(await desk.exchange.fetchPositions()).toMatchObject([{ leverage: '5' }])
  })
}

async function usedOf({ exchange, market }: Desk): Promise<string> {
  return (await exchange.fetchBalances()).find(({ currency }) => currency === market.settle)?.used ?? 'none'
}

async function expectEdited({ exchange }: Desk, order: Order, change: OrderChange): Promise<void> {
  const outcome = await exchange.editOrder(refOf(order), change)
  if (canEdit(exchange.capabilities, order.type)) expect(outcome).toMatchObject({ kind: 'placed', order: change })
  else expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'not-supported' } })
}

async function expectTaken(desk: Desk, wanted: Partial<OrderRequest>, isTaken: boolean): Promise<void> {
  const outcome = await desk.exchange.createOrder(await desk.request(wanted))
  if (isTaken) expect(outcome.kind).toBe('placed')
  else expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'not-supported' } })
}
