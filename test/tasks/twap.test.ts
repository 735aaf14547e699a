import { describe, expect, test } from 'vitest'
import { planSlices, type TwapParams, twap } from '../../src/tasks/twap.ts'
import { PureStage, START, type StageOptions } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

const MINUTE = 60_000
const BUY: TwapParams = { side: 'buy', amount: '0.01', reduce: false, slices: 4, durationMs: 4 * MINUTE, seed: 'a' }

function stageOf(params: Partial<TwapParams> = {}, options: StageOptions = {}) {
  return new PureStage(twap, { ...BUY, ...params }, options)
}

const amounts = (stage: PureStage<unknown, unknown>) => stage.placed.map(({ plan }) => plan.amount)
const times = (stage: PureStage<unknown, unknown>) => stage.sent.map(({ at }) => (at - START) / MINUTE)

describe('a twap', () => {
  test('sends equal slices at the market, evenly, the first at once, and ends when it has filled', () => {
    const stage = stageOf({ amount: '0.012' })
      .begin()
      .pass(10 * MINUTE)
    expect(amounts(stage)).toEqual(['0.003', '0.003', '0.003', '0.003'])
    expect(times(stage)).toEqual([0, 1, 2, 3])
    expect(stage.placed[0]).toMatchObject({ tag: 'slice-0', plan: { type: 'market', side: 'buy', symbol: 'BTCUSDT' } })
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason: 'all filled' })
  })

  test('rounds each slice down to the lot, and the last takes what is left', () => {
    expect(
      amounts(
        stageOf({ amount: '0.01' })
          .begin()
          .pass(10 * MINUTE),
      ),
    ).toEqual(['0.002', '0.002', '0.003', '0.003'])
  })

  test('says what it does', () => {
    const stage = stageOf().begin().pass(20_000)
    expect(stage.doing).toBe('1 of 4 slices, next in 40 s')
  })

  test('what did not fill goes to the slices that follow', () => {
    const stage = stageOf({ amount: '0.012' })
    stage.answer = { as: 'ended', status: 'expired' }
    stage.begin()
    stage.answer = { as: 'book' }
    stage.pass(10 * MINUTE)
    expect(amounts(stage)).toEqual(['0.003', '0.004', '0.004', '0.004'])
    expect(stage.said[0]).toBe('0.003 BTC of slice 1 of 4 did not fill; later slices take its amount')
  })

  test('a slice is never more than three planned ones: what is missing then is said', () => {
    const stage = stageOf({ amount: '0.01', slices: 10, durationMs: 10 * MINUTE })
    stage.answer = { as: 'refused', code: 'guarded', why: 'too much' }
    stage.begin().pass(8.5 * MINUTE)
    expect(stage.said[0]).toBe('slice 1 of 10 was refused: too much; later slices take its amount')
    stage.answer = { as: 'book' }
    stage.pass(10 * MINUTE)
    expect(amounts(stage).at(-1)).toBe('0.003')
    expect(stage.ended).toEqual({
      type: 'end',
      status: 'done',
      reason: 'expired: no slice is left, 0.007 BTC not filled',
    })
  })

  test.each(['permission', 'authentication'])('%s ends it', (code) => {
    const stage = stageOf()
    stage.answer = { as: 'refused', code, why: 'no' }
    expect(stage.begin().ended).toEqual({ type: 'end', status: 'failed', reason: 'no' })
  })
})

describe('its limit', () => {
  test('leaves slices out while the market is beyond it, and says so', () => {
    const stage = stageOf({ amount: '0.012', limit: '65000.5' }).begin().quote('65010').pass(MINUTE).quote('65000')
    stage.pass(10 * MINUTE)
    expect(stage.said).toEqual(['slice 2 of 4 is skipped: the market is at 65,010.1; later slices take its amount'])
    expect(amounts(stage)).toEqual(['0.003', '0.004', '0.005'])
    expect(stage.ended?.reason).toBe('all filled')
  })

  test('is the worst price that a slice may get', () => {
    expect(stageOf({ limit: '65000.5' }).begin().placed[0]?.plan).toMatchObject({
      type: 'limit',
      price: '65000.5',
      timeInForce: 'ioc',
    })
    expect(stageOf({ side: 'sell', limit: '60000' }).begin().placed[0]?.plan).toMatchObject({
      type: 'limit',
      price: '64675',
      timeInForce: 'ioc',
    })
  })

  test('is watched by looking alone where the venue has no ioc', () => {
    const stage = stageOf({ limit: '65000.5' }, { capabilities: { timeInForce: ['gtc'] } })
    expect(stage.begin().placed[0]?.plan.type).toBe('market')
  })
})

describe('a slice whose time has come', () => {
  test('waits for an earlier one of unknown outcome', () => {
    const stage = stageOf({ amount: '0.012' })
    stage.answer = { as: 'unknown' }
    stage.begin().pass(2.5 * MINUTE)
    expect(stage.placed).toHaveLength(1)
    expect(stage.doing).toBe('1 of 4 slices, asks the venue what became of the last')
    stage.answer = { as: 'book' }
    stage.settle(0, 'never-arrived')
    expect(amounts(stage)).toEqual(['0.003', '0.006'])
    expect(stage.said.at(-1)).toBe('a slice was missed; later slices make up for it')
  })

  test('waits for a current price', () => {
    const stage = stageOf()
      .begin()
      .stale()
      .pass(1.5 * MINUTE)
    expect(stage.placed).toHaveLength(1)
    expect(stage.doing).toBe('1 of 4 slices, waits for a current price')
    expect(stage.quote('65000').placed).toHaveLength(2)
  })

  test('is left out below the smallest order', () => {
    const market = { ...BTC, minNotional: '150' }
    const stage = stageOf({}, { market }).begin()
    expect(stage.said).toEqual([
      'slice 1 of 4 is skipped: 0.002 BTC is below the minimum order; later slices take its amount',
    ])
    expect(stage.pass(10 * MINUTE).ended?.reason).toBe('all filled')
  })
})

describe('its end', () => {
  test('comes with its time, and says what is missing', () => {
    const stage = stageOf()
      .begin()
      .stale()
      .pass(4 * MINUTE)
    expect(stage.ended).toEqual({
      type: 'end',
      status: 'done',
      reason: 'expired: its time is up, 0.008 BTC not filled',
    })
  })

  test('waits for a slice of unknown outcome', () => {
    const stage = stageOf()
    stage.answer = { as: 'unknown' }
    stage.begin().pass(10 * MINUTE)
    expect(stage.ended).toBeUndefined()
    expect(stage.settle(0, 'never-arrived').ended?.reason).toMatch(/^expired: its time is up/)
  })
})

describe('a twap that reduces', () => {
  const SELL = { side: 'sell', reduce: true } as const

  test('reduces, and sells no more than there is', () => {
    expect(twap.effect({ ...BUY, ...SELL })).toBe('reduces')
    const stage = stageOf(SELL, { position: { side: 'long', amount: '0.01' } }).begin()
    stage.hold({ side: 'long', amount: '0.003' }).pass(10 * MINUTE)
    expect(stage.placed.every(({ plan }) => plan.reduceOnly === true)).toBe(true)
    expect(amounts(stage)).toEqual(['0.002', '0.001', '0.001', '0.003'])
  })

  test('ends when the position is gone', () => {
    const stage = stageOf(SELL, { position: { side: 'long', amount: '0.01' } }).begin()
    stage.hold(undefined).tell({ type: 'position' })
    expect(stage.ended?.reason).toBe('the position is closed')
  })
})

describe('after a restart', () => {
  test('what is left goes over the time that is left', () => {
    const stage = stageOf({ amount: '0.012' })
      .begin()
      .restart(2.5 * MINUTE)
    expect(stage.said).toEqual(['a slice was missed; later slices make up for it'])
    expect(amounts(stage)).toEqual(['0.003', '0.004'])
    expect(stage.pass(10 * MINUTE).ended?.reason).toBe('all filled')
    expect(amounts(stage)).toEqual(['0.003', '0.004', '0.005'])
    expect(times(stage)).toEqual([0, 2.5, 3])
  })

  test('the slices left follow at the same spacing where its time was over', () => {
    const stage = stageOf({ amount: '0.012' })
      .begin()
      .pass(MINUTE)
      .restart(60 * MINUTE)
    expect(stage.said).toEqual([
      'its time was up: the 2 slices left follow at the same spacing, until 2027-01-15 09:03:00 UTC',
    ])
    expect(stage.pass(10 * MINUTE).ended?.reason).toBe('all filled')
    expect(times(stage)).toEqual([0, 1, 61, 62])
  })

  test('a slice that was sent is not sent again, though it was not remembered', () => {
    const stage = stageOf({ amount: '0.012' }).begin()
    const before = stage.state
    stage.pass(MINUTE)
    stage.state = before
    stage.restart()
    expect(amounts(stage)).toEqual(['0.003', '0.003'])
    expect(stage.pass(10 * MINUTE).ended?.reason).toBe('all filled')
    expect(times(stage)).toEqual([0, 1, 2, 3])
  })
})

describe('its plan', () => {
  test('varies sizes and times the same way for the same task, and adds up', () => {
    const shape = { ...BUY, amount: '1', slices: 12, durationMs: 60 * MINUTE, random: '20' }
    const plan = planSlices(shape, BTC)
    expect(planSlices(shape, BTC)).toEqual(plan)
    expect(planSlices({ ...shape, seed: 'b' }, BTC)).not.toEqual(plan)
    expect(plan.reduce((sum, { amount }) => sum + Number(amount) * 1000, 0)).toBeCloseTo(1000)
    expect(new Set(plan.map(({ amount }) => amount)).size).toBeGreaterThan(6)
    const gaps = plan.slice(1).map(({ afterMs }, index) => afterMs - (plan[index]?.afterMs ?? 0))
    expect(gaps.every((gap) => gap > 0)).toBe(true)
    expect(new Set(gaps).size).toBeGreaterThan(6)
  })
})
