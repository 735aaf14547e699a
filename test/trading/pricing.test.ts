// Prices and triggers of orders, worked out before anything is sent: on which side, how far, and how rounded.
import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { Market, Ticker } from '../../src/exchange/market.ts'
import type { Position, Side } from '../../src/exchange/order.ts'
import { parsePrice } from '../../src/language/price.ts'
import type { MarketView } from '../../src/trading/market-view.ts'
import { planProtection, refuseNoProfit, refuseWrongSide } from '../../src/trading/plan-protection.ts'
import {
  fillPrice,
  refuseFarThrough,
  refuseTaking,
  resolvePrice,
  restingSide,
  wouldTake,
} from '../../src/trading/pricing.ts'
import { TradingError } from '../../src/trading/trading-error.ts'
import { wordsOf } from '../language/words.ts'

const market: Market = {
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  kind: 'linear',
  amountUnit: 'base',
  priceGrid: { kind: 'tick', tick: '0.5' },
  active: true,
  lotSize: '0.001',
  minAmount: '0.001',
}
const ticker: Ticker = { symbol: 'BTCUSDT', last: '65000', bid: '64990', ask: '65010', timestamp: 0 }
const position = (side: Position['side']): Position => ({
  symbol: 'BTCUSDT',
  settle: 'USDT',
  side,
  amount: '1',
  entryPrice: '60000',
  notional: '65000',
})
const view: MarketView = { market, ticker, position: undefined }

const typed = (text: string) => {
  const words = wordsOf(text)
  return parsePrice(words, 0, { inRisk: true, from: 'entry', unsigned: true }).price
}

/** What it returns, or its refusal. */
function resultOf(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof TradingError)) throw error
    const { code, message, hint } = error
    return { code, message, hint }
  }
}

describe('a price as typed', () => {
  it.each<[string, { readonly entry: string; readonly risk?: string }, string]>([
    ['2R', { entry: '100', risk: '-5' }, '90'],
    ['0.5R', { entry: '100', risk: '5' }, '102.5'],
    ['+2%', { entry: '100' }, '102'],
    ['-2%', { entry: '200' }, '196'],
  ])('counts %s from an entry: %j', (text, { entry, risk }, price) => {
    const from = { entry, ...(risk === undefined ? {} : { risk: new Decimal(risk) }) }
    expect(resolvePrice(typed(text), view, from).toFixed()).toBe(price)
  })

  it.each([
    ['2R', 'no-risk'],
    ['-2%', 'no-position'],
    ['-65000', 'no-position'],
  ])('refuses %s of which nothing is known: %s', (text, code) => {
    expect(resultOf(() => resolvePrice(typed(text), view))).toMatchObject({ code })
  })
})

describe('where an order fills', () => {
  it.each<[Side, string | undefined, Partial<Ticker>, string]>([
    ['buy', undefined, {}, '65010'],
    ['sell', undefined, {}, '64990'],
    ['buy', '65100', {}, '65010'],
    ['buy', '64000', {}, '64000'],
    ['sell', '64900', {}, '64990'],
    ['sell', '66000', {}, '66000'],
    ['buy', undefined, { ask: '0' }, '65000'],
    ['sell', undefined, { bid: '0' }, '65000'],
  ])('%s at %s with %j: %s', (side, limit, quote, price) => {
    expect(fillPrice(side, { ...ticker, ...quote }, limit).toFixed()).toBe(price)
  })

  it.each<[Side, string, Partial<Ticker>, boolean]>([
    ['buy', '65009.5', {}, false],
    ['buy', '65010', {}, true],
    ['buy', '65010.5', {}, true],
    ['sell', '64990.5', {}, false],
    ['sell', '64990', {}, true],
    ['sell', '64989.5', {}, true],
    ['buy', '65010', { ask: '0' }, false],
    ['sell', '64990', { bid: '0' }, false],
  ])('a %s at %s with %j takes from the book: %s', (side, limit, quote, takes) => {
    expect(wouldTake(side, limit, { ...ticker, ...quote })).toBe(takes)
    const taking = resultOf(() =>
      refuseTaking(side, limit, { ticker: { ...ticker, ...quote } }, 'choose another price'),
    )
    expect(taking === undefined).toBe(!takes)
  })

  it('names the side that a resting order would meet', () => {
    const refused = (side: Side, limit: string) => resultOf(() => refuseTaking(side, limit, { ticker }, 'wait'))
    expect(refused('buy', '65020')).toEqual({
      code: 'bad-price',
      message: 'a buy at 65,020 would not rest: the ask is 65,010',
      hint: 'wait',
    })
    expect(refused('sell', '64900')).toMatchObject({
      message: 'a sell at 64,900 would not rest: the bid is 64,990',
    })
  })

  it('moves a price that must rest away from the market', () => {
    expect([restingSide('buy'), restingSide('sell')]).toEqual(['down', 'up'])
  })
})

describe('a limit far through the market', () => {
  it.each<[Side, string, string | undefined, string | undefined]>([
    ['buy', '68260.5', undefined, undefined],
    ['buy', '68261', undefined, '68,260.5'],
    ['sell', '61740.5', undefined, undefined],
    ['sell', '61740', undefined, '61,740.5'],
    // A percent of the touch is no price of the grid: 65660.1 and 64340.1.
    ['buy', '65660', '1', undefined],
    ['buy', '65660.5', '1', '65,660'],
    ['sell', '64340.5', '1', undefined],
    ['sell', '64340', '1', '64,340.5'],
    ['buy', '99999', 'off', undefined],
    ['sell', '0.5', 'off', undefined],
    ['sell', '0.5', '150', undefined],
  ])('of a %s at %s, with a band of %s, is refused with the furthest that is taken: %s', (side, limit, band, most) => {
    const refused = resultOf(() => refuseFarThrough(side, limit, view, band, ''))
    if (most === undefined) expect(refused).toBe(undefined)
    else
      expect(refused).toMatchObject({
        code: 'bad-price',
        message: expect.stringContaining(side === 'buy' ? 'above the ask, 65,010' : 'below the bid, 64,990'),
        hint: `type a limit of ${side === 'buy' ? 'at most' : 'at least'} ${most}`,
      })
  })
})

interface Protected {
  readonly side: Side
  readonly stop?: string
  readonly tp?: string
  readonly limit?: string
  readonly ends?: boolean
  readonly held?: Position['side']
}

function planned({ side, stop, tp, limit, ends = false, held }: Protected): unknown {
  const prices = {
    ...(stop === undefined ? {} : { stop: typed(stop) }),
    ...(tp === undefined ? {} : { takeProfit: typed(tp) }),
  }
  const seen = held === undefined ? view : { ...view, position: position(held) }
  const entry = { side, view: seen, staysOpen: !ends, ...(limit === undefined ? {} : { limit }) }
  return resultOf(() => planProtection(prices, entry))
}

describe('the stop and take-profit of an entry', () => {
  const [LONG, SHORT] = ['at-or-below', 'at-or-above']

  it.each<[Protected, object | undefined]>([
    [{ side: 'buy' }, undefined],
    [
      { side: 'buy', stop: '-2%' },
      { triggerPrice: '63700', fires: LONG },
    ],
    [
      { side: 'buy', stop: '2%' },
      { triggerPrice: '63700', fires: LONG },
    ],
    [
      { side: 'sell', stop: '+2%' },
      { triggerPrice: '66300', fires: SHORT },
    ],
    [
      { side: 'sell', stop: '2%' },
      { triggerPrice: '66300', fires: SHORT },
    ],
    [
      { side: 'buy', tp: '4%' },
      { takeProfitPrice: '67600', fires: LONG },
    ],
    [
      { side: 'sell', tp: '4%' },
      { takeProfitPrice: '62400', fires: SHORT },
    ],
    [
      { side: 'buy', stop: '64000', tp: '2R' },
      { triggerPrice: '64000', takeProfitPrice: '67000', fires: LONG },
    ],
    [
      { side: 'sell', stop: '66000', tp: '2R' },
      { triggerPrice: '66000', takeProfitPrice: '63000', fires: SHORT },
    ],
    // 63894.961, to the nearest price of the grid.
    [
      { side: 'buy', stop: '-1.7001%' },
      { triggerPrice: '63895', fires: LONG },
    ],
    // Of a limit, from where it fills: at itself, or at the touch that it crosses.
    [
      { side: 'buy', limit: '64000', stop: '-2%', tp: '1R' },
      { triggerPrice: '62720', takeProfitPrice: '65280', fires: LONG },
    ],
    [
      { side: 'buy', limit: '66000', stop: '64990.5' },
      { triggerPrice: '64990.5', fires: LONG },
    ],
    [
      { side: 'buy', limit: '66000', stop: '-20', tp: '+10' },
      { triggerPrice: '64990', takeProfitPrice: '65020', fires: LONG },
    ],
    [
      { side: 'sell', limit: '66000', stop: '2%' },
      { triggerPrice: '67320', fires: SHORT },
    ],
    [
      { side: 'sell', limit: '64000', tp: '-10' },
      { takeProfitPrice: '64980', fires: SHORT },
    ],
    [
      { side: 'buy', limit: '64000', tp: '64500' },
      { takeProfitPrice: '64500', fires: LONG },
    ],
    [
      { side: 'buy', stop: '64000', ends: true },
      { triggerPrice: '64000', fires: LONG },
    ],
    [
      { side: 'buy', tp: '66000', ends: true },
      { takeProfitPrice: '66000', fires: LONG },
    ],
  ])('%j is %j', (entry, plan) => {
    if (plan === undefined) expect(planned(entry)).toBe(undefined)
    else expect(planned(entry)).toEqual(plan)
  })

  it.each<[Protected, string, string]>([
    [{ side: 'buy', stop: '+2%' }, 'is above it', 'type `stop -2%` for a stop-loss, `tp 66300` for a take-profit'],
    [{ side: 'sell', stop: '-2%' }, 'is below it', 'type `stop +2%` for a stop-loss, `tp 63700` for a take-profit'],
    [
      { side: 'buy', stop: '66000' },
      'a sell stop goes below the last price, and 66,000 is above it',
      'type `tp 66000` for a take-profit; `stop buy $250 at 66000` enters there',
    ],
    [{ side: 'buy', stop: '$last +100' }, 'is above it', 'type `tp 65100` for a take-profit'],
    [{ side: 'buy', stop: '65000' }, 'the stop at 65,000 equals the entry price', ''],
    [{ side: 'buy', limit: '66000', stop: '65000' }, 'and 65,000 is at it', 'type `tp 65000` for a take-profit'],
    [
      { side: 'buy', limit: '64000', stop: '64500' },
      'would reach the stop at 64,500 before the entry at 64,000',
      'type `tp 64500` for a take-profit; `buy $250 at 64500` enters there',
    ],
    [
      { side: 'sell', limit: '66000', stop: '65500' },
      'would reach the stop at 65,500 before the entry at 66,000',
      'type `tp 65500` for a take-profit; `sell $250 at 65500` enters there',
    ],
    [{ side: 'buy', limit: '64000', stop: '63000', ends: true }, 'this process ends before', "at hookline's prompt"],
    [{ side: 'buy', limit: '64000', stop: '66000', ends: true }, 'this process ends before', "at hookline's prompt"],
    [{ side: 'buy', limit: '64000', tp: '66000', ends: true }, 'this process ends before', "at hookline's prompt"],
    [
      { side: 'buy', tp: '-4%' },
      'a take-profit goes above the entry at 65,000, and 62,400 is not',
      'type `tp +4%` for a profit, or `stop -4%` for a loss',
    ],
    [
      { side: 'sell', tp: '+4%' },
      'a take-profit goes below the entry at 65,000, and 67,600 is not',
      'type `tp -4%` for a profit, or `stop +4%` for a loss',
    ],
    [{ side: 'buy', tp: '64000' }, 'above the entry', '`tp +4%` counts from the entry'],
    [{ side: 'sell', tp: '66000' }, 'below the entry', '`tp -4%` counts from the entry'],
    [{ side: 'buy', tp: '65000' }, 'the take-profit at 65,000 equals the entry price', ''],
  ])('%j is refused: %s', (entry, message, hint) => {
    expect(planned(entry)).toEqual({
      code: 'bad-stop',
      message: expect.stringContaining(message),
      hint: hint === '' ? undefined : expect.stringContaining(hint),
    })
  })

  it.each<[Protected, boolean]>([
    [{ side: 'buy', tp: '64000', held: 'short' }, true],
    [{ side: 'sell', tp: '66000', held: 'long' }, true],
    [{ side: 'buy', tp: '64000', held: 'long' }, false],
    [{ side: 'sell', tp: '66000', held: 'short' }, false],
    [{ side: 'buy', limit: '66000', tp: '65005', held: 'short' }, false],
  ])('%j is the profit of the position there: %s', (entry, isTarget) => {
    const { hint } = planned(entry) as TradingError
    expect(hint?.includes('`take BTCUSDT at')).toBe(isTarget)
  })
})

describe('a trigger alone', () => {
  it.each<[Side, string, string | undefined, string | undefined]>([
    ['sell', '64999.5', undefined, 'is below it'],
    ['sell', '65000', 'is at it', 'is at it'],
    ['sell', '65000.5', 'is above it', undefined],
    ['buy', '65000.5', undefined, 'is above it'],
    ['buy', '65000', 'is at it', 'is at it'],
    ['buy', '64999.5', 'is below it', undefined],
  ])('of a %s at %s: as a stop %s, as a take-profit %s', (side, price, stop, profit) => {
    const refusal = (message: string | undefined) =>
      message === undefined ? undefined : { code: 'bad-stop', message: expect.stringContaining(message) }
    const [asStop, asProfit] = [
      resultOf(() => refuseWrongSide(side, price, view, true)),
      resultOf(() => refuseNoProfit(side, price, view)),
    ]
    expect([asStop, asProfit]).toEqual([stop, profit].map((each) => each && expect.objectContaining(refusal(each))))
  })

  it('hints at a take-profit, a limit order, an end at once or a stop', () => {
    const hintOf = (act: () => unknown) => (resultOf(act) as TradingError).hint
    expect([
      hintOf(() => refuseWrongSide('sell', '66000', view, true)),
      hintOf(() => refuseWrongSide('buy', '64000', view, false)),
      hintOf(() => refuseWrongSide('sell', '66000', view, false, { size: '$90' })),
      hintOf(() => refuseNoProfit('sell', '65000', view)),
      hintOf(() => refuseNoProfit('sell', '64000', view)),
    ]).toEqual([
      'type `take BTCUSDT at 66000` for a take-profit',
      'type a limit order to enter there: `buy $250 BTCUSDT at 64000`',
      'type a limit order to enter there: `sell $90 BTCUSDT at 66000`',
      'type `close BTCUSDT` to end the position now',
      'type `stop BTCUSDT at 64000` for a stop',
    ])
  })
})
