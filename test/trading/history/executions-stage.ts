// Executions for the facts about history, and a venue that tells only what it is told to tell.
import type { VenueView } from '../../../src/exchange/exchange.ts'
import type { Market, MarketKind } from '../../../src/exchange/market.ts'
import type { Trade } from '../../../src/exchange/order.ts'
import type { JournalHistory } from '../../../src/trading/history/journal-history.ts'

export function market(kind: MarketKind, symbol = 'BTCUSDT', more: Partial<Market> = {}): Market {
  return {
    symbol,
    kind,
    base: 'BTC',
    quote: 'USDT',
    amountUnit: kind === 'inverse' ? 'quote' : 'base',
    ...(kind === 'spot' ? {} : { settle: kind === 'inverse' ? 'BTC' : 'USDT' }),
    priceGrid: { kind: 'tick', tick: '0.1' },
    lotSize: kind === 'inverse' ? '1' : '0.001',
    minAmount: '0.001',
    active: true,
    ...more,
  }
}

let count = 0

export function trade(side: 'buy' | 'sell', amount: string, price: string, more: Partial<Trade> = {}): Trade {
  count += 1
  return {
    id: `t${count}`,
    orderId: `p${count}`,
    symbol: 'BTCUSDT',
    side,
    amount,
    price,
    timestamp: count * 1000,
    ...more,
  }
}

export const NO_JOURNAL: JournalHistory = { orders: [], fills: [], beginsAt: undefined }

export interface Told {
  readonly markets?: readonly Market[]
  readonly trades?: readonly Trade[]
  readonly positions?: Awaited<ReturnType<VenueView['fetchPositions']>>
}

export function venueTelling(told: Told, more: Partial<VenueView> = {}): VenueView {
  const { markets = [market('linear')], trades = [], positions = [] } = told
  return {
    id: 'venue',
    kind: 'linear',
    stream: 'live',
    loadMarkets: async () => markets,
    fetchPositions: async () => positions,
    fetchOpenOrders: async () => [],
    fetchMyTrades: async ({ symbol, since = 0, limit = 50 }) =>
      trades.filter((each) => each.symbol === symbol && each.timestamp >= since).slice(-limit),
    fetchFundingPayments: async () => [],
    ...more,
  } as VenueView
}
