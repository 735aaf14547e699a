// What each stop does to each task, by what the task does to the risk of its account (behaviours 30, 40, 41).
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stageTasks, type TaskStage, type TaskStageOptions } from '../../harness/tasks/task-stage.ts'
import { type ChaseParams, chase } from '../../src/tasks/chase.ts'
import type { DcaParams } from '../../src/tasks/dca.ts'
import type { GridParams } from '../../src/tasks/grid.ts'
import { TASK_KINDS } from '../../src/tasks/kinds.ts'
import type { AskedBy } from '../../src/tasks/task-port.ts'
import { linesToKeep } from '../../src/tasks/task-record.ts'
import { type TwapParams, twap } from '../../src/tasks/twap.ts'
import { OCO, TRAIL } from './held-stage.ts'
import { RESTS, resting } from './resting-kind.ts'

const CHASE: ChaseParams = { side: 'buy', amount: '0.01', reduce: false, lastsMs: 60_000, rest: 'cancel' }
const TWAP: TwapParams = { side: 'buy', amount: '0.012', reduce: false, slices: 4, durationMs: 40_000, seed: 'a' }
const DCA: DcaParams = {
  side: 'buy',
  parts: ['0.01', '0.01', '0.01'],
  step: { kind: 'percent', value: '1' },
}
const GRID: GridParams = { amount: '0.01', prices: ['64000', '64600', '65200', '65800'] }
const EXIT = { side: 'sell', reduce: true } as const
const HOUR = 3_600_000

/** A long position, and what is done with it. */
async function stageLong(options: TaskStageOptions = {}, kinds = [...TASK_KINDS.values()]) {
  const stage = stageTasks(kinds, options)
  await stage.market.exchange.createOrder({
    clientOrderId: 'e'.repeat(32),
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'market',
    amount: '0.01',
  })
  const working = async () =>
    (await stage.openOrders()).map(
      ({ type, side, amount, price, triggerPrice }) => `${type} ${side} ${amount} at ${triggerPrice ?? price}`,
    )
  const held = async () => (await stage.positions()).map(({ side, amount }) => `${side} ${amount}`)
  return { ...stage, stage, working, held }
}

const STOPS = [
  ['panic', (stage: TaskStage) => stage.process.panic.begin('the terminal')],
  ['halt', (stage: TaskStage) => stage.process.guards.restrict('paper', 'halted', 'the terminal')],
  ['halt --reducing', (stage: TaskStage) => stage.process.guards.restrict('paper', 'reducing', 'the terminal')],
] as const

const ADDING = [
  ['chase', CHASE],
  ['twap', TWAP],
  ['dca', DCA],
  ['grid', GRID],
] as const
const EASING = [
  ['chase', { ...CHASE, ...EXIT }],
  ['twap', { ...TWAP, ...EXIT, amount: '0.01' }],
  ['trail', TRAIL],
  ['oco', OCO],
] as const

describe.each(STOPS)('under %s', (_, stop) => {
  it.each(ADDING)('a %s that adds does not begin', async (kind, params) => {
    const { stage } = await stageLong()
    await stop(stage)
    await expect(stage.begin(params, { kind })).rejects.toMatchObject({ code: 'held' })
    expect(stage.sent).toEqual([])
  })

  it.each(ADDING)('a %s that adds places nothing more', async (kind, params) => {
    const { stage, working } = await stageLong()
    await stage.begin(params, { kind })
    await stop(stage)
    const sent = stage.sent.length
    await stage.advance(60_000)
    expect(stage.sent).toHaveLength(sent)
    expect(await working()).toEqual([])
  })

  it.each(EASING)('a %s that reduces or protects begins, and sends', async (kind, params) => {
    const { stage } = await stageLong()
    await stop(stage)
    await stage.begin(params, { kind })
    expect(stage.sent.length).toBeGreaterThan(0)
  })

  it('a trail follows the price', async () => {
    const { stage, working } = await stageLong()
    await stage.begin(TRAIL, { kind: 'trail' })
    await stop(stage)
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
  })

  it('a chase that closes follows the market, and closes', async () => {
    const { stage, working, held } = await stageLong()
    await stage.begin({ ...CHASE, ...EXIT, lastsMs: 5_000, rest: 'market' }, { kind: 'chase' })
    await stop(stage)
    await stage.setPrice('64900')
    await stage.advance(1_000)
    expect(await working()).toEqual(['limit sell 0.01 at 64900.1'])
    await stage.advance(8_000)
    expect(await held()).toEqual([])
  })

  it('a twap that closes goes on', async () => {
    const { stage, held } = await stageLong()
    const { id } = await stage.begin({ ...TWAP, ...EXIT, amount: '0.01' }, { kind: 'twap' })
    await stop(stage)
    await stage.advance(45_000)
    expect(await held()).toEqual([])
    expect(stage.task(id).status).toBe('done')
  })
})

describe('in simulation', () => {
  const simulate = (stage: TaskStage, isOn: boolean) => stage.process.guards.simulate(undefined, isOn)

  it('a trail goes on protecting: its stop follows, and grows with the position', async () => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin(TRAIL, { kind: 'trail' })
    await simulate(stage, true)
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    await stage.market.exchange.createOrder({
      clientOrderId: 'f'.repeat(32),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'market',
      amount: '0.01',
    })
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.02 at 65340'])
    expect(stage.task(id).paused).toBeUndefined()
  })

  it('an oco whose take-profit fills takes its stop back', async () => {
    const { stage, working, held } = await stageLong()
    const { id } = await stage.begin(OCO, { kind: 'oco' })
    await simulate(stage, true)
    await stage.setPrice('66001')
    await stage.advance(5_000)
    expect(await held()).toEqual([])
    expect(await working()).toEqual([])
    expect(stage.task(id).status).toBe('done')
  })

  it('a chase waits with nothing at the venue, says so once, and goes on by itself', async () => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin({ ...CHASE, lastsMs: 300_000 }, { kind: 'chase' })
    await simulate(stage, true)
    await stage.advance(10_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true })
    expect(await working()).toEqual([])
    expect(stage.sent).toHaveLength(1)
    await simulate(stage, false)
    await stage.advance(3_000)
    expect(stage.task(id).paused).toBeUndefined()
    expect(await working()).toEqual(['limit buy 0.01 at 64999.9'])
    const told = stage.says().filter((line) => line.startsWith('paused') || line === 'running')
    expect(told).toEqual(['paused: simulation is on; it continues after `sim off`', 'running'])
  })

  it('a twap waits, and fills all that it was to afterwards', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await simulate(stage, true)
    await stage.advance(15_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true, filled: '0.003' })
    await simulate(stage, false)
    await stage.advance(60_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', reason: 'all filled', filled: '0.012' })
  })

  it('what waits goes on in the process that drives it after a restart', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await simulate(stage, true)
    await stage.advance(2_000)
    await stage.killAndRestart()
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'running', paused: true })
    await simulate(stage, false)
    await stage.advance(90_000)
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })

  it('a halt that is said meanwhile keeps it paused until a person resumes it', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await simulate(stage, true)
    await stage.advance(2_000)
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(2_000)
    await simulate(stage, false)
    await stage.process.guards.release('paper')
    await stage.advance(5_000)
    expect(stage.task(id)).toMatchObject({ paused: true, reason: 'account paper is halted' })
    await stage.ask(id, 'resume')
    expect(stage.task(id).paused).toBeUndefined()
  })

  it('one that a person paused stays paused after it', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await stage.ask(id, 'pause')
    await simulate(stage, true)
    await stage.advance(3_000)
    await simulate(stage, false)
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ paused: true, reason: 'paused from a terminal' })
  })

  it.each([
    ['`tasks cancel`', (stage: TaskStage, id: string) => stage.ask(id, 'cancel')],
    ['panic', (stage: TaskStage) => stage.process.panic.begin('the terminal')],
    ['a clean end', (stage: TaskStage) => stage.restart()],
  ])('%s cancels what rests for real', async (_, stop) => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin(CHASE, { kind: 'chase' })
    expect(await working()).toHaveLength(1)
    await simulate(stage, true)
    await stop(stage, id)
    await stage.advance(2_000)
    expect(await working()).toEqual([])
  })
})

describe.each(['halted', 'reducing'] as const)('an account that is %s and goes on at once', (state) => {
  it.each(ADDING)(
    'pauses a %s that adds until a person resumes it, also where nobody looked meanwhile',
    async (kind, params) => {
      const { stage, working } = await stageLong()
      const { id } = await stage.begin(params, { kind })
      await stage.advance(2_000)
      const { filled } = stage.task(id)
      await stage.process.guards.restrict('paper', state, 'the terminal')
      await stage.process.guards.release('paper')
      await stage.advance(20_000)
      expect(stage.task(id)).toMatchObject({ paused: true, reason: 'account paper was halted' })
      expect(stage.task(id).filled).toBe(filled)
      expect(await working()).toEqual([])
      await stage.ask(id, 'resume')
      await stage.advance(2_000)
      expect(stage.task(id).paused).toBeUndefined()
    },
  )

  it('holds nothing that begins after it', async () => {
    const { stage } = await stageLong()
    await stage.process.guards.restrict('paper', state, 'the terminal')
    await stage.process.guards.release('paper')
    await stage.advance(1_000)
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await stage.advance(90_000)
    expect(stage.task(id)).toMatchObject({ status: 'done' })
  })
})

describe('a process that is to end', () => {
  it('places no other adding order while its runs have their grace, and what reduces goes on', async () => {
    const { stage, working, held } = await stageLong({}, [chase, twap])
    const adding = await stage.begin(TWAP, { kind: 'twap' })
    const closing = await stage.begin({ ...TWAP, ...EXIT, amount: '0.01' }, { kind: 'twap' })
    const sent = stage.sent.length
    await stage.process.supervisor.beginStopping()
    await stage.advance(25_000)
    expect(stage.task(adding.id)).toMatchObject({ status: 'interrupted', filled: '0.003' })
    expect(stage.task(closing.id)).toMatchObject({ status: 'running', filled: '0.007' })
    expect(stage.sent).toHaveLength(sent + 2)
    await expect(stage.begin(CHASE, { kind: 'chase' })).rejects.toMatchObject({ code: 'no-driver' })
    expect(await working()).toEqual([])
    expect(await held()).toEqual(['long 0.006'])
  })
})

describe('what a source began', () => {
  const HOOK: AskedBy = { source: 'hook', runId: 'r1', origin: 'dip', hookId: 'h1', admission: 'a1' }
  const PAGE: AskedBy = { source: 'web', runId: 'r2', origin: 'Console', clientId: 'c1' }

  async function stageSources() {
    const ended = new Map<string, string>()
    const stage = await stageLong({
      whyEnded: ({ hookId, clientId }) => ended.get(hookId ?? '') ?? ended.get(clientId ?? ''),
    })
    return { ...stage, end: (id: string, why: string) => void ended.set(id, why), again: () => ended.clear() }
  }

  it.each([
    ['a hook', HOOK, 'h1', 'hook dip was revoked'],
    ['a page', PAGE, 'c1', 'client Console was revoked'],
  ])(
    'adds no more when %s has ended, is paused with the reason, and leaves nothing at the venue',
    async (_, by, id, why) => {
      const { stage, end, working } = await stageSources()
      const task = await stage.begin(CHASE, { kind: 'chase', by })
      end(id, why)
      await stage.advance(2_000)
      expect(stage.task(task.id)).toMatchObject({ status: 'running', paused: true, reason: why })
      expect(await working()).toEqual([])
      await stage.setPrice('65100')
      await stage.advance(5_000)
      expect(stage.sent).toHaveLength(1)
    },
  )

  it('places nothing between the end of the source and the next look at it', async () => {
    const { stage, end } = await stageSources()
    const task = await stage.begin(TWAP, { kind: 'twap', by: HOOK })
    await stage.advance(9_000)
    end('h1', 'hook dip was revoked')
    await stage.market.advance(1_500)
    stage.clock.endDelays()
    await stage.settle()
    expect(stage.sent).toHaveLength(1)
    expect(stage.task(task.id).filled).toBe('0.003')
  })

  it('goes on where it reduces or protects', async () => {
    const { stage, end, working } = await stageSources()
    const task = await stage.begin(TRAIL, { kind: 'trail', by: HOOK })
    end('h1', 'hook dip was revoked')
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    expect(stage.task(task.id).paused).toBeUndefined()
  })

  it('is resumed by a person alone, and is theirs from then on', async () => {
    const { stage, end, working } = await stageSources()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase', by: HOOK })
    end('h1', 'hook dip was revoked')
    await stage.advance(2_000)
    await expect(stage.ask(id, 'resume', { ...PAGE })).rejects.toMatchObject({
      code: 'not-resumable',
      hint: `type \`tasks resume ${id.slice(0, 8)}\` in the terminal`,
    })
    await stage.ask(id, 'resume')
    await stage.advance(5_000)
    expect(stage.task(id).paused).toBeUndefined()
    expect(await working()).toHaveLength(1)
    expect(stage.orderLines.filter((line) => line.includes('"by"')).at(-1)).toContain('"source":"repl"')
    await stage.killAndRestart()
    await stage.ask(id, 'resume')
    await stage.advance(3_000)
    expect(stage.task(id).paused).toBeUndefined()
  })

  it('stays paused after a restart, and when its source is there again', async () => {
    const { stage, end, again } = await stageSources()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase', by: HOOK })
    end('h1', 'hook dip was revoked')
    await stage.advance(2_000)
    await stage.killAndRestart()
    again()
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ paused: true, reason: 'hook dip was revoked' })
    await expect(stage.ask(id, 'resume', HOOK)).rejects.toMatchObject({ code: 'not-resumable' })
  })

  it('that was interrupted is resumed by a person alone', async () => {
    const { stage, end } = await stageSources()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase', by: HOOK })
    await stage.killAndRestart()
    end('h1', 'hook dip was revoked')
    expect(stage.task(id).status).toBe('interrupted')
    await expect(stage.ask(id, 'resume', HOOK)).rejects.toMatchObject({ code: 'not-resumable' })
    await stage.ask(id, 'resume')
    await stage.advance(2_000)
    expect(stage.task(id)).toMatchObject({ status: 'running' })
    expect(stage.task(id).paused).toBeUndefined()
  })
})

describe('a tasks.json that cannot be read', () => {
  it('keeps no task from being driven, taken over or canceled, and is told once', async () => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin(TRAIL, { kind: 'trail' })
    writeFileSync(`${stage.directory}/tasks.json`, '{"tasks": [')
    await stage.killAndRestart()
    await stage.setPrice('66000')
    await stage.advance(5_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    expect(await stage.ask(id, 'cancel')).toMatchObject({ status: 'cancelled' })
    expect(await working()).toEqual([])
    expect(stage.problems).toMatchObject([{ code: 'store-corrupt' }])
  })
})

describe('a hundred who ask at the same time from a process that does not drive', () => {
  it('find each their own answer', async () => {
    const stage = stageTasks(resting)
    const tasks: string[] = []
    for (let count = 0; count < 20; count += 1) tasks.push((await stage.begin({ ...RESTS, amount: '0.001' })).id)
    const other = stage.startProcess(false)
    const by: AskedBy = { source: 'exec', runId: 'r' }
    const asks = Array.from({ length: 100 }, (_, count) => other.supervisor.ask(tasks[count % 20] ?? '', 'cancel', by))
    let isOver = false
    const all = Promise.all(asks).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await stage.market.advance(20)
      stage.clock.endDelays()
      // Rows are written to a real file.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const answers = await all
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, count) => tasks[count % 20]))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect(stage.market.now() - (answers[0]?.startedAt ?? 0)).toBeLessThan(5_000)
    await other.kill()
  })
})

describe('`tasks resume` right after a stop was lifted', () => {
  const halted = async (stage: TaskStage) => {
    await stage.market.advance(5)
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.market.advance(5)
    await stage.process.guards.release('paper')
    await stage.market.advance(5)
  }
  const pauses = (stage: TaskStage) => stage.says().filter((line) => line.startsWith('paused'))

  it('lets go on what its driver had no time to pause', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await halted(stage)
    await stage.ask(id, 'resume')
    await stage.advance(60_000)
    expect(pauses(stage)).toEqual([])
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })

  it('is not undone by a look of its driver that comes in between', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await stage.market.advance(5)
    await stage.process.guards.restrict('paper', 'halted', 'the terminal')
    await stage.advance(2_000)
    await stage.process.guards.release('paper')
    const resumed = stage.ask(id, 'resume')
    await stage.process.supervisor.look()
    await resumed
    await stage.advance(60_000)
    expect(pauses(stage)).toEqual(['paused: account paper is halted'])
    expect(stage.task(id)).toMatchObject({ status: 'done', filled: '0.012' })
  })

  it('lets go on what a dead process left, also while its account is still being asked', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    await stage.process.kill()
    const endWait = stage.delayConnecting()
    const { supervisor, lease, pid } = stage.startProcess()
    const looked = supervisor.look()
    // The lease is a real file.
    while (lease.holder()?.pid !== pid) await stage.settle()
    while (!supervisor.isDriving) {
      await stage.market.advance(10)
      stage.clock.endDelays()
      await stage.settle()
    }
    await looked
    const resumed = supervisor.ask(id, 'resume', stage.seed.by)
    await stage.settle()
    endWait()
    expect(await resumed).toMatchObject({ status: 'running' })
    await stage.settle()
    expect(supervisor.list()[0]).toMatchObject({ status: 'running' })
    await supervisor.stop()
  })
})

describe('where tasks.jsonl cannot be read', () => {
  it.each(ADDING)(
    'a %s that adds is paused, leaves nothing at the venue, and goes on by a person',
    async (kind, params) => {
      const { stage, working } = await stageLong()
      const { id } = await stage.begin({ ...params, ...(kind === 'chase' ? { lastsMs: HOUR } : {}) }, { kind })
      const sent = stage.sent.length
      stage.spoilJournal(true)
      await stage.advance(20_000)
      expect(stage.task(id)).toMatchObject({ status: 'running', paused: true, reason: 'tasks.jsonl cannot be read' })
      expect(await working()).toEqual([])
      expect(stage.sent).toHaveLength(sent)
      await expect(stage.ask(id, 'resume')).rejects.toMatchObject({ code: 'not-resumable' })
      stage.spoilJournal(false)
      await stage.advance(20_000)
      expect(stage.task(id).paused).toBe(true)
      expect(stage.sent).toHaveLength(sent)
      await stage.ask(id, 'resume')
      await stage.advance(5_000)
      expect(stage.sent.length).toBeGreaterThan(sent)
    },
  )

  it.each([...ADDING, ...EASING])('no %s begins, in any process', async (kind, params) => {
    const { stage } = await stageLong()
    await stage.process.supervisor.look()
    const other = stage.startProcess(false)
    stage.spoilJournal(true)
    await stage.advance(2_000)
    const refused = { code: 'unreadable', message: 'tasks.jsonl cannot be read, so it was not started' }
    await expect(stage.begin(params, { kind })).rejects.toMatchObject(refused)
    await expect(other.supervisor.begin({ ...stage.seed, kind, params })).rejects.toMatchObject(refused)
    expect(stage.sent).toEqual([])
    await other.kill()
  })

  it('a stop of a trail stays, and follows the price again when the file is back, also in another process', async () => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin(TRAIL, { kind: 'trail' })
    const before = await working()
    stage.spoilJournal(true)
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(before)
    stage.spoilJournal(false)
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    await stage.killAndRestart()
    await stage.setPrice('67000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 66330'])
    expect(stage.task(id)).toMatchObject({ status: 'running' })
  })

  it('a twap that closes waits, and closes all when the file is back', async () => {
    const { stage, held } = await stageLong()
    const { id } = await stage.begin({ ...TWAP, ...EXIT, amount: '0.01' }, { kind: 'twap' })
    stage.spoilJournal(true)
    const sent = stage.sent.length
    await stage.advance(15_000)
    expect(stage.sent).toHaveLength(sent)
    stage.spoilJournal(false)
    await stage.advance(120_000)
    expect(await held()).toEqual([])
    expect(stage.task(id)).toMatchObject({ status: 'done' })
  })

  it('what was canceled meanwhile stays over after a restart', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    stage.spoilJournal(true)
    await stage.advance(2_000)
    await expect(stage.ask(id, 'cancel')).rejects.toMatchObject({ code: 'store-write-failed' })
    stage.spoilJournal(false)
    await stage.advance(2_000)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ status: 'cancelled' })
    expect(await stage.openOrders()).toEqual([])
  })

  it.each(STOPS)('%s is said to what adds all the same', async (_, stop) => {
    const { stage, working } = await stageLong()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    stage.spoilJournal(true)
    await stop(stage)
    await stage.advance(3_000)
    expect(await working()).toEqual([])
    stage.spoilJournal(false)
    await stage.advance(3_000)
    expect(stage.sent).toHaveLength(1)
    await stage.killAndRestart()
    expect([stage.task(id).status, stage.task(id).paused]).not.toEqual(['running', undefined])
  })
})

describe('where tasks.jsonl is gone', () => {
  it('what adds is paused, and all is written anew: nothing is lost with the process', async () => {
    const { stage, working } = await stageLong()
    const adding = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    const trail = await stage.begin(TRAIL, { kind: 'trail' })
    stage.loseJournal()
    await stage.advance(3_000)
    expect(stage.task(adding.id)).toMatchObject({ paused: true, reason: 'tasks.jsonl was gone' })
    expect(stage.task(trail.id).paused).toBeUndefined()
    await stage.killAndRestart()
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    await stage.ask(adding.id, 'resume')
    await stage.advance(3_000)
    expect(await working()).toHaveLength(2)
  })

  it('what adds is paused also where an order of it, or what another process asks, has begun the file again', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    const trail = await stage.begin(TRAIL, { kind: 'trail' })
    stage.loseJournal()
    const other = stage.startProcess(false)
    let isAnswered = false
    const asked = other.supervisor.ask(trail.id, 'pause', stage.seed.by).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      await stage.market.advance(20)
      stage.clock.endDelays()
      // Rows are written to a real file.
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await asked
    await stage.advance(3_000)
    await stage.killAndRestart()
    expect(stage.task(id)).toMatchObject({ paused: true, reason: 'tasks.jsonl was gone' })
    expect(stage.task(trail.id)).toMatchObject({ paused: true, reason: 'paused from a terminal' })
    expect(await stage.ask(id, 'resume')).toMatchObject({ status: 'running' })
    await other.kill()
  })

  it('nothing that begins while it is read is paused', async () => {
    const { stage } = await stageLong()
    await stage.advance(1_000)
    // As its first line begins it.
    stage.loseJournal()
    const goOn = stage.delayReading()
    const looked = stage.process.supervisor.look()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    goOn()
    await looked
    await stage.advance(3_000)
    expect(stage.task(id)).toMatchObject({ status: 'running' })
    expect(stage.task(id).paused).toBeUndefined()
    expect(stage.sent.length).toBeGreaterThan(0)
  })

  it('one that grew and was set aside pauses nothing', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin(TWAP, { kind: 'twap' })
    const kept = linesToKeep(stage.taskLines)
    stage.loseJournal()
    stage.taskLines.push(...kept)
    await stage.advance(3_000)
    expect(stage.task(id).paused).toBeUndefined()
  })
})

describe('where tasks.json', () => {
  const path = ({ directory }: TaskStage) => join(directory, 'tasks.json')

  it('cannot be read, what adds is paused, and what reduces or protects goes on', async () => {
    const { stage, working } = await stageLong()
    const adding = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    await stage.begin(TRAIL, { kind: 'trail' })
    writeFileSync(path(stage), '{"tasks": [')
    await stage.advance(3_000)
    expect(stage.task(adding.id)).toMatchObject({ paused: true, reason: 'tasks.json cannot be read' })
    await stage.setPrice('66000')
    await stage.advance(3_000)
    expect(await working()).toEqual(['stop sell 0.01 at 65340'])
    await expect(stage.begin(TWAP, { kind: 'twap' })).rejects.toMatchObject({ code: 'unreadable' })
  })

  it('is gone, what adds is paused, and every task is shown again', async () => {
    const { stage } = await stageLong()
    const adding = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    const trail = await stage.begin(TRAIL, { kind: 'trail' })
    await stage.advance(2_000)
    rmSync(path(stage))
    // What is gone counts as removed after a while of real time.
    const isPaused = async () => {
      await stage.advance(1_000)
      return stage.task(adding.id).paused
    }
    await expect.poll(isPaused, { timeout: 60_000 }).toBe(true)
    await expect
      .poll(
        () =>
          existsSync(path(stage)) &&
          stage
            .rows()
            .map(({ id }) => id)
            .toSorted(),
      )
      .toEqual([adding.id, trail.id].toSorted())
    expect(stage.task(adding.id)).toMatchObject({ paused: true, reason: 'tasks.json was gone' })
  })

  it('shows a task as running that tasks.jsonl does not have, who cancels it is answered that it cannot be', async () => {
    const { stage } = await stageLong()
    const { id } = await stage.begin({ ...CHASE, lastsMs: HOUR }, { kind: 'chase' })
    stage.loseJournal()
    await stage.killAndRestart()
    await expect(stage.ask(id, 'cancel')).rejects.toMatchObject({ code: 'unknown-task' })
  })
})

describe('a task of which nothing can be written down', () => {
  it('is taken back all the same when it is canceled, and says what failed', async () => {
    const stage = stageTasks(resting)
    const { id } = await stage.begin(RESTS)
    stage.failJournal(true)
    await expect(stage.ask(id, 'cancel')).rejects.toMatchObject({ code: 'store-write-failed' })
    expect(await stage.openOrders()).toEqual([])
    await stage.setPrice('64000')
    expect(stage.sent).toHaveLength(1)
  })
})
