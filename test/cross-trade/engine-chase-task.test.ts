// A copier that chases, through the real driver of tasks on the scripted paper market.
import { describe, expect, it } from 'vitest'
import { copierOf, rowOf } from '../../harness/cross-trade/copier-stage.ts'
import { stageTasks } from '../../harness/tasks/task-stage.ts'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import { chaseThrough } from '../../src/cross-trade/copy-chase.ts'
import { createCrossTradeEngine } from '../../src/cross-trade/engine.ts'
import type { Side } from '../../src/exchange/order.ts'
import { chase } from '../../src/tasks/chase.ts'

async function stageChase() {
  const stage = stageTasks(chase, { balance: '1000000' })
  const master = stage.market.openAccount()
  const copier = stage.market.openExchange()
  await stage.process.supervisor.look()
  const row = rowOf({ masterSymbol: 'BTCUSDT', copiers: [copierOf({ account: 'paper', mode: 'Chase' })] })
  const problems: unknown[] = []
  const orders = stage.process.desk()
  const accounts = [
    { name: 'master', venue: master, orders },
    { name: 'paper', venue: copier, orders },
  ]
  const engine = createCrossTradeEngine({
    ...{ configs: () => [row], watchConfigs: () => () => {}, file: journalInMemory(), clock: stage.clock },
    async connect(name) {
      const account = accounts.find((each) => each.name === name)
      if (account === undefined) throw new Error(`there is no account ${name}`)
      return account
    },
    chase: chaseThrough(stage.process.supervisor, 'exec'),
    ...{ isLeader: () => true, by: { source: 'exec', runId: 'engine' }, report() {} },
    onProblem: (problem) => void problems.push(problem),
  })
  const starting = engine.start()
  await stage.advance(3_000)
  await starting
  let count = 0
  return {
    ...{ stage, problems },
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
