import { describe, expect, it } from 'vitest'
import { type TrailParams, trail } from '../../src/tasks/trail.ts'
import { PureStage } from './exit-stage.ts'

const ONE: TrailParams = { side: 'long', distance: { kind: 'percent', value: '1' }, mark: '100' }

function stageTrail(options: ConstructorParameters<typeof PureStage>[2] = {}) {
  return new PureStage(trail, ONE, options)
}

/** Long enough for any step to be worth a request. */
const LATER = 6_000

describe('a restart of a trail', () => {
  it('places nothing twice, and goes on from its mark', () => {
    const stage = stageTrail().begin()
    stage.advance(LATER).price('120').restart().advance(LATER).price('121').advance(LATER)
    expect(stage.sent.filter((line) => line.startsWith('place'))).toHaveLength(1)
    expect(stage.resting()).toEqual(['stop 1 at 119.7'])
  })

  it('between the new stop and the end of the old one leaves one', () => {
    const stage = stageTrail({ can: { editOrder: false }, isSlow: true })
      .begin()
      .answer()
    stage.advance(LATER).price('110').answer()
    expect(stage.resting()).toHaveLength(2)
    stage.isSlow = false
    stage.restart().advance(1_000)
    expect(stage.resting()).toEqual(['stop 1 at 108.9'])
  })

  it('closes at the market what fell past the stop while there was none', () => {
    const stage = stageTrail().begin()
    stage.venue.orders.clear()
    stage.orders = []
    stage.venue.last = '95'
    stage.restart()
    expect(stage.ended?.reason).toBe('the price passed the stop at 99.0: sold 1 BTCUSDT at 95.0')
  })
})
