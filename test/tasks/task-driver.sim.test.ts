// The driver, with a kind made for tests: what it places, what it holds back, and what it takes back.
import { describe, expect, it, onTestFinished } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { RESTS, resting } from './resting-kind.ts'

const PROTECTS = { ...RESTS, isProtective: true }

describe('a task', () => {
  it('places its order, sees it fill, and ends with what it filled', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    const [order] = await stage.openOrders()
    expect(order).toMatchObject({ side: 'buy', amount: '0.01', status: 'open' })
    expect(stage.task(id)).toMatchObject({ status: 'running', doing: '1 of 1', orderIds: [order?.id] })
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.01', progress: 1 })
    expect(stage.says()).toEqual(['said rests at 64899.9', 'filled 0.01', 'done: all filled'])
    expect(stage.problems).toEqual([])
  })

  it('makes no text of a state that a price has not changed, and writes no line', async () => {
    let texts = 0
    const counting = { toJSON: () => (texts += 1) }
    const kind: typeof resting = {
      ...resting,
      reduce(...decided) {
        const step = resting.reduce(...decided)
        return { ...step, state: { ...step.state, counting } }
      },
    }
    const stage = stageTasks(kind)
    await stage.begin(RESTS)
    await stage.setPrice('65000.1')
    const [before, history] = [texts, await stage.history(stage.rows()[0]?.id ?? '')]
    expect(before).toBeGreaterThan(0)
    for (const price of ['65000.2', '65000.3', '65000.4']) await stage.setPrice(price)
    expect(texts).toBe(before)
    expect(await stage.history(stage.rows()[0]?.id ?? '')).toEqual(history)
  })

  it('has its row in tasks.json, with what it does and where it rests', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    await expect.poll(() => stage.rows()).toHaveLength(1)
    expect(stage.rows()[0]).toMatchObject({ id, kind: 'resting', account: 'paper', symbol: 'BTCUSDT', amount: '0.01' })
    await stage.ask(id, 'cancel')
    await expect.poll(() => stage.rows()[0]?.status).toBe('cancelled')
  })

  it('that has just ended answers each request with how it ended, while its row is still being written', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    await expect.poll(() => stage.rows()[0]?.status).toBe('running')
    const written = stage.delayRows()
    onTestFinished(written)
    const moved = stage.setPrice('64000')
    await expect.poll(() => stage.says()).toContain('done: all filled')
    expect(stage.rows()).toMatchObject([{ id, status: 'running' }])
    for (const what of ['cancel', 'pause'] as const) {
      expect(await stage.ask(id, what)).toMatchObject({ status: 'done', filled: '0.01' })
    }
    await expect(stage.ask(id, 'resume')).rejects.toMatchObject({ code: 'not-resumable' })
    written()
    await moved
  })

  it('does nothing while the stream is stale, and goes on when it is current again', async () => {
    const stage = stageTasks(resting)
    await stage.setStream('stale')
    await stage.begin(RESTS)
    await stage.advance(5_000)
    expect(stage.sent).toHaveLength(0)
    await stage.setStream('resynced')
    expect(stage.sent).toHaveLength(1)
  })

  it('sends nothing again whose answer was lost, and goes on with the order that is there', async () => {
    const stage = stageTasks(resting)
    stage.fault('lost-answer')
    const { id } = await stage.begin(RESTS)
    expect(stage.sent).toHaveLength(1)
    await stage.advance(2_000)
    expect(stage.task(id).orderIds).toHaveLength(1)
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.sent).toHaveLength(1)
  })

  it('knows only after a minute that an order never arrived', async () => {
    const stage = stageTasks(resting)
    stage.fault('lost-order')
    const { id } = await stage.begin({ ...RESTS, times: 2 })
    await stage.advance(50_000)
    expect(stage.sent).toHaveLength(1)
    await stage.advance(60_000)
    expect(stage.sent).toHaveLength(2)
    expect(new Set(stage.sent.map(({ clientOrderId }) => clientOrderId)).size).toBe(2)
    expect(stage.task(id)).toMatchObject({ status: 'running' })
  })

  it('takes back its order when it is cancelled, and is cancelled only then', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.faultCancels('refused', 2)
    const asked = stage.ask(id, 'cancel')
    await stage.settle()
    expect(stage.task(id).status).toBe('running')
    await stage.advance(3_000)
    await asked
    expect(stage.task(id)).toMatchObject({ status: 'cancelled', reason: 'canceled from a terminal' })
    expect(await stage.openOrders()).toEqual([])
  })

  it('is cancelled when the answer to the cancel is lost and the order is gone', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.faultCancels('lost-answer')
    const asked = stage.ask(id, 'cancel')
    await stage.advance(3_000)
    await asked
    expect(stage.task(id).status).toBe('cancelled')
  })

  it('takes its orders back when it is paused, and places anew when it is resumed', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    expect(await stage.ask(id, 'pause')).toMatchObject({ status: 'running', paused: true })
    expect(await stage.openOrders()).toEqual([])
    await stage.advance(5_000)
    expect(stage.sent).toHaveLength(1)
    expect(await stage.ask(id, 'resume')).toMatchObject({ status: 'running' })
    expect(stage.task(id).paused).toBeUndefined()
    expect(stage.sent).toHaveLength(2)
  })

  it('is done nothing to by asking twice', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    await stage.ask(id, 'resume')
    await stage.ask(id, 'pause')
    await stage.ask(id, 'pause')
    await stage.ask(id, 'cancel')
    expect(await stage.ask(id, 'cancel')).toMatchObject({ status: 'cancelled' })
    await expect(stage.ask(id, 'resume')).rejects.toMatchObject({ code: 'not-resumable' })
    await expect(stage.ask('nothing', 'cancel')).rejects.toMatchObject({ code: 'unknown-task' })
  })

  it('goes on over a new connection of its account, and sends nothing twice', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.process.reconnect()
    await stage.advance(2_000)
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.sent).toHaveLength(1)
  })
})

describe('what begins no task', () => {
  it.each([
    ['parameters that its kind does not know', { params: { amount: 5 } }, 'bad-params'],
    ['a kind that there is not', { kind: 'other' }, 'bad-params'],
    ['a dry run', { by: { source: 'hook', runId: 'r', isDry: true } }, 'simulated'],
    ['a symbol that there is not', { symbol: 'NOPEUSDT' }, 'bad-symbol'],
  ] as const)('is %s', async (_, seed, code) => {
    const stage = stageTasks(resting)
    await expect(stage.begin(RESTS, seed)).rejects.toMatchObject({ code })
    expect(stage.sent).toEqual([])
  })

  it('is simulation', async () => {
    const stage = stageTasks(resting)
    await stage.process.guards.simulate(undefined, true)
    await expect(stage.begin(RESTS)).rejects.toMatchObject({ code: 'simulated' })
  })

  it('is a halt', async () => {
    const stage = stageTasks(resting)
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await expect(stage.begin(RESTS)).rejects.toMatchObject({ code: 'held' })
  })

  it('is the hundred and first of an account', async () => {
    const stage = stageTasks(resting)
    const small = { ...RESTS, amount: '0.001' }
    for (let count = 0; count < 100; count += 1) await stage.begin(small)
    await expect(stage.begin(small)).rejects.toMatchObject({ code: 'too-many-tasks' })
    expect(stage.problems).toEqual([])
  })
})

describe('a stop', () => {
  it('of its account pauses a task that adds, and takes its orders back', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true, reason: 'account paper is halted' })
    expect(await stage.openOrders()).toEqual([])
    await expect(stage.ask(id, 'resume')).rejects.toMatchObject({ code: 'not-resumable' })
    await stage.process.guards.release('paper')
    await stage.ask(id, 'resume')
    expect(await stage.openOrders()).toHaveLength(1)
  })

  it('of its account leaves the orders of a protective task where they rest, and the guard refuses it what adds', async () => {
    const stage = stageTasks(resting)
    await stage.begin({ ...PROTECTS, times: 3 })
    const [before] = await stage.openOrders()
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(2_000)
    expect(await stage.openOrders()).toMatchObject([{ id: before?.id }])
    await stage.setPrice('64000')
    expect(stage.sent).toHaveLength(1)
  })

  it('of everything cancels what adds and leaves what protects', async () => {
    const stage = stageTasks(resting)
    const adding = await stage.begin(RESTS)
    const protective = await stage.begin(PROTECTS)
    await stage.process.panic.begin('the terminal')
    await stage.advance(2_000)
    expect(stage.task(adding.id)).toMatchObject({ status: 'cancelled', reason: 'canceled: panic is on' })
    expect(stage.task(protective.id).status).toBe('running')
    expect(await stage.openOrders()).toHaveLength(1)
  })

  it('by simulation pauses a task that runs', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    await stage.process.guards.simulate(undefined, true)
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ paused: true, reason: 'simulation is on; it continues after `sim off`' })
    expect(stage.sent).toHaveLength(1)
  })
})
