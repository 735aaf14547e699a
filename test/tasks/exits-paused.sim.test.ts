// Paused, a protective task sends nothing and leaves what rests; with what it protects it ends all the same.
import { describe, expect, it } from 'vitest'
import { oco } from '../../src/tasks/oco.ts'
import { trail } from '../../src/tasks/trail.ts'
import { OCO, stageHeld, TRAIL } from './held-stage.ts'

describe('a trail that is paused', () => {
  it.each([
    ['repl', true],
    ['phone', true],
    ['hook', undefined],
    ['web', undefined],
  ] as const)('is reported as the own act of the operator, or not: %s', async (source, isOwn) => {
    const { stage } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    stage.told.length = 0
    await stage.ask(id, 'pause', { source, runId: 'r' })
    const reports = stage.told.filter(({ type }) => type === 'status')
    expect(reports).toHaveLength(1)
    expect((reports[0] as { isOwn?: true }).isOwn).toBe(isOwn)
    await stage.ask(id, 'resume', { source: 'repl', runId: 'r' })
    stage.told.length = 0
    await stage.process.kill()
    await stage.killAndRestart()
    expect(stage.told.some((report) => 'isOwn' in report)).toBe(false)
  })

  it('is done when its position is closed elsewhere', async () => {
    const { stage, resting, byHand } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'pause')
    await byHand('sell', '0.01')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await resting()).toEqual([])
  })

  it('is done with what its stop closed', async () => {
    const { stage, resting, setPrice, amounts } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'pause')
    await setPrice('64300')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.task(id).reason).toMatch(/^the stop at 64,350 was reached: sold 0.01 BTCUSDT/)
    expect(await amounts()).toEqual([])
    expect(await resting()).toEqual([])
  })

  it('is done also in another process, and when its position closed while none lived', async () => {
    const { stage, resting, byHand } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'pause')
    await stage.process.kill()
    await byHand('sell', '0.01')
    await stage.killAndRestart()
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await resting()).toEqual([])
  })

  it('sends nothing when its position has become less, or is added to', async () => {
    const { stage, resting, byHand } = await stageHeld(trail)
    const { id } = await stage.begin(TRAIL)
    await stage.ask(id, 'pause')
    await byHand('sell', '0.004')
    await stage.advance(5_000)
    await byHand('buy', '0.1')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true })
    expect(await resting()).toEqual(['stop sell 0.01 at 64350'])
    await stage.ask(id, 'resume')
    await stage.advance(2_000)
    expect(await resting()).toEqual(['stop sell 0.106 at 64350'])
  })
})

describe('an oco that is paused', () => {
  it('leaves no stop for what others hold when its take-profit fills', async () => {
    const { stage, resting, byHand, setPrice, amounts } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await stage.ask(id, 'pause')
    await byHand('buy', '0.02')
    await setPrice('66001')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.task(id).reason).toContain('the take-profit at 66,000 was reached')
    expect(await resting()).toEqual([])
    expect(await amounts()).toEqual(['long 0.02'])
  })

  it('is done when its position is closed elsewhere', async () => {
    const { stage, resting, byHand } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await stage.ask(id, 'pause')
    await byHand('sell', '0.01')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'the position is closed' })
    expect(await resting()).toEqual([])
  })

  it('takes back what is left in simulation too', async () => {
    const { stage, resting, byHand, setPrice } = await stageHeld(oco)
    const { id } = await stage.begin(OCO)
    await stage.ask(id, 'pause')
    await byHand('buy', '0.02')
    await stage.process.guards.simulate(undefined, true)
    await setPrice('66001')
    await stage.advance(30_000)
    expect(stage.task(id).status).toBe('done')
    expect(await resting()).toEqual([])
  })
})
