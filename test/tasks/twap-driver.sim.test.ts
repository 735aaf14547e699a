// A twap through the real driver, on the paper market with a clock of its own.
import { Decimal } from 'decimal.js'
import { describe, expect, test } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { type TwapParams, twap } from '../../src/tasks/twap.ts'

const SLOT = 10_000
const HOUR = 3_600_000
const BUY: TwapParams = { side: 'buy', amount: '0.012', reduce: false, slices: 4, durationMs: 4 * SLOT, seed: 'a' }

const sumOf = (amounts: readonly { readonly amount: string }[]) =>
  amounts.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0)).toFixed()

describe('a twap through the driver', () => {
  test('a day of it fills exactly what it was asked to', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin({ ...BUY, amount: '0.1', slices: 48, durationMs: 24 * HOUR, random: '20' })
    for (let ms = 0; ms < 24 * HOUR; ms += HOUR / 12) {
      await stage.market.leap(HOUR / 12)
      stage.clock.endDelays()
      await stage.settle()
    }
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.1', progress: 1 })
    expect(stage.sent).toHaveLength(48)
    expect(sumOf(await stage.trades())).toBe('0.1')
    expect(stage.problems).toEqual([])
  })

  test('its row says what it does, and when it ends', async () => {
    const stage = stageTasks(twap)
    const { id, startedAt } = await stage.begin(BUY)
    await stage.advance(4000)
    expect(stage.task(id)).toMatchObject({
      status: 'running',
      progress: 0.25,
      filled: '0.003',
      amount: '0.012',
      doing: '1 of 4 slices, next in 6 s',
      endsAt: startedAt + 4 * SLOT,
    })
  })

  test('a slice whose answer was lost is asked for, and not sent again', async () => {
    const stage = stageTasks(twap)
    stage.fault('lost-answer')
    const { id } = await stage.begin(BUY)
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(sumOf(await stage.trades())).toBe('0.012')
    expect(stage.sent).toHaveLength(4)
  })

  test('a slice that never arrived goes to those that follow', async () => {
    const stage = stageTasks(twap)
    stage.fault('lost-order')
    const { id } = await stage.begin({ ...BUY, durationMs: 16 * SLOT })
    await stage.advance(16 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(sumOf(await stage.trades())).toBe('0.012')
  })

  test('a slice that the venue refuses is told, and goes to those that follow', async () => {
    const stage = stageTasks(twap)
    stage.fault('refused')
    const { id } = await stage.begin(BUY)
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.history(id)).toContain(
      'slice 1 of 4 was refused: the venue says no; later slices take its amount',
    )
  })

  test('nothing is sent while the stream is stale', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.setStream('stale')
    await stage.advance(2.5 * SLOT)
    expect(stage.sent).toHaveLength(1)
    expect(stage.task(id).doing).toBe('1 of 4 slices, waits for a current price')
    await stage.setStream('resynced')
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })

  test('one that adds is interrupted by a crash, and goes on when it is asked to', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.advance(1.5 * SLOT)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'interrupted', filled: '0.006' })
    await stage.advance(100_000)
    expect(stage.sent).toHaveLength(2)
    await stage.ask(id, 'resume')
    await stage.advance(5000)
    expect((stage.task(id).endsAt ?? 0) - stage.market.now()).toBe(2 * SLOT - 5000)
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.history(id)).toContainEqual(
      expect.stringMatching(/^its time was up: the 2 slices left follow at the same spacing, until .* UTC$/),
    )
    expect(sumOf(await stage.trades())).toBe('0.012')
  })

  test('a slice that came due while nothing drove it is not sent by the process that finds it', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.process.kill()
    await stage.advance(1.5 * SLOT)
    await stage.killAndRestart()
    await stage.advance(5000)
    expect(stage.task(id).status).toBe('interrupted')
    expect(stage.sent).toHaveLength(1)
  })

  test('one that reduces goes on by itself after a crash', async () => {
    const stage = stageTasks(twap)
    await stage.market.exchange.createOrder({
      clientOrderId: 'f'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.012',
    })
    const { id } = await stage.begin({ ...BUY, side: 'sell', reduce: true })
    await stage.advance(1.5 * SLOT)
    await stage.killAndRestart()
    expect(stage.task(id).status).toBe('running')
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.positions()).toEqual([])
  })

  test('a pause sends nothing, and what was missed is made up for', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.ask(id, 'pause')
    await stage.advance(2.5 * SLOT)
    expect(stage.sent).toHaveLength(1)
    await stage.ask(id, 'resume')
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })
})

describe('a twap with a stop', () => {
  const STOPPED: TwapParams = { ...BUY, stop: '60000' }
  const stopsOf = async (stage: ReturnType<typeof stageTasks>) =>
    sumOf((await stage.openOrders()).filter(({ type, reduceOnly }) => type === 'stop' && reduceOnly))

  test('has what has filled under stops after each slice, and keeps them at its end', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(STOPPED)
    for (const filled of ['0.003', '0.006', '0.009', '0.012']) {
      await stage.advance(2_000)
      expect([sumOf(await stage.positions()), await stopsOf(stage)]).toEqual([filled, filled])
      await stage.advance(SLOT - 2_000)
    }
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.012' })
    expect(await stopsOf(stage)).toBe('0.012')
    await stage.setPrice('59000')
    await stage.advance(3_000)
    expect([await stage.positions(), await stage.openOrders()]).toEqual([[], []])
  })

  test('ends at its stop: nothing is bought behind it, and what the stop has sold is none of its fills', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(STOPPED)
    await stage.advance(2_000)
    await stage.setPrice('59000')
    await stage.advance(6 * SLOT)
    expect(stage.task(id)).toMatchObject({
      status: 'done',
      reason: 'the stop at 60,000 was reached',
      filled: '0.003',
    })
    expect([await stage.positions(), await stage.openOrders()]).toEqual([[], []])
    expect((await stage.trades()).filter(({ side }) => side === 'buy')).toHaveLength(1)
  })

  test('keeps the stops when it is paused or canceled', async () => {
    for (const ask of ['pause', 'cancel'] as const) {
      const stage = stageTasks(twap)
      const { id } = await stage.begin(STOPPED)
      await stage.advance(2_000)
      await stage.ask(id, ask)
      await stage.advance(2_000)
      expect(await stopsOf(stage), ask).toBe('0.003')
    }
  })

  test('killed at any moment, with answers lost, has under stops what it has bought, and never more', async () => {
    for (let round = 0; round < 6; round += 1) {
      const stage = stageTasks(twap)
      const { id } = await stage.begin(STOPPED)
      for (let step = 0; step < 8; step += 1) {
        if (step % 3 === round % 3) stage.fault((['lost-answer', 'lost-order'] as const)[round % 2] ?? 'lost-order')
        if (step === round || step === (round * 7) % 8) await stage.killAndRestart()
        await stage.advance(1000 * (1 + ((round * 5 + step * 3) % 7)))
        if (stage.task(id).status === 'interrupted') await stage.ask(id, 'resume')
        expect(Number(await stopsOf(stage))).toBeLessThanOrEqual(Number(sumOf(await stage.positions())))
      }
      await stage.advance(100_000)
      expect(stage.task(id).status).toBe('done')
      expect(await stopsOf(stage)).toBe(sumOf(await stage.positions()))
      expect(stage.task(id).filled ?? '0').toBe(sumOf(await stage.positions()))
    }
  })
})

test('killed at any moment, with answers lost, a twap sends each slice once and never too much', async () => {
  for (let round = 0; round < 10; round += 1) {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    for (let step = 0; step < 10; step += 1) {
      if (step % 3 === round % 3)
        stage.fault((['lost-answer', 'lost-order', 'refused'] as const)[round % 3] ?? 'refused')
      if (step === round || step === (round * 7) % 10) await stage.killAndRestart()
      await stage.advance(1000 * (1 + ((round * 5 + step * 3) % 7)))
      if (stage.task(id).status === 'interrupted') await stage.ask(id, 'resume')
      expect(new Decimal(sumOf(await stage.trades())).lte(BUY.amount)).toBe(true)
    }
    await stage.advance(100_000)
    expect(stage.task(id).status).toBe('done')
    expect(new Set(stage.sent.map(({ clientOrderId }) => clientOrderId)).size).toBe(stage.sent.length)
    expect(stage.sent.length).toBeLessThanOrEqual(BUY.slices)
    expect(stage.task(id).filled ?? '0').toBe(sumOf(await stage.trades()))
    expect(stage.problems).toEqual([])
  }
})
