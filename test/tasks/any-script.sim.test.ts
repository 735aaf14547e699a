// Whatever a market, a venue and a machine do to them, in any order: what a chase and a twap never do.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { isOnGrid } from '../../src/exchange/price-grid.ts'
import { type ChaseParams, chase } from '../../src/tasks/chase.ts'
import type { TaskOrder } from '../../src/tasks/task-kind.ts'
import { type TwapParams, twap } from '../../src/tasks/twap.ts'
import { fillSome, oneOf, PureStage } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

// biome-ignore lint/suspicious/noExplicitAny: any kind, whatever its state is.
type Stage = PureStage<any, any>
type Act = (stage: Stage) => void

const CODES = ['order-immediately-fillable', 'rate-limited', 'guarded', 'insufficient-funds', 'never-arrived']
const cents = fc.integer({ min: -300, max: 300 }).map((tenths) => new Decimal(65_000).plus(tenths / 10).toFixed())
const pick = fc.nat({ max: 1_000_000 })

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 400_000 }).map(
      (ms): Act =>
        (stage) =>
          stage.pass(ms),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 400 }).map(
      (ms): Act =>
        (stage) =>
          stage.pass(ms),
    ),
  },
  {
    weight: 6,
    arbitrary: cents.map(
      (bid): Act =>
        (stage) =>
          stage.quote(bid),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Act>((stage) => stage.stale()) },
  {
    weight: 4,
    arbitrary: fc.tuple(pick, pick).map(
      (picked): Act =>
        (stage) =>
          fillSome(stage, ...picked),
    ),
  },
  {
    weight: 3,
    arbitrary: pick.map(
      (number): Act =>
        (stage) =>
          settleOne(stage, number),
    ),
  },
  {
    weight: 1,
    arbitrary: pick.map(
      (number): Act =>
        (stage) =>
          endOne(stage, number),
    ),
  },
  {
    weight: 4,
    arbitrary: answers().map(
      (answer): Act =>
        (stage) =>
          stage.willAnswer(answer),
    ),
  },
  {
    weight: 2,
    arbitrary: changes().map(
      (change): Act =>
        (stage) =>
          stage.willChange(change),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat({ max: 5_000_000 }), fc.boolean()).map(
      ([ms, isOld]): Act =>
        (stage) =>
          crash(stage, ms, isOld),
    ),
  },
)

function answers(): fc.Arbitrary<Stage['answer']> {
  return fc.oneof(
    fc.constant<Stage['answer']>({ as: 'book' }),
    fc.constantFrom<Stage['answer']>({ as: 'hang' }, { as: 'unknown' }, { as: 'ended', status: 'expired' }),
    fc.constantFrom(...CODES).map((code): Stage['answer'] => ({ as: 'refused', code })),
  )
}

function changes(): fc.Arbitrary<Stage['changes']> {
  const refused = fc.constantFrom(...CODES, 'order-not-found').map((code) => ({ code, why: code }))
  return fc.oneof(fc.constantFrom('done' as const, 'hang' as const), refused)
}

function settleOne(stage: Stage, number: number): void {
  const step = oneOf(
    stage,
    number,
    ({ status, isChanging }) => status === 'sending' || status === 'unknown' || isChanging,
  )
  if (step === undefined) return
  const order = stage.order(step)
  if (order.isChanging) {
    order.isChanging = false
    stage.tell({ type: 'order', step })
  } else stage.settle(step, number % 2 === 0 && order.plan.type === 'limit' ? 'open' : 'never-arrived')
}

function endOne(stage: Stage, number: number): void {
  const step = oneOf(stage, number, ({ status, isChanging }) => status === 'open' && !isChanging)
  if (step !== undefined && number % 5 === 0) stage.endOrder(step, 'canceled')
}

function crash(stage: Stage, ms: number, isOld: boolean): void {
  if (stage.ended === undefined) stage.restart(ms, isOld ? stage.written : stage.state)
}

const isPending = ({ status, isChanging }: TaskOrder) => status === 'sending' || status === 'unknown' || isChanging

function expectSound(stage: Stage, amount: string): void {
  for (const { effect, before } of stage.sent) {
    expect(before.orders.some(isPending)).toBe(false)
    if (effect.type === 'cancel') continue
    expect(before.ticker).toBeDefined()
    if (effect.type === 'amend') {
      expect(isOnGrid(effect.change.price ?? '0.1', BTC)).toBe(true)
      continue
    }
    expect(before.orders.filter(({ status }) => status === 'open')).toEqual([])
    expect(new Decimal(effect.plan.amount).plus(before.filled).lte(amount)).toBe(true)
    expect(new Decimal(effect.plan.amount).mod(BTC.lotSize).isZero() && new Decimal(effect.plan.amount).gt(0)).toBe(
      true,
    )
    expect(isOnGrid(effect.plan.price ?? '0.1', BTC)).toBe(true)
  }
  expect(stage.filled.lte(amount)).toBe(true)
}

/** Everything becomes calm, known and possible; and then time passes. */
function expectEnd(stage: Stage): void {
  stage.answer = { as: 'book' }
  stage.changes = 'done'
  for (const order of stage.orders.filter(isPending)) settleOne(stage, stage.orders.filter(isPending).indexOf(order))
  while (stage.orders.some(isPending)) settleOne(stage, 1)
  stage.pass(2 * 86_400_000)
  expect(stage.ended).toBeDefined()
  const after = stage.sent.length
  stage.quote('65000').pass(86_400_000)
  expect(stage.sent).toHaveLength(after)
}

const acts = fc.array(act, { maxLength: 60 })
const lots = fc.integer({ min: 1, max: 400 }).map((count) => new Decimal(BTC.lotSize).times(count).toFixed())

describe('whatever happens', () => {
  const chases: fc.Arbitrary<ChaseParams> = fc.record({
    side: fc.constantFrom('buy', 'sell'),
    amount: lots,
    reduce: fc.constant(false),
    lastsMs: fc.integer({ min: 1000, max: 7_200_000 }),
    rest: fc.constantFrom('market', 'cancel'),
    limit: fc.constantFrom('64990', '65000', '65010'),
  })

  test('a chase places no more than it was asked to, one order at a time, 250 ms apart, and ends', () => {
    fc.assert(
      fc.property(chases, fc.boolean(), answers(), acts, (params, editOrder, first, script) => {
        const stage = new PureStage(chase, params, { capabilities: { editOrder } })
        stage.willAnswer(first).begin()
        for (const each of script) each(stage)
        expectSound(stage, params.amount)
        const moves = stage.sent.filter(({ effect }) => effect.type !== 'cancel')
        for (const [index, { at }] of moves.slice(1).entries())
          expect(at - (moves[index]?.at ?? 0)).toBeGreaterThanOrEqual(250)
        for (const { effect } of moves) {
          const price =
            effect.type === 'amend' ? effect.change.price : effect.type === 'place' ? effect.plan.price : undefined
          if (price === undefined) continue
          expect(
            params.side === 'buy'
              ? new Decimal(price).lte(params.limit ?? price)
              : new Decimal(price).gte(params.limit ?? price),
          ).toBe(true)
        }
        expectEnd(stage)
        expectSound(stage, params.amount)
      }),
      { numRuns: runsOf(400) },
    )
  })

  const twaps: fc.Arbitrary<TwapParams> = fc.record(
    {
      side: fc.constantFrom('buy', 'sell'),
      amount: lots,
      reduce: fc.constant(false),
      slices: fc.integer({ min: 2, max: 40 }),
      durationMs: fc.integer({ min: 40_000, max: 7_200_000 }),
      random: fc.constantFrom('1', '20', '50'),
      limit: fc.constantFrom('64990', '65000', '65010'),
      seed: fc.string(),
    },
    { requiredKeys: ['side', 'amount', 'reduce', 'slices', 'durationMs', 'seed'] },
  )

  test('a twap sends each slice once at most, none of them too large, no more than it was asked to, and ends', () => {
    fc.assert(
      fc.property(twaps, answers(), acts, (params, first, script) => {
        const stage = new PureStage(twap, params)
        stage.willAnswer(first).begin()
        for (const each of script) each(stage)
        expectEnd(stage)
        expectSound(stage, params.amount)
        const tags = stage.placed.map(({ tag }) => tag)
        expect(new Set(tags).size).toBe(tags.length)
        expect(tags.length).toBeLessThanOrEqual(params.slices)
        const most = Decimal.max(new Decimal(params.amount).div(params.slices).times(3), BTC.lotSize)
        for (const { plan } of stage.placed) expect(most.gte(plan.amount)).toBe(true)
      }),
      { numRuns: runsOf(400) },
    )
  })

  test('a twap that nothing disturbs fills exactly what it was asked to', () => {
    fc.assert(
      fc.property(twaps, fc.integer({ min: 4, max: 40 }), ({ limit: _, ...shape }, lotsEach) => {
        const params = {
          ...shape,
          amount: new Decimal(BTC.lotSize)
            .times(lotsEach * shape.slices)
            .plus(shape.amount)
            .toFixed(),
        }
        const stage = new PureStage(twap, params, { market: { ...BTC, minNotional: '0' } }).begin()
        stage.pass(8_000_000)
        expect(stage.ended).toMatchObject({ status: 'done' })
        expect(stage.filled.toFixed()).toBe(params.amount)
        expect(stage.said).toEqual([])
      }),
      { numRuns: runsOf(300) },
    )
  })
})
