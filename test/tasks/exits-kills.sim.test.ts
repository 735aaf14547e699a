// Protective tasks through the real driver, killed at random moments, with answers that are lost and streams that are stale. A few rounds of
// many: 300 take a minute and a half.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stageTasks, type TaskStage } from '../../harness/tasks/task-stage.ts'
import { oco } from '../../src/tasks/oco.ts'
import { trail } from '../../src/tasks/trail.ts'

const happenings = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('price' as const), to: fc.integer({ min: 640, max: 700 }) }),
    fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 3_000) }),
    fc.record({ type: fc.constant('hand' as const), lots: fc.integer({ min: -4, max: 4 }) }),
    fc.record({
      type: fc.constant('fault' as const),
      fault: fc.constantFrom('lost-answer' as const, 'lost-order' as const, 'refused' as const),
    }),
    fc.record({ type: fc.constantFrom('kill' as const, 'kill-after' as const, 'stale' as const, 'live' as const) }),
  ),
  { minLength: 1, maxLength: 12 },
)
const setups = fc.record({ kind: fc.constantFrom('trail', 'oco'), editOrder: fc.boolean() })
type Happening = typeof happenings extends fc.Arbitrary<readonly (infer T)[]> ? T : never

async function byHand(stage: TaskStage, lots: number, n: number): Promise<void> {
  const [position] = await stage.positions()
  // Somebody else only changes how much there is.
  if (lots === 0 || position === undefined || Number(position.amount) + lots / 1_000 <= 0) return
  await stage.market.exchange.createOrder({
    clientOrderId: `${n}`.padStart(32, 'f'),
    symbol: 'BTCUSDT',
    type: 'market',
    side: lots > 0 ? 'buy' : 'sell',
    amount: `${Math.abs(lots) / 1_000}`,
  })
}

async function happen(stage: TaskStage, happening: Happening, n: number): Promise<void> {
  switch (happening.type) {
    case 'price':
      return stage.setPrice(`${happening.to}00`)
    case 'wait':
      return stage.advance(happening.ms)
    case 'hand':
      return byHand(stage, happening.lots, n)
    case 'fault':
      return stage.fault(happening.fault)
    case 'kill':
      return stage.killAndRestart()
    case 'kill-after':
      // In the middle of what the price has set off.
      stage.market.setPrice('BTCUSDT', '69500')
      await stage.market.advance(1_000)
      return stage.killAndRestart()
    case 'stale':
      return stage.setStream('stale')
    case 'live':
      return stage.setStream('resynced')
  }
}

describe('a protective task, killed and lost at random', () => {
  it('ends with its position, or covers it; sends nothing twice, opens nothing and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(setups, happenings, async ({ kind, editOrder }, list) => {
        const stage = stageTasks(kind === 'trail' ? trail : oco, { capabilities: { editOrder } })
        await stage.market.exchange.createOrder({
          clientOrderId: 'e'.repeat(32),
          symbol: 'BTCUSDT',
          side: 'buy',
          type: 'market',
          amount: '0.01',
        })
        const params =
          kind === 'trail'
            ? { side: 'long', distance: { kind: 'percent', value: '1' }, mark: '65000' }
            : { side: 'long', amount: '0.01', take: '66000', stop: '64000' }
        const { id } = await stage.begin(params)
        for (const [n, happening] of list.entries()) await happen(stage, happening, n)
        await stage.setStream('resynced')
        // An order that was lost is known not to be there after a minute, and the next one may be lost as well.
        const lost = list.filter((each) => each.type === 'fault' && each.fault === 'lost-order').length
        await stage.advance(100_000 + 65_000 * lost)

        const orders = await stage.openOrders()
        const [position] = await stage.positions()
        const ids = stage.sent.map(({ clientOrderId }) => clientOrderId)
        expect(new Set(ids).size).toBe(ids.length)
        expect(position?.side).not.toBe('short')
        const { status } = stage.task(id)
        const stops = orders.filter(({ type }) => type === 'stop').map(({ amount }) => Number(amount))
        const most = kind === 'oco' ? 0.01 - Number(stage.task(id).filled ?? 0) : 1
        expect(stops).toEqual(status === 'running' ? [Math.min(Number(position?.amount), most)] : [])
        if (status !== 'running') expect(orders).toEqual([])
      }),
      { numRuns: 10 },
    )
  }, 120_000)
})
