import { describe, expect, it } from 'vitest'
import { type TrailParams, trail } from '../../src/tasks/trail.ts'
import { PureStage } from './exit-stage.ts'

const ONE: TrailParams = { side: 'long', distance: { kind: 'percent', value: '1' }, mark: '100' }
const TEN: TrailParams = { ...ONE, distance: { kind: 'amount', value: '10' } }

function stageTrail(params: Partial<TrailParams> = {}, options: ConstructorParameters<typeof PureStage>[2] = {}) {
  return new PureStage(trail, { ...ONE, ...params }, options)
}

/** Long enough for any step to be worth a request. */
const LATER = 6_000

describe('trail', () => {
  it('rests a stop at the distance from last at once', () => {
    const stage = stageTrail().begin()
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    // The command has printed it.
    expect(stage.said).toEqual([])
    expect(stage.kept).toEqual(['stop for 1 BTCUSDT at 99, 1% below 100'])
    expect(stage.sight).toEqual({ progress: 0, doing: 'stop at 99, 1% below 100', price: '99' })
  })

  it.each([
    ['a long, in percent', ONE, '120', '118.8'],
    ['a long, in money', TEN, '120', '110'],
    ['a short, in percent', { ...ONE, side: 'short' as const }, '80', '80.8'],
    ['a short, in money', { ...TEN, side: 'short' as const }, '80', '90'],
  ])('follows the best price of %s', (_, params, best, stop) => {
    const stage = stageTrail(params, { side: params.side }).begin()
    stage.advance(LATER).price(best)
    expect(stage.resting()).toEqual([`stop 1 at ${stop}`])
  })

  it('never moves the stop back', () => {
    const stage = stageTrail().begin()
    stage.advance(LATER).price('120').advance(LATER).price('119').advance(LATER)
    expect(stage.resting()).toEqual(['stop 1 at 118.8'])
    expect(stage.sight.doing).toBe('stop at 118.8, 1% below 120')
  })

  it('is done when the stop is reached, and says the price', () => {
    const stage = stageTrail().begin().price('99')
    expect(stage.ended).toEqual({
      type: 'end',
      status: 'done',
      reason: 'the stop at 99 was reached: sold 1 BTCUSDT at 99',
    })
    expect(stage.resting()).toEqual([])
  })

  it('changes nothing of a stop that is filling', () => {
    const stage = stageTrail().begin().advance(250).fillPart(0, '0.4').advance(60_000)
    expect(stage.sent.filter((line) => line.startsWith('amend') && !line.includes('0.6'))).toEqual([])
    expect(stage.resting()).toContain('stop 0.6 at 99')
    stage.price('98')
    expect(stage.ended).toMatchObject({ status: 'done' })
    expect(stage.held).toBeUndefined()
  })

  it('closes at the market what a stop that fired into an empty book has left', () => {
    const stage = stageTrail().begin()
    const stop = stage.venue.orders.get(0)
    if (stop !== undefined) stage.venue.orders.set(0, { ...stop, type: 'market', status: 'expired' })
    stage.hear(0)
    expect(stage.sent.at(-1)).toBe('place market 1')
    expect(stage.held).toBeUndefined()
    expect(stage.ended).toMatchObject({ status: 'done' })
  })

  it('closes at the market what a stop that fired has left in a thin book', () => {
    const stage = stageTrail().begin().fireThin(0, '0.4')
    expect(stage.sent).toEqual(['place stop 1 99', 'place market 0.6'])
    expect(stage.ended).toMatchObject({ status: 'done' })
    expect(stage.held).toBeUndefined()
  })

  it('says what was added in the moment in which its stop was reached: that has no stop', () => {
    const stage = stageTrail().begin()
    stage.venue.held = { side: 'long', amount: '1.2' }
    stage.price('99')
    expect(stage.ended).toBeUndefined()
    stage.advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'done' })
    expect(stage.ended?.reason).toBe(
      'the stop at 99 was reached: sold 1 BTCUSDT at 99; 0.2 BTCUSDT is still held, without a stop from this task',
    )
  })

  it('moves by changing the order in place where the venue can', () => {
    const stage = stageTrail().begin()
    stage.advance(LATER).price('110')
    expect(stage.sent).toEqual(['place stop 1 99', 'amend {"triggerPrice":"108.9"}'])
  })

  it('places the new stop before it takes the old one back elsewhere', () => {
    const stage = stageTrail({}, { can: { editOrder: false }, isSlow: true })
      .begin()
      .answer()
    stage.advance(LATER).price('110')
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    stage.answer()
    expect(stage.resting()).toEqual(['stop 1 at 99', 'stop 1 at 108.9'])
    stage.answer()
    expect(stage.resting()).toEqual(['stop 1 at 108.9'])
    expect(stage.sent).toEqual(['place stop 1 99', 'place stop 1 108.9', 'cancel 0'])
  })

  it('keeps the old stop while nothing is known of the new one', () => {
    const stage = stageTrail({}, { can: { editOrder: false }, isSlow: true })
      .begin()
      .answer()
    stage.advance(LATER).price('110').answer(true).advance(LATER)
    expect(stage.sent).toEqual(['place stop 1 99', 'place stop 1 108.9'])
    stage.settle().answer()
    expect(stage.resting()).toEqual(['stop 1 at 108.9'])
  })

  it('asks at most once in 250 ms, and saves up what is less than a hundredth of the distance', () => {
    const stage = stageTrail(TEN).begin()
    stage.price('101')
    expect(stage.resting()).toEqual(['stop 1 at 90'])
    stage.advance(250)
    expect(stage.resting()).toEqual(['stop 1 at 91'])
    stage.advance(LATER).price('101.1')
    expect(stage.resting()).toEqual(['stop 1 at 91.1'])
    stage.price('101.15').advance(60_000)
    expect(stage.resting()).toEqual(['stop 1 at 91.1'])
  })

  it('makes up for small steps when it is quiet', () => {
    const stage = stageTrail({ distance: { kind: 'amount', value: '50' } }).begin()
    stage.advance(250).price('100.1').advance(1000)
    expect(stage.resting()).toEqual(['stop 1 at 50'])
    stage.advance(5000)
    expect(stage.resting()).toEqual(['stop 1 at 50.1'])
  })

  it('moves nothing on stale prices, says so once, and goes on from the mark it knows', () => {
    const stage = stageTrail().begin()
    stage.advance(LATER).stale().stale().advance(60_000)
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    expect(stage.said.filter((line) => line.includes('stale'))).toHaveLength(1)
    stage.price('100.5')
    expect(stage.resting()).toEqual(['stop 1 at 99.4'])
  })
})

describe('trail after a price', () => {
  it('places nothing before last has come there, and says so', () => {
    const stage = stageTrail({ after: '102' }).begin().price('101.9')
    expect(stage.resting()).toEqual([])
    expect(stage.sight).toEqual({ progress: 0, doing: 'places its stop once last reaches 102' })
    stage.price('102')
    expect(stage.resting()).toEqual(['stop 1 at 100.9'])
    expect(stage.said).toEqual(['armed: BTCUSDT is at 102', 'stop for 1 BTCUSDT at 100.9, 1% below 102'])
  })

  it('arms a short below', () => {
    const stage = stageTrail({ after: '98', side: 'short' }, { side: 'short' }).begin().price('98.1')
    expect(stage.resting()).toEqual([])
    stage.price('97')
    expect(stage.resting()).toEqual(['stop 1 at 98'])
  })

  it('ends with its position also before it is armed', () => {
    const stage = stageTrail({ after: '102' }).begin().hold(undefined).advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(stage.sent).toEqual([])
  })
})

describe('the position of a trail', () => {
  it('is covered whole as it grows and shrinks', () => {
    const stage = stageTrail().begin()
    stage.advance(250).hold({ side: 'long', amount: '1.5' })
    expect(stage.resting()).toEqual(['stop 1.5 at 99'])
    stage.hold({ side: 'long', amount: '0.4' }).advance(2_000)
    expect(stage.resting()).toEqual(['stop 0.4 at 99'])
  })

  it('is never covered with more than was asked for, nor with more than there is', () => {
    const stage = stageTrail({ amount: '0.5' }).begin()
    expect(stage.resting()).toEqual(['stop 0.5 at 99'])
    stage.advance(250).hold({ side: 'long', amount: '2' }).hold({ side: 'long', amount: '0.3' }).advance(2_000)
    expect(stage.resting()).toEqual(['stop 0.3 at 99'])
  })

  it('ends it when it is gone, and the stop is taken back', () => {
    const stage = stageTrail().begin().hold(undefined)
    expect(stage.ended).toBeUndefined()
    stage.advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(stage.resting()).toEqual([])
  })

  it('is not taken for gone by a list that comes late', () => {
    const stage = stageTrail()
      .begin()
      .hold(undefined)
      .advance(1_000)
      .hold({ side: 'long', amount: '1' })
      .advance(60_000)
    expect(stage.ended).toBeUndefined()
    expect(stage.resting()).toEqual(['stop 1 at 99'])
  })

  it('ends it when it is turned round', () => {
    const stage = stageTrail().begin().hold({ side: 'short', amount: '2' }).advance(2_000)
    expect(stage.ended?.reason).toBe('the position is closed, and BTCUSDT is short now')
    expect(stage.resting()).toEqual([])
  })

  it('waits until it is known', () => {
    const stage = stageTrail()
    stage.isPositionKnown = false
    stage.begin()
    expect(stage.sent).toEqual([])
    stage.isPositionKnown = true
    stage.tell({ type: 'position' })
    expect(stage.resting()).toEqual(['stop 1 at 99'])
  })
})

describe('a stop of a trail', () => {
  it('that somebody takes back ends it, and it says that the position has none', () => {
    const stage = stageTrail().begin().takeBack(0)
    expect(stage.sight.doing).toBe('its stop ended: checking the position')
    stage.advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'cancelled' })
    expect(stage.ended?.reason).toBe('its stop was canceled; this task no longer protects the position on BTCUSDT')
  })

  it('that the venue takes back with its position ends it as done', () => {
    const stage = stageTrail().begin().takeBack(0).advance(1_000).hold(undefined).advance(3_000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
  })

  it('that the price has passed meanwhile gives way to a close at the market', () => {
    const stage = stageTrail(TEN, { isSlow: true }).begin().answer()
    stage.price('120').price('109.9')
    stage.answer()
    expect(stage.sent).toEqual(['place stop 1 90', 'place market 1'])
    expect(stage.ended?.reason).toBe('the price passed the stop at 110: sold 1 BTCUSDT at 109.9')
  })

  it('is asked for again, later and later, where the venue says no for a reason that passes', () => {
    const stage = stageTrail()
    stage.refuse = () => ({ code: 'unavailable', why: 'maintenance' })
    stage.begin().advance(10_000)
    expect(stage.sent).toHaveLength(4)
    expect(stage.said).toContain('the stop was refused: maintenance; no stop rests yet')
    stage.refuse = undefined
    stage.advance(30_000)
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    expect(stage.said.filter((line) => line.includes('maintenance'))).toHaveLength(1)
  })

  it('that the venue will never take fails the task', () => {
    const stage = stageTrail()
    stage.refuse = () => ({ code: 'permission', why: 'these keys may not trade' })
    stage.begin()
    expect(stage.ended).toMatchObject({ status: 'failed' })
    expect(stage.ended?.reason).toContain('the position on BTCUSDT has no stop')
  })

  it('stays where it is when the venue will not move it, and is moved later', () => {
    const stage = stageTrail().begin()
    stage.refuse = () => ({ code: 'unavailable', why: 'busy' })
    stage.advance(LATER).price('110')
    expect(stage.said).toContain('the stop was refused: busy; it stays at 99')
    stage.refuse = undefined
    stage.advance(1_000)
    expect(stage.resting()).toEqual(['stop 1 at 108.9'])
  })

  it('that the venue will not move is asked to move later and later, and said once', () => {
    const stage = stageTrail().begin()
    stage.refuse = () => ({ code: 'unsettled-order', why: 'a change got no answer' })
    stage.advance(LATER).price('110')
    for (let count = 0; count < 100; count += 1) stage.advance(300).price(count % 2 === 0 ? '110.1' : '110')
    expect(stage.said.filter((line) => line.includes('a change got no answer'))).toHaveLength(1)
    expect(stage.sent.filter((line) => line.startsWith('amend')).length).toBeLessThan(8)
    stage.refuse = undefined
    stage.advance(60_000)
    expect(stage.resting()).toEqual(['stop 1 at 108.9'])
  })

  it('stays where it is when the venue takes no second one', () => {
    const stage = stageTrail({}, { can: { editOrder: false } }).begin()
    stage.refuse = () => ({ code: 'reduce-only-rejected', why: 'too many' })
    stage.advance(LATER).price('110').advance(60_000)
    expect(stage.ended).toBeUndefined()
    expect(stage.resting()).toEqual(['stop 1 at 99'])
  })
})
