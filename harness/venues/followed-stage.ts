// A paper account on a venue's prices, where a test is the venue.
import type { ExchangeEvent } from '../../src/exchange/exchange.ts'
import type { Market } from '../../src/exchange/market.ts'
import { FollowedMarket } from '../../src/exchanges/paper/followed-market.ts'
import { createScriptedFeed, type ScriptedFeed } from './scripted-feed.ts'
import { createScriptedMarket } from './scripted-market.ts'

/** Of the scripted venue. */
export const perpetual = (base: string, more: Partial<Market> = {}): Market => ({
  symbol: `${base}USDT`,
  kind: 'linear',
  base,
  quote: 'USDT',
  settle: 'USDT',
  amountUnit: 'base',
  priceGrid: { kind: 'tick', tick: '0.1' },
  lotSize: '0.001',
  minAmount: '0.001',
  minNotional: '5',
  maxLeverage: '125',
  makerFee: '0.0002',
  takerFee: '0.0005',
  active: true,
  ...more,
})
export const MARKETS = [perpetual('BTC'), perpetual('PEPE', { maxLeverage: '5' })]

/** A book of two levels around 65 000. */
export const CALM = {
  bids: [
    ['64999.9', '0.5'],
    ['64990', '2'],
  ],
  asks: [
    ['65000.1', '0.5'],
    ['65010', '2'],
  ],
} as const
/** A book of one level around a price. */
export const around = (price: number, amount = '5') => ({
  bids: [[(price - 0.1).toFixed(1), amount]] as const,
  asks: [[(price + 0.1).toFixed(1), amount]] as const,
})

/** Lets answers that need no time arrive. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Nothing has been heard yet. */
export function openFollowing(markets = MARKETS, begin: (feed: ScriptedFeed) => void = () => {}) {
  const feeds: ScriptedFeed[] = []
  const problems: unknown[] = []
  const market = createScriptedMarket({
    market(clock) {
      const feed = createScriptedFeed(markets, clock.now)
      begin(feed)
      feeds.push(feed)
      return new FollowedMarket({ ...clock, data: feed.data, onProblem: (problem) => problems.push(problem) })
    },
  })
  const events: ExchangeEvent[] = []
  market.exchange.subscribe((event) => events.push(event))
  const [feed] = feeds
  if (feed === undefined) throw new Error('the exchange has opened no feed')
  return {
    ...market,
    feed,
    feeds,
    events,
    streams: () => events.flatMap((each) => (each.type === 'stream' ? [each.state] : [])),
  }
}

/** With BTC at 65 000, live. */
export async function openLive() {
  const stage = openFollowing()
  const asked = stage.exchange.fetchTicker('BTCUSDT')
  await settle()
  stage.feed.quote('BTCUSDT', '65000', CALM)
  stage.feed.stream('BTCUSDT', 'live')
  await asked
  return stage
}
