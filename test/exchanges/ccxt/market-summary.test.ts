// What a venue tells of a market besides its price: each part only where it is told, and where what it counts is known.
import { describe, expect, it } from 'vitest'
import type { CcxtClient } from '../../../src/exchanges/ccxt/ccxt-client.ts'
import { fetchSummary } from '../../../src/exchanges/ccxt/market-rows.ts'
import type { VenueMarket } from '../../../src/exchanges/ccxt/markets.ts'

const NOW = Date.UTC(2026, 0, 1)
const LATER = NOW + 3_600_000

const TICKER = { symbol: 'BTC/USDT:USDT', percentage: -1.5, baseVolume: 20.5, quoteVolume: 1e6, markPrice: 65_001 }

function clientOf(ticker: object, funding?: object): CcxtClient {
  const client = {
    id: 'venue',
    has: { fetchFundingRate: funding !== undefined },
    fetchTicker: async () => ticker,
    fetchFundingRate: async () => funding,
  }
  return client as unknown as CcxtClient
}

function marketOf(kind = 'linear', contractSize = '1', amountUnit = 'base'): VenueMarket {
  const market = { symbol: 'BTCUSDT', kind, amountUnit }
  return { market, symbol: 'BTC/USDT:USDT', id: 'btcusdt', contractSize } as unknown as VenueMarket
}

const summary = (client: CcxtClient, market = marketOf()) =>
  fetchSummary(
    client,
    market,
    () => NOW,
    (ask) => ask(),
  )

describe('the summary of a market', () => {
  it('has mark, change, volumes and the next funding', async () => {
    const funding = { fundingRate: 0.0001, fundingTimestamp: LATER }
    expect(await summary(clientOf(TICKER, funding))).toEqual({
      symbol: 'BTCUSDT',
      mark: '65001',
      changePercent: '-1.5',
      volume: '20.5',
      quoteVolume: '1000000',
      funding: { rate: '0.0001', at: LATER },
    })
  })

  it('takes the mark from the funding where the ticker has none', async () => {
    const client = clientOf({ percentage: 1 }, { markPrice: 64_999.5 })
    expect(await summary(client)).toEqual({ symbol: 'BTCUSDT', mark: '64999.5', changePercent: '1' })
  })

  it('leaves out a payment that was made, and one without a time', async () => {
    for (const funding of [{ fundingRate: 0.0001, fundingTimestamp: NOW - 1 }, { fundingRate: 0.0001 }]) {
      expect(await summary(clientOf({}, funding))).toEqual({ symbol: 'BTCUSDT' })
    }
    const next = { fundingRate: 0.0001, fundingTimestamp: NOW - 1, nextFundingTimestamp: LATER }
    expect((await summary(clientOf({}, next))).funding).toEqual({ rate: '0.0001', at: LATER })
  })

  it('has no volume in base where the venue counts contracts of its own size, and none in quote of inverse ones', async () => {
    expect(await summary(clientOf(TICKER), marketOf('linear', '0.01'))).not.toHaveProperty('volume')
    const inverse = await summary(clientOf(TICKER), marketOf('inverse', '1', 'quote'))
    expect(inverse).not.toHaveProperty('volume')
    expect(inverse).not.toHaveProperty('quoteVolume')
  })

  it('asks no funding of spot', async () => {
    const client = { ...clientOf(TICKER, { fundingRate: 0.1, fundingTimestamp: LATER }) }
    const found = await summary(client, marketOf('spot'))
    expect(found).toEqual({ symbol: 'BTCUSDT', changePercent: '-1.5', volume: '20.5', quoteVolume: '1000000' })
  })

  it('is empty where the venue answers with something else', async () => {
    expect(await summary(clientOf({ percentage: 'x', baseVolume: {} }, { fundingRate: [] }))).toEqual({
      symbol: 'BTCUSDT',
    })
  })
})
