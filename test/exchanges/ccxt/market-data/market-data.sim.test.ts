// Public questions through the unmodified classes of ccxt: what leaves, and what of the venue's answers becomes our rows.
import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../../../src/exchange/exchange-error.ts'
import type { MarketKind } from '../../../../src/exchange/market.ts'
import { openCcxtMarketData } from '../../../../src/exchanges/ccxt/market-data.ts'
import { BINANCE_LINEAR } from '../binance-linear.ts'
import { NOW, type Script, scriptedTransport } from '../scripted-venue.ts'

const LAST_24H = {
  symbol: 'BTCUSDT',
  lastPrice: '56388.80',
  openPrice: '56000.00',
  highPrice: '57000.00',
  lowPrice: '55000.00',
  volume: '1000',
  quoteVolume: '56000000',
  openTime: NOW - 86_400_000,
  closeTime: NOW,
  priceChange: '388.80',
}
const DEPTH = {
  lastUpdateId: 1,
  E: NOW,
  T: NOW,
  bids: [
    ['56388.70', '1.250'],
    ['56388.60', '0.500'],
  ],
  asks: [['56388.90', '2.000']],
}
const PREMIUM = {
  symbol: 'BTCUSDT',
  markPrice: '56389.1',
  indexPrice: '56388.2',
  lastFundingRate: '0.00010000',
  nextFundingTime: NOW + 3_600_000,
  interestRate: '0.0001',
  time: NOW,
}

const OKX_SWAP = {
  instType: 'SWAP',
  instId: 'BTC-USDT-SWAP',
  uly: 'BTC-USDT',
  instFamily: 'BTC-USDT',
  baseCcy: '',
  quoteCcy: '',
  settleCcy: 'USDT',
  ctVal: '0.01',
  ctMult: '1',
  ctValCcy: 'BTC',
  ctType: 'linear',
  lever: '100',
  state: 'live',
  tickSz: '0.1',
  lotSz: '0.01',
  minSz: '0.01',
  maxLmtSz: '1000',
  maxMktSz: '100',
  listTime: '1611916828000',
}
const OKX: Script = [
  ['GET /public/instruments instType=SWAP', { code: '0', msg: '', data: [OKX_SWAP] }],
  ['GET /public/instruments', { code: '0', msg: '', data: [] }],
  [
    'GET /market/books',
    {
      code: '0',
      msg: '',
      data: [{ asks: [['56388.9', '150', '0', '4']], bids: [['56388.7', '25', '0', '2']], ts: `${NOW}` }],
    },
  ],
]

async function open(venue: string, kind: MarketKind, script: Script) {
  const { transport, requests, answer } = scriptedTransport(script)
  const data = await openCcxtMarketData({ venue, kind, transport, now: () => NOW, onProblem: () => {} })
  return { data, requests, answer }
}

const PUBLIC: Script = [
  ['GET /fapi/v1/ticker/24hr', LAST_24H],
  ['GET /fapi/v1/depth', DEPTH],
  ['GET /fapi/v1/premiumIndex', PREMIUM],
  ...BINANCE_LINEAR,
]

describe('market data without keys', () => {
  it('is asked for without a signature, a key or a clock', async () => {
    const { data, requests } = await open('binance', 'linear', PUBLIC)
    expect(requests).toEqual([])
    await data.loadMarkets()
    await data.fetchTicker('BTCUSDT')
    await data.fetchOrderBook('BTCUSDT')
    await data.fetchFunding('BTCUSDT')
    expect(requests.length).toBeGreaterThan(4)
    const said = requests.map(({ url, headers, body = '' }) => `${url} ${JSON.stringify(headers)} ${body}`)
    expect(said.filter((text) => /signature|apikey|timestamp|listenkey/i.test(text))).toEqual([])
    await data.close()
  })

  it('has the price with the best bid and ask of the book where the venue tells them apart', async () => {
    const { data } = await open('binance', 'linear', PUBLIC)
    expect(await data.fetchTicker('BTCUSDT')).toEqual({
      symbol: 'BTCUSDT',
      last: '56388.8',
      bid: '56388.7',
      ask: '56388.9',
      timestamp: NOW,
    })
  })

  it('has the book best first, its amounts as text', async () => {
    const { data, requests } = await open('binance', 'linear', PUBLIC)
    expect(await data.fetchOrderBook('BTCUSDT')).toEqual({
      symbol: 'BTCUSDT',
      bids: [
        ['56388.7', '1.25'],
        ['56388.6', '0.5'],
      ],
      asks: [['56388.9', '2']],
      timestamp: NOW,
    })
    expect(requests.at(-1)?.url).toContain('limit=20')
  })

  it('counts a book of contracts in base', async () => {
    const { data } = await open('okx', 'linear', OKX)
    expect(await data.fetchOrderBook('BTCUSDT')).toMatchObject({
      bids: [['56388.7', '0.25']],
      asks: [['56388.9', '1.5']],
    })
  })

  it('asks for bars one question in each turn of the event loop, the first at once: what one fires waits for no others', async () => {
    const row = [NOW, '1', '2', '1', '2', '3', NOW + 59_999, '1', 1, '1', '1', '0']
    const { data, requests } = await open('binance', 'linear', [['fapi/v1/klines', [row]], ...PUBLIC])
    await data.loadMarkets()
    const asking = Array.from({ length: 4 }, () => data.fetchCandles?.('BTCUSDT', '1m', 1))
    const counts: number[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((next) => setImmediate(next))
      counts.push(requests.filter(({ url }) => url.includes('klines')).length)
    }
    expect(counts).toEqual([1, 2, 3, 4])
    expect((await Promise.all(asking)).map((bars) => bars?.length)).toEqual([1, 1, 1, 1])
    await data.close()
  })

  it('has the next funding, and none on spot', async () => {
    const { data } = await open('binance', 'linear', PUBLIC)
    expect(await data.fetchFunding('BTCUSDT')).toEqual({ symbol: 'BTCUSDT', rate: '0.0001', at: NOW + 3_600_000 })
    const spot = await open('binance', 'spot', [])
    expect(await spot.data.fetchFunding('BTCUSDT')).toBeUndefined()
    expect(spot.requests).toEqual([])
  })

  it('says no to a symbol that the venue does not list', async () => {
    const { data } = await open('binance', 'linear', PUBLIC)
    for (const ask of [data.fetchTicker, data.fetchOrderBook, data.fetchFunding]) {
      await expect(ask('NOPEUSDT')).rejects.toMatchObject({ code: 'bad-symbol' })
    }
  })

  it.each([
    ['a cut answer', '{"lastUpdateId":1,"bi'],
    ['HTML', '<html>Bad gateway</html>'],
    ['a 503', { status: 503, text: '' }],
    ['no answer', new Error('reset')],
  ])('has no book and no empty one after %s', async (_, answered) => {
    const { data, answer } = await open('binance', 'linear', PUBLIC)
    await data.loadMarkets()
    answer(['GET /fapi/v1/depth', answered])
    const error = await data.fetchOrderBook('BTCUSDT').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ExchangeError)
    expect(['network', 'unavailable']).toContain((error as ExchangeError).code)
  })

  it('tries again to read the markets after it failed', async () => {
    const { data, answer } = await open('binance', 'linear', PUBLIC)
    let isUp = false
    answer(['GET /fapi/v1/exchangeInfo', () => (isUp ? (BINANCE_LINEAR[1]?.[1] as object) : new Error('no network'))])
    await expect(data.loadMarkets()).rejects.toMatchObject({ code: 'network' })
    isUp = true
    expect(await data.loadMarkets()).toHaveLength(1)
  })

  it('is refused of a venue or a kind that there is not', async () => {
    await expect(open('nowhere', 'spot', [])).rejects.toMatchObject({ code: 'not-supported' })
    await expect(open('kraken', 'inverse', [])).rejects.toMatchObject({ code: 'not-supported' })
  })

  it('asks nothing more once it is closed', async () => {
    const { data, requests } = await open('binance', 'linear', PUBLIC)
    await data.loadMarkets()
    await data.close()
    const before = requests.length
    data.watch('BTCUSDT', () => expect.unreachable())
    await Promise.resolve()
    expect(requests).toHaveLength(before)
  })
})
