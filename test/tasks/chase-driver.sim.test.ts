// A chase through the real driver, on the paper market with a clock of its own.
import { Decimal } from 'decimal.js'
import { describe, expect, test } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { type ChaseParams, chase } from '../../src/tasks/chase.ts'

const LASTS = 60_000
const BUY: ChaseParams = { side: 'buy', amount: '0.01', reduce: false, lastsMs: LASTS, rest: 'cancel' }

const pricesOf = (orders: readonly { readonly price?: string }[]) => orders.map(({ price }) => price)

describe('a chase through the driver', () => {
  test('follows the market up, fills when that comes back, and is done', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    expect(pricesOf(await stage.openOrders())).toEqual(['64999.9'])
    await stage.setPrice('65100')
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
    expect(stage.task(id)).toMatchObject({ doing: 'rests at 65,099.9', price: '65099.9' })
    await stage.setPrice('65090')
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.01', average: '65099.9' })
    expect(stage.sent).toHaveLength(1)
    expect(await stage.openOrders()).toEqual([])
    expect(stage.problems).toEqual([])
  })

  test('takes back and places anew where the venue cannot change orders', async () => {
    const stage = stageTasks(chase, { capabilities: { editOrder: false } })
    const { id } = await stage.begin(BUY)
    await stage.setPrice('65100')
    await stage.advance(1000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
    expect(stage.sent).toHaveLength(2)
    expect(stage.task(id).status).toBe('running')
  })

  test('ends with its time, and leaves nothing behind', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    await stage.advance(LASTS)
    expect(stage.task(id)).toMatchObject({
      status: 'done',
      reason: 'expired: its time is up, 0.01 BTC not filled; 1 order was canceled',
    })
    expect(await stage.openOrders()).toEqual([])
  })

  test('takes the rest at the market when its time is up', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin({ ...BUY, rest: 'market' })
    await stage.advance(LASTS + 2000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.01' })
    expect(stage.sent).toHaveLength(2)
  })

  test('an order whose answer was lost is asked for, and not placed twice', async () => {
    const stage = stageTasks(chase)
    stage.fault('lost-answer')
    const { id } = await stage.begin(BUY)
    await stage.setPrice('65100')
    await stage.advance(10_000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
    expect(stage.sent).toHaveLength(1)
    await stage.ask(id, 'cancel')
    expect(await stage.openOrders()).toEqual([])
    expect(stage.task(id).status).toBe('cancelled')
  })

  test('a cancel whose answer was lost does not make it place twice', async () => {
    const stage = stageTasks(chase, { capabilities: { editOrder: false } })
    await stage.begin(BUY)
    stage.faultCancels('lost-answer')
    await stage.setPrice('65100')
    await stage.advance(10_000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
    stage.faultCancels('lost-order')
    await stage.setPrice('65200')
    await stage.advance(20_000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65199.9'])
  })

  test('rests where it is while the stream is stale', async () => {
    const stage = stageTasks(chase)
    await stage.begin(BUY)
    await stage.setStream('stale')
    await stage.setPrice('65100')
    await stage.advance(10_000)
    expect(pricesOf(await stage.openOrders())).toEqual(['64999.9'])
    await stage.setStream('resynced')
    await stage.advance(1000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
  })

  test('one that adds is interrupted by a crash, with what rests; asked to go on, it moves that and places nothing more', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    await stage.advance(1000)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'interrupted', orderIds: [(await stage.openOrders())[0]?.id] })
    await stage.setPrice('65100')
    expect(pricesOf(await stage.openOrders())).toEqual(['64999.9'])
    await stage.ask(id, 'resume')
    await stage.advance(2000)
    expect(pricesOf(await stage.openOrders())).toEqual(['65099.9'])
    expect(stage.sent).toHaveLength(1)
  })

  test('one that has filled whole while its process was dead is done, and not interrupted', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    await stage.advance(1000)
    await stage.killAndRestart(() => stage.setPrice('64900'))
    await stage.advance(1000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled' })
    expect(stage.sent).toHaveLength(1)
  })

  test('a pause cancels what rests, and going on places it anew', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    await stage.ask(id, 'pause')
    expect(await stage.openOrders()).toEqual([])
    await stage.advance(2000)
    await stage.ask(id, 'resume')
    await stage.advance(2000)
    expect(pricesOf(await stage.openOrders())).toEqual(['64999.9'])
    expect(stage.task(id).status).toBe('running')
  })

  test('an order that was taken back by hand ends it', async () => {
    const stage = stageTasks(chase)
    const { id } = await stage.begin(BUY)
    await stage.advance(5000)
    await stage.market.exchange.cancelAllOrders()
    await stage.advance(2000)
    expect(stage.task(id)).toMatchObject({ status: 'cancelled' })
    expect(stage.sent).toHaveLength(1)
  })
})

describe('a chase that reduces, through the driver', () => {
  async function stageLong() {
    const stage = stageTasks(chase)
    await stage.market.exchange.createOrder({
      clientOrderId: 'f'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
    })
    return { stage, ...(await stage.begin({ ...BUY, side: 'sell', reduce: true })) }
  }

  test('goes on by itself after a crash', async () => {
    const { stage, id } = await stageLong()
    await stage.advance(1000)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'running', protective: true })
    await stage.setPrice('64900')
    await stage.advance(1000)
    expect(pricesOf(await stage.openOrders())).toEqual(['64900.1'])
    await stage.setPrice('64910')
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(await stage.positions()).toEqual([])
    expect(stage.sent).toHaveLength(1)
  })

  test('ends with the position, and cancels what rests', async () => {
    const { stage, id } = await stageLong()
    await stage.market.exchange.createOrder({
      clientOrderId: 'e'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'market',
      amount: '0.01',
    })
    await stage.advance(3000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await stage.openOrders()).toEqual([])
  })
})

test('killed at any moment of a walk, a chase never holds more than it was asked to', async () => {
  for (let round = 0; round < 12; round += 1) {
    const stage = stageTasks(chase, { capabilities: { editOrder: round % 2 === 0 } })
    const { id } = await stage.begin(BUY)
    for (let step = 0; step < 8; step += 1) {
      const price = 65_000 + ((round * 37 + step * 53) % 90) + step * 4
      if (step % 3 === round % 3) stage.fault(round % 4 < 2 ? 'lost-answer' : 'lost-order')
      if (step === round % 8) await stage.killAndRestart()
      if (stage.task(id).status === 'interrupted') await stage.ask(id, 'resume')
      await stage.setPrice(String(price))
      const open = await stage.openOrders()
      expect(open.length).toBeLessThanOrEqual(1)
      const [position] = await stage.positions()
      const resting = open.reduce((sum, { remaining }) => sum.plus(remaining), new Decimal(position?.amount ?? 0))
      expect(resting.lte(BUY.amount)).toBe(true)
    }
    expect(stage.problems).toEqual([])
  }
})
