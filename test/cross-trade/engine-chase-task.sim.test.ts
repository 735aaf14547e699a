// A copier that chases, through the real driver of tasks on the scripted paper market.
import { describe, expect, it } from 'vitest'
import { copierOf, rowOf } from '../../harness/cross-trade/copier-stage.ts'
import { stageTasks, type TaskStage } from '../../harness/tasks/task-stage.ts'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import { chaseThrough } from '../../src/cross-trade/copy-order.ts'
import { type CrossTradeEngineOptions, createCrossTradeEngine } from '../../src/cross-trade/engine.ts'
import type { Side } from '../../src/exchange/order.ts'
import { chase } from '../../src/tasks/chase.ts'

async function stageChase() {
  const stage = stageTasks(chase, { balance: '1000000' })
  const master = stage.market.openAccount()
  const copier = stage.market.openExchange()
  await stage.process.supervisor.look()
  let row = rowOf({ masterSymbol: 'BTCUSDT', copiers: [copierOf({ account: 'paper', mode: 'Chase' })] })
  const watchers = new Set<() => void>()
  const file = journalInMemory()
  const problems: unknown[] = []
  const orders = stage.process.desk()
  const accounts = [
    { name: 'master', venue: master, orders },
    { name: 'paper', venue: copier, orders },
  ]
  const options: CrossTradeEngineOptions = {
    configs: () => [row],
    file,
    clock: stage.clock,
    watchConfigs(handler) {
      watchers.add(handler)
      return () => watchers.delete(handler)
    },
    async connect(name) {
      const account = accounts.find((each) => each.name === name)
      if (account === undefined) throw new Error(`there is no account ${name}`)
      return account
    },
    chase: chaseThrough(stage.process.supervisor, 'exec'),
    isLeader: () => true,
    by: { source: 'exec', runId: 'engine' },
    report() {},
    onProblem: (problem) => void problems.push(problem),
  }
  let engine = createCrossTradeEngine(options)
  const start = async () => {
    const starting = engine.start()
    await stage.advance(3_000)
    await starting
  }
  await start()
  let count = 0
  return {
    stage,
    problems,
    stop: () => stage.meanwhile(engine.stop()),
    async startAgain() {
      engine = createCrossTradeEngine(options)
      await start()
    },
    /** As a command edits the row. */
    async edit(more: Parameters<typeof rowOf>[0]) {
      row = { ...row, ...more }
      for (const watcher of watchers) watcher()
      await stage.advance(3_000)
    },
    chases: () => stage.process.supervisor.list().map(({ id, status }) => ({ id, status })),
    state: () => engine.report().copiers[0],
    held: async () => (await copier.fetchPositions()).map(({ side, amount }) => `${side} ${amount}`),
    async trade(side: Side, amount: string) {
      count += 1
      const clientOrderId = count.toString(16).padStart(32, 'e')
      const outcome = await master.createOrder({ clientOrderId, symbol: 'BTCUSDT', side, type: 'market', amount })
      expect(outcome).toMatchObject({ kind: 'placed', order: { status: 'closed' } })
      await stage.advance(3_000)
    },
  }
}

describe('a copier that chases', () => {
  it('rests at the best price until it has filled, and closes at the market when a minute is over', async () => {
    const { stage, state, held, trade, problems } = await stageChase()
    await trade('buy', '0.5')
    expect(state()).toMatchObject({
      state: 'behind',
      why: expect.stringContaining('rests at'),
      desired: '0.5',
      owned: '0',
    })
    stage.market.setPrice('BTCUSDT', '64990')
    await stage.advance(4_000)
    expect(state()).toMatchObject({ state: 'in-step', owned: '0.5' })
    expect(await held()).toEqual(['long 0.5'])
    await trade('sell', '0.5')
    expect(state()).toMatchObject({ state: 'behind', owned: '0.5' })
    await stage.advance(70_000)
    expect(state()).toMatchObject({ state: 'in-step', owned: '0' })
    expect(await held()).toEqual([])
    expect(problems).toEqual([])
  })

  it('takes its order back when the master has gone the other way', async () => {
    const { stage, state, held, trade } = await stageChase()
    await trade('buy', '0.5')
    expect(await stage.openOrders()).toHaveLength(1)
    await trade('sell', '0.5')
    await stage.advance(3_000)
    expect(await stage.openOrders()).toEqual([])
    expect(state()).toMatchObject({ state: 'in-step', owned: '0' })
    expect(await held()).toEqual([])
  })
})

describe('the chase of a copier that a person takes back', () => {
  it('is not begun again before the person says so, whatever the master does', async () => {
    const { stage, state, trade, edit, chases, held } = await stageChase()
    await trade('buy', '0.5')
    const [begun] = chases()
    await stage.ask(begun?.id ?? '', 'cancel')
    await stage.advance(3_000)
    const why = 'its chase ended: canceled from a terminal; `cross-trade enable 11111111` goes on'
    expect(state()).toMatchObject({ state: 'paused', why, owned: '0' })
    await trade('buy', '0.1')
    await stage.advance(10_000)
    expect(chases()).toEqual([{ id: begun?.id, status: 'cancelled' }])
    expect(await stage.openOrders()).toEqual([])
    await edit({ wokenAt: 5, updatedAt: 2 } as object)
    expect(await stage.openOrders()).toHaveLength(1)
    stage.market.setPrice('BTCUSDT', '64900')
    await stage.advance(4_000)
    expect(await held()).toEqual(['long 0.6'])
  })

  it('by its order is not begun again either', async () => {
    const { stage, state, trade, chases } = await stageChase()
    await trade('buy', '0.5')
    await stage.market.exchange.cancelAllOrders('BTCUSDT')
    await stage.advance(3_000)
    const why = 'its chase ended: its order ended outside the chase: canceled; `cross-trade enable 11111111` goes on'
    expect(state()).toMatchObject({ state: 'paused', why, owned: '0' })
    await trade('buy', '0.1')
    await stage.advance(10_000)
    expect(chases()).toHaveLength(1)
    expect(await stage.openOrders()).toEqual([])
  })

  it('keeps what it has filled counted', async () => {
    const { stage, state, trade, chases } = await stageChase()
    await trade('buy', '0.5')
    stage.market.setPrice('BTCUSDT', '64990')
    await stage.advance(4_000)
    await trade('sell', '0.2')
    await stage.ask(chases()[0]?.id ?? '', 'cancel')
    await stage.advance(3_000)
    expect(state()).toMatchObject({ state: 'paused', owned: '0.5', desired: '0.3' })
  })

  it('and stays paused by `tasks pause`, also when the master moves on', async () => {
    const { stage, state, trade, chases } = await stageChase()
    await trade('buy', '0.5')
    const id = chases()[0]?.id ?? ''
    await stage.ask(id, 'pause')
    await trade('buy', '0.1')
    await stage.advance(5_000)
    expect(chases()).toEqual([{ id, status: 'running' }])
    const why = `its chase is paused from a terminal; \`tasks resume ${id.slice(0, 8)}\` goes on`
    expect(state()).toMatchObject({ state: 'paused', why })
    expect(await stage.openOrders()).toEqual([])
    await stage.ask(id, 'resume')
    await stage.until(async () => (await stage.openOrders()).length > 0)
    expect(await stage.openOrders()).toMatchObject([{ amount: '0.6' }])
  })

  it('ends with its row, also while a person has paused it', async () => {
    const { stage, trade, chases, edit } = await stageChase()
    await trade('buy', '0.5')
    await stage.ask(chases()[0]?.id ?? '', 'pause')
    await stage.advance(2_000)
    await edit({ enabled: false, updatedAt: 2 })
    expect(chases()).toMatchObject([{ status: 'cancelled' }])
  })
})

describe('an engine that stops', () => {
  it('has its chases taken back before it has stopped, and counts what they filled', async () => {
    const { stage, state, trade, chases, stop, startAgain, problems } = await stageChase()
    await trade('buy', '0.5')
    await stop()
    expect(await stage.openOrders()).toEqual([])
    expect(chases()).toMatchObject([{ status: 'cancelled' }])
    stage.market.setPrice('BTCUSDT', '64900')
    await stage.advance(5_000)
    expect(await stage.positions()).toEqual([])
    await startAgain()
    await stage.advance(3_000)
    expect(state()).toMatchObject({ state: 'behind', why: expect.stringContaining('rests at') })
    expect(problems).toEqual([])
  })

  it('names what could not be taken back', async () => {
    const { stage, trade, chases, stop, problems } = await stageChase()
    await trade('buy', '0.5')
    stage.faultCancels('refused', 100)
    await stop()
    const name = chases()[0]?.id.slice(0, 8)
    expect(problems).toMatchObject([
      { code: 'not-stopped', message: `chase ${name} on BTCUSDT of account paper was not canceled` },
    ])
  })
})

describe.each([
  ['panic', (stage: TaskStage) => stage.process.panic.begin('the terminal')],
  ['halt', (stage: TaskStage) => stage.process.guards.restrict('paper', 'halted', 'the terminal')],
] as const)('under %s', (_, restrict) => {
  it('a copier that chases closes when its master does', async () => {
    const { stage, trade, state, held } = await stageChase()
    await trade('buy', '0.5')
    stage.market.setPrice('BTCUSDT', '64990')
    await stage.advance(4_000)
    expect(await held()).toEqual(['long 0.5'])
    await restrict(stage)
    await trade('sell', '0.5')
    await stage.advance(70_000)
    expect(await held()).toEqual([])
    expect(state()).toMatchObject({ state: 'in-step', owned: '0' })
  })
})
