import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baselineLeft,
  byNotional,
  type CopyFacts,
  Decimal,
  type Figure,
  inconvertible,
  isSameMeasure,
  nextCopy,
  shareOf,
  signedAmount,
  slippedPrice,
  targetOf,
} from '../../src/cross-trade/plan.ts'
import type { Market } from '../../src/exchange/market.ts'
import { isDollars } from '../../src/trading/figures.ts'

const BTC: Market = {
  symbol: 'BTCUSDT',
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  amountUnit: 'base',
  priceGrid: { kind: 'tick', tick: '0.1' },
  lotSize: '0.001',
  minAmount: '0.001',
  minNotional: '5',
  active: true,
}
const ETH: Market = { ...BTC, symbol: 'ETHUSDT', base: 'ETH', lotSize: '0.01', minAmount: '0.01' }
const INVERSE: Market = {
  ...BTC,
  symbol: 'BTCUSD',
  kind: 'inverse',
  quote: 'USD',
  settle: 'BTC',
  amountUnit: 'quote',
  lotSize: '100',
  minAmount: '100',
}

const d = (value: Figure) => new Decimal(value)

function next(desired: string, owned: string, more: Partial<CopyFacts> = {}) {
  const copy = nextCopy({ market: BTC, desired: d(desired), owned: d(owned), held: d(owned), price: '65000', ...more })
  if (copy.kind === 'order') {
    const { side, amount, reduceOnly, closes } = copy
    return `${side} ${amount.toFixed()}${reduceOnly ? ' reduce' : ''}${closes ? ' whole' : ''}`
  }
  return copy.kind === 'gone' ? `gone ${copy.amount.toFixed()}` : copy.kind === 'ask' ? `ask ${copy.what}` : copy.kind
}

describe('what a copier makes of the master’s position', () => {
  it.each([
    ['half', 0.5, 1, '2', '0', '1'],
    ['the same', 1, 1, '2', '0', '2'],
    ['the other way', -1, 1, '2', '0', '-2'],
    ['a fraction of a short', 0.25, 1, '-2', '0', '-0.5'],
    ['by the weight of the master too', 1, 2, '3', '0', '1.5'],
    ['what changed since the baseline', 1, 1, '3', '2', '1'],
    ['nothing of what was closed of the baseline', 0.5, 1, '0', '2', '0'],
    ['nothing while the position is less than the baseline', 0.5, 1, '1', '2', '0'],
    ['all that turned round', 0.5, 1, '-1', '2', '-0.5'],
    ['what grew beyond a short baseline', 1, 1, '-3', '-2', '-1'],
  ])('is %s', (_, weight, masterWeight, position, baseline, share) => {
    expect(shareOf({ weight, masterWeight }, position, baseline).toFixed()).toBe(share)
  })

  it('is never on the other side than the position, nor larger than its share of it, whatever the baseline was', () => {
    const amounts = fc.integer({ min: -1000, max: 1000 }).map((value) => d(value).div(100))
    fc.assert(
      fc.property(
        amounts,
        fc.array(amounts, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(-2, -1, 0.5, 1, 3),
        (first, moves, weight) => {
          let baseline = first
          for (const position of moves) {
            const share = shareOf({ weight, masterWeight: 1 }, position, baseline)
            expect(share.times(weight).times(position).gte(0)).toBe(true)
            expect(share.abs().lte(position.times(weight).abs())).toBe(true)
            baseline = baselineLeft(baseline, position)
            expect(baseline.abs().lte(first.abs())).toBe(true)
          }
        },
      ),
    )
  })

  it('is exact where a quotient of the weights would not be', () => {
    expect(shareOf({ weight: 1, masterWeight: 3 }, '3', '0').toFixed()).toBe('1')
    expect(shareOf({ weight: 0.1, masterWeight: 0.3 }, '3', '0').toFixed()).toBe('1')
  })

  it('has the sign of the position, and is zero without one', () => {
    expect(signedAmount({ side: 'short', amount: '2' }).toFixed()).toBe('-2')
    expect(signedAmount({ side: 'long', amount: '2' }).toFixed()).toBe('2')
    expect(signedAmount(undefined).toFixed()).toBe('0')
  })
})

describe('another market', () => {
  it('is reached by what the share is worth', () => {
    const to = byNotional(d('0.1'), { market: BTC, price: '60000' }, { market: ETH, price: '3000' })
    expect(to.toFixed()).toBe('2')
  })

  it('that counts quote is reached by it, and left by it', () => {
    expect(byNotional(d('0.1'), { market: BTC, price: '60000' }, { market: INVERSE, price: '60000' }).toFixed()).toBe(
      '6000',
    )
    expect(byNotional(d('6000'), { market: INVERSE, price: '60000' }, { market: BTC, price: '60000' }).toFixed()).toBe(
      '0.1',
    )
    expect(byNotional(d('6000'), { market: INVERSE, price: '1' }, { market: INVERSE, price: '2' }).toFixed()).toBe(
      '6000',
    )
  })

  it('is the same measure only with the same names and unit, whatever its lots', () => {
    expect(isSameMeasure(BTC, { ...BTC, lotSize: '1', priceGrid: { kind: 'tick', tick: '1' } })).toBe(true)
    expect(isSameMeasure(BTC, ETH)).toBe(false)
    expect(isSameMeasure(BTC, { ...INVERSE, symbol: 'BTCUSDT' })).toBe(false)
  })

  it.each(['FDUSD', 'USDE', 'USDC'])('is one for one in %s, which limits count as dollars, too', (quote) => {
    expect(isDollars(quote)).toBe(true)
    expect(inconvertible(BTC, { ...ETH, quote })).toBeUndefined()
  })

  it('cannot be reached where nothing says what its quote is worth', () => {
    expect(inconvertible(BTC, ETH)).toBeUndefined()
    expect(inconvertible(BTC, INVERSE)).toBeUndefined()
    expect(inconvertible(BTC, { ...ETH, quote: 'EUR' })).toBe('BTCUSDT is counted in USDT and ETHUSDT in EUR')
  })
})

describe('the next order', () => {
  it.each([
    ['nothing to do', '1', '1', 'in-step'],
    ['opens', '1', '0', 'buy 1'],
    ['opens a short', '-1', '0', 'sell 1'],
    ['adds', '1', '0.4', 'buy 0.6'],
    ['adds to a short', '-1', '-0.4', 'sell 0.6'],
    ['reduces', '0.4', '1', 'sell 0.6 reduce'],
    ['reduces a short', '-0.4', '-1', 'buy 0.6 reduce'],
    ['closes', '0', '1', 'sell 1 reduce whole'],
    ['closes a short', '0', '-1', 'buy 1 reduce whole'],
    ['first closes on its way through zero', '-1', '1', 'sell 1 reduce whole'],
    ['first closes a short on its way through zero', '1', '-1', 'buy 1 reduce whole'],
    ['closes where less than a lot is desired', '0.0009', '1', 'sell 1 reduce whole'],
    ['cuts the target towards zero', '1.0019', '0', 'buy 1.001'],
    ['cuts a short target towards zero', '-1.0019', '0', 'sell 1.001'],
    ['is none for less than a lot more', '1.0009', '1', 'in-step'],
  ])('%s', (_, desired, owned, says) => {
    expect(next(desired, owned)).toBe(says)
  })

  it('waits while it is worth less than the market takes, and closes all the same', () => {
    expect(next('0.004', '0', { price: '1000' })).toBe('waiting')
    expect(next('0.005', '0', { price: '1000' })).toBe('buy 0.005')
    expect(next('0', '0.004', { price: '1000' })).toBe('sell 0.004 reduce whole')
    expect(next('0.001', '0.004', { price: '1000' })).toBe('sell 0.003 reduce')
    expect(next('0.002', '0', { market: { ...BTC, minAmount: '0.005' } })).toBe('waiting')
  })

  it('reduces no more than is there, and counts the rest as gone', () => {
    expect(next('0', '1', { held: d('0.4') })).toBe('sell 0.4 reduce whole')
    expect(next('0', '1', { held: d('0') })).toBe('gone 1')
    expect(next('0', '1', { held: d('-3') })).toBe('gone 1')
    expect(next('0', '-1', { held: d('3') })).toBe('gone -1')
    expect(next('0.5', '1', { held: d('0') })).toBe('gone 0.5')
    expect(next('0', '1', { held: d('5') })).toBe('sell 1 reduce whole')
  })

  it('is on the lots, also where less than one was left', () => {
    expect(next('1', '0.4005')).toBe('buy 0.599')
    expect(next('0.4', '0.4005')).toBe('gone 0.0005')
    expect(next('0.401', '0.4005')).toBe('in-step')
    expect(next('0', '0.4005')).toBe('sell 0.4 reduce whole')
    expect(next('9', '0', { market: { ...BTC, maxAmount: '2.0005' } })).toBe('buy 2')
  })

  it('asks what it has to know, and not before', () => {
    const unknown = { market: BTC, owned: d('1') }
    expect(nextCopy({ ...unknown, desired: d('0') })).toEqual({ kind: 'ask', what: 'held' })
    expect(nextCopy({ ...unknown, desired: d('2') })).toEqual({ kind: 'ask', what: 'price' })
    expect(nextCopy({ ...unknown, desired: d('1') })).toEqual({ kind: 'in-step' })
    const { minNotional: _, ...free } = BTC
    expect(nextCopy({ market: free, owned: d('1'), desired: d('2') })).toMatchObject({ kind: 'order' })
  })

  it('is never larger than the venue takes', () => {
    expect(next('9', '0', { market: { ...BTC, maxAmount: '4', marketMaxAmount: '2' } })).toBe('buy 2')
    expect(next('0', '9', { market: { ...BTC, maxAmount: '4' } })).toBe('sell 4 reduce whole')
  })

  it('may slip to a price on the grid, and not beyond', () => {
    expect(slippedPrice('buy', '65000.1', '0.5', BTC)).toBe('65325.1')
    expect(slippedPrice('sell', '65000.1', '0.5', BTC)).toBe('64675.1')
  })
})

describe('rounding', () => {
  const lots = fc.integer({ min: -400, max: 400 })

  it('is off by less than one lot after any number of fills', () => {
    const weight = fc.constantFrom(0.3, -0.7, 0.013, 1.9, -3.3)
    fc.assert(
      fc.property(
        weight,
        fc.constantFrom(1, 3, 0.7),
        fc.array(lots, { maxLength: 60 }),
        (weight, masterWeight, fills) => {
          const end = follow(weight, masterWeight, fills)
          expect(end.error.abs().lt(BTC.lotSize)).toBe(true)
        },
      ),
    )
  })

  it('is off by less than one lot after 10 000 fills', () => {
    const fills = Array.from({ length: 10_000 }, (_, index) => ((index * 7919) % 801) - 400)
    expect(follow(0.3, 1, fills).error.abs().lt(BTC.lotSize)).toBe(true)
  })

  it('never passes the target, and never adds while it closes', () => {
    fc.assert(
      fc.property(lots, lots, (desired, owned) => {
        const facts = { market: BTC, desired: d(desired).div(700), owned: d(owned).div(1000), price: '65000' }
        const copy = nextCopy({ ...facts, held: facts.owned })
        if (copy.kind !== 'order') return
        const after = facts.owned.plus(copy.side === 'buy' ? copy.amount : copy.amount.neg())
        if (copy.reduceOnly) expect(after.abs().lt(facts.owned.abs()) && after.times(facts.owned).gte(0)).toBe(true)
        else expect(after.eq(targetOf(facts.desired, BTC))).toBe(true)
      }),
    )
  })

  /** Every order fills whole at once. */
  function follow(weight: number, masterWeight: number, fills: readonly number[]) {
    let [master, owned] = [d(0), d(0)]
    for (const fill of fills) {
      master = master.plus(d(fill).div(1000))
      const desired = shareOf({ weight, masterWeight }, master, '0')
      for (;;) {
        const copy = nextCopy({ market: { ...BTC, minNotional: '0' }, desired, owned, held: owned, price: '65000' })
        if (copy.kind !== 'order') break
        owned = owned.plus(copy.side === 'buy' ? copy.amount : copy.amount.neg())
      }
    }
    return { error: shareOf({ weight, masterWeight }, master, '0').minus(owned) }
  }
})
