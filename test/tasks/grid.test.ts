import { describe, expect, test } from 'vitest'
import { type GridParams, grid, gridPrices, stepProfit } from '../../src/tasks/grid.ts'
import { PureStage, type StageOptions } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

/** From 64,000 to 66,000 in four steps of 500. */
const GRID: GridParams = { amount: '0.01', prices: ['64000', '64500', '65000', '65500', '66000'] }

function stageOf(params: Partial<GridParams> = {}, { bid = '64900', ...options }: StageOptions = {}) {
  return new PureStage(grid, { ...GRID, ...params }, { bid, ask: `${bid}.1`, ...options })
}

const resting = (stage: PureStage<unknown, unknown>) =>
  stage.live
    .map(({ plan, order }) => `${plan.side} ${plan.amount} at ${order?.price ?? plan.price}`)
    .toSorted((a, b) => Number(b.split(' at ')[1]) - Number(a.split(' at ')[1]))

describe('a grid', () => {
  test('buys what its upper steps sell at once, and rests a buy at each step below the market', () => {
    const stage = stageOf().begin()
    expect(resting(stage)).toEqual([
      'sell 0.01 at 66000',
      'sell 0.01 at 65500',
      'buy 0.01 at 64500',
      'buy 0.01 at 64000',
    ])
    expect(stage.doing).toBe('2 buys and 2 sells rest, holds 0.02 BTC')
    expect(stage.live.filter(({ plan }) => plan.side === 'sell').every(({ plan }) => plan.reduceOnly === true)).toBe(
      true,
    )
  })

  test('each filled buy gets its sell a step above, and each filled sell its buy a step below', () => {
    const stage = stageOf().begin().quote('64450')
    expect(resting(stage)).toEqual([
      'sell 0.01 at 66000',
      'sell 0.01 at 65500',
      'sell 0.01 at 65000',
      'buy 0.01 at 64000',
    ])
    stage.quote('65010')
    expect(resting(stage)).toContain('buy 0.01 at 64500')
    expect(stage.doing).toBe('2 buys and 2 sells rest, holds 0.02 BTC, 1 round made $5.00 before fees')
  })

  test('counts what a round made after fees, where these are known', () => {
    const stage = stageOf({ feeRate: '0.0002' }).begin().quote('64450').quote('65010')
    // 0.01 × (500 − 0.0002 × 129,500)
    expect(stage.doing).toMatch('1 round made $4.74 after fees')
    expect(stepProfit('0.01', '64500', '65000', '0.0002').toFixed()).toBe('4.741')
  })

  test('a buy that fills in parts is sold once it is whole', () => {
    const stage = stageOf().begin()
    const buy = stage.live.find(({ plan }) => plan.price === '64500')?.step ?? -1
    stage.fill(buy, '0.004')
    expect(resting(stage)).not.toContain('sell 0.004 at 65000')
    stage.fill(buy, '0.006')
    expect(resting(stage)).toContain('sell 0.01 at 65000')
  })

  test('a step whose order a person takes back is left out; the last one ends it with what it holds', () => {
    const stage = stageOf().begin()
    for (const { step, plan } of [...stage.live]) {
      stage.endOrder(step, 'canceled')
      expect(stage.said.at(-1)).toMatch(`the ${plan.side} at`)
    }
    expect(stage.ended).toMatchObject({
      status: 'cancelled',
      reason: 'all of its orders were canceled or refused; it holds 0.02 BTC',
    })
  })

  test('waits outside of its range, and goes on when the price is back', () => {
    const stage = stageOf().begin().quote('60000')
    expect(stage.filled.toFixed()).toBe('0.04')
    expect(stage.live).toHaveLength(4)
    stage.quote('70000')
    expect(stage.ended).toBeUndefined()
    expect(resting(stage)).toEqual(['buy 0.01 at 65500', 'buy 0.01 at 65000', 'buy 0.01 at 64500', 'buy 0.01 at 64000'])
  })

  test('`keep` ends it a step outside of its range, with what it holds', () => {
    const stage = stageOf({ leaves: 'keep' }).begin().quote('63600')
    expect(stage.ended).toBeUndefined()
    stage.quote('63500')
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: '63,500.0 is a step below its range; it holds 0.04 BTC',
    })
  })

  test('`close` cancels what rests, then sells what it holds, then ends', () => {
    const stage = stageOf({ leaves: 'close' }).begin().quote('63500')
    const sent = stage.sent.map(({ effect }) => effect)
    const first = sent.findIndex(({ type }) => type === 'cancel')
    expect(sent.slice(first, -1).every(({ type }) => type === 'cancel')).toBe(true)
    expect(sent.at(-1)).toMatchObject({
      type: 'place',
      plan: { type: 'market', side: 'sell', reduceOnly: true },
    })
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: '63,500.0 is a step below its range: it has sold what it held',
    })
    expect(stage.live).toEqual([])
  })

  test('ends when somebody closes what it holds', () => {
    const stage = stageOf().begin()
    stage.hold({ side: 'long', amount: '0.02' }).tell({ type: 'position' })
    stage.hold(undefined).tell({ type: 'position' }).pass(2000)
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
  })

  test('sells on spot what the fee has left of a step, and buys the whole of it again', () => {
    const market = { ...BTC, kind: 'spot' as const, lotSize: '0.00001', takerFee: '0.001' }
    const stage = stageOf({}, { market }).begin().quote('64450')
    expect(resting(stage)).toContain('sell 0.00999 at 65000')
    expect(stage.live.some(({ plan }) => plan.reduceOnly === true)).toBe(false)
    stage.quote('65010')
    expect(resting(stage)).toContain('buy 0.01 at 64500')
  })

  test('its prices are on the grid of prices, equally far apart', () => {
    expect(gridPrices('48000', '52000', 5, BTC)).toEqual(['48000', '48800', '49600', '50400', '51200', '52000'])
  })
})
