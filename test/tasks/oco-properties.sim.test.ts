// What holds of an oco whatever happens in whatever order.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { type OcoParams, oco } from '../../src/tasks/oco.ts'
import { CRASH_POINTS, type CrashPoint, PureStage } from './exit-stage.ts'

type Happening =
  | { readonly type: 'price'; readonly to: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'part'; readonly step: number; readonly lots: number }
  | { readonly type: 'hold'; readonly lots: number }
  | { readonly type: 'stale' | 'answer' | 'lose' | 'settle' | 'busy' | 'free' | 'restart' }
  | { readonly type: 'crash'; readonly at: CrashPoint }

const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof<fc.Arbitrary<Happening>[]>(
    fc.record({ type: fc.constant('price'), to: fc.constantFrom('98', '99', '100', '101', '102', '103') }),
    fc.record({ type: fc.constant('wait'), ms: fc.integer({ min: 1, max: 4_000 }) }),
    fc.record({
      type: fc.constant('part'),
      step: fc.integer({ min: 0, max: 6 }),
      lots: fc.integer({ min: 1, max: 4 }),
    }),
    fc.record({ type: fc.constant('hold'), lots: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ type: fc.constantFrom('stale', 'answer', 'lose', 'settle', 'busy', 'free', 'restart') }),
    fc.record({ type: fc.constant('crash'), at: fc.constantFrom(...CRASH_POINTS) }),
  ),
  { maxLength: 30 },
)

const setups = fc.record({
  amount: fc.constantFrom('1', '0.5'),
  editOrder: fc.boolean(),
  isSlow: fc.boolean(),
})
type Setup = typeof setups extends fc.Arbitrary<infer T> ? T : never
type Stage = PureStage<OcoParams, ReturnType<typeof oco.initial>>

function happen(stage: Stage, happening: Happening): void {
  switch (happening.type) {
    case 'price':
      return void stage.price(happening.to)
    case 'wait':
      return void stage.advance(happening.ms)
    case 'part': {
      // Of what rests as a limit.
      const order = stage.venue.orders.get(happening.step)
      const amount = new Decimal(happening.lots).div(10)
      if (order?.type !== 'limit' || order.status !== 'open' || amount.gte(order.remaining)) return
      return void stage.fillPart(happening.step, amount.toFixed())
    }
    case 'hold':
      if (stage.held === undefined) return
      return void stage.hold({ side: 'long', amount: new Decimal(happening.lots).div(10).toFixed() })
    case 'stale':
      return void stage.stale()
    case 'answer':
    case 'lose':
      if (stage.waiting.length > 0) stage.answer(happening.type === 'lose')
      return
    case 'settle':
      return void stage.settle()
    case 'busy':
      stage.refuse = () => ({ code: 'unavailable', why: 'busy' })
      return
    case 'free':
      stage.refuse = undefined
      return
    case 'crash':
      stage.crashAt = happening.at
      return
    case 'restart':
      return void stage.restart()
  }
}

function play({ amount, editOrder, isSlow }: Setup, list: readonly Happening[], after: (stage: Stage) => void): Stage {
  const params = { side: 'long', amount, take: '102', stop: '99' } as const
  const stage = new PureStage(oco, params, { isSlow, can: { editOrder } }).begin()
  for (const happening of list) {
    happen(stage, happening)
    after(stage)
  }
  return stage
}

const open = (stage: Stage, type: string) =>
  [...stage.venue.orders.values()].filter((order) => order.status === 'open' && order.type === type)

const covered = (stage: Stage, type: string) =>
  Decimal.sum(0, ...open(stage, type).map((order) => order.remaining)).toFixed()

function calm(stage: Stage): void {
  stage.refuse = undefined
  stage.crashAt = undefined
  stage.isSlow = false
  while (stage.waiting.length > 0) stage.answer()
  stage.settle()
  stage.advance(120_000)
}

const runs = { numRuns: runsOf(1_500) }

describe('an oco, whatever happens', () => {
  it('has one of each, two stops only while one replaces the other, and nothing that could open a position', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        play(setup, list, (stage) => {
          expect(open(stage, 'limit').length).toBeLessThanOrEqual(1)
          expect(open(stage, 'stop').length).toBeLessThanOrEqual(setup.editOrder ? 1 : 2)
          expect([...stage.venue.orders.values()].every(({ reduceOnly }) => reduceOnly)).toBe(true)
        })
      }),
      runs,
    )
  })

  it('covers in the end, with each, what is left of what it was asked to, or is over and leaves nothing', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        const stage = play(setup, list, () => {})
        calm(stage)
        const left = new Decimal(setup.amount).minus(stage.facts.filled)
        const asked = stage.ended === undefined ? Decimal.min(stage.held?.amount ?? 0, left).toFixed() : '0'
        expect([covered(stage, 'stop'), covered(stage, 'limit')]).toEqual([asked, asked])
      }),
      runs,
    )
  })

  it('closes no more than it was asked to while the market leaves it time to ask', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        fc.pre(list.every(({ type }) => !['busy', 'crash', 'lose'].includes(type)))
        play({ ...setup, isSlow: false }, list, (stage) => {
          stage.advance(2_000)
          expect(new Decimal(stage.facts.filled).lte(setup.amount)).toBe(true)
        })
      }),
      { ...runs, maxSkipsPerRun: 1_000 },
    )
  })

  it('is never without a stop once it has one, while its position is there and nothing closes it', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        let had = false
        play(setup, list, (stage) => {
          const isOver = stage.ended !== undefined || stage.held === undefined
          const fired = [...stage.venue.orders.values()].some(({ type, filled }) => type !== 'limit' && filled !== '0')
          had ||= open(stage, 'stop').length > 0
          if (had && !isOver && !fired) expect(open(stage, 'stop')).not.toEqual([])
        })
      }),
      runs,
    )
  })

  it('ends when its position does', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        const stage = play(setup, list, () => {})
        calm(stage)
        stage.hold(undefined)
        calm(stage)
        expect(stage.ended?.status).toBe('done')
        expect(stage.resting()).toEqual([])
      }),
      runs,
    )
  })
})
