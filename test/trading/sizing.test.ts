import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { defined } from '../../src/base/defined.ts'
import type { Market, Ticker } from '../../src/exchange/market.ts'
import type { Position } from '../../src/exchange/order.ts'
import { priceOnGrid } from '../../src/exchange/price-grid.ts'
import { parseRisk, parseSize } from '../../src/language/size.ts'
import { fillPrice, resolvePrice } from '../../src/trading/pricing.ts'
import { differenceTo, flips, resolveAmount, resolveRisk, type SizingInput } from '../../src/trading/sizing.ts'

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
  minAmount: '0.002',
  minNotional: '100',
  maxLeverage: '100',
  makerFee: '0.0002',
  takerFee: '0.00055',
}

const position: Position = {
  symbol: 'BTCUSDT',
  settle: 'USDT',
  side: 'long',
  amount: '0.005',
  entryPrice: '60000',
  markPrice: '65000',
  unrealizedPnl: '25',
  realizedPnl: '0',
  leverage: '100',
  notional: '325',
}

const ticker: Ticker = { symbol: 'BTCUSDT', last: '65000', bid: '64999.5', ask: '65000.5', timestamp: 0 }

const funds = (free: string, equity = free) => ({ free: async () => free, equity: async () => equity })

const entry: SizingInput = {
  market,
  side: 'buy',
  price: '65000',
  position: undefined,
  percentOf: 'balance',
  funds: funds('10000'),
}
const exit: SizingInput = { ...entry, position, percentOf: 'position' }

describe('sizing', () => {
  it.each([
    ['$250', entry, '0.003'],
    ['250$', entry, '0.003'],
    ['0.0129', entry, '0.012'],
    ['50%', entry, '0.076'],
    ['100%', entry, '0.153'],
    ['50%', exit, '0.002'],
    ['100%', exit, '0.005'],
    ['1%bal', exit, '0.001'],
    ['50%pos', { ...entry, position }, '0.002'],
    ['$250', { ...entry, price: '50000' }, '0.005'],
  ])('makes %s an amount on the lot, rounded down', async (text, input, amount) => {
    expect((await resolveAmount(parseSize(text, 1), input)).amount).toBe(amount)
  })

  it('refuses less than the smallest order and says what that is in dollars', async () => {
    await expect(resolveAmount(parseSize('$99', 1), entry)).rejects.toMatchObject({
      code: 'below-minimum',
      hint: 'type at least $130.00 (0.002 BTC)',
    })
  })

  it('takes the smallest notional where that is the larger minimum', async () => {
    const input = { ...entry, market: { ...market, minNotional: '200' } }
    await expect(resolveAmount(parseSize('$199', 1), input)).rejects.toMatchObject({
      hint: 'type at least $260.00 (0.004 BTC)',
    })
  })

  it('counts the smallest order at a limit that crosses, as venues do, and its dollars where it fills', async () => {
    const input = { ...entry, side: 'sell', limit: '62000', market: { ...market, minNotional: '128' } } as const
    await expect(resolveAmount(parseSize('$194', 1), input)).rejects.toMatchObject({
      hint: 'type at least $195.00 (0.003 BTC)',
    })
    expect((await resolveAmount(parseSize('$195', 1), input)).amount).toBe('0.003')
  })

  it('lets an exit be smaller than the smallest entry, down to one lot', async () => {
    expect((await resolveAmount(parseSize('20%', 1), exit)).amount).toBe('0.001')
    await expect(resolveAmount(parseSize('19%', 1), exit)).rejects.toMatchObject({ code: 'below-minimum' })
  })

  it('refuses a part of a position where there is none', async () => {
    await expect(resolveAmount(parseSize('50%pos', 1), entry)).rejects.toMatchObject({ code: 'no-position' })
  })

  const spot: Market = { ...market, kind: 'spot' }
  const inverse: Market = {
    ...market,
    kind: 'inverse',
    settle: 'BTC',
    amountUnit: 'quote',
    lotSize: '10',
    minAmount: '10',
  }
  const held = {
    free: async (currency: string) => ({ BTC: '0.5', USDT: '1300' })[currency] ?? '0',
    equity: async ({ settle }: Market) => (settle === 'BTC' ? '0.6' : '2000'),
  }

  it.each([
    ['buy', '50%', spot, 'balance', '0.01'],
    ['sell', '50%', spot, 'balance', '0.25'],
    ['sell', '100%', spot, 'position', '0.5'],
    ['buy', '$250', inverse, 'balance', '250'],
    ['buy', '0.01', inverse, 'balance', '650'],
    ['buy', '10%', inverse, 'balance', '3250'],
    ['buy', '$balance/10', spot, 'balance', '0.002'],
    ['buy', '$equity/10', spot, 'balance', '0.003'],
    ['buy', '$balance*0.1', inverse, 'balance', '3250'],
    ['buy', '$equity/10+$100', inverse, 'balance', '4000'],
    ['buy', '$equity*0.5-$balance*0.5', spot, 'balance', '0.005'],
  ] as const)('counts a %s of %s in the market’s own unit (%#)', async (side, text, kind, percentOf, amount) => {
    const input = { ...entry, side, market: { ...kind, minNotional: '1' }, percentOf, funds: held }
    expect((await resolveAmount(parseSize(text, 1), input)).amount).toBe(amount)
  })

  it.each<[string, string, Partial<SizingInput>, object | undefined]>([
    ['$200', '0.003', {}, { size: '$200', percent: '2.5' }],
    ['0.0129', '0.012', {}, { size: '0.0129', percent: '7' }],
    ['1.53%bal', '0.002', {}, { size: '1.53%bal', percent: '15' }],
    ['50%pos', '0.002', { position }, { size: '50%pos', percent: '20' }],
    ['50%', '0.002', { position, percentOf: 'position' }, { size: '50%', percent: '20' }],
    ['$balance/40', '0.003', {}, { size: '$balance/40', percent: '22' }],
    ['0.1', '0.098', { market: { ...market, lotSize: '0.098' } }, { size: '0.1', percent: '2' }],
    ['0.1', '0.099', { market: { ...market, lotSize: '0.099' } }, undefined],
    ['0.1', '0.1', {}, undefined],
  ])('reports what rounding took of %s where that is more than 1 %%: %s (%#)', async (text, amount, more, cutFrom) => {
    const sized = await resolveAmount(parseSize(text, 1), { ...entry, ...more })
    expect([sized.amount, sized.cutFrom]).toEqual([amount, cutFrom])
  })

  it.each<[string, Partial<SizingInput>, string, string]>([
    ['$64', { percentOf: 'position' }, '$64 is less than one lot of BTCUSDT', 'type at least $65.00 (0.001 BTC)'],
    ['0.0019', {}, '0.0019 is below the minimum BTCUSDT order', 'type at least $130.00 (0.002 BTC)'],
    ['$9', { market: inverse }, '$9 is below the minimum BTCUSDT order', 'type at least $100.00'],
    ['1%', { funds: funds('10') }, '1% is below the minimum BTCUSDT order', 'type at least $130.00 (0.002 BTC)'],
  ])('refuses %s as too small: %#', async (text, more, message, hint) => {
    const refused = resolveAmount(parseSize(text, 1), { ...entry, ...more })
    await expect(refused).rejects.toMatchObject({ code: 'below-minimum', message, hint })
  })

  it.each<[string, Partial<SizingInput>, string | undefined]>([
    ['50%', { side: 'sell' }, '50% of the balance is 0.076 BTC, and the BTCUSDT long is only 0.005 BTC'],
    [
      '50%bal',
      { position: { ...position, side: 'short' } },
      '50%bal of the balance is 0.076 BTC, and the BTCUSDT short',
    ],
    ['50%', {}, undefined],
    ['50%', { side: 'sell', position: { ...position, side: 'short' } }, undefined],
    ['50%', { side: 'sell', position: { ...position, amount: '0.076' } }, undefined],
    ['50%', { side: 'sell', position: undefined }, undefined],
    ['1%bal', { side: 'sell', percentOf: 'position', position: { ...position, amount: '0.001' } }, undefined],
    // Money is meant as it is typed.
    ['$650', { side: 'sell' }, undefined],
  ])('refuses %s of the balance that turns a position round: %#', async (text, more, message) => {
    const sizing = resolveAmount(parseSize(text, 1), { ...entry, position, ...more })
    if (message === undefined) expect(await sizing).toHaveProperty('amount')
    else await expect(sizing).rejects.toMatchObject({ code: 'would-flip', message: expect.stringContaining(message) })
  })

  it.each([
    ['sell', 'long', '0.006', true],
    ['sell', 'long', '0.005', false],
    ['buy', 'long', '0.006', false],
    ['buy', 'short', '0.006', true],
    ['sell', 'short', '0.006', false],
  ] as const)('a %s against a %s of 0.005 of %s turns it: %s', (side, held, amount, turns) => {
    expect(flips(side, amount, { ...position, side: held })).toBe(turns)
  })

  it('never exceeds what was asked for and is always a multiple of the lot', async () => {
    const dollars = fc.integer({ min: 13_000, max: 100_000_000 }).map((cents) => new Decimal(cents).div(100))
    const prices = fc.integer({ min: 1, max: 130_000 }).map((ticks) => new Decimal(ticks).times('0.5'))
    await fc.assert(
      fc.asyncProperty(dollars, prices, async (asked, price) => {
        const size = { kind: 'quote', amount: asked.toFixed() } as const
        const sized = await resolveAmount(size, { ...entry, price }).catch(() => undefined)
        if (sized === undefined) return
        const { amount } = sized
        expect(new Decimal(amount).times(price).lessThanOrEqualTo(asked)).toBe(true)
        expect(new Decimal(amount).mod(market.lotSize).isZero()).toBe(true)
      }),
    )
  })
})

describe('a size by risk', () => {
  const inverse: Market = {
    ...market,
    kind: 'inverse',
    settle: 'BTC',
    amountUnit: 'quote',
    lotSize: '10',
    minAmount: '10',
  }
  const kinds = fc.constantFrom<Market>(market, inverse)
  /** In tenths of a percent from the entry. */
  const distances = fc.integer({ min: 2, max: 500 })

  it('loses at its stop no more than allowed, with the fees of both orders, and less than a lot more would', async () => {
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.constantFrom('buy', 'sell'),
        distances,
        fc.integer({ min: 1, max: 500 }),
        async (kind, side, tenths, percent) => {
          const fee = new Decimal('0.0005')
          const price = new Decimal('65000')
          const stop = price.times(side === 'buy' ? 1000 - tenths : 1000 + tenths).div(1000)
          const risk = { kind: 'risk', percent: new Decimal(percent).div(10).toFixed() } as const
          const input = {
            ...entry,
            market: { ...kind, takerFee: fee.toFixed() },
            side,
            price,
            funds: funds('0', kind === inverse ? '0.5' : '10000'),
          }
          const sized = await resolveRisk(risk, stop.toFixed(), input).catch(() => undefined)
          if (sized === undefined) return
          const allowed = new Decimal(kind === inverse ? '0.5' : '10000').times(percent).div(1000)
          const lossOf = (amount: Decimal) => {
            const [from, to] = kind === inverse ? [price.pow(-1), stop.pow(-1)] : [price, stop]
            return amount.times(from.minus(to).abs()).plus(amount.times(fee).times(from.plus(to)))
          }
          const amount = new Decimal(sized.amount)
          expect(lossOf(amount).lte(allowed.times('1.000000001'))).toBe(true)
          expect(lossOf(amount.plus(kind.lotSize)).gt(allowed.times('0.999999999'))).toBe(true)
          expect(new Decimal(sized.loses).minus(lossOf(amount)).abs().lt('1e-9')).toBe(true)
        },
      ),
    )
  })
})

describe('a size by risk, in figures', () => {
  const free: Market = { ...market, takerFee: undefined as never }
  const spot: Market = { ...free, kind: 'spot', settle: undefined as never }
  const inverse: Market = {
    ...market,
    kind: 'inverse',
    settle: 'BTC',
    amountUnit: 'quote',
    lotSize: '10',
    minAmount: '10',
  }
  const feeless: Market = { ...inverse, takerFee: '0' }
  const inverseInput = { price: '50000', funds: funds('0', '0.5') }

  it.each<[string, string, Partial<SizingInput>, object]>([
    // A coin loses 1000 between the prices and 70.95 in fees.
    ['$100', '64000', {}, { amount: '0.093', loses: '99.59835', allowed: '100', currency: 'USDT', equity: '10000' }],
    ['$100', '66000', { side: 'sell', market: free }, { amount: '0.1', loses: '100', currency: 'USDT' }],
    ['2%', '64000', { market: free }, { amount: '0.2', asked: '0.2', allowed: '200', equity: '10000' }],
    ['2%', '64000', { market: spot }, { amount: '0.2', allowed: '200', currency: 'USDT', equity: '10000' }],
    // From 50,000 to 40,000 a dollar loses 0.000005 coins.
    [
      '$100',
      '40000',
      { ...inverseInput, market: feeless },
      { amount: '400', loses: '0.002', allowed: '0.002', currency: 'BTC' },
    ],
    [
      '1%',
      '40000',
      { ...inverseInput, market: feeless },
      { amount: '1000', loses: '0.005', allowed: '0.005', equity: '0.5' },
    ],
    [
      '$100',
      '40000',
      { ...inverseInput, market: { ...inverse, takerFee: '0.001' } },
      { amount: '390', loses: '0.00196755' },
    ],
  ])('of %s to a stop at %s: %#', async (text, stop, more, sized) => {
    expect(await resolveRisk(parseRisk(text, 1), stop, { ...entry, ...more })).toMatchObject(sized)
  })

  it('asks for no equity where dollars are risked on spot', async () => {
    const sized = await resolveRisk(parseRisk('$100', 1), '64000', { ...entry, market: spot })
    expect(sized).toEqual({ amount: '0.1', asked: '0.1', allowed: '100', loses: '100', currency: 'USDT' })
  })

  it('names the least that can be risked', async () => {
    await expect(resolveRisk(parseRisk('$1', 1), '64000', entry)).rejects.toMatchObject({
      code: 'below-minimum',
      message: 'risk $1 is less than the smallest BTCUSDT order loses at its stop',
      hint: 'risk at least $2.15, or place the stop nearer',
    })
    const least = { ...inverseInput, market: { ...feeless, minNotional: undefined as never } }
    await expect(resolveRisk(parseRisk('0.001%', 1), '40000', { ...entry, ...least })).rejects.toMatchObject({
      message: 'risk 0.001% is less than the smallest BTCUSDT order loses at its stop',
      hint: 'risk at least 0.00005, or place the stop nearer',
    })
    const smallest = { ...entry, market: { ...free, minNotional: undefined as never } }
    expect(await resolveRisk(parseRisk('$2', 1), '64000', smallest)).toMatchObject({ amount: '0.002' })
  })
})

describe('what a position lacks, or has too much of', () => {
  const inverse: Market = {
    ...market,
    kind: 'inverse',
    settle: 'BTC',
    amountUnit: 'quote',
    lotSize: '10',
    minAmount: '10',
  }
  const more = (amount: string, kind: 'quote' | 'base' = 'quote') => ({ kind: 'more', size: { kind, amount } })
  const less = (amount: string) => ({ kind: 'less', amount })
  const NONE = { kind: 'none' }

  it.each<[string, string, Parameters<typeof differenceTo>[1], string, Market, object]>([
    ['$650', 'as wanted', { amount: '0.01', entryPrice: '65000' }, '65000', market, NONE],
    ['$650', 'as wanted, wherever the price went', { amount: '0.01', entryPrice: '65000' }, '90000', market, NONE],
    ['$10000', '2 % below', { amount: '0.098', entryPrice: '100000' }, '100000', market, NONE],
    ['$10000', '2 % above', { amount: '0.102', entryPrice: '100000' }, '100000', market, NONE],
    ['$10000', 'above that', { amount: '0.103', entryPrice: '100000' }, '100000', market, less('0.001')],
    ['$10000', 'below that', { amount: '0.097', entryPrice: '100000' }, '100000', market, more('300')],
    ['$10000', 'half of it', { amount: '0.1', entryPrice: '50000' }, '65000', market, more('5000')],
    ['$10000.5', 'half of it', { amount: '0.1', entryPrice: '50000' }, '65000', market, more('5000.5')],
    ['$6200', 'less by the smallest order', { amount: '0.1', entryPrice: '60000' }, '65000', market, more('200')],
    ['$6200', 'less by no order at this price', { amount: '0.1', entryPrice: '60000' }, '110000', market, NONE],
    [
      '$13500',
      'less by no order at its entry',
      { amount: '0.1', entryPrice: '130000' },
      '65000',
      { ...market, minAmount: '0.004' },
      NONE,
    ],
    ['$650', 'without an entry', { amount: '0.01', entryPrice: '0' }, '65000', market, NONE],
    ['$5000', 'more than wanted', { amount: '0.1', entryPrice: '65000' }, '65000', market, less('0.022')],
    [
      '$10',
      'more than wanted, but for its last lot',
      { amount: '0.1', entryPrice: '65000' },
      '65000',
      market,
      less('0.099'),
    ],
    ['$10', 'its last lot', { amount: '0.001', entryPrice: '65000' }, '65000', market, NONE],
    ['0.2', 'half of it', { amount: '0.1', entryPrice: '65000' }, '65000', market, more('0.1', 'base')],
    ['1.5', 'a third of it', { amount: '0.5', entryPrice: '65000' }, '65000', market, more('1.0', 'base')],
    ['0.1', 'as wanted', { amount: '5000', entryPrice: '50000' }, '65000', inverse, NONE],
    ['0.1', 'half of it', { amount: '2500', entryPrice: '50000' }, '100000', inverse, more('0.05', 'base')],
    ['0.1', 'more than wanted', { amount: '10000', entryPrice: '50000' }, '50000', inverse, less('4900')],
    ['$5000', 'half of it', { amount: '2500', entryPrice: '50000' }, '100000', inverse, more('2500')],
  ])('%s, %s: %j at %s', (text, _, position, price, market, difference) => {
    const smallest = new Decimal(market.minAmount)
    const size = parseSize(text, 1)
    if (size.kind !== 'quote' && size.kind !== 'base') throw new Error(`${text} is not an amount`)
    expect(differenceTo(size, position, { market, smallest, price })).toEqual(difference)
  })
})

describe('what an order may cost', () => {
  const cents = (min: number, max: number) => fc.integer({ min, max }).map((value) => new Decimal(value).div(100))
  const side = fc.constantFrom('buy', 'sell')
  /** In ticks; the spread is of any width. */
  const quotes = fc
    .record({ bid: fc.integer({ min: 1, max: 200_000 }), spread: fc.integer({ min: 1, max: 2_000 }) })
    .map(({ bid, spread }) => {
      const at = (ticks: number) => new Decimal(ticks).times('0.5').toFixed()
      return { symbol: 'BTCUSDT', bid: at(bid), ask: at(bid + spread), last: at(bid), timestamp: 0 }
    })
  /** Of the touch: from half of it to twice as much; undefined: at the market. */
  const limits = fc.option(fc.integer({ min: 5_000, max: 20_000 }), { nil: undefined })

  it('is never more than the money that was typed, wherever the limit is', async () => {
    await fc.assert(
      fc.asyncProperty(cents(1, 10_000_000), side, quotes, limits, async (asked, side, ticker, share) => {
        const touch = side === 'buy' ? ticker.ask : ticker.bid
        const limit =
          share === undefined ? undefined : priceOnGrid(new Decimal(touch).times(share).div(10_000), market, 'nearest')
        const input = { ...entry, side, price: fillPrice(side, ticker, limit), ...defined({ limit }) }
        const sized = await resolveAmount({ kind: 'quote', amount: asked.toFixed() }, input).catch(() => undefined)
        if (sized === undefined) return
        // Where it fills: at the touch when it crosses, and at its own price when it rests.
        const crosses =
          limit === undefined || (side === 'buy' ? new Decimal(limit).gte(touch) : new Decimal(limit).lte(touch))
        const cost = new Decimal(sized.amount).times(crosses ? touch : limit)
        expect(cost.lessThanOrEqualTo(asked)).toBe(true)
        if (sized.cutFrom === undefined) expect(cost.greaterThanOrEqualTo(asked.times('0.99'))).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })

  it('never turns a position round, whatever percentage was typed', async () => {
    const percents = cents(1, 10_000).map((percent) => percent.toFixed())
    const lots = fc.integer({ min: 1, max: 100_000 }).map((count) => new Decimal(count).times(market.lotSize).toFixed())
    const held = fc.record({ side: fc.constantFrom('long', 'short'), amount: lots })
    const of = fc.constantFrom('balance', 'position', undefined)
    const free = cents(0, 100_000_000)
    await fc.assert(
      fc.asyncProperty(percents, side, held, of, free, async (percent, side, holding, of, money) => {
        const size = { kind: 'percent', percent, ...defined({ of }) } as const
        const input = { ...entry, side, position: { ...position, ...holding }, funds: funds(money.toFixed()) }
        const sized = await resolveAmount(size, input).catch(() => undefined)
        if (sized === undefined) return
        const net = (side: string) => (side === 'long' || side === 'buy' ? 1 : -1)
        const before = new Decimal(holding.amount).times(net(holding.side))
        const after = before.plus(new Decimal(sized.amount).times(net(side)))
        expect(after.isZero() || after.isPositive() === before.isPositive()).toBe(true)
      }),
      { numRuns: runsOf(500) },
    )
  })
})

describe('pricing', () => {
  const anchor = (name: 'last' | 'bid' | 'ask' | 'entry') => ({ kind: 'anchor', anchor: name }) as const
  const view = { market, ticker, position }

  it.each([
    [{ base: { kind: 'absolute', price: '64000' } }, '64000'],
    [{ base: anchor('last'), offset: { kind: 'amount', value: '-100' } }, '64900'],
    [{ base: anchor('last'), offset: { kind: 'percent', value: '-2' } }, '63700'],
    [{ base: anchor('bid'), offset: { kind: 'amount', value: '10' } }, '65009.5'],
    [{ base: anchor('ask') }, '65000.5'],
    [{ base: anchor('entry'), offset: { kind: 'percent', value: '1' } }, '60600'],
  ] as const)('counts offsets from their anchor: %j', (expression, price) => {
    expect(resolvePrice(expression, view).toFixed()).toBe(price)
  })

  it('refuses $entry without a position and a price of nothing', () => {
    expect(() => resolvePrice({ base: anchor('entry') }, { ...view, position: undefined })).toThrow('no position')
    const free = { base: anchor('last'), offset: { kind: 'amount', value: '-65000' } } as const
    expect(() => resolvePrice(free, view)).toThrow('would be 0')
  })

  it.each([
    ['64000.24', 'nearest', '64000'],
    ['64000.25', 'nearest', '64000.5'],
    ['64000.49', 'down', '64000'],
    ['64000.01', 'up', '64000.5'],
    ['0.1', 'down', '0.5'],
  ] as const)('puts %s on the grid, %s', (price, rounding, onTick) => {
    expect(priceOnGrid(price, market, rounding)).toBe(onTick)
  })

  it.each([
    ['64123.4', '64123'],
    ['0.00123456', '0.001235'],
    ['1.23456', '1.2346'],
    ['123456.7', '123460'],
  ])('puts %s on a grid of five digits and six decimals: %s', (price, onGrid) => {
    expect(priceOnGrid(price, { priceGrid: { kind: 'significant', digits: 5, decimals: 6 } }, 'nearest')).toBe(onGrid)
  })

  it.each([
    ['123456.7', '123457'],
    ['100000', '100000'],
    ['99999.6', '100000'],
    ['64123.4', '64123'],
    ['0.00123456', '0.001235'],
  ])('puts %s on such a grid where whole numbers are always prices: %s', (price, onGrid) => {
    const priceGrid = { kind: 'significant', digits: 5, decimals: 6, integers: true } as const
    expect(priceOnGrid(price, { priceGrid }, 'nearest')).toBe(onGrid)
  })
})

describe('a whole number without a unit', () => {
  const short: Position = { ...position, side: 'short', amount: '2' }
  const spot: Market = { ...market, kind: 'spot', settle: undefined as never }
  const inverse: Market = {
    ...market,
    kind: 'inverse',
    settle: 'BTC',
    amountUnit: 'quote',
    lotSize: '1',
    minAmount: '1',
  }
  it.each<[string, Partial<SizingInput>]>([
    ['1', {}],
    ['99', {}],
    ['1', { side: 'sell' }],
    ['1', { position }],
    ['3', { position: short }],
    ['1', { market: spot }],
    ['2', { market: inverse, funds: funds('1.5') }],
  ])('%s that is worth more than what is free is refused: %j', async (size, input) => {
    await expect(resolveAmount(parseSize(size, 1), { ...entry, ...input })).rejects.toMatchObject({
      code: 'bare-number',
      hint: `type ${size}.0 for BTC, or $${size} (${size}usd in a shell) for dollars`,
    })
  })

  it.each<[string, Partial<SizingInput>, string]>([
    ['1.0', {}, '1'],
    ['0.2', {}, '0.2'],
    ['1', { funds: funds('65000') }, '1'],
    // It ends what is there, or a part of it.
    ['2', { position: short }, '2'],
    ['1', { position: short }, '1'],
    ['1', { market: spot, side: 'sell' }, '1'],
    ['1', { position, percentOf: 'position' }, '1'],
    ['1', { market: inverse, funds: funds('1.5') }, '65000'],
  ])('%s with %j is %s', async (size, input, amount) => {
    await expect(resolveAmount(parseSize(size, 1), { ...entry, ...input })).resolves.toMatchObject({ amount })
  })

  it('asks nothing of the venue where the unit is said', async () => {
    const asked = async (): Promise<string> => {
      throw new Error('asked')
    }
    const funds = { free: asked, equity: asked }
    await expect(resolveAmount(parseSize('0.2', 1), { ...entry, funds })).resolves.toMatchObject({ amount: '0.2' })
    await expect(resolveAmount(parseSize('1', 1), { ...entry, funds })).rejects.toThrow('asked')
  })
})
