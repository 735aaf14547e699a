// Refusals, doubt, positions and restarts.
import { describe, expect, test } from 'vitest'
import { type ChaseParams, chase } from '../../src/tasks/chase.ts'
import { PureStage, type StageOptions } from './pure-stage.ts'

const BUY: ChaseParams = { side: 'buy', amount: '0.1', reduce: false, lastsMs: 3_600_000, rest: 'cancel' }

function stageOf(params: Partial<ChaseParams> = {}, options: StageOptions = {}) {
  return new PureStage(chase, { ...BUY, ...params }, options)
}

const priceOf = (stage: { readonly live: readonly { readonly order?: { readonly price?: string } }[] }) =>
  stage.live.map(({ order }) => order?.price)

describe('refusals', () => {
  test('five post-only refusals in a row end it, and say why', () => {
    const stage = stageOf()
    stage.answer = { as: 'refused', code: 'order-immediately-fillable', why: 'it would trade at once' }
    stage.begin().pass(10_000)
    expect(stage.placed).toHaveLength(5)
    expect(stage.sent.slice(1).every(({ at }, index) => at - (stage.sent[index]?.at ?? 0) >= 250)).toBe(true)
    expect(stage.ended).toMatchObject({
      status: 'failed',
      reason: 'the venue refused its post-only order 5 times in a row: it would trade at once',
    })
  })

  test.each([{ status: 'rejected' }, { status: 'expired' }] as const)(
    'an order that is taken and $status at once counts',
    ({ status }) => {
      const stage = stageOf()
      stage.answer = { as: 'ended', status }
      stage.begin().pass(10_000)
      expect(stage.placed).toHaveLength(5)
      expect(stage.ended?.status).toBe('failed')
    },
  )

  test('an order that the venue ends a moment later, with a reason, counts as well', () => {
    const stage = stageOf().begin().pass(300).endOrder(0, 'canceled', 'it would take liquidity')
    expect(stage.ended).toBeUndefined()
    expect(stage.state.refusals).toBe(1)
    expect(stage.placed).toHaveLength(2)
  })

  test('an order that the venue ends as it is moved counts as well', () => {
    const stage = stageOf().begin().pass(5000)
    stage.willChange('hang').quote('65010')
    stage.order(0).isChanging = false
    stage.endOrder(0, 'canceled').pass(300)
    expect(stage.state.refusals).toBe(1)
    expect(stage.placed[1]?.plan).toMatchObject({ price: '65010' })
  })

  test('an order that rests in between begins the count anew', () => {
    const stage = stageOf()
    stage.answer = { as: 'refused', code: 'order-immediately-fillable' }
    stage.begin().pass(800)
    expect(stage.placed).toHaveLength(4)
    stage.answer = { as: 'book' }
    stage.pass(5000).quote('65000.2')
    stage.answer = { as: 'refused', code: 'order-immediately-fillable' }
    stage.pass(300).quote('65001')
    expect(stage.state.refusals).toBe(0)
    expect(stage.ended).toBeUndefined()
  })

  test('a refusal to move it counts too', () => {
    const stage = stageOf().begin()
    stage.changes = { code: 'order-immediately-fillable', why: 'it would trade at once' }
    stage.pass(1000).quote('65010').pass(10_000)
    expect(stage.sent.filter(({ effect }) => effect.type === 'amend')).toHaveLength(5)
    expect(stage.ended?.status).toBe('failed')
  })

  test('a move that a limit refuses is tried again, and its order rests meanwhile', () => {
    const stage = stageOf().begin().willChange({ code: 'guarded', why: 'too many orders a minute' })
    stage.pass(1000).quote('65010').pass(6000)
    expect(stage.said[0]).toBe('too many orders a minute; tries again in 1 s')
    stage.willChange('done').pass(30_000)
    expect(priceOf(stage)).toEqual(['65010'])
    expect(stage.placed).toHaveLength(1)
  })

  test('what may pass is tried again after growing pauses', () => {
    const stage = stageOf()
    stage.answer = { as: 'refused', code: 'rate-limited' }
    stage.begin().pass(7000)
    expect(stage.said.slice(0, 2)).toEqual(['rate-limited; tries again in 1 s', 'rate-limited; tries again in 2 s'])
    expect(stage.sent.map(({ at }) => at - (stage.sent[0]?.at ?? 0))).toEqual([0, 1000, 3000, 7000])
    stage.answer = { as: 'book' }
    stage.pass(8000)
    expect(priceOf(stage)).toEqual(['65000'])
  })

  test.each(['guarded', 'insufficient-funds', 'halted', 'authentication'])('%s ends it', (code) => {
    const stage = stageOf()
    stage.answer = { as: 'refused', code, why: 'no' }
    stage.begin()
    expect(stage.ended).toEqual({ type: 'end', status: 'failed', reason: 'no' })
  })
})

describe('doubt', () => {
  test('an order of unknown outcome stops it until it is settled', () => {
    const stage = stageOf()
    stage.answer = { as: 'unknown' }
    stage.begin().pass(1000).quote('65010').pass(60_000)
    expect(stage.placed).toHaveLength(1)
    expect(stage.doing).toBe('asks the venue what became of its order')
    stage.answer = { as: 'book' }
    stage.settle(0, 'never-arrived').pass(1000)
    expect(priceOf(stage)).toEqual(['65010'])
  })

  test('nothing is placed or moved while nothing current is known', () => {
    const stage = stageOf().stale().begin().pass(60_000)
    expect(stage.sent).toEqual([])
    expect(stage.doing).toBe('waits for a current price')
    stage.quote('65000')
    expect(stage.placed).toHaveLength(1)
    stage.pass(1000).stale().pass(60_000)
    expect(stage.sent).toHaveLength(1)
  })

  test('a book without its own side gives no price', () => {
    expect(stageOf({}, { bid: '0' }).begin().sent).toEqual([])
  })

  test('an order that somebody else took back ends it', () => {
    const stage = stageOf().begin().pass(5000).endOrder(0, 'canceled')
    expect(stage.ended).toEqual({
      type: 'end',
      status: 'cancelled',
      reason: 'its order ended outside the chase: canceled',
      by: 'a cancel of its order',
    })
  })
})

describe('a chase that reduces', () => {
  const LONG = { position: { side: 'long', amount: '0.1' } } as const
  const REDUCE = { side: 'sell', reduce: true } as const

  test('reduces, and its orders are reduce-only', () => {
    expect(chase.effect({ ...BUY, ...REDUCE })).toBe('reduces')
    expect(stageOf(REDUCE, LONG).begin().placed[0]?.plan).toMatchObject({ reduceOnly: true, postOnly: true })
  })

  test('shrinks with the position', () => {
    const stage = stageOf(REDUCE, LONG).begin().pass(1000)
    stage.hold({ side: 'long', amount: '0.03' }).tell({ type: 'position' }).pass(1000)
    expect(stage.sent.at(-1)?.effect).toMatchObject({ type: 'amend', change: { price: '65000.1', amount: '0.03' } })
  })

  test('takes a position that was read before its own fill was told for what it is', () => {
    const stage = stageOf(REDUCE, LONG).begin().pass(1000)
    stage.hold({ side: 'long', amount: '0.06' }).tell({ type: 'position' })
    stage.pass(500).fill(0, '0.04').pass(5000)
    expect(stage.sent).toHaveLength(1)
  })

  test.each([[undefined], [{ side: 'short', amount: '1' } as const]])('ends when the position is gone', (position) => {
    const stage = stageOf(REDUCE, LONG).begin().pass(1000)
    stage.hold(position).tell({ type: 'position' })
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
  })

  test('ends with the position too where the venue takes its order back first', () => {
    const stage = stageOf(REDUCE, LONG).begin().pass(1000)
    stage.isPositionKnown = false
    stage.endOrder(0, 'canceled', 'no position left to reduce')
    expect(stage.ended).toBeUndefined()
    stage.isPositionKnown = true
    stage.hold(undefined).tell({ type: 'position' })
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'the position is closed' })
  })

  test('waits while nobody knows the position', () => {
    const stage = stageOf(REDUCE, LONG)
    stage.isPositionKnown = false
    stage.begin().pass(1000)
    expect(stage.sent).toEqual([])
    stage.isPositionKnown = true
    stage.tell({ type: 'position' })
    expect(stage.placed).toHaveLength(1)
  })
})

describe('after a restart', () => {
  test('it goes on with what rests, and with what is left', () => {
    const stage = stageOf().begin().fill(0, '0.04').restart(10_000)
    expect(stage.placed).toHaveLength(1)
    stage.pass(300).quote('65020')
    expect(priceOf(stage)).toEqual(['65020'])
    expect(stage.filled.toFixed()).toBe('0.04')
  })

  test('it places what is left when what rested was taken back meanwhile', () => {
    const stage = stageOf().begin().fill(0, '0.04')
    Object.assign(stage.order(0), { status: 'ended', order: { ...stage.order(0).order, status: 'canceled' } })
    stage.restart(10_000).pass(300)
    expect(stage.placed[1]?.plan.amount).toBe('0.06')
  })

  test('one that adds begins its time anew where that was over', () => {
    const stage = stageOf().begin().restart(7_200_000)
    expect(stage.said).toEqual(['continues: its time was up and starts again'])
    expect(stage.pass(3_599_000).ended).toBeUndefined()
    expect(stage.pass(1000).ended?.status).toBe('done')
  })

  test('one that reduces does at once what was to be done at its end', () => {
    const stage = stageOf({ side: 'sell', reduce: true, rest: 'market' }, { position: { side: 'long', amount: '0.1' } })
    stage.begin().restart(7_200_000).pass(300)
    expect(stage.placed.at(-1)).toMatchObject({
      tag: 'market',
      plan: { type: 'market', amount: '0.1', reduceOnly: true },
    })
  })

  test('one that was to end ends', () => {
    const stage = stageOf().begin().fill(0, '0.1')
    stage.ended = undefined
    expect(stage.restart().ended).toMatchObject({ status: 'done', reason: 'all filled' })
    expect(stage.placed).toHaveLength(1)
  })
})
