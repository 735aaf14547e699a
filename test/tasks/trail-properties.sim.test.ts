// What holds of a trail whatever happens in whatever order: prices, fills by others, silence, lost answers, crashes.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { defined } from '../../src/base/defined.ts'
import { type TrailParams, trail } from '../../src/tasks/trail.ts'
import { type CrashPoint, PureStage } from './exit-stage.ts'

type Happening =
  | { readonly type: 'price'; readonly to: number }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'hold'; readonly lots: number }
  | { readonly type: 'stale' }
  | { readonly type: 'answer' }
  | { readonly type: 'lose' }
  | { readonly type: 'settle' }
  | { readonly type: 'busy'; readonly isBusy: boolean }
  | { readonly type: 'crash'; readonly at: CrashPoint }
  | { readonly type: 'restart' }

const price = fc.record({ type: fc.constant('price' as const), to: fc.integer({ min: 900, max: 1200 }) })
const wait = fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 8_000 }) })
const hold = fc.record({ type: fc.constant('hold' as const), lots: fc.integer({ min: 1, max: 30 }) })
const others: fc.Arbitrary<Happening> = fc.oneof(
  fc.constant({ type: 'stale' } as const),
  fc.constant({ type: 'answer' } as const),
  fc.constant({ type: 'lose' } as const),
  fc.constant({ type: 'settle' } as const),
  fc.record({ type: fc.constant('busy' as const), isBusy: fc.boolean() }),
  fc.record({
    type: fc.constant('crash' as const),
    at: fc.constantFrom<CrashPoint>('before-writing', 'before-sending', 'before-hearing'),
  }),
  fc.constant({ type: 'restart' } as const),
)
const happenings = fc.array(fc.oneof({ weight: 4, arbitrary: price }, wait, hold, others), { maxLength: 40 })

const setups = fc.record({
  side: fc.constantFrom<'long' | 'short'>('long', 'short'),
  distance: fc.constantFrom<TrailParams['distance']>({ kind: 'percent', value: '1' }, { kind: 'amount', value: '3' }),
  amount: fc.constantFrom<string | undefined>(undefined, '0.5'),
  editOrder: fc.boolean(),
  isSlow: fc.boolean(),
})
type Setup = typeof setups extends fc.Arbitrary<infer T> ? T : never
type Stage = PureStage<TrailParams, ReturnType<typeof trail.initial>>

function stageOf({ side, distance, amount, editOrder, isSlow }: Setup): Stage {
  const params = { side, distance, mark: '100', ...defined({ amount }) }
  return new PureStage(trail, params, { side, isSlow, can: { editOrder } })
}

function happen(stage: Stage, happening: Happening): void {
  switch (happening.type) {
    case 'price':
      return void stage.price(new Decimal(happening.to).div(10).toFixed())
    case 'wait':
      return void stage.advance(happening.ms)
    case 'hold':
      // Somebody else only changes how much there is.
      if (stage.held === undefined) return
      return void stage.hold({ side: stage.held.side, amount: new Decimal(happening.lots).div(10).toFixed() })
    case 'stale':
      return void stage.stale()
    case 'answer':
    case 'lose':
      if (stage.waiting.length > 0) stage.answer(happening.type === 'lose')
      return
    case 'settle':
      return void stage.settle()
    case 'busy':
      stage.refuse = happening.isBusy ? () => ({ code: 'unavailable', why: 'busy' }) : undefined
      return
    case 'crash':
      stage.crashAt = happening.at
      return
    case 'restart':
      return void stage.restart()
  }
}

const stopsAt = (stage: Stage) =>
  [...stage.venue.orders.values()].filter(({ status, type }) => status === 'open' && type === 'stop')

/** The nearest of the stops that rest. */
function nearest(stage: Stage): Decimal | undefined {
  const prices = stopsAt(stage).map(({ triggerPrice = '0' }) => new Decimal(triggerPrice))
  if (prices.length === 0) return undefined
  return stage.params.side === 'long' ? Decimal.max(...prices) : Decimal.min(...prices)
}

function hasFired(stage: Stage): boolean {
  return [...stage.venue.orders.values()].some(({ filled }) => filled !== '0')
}

/** Everything arrives, is answered, and is asked for, and time enough passes. */
function calm(stage: Stage): void {
  stage.refuse = undefined
  stage.crashAt = undefined
  stage.isSlow = false
  while (stage.waiting.length > 0) stage.answer()
  stage.settle()
  stage.advance(120_000)
}

function play(setup: Setup, list: readonly Happening[], after: (stage: Stage, happening: Happening) => void): Stage {
  const stage = stageOf(setup).begin()
  for (const happening of list) {
    happen(stage, happening)
    after(stage, happening)
  }
  return stage
}

const runs = { numRuns: runsOf(1_500) }

describe('a trail, whatever happens', () => {
  it('never moves its stop away from the price', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        let best: Decimal | undefined
        play(setup, list, (stage) => {
          const now = nearest(stage)
          if (now === undefined || hasFired(stage)) return
          const isBack = best !== undefined && (setup.side === 'long' ? now.lt(best) : now.gt(best))
          expect(isBack).toBe(false)
          best = now
        })
      }),
      runs,
    )
  })

  it('has two stops only while one replaces the other, and none that could open a position', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        const stage = play(setup, list, (each) => {
          expect(stopsAt(each).length).toBeLessThanOrEqual(setup.editOrder ? 1 : 2)
          expect([...each.venue.orders.values()].every(({ reduceOnly }) => reduceOnly)).toBe(true)
        })
        calm(stage)
        expect(stopsAt(stage).length).toBeLessThanOrEqual(1)
      }),
      runs,
    )
  })

  it('is never without a stop once it has one, while its position is there and nothing closes it', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        let had = false
        play(setup, list, (stage) => {
          const isOver = stage.ended !== undefined || stage.held === undefined
          had ||= stopsAt(stage).length > 0
          if (had && !isOver && !hasFired(stage)) expect(stopsAt(stage)).not.toEqual([])
        })
      }),
      runs,
    )
  })

  it('covers what is held in the end, as far as it was asked to, or is over', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        const stage = play(setup, list, () => {})
        calm(stage)
        const covered = Decimal.sum(0, ...stopsAt(stage).map(({ amount }) => amount))
        const asked = Decimal.min(stage.held?.amount ?? 0, setup.amount ?? 100)
        expect(covered.toFixed()).toBe(stage.ended === undefined ? asked.toFixed() : '0')
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

  it('asks no more often than four times a second', () => {
    fc.assert(
      fc.property(setups, happenings, (setup, list) => {
        const isQuiet = list.every(({ type }) => type === 'price' || type === 'wait')
        fc.pre(isQuiet)
        const at: number[] = []
        const stage = stageOf({ ...setup, isSlow: false })
        stage.check = () => {
          if (stage.waiting.some(({ kind }) => kind === 'amend')) at.push(stage.now)
        }
        stage.begin()
        for (const happening of list) happen(stage, happening)
        for (const [index, ms] of at.slice(1).entries()) expect(ms - (at[index] ?? 0)).toBeGreaterThanOrEqual(250)
      }),
      { numRuns: runsOf(200) },
    )
  })
})
