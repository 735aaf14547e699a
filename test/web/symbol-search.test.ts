import { describe, expect, it } from 'vitest'
import { fittingSymbols } from '../../src/web/shell/account-symbol-picker.tsx'

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
