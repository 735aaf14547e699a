// Whatever a market, a venue and a machine do to them, in any order: what a dca and a grid never do.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsOf } from '../../harness/tiers/runs.ts'
import { isOnGrid } from '../../src/exchange/price-grid.ts'
import { type DcaParams, dca } from '../../src/tasks/dca.ts'
import { type GridParams, grid, gridPrices } from '../../src/tasks/grid.ts'
import type { TaskOrder } from '../../src/tasks/task-kind.ts'
import { fillSome, oneOf, PureStage } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

// biome-ignore lint/suspicious/noExplicitAny: any kind, whatever its state is.
type Stage = PureStage<any, any>
type Act = (stage: Stage) => void

const CODES = ['rate-limited', 'guarded', 'insufficient-funds', 'never-arrived', 'unsettled-order']
const pick = fc.nat({ max: 1_000_000 })
const bids = fc.integer({ min: -3000, max: 3000 }).map((dollars) => new Decimal(65_000).plus(dollars).toFixed())

function of<Value>(values: fc.Arbitrary<Value>, weight: number, act: (stage: Stage, value: Value) => void) {
  const arbitrary = values.map(
    (value): Act =>
      (stage) => {
        act(stage, value)
        holdWhatFilled(stage)
      },
  )
  return { weight, arbitrary }
}

/** The account holds what the orders of the task have made, and nothing else. */
function holdWhatFilled(stage: Stage): void {
  const net = netOf(stage)
  stage.hold(net.isZero() ? undefined : { side: net.gt(0) ? 'long' : 'short', amount: net.abs().toFixed() })
}

function netOf({ orders }: Stage): Decimal {
  return orders.reduce(
    (sum, { plan, filled }) => (plan.side === 'buy' ? sum.plus(filled) : sum.minus(filled)),
    new Decimal(0),
  )
}

const answers = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Stage['answer']>({ as: 'book' }) },
  { weight: 1, arbitrary: fc.constantFrom<Stage['answer']>({ as: 'hang' }, { as: 'unknown' }) },
  { weight: 1, arbitrary: fc.constantFrom(...CODES).map((code): Stage['answer'] => ({ as: 'refused', code })) },
)

const act: fc.Arbitrary<Act> = fc.oneof(
  of(fc.integer({ min: 1, max: 40_000 }), 3, (stage, ms) => stage.pass(ms)),
  of(bids, 8, (stage, bid) => stage.quote(bid)),
  of(fc.constant(0), 1, (stage) => stage.stale()),
  of(fc.tuple(pick, pick), 5, (stage, [number, share]) => fillSome(stage, number, share)),
  of(pick, 4, (stage, number) => settleOne(stage, number)),
  of(pick, 1, (stage, number) => endOne(stage, number)),
  of(answers, 3, (stage, answer) => stage.willAnswer(answer)),
  of(fc.tuple(pick, fc.boolean()), 2, (stage, [ms, isOld]) => crash(stage, ms, isOld)),
)

function settleOne(stage: Stage, number: number): void {
  const step = oneOf(stage, number, ({ status }) => status === 'sending' || status === 'unknown')
  if (step === undefined) return
  stage.settle(step, number % 2 === 0 && stage.order(step).plan.type === 'limit' ? 'open' : 'never-arrived')
}

function endOne(stage: Stage, number: number): void {
  const step = oneOf(stage, number, ({ status }) => status === 'open')
  if (step !== undefined && number % 3 === 0) stage.endOrder(step, 'canceled')
}

function crash(stage: Stage, ms: number, isOld: boolean): void {
  if (stage.ended === undefined) stage.restart(ms, isOld ? stage.written : stage.state)
}

const rungOf = (tag: string) => tag.slice(0, tag.lastIndexOf('.'))
const isLive = ({ status }: TaskOrder) => status === 'open' || status === 'sending' || status === 'unknown'
const remaining = ({ plan, filled }: TaskOrder) => new Decimal(plan.amount).minus(filled)
const sum = (amounts: readonly Decimal.Value[]) => Decimal.sum(0, ...amounts)

/** Of every order that was sent: on the grids, above zero, with nothing of its rung beside it. */
function expectSound(stage: Stage): void {
  const tags = stage.placed.map(({ tag }) => tag)
  expect(new Set(tags).size).toBe(tags.length)
  for (const { effect, before } of stage.sent) {
    if (effect.type !== 'place') continue
    const { tag, plan } = effect
    const beside = before.orders.filter((order) => isLive(order) && rungOf(order.tag) === rungOf(tag))
    expect(beside).toEqual([])
    expect(new Decimal(plan.amount).gt(0) && new Decimal(plan.amount).mod(BTC.lotSize).isZero()).toBe(true)
    expect(isOnGrid(plan.price ?? '0.1', BTC)).toBe(true)
    const isDoubtful = before.orders.some(({ status }) => status === 'sending' || status === 'unknown')
    if (plan.reduceOnly !== true) expect(isDoubtful).toBe(false)
  }
}

const parts = fc.array(
  fc.integer({ min: 1, max: 20 }).map((lots) => new Decimal(BTC.lotSize).times(lots).toFixed()),
  { minLength: 2, maxLength: 8 },
)
const dcas: fc.Arbitrary<DcaParams> = fc.record(
  {
    side: fc.constantFrom('buy', 'sell'),
    parts,
    step: fc.record({ kind: fc.constant('percent'), value: fc.constantFrom('0.1', '0.5', '2', '5') }),
    at: fc.constantFrom('64900', '65000', '65100'),
    stop: fc.constant('60000'),
  },
  { requiredKeys: ['side', 'parts', 'step'] },
)
const grids: fc.Arbitrary<GridParams> = fc.record(
  {
    amount: fc.integer({ min: 1, max: 20 }).map((lots) => new Decimal(BTC.lotSize).times(lots).toFixed()),
    prices: fc
      .tuple(
        fc.integer({ min: 62_000, max: 64_900 }),
        fc.integer({ min: 65_100, max: 68_000 }),
        fc.integer({ min: 2, max: 8 }),
      )
      .map(([from, to, count]) => [...gridPrices(from, to, count, BTC)]),
    leaves: fc.constantFrom('close', 'keep'),
  },
  { requiredKeys: ['amount', 'prices'] },
)
const acts = fc.array(act, { maxLength: 60 })

describe('whatever happens', () => {
  test('a dca fills no more than its parts and its budget, and sends no two orders for one part', () => {
    fc.assert(
      fc.property(
        dcas,
        fc.option(fc.integer({ min: 100, max: 4000 })),
        answers,
        acts,
        (shape, money, first, script) => {
          const budget = money === null ? {} : { budget: `${money}` }
          const params = shape.side === 'sell' ? { ...shape, stop: '70000' } : shape
          const stage = new PureStage(dca, { ...params, ...budget }).willAnswer(first).begin()
          for (const each of script) {
            each(stage)
            const live = stage.orders.filter(isLive)
            expect(sum([stage.filled, ...live.map(remaining)]).lte(sum(params.parts))).toBe(true)
            const bound = sum(live.map((order) => remaining(order).times(order.plan.price ?? 65_000)))
            if (money !== null && params.at !== undefined && params.side === 'buy')
              expect(stage.cost.plus(bound).lte(money)).toBe(true)
          }
          expectSound(stage)
        },
      ),
      { numRuns: runsOf(400) },
    )
  })

  test('a grid holds no more than an amount for each step, what its steps hold is its position, and it never sells more', () => {
    fc.assert(
      fc.property(grids, answers, acts, (params, first, script) => {
        const stage = new PureStage(grid, params).willAnswer(first).begin()
        const most = new Decimal(params.amount).times(params.prices.length - 1)
        for (const each of script) {
          each(stage)
          const live = stage.orders.filter(isLive)
          const amounts = (side: string) => sum(live.filter(({ plan }) => plan.side === side).map(remaining))
          const net = netOf(stage)
          expect(net.gte(0)).toBe(true)
          expect(net.plus(amounts('buy')).lte(most)).toBe(true)
          expect(amounts('sell').lte(net)).toBe(true)
          if (stage.ended !== undefined) continue
          const held = sum(stage.state.cells.map(({ held: own }: { held: string }) => own))
          // Fills that it has not been told of are not counted yet.
          if (stage.ticker !== undefined) expect(held.toFixed()).toBe(net.toFixed())
        }
        expectSound(stage)
      }),
      { numRuns: runsOf(400) },
    )
  })

  const quotes = fc.array(bids, { minLength: 1, maxLength: 25 })
  const crashes = fc.array(fc.record({ at: fc.nat({ max: 25 }), isOld: fc.boolean() }), { maxLength: 5 })

  function play(stage: Stage, prices: readonly string[], at: readonly { at: number; isOld: boolean }[]): Stage {
    stage.begin()
    for (const [index, bid] of prices.entries()) {
      for (const { isOld } of at.filter((each) => each.at === index)) crash(stage, 1000, isOld)
      stage.quote(bid)
    }
    return stage
  }

  test.each([
    ['dca', dcas, (params: never) => new PureStage(dca, params)],
    ['grid', grids, (params: never) => new PureStage(grid, params)],
  ])('a %s that was killed at any step ends as one that was not', (_name, shapes, create) => {
    fc.assert(
      fc.property(shapes as fc.Arbitrary<never>, quotes, crashes, (params, prices, at) => {
        const whole = play(create(params) as Stage, prices, [])
        const killed = play(create(params) as Stage, prices, at)
        const shown = ({ orders }: Stage) =>
          orders.map(({ tag, plan, filled, status }) => ({ tag, plan, filled, status }))
        expect(shown(killed)).toEqual(shown(whole))
        expect(killed.ended).toEqual(whole.ended)
      }),
      { numRuns: runsOf(200) },
    )
  })
})
