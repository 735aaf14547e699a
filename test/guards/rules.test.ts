import { Decimal } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import type { Ticker } from '../../src/exchange/market.ts'
import {
  amountAfter,
  breachesOf,
  type Facts,
  type Holding,
  type Limits,
  notAccepted,
  type Ordered,
  onlyShrinks,
  percentThrough,
  positionPrice,
  valuePrice,
} from '../../src/guards/rules.ts'

const holding = {
  market: { kind: 'linear', quote: 'USDT' },
  position: { side: 'long', amount: '2' },
  underWay: [],
  holdsReduceOnly: true,
} as const
const sell = { symbol: 'BTCUSDT', side: 'sell', type: 'limit', amount: '1' } as const
const resting = (remaining: string, more = {}) => [{ side: 'sell', remaining, reduceOnly: true, ...more } as const]

describe('an order that is not reduce-only', () => {
  it.each([
    ['only shrinks what is held beside a stop of a part', resting('1'), true],
    ['may turn it round beside a stop of more than the rest', resting('1.5'), false],
    [
      'may turn it round beside a stop of the whole position, which has no amount',
      resting('0', { closesPosition: true }),
      false,
    ],
  ])('%s', (_what, orders, expected) => {
    expect(onlyShrinks(sell, { ...holding, resting: orders })).toBe(expected)
  })
})

const TICKER = { symbol: 'BTCUSDT', bid: '99', ask: '101', last: '100', timestamp: 0 } as Ticker
const limit = (side: 'buy' | 'sell', price: string): Ordered => ({ ...sell, side, price })
const at = (order: Ordered, ticker: Ticker | undefined = TICKER) => ({
  value: valuePrice(order, ticker)?.toFixed(),
  position: positionPrice(order, ticker)?.toFixed(),
})

describe('an order is worth at least what it can fill at:', () => {
  it.each<[string, Ordered, { value: string | undefined; position: string | undefined }]>([
    ['a buyer’s limit is the most that is paid', limit('buy', '90'), { value: '90', position: '101' }],
    ['a buyer’s limit above the market is its own', limit('buy', '120'), { value: '120', position: '120' }],
    ['a seller’s limit below the bid is worth the bid', limit('sell', '90'), { value: '99', position: '99' }],
    ['a seller’s limit above the bid is its own', limit('sell', '130'), { value: '130', position: '130' }],
    ['at the market a buyer pays the ask', { ...sell, side: 'buy', type: 'market' }, { value: '101', position: '101' }],
    ['at the market a seller gets the bid', { ...sell, type: 'market' }, { value: '99', position: '99' }],
    [
      'a seller’s stop is worth its trigger',
      { ...sell, type: 'stop', triggerPrice: '80' },
      { value: '80', position: '99' },
    ],
    [
      'a buyer’s stop may fire above it, at the ask',
      { ...sell, side: 'buy', type: 'stop', triggerPrice: '95' },
      { value: '101', position: '101' },
    ],
    [
      'a buyer’s stop-limit pays no more than its limit',
      { ...sell, side: 'buy', type: 'stop-limit', triggerPrice: '95', price: '96' },
      { value: '96', position: '101' },
    ],
    [
      'a seller’s take-profit may fire above its trigger',
      { ...sell, type: 'take-profit', triggerPrice: '90' },
      { value: '99', position: '99' },
    ],
    [
      'a buyer’s take-profit fires at its trigger or below',
      { ...sell, side: 'buy', type: 'take-profit', triggerPrice: '90' },
      { value: '90', position: '101' },
    ],
  ])('%s', (_what, order, expected) => {
    expect(at(order)).toEqual(expected)
  })

  it('last stands in for a side of the book that is empty', () => {
    expect(at({ ...sell, type: 'market' }, { ...TICKER, bid: '0' }).value).toBe('100')
  })

  it('without a ticker only what names its price has a value, and no position has', () => {
    const none = (order: Ordered) => [valuePrice(order, undefined)?.toFixed(), positionPrice(order, undefined)]
    expect(none(limit('buy', '90'))).toEqual(['90', undefined])
    expect(none(limit('sell', '90'))).toEqual([undefined, undefined])
    expect(none({ ...sell, side: 'buy', type: 'stop', triggerPrice: '95' })).toEqual([undefined, undefined])
    expect(none({ ...sell, type: 'stop', triggerPrice: '95' })).toEqual(['95', undefined])
  })
})

describe('how far a limit is through the market', () => {
  const through = (order: Ordered, ticker: Ticker | undefined = TICKER) => {
    const found = percentThrough(order, ticker)
    return found && [found.percent.toFixed(2), found.from.toFixed(), found.isTrigger]
  }

  it('is measured from the ask for a buyer and from the bid for a seller', () => {
    expect(through(limit('buy', '111.1'))).toEqual(['10.00', '101', false])
    expect(through(limit('sell', '89.1'))).toEqual(['10.00', '99', false])
  })

  it('is measured from its trigger for what waits for one', () => {
    const stop: Ordered = { ...sell, type: 'stop-limit', triggerPrice: '80', price: '60' }
    expect(through(stop)).toEqual(['25.00', '80', true])
    expect([percentThrough(stop, undefined)?.percent.toFixed()]).toEqual(['25'])
  })

  it('is none at the touch, short of it, without a price, without a ticker, and from a price of zero', () => {
    expect(through(limit('buy', '101'))).toBeUndefined()
    expect(through(limit('sell', '120'))).toBeUndefined()
    expect(through({ ...sell, type: 'market' })).toBeUndefined()
    expect(percentThrough(limit('buy', '120'), undefined)).toBeUndefined()
    expect(through(limit('buy', '1'), { ...TICKER, ask: '0', last: '0' })).toBeUndefined()
  })
})

describe('the amount of a position after an order', () => {
  const grown = (order: Ordered, more: Partial<Holding>) =>
    amountAfter(order, { ...holding, resting: [], ...more }).toFixed()
  const order = (side: 'buy' | 'sell', remaining: string, reduceOnly = false) => ({ side, remaining, reduceOnly })

  it('adds what is held, what rests and what is under way on its side', () => {
    const more = {
      resting: [order('buy', '4'), order('sell', '8'), order('buy', '16', true)],
      underWay: [
        { side: 'buy', amount: '32' },
        { side: 'sell', amount: '64' },
      ],
    } as const
    expect(grown(limit('buy', '1'), more)).toBe('39')
  })

  it('takes off what is held on the other side, and is never less than nothing', () => {
    expect(grown({ ...sell, amount: '5' }, {})).toBe('3')
    expect(grown(sell, {})).toBe('0')
    expect(grown(sell, { position: undefined })).toBe('1')
    expect(grown(sell, { position: { side: 'short', amount: '2' } })).toBe('3')
  })
})

describe('a limit', () => {
  const facts: Facts = {
    value: new Decimal(100),
    positionValue: new Decimal(200),
    through: percentThrough(limit('buy', '111.1'), TICKER),
    used: { day: new Decimal(300), lastMinute: 4 },
  }
  const broken = (limits: object, known: Facts = facts) =>
    breachesOf(limit('buy', '111.1'), known, limits as Limits).map(({ limit: name, value, max }) => [name, value, max])

  it('lets pass what is as large as it, and refuses what is larger', () => {
    expect(broken({ order: '100', position: '200', day: '400', band: '10', rate: '5' })).toEqual([])
    expect(broken({ order: '99', position: '199', day: '399', band: '9', rate: '4' })).toEqual([
      ['order', '100', '99'],
      ['position', '200', '199'],
      ['day', '400', '399'],
      ['band', '10', '9'],
      ['rate', '5', '4'],
    ])
  })

  it('of which the figure was not asked for is not looked at', () => {
    const none = { value: undefined, positionValue: undefined, through: undefined, used: undefined }
    expect(broken({ order: '1', position: '1', day: '1', band: '1', rate: '1' }, none)).toEqual([])
    expect(broken({ day: '1', rate: '1' }, { ...none, value: new Decimal(9) })).toEqual([])
  })

  it('names where the price is too far through', () => {
    const texts = (order: Ordered) =>
      breachesOf(order, { ...facts, through: percentThrough(order, TICKER) }, { band: '1' } as Limits).map(
        ({ text }) => text,
      )
    expect(texts(limit('buy', '111.1'))).toEqual(['111.1 is more than 1% above the ask, 101'])
    expect(texts(limit('sell', '89.1'))).toEqual(['89.1 is more than 1% below the bid, 99'])
    expect(texts({ ...sell, type: 'stop-limit', triggerPrice: '80', price: '60' })).toEqual([
      '60 is more than 1% below its trigger, 80',
    ])
  })

  it('that was accepted holds for a value up to 1 % above, of the same limit', () => {
    const breach = { limit: 'order', value: '101', max: '50', text: '' } as const
    expect(notAccepted([breach])).toEqual([breach])
    expect(notAccepted([breach], [{ limit: 'order', value: '100' }])).toEqual([])
    expect(notAccepted([{ ...breach, value: '101.1' }], [{ limit: 'order', value: '100' }])).toHaveLength(1)
    expect(notAccepted([breach], [{ limit: 'day', value: '100' }])).toEqual([breach])
  })
})

describe('what shrinks a position', () => {
  const shrinks = (order: Ordered, more: Partial<Holding> = {}) =>
    onlyShrinks(order, { ...holding, resting: [], ...more })

  it('is a sale of a long and a purchase of a short, up to all of it', () => {
    expect(shrinks({ ...sell, amount: '2' })).toBe(true)
    expect(shrinks({ ...sell, amount: '2.1' })).toBe(false)
    expect(shrinks({ ...sell, side: 'buy' })).toBe(false)
    expect(shrinks({ ...sell, side: 'buy' }, { position: { side: 'short', amount: '2' } })).toBe(true)
    expect(shrinks(sell, { position: undefined })).toBe(false)
  })

  it('is what is reduce-only, whatever rests, where the venue holds that to its word', () => {
    const reducing = { ...sell, amount: '9', reduceOnly: true }
    expect(shrinks(reducing)).toBe(true)
    expect(shrinks(reducing, { holdsReduceOnly: false })).toBe(false)
    expect(shrinks({ ...reducing, side: 'buy' })).toBe(false)
  })

  it('counts what is under way on its side', () => {
    expect(shrinks(sell, { underWay: [{ side: 'sell', amount: '1' }] })).toBe(true)
    expect(shrinks(sell, { underWay: [{ side: 'sell', amount: '1.1' }] })).toBe(false)
    expect(shrinks(sell, { underWay: [{ side: 'buy', amount: '9' }] })).toBe(true)
  })

  it('on spot is a sale for dollars', () => {
    const market = { kind: 'spot', quote: 'USDT' } as const
    expect(shrinks({ ...sell, amount: '9' }, { market })).toBe(true)
    expect(shrinks({ ...sell, side: 'buy' }, { market })).toBe(false)
    expect(shrinks(sell, { market: { ...market, quote: 'BTC' } })).toBe(false)
  })
})
