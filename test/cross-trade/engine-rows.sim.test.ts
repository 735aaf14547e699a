// Decision 42 on paper: what becomes of a row that is edited, ended, refused, or asked for by a person.
import { describe, expect, it } from 'vitest'
import { type CopierStage, copierOf, rowOf, stageCopier } from '../../harness/cross-trade/copier-stage.ts'
import type { CrossTradeConfig } from '../../src/stores/cross-trade.ts'

const BTC = { masterSymbol: 'BTCUSDT' }
const BY = { source: 'repl', runId: 'typed' } as const
const OTHER_ID = '22222222-2222-4333-8444-555555555555'

let updatedAt = 1
const row = (more: object = {}): CrossTradeConfig => {
  updatedAt += 1
  return rowOf({ updatedAt, ...more })
}

async function stageLong(first = row()) {
  const stage = stageCopier({ rows: [first] })
  const engine = await stage.started()
  await move(stage, 'buy', '1')
  expect(await stage.position('copier')).toBe('1')
  return { stage, engine }
}

async function move(stage: CopierStage, side: 'buy' | 'sell', amount: string, symbol = 'BTCUSDT') {
  await stage.trade('master', side, amount, symbol)
  await stage.advance(300)
}

describe('an edit of a row', () => {
  it('of a weight trades nothing by itself, and holds from the next change of the master on', async () => {
    const { stage, engine } = await stageLong()
    await stage.edit(row({ copiers: [copierOf({ weight: 3 })] }))
    await stage.advance(65_000)
    expect(engine.copied()).toEqual(['buy 1'])
    await move(stage, 'buy', '1')
    expect(await stage.position('copier')).toBe('6')
  })

  it('that adds a copier trades nothing by itself; with the next change of the master it holds its whole share', async () => {
    const { stage } = await stageLong()
    await stage.edit(row({ copiers: [copierOf(), copierOf({ account: 'other' })] }))
    await stage.advance(65_000)
    expect(await stage.position('other')).toBe('0')
    await move(stage, 'buy', '1')
    expect(await stage.position('other')).toBe('2')
  })

  it('that takes a copier out leaves what it holds; one that comes back goes on from there', async () => {
    const { stage } = await stageLong()
    await stage.edit(row({ copiers: [copierOf({ account: 'other' })] }))
    await move(stage, 'sell', '1')
    expect(await stage.position('copier')).toBe('1')
    await stage.edit(row({ copiers: [copierOf()] }))
    await stage.advance(65_000)
    expect(await stage.position('copier')).toBe('1')
    await move(stage, 'buy', '0.5')
    expect(await stage.position('copier')).toBe('0.5')
  })

  it('of its master or symbol begins it anew: what was built stays and is no longer its own', async () => {
    const { stage, engine } = await stageLong(row(BTC))
    await stage.trade('other', 'sell', '3')
    await stage.edit(row({ ...BTC, masterAccount: 'other' }))
    await stage.advance(65_000)
    await move(stage, 'sell', '1')
    expect(await stage.position('copier')).toBe('1')
    await stage.trade('other', 'sell', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0')
    expect(engine.state()).toMatchObject({ owned: '-1', state: 'in-step' })
  })

  it('lets what was blocked be tried again only when the master changes', async () => {
    const { stage, engine } = await stageLong(row({ copiers: [copierOf({ weight: 1 })] }))
    await stage.by('copier').paper.reset('100')
    await move(stage, 'buy', '1')
    expect(engine.state()).toMatchObject({ state: 'blocked' })
    await stage.by('copier').paper.reset('1000000')
    await stage.edit(row({ copiers: [copierOf({ weight: 1 })] }))
    await stage.advance(65_000)
    const why = 'its row was edited; it continues at the next change of the master'
    expect(engine.state()).toMatchObject({ state: 'behind', why })
    expect(await stage.position('copier')).toBe('0')
    await move(stage, 'buy', '1')
    expect(await stage.position('copier')).toBe('2')
  })
})

describe('a row that ends', () => {
  it.each([
    ['disabled', () => [row({ enabled: false })]],
    ['deleted', () => []],
  ])('%s: leaves positions as they are', async (_, rows) => {
    const { stage, engine } = await stageLong()
    await stage.edit(...rows())
    await move(stage, 'sell', '1')
    await stage.advance(65_000)
    expect(await stage.position('copier')).toBe('1')
    expect(engine.told('row-off')).toHaveLength(1)
    expect(engine.engine.report().copiers).toEqual([])
  })

  it('and begins again copies from the positions of then on, and no longer owns what it built', async () => {
    const { stage, engine } = await stageLong()
    await stage.edit(row({ enabled: false }))
    await move(stage, 'buy', '1')
    await stage.edit(row())
    await stage.advance(2_000)
    expect(engine.told('row-on').map(({ baseline }) => baseline)).toEqual([{}, { BTCUSDT: '2' }])
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '0' })
    await move(stage, 'buy', '0.5')
    expect(await stage.position('copier')).toBe('1.5')
    await move(stage, 'sell', '0.5')
    expect(await stage.position('copier')).toBe('1')
  })

  it('and begins again by a page is not synced again', async () => {
    const { stage } = await stageLong(row({ sync: true, enabledAt: 5 }))
    await stage.edit(row({ enabled: false, sync: true, enabledAt: 5 }))
    await stage.edit(row({ sync: true, enabledAt: 5 }))
    await stage.advance(3_000)
    expect(await stage.position('copier')).toBe('1')
    await stage.edit(row({ sync: true, enabledAt: 6 }))
    await stage.advance(3_000)
    expect(await stage.position('copier')).toBe('2')
  })
})

describe('rows that may not copy', () => {
  const circle = () => [
    row({ copiers: [copierOf({ account: 'b' })] }),
    row({ id: OTHER_ID, masterAccount: 'b', copiers: [copierOf({ account: 'master' })] }),
  ]

  it('do nothing and say why; the others go on', async () => {
    const third = row({ id: '33333333-2222-4333-8444-555555555555', copiers: [copierOf()] })
    const stage = stageCopier({ rows: [...circle(), third] })
    const engine = await stage.started()
    await move(stage, 'buy', '1')
    expect(await stage.position('b')).toBe('0')
    expect(await stage.position('copier')).toBe('1')
    expect(engine.state('b')).toMatchObject({ state: 'blocked', why: expect.stringContaining('copies') })
  })

  it('and may again trade nothing for what happened meanwhile before the master changes', async () => {
    const [first = row(), second = row()] = circle()
    const stage = stageCopier({ rows: [first] })
    const engine = await stage.started()
    await move(stage, 'buy', '1')
    await stage.edit(first, second)
    await move(stage, 'buy', '1')
    expect(await stage.position('b')).toBe('1')
    await stage.edit(first)
    await stage.advance(65_000)
    expect(await stage.position('b')).toBe('1')
    await move(stage, 'buy', '1')
    expect(await stage.position('b')).toBe('3')
    expect(engine.told('refused').map(({ why }) => why === undefined)).toEqual([false, true])
  })

  it('are those with one copier under two masters', async () => {
    const stage = stageCopier({ rows: [row(), row({ id: OTHER_ID, masterAccount: 'b' })] })
    const engine = await stage.started()
    await move(stage, 'buy', '1')
    expect(stage.sent).toEqual([])
    expect(engine.state()).toMatchObject({ state: 'blocked' })
  })
})

describe('resync', () => {
  it('shows its orders first, takes the weights of now, and builds again what others have closed', async () => {
    const { stage, engine } = await stageLong()
    await stage.trade('copier', 'sell', '0.4')
    await stage.edit(row({ copiers: [copierOf({ weight: 2 })] }))
    const planned = await engine.engine.plan(row().id)
    expect(planned).toEqual([
      { configId: row().id, account: 'copier', symbol: 'BTCUSDT', side: 'buy', amount: '1.4', reduceOnly: false },
    ])
    expect(await stage.position('copier')).toBe('0.6')
    const { orders, copiers } = await engine.engine.resync(row().id, {}, BY)
    expect(orders).toEqual(planned)
    expect(copiers).toMatchObject([{ state: 'in-step', desired: '2', owned: '2' }])
    expect(await stage.position('copier')).toBe('2')
  })

  it('shows both orders of a way through zero', async () => {
    const { stage, engine } = await stageLong()
    await stage.edit(row({ copiers: [copierOf({ weight: -1 })] }))
    const planned = await engine.engine.plan(row().id)
    expect(planned.map(({ side, amount, reduceOnly }) => ({ side, amount, reduceOnly }))).toEqual([
      { side: 'sell', amount: '1', reduceOnly: true },
      { side: 'sell', amount: '1', reduceOnly: false },
    ])
    await engine.engine.resync(row().id, {}, BY)
    expect(await stage.position('copier')).toBe('-1')
  })

  it('to flatten closes what the row has built and nothing else, and copies from there on', async () => {
    const { stage, engine } = await stageLong()
    await stage.trade('copier', 'buy', '2')
    expect(await engine.engine.plan(row().id, { flatten: true })).toMatchObject([{ side: 'sell', amount: '1' }])
    await engine.engine.resync(row().id, { flatten: true }, BY)
    expect(await stage.position('copier')).toBe('2')
    await stage.advance(65_000)
    expect(await stage.position('copier')).toBe('2')
    await move(stage, 'buy', '0.5')
    expect(await stage.position('copier')).toBe('2.5')
  })

  it.each([
    ['disabled', () => [row({ enabled: false })]],
    ['deleted', () => []],
  ])('to flatten closes what a row has built that is %s', async (_, rows) => {
    const { stage, engine } = await stageLong()
    await stage.edit(...rows())
    await engine.engine.resync(row().id, { flatten: true }, BY)
    expect(await stage.position('copier')).toBe('0')
  })

  it('is refused for a row that does nothing, and for one that there is not', async () => {
    const { stage, engine } = await stageLong()
    await expect(engine.engine.plan(OTHER_ID)).rejects.toMatchObject({ code: 'unknown-row' })
    await stage.edit(row({ enabled: false }))
    await expect(engine.engine.resync(row().id, {}, BY)).rejects.toMatchObject({ code: 'row-off' })
    await stage.edit(row({ masterWeight: 0 }))
    await expect(engine.engine.plan(row().id)).rejects.toMatchObject({ code: 'row-refused' })
  })

  it('is refused while another process leads', async () => {
    const { engine } = await stageLong()
    engine.isLeader = false
    await expect(engine.engine.resync(row().id, {}, BY)).rejects.toMatchObject({ code: 'not-running' })
  })
})

describe('a stop', () => {
  it('sends nothing from then on, and the next start catches up', async () => {
    const { stage, engine } = await stageLong()
    await engine.engine.stop()
    await move(stage, 'buy', '1')
    expect(await stage.position('copier')).toBe('1')
    const next = await stage.started()
    expect(await stage.position('copier')).toBe('2')
    expect(next.copied()).toEqual(['buy 1'])
    expect(next.problems).toEqual([])
  })
})
