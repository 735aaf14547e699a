import { describe, expect, test } from 'vitest'
import { type DcaParams, dca } from '../../src/tasks/dca.ts'
import { PureStage, type StageOptions } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

const BUY: DcaParams = {
  side: 'buy',
  parts: ['0.004', '0.004', '0.004', '0.004'],
  step: { kind: 'percent', value: '1' },
}

function stageOf(params: Partial<DcaParams> = {}, options: StageOptions = {}) {
  return new PureStage(dca, { ...BUY, ...params }, options)
}

const resting = (stage: PureStage<unknown, unknown>) =>
  stage.live.map(({ plan, order }) => `${plan.side} ${plan.amount} at ${order?.price ?? plan.price}`)

describe('a dca', () => {
  test('buys the first part at the market, and rests the others a step of the first fill apart', () => {
    const stage = stageOf().begin()
    expect(stage.placed[0]).toMatchObject({ tag: 'part-1.1', plan: { type: 'market', side: 'buy', amount: '0.004' } })
    // From 65,000.1, where it filled, and not from the step before.
    expect(resting(stage)).toEqual(['buy 0.004 at 64350', 'buy 0.004 at 63700', 'buy 0.004 at 63050'])
    expect(stage.said).toEqual(['the first part filled at 65,000.1; the others rest below it'])
    expect(stage.doing).toBe('1 of 4 parts, next at 64,350')
  })

  test('sells upwards', () => {
    const stage = stageOf({ side: 'sell', step: { kind: 'amount', value: '500' } }).begin()
    expect(resting(stage)).toEqual(['sell 0.004 at 65500', 'sell 0.004 at 66000', 'sell 0.004 at 66500'])
  })

  test('ends once all parts have filled', () => {
    const stage = stageOf().begin().quote('64000').quote('62000')
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason: 'all filled' })
    expect(stage.filled.toFixed()).toBe('0.016')
  })

  test('rests the first part at its price, and knows the steps once that is in', () => {
    const stage = stageOf({ at: '64000' }).begin()
    expect(resting(stage)).toEqual(['buy 0.004 at 64000'])
    stage.fill(0, '0.001')
    expect(resting(stage)).toHaveLength(1)
    stage.fill(0, '0.003')
    expect(resting(stage)).toEqual(['buy 0.004 at 63360', 'buy 0.004 at 62720', 'buy 0.004 at 62080'])
  })

  test('gives every part the same stop and take-profit', () => {
    const stage = stageOf({ stop: '60000', takeProfit: '68000' }).begin()
    for (const { plan } of stage.placed) {
      expect(plan.protection).toEqual({ fires: 'at-or-below', triggerPrice: '60000', takeProfitPrice: '68000' })
    }
  })

  test('costs no more than its budget, wherever the first part fills', () => {
    // Without the budget the fourth part would be 0.004 too.
    const stage = stageOf({ budget: '1005' }).begin()
    expect(resting(stage)).toEqual(['buy 0.004 at 64350', 'buy 0.004 at 63700', 'buy 0.003 at 63050'])
  })

  test('ends with the position: what rests would buy anew what was closed', () => {
    const stage = stageOf().begin()
    stage.hold({ side: 'long', amount: '0.004' }).tell({ type: 'position' })
    stage.hold(undefined).tell({ type: 'position' })
    expect(stage.ended).toBeUndefined()
    stage.pass(2000)
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason: 'the position is closed' })
  })

  test('is not ended by a list of positions that is behind its fill', () => {
    const stage = stageOf().begin().tell({ type: 'position' }).pass(60_000)
    expect(stage.ended).toBeUndefined()
  })

  test.each([
    [{ stop: '64900' }, '64899', 'the stop at 64,900 was reached'],
    [{ takeProfit: '66000' }, '66000', 'the take-profit at 66,000 was reached'],
  ])('ends with its stop and its take-profit: %o', (params, bid, reason) => {
    const stage = stageOf(params).begin().quote(bid)
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason })
  })

  test.each([
    [undefined, 'canceled'],
    ['command', 'canceled by a command'],
    ['elsewhere', 'canceled outside this hookline'],
  ] as const)('a part that is taken back is left out: %s', (canceledBy, was) => {
    const stage = stageOf().begin()
    Object.assign(stage.orders[2] ?? {}, { canceledBy })
    stage.endOrder(2, 'canceled')
    expect(stage.said.at(-1)).toBe(`part 3 of 4 was ${was}: it is skipped`)
    stage.quote('62000')
    expect(stage.ended).toMatchObject({ status: 'done', reason: '3 of 4 parts filled' })
  })

  test('a first part that a person takes back ends it', () => {
    const stage = stageOf({ at: '64000' }).begin()
    stage.endOrder(0, 'canceled')
    expect(stage.ended).toMatchObject({ status: 'cancelled', reason: 'its first part was canceled' })
  })

  test('places again, after a restart, what was taken back meanwhile, and only what of it had not filled', () => {
    const stage = stageOf().begin()
    stage.fill(1, '0.001')
    for (const { step } of stage.live) Object.assign(stage.order(step), { status: 'ended' })
    stage.restart(60_000)
    expect(resting(stage)).toEqual(['buy 0.003 at 64350', 'buy 0.004 at 63700', 'buy 0.004 at 63050'])
  })

  test('a refused part is tried again with pauses, then left out', () => {
    const guarded = stageOf({ parts: ['0.004', '0.004'] })
    guarded.begin()
    guarded.endOrder(1, 'rejected', 'too much')
    expect(guarded.said.at(-1)).toBe('part 2 of 2 was refused: too much; it is tried again')
    guarded.willAnswer({ as: 'refused', code: 'insufficient-funds', why: 'too much' }).pass(60_000)
    expect(guarded.placed).toHaveLength(6)
    expect(guarded.said.at(-1)).toBe('part 2 of 2 was refused: too much; it is skipped')
    expect(guarded.ended).toMatchObject({ status: 'done', reason: '1 of 2 parts filled' })
  })

  test('a part that a limit of the account refuses waits a minute each time: a limit of orders a minute has passed then', () => {
    const stage = stageOf({ at: '64000', parts: ['0.004', '0.004'] }).begin()
    stage.willAnswer({ as: 'refused', code: 'guarded', why: '10 orders a minute' }).fill(0, '0.004')
    expect(stage.placed).toHaveLength(2)
    stage.pass(59_000)
    expect(stage.placed).toHaveLength(2)
    stage.willAnswer({ as: 'book' }).pass(1_000)
    expect(stage.placed).toHaveLength(3)
    expect(stage.live).toHaveLength(1)
  })

  test('sends nothing while the outcome of an order is unknown', () => {
    const stage = stageOf({ at: '64000' }).begin().willAnswer({ as: 'hang' })
    stage.fill(0, '0.004').quote('65000').quote('65010').pass(60_000)
    expect(stage.placed).toHaveLength(2)
    stage.willAnswer({ as: 'book' }).settle(1, 'open')
    expect(stage.placed).toHaveLength(4)
  })

  test('a part that the market has passed goes no further than half a percent through it', () => {
    const stage = stageOf({ at: '65000' }).begin()
    stage.ticker = { ...stage.facts().ticker, bid: '60000', ask: '60000.1', last: '60000' } as never
    stage.fill(0, '0.004')
    const second = stage.placed[1]
    expect(second?.plan).toMatchObject({ type: 'limit', price: '60300.1' })
  })

  test('waits for nothing current to be known', () => {
    const stage = stageOf().stale().begin()
    expect(stage.placed).toEqual([])
    expect(stage.doing).toBe('0 of 4 parts, waits for a current price')
    stage.quote('65000')
    expect(stage.placed).toHaveLength(4)
  })

  test('counts what it holds by price alone on spot, where there is no position', () => {
    const stage = stageOf({}, { market: { ...BTC, kind: 'spot' } }).begin()
    stage.tell({ type: 'position' }).pass(60_000)
    expect(stage.ended).toBeUndefined()
  })
})
