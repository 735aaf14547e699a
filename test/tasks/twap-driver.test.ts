// A twap through the real driver, on the paper market with a clock of its own.
import { Decimal } from 'decimal.js'
import { describe, expect, test } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { twap } from '../../src/tasks/twap.ts'
import type { TwapParams } from '../../src/tasks/twap-shape.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const BUY: TwapParams = { side: 'buy', amount: '0.012', reduce: false, slices: 4, durationMs: 4 * MINUTE, seed: 'a' }

const sumOf = (amounts: readonly { readonly amount: string }[]) =>
  amounts.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0)).toFixed()

describe('a twap through the driver', () => {
  test('a day of it fills exactly what it was asked to', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin({ ...BUY, amount: '0.1', slices: 48, durationMs: 24 * HOUR, random: '20' })
    for (let minute = 0; minute < 24 * 60; minute += 5) {
      await stage.market.leap(5 * MINUTE)
      stage.clock.endDelays()
      await stage.settle()
    }
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'filled', filled: '0.1', progress: 1 })
    expect(stage.sent).toHaveLength(48)
    expect(sumOf(await stage.trades())).toBe('0.1')
    expect(stage.problems).toEqual([])
  })

  test('its row says what it does, and when it ends', async () => {
    const stage = stageTasks(twap)
    const { id, startedAt } = await stage.begin(BUY)
    await stage.advance(20_000)
    expect(stage.task(id)).toMatchObject({
      ...{ status: 'running', progress: 0.25, filled: '0.003', amount: '0.012' },
      ...{ doing: '1 of 4 slices, next in 40 s, 0.003 of 0.012 BTC filled', endsAt: startedAt + 4 * MINUTE },
    })
  })

  test('a slice whose answer was lost is asked for, and not sent again', async () => {
    const stage = stageTasks(twap)
    stage.fault('lost-answer')
    const { id } = await stage.begin(BUY)
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(sumOf(await stage.trades())).toBe('0.012')
    expect(stage.sent).toHaveLength(4)
  })

  test('a slice that never arrived goes to those that follow', async () => {
    const stage = stageTasks(twap)
    stage.fault('lost-order')
    const { id } = await stage.begin(BUY)
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(sumOf(await stage.trades())).toBe('0.012')
  })

  test('a slice that the venue refuses is told, and goes to those that follow', async () => {
    const stage = stageTasks(twap)
    stage.fault('refused')
    const { id } = await stage.begin(BUY)
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.history(id)).toContain(
      'slice 1 of 4 was refused: the venue says no; its amount goes to those that follow',
    )
  })

  test('nothing is sent while the stream is stale', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.setStream('stale')
    await stage.advance(2.5 * MINUTE)
    expect(stage.sent).toHaveLength(1)
    expect(stage.task(id).doing).toBe('1 of 4 slices, waits for a current price')
    await stage.setStream('resynced')
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })

  test('one that adds is interrupted by a crash, and goes on when it is asked to', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.advance(1.5 * MINUTE)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'interrupted', filled: '0.006' })
    await stage.advance(HOUR)
    expect(stage.sent).toHaveLength(2)
    await stage.ask(id, 'resume')
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.history(id)).toContainEqual(
      expect.stringMatching(/^its time was over: the 2 slices left follow at the same spacing, until .* UTC$/),
    )
    expect(sumOf(await stage.trades())).toBe('0.012')
  })

  test('one that reduces goes on by itself after a crash', async () => {
    const stage = stageTasks(twap)
    await stage.market.exchange.createOrder({
      ...{ clientOrderId: 'f'.repeat(32), symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.012' },
    })
    const { id } = await stage.begin({ ...BUY, side: 'sell', reduce: true })
    await stage.advance(1.5 * MINUTE)
    await stage.killAndRestart()
    expect(stage.task(id).status).toBe('running')
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
    expect(await stage.positions()).toEqual([])
  })

  test('a pause sends nothing, and what was missed is made up for', async () => {
    const stage = stageTasks(twap)
    const { id } = await stage.begin(BUY)
    await stage.ask(id, 'pause')
    await stage.advance(2.5 * MINUTE)
    expect(stage.sent).toHaveLength(1)
    await stage.ask(id, 'resume')
    await stage.advance(10 * MINUTE)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })
})
