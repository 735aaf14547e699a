import { describe, expect, it } from 'vitest'
import { likelySymbols } from '../../src/web/pages/trade/unlisted-symbol.tsx'
import { fittingSymbols, symbolToTake } from '../../src/web/shell/account-symbol-picker.tsx'

const OFFER = { favourites: ['SOLUSDT'], known: ['BTCUSDT', 'SOLUSDT'], listed: ['ETHUSDT', 'ETHBTC', 'BTCUSDT'] }

describe('the symbols that are offered', () => {
  it.each([
    ['', ['SOLUSDT', 'BTCUSDT', 'ETHUSDT', 'ETHBTC']],
    ['BTC', ['BTCUSDT', 'ETHBTC']],
    ['USDT', ['SOLUSDT', 'BTCUSDT', 'ETHUSDT']],
    ['DOGE', []],
  ])('for %j are favourites, then what is traded, then the rest, each once: %j', (wanted, symbols) => {
    expect(fittingSymbols({ wanted, ...OFFER })).toEqual(symbols)
  })
})

describe('the symbol that Enter takes', () => {
  const MARKETS = ['ETHUSDT', 'ETHBTC', 'BTCUSDT', 'BTC']
  const ask = (markets: readonly string[]) => (word: string) =>
    Promise.resolve(markets.filter((symbol) => symbol.startsWith(word)))

  it.each([
    ['ETH', MARKETS, 'ETHUSDT'],
    ['ETHBTC', MARKETS, 'ETHBTC'],
    ['BTC', MARKETS, 'BTC'],
    ['SOL', MARKETS, undefined],
    ['OL', [...MARKETS, 'SOLUSDT'], 'SOLUSDT'],
    ['DOGE', MARKETS, undefined],
    ['DOGE', [], 'DOGE'],
  ])('for %j of %j is %j', async (wanted, markets, taken) => {
    const offer = { wanted, favourites: OFFER.favourites, known: OFFER.known, ask: ask(markets) }
    expect(await symbolToTake(offer)).toBe(taken)
  })
})

describe('what an address of no market may mean', () => {
  const ask = async (word: string) => ['ETHUSDT', 'ETHBTC', 'BTCUSDT'].filter((symbol) => symbol.startsWith(word))

  it.each([
    ['ETHUSD', ['ETHUSDT']],
    ['ETHER', ['ETHUSDT', 'ETHBTC']],
    ['BXX', []],
  ])('%s: the markets with its longest beginning, %j', async (symbol, markets) => {
    expect(await likelySymbols(symbol, ask)).toEqual(markets)
  })
})
