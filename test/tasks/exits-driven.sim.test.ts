// Protective tasks through the real driver, the real desk and the paper venue: what is lost, stale, killed, and done by hand meanwhile.
import { describe, expect, it } from 'vitest'
import { oco } from '../../src/tasks/oco.ts'
import { trail } from '../../src/tasks/trail.ts'
import { OCO, stageHeld, TRAIL, UNCHANGING } from './held-stage.ts'

describe('a trail that is driven', () => {
  it('rests its stop, moves it with the price, and is done when it fires', async () => {
    const { stage, resting, setPrice, amounts } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    await setPrice('66000')
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
    await setPrice('65300')
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.task(id).reason).toMatch(/^the stop at 65,340.0 was reached: sold 0.01 BTCUSDT at 65,2\d\d/)
    expect(await amounts()).toEqual([])
  })

  it('goes on by itself in another process after a kill, and sends nothing twice', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await setPrice('66000')
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'running', protective: true })
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
    await setPrice('67000')
    expect(await resting()).toEqual(['stop sell 0.01 at 66330'])
    expect(stage.sent).toHaveLength(1)
  })

  it('has one stop after a kill between the new one and the end of the old one', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail, UNCHANGING)
    await stage.begin(TRAIL)
    stage.faultCancels('lost-order', 3)
    await setPrice('66000')
    expect(await resting()).toEqual(['stop sell 0.01 at 64350', 'stop sell 0.01 at 65340'])
    await stage.killAndRestart()
    await stage.advance(40_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
    expect(stage.sent).toHaveLength(2)
  })

  it('keeps its old stop until the new one is known to rest', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail, UNCHANGING)
    await stage.begin(TRAIL)
    stage.fault('lost-order')
    await setPrice('66000')
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    await stage.advance(120_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
  })

  it('takes its old stop back once the new one is found, whose answer was lost', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail, UNCHANGING)
    await stage.begin(TRAIL)
    stage.fault('lost-answer')
    await setPrice('66000')
    await stage.advance(5_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
    expect(stage.sent).toHaveLength(2)
  })

  it('is killed while the answer to its first stop is lost, and places no second one', async () => {
    const { stage, resting } = await stageHeld(trail)
    stage.fault('lost-answer')
    await stage.begin(TRAIL)
    await stage.killAndRestart()
    await stage.advance(90_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    expect(stage.sent).toHaveLength(1)
  })

  it('moves nothing on a stale stream, says so, and leaves the stop where it is', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.setStream('stale')
    await setPrice('70000')
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    expect((await stage.history(id)).filter((line) => line.includes('stale'))).toHaveLength(1)
    await stage.setStream('resynced')
    await stage.advance(2_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 69300'])
  })

  it('covers what is left of a position that is closed in part by hand, and more when it grows', async () => {
    const { stage, resting, byHand } = await stageHeld(trail)
    await stage.begin(TRAIL)
    await byHand('sell', '0.004')
    await stage.advance(3_000)
    expect(await resting()).toEqual(['stop sell 0.006 at 64350'])
    await byHand('buy', '0.01')
    await stage.advance(3_000)
    expect(await resting()).toEqual(['stop sell 0.016 at 64350'])
  })

  it('reads the position again when a gap ends in the moment in which it was read', async () => {
    // The answer is taken in one turn, and told in another.
    for (let turns = 0; turns < 20; turns += 1) {
      const { stage, resting, byHand } = await stageHeld(trail)
      await stage.begin(TRAIL)
      await byHand('sell', '0.004')
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      await stage.setStream('resynced')
      await stage.advance(3_000)
      expect(await resting()).toEqual(['stop sell 0.006 at 64350'])
    }
  })

  it('ends with a position that is closed by hand, and leaves no stop', async () => {
    const { stage, resting, byHand } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await byHand('sell', '0.01')
    await stage.advance(4_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await resting()).toEqual([])
  })

  it('ends when its position is turned round, and protects nothing of the other', async () => {
    const { stage, resting, byHand, amounts } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await byHand('sell', '0.03')
    await stage.advance(4_000)
    expect(await amounts()).toEqual(['short 0.02'])
    expect(stage.task(id)).toMatchObject({
      status: 'done',
      reason: expect.stringContaining('BTCUSDT is short now'),
    })
    expect(await resting()).toEqual([])
  })

  it('ends as cancelled when its stop is taken back by hand', async () => {
    const { stage, amounts } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.market.exchange.cancelAllOrders()
    await stage.advance(4_000)
    expect(stage.task(id)).toMatchObject({
      status: 'cancelled',
      reason: expect.stringContaining('no longer protects the position'),
    })
    expect(await amounts()).toEqual(['long 0.01'])
  })

  it('takes its stop back when it is cancelled, and says what is left', async () => {
    const { stage, resting } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'cancel')
    expect(stage.task(id)).toMatchObject({
      status: 'cancelled',
      reason: expect.stringContaining('; this task no longer protects the position on BTCUSDT'),
    })
    expect(await resting()).toEqual([])
  })

  it('leaves its stop where it is while it is paused, and follows again when it is resumed', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'pause')
    await setPrice('66000')
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    await stage.ask(id, 'resume')
    await stage.advance(2_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
  })

  it('follows the price while its account is halted', async () => {
    const { stage, resting, setPrice } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(2_000)
    await setPrice('66000')
    await stage.advance(3_000)
    expect(await resting()).toEqual(['stop sell 0.01 at 65340'])
    expect(stage.task(id).status).toBe('running')
  })

  it('is done in a new process when its stop fired while none lived', async () => {
    const { stage, setPrice, amounts } = await stageHeld(trail, UNCHANGING)
    const { id } = await stage.begin({ ...TRAIL, after: '66000' })
    await setPrice('66000')
    expect(stage.sent).toHaveLength(1)
    await stage.process.kill()
    stage.market.setPrice('BTCUSDT', '64000')
    await stage.market.advance(1_000)
    await stage.killAndRestart()
    await stage.advance(4_000)
    expect(await amounts()).toEqual([])
    expect(stage.task(id).status).toBe('done')
  })

  it('is done only when a thin book has taken all of it', async () => {
    const depth = {
      valueAt: (_symbol: string, side: string, level: number) => (side === 'sell' && level === 0 ? 260.1 : 1e9),
    }
    const { stage, setPrice, amounts } = await stageHeld(trail, { depth })
    const { id } = await stage.begin(TRAIL)
    await setPrice('64000')
    await stage.advance(15_000)
    expect(await amounts()).toEqual([])
    expect(stage.task(id).status).toBe('done')
  })
})

describe('an oco that is driven', () => {
  it.each([
    ['66001', 'the take-profit at 66,000.0 was reached'],
    ['63999', 'the stop at 64,000.0 was reached'],
  ])('ends at %s, and leaves nothing', async (price, reason) => {
    const { stage, resting, setPrice, amounts } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    expect(await resting()).toEqual(['stop sell 0.01 at 64000', 'limit sell 0.01 at 66000'])
    await setPrice(price)
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01', progress: 1 })
    expect(stage.task(id).reason).toContain(reason)
    expect(await resting()).toEqual([])
    expect(await amounts()).toEqual([])
  })

  it('goes on after a kill, and one leg still ends the other', async () => {
    const { stage, resting, setPrice } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await stage.killAndRestart()
    expect(await resting()).toHaveLength(2)
    await setPrice('66001')
    await stage.advance(3_000)
    expect(stage.task(id).status).toBe('done')
    expect(await resting()).toEqual([])
    expect(stage.sent).toHaveLength(2)
  })

  it('ends after a kill what filled while no process lived', async () => {
    const { stage, resting } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await stage.process.kill()
    stage.market.setPrice('BTCUSDT', '66001')
    await stage.market.advance(1_000)
    await stage.killAndRestart()
    await stage.advance(4_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(await resting()).toEqual([])
  })

  it('withdraws both with a position that is closed by hand', async () => {
    const { stage, resting, byHand } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await byHand('sell', '0.01')
    await stage.advance(4_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await resting()).toEqual([])
  })

  it.each(['lost-answer', 'lost-order'] as const)('has one of each in the end: %s', async (fault) => {
    const { stage, resting } = await stageHeld(oco)
    stage.fault(fault, 2)
    await stage.begin(OCO)
    await stage.advance(120_000)
    expect((await resting()).toSorted()).toEqual(['limit sell 0.01 at 66000', 'stop sell 0.01 at 64000'])
  })
})
