// A copier that chases: a task does it, and its copier counts what has filled.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copierOf, rowOf, stageCopier } from '../../harness/cross-trade/copier-stage.ts'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { type ChaseOrder, type ChasePort, chaseThrough, type FoundChase } from '../../src/cross-trade/copy-order.ts'
import type { Task } from '../../src/stores/tasks.ts'
import { chase } from '../../src/tasks/chase.ts'
import { TaskError, type TaskPort, type TaskSeed } from '../../src/tasks/task-port.ts'

const CHASING = rowOf({ copiers: [copierOf({ mode: 'Chase' })] })

/** Chases that the test brings forward. */
class Chases implements ChasePort {
  readonly begun: ChaseOrder[] = []
  readonly cancelled: string[] = []
  readonly found = new Map<string, FoundChase>()

  async begin(order: ChaseOrder) {
    this.begun.push(order)
    this.found.set(order.ref, { ...RUNNING, id: String(this.begun.length) })
    return undefined
  }

  find(ref: string) {
    return this.found.get(ref)
  }

  unsure: string | undefined

  async whyUnsure() {
    return this.unsure
  }

  async cancel(id: string) {
    this.cancelled.push(id)
    const ref = this.begun[Number(id) - 1]?.ref ?? ''
    this.become(ref, { isOver: true, why: 'cancelled' })
  }

  become(ref: string, more: Partial<FoundChase>): void {
    this.found.set(ref, { ...RUNNING, id: '', ...this.found.get(ref), ...more })
  }
}

const RUNNING = { isOver: false, isInterrupted: false, isHeldByPerson: false, filled: '0', why: 'rests at 64,999.5' }

async function stageChase(chase = new Chases()) {
  const stage = stageCopier({ rows: [CHASING] })
  const engine = await stage.started({ chase })
  await stage.trade('master', 'buy', '1')
  await stage.advance(1_300)
  return { stage, engine, chase }
}

describe('a copier that chases', () => {
  it('leaves its order to a task, and says what that does', async () => {
    const { engine, chase, stage } = await stageChase()
    expect(chase.begun).toMatchObject([
      { account: 'copier', symbol: 'BTCUSDT', side: 'buy', amount: '1', reduceOnly: false },
    ])
    expect(engine.state()).toMatchObject({ state: 'behind', why: 'rests at 64,999.5', owned: '0' })
    expect(stage.sent).toEqual([])
    chase.become(chase.begun[0]?.ref ?? '', { isOver: true, filled: '1', average: '64999.5' })
    await stage.advance(2_000)
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '1' })
    expect(engine.copied()).toEqual(['buy 1'])
  })

  it('takes it back when the master changes, counts what has filled, and begins another for the rest', async () => {
    const { engine, chase, stage } = await stageChase()
    chase.become(chase.begun[0]?.ref ?? '', { filled: '0.4' })
    await stage.trade('master', 'sell', '0.5')
    await stage.advance(2_500)
    expect(chase.cancelled).toEqual(['1'])
    expect(chase.begun[1]).toMatchObject({ side: 'buy', amount: '0.1' })
    expect(chase.begun[1]?.ref).not.toBe(chase.begun[0]?.ref)
    expect(engine.state()).toMatchObject({ desired: '0.5', owned: '0.4' })
  })

  it('takes it back when its row ends, and counts it no longer when it begins anew', async () => {
    const { chase, stage } = await stageChase()
    await stage.edit({ ...CHASING, enabled: false, updatedAt: 2 })
    await stage.advance(2_500)
    expect(chase.cancelled).toEqual(['1'])
  })

  it('takes it back when its row is given another master', async () => {
    const { chase, stage } = await stageChase()
    await stage.edit({ ...CHASING, masterAccount: 'another', updatedAt: 2 })
    await stage.advance(2_500)
    expect(chase.cancelled).toEqual(['1'])
  })

  it('finds it again after a crash, and does not begin it twice', async () => {
    const { engine, chase, stage } = await stageChase()
    engine.kill()
    const next = await stage.started({ chase })
    await stage.advance(3_000)
    expect(chase.begun).toHaveLength(1)
    expect(next.state()).toMatchObject({ state: 'behind', why: 'rests at 64,999.5' })
    chase.become(chase.begun[0]?.ref ?? '', { isInterrupted: true, filled: '0.25' })
    await stage.advance(2_000)
    expect(chase.cancelled).toEqual(['1'])
    expect(next.state()).toMatchObject({ owned: '0.25' })
  })

  it('believes only after a minute that it was never begun', async () => {
    const chase = new Chases()
    const { engine, stage } = await stageChase(chase)
    engine.kill()
    chase.found.clear()
    const next = await stage.started({ chase })
    await stage.advance(40_000)
    expect(next.state()).toMatchObject({ state: 'unknown', why: 'its chase is not among the tasks' })
    expect(chase.begun).toHaveLength(1)
    await stage.advance(60_000)
    expect(chase.begun).toHaveLength(2)
  })

  it('is unsettled for as long as the tasks cannot be read', async () => {
    const chase = new Chases()
    const { engine, stage } = await stageChase(chase)
    engine.kill()
    const under = new Map(chase.found)
    chase.found.clear()
    chase.unsure = 'tasks.json: is not JSON'
    const next = await stage.started({ chase })
    await stage.advance(300_000)
    const why = 'its chase is not among the tasks: tasks.json: is not JSON'
    expect(next.state()).toMatchObject({ state: 'unknown', why })
    expect(chase.begun).toHaveLength(1)
    const filled = chase.begun[0]?.amount ?? ''
    for (const [ref, found] of under) chase.become(ref, { ...found, isOver: true, filled })
    await stage.advance(60_000)
    expect(next.state()).toMatchObject({ owned: filled })
    expect(chase.begun).toHaveLength(1)
  })

  it('stalls after three that did not fill whole', async () => {
    const { engine, chase, stage } = await stageChase()
    for (let round = 0; round < 4; round += 1) {
      chase.become(chase.begun.at(-1)?.ref ?? '', { isOver: true, why: 'its time is up' })
      await stage.advance(5_000)
    }
    expect(chase.begun).toHaveLength(3)
    const why = 'stalled: 3 orders in a row did not fill whole; its last chase: its time is up'
    expect(engine.state()).toMatchObject({ state: 'blocked', why })
  })
})

describe('a chase of a copier among the tasks', () => {
  const order: ChaseOrder = {
    ref: 'row/copier/BTCUSDT#3',
    account: 'copier',
    symbol: 'BTCUSDT',
    side: 'sell',
    amount: '0.5',
    reduceOnly: true,
  }
  const never = () => Promise.reject(new Error('not asked'))

  function tasksOf(begin: TaskPort['begin'], rows: readonly Partial<Task>[] = []): TaskPort {
    const list = () => rows as readonly Task[]
    return {
      begin,
      list,
      listFault: () => undefined,
      underWay: never,
      driver: () => undefined,
      triggers: () => [],
      history: never,
      ask: never,
    }
  }

  it('is begun under the name of its order, and goes to the market at last where it closes', async () => {
    const seeds: TaskSeed[] = []
    const begin = async (seed: TaskSeed) => {
      seeds.push(seed)
      return {} as Task
    }
    const port = chaseThrough(tasksOf(begin), 'exec')
    expect(await port.begin(order)).toBeUndefined()
    await port.begin({ ...order, reduceOnly: false })
    expect(seeds).toMatchObject([
      { kind: 'chase', by: { runId: order.ref }, params: { reduce: true, rest: 'market', lastsMs: 60_000 } },
      { kind: 'chase', by: { runId: order.ref }, params: { reduce: false, rest: 'cancel' } },
    ])
  })

  it('may be there all the same where tasks.json was bad from its first read, or does not list it', async () => {
    const stage = stageTasks(chase)
    await stage.process.supervisor.look()
    const params = { side: 'buy', amount: '0.5', reduce: false, lastsMs: 300_000, rest: 'cancel' }
    await stage.begin(params, { by: { source: 'exec', runId: order.ref } })
    const begun = () => chaseThrough(stage.startProcess(false).supervisor, 'exec')
    expect(await begun().whyUnsure('row/copier/BTCUSDT#4')).toBeUndefined()
    writeFileSync(join(stage.directory, 'tasks.json'), '{"tasks":[]}')
    expect(await begun().whyUnsure(order.ref)).toBe('tasks.json does not list it yet')
    writeFileSync(join(stage.directory, 'tasks.json'), '{"ta')
    const port = begun()
    expect(port.find(order.ref)).toBeUndefined()
    expect(await port.whyUnsure(order.ref)).toMatch(/^tasks\.json: is not JSON/)
  })

  it('is found by that name', () => {
    const row = { id: 't1', kind: 'chase', runId: order.ref, status: 'running', doing: 'rests', filled: '0.1' } as const
    const port = (...rows: Partial<Task>[]) => chaseThrough(tasksOf(never, rows), 'exec')
    expect(port(row).find(order.ref)).toEqual({
      id: 't1',
      isOver: false,
      isInterrupted: false,
      isHeldByPerson: false,
      filled: '0.1',
      why: 'rests',
    })
    expect(port({ ...row, status: 'cancelled', reason: 'over' }).find(order.ref)).toMatchObject({
      isOver: true,
      why: 'over',
    })
    expect(port({ ...row, status: 'interrupted' }).find(order.ref)).toMatchObject({
      isOver: false,
      isInterrupted: true,
    })
    expect(port({ ...row, kind: 'twap' }).find(order.ref)).toBeUndefined()
  })

  it.each([
    ['no-driver', { kind: 'later', counts: false }],
    ['held', { kind: 'refused', counts: false }],
    ['bad-params', { kind: 'refused', counts: true }],
    ['unanswered', { kind: 'unknown' }],
  ] as const)('that is not begun says so: %s', async (code, result) => {
    const port = chaseThrough(
      tasksOf(() => Promise.reject(new TaskError(code, 'why'))),
      'exec',
    )
    expect(await port.begin(order)).toMatchObject({ ...result, why: 'why' })
  })
})
