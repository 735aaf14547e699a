import { describe, expect, it } from 'vitest'
import { type OcoParams, oco } from '../../src/tasks/oco.ts'
import { PureStage } from './exit-stage.ts'

const LONG: OcoParams = { side: 'long', amount: '1', take: '102', stop: '99' }
const SHORT: OcoParams = { side: 'short', amount: '1', take: '98', stop: '101' }

function stageOco(params: Partial<OcoParams> = {}, options: ConstructorParameters<typeof PureStage>[2] = {}) {
  return new PureStage(oco, { ...LONG, ...params }, options)
}

describe('oco', () => {
  it.each([
    ['a long', LONG, ['stop 1 at 99', 'limit 1 at 102']],
    ['a short', SHORT, ['stop 1 at 101', 'limit 1 at 98']],
  ])('rests a stop, and a limit that takes the profit, for %s', (_, params, resting) => {
    const stage = new PureStage(oco, params, { side: params.side }).begin()
    expect(stage.resting()).toEqual(resting)
    expect([...stage.venue.orders.values()].every(({ reduceOnly }) => reduceOnly)).toBe(true)
  })

  it('says what rests', () => {
    const stage = stageOco().begin()
    expect(stage.sight).toEqual({ progress: 0, doing: 'stop at 99, take-profit at 102', price: '99' })
  })

  it.each([
    ['102', 'the take-profit at 102 was reached: sold 1 BTCUSDT at 102'],
    ['98.5', 'the stop at 99 was reached: sold 1 BTCUSDT at 98.5'],
  ])('ends at %s, and takes the other back', (price, reason) => {
    const stage = stageOco().begin().price(price)
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason })
    expect(stage.resting()).toEqual([])
  })

  it('covers with each what the other has not closed yet', () => {
    const stage = stageOco().begin().advance(250).fillPart(1, '0.3')
    expect(stage.resting()).toEqual(['stop 0.7 at 99', 'limit 0.7 at 102'])
    expect(stage.sight.progress).toBe(0.3)
    stage.advance(2_000).price('99')
    expect(stage.ended).toMatchObject({ status: 'done' })
    expect(stage.ended?.reason).toMatch(/^the stop at 99 and the take-profit at 102 were reached: sold 1 BTCUSDT at 99/)
  })

  it('never covers more than it was asked to of a larger position', () => {
    const stage = stageOco({ amount: '0.4' }, { held: '2' }).begin().advance(250).fillPart(1, '0.1')
    expect(stage.resting()).toEqual(['stop 0.3 at 99', 'limit 0.3 at 102'])
    stage.price('102')
    expect(stage.held?.amount).toBe('1.6')
    expect(stage.ended?.reason).toMatch(/^the take-profit at 102 was reached/)
  })

  it('makes both smaller with their position', () => {
    const stage = stageOco().begin().hold({ side: 'long', amount: '0.6' }).advance(2_000)
    expect(stage.resting()).toEqual(['stop 0.6 at 99', 'limit 0.6 at 102'])
  })

  it('ends when the position is gone, and takes both back', () => {
    const stage = stageOco().begin().hold(undefined).advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(stage.resting()).toEqual([])
  })

  it('protects nothing of a position on the other side', () => {
    const stage = stageOco().begin().hold({ side: 'short', amount: '1' }).advance(2_000)
    expect(stage.ended?.reason).toBe('the position is closed, and BTCUSDT is short now')
    expect(stage.resting()).toEqual([])
  })

  it('opens nothing when both are reached', () => {
    const stage = stageOco({}, { isSlow: true }).begin().answer().answer()
    // The take-profit fills, and before the task has heard of it the price falls through the stop.
    stage.venue.last = '102'
    stage.venue.match(1)
    stage.venue.last = '98'
    stage.venue.match(0)
    expect(stage.held).toBeUndefined()
    stage.hear(1)
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: 'the take-profit at 102 was reached: sold 1 BTCUSDT at 102',
    })
  })

  it('changes nothing of a stop that is filling', () => {
    const stage = stageOco().begin().advance(250).fillPart(0, '0.4').advance(60_000)
    expect(stage.sent.filter((line) => line.startsWith('amend') && !line.includes('0.6'))).toEqual([])
    expect(stage.resting()).toContain('stop 0.6 at 99')
    stage.price('98')
    expect(stage.ended).toMatchObject({ status: 'done' })
    expect(stage.held).toBeUndefined()
  })

  it('closes at the market what a stop that fired into an empty book has left', () => {
    const stage = stageOco().begin()
    const stop = stage.venue.orders.get(0)
    if (stop !== undefined) stage.venue.orders.set(0, { ...stop, type: 'market', status: 'expired' })
    stage.hear(0)
    expect(stage.sent.at(-1)).toBe('place market 1')
    expect(stage.held).toBeUndefined()
    expect(stage.ended).toMatchObject({ status: 'done' })
  })

  it('closes at the market what a stop that fired has left in a thin book', () => {
    const stage = stageOco().begin().fireThin(0, '0.4')
    expect(stage.held).toBeUndefined()
    expect(stage.sent.at(-1)).toBe('place market 0.6')
    expect(stage.ended?.reason).toMatch(/^the stop at 99 was reached: sold 1 BTCUSDT/)
    expect(stage.resting()).toEqual([])
  })

  it('closes at once where the price has passed the stop before it rests', () => {
    const stage = stageOco({}, { last: '98' }).begin()
    expect(stage.sent).toEqual(['place market 1'])
    expect(stage.ended?.reason).toBe('the price passed the stop at 99: sold 1 BTCUSDT at 98')
  })

  it('keeps the other leg when somebody takes one back, and says so', () => {
    const stage = stageOco().begin().takeBack(1).advance(60_000)
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    expect(stage.said).toEqual(['the take-profit was canceled: only the stop rests now'])
    stage.takeBack(0).advance(2_000)
    expect(stage.ended).toMatchObject({ status: 'cancelled' })
    expect(stage.ended?.reason).toContain('no longer protects the position')
  })

  it('takes what the venue ends with its position for that', () => {
    const stage = stageOco().begin().takeBack(0).takeBack(1).hold(undefined).advance(3_000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(stage.said).toEqual([])
  })

  it('goes on with the stop alone where the venue will never take the profit', () => {
    const stage = stageOco()
    stage.refuse = ({ step }) => (step === 1 ? { code: 'not-supported', why: 'no such orders' } : undefined)
    stage.begin().advance(60_000)
    expect(stage.ended).toBeUndefined()
    expect(stage.resting()).toEqual(['stop 1 at 99'])
    expect(stage.said).toEqual(['the take-profit was refused: no such orders: only the stop rests'])
  })

  it('fails without a stop, and leaves nothing', () => {
    const stage = stageOco()
    stage.refuse = ({ step }) => (step === 0 ? { code: 'permission', why: 'these keys may not trade' } : undefined)
    stage.begin()
    expect(stage.ended).toMatchObject({ status: 'failed' })
    expect(stage.ended?.reason).toContain('the position on BTCUSDT has no stop')
    expect(stage.resting()).toEqual([])
  })

  it('replaces both where the venue changes nothing in place: the stop has its successor first, the limit is taken back first', () => {
    const stage = stageOco({}, { can: { editOrder: false } })
      .begin()
      .advance(250)
      .fillPart(1, '0.3')
      .advance(2_000)
    expect(stage.resting()).toEqual(['limit 0.7 at 102', 'stop 0.7 at 99'])
    expect(stage.sent).toEqual(['place stop 1 99', 'place limit 1 102', 'place stop 0.7 99', 'cancel 0'])
    stage.hold({ side: 'long', amount: '0.5' }).advance(5_000)
    expect(stage.resting()).toEqual(['stop 0.5 at 99', 'limit 0.5 at 102'])
  })

  it('changes the limit in place and replaces the stop where the venue changes limit orders only', () => {
    const stage = stageOco({}, { can: { editTypes: ['limit'] } })
      .begin()
      .advance(250)
      .fillPart(1, '0.3')
      .advance(2_000)
    expect(stage.resting()).toEqual(['limit 0.7 at 102', 'stop 0.7 at 99'])
    expect(stage.sent).toEqual(['place stop 1 99', 'place limit 1 102', 'place stop 0.7 99', 'cancel 0'])
    stage.hold({ side: 'long', amount: '0.5' }).advance(5_000)
    expect(stage.sent.slice(4)).toEqual(['place stop 0.5 99', 'amend {"amount":"0.8"}', 'cancel 2'])
    expect(stage.resting().sort()).toEqual(['limit 0.5 at 102', 'stop 0.5 at 99'])
  })

  it('places nothing twice after a restart', () => {
    const stage = stageOco().begin().restart().advance(60_000)
    expect(stage.sent).toEqual(['place stop 1 99', 'place limit 1 102'])
    stage.restart().price('102')
    expect(stage.ended?.reason).toMatch(/^the take-profit at 102 was reached/)
  })
})
