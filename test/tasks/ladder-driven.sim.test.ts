// A dca and a grid through the real driver, on the paper market with a clock of its own.
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stageTasks, type TaskStage } from '../../harness/tasks/task-stage.ts'
import { type DcaParams, dca } from '../../src/tasks/dca.ts'
import { type GridParams, grid } from '../../src/tasks/grid.ts'

const DCA: DcaParams = {
  side: 'buy',
  parts: ['0.01', '0.01', '0.01', '0.01'],
  step: { kind: 'percent', value: '1' },
}
const GRID: GridParams = { amount: '0.01', prices: ['64000', '64500', '65000', '65500', '66000'] }

const working = async (stage: TaskStage) =>
  (await stage.openOrders())
    .map(({ type, side, amount, price, triggerPrice }) => `${type} ${side} ${amount} at ${triggerPrice ?? price}`)
    .toSorted()
const held = async (stage: TaskStage) => (await stage.positions()).map(({ side, amount }) => `${side} ${amount}`)

describe('a dca through the driver', () => {
  test('buys now, rests its parts, and is done when they have filled', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin(DCA)
    await stage.advance(2000)
    expect(await working(stage)).toHaveLength(3)
    expect(stage.task(id)).toMatchObject({ status: 'running', filled: '0.01', amount: '0.04', progress: 0.25 })
    await stage.setPrice('63000')
    await stage.advance(1000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.04' })
    expect(await held(stage)).toEqual(['long 0.04'])
  })

  test('each part that fills has its stop, and keeps it when the task is canceled', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin({ ...DCA, stop: '60000' })
    await stage.setPrice('64000')
    await stage.advance(2000)
    expect((await working(stage)).filter((order) => order.startsWith('stop'))).toEqual([
      'stop sell 0.01 at 60000',
      'stop sell 0.01 at 60000',
    ])
    await stage.ask(id, 'cancel')
    expect(await working(stage)).toEqual(['stop sell 0.01 at 60000', 'stop sell 0.01 at 60000'])
  })

  test('ends at its stop: nothing is bought behind it', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin({ ...DCA, stop: '60000' })
    await stage.advance(1000)
    await stage.setPrice('59000')
    await stage.advance(3000)
    expect(stage.task(id).status).toBe('done')
    const bought = (await stage.trades()).filter(({ side }) => side === 'buy')
    expect(stage.task(id).filled).toBe(Decimal.sum(0, ...bought.map(({ amount }) => amount)).toFixed())
    expect(await working(stage)).toEqual([])
    expect(await held(stage)).toEqual([])
  })

  test('a pause cancels what rests and keeps the stops; what is resumed places the rest again', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin({ ...DCA, stop: '60000' })
    await stage.advance(1000)
    const before = await working(stage)
    await stage.ask(id, 'pause')
    expect(await working(stage)).toEqual(['stop sell 0.01 at 60000'])
    await stage.advance(5000)
    await stage.ask(id, 'resume')
    await stage.advance(2000)
    expect(await working(stage)).toEqual(before)
  })

  test('is interrupted by a crash with what rests, and does the rest once a person resumes it', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin({ ...DCA, stop: '60000' })
    await stage.setPrice('64000')
    await stage.advance(1000)
    const before = await working(stage)
    await stage.killAndRestart()
    await stage.advance(5000)
    expect(stage.task(id)).toMatchObject({ status: 'interrupted', filled: '0.02' })
    expect(await working(stage)).toEqual(before)
    const sent = stage.sent.length
    await stage.ask(id, 'resume')
    await stage.advance(5000)
    expect(await working(stage)).toEqual(before)
    expect(stage.sent).toHaveLength(sent)
    await stage.setPrice('62000')
    await stage.advance(2000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.04' })
    expect(await held(stage)).toEqual(['long 0.04'])
  })

  test('a part that a person takes back is left out', async () => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin(DCA)
    await stage.advance(1000)
    const [lowest] = (await stage.openOrders()).toSorted((a, b) => Number(a.price) - Number(b.price))
    if (lowest === undefined) throw new Error('nothing rests')
    await stage.market.exchange.cancelOrder({ symbol: 'BTCUSDT', id: lowest.id })
    await stage.advance(1000)
    expect(await stage.history(id)).toContainEqual(expect.stringMatching(/^part 4 of 4 was canceled/))
    await stage.setPrice('62000')
    await stage.advance(1000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.03' })
  })
})

describe('a grid through the driver', () => {
  test('buys, sells a step above, and buys again', async () => {
    const stage = stageTasks(grid)
    const { id } = await stage.begin(GRID)
    await stage.advance(2000)
    expect(await held(stage)).toEqual(['long 0.01'])
    await stage.setPrice('64400')
    await stage.advance(1000)
    await stage.setPrice('65100')
    await stage.advance(1000)
    expect(stage.task(id)).toMatchObject({ status: 'running' })
    expect(stage.task(id).doing).toMatch(/holds 0.0[12] BTC, \d rounds? made/)
  })

  test('after a crash and a resume each step has its one order, and what it holds is its position', async () => {
    const stage = stageTasks(grid)
    const { id } = await stage.begin(GRID)
    await stage.setPrice('64400')
    await stage.advance(1000)
    const before = await working(stage)
    await stage.killAndRestart()
    expect(stage.task(id).status).toBe('interrupted')
    await stage.ask(id, 'resume')
    await stage.advance(5000)
    expect(await working(stage)).toEqual(before)
    expect(before).toHaveLength(4)
  })

  test('sells what it holds a step outside of its range, and ends', async () => {
    const stage = stageTasks(grid)
    const { id } = await stage.begin({ ...GRID, leaves: 'close' })
    await stage.advance(2000)
    await stage.setPrice('63400')
    await stage.advance(5000)
    expect(stage.task(id)).toMatchObject({ status: 'done' })
    expect(await held(stage)).toEqual([])
    expect(await working(stage)).toEqual([])
  })
})

const FAULTS = ['lost-answer', 'lost-order', 'refused'] as const

describe.each(FAULTS)('with %s', (fault) => {
  test.each([0, 1, 2, 3])('of order %i, then a crash: no part twice, and never more than the whole', async (which) => {
    const stage = stageTasks(dca)
    const { id } = await stage.begin(which === 0 ? { ...DCA, at: '65000' } : DCA)
    stage.fault(fault)
    await stage.setPrice('64000')
    await stage.killAndRestart()
    await stage.ask(id, 'resume').catch(() => {})
    for (const price of ['63500', '62900', '62000']) {
      await stage.setPrice(price)
      await stage.advance(40_000)
    }
    const filled = (await stage.trades()).reduce((sum, { amount }) => sum.plus(amount), new Decimal(0))
    expect(filled.toFixed()).toBe(stage.task(id).filled)
    expect(filled.lte('0.04')).toBe(true)
    expect(await held(stage)).toEqual([`long ${filled.toFixed()}`])
  })
})

const happenings = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('price' as const), to: fc.integer({ min: 620, max: 670 }) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 30_000) }),
    fc.record({
      type: fc.constant('fault' as const),
      fault: fc.constantFrom('lost-answer' as const, 'lost-order' as const, 'refused' as const),
    }),
    fc.record({ type: fc.constantFrom('kill' as const, 'kill-after' as const, 'stale' as const, 'live' as const) }),
  ),
  { minLength: 1, maxLength: 12 },
)
type Happening = typeof happenings extends fc.Arbitrary<readonly (infer T)[]> ? T : never

async function happen(stage: TaskStage, id: string, happening: Happening): Promise<void> {
  switch (happening.type) {
    case 'price':
      return stage.setPrice(`${happening.to}00`)
    case 'wait':
      return stage.advance(happening.ms)
    case 'fault':
      return stage.fault(happening.fault)
    case 'stale':
      return stage.setStream('stale')
    case 'live':
      return stage.setStream('resynced')
    case 'kill-after':
      // In the middle of what the price has set off.
      stage.market.setPrice('BTCUSDT', '63000')
      await stage.market.advance(1_000)
  }
  await stage.killAndRestart()
  if (stage.task(id).status === 'interrupted') await stage.ask(id, 'resume')
}

test.each([
  ['dca', dca, { ...DCA, stop: '60000' }],
  ['grid', grid, GRID],
] as const)(
  'a %s, killed and lost at random, sends nothing twice and holds no more than its whole',
  async (kind, of, params) => {
    await fc.assert(
      fc.asyncProperty(happenings, async (list) => {
        const stage = stageTasks(of)
        const { id } = await stage.begin(params)
        for (const happening of list) {
          await happen(stage, id, happening)
          const [position] = await stage.positions()
          expect(position?.side).not.toBe('short')
          const resting = (await stage.openOrders()).filter(({ side, type }) => side === 'buy' && type === 'limit')
          const bought = resting.reduce((sum, { remaining }) => sum.plus(remaining), new Decimal(position?.amount ?? 0))
          expect(bought.toNumber()).toBeLessThanOrEqual(0.04)
          const prices = resting.map(({ price }) => price)
          expect(new Set(prices).size).toBe(prices.length)
        }
        const ids = stage.sent.map(({ clientOrderId }) => clientOrderId)
        expect(new Set(ids).size).toBe(ids.length)
        await stage.setStream('resynced')
        await stage.advance(100_000)
        if (kind === 'dca') {
          const [position] = await stage.positions()
          expect(position?.amount).toBe(stage.task(id).filled)
        }
      }),
      { numRuns: 10 },
    )
  },
  120_000,
)

describe.each([
  ['dca', DCA],
  ['grid', GRID],
] as const)('a %s under the stops', (kind, params) => {
  const begun = async () => {
    const stage = stageTasks([dca, grid])
    const { id } = await stage.begin(params, { kind })
    await stage.advance(3_000)
    return { stage, id, before: await working(stage) }
  }

  test('is paused in simulation, with nothing resting that adds, and goes on by itself after it', async () => {
    const { stage, id, before } = await begun()
    await stage.process.guards.simulate(undefined, true)
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true })
    expect(await working(stage)).toEqual([])
    await stage.process.guards.simulate(undefined, false)
    await stage.advance(3_000)
    expect(await working(stage)).toEqual(before)
  })

  test('is paused by a halt until a person resumes it, and then has the orders that it had', async () => {
    const { stage, id, before } = await begun()
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(3_000)
    expect(await working(stage)).toEqual([])
    await stage.process.guards.release('paper')
    await stage.advance(3_000)
    expect(stage.task(id).paused).toBe(true)
    await stage.ask(id, 'resume')
    await stage.advance(3_000)
    expect(await working(stage)).toEqual(before)
  })

  test('is ended by panic, and keeps what it holds', async () => {
    const { stage, id } = await begun()
    const had = await held(stage)
    await stage.process.panic.begin('the terminal')
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ status: 'cancelled', reason: expect.stringContaining('it holds 0.01 BTC') })
    expect(await working(stage)).toEqual([])
    expect(await held(stage)).toEqual(had)
  })

  test('places nothing while prices are stale', async () => {
    const { stage } = await begun()
    const sent = stage.sent.length
    await stage.setStream('stale')
    await stage.setPrice('63000')
    await stage.advance(10_000)
    expect(stage.sent).toHaveLength(sent)
  })
})
