// Crashes, clean ends and take-overs: nothing is placed twice or left behind, and what cannot be known is asked.
import { describe, expect, it } from 'vitest'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { openTasks } from '../../src/stores/tasks.ts'
import { when } from '../../src/tasks/when.ts'
import { RESTS, resting } from './resting-kind.ts'

const PROTECTS = { ...RESTS, isProtective: true }

describe('after a crash', () => {
  it('a paused `when` knows what prices made true before it, and says so at its resume', async () => {
    const stage = stageTasks(when)
    const { id } = await stage.begin({ condition: 'last < 64000', words: 'look', each: true })
    await stage.advance(2_000)
    await stage.ask(id, 'pause')
    await stage.setPrice('63000')
    await stage.advance(2_000)
    await stage.setPrice('65000')
    await stage.killAndRestart()
    await stage.advance(2_000)
    await stage.ask(id, 'resume')
    await stage.advance(2_000)
    const missed = (await stage.history(id)).filter((text) => text.endsWith('while it was paused: missed'))
    expect(missed).toHaveLength(1)
  })

  it('a protective task goes on with the order that rests', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(PROTECTS)
    const [before] = await stage.openOrders()
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'running', protective: true, orderIds: [before?.id] })
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.sent).toHaveLength(1)
  })

  it('a protective task counts what filled while nobody looked', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...PROTECTS, times: 2 })
    await stage.process.kill()
    stage.market.setPrice('BTCUSDT', '64000')
    await stage.market.advance(2_000)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'running', filled: '0.01' })
    await stage.advance(1_000)
    expect(stage.sent).toHaveLength(2)
  })

  it('a task that adds is interrupted, with what filled and what rests, and places nothing', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    await stage.setPrice('64850')
    const { filled } = stage.task(id)
    const [rests] = await stage.openOrders()
    const sent = stage.sent.length
    await stage.killAndRestart()
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ status: 'interrupted', filled, orderIds: [rests?.id] })
    expect(stage.says().at(-1)).toBe('interrupted: hookline ended while it was running')
    expect(stage.sent).toHaveLength(sent)
  })

  it('a task that adds and is resumed does the rest, and no more', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    await stage.setPrice('64000')
    await stage.killAndRestart()
    await stage.ask(id, 'resume')
    expect(stage.task(id).status).toBe('running')
    for (const price of ['63000', '62000', '61000']) await stage.setPrice(price)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.03' })
    expect(stage.sent).toHaveLength(3)
  })

  it('a task that adds and is cancelled leaves nothing behind', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    await stage.killAndRestart()
    await stage.ask(id, 'cancel')
    expect(stage.task(id).status).toBe('cancelled')
    expect(await stage.openOrders()).toEqual([])
  })

  it('a task that was over, and whose row did not come to say so, is over in its row', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(PROTECTS)
    const rows = openTasks(stage.directory)
    const before = rows.list()
    await stage.setPrice('64000')
    expect(stage.task(id).status).toBe('done')
    await rows.put(before)
    await stage.killAndRestart()
    expect(stage.rows()).toMatchObject([{ id, status: 'done', filled: '0.01', reason: stage.task(id).reason }])
    expect(stage.sent).toHaveLength(1)
  })

  it('an order whose answer was lost is found by its id', async () => {
    const stage = stageTasks(resting)
    stage.fault('lost-answer')
    const { id } = await stage.begin(PROTECTS)
    await stage.killAndRestart()
    await stage.advance(2_000)
    expect(stage.task(id).orderIds).toHaveLength(1)
    expect(stage.sent).toHaveLength(1)
  })

  it('an order that may be on its way blocks the next one until it can no longer come', async () => {
    const stage = stageTasks(resting)
    stage.fault('lost-order')
    const { id } = await stage.begin({ ...PROTECTS, times: 2 })
    await stage.killAndRestart()
    await stage.advance(50_000)
    expect(stage.sent).toHaveLength(1)
    await stage.advance(60_000)
    expect(stage.sent).toHaveLength(2)
    expect(stage.task(id).status).toBe('running')
  })

  it('an order that was written down and never sent was never placed, and its number is not used again', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...PROTECTS, times: 2 })
    await stage.process.kill()
    // The order journal has nothing of it: the crash fell between the two.
    stage.orderLines.length = 0
    await stage.market.exchange.cancelAllOrders()
    stage.forgetSent()
    await stage.killAndRestart()
    await stage.advance(1_000)
    expect(stage.sent).toHaveLength(1)
    expect(stage.sent[0]?.clientOrderId.slice(-6)).toBe('000001')
    expect(stage.task(id).status).toBe('running')
  })

  it('a protective task whose account cannot be reached says so once, and goes on when it can', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(PROTECTS)
    stage.lock(true)
    await stage.killAndRestart()
    await stage.advance(5_000)
    expect(stage.problems).toHaveLength(1)
    stage.lock(false)
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', orderIds: [expect.anything()] })
    await stage.setPrice('64000')
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.01' })
    expect(stage.sent).toHaveLength(1)
  })

  it('nobody who asked long ago gets a task resumed', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...RESTS, times: 3 })
    await stage.process.kill()
    const { by } = stage.seed
    stage.taskLines.push(JSON.stringify({ t: 'asked', id, at: stage.market.now(), ask: 'q', what: 'resume', by }))
    await stage.market.advance(60_000)
    await stage.killAndRestart()
    expect(stage.task(id).status).toBe('interrupted')
    expect(stage.taskLines.at(-1)).toContain('it was requested while no hookline was running')
  })

  it('what was being cancelled is cancelled', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.faultCancels('refused', 1)
    void stage.ask(id, 'cancel').catch(() => {})
    await stage.settle()
    await stage.killAndRestart()
    expect(stage.task(id).status).toBe('cancelled')
    expect(await stage.openOrders()).toEqual([])
  })

  it('what was paused stays paused', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin({ ...PROTECTS, times: 2 })
    await stage.ask(id, 'pause')
    await stage.killAndRestart()
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true })
    expect(stage.sent).toHaveLength(1)
  })

  it('at every line of the journal leaves a task that places no number twice', async () => {
    const whole = stageTasks(resting)
    await whole.begin({ ...PROTECTS, times: 3 })
    for (const price of ['64000', '63000', '62000', '61000']) await whole.setPrice(price)
    for (let length = 1; length <= whole.taskLines.length; length += 1) {
      const stage = stageTasks(resting)
      await stage.begin({ ...PROTECTS, times: 3 })
      for (const price of ['64000', '63000', '62000', '61000']) {
        if (stage.taskLines.length >= length) break
        await stage.setPrice(price)
      }
      await stage.killAndRestart()
      for (const price of ['60000', '59000', '58000', '57000', '56000']) await stage.setPrice(price)
      const ids = stage.sent.map(({ clientOrderId }) => clientOrderId)
      expect(new Set(ids).size).toBe(ids.length)
      expect(await stage.positions()).toMatchObject([{ amount: '0.03' }])
    }
  })
})

describe('a clean end', () => {
  it('takes back what adds and leaves what protects', async () => {
    const stage = stageTasks(resting)
    const adding = await stage.begin({ ...RESTS, times: 2 })
    const protective = await stage.begin({ ...PROTECTS, below: '200' })
    await stage.restart()
    expect(stage.task(adding.id)).toMatchObject({ status: 'interrupted', reason: 'hookline was closed' })
    expect(stage.task(protective.id)).toMatchObject({ status: 'running' })
    expect(await stage.openOrders()).toHaveLength(1)
    await stage.ask(adding.id, 'resume')
    expect(await stage.openOrders()).toHaveLength(2)
  })

  it('is reported by the next driver where a crash kept it out of `tasks.json`, and otherwise not', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    const running = stage.rows()
    await stage.restart()
    const isReport = (line: string) => line.startsWith('interrupted: ')
    expect(stage.says().filter(isReport)).toHaveLength(1)
    await stage.killAndRestart(() => stage.putRows(running))
    expect(stage.says().filter(isReport)).toHaveLength(2)
    expect(stage.task(id).status).toBe('interrupted')
  })

  it('that cannot take an order back says that it rests', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.faultCancels('refused', 1_000)
    const stopped = stage.process.supervisor.stop()
    await stage.market.advance(10_000)
    stage.clock.endDelays()
    await stopped
    await expect.poll(() => stage.rows()[0]).toMatchObject({ id, status: 'interrupted' })
    expect(stage.rows()[0]?.orderIds).toHaveLength(1)
  })
})

describe('two processes', () => {
  it('have one driver: the other takes over only when it is dead', async () => {
    const stage = stageTasks(resting)
    await stage.begin(PROTECTS)
    const other = stage.startProcess()
    await other.supervisor.look()
    expect([stage.process.supervisor.isDriving, other.supervisor.isDriving]).toEqual([true, false])
    await stage.process.kill()
    await other.supervisor.look()
    await stage.settle()
    expect(other.supervisor.isDriving).toBe(true)
    expect(stage.sent).toHaveLength(1)
    await other.kill()
  })

  it('ask each other: what one begins and steers the other drives', async () => {
    const stage = stageTasks(resting)
    await stage.begin(PROTECTS)
    const shell = stage.startProcess(false)
    const { id } = await stage.meanwhile(shell.supervisor.begin({ ...stage.seed, params: RESTS }))
    expect(await stage.openOrders()).toHaveLength(2)
    expect(await stage.meanwhile(shell.supervisor.ask(id, 'cancel', stage.seed.by))).toMatchObject({
      status: 'cancelled',
    })
    await expect(stage.meanwhile(shell.supervisor.ask(id, 'resume', stage.seed.by))).rejects.toMatchObject({
      code: 'not-resumable',
    })
    await shell.kill()
  })

  it('of which none drives begin nothing', async () => {
    const stage = stageTasks(resting)
    await stage.begin(PROTECTS)
    await stage.process.kill()
    const shell = stage.startProcess(false)
    await expect(shell.supervisor.begin({ ...stage.seed, params: RESTS })).rejects.toMatchObject({ code: 'no-driver' })
    await expect(shell.supervisor.ask(stage.rows()[0]?.id ?? '', 'cancel', stage.seed.by)).rejects.toMatchObject({
      code: 'no-driver',
    })
    await shell.kill()
  })

  it('never both send: who has lost the lease sends nothing more', async () => {
    const stage = stageTasks(resting)
    await stage.begin({ ...PROTECTS, times: 3 })
    stage.declareDead(stage.process)
    const other = stage.startProcess()
    await other.lease.take()
    // The first one still runs, as a process that was taken for dead might, and hears of a fill before it looks at the lease again.
    stage.market.setPrice('BTCUSDT', '64500')
    await stage.market.advance(1_000)
    stage.clock.endDelays()
    await stage.settle()
    expect(stage.process.supervisor.isDriving).toBe(true)
    expect(stage.sent).toHaveLength(1)
    await other.supervisor.look()
    await stage.settle()
    await stage.setPrice('64000')
    await stage.settle()
    const ids = stage.sent.map(({ clientOrderId }) => clientOrderId)
    expect(ids.length).toBeGreaterThan(1)
    expect(new Set(ids).size).toBe(ids.length)
    expect(stage.process.supervisor.isDriving).toBe(false)
    await other.kill()
  })
})
