// What an account has lost since 00:00 UTC, in dollars, from its fills and its open positions (behaviour 40).
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { SymbolFills } from '../../src/guards/day-fold.ts'
import { lossOf } from '../../src/guards/guard.ts'
import { market, position } from './guard-stage.ts'

const MARKETS = [
  market('BTCUSDT', 'linear', { settle: 'USDT' }),
  market('BTCUSD', 'inverse', { settle: 'BTC' }),
  market('ETHBTC', 'spot'),
  market('XYZTRY', 'spot', { base: 'XYZ', quote: 'TRY' }),
]
const RATES: Readonly<Record<string, string>> = { USD: '1', USDT: '1', BTC: '50000', BNB: '600' }

function fills(pnl: string, fees: Readonly<Record<string, string>> = {}, lastPrice = '60000'): SymbolFills {
  const paid = Object.entries(fees).map(([currency, fee]) => [currency, new Decimal(fee)] as const)
  return { pnl: new Decimal(pnl), fees: new Map(paid), net: new Decimal(0), cost: new Decimal(0), lastPrice }
}

async function lost(of: Readonly<Record<string, SymbolFills>>, positions?: Parameters<typeof lossOf>[0]['positions']) {
  const asked: string[] = []
  const { lost, without } = await lossOf({
    fills: new Map(Object.entries(of)),
    ...(positions === undefined ? {} : { positions }),
    market: async (symbol) => MARKETS.find((each) => each.symbol === symbol),
    rate: async (currency) => {
      asked.push(currency)
      const rate = RATES[currency]
      return rate === undefined ? undefined : new Decimal(rate)
    },
  })
  return { lost: lost.toFixed(), without, asked }
}

describe('what an account has lost today', () => {
  it.each<[string, Readonly<Record<string, SymbolFills>>, string]>([
    ['nothing', {}, '0'],
    ['what its fills lost', { BTCUSDT: fills('-30') }, '30'],
    ['less than nothing, of a profit', { BTCUSDT: fills('30') }, '-30'],
    ['the sum of its symbols', { BTCUSDT: fills('-30'), UNLISTEDUSD: fills('-5') }, '35'],
    ['the fees of its fills', { BTCUSDT: fills('-30', { USDT: '2' }) }, '32'],
    ['fees without a currency, in that of the market', { BTCUSD: fills('0', { '': '0.001' }) }, '60'],
    ['fees in another coin', { BTCUSDT: fills('-30', { BNB: '0.01' }) }, '36'],
    ['coins that an inverse market settles in, at its own price', { BTCUSD: fills('-0.01') }, '600'],
    ['coins that a spot market is quoted in', { ETHBTC: fills('-0.01', {}, '0.04') }, '500'],
    [
      'a fee in the coin of a market without dollars, at no price of it',
      { ETHBTC: fills('0', { BTC: '0.01' }) },
      '500',
    ],
  ])('is %s', async (_, of, loss) => {
    expect(await lost(of)).toMatchObject({ lost: loss, without: [] })
  })

  it('asks no price for the coin of a market of dollars, nor for nothing', async () => {
    expect((await lost({ BTCUSDT: fills('0', { BTC: '0.001' }) })).asked).toEqual([])
    expect((await lost({ XYZTRY: fills('0', { TRY: '0' }) })).without).toEqual([])
  })

  it('is with what its open positions have lost by now', async () => {
    const open = [
      position('BTCUSDT', 'long', '1', { unrealizedPnl: '-70' }),
      position('BTCUSD', 'long', '1', { unrealizedPnl: '0.001', settle: 'BTC' }),
      position('ETHUSDT', 'long', '1'),
    ]
    expect(await lost({ BTCUSDT: fills('-30') }, open)).toMatchObject({ lost: '50', without: [] })
  })

  it('names the currencies that no price was found for, each once', async () => {
    const of = { XYZTRY: fills('-30', { TRY: '1', ABC: '1' }), BTCUSDT: fills('-5') }
    expect(await lost(of)).toMatchObject({ lost: '5', without: ['TRY', 'ABC'] })
  })
})
