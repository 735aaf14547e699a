// A spot account over the scripted market: one coin is held, nothing is a position, and every request that leaves is kept.
import type { Capabilities, Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { OrderRequest } from '../../src/exchange/order.ts'

export interface SpotMarket extends Exchange {
  readonly sent: OrderRequest[]
}

/** @param held BTC that are free */
export function spotOver(exchange: Exchange, held: string, capabilities: Partial<Capabilities> = {}): SpotMarket {
  const sent: OrderRequest[] = []
  const { fetchMargin: _fetchMargin, ...rest } = exchange
  const coins = (currency: string, free: string) => ({ currency, wallet: free, total: free, used: '0', free })
  return {
    ...rest,
    sent,
    id: 'coins',
    kind: 'spot',
    capabilities: { ...exchange.capabilities, reduceOnly: false, setLeverage: false, oco: false, ...capabilities },
    async loadMarkets() {
      const markets = await exchange.loadMarkets()
      return markets.map(({ settle: _settle, maxLeverage: _maxLeverage, ...market }) => ({ ...market, kind: 'spot' }))
    },
    fetchPositions: async () => [],
    fetchBalances: async () => [coins('BTC', held), coins('USDT', '10000')],
    async createOrder(request) {
      sent.push(request)
      if (request.reduceOnly !== true) return exchange.createOrder(request)
      return { kind: 'refused', error: new ExchangeError('not-supported', 'spot has no positions') }
    },
  }
}
