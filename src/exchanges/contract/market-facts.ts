import { Decimal } from 'decimal.js'
import { isOnGrid } from '../../exchange/price-grid.ts'
import { type AboutFacts, expect } from './desk.ts'

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
