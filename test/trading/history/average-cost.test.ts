import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import type { MarketKind } from '../../../src/exchange/market.ts'
import { applyTrade, Exact, NOTHING } from '../../../src/trading/history/realize.ts'

interface Step {
  readonly isBuy: boolean
  /** Lots of a thousandth, or dollars of inverse contracts. */
  readonly lots: number
  /** Tenths of a dollar. */
  readonly ticks: number
}

const STEPS = fc.array(
  fc.record({
    isBuy: fc.boolean(),
    lots: fc.integer({ min: 1, max: 5000 }),
    ticks: fc.integer({ min: 1, max: 2_000_000 }),
  }),
  { minLength: 1, maxLength: 40 },
)

/** A whole fraction, never rounded. */
class Fraction {
  readonly top: bigint
  readonly bottom: bigint
  constructor(top: bigint, bottom = 1n) {
    this.top = bottom < 0n ? -top : top
    this.bottom = bottom < 0n ? -bottom : bottom
  }
  plus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom)
  }
  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom)
  }
  over(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom, this.bottom * other.top)
  }
  /** To 30 decimals. */
  text(): string {
    const scaled = (this.top * 10n ** 40n) / this.bottom
    return new Exact(scaled.toString()).div(new Exact(10).pow(40)).toDecimalPlaces(30).toFixed()
  }
}

const ZERO = new Fraction(0n)

/** The average cost as a price that is kept and weighed, contract by contract: another way than a value that is entered and released. */
function slowModel(kind: MarketKind, steps: readonly Step[]): string[] {
  let held = 0n
  let average = ZERO
  return steps.map(({ isBuy, lots, ticks }) => {
    let left = BigInt(lots)
    const sign = isBuy ? 1n : -1n
    const price = new Fraction(BigInt(ticks), 10n)
    let pnl = ZERO
    const against = held !== 0n && held > 0n !== isBuy
    if (against) {
      const size = held < 0n ? -held : held
      const closed = left < size ? left : size
      const amount = kind === 'inverse' ? new Fraction(closed) : new Fraction(closed, 1000n)
      const direction = new Fraction(held > 0n ? 1n : -1n)
      const gain =
        kind === 'inverse'
          ? new Fraction(1n).over(average).plus(new Fraction(-1n).over(price))
          : price.plus(average.times(new Fraction(-1n)))
      pnl = gain.times(amount).times(direction)
      held += sign * closed
      left -= closed
      if (held === 0n) average = ZERO
    }
    if (left > 0n && !(kind === 'spot' && !isBuy)) {
      const size = held < 0n ? -held : held
      const before = new Fraction(size)
      const more = new Fraction(left)
      const whole = new Fraction(size + left)
      average =
        kind === 'inverse'
          ? whole.over((size === 0n ? ZERO : before.over(average)).plus(more.over(price)))
          : before.times(average).plus(more.times(price)).over(whole)
      held += sign * left
    }
    return pnl.text()
  })
}

function ours(kind: MarketKind, steps: readonly Step[]): string[] {
  let holding = NOTHING
  return steps.map(({ isBuy, lots, ticks }) => {
    const amount = kind === 'inverse' ? String(lots) : new Exact(lots).div(1000).toFixed()
    const price = new Exact(ticks).div(10).toFixed()
    const step = applyTrade(kind, holding, { side: isBuy ? 'buy' : 'sell', amount, price })
    holding = step.after
    return step.pnl.toDecimalPlaces(30).toFixed()
  })
}

const near = (a: string, b: string) => new Exact(a).minus(b).abs().lt('1e-25')

describe('average cost', () => {
  it.each(['spot', 'linear', 'inverse'] as const)('realizes what a model of whole fractions does: %s', (kind) => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const [expected, found] = [slowModel(kind, steps), ours(kind, steps)]
        for (const [index, pnl] of expected.entries()) expect(near(found[index] ?? '', pnl), `${index}`).toBe(true)
      }),
      { numRuns: runsOf(300) },
    )
  })

  it('is weighed by what was entered at each price', () => {
    const bought = applyTrade('linear', NOTHING, { side: 'buy', amount: '1', price: '100' }).after
    const more = applyTrade('linear', bought, { side: 'buy', amount: '3', price: '200' }).after
    const sold = applyTrade('linear', more, { side: 'sell', amount: '2', price: '200' })
    expect(sold.pnl.toFixed()).toBe('50')
    expect(sold.after.amount.toFixed()).toBe('2')
  })

  it('closes a position before it opens the opposite one', () => {
    const bought = applyTrade('linear', NOTHING, { side: 'buy', amount: '1', price: '100' }).after
    const turned = applyTrade('linear', bought, { side: 'sell', amount: '3', price: '110' })
    expect(turned.pnl.toFixed()).toBe('10')
    expect(turned.after.amount.toFixed()).toBe('-2')
    const back = applyTrade('linear', turned.after, { side: 'buy', amount: '2', price: '100' })
    expect(back.pnl.toFixed()).toBe('20')
    expect(back.after.value.isZero()).toBe(true)
  })

  it('counts coins for inverse contracts: a dollar is worth more of them when the price is low', () => {
    const bought = applyTrade('inverse', NOTHING, { side: 'buy', amount: '1000', price: '50000' }).after
    const sold = applyTrade('inverse', bought, { side: 'sell', amount: '1000', price: '62500' })
    expect(sold.pnl.toFixed()).toBe('0.004')
  })

  it('owes no coins on spot: what was sold without having been bought is unknown', () => {
    const sold = applyTrade('spot', NOTHING, { side: 'sell', amount: '2', price: '100' })
    expect(sold.after.amount.isZero()).toBe(true)
    expect(sold.unknown.toFixed()).toBe('2')
  })
})
