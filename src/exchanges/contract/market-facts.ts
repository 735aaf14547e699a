import { Decimal } from 'decimal.js'
import { canEdit } from '../../exchange/exchange.ts'
import {
  type Order,
  type OrderChange,
  type OrderRequest,
  type OrderType,
  refOf,
  type TimeInForce,
} from '../../exchange/order.ts'
import { isOnGrid } from '../../exchange/price-grid.ts'
import { type AboutFacts, type Desk, expect, newOrderId } from './desk.ts'

const DECIMAL = /^\d+(\.\d+)?$/

export function marketFacts(about: AboutFacts): void {
  let fact = about('markets')
  fact(
    'are of the account’s kind, each with a symbol of its own and figures that are decimals',
    async ({ exchange }) => {
      const markets = await exchange.loadMarkets()
      expect(new Set(markets.map(({ symbol }) => symbol)).size).toBe(markets.length)
      for (const market of markets) {
        expect(market.kind).toBe(exchange.kind)
        expect(market.amountUnit).toBe(exchange.kind === 'inverse' ? 'quote' : 'base')
        expect(market.settle).toBe({ spot: undefined, linear: market.quote, inverse: market.base }[exchange.kind])
        expect([market.lotSize, market.minAmount]).toEqual([
          expect.stringMatching(DECIMAL),
          expect.stringMatching(DECIMAL),
        ])
        expect(new Decimal(market.minAmount).mod(market.lotSize).toFixed()).toBe('0')
        const { maxAmount, marketMaxAmount, minNotional, maxLeverage, makerFee, takerFee } = market
        for (const figure of [maxAmount, marketMaxAmount, minNotional, maxLeverage, takerFee]) {
          if (figure !== undefined) expect(figure).toMatch(DECIMAL)
        }
        if (makerFee !== undefined) expect(makerFee).toMatch(/^-?\d+(\.\d+)?$/)
      }
    },
  )

  fact('are read once, and anew when asked', async ({ exchange }) => {
    const [first, again] = [await exchange.loadMarkets(), await exchange.loadMarkets()]
    expect(again).toBe(first)
    expect(await exchange.loadMarkets({ reload: true })).toEqual(first)
  })

  fact('are quoted on their grid, the bid below the ask', async ({ exchange, market }) => {
    const { symbol, last, bid, ask } = await exchange.fetchTicker(market.symbol)
    expect(symbol).toBe(market.symbol)
    for (const price of [last, bid, ask]) expect(isOnGrid(price, market)).toBe(true)
    expect(Number(bid)).toBeLessThan(Number(ask))
  })

  fact('that are not listed are refused as bad-symbol by every question', async ({ exchange }) => {
    const bad = { code: 'bad-symbol' }
    await expect(exchange.fetchTicker('NONESUCH')).rejects.toMatchObject(bad)
    await expect(exchange.fetchOpenOrders('NONESUCH')).rejects.toMatchObject(bad)
    await expect(exchange.fetchMyTrades({ symbol: 'NONESUCH' })).rejects.toMatchObject(bad)
    await expect(exchange.cancelAllOrders('NONESUCH')).rejects.toMatchObject(bad)
    expect(() => exchange.watchTicker('NONESUCH')).toThrow(expect.objectContaining(bad))
  })

  fact = about('tickers')
  fact('come as events for watched symbols only, until the last watcher ends', async (desk) => {
    const tickers = () => desk.events.filter(({ type }) => type === 'ticker').length
    await desk.exchange.fetchTicker(desk.symbol)
    await desk.advance(2000)
    expect(tickers()).toBe(0)
    const stops = [desk.exchange.watchTicker(desk.symbol), desk.exchange.watchTicker(desk.symbol)]
    await desk.until(() => tickers() > 0)
    expect(desk.events.every((event) => event.type !== 'ticker' || event.ticker.symbol === desk.symbol)).toBe(true)
    stops[0]?.()
    const before = tickers()
    await desk.until(() => tickers() > before)
    stops[1]?.()
    const after = tickers()
    await desk.advance(2000)
    expect(tickers()).toBe(after)
  })
}

const ORDER_TYPES: readonly OrderType[] = ['market', 'limit', 'stop', 'stop-limit', 'take-profit']
const TIMES_IN_FORCE: readonly TimeInForce[] = ['gtc', 'ioc', 'fok']

/** What a venue says it can is taken, what it says it cannot is refused with `not-supported`. */
export function capabilityFacts(about: AboutFacts): void {
  const fact = about('capabilities are what the venue does')
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
