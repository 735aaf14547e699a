import { describe, expect, it } from 'vitest'
import { type AlertParams, alert, hasCome } from '../../src/tasks/alert.ts'
import { PureStage } from './pure-stage.ts'
import { tickerAt } from './scripted-venue.ts'

const ABOVE: AlertParams = { comparator: '>', price: '66000', words: 'look' }

const stageOf = (params: AlertParams = ABOVE) => new PureStage(alert, params).begin()

describe('an alert', () => {
  it('ends once last is there, with the price that it saw, and orders nothing', () => {
    const stage = stageOf()
    expect(stage.ended).toBeUndefined()
    stage.ticker = tickerAt('BTCUSDT', '66000.4', '66000.5', stage.now)
    stage.tell({ type: 'ticker' })
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: expect.stringMatching(/^BTCUSDT is at 66,000\.\d+, above 66,000.0: look$/),
    })
    expect(stage.sent).toEqual([])
  })

  it('shows its price and its words', () => {
    expect(stageOf().sight).toMatchObject({ price: '66000', words: 'look' })
  })

  it('names the price once where last is just there', () => {
    const stage = stageOf({ comparator: '>=', price: '66000', words: 'look' })
    stage.ticker = { ...tickerAt('BTCUSDT', '66000', '66000.1', stage.now), last: '66000' }
    stage.tell({ type: 'ticker' })
    expect(stage.ended?.reason).toBe('BTCUSDT is at 66,000.0: look')
  })

  it('judges no price that may be stale, and goes on after a restart', () => {
    const stage = stageOf({ comparator: '<=', price: '60000' })
    stage.ticker = undefined
    stage.tell({ type: 'ticker' })
    stage.restart(60_000)
    expect(stage.ended).toBeUndefined()
    stage.ticker = tickerAt('BTCUSDT', '59000', '59000.1', stage.now)
    stage.tell({ type: 'ticker' })
    expect(stage.ended?.reason).toMatch(/^BTCUSDT is at 59,000(\.\d+)?, below 60,000.0$/)
  })

  it.each([
    ['>', '66000', false],
    ['>', '66000.1', true],
    ['>=', '66000', true],
    ['>=', '65999.9', false],
    ['<', '66000', false],
    ['<', '65999.9', true],
    ['<=', '66000', true],
    ['<=', '66000.1', false],
  ] as const)('%s 66000 at %s: %s', (comparator, last, has) => {
    expect(hasCome({ comparator, price: '66000' }, last)).toBe(has)
  })
})
