// A long position, protective tasks on it, and what is done by hand meanwhile.
import { stageTasks, type TaskStageOptions } from '../../harness/tasks/task-stage.ts'
import type { OcoParams, oco } from '../../src/tasks/oco.ts'
import type { TrailParams, trail } from '../../src/tasks/trail.ts'

export const TRAIL: TrailParams = { side: 'long', distance: { kind: 'percent', value: '1' }, mark: '65000' }
export const OCO: OcoParams = { side: 'long', amount: '0.01', take: '66000', stop: '64000' }
/** A venue that replaces, and does not change. */
export const UNCHANGING: TaskStageOptions = { capabilities: { editOrder: false } }

export async function stageHeld(kind: typeof trail | typeof oco, options: TaskStageOptions = {}) {
  const stage = stageTasks(kind, options)
  await stage.market.exchange.createOrder({
    clientOrderId: 'e'.repeat(32),
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'market',
    amount: '0.01',
  })
  const resting = async () =>
    (await stage.openOrders()).map(
      ({ type, side, amount, price, triggerPrice }) => `${type} ${side} ${amount} at ${triggerPrice ?? price}`,
    )
  /** By hand, elsewhere. */
  const byHand = (side: 'buy' | 'sell', amount: string) =>
    stage.market.exchange.createOrder({
      clientOrderId: `${Math.round(stage.market.now())}`.padStart(32, 'f'),
      symbol: 'BTCUSDT',
      side,
      type: 'market',
      amount,
    })
  const amounts = async () => (await stage.positions()).map(({ side, amount }) => `${side} ${amount}`)
  return { ...stage, stage, resting, byHand, amounts }
}
