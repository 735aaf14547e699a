// Decision 42 on paper: what the copier does with what its master does.
import { describe, expect, it } from 'vitest'
import { copierOf, refusing, rowOf, stageCopier } from '../../harness/cross-trade/copier-stage.ts'

const BTC = { masterSymbol: 'BTCUSDT' }

describe('the copier', () => {
  it('follows the master from where it was when the row was enabled', async () => {
    const stage = stageCopier()
    await stage.trade('master', 'buy', '1')
    const engine = await stage.started()
    expect(engine.copied()).toEqual([])
    await stage.trade('master', 'buy', '0.5')
    await stage.advance(200)
    expect(engine.copied()).toEqual(['buy 0.5'])
    expect(await stage.position('copier')).toBe('0.5')
    expect(engine.state()).toEqual({
      configId: rowOf().id,
      account: 'copier',
      symbol: 'BTCUSDT',
      state: 'in-step',
      desired: '0.5',
      owned: '0.5',
    })
    expect(engine.problems).toEqual([])
  })

  it('copies what the master held already where the row says sync', async () => {
    const stage = stageCopier({ rows: [rowOf({ sync: true } as object)] })
    await stage.trade('master', 'buy', '1')
    const engine = await stage.started()
    expect(engine.copied()).toEqual(['buy 1'])
  })

  it.each([
    ['half', 0.5, 1, '0.5'],
    ['twice', 2, 1, '2'],
    ['the other way', -1, 1, '-1'],
    ['by the weight of the master too', 1, 4, '0.25'],
  ])('weighs: %s', async (_, weight, masterWeight, position) => {
    const stage = stageCopier({ rows: [rowOf({ masterWeight, copiers: [copierOf({ weight })] })] })
    await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe(position)
  })

  it('follows all symbols of the master where the row names none, and one where it does', async () => {
    const stage = stageCopier({
      rows: [
        rowOf({ copiers: [copierOf()] }),
        rowOf({ id: '22222222-2222-4333-8444-555555555555', ...BTC, copiers: [copierOf({ account: 'other' })] }),
      ],
    })
    await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.trade('master', 'sell', '2', 'ETHUSDT')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('1')
    expect(await stage.position('copier', 'ETHUSDT')).toBe('-2')
    expect(await stage.position('other')).toBe('1')
    expect(await stage.position('other', 'ETHUSDT')).toBe('0')
  })

  it('groups the fills of a burst, and looks when it is quiet', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    for (let fill = 0; fill < 3; fill += 1) {
      await stage.trade('master', 'buy', '0.1')
      await stage.advance(100)
    }
    expect(engine.copied()).toEqual([])
    await stage.advance(200)
    expect(engine.copied()).toEqual(['buy 0.3'])
  })

  it('waits half a second at most while the master trades on', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    for (let fill = 0; fill < 7; fill += 1) {
      await stage.trade('master', 'buy', '0.1')
      await stage.advance(100)
    }
    expect(engine.copied()[0]).toMatch(/^buy 0\.[56]$/)
  })

  it('goes through zero in two steps: closes, and opens when it is flat', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    await stage.trade('master', 'sell', '3')
    await stage.advance(300)
    expect(engine.copied()).toEqual(['buy 1', 'sell 1 reduce', 'sell 2'])
    expect(await stage.position('copier')).toBe('-2')
  })

  it('is flat where the second step fails', async () => {
    const stage = stageCopier()
    let refuses = false
    const engine = await stage.started({
      exchange: (paper, name) =>
        refusing(paper, ({ reduceOnly }) =>
          name === 'copier' && refuses && reduceOnly !== true ? 'insufficient-funds' : undefined,
        ),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    refuses = true
    await stage.trade('master', 'sell', '2')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0')
    expect(engine.state()).toMatchObject({ state: 'blocked', why: 'the venue says no', desired: '-1', owned: '0' })
  })

  it('waits while what is due is too little, and the target keeps the rest', async () => {
    const stage = stageCopier({ rows: [rowOf({ copiers: [copierOf({ weight: 0.3 })] })] })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '0.003')
    await stage.advance(300)
    expect(engine.copied()).toEqual([])
    await stage.trade('master', 'buy', '0.001')
    await stage.advance(300)
    expect(engine.copied()).toEqual(['buy 0.001'])
  })

  it('says that it waits for the smallest order, and closes below it all the same', async () => {
    const stage = stageCopier({ prices: { BTCUSDT: '1000' } })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '0.006')
    await stage.advance(300)
    stage.market.setPrice('BTCUSDT', '500')
    await stage.advance(1000)
    await stage.trade('master', 'buy', '0.1')
    await stage.advance(300)
    await stage.trade('master', 'sell', '0.102')
    await stage.advance(300)
    expect(engine.copied()).toEqual(['buy 0.006', 'buy 0.1', 'sell 0.102 reduce'])
    await stage.trade('master', 'buy', '0.02')
    await stage.advance(300)
    await stage.trade('master', 'sell', '0.024')
    await stage.advance(300)
    expect(engine.copied().at(-1)).toBe('sell 0.024 reduce')
    expect(await stage.position('copier')).toBe('0')
  })

  it('leaves alone what others hold on the copier, and closes its own part of it', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('copier', 'buy', '5')
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('6')
    await stage.trade('master', 'sell', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('5')
    expect(engine.copied()).toEqual(['buy 1', 'sell 1 reduce'])
  })

  it.each([
    ['its own part closed by hand', '0.5'],
    ['none of it closed by hand', '0'],
  ])('never crosses zero as the master closes what it held before: %s', async (_, closedByHand) => {
    const stage = stageCopier({ rows: [rowOf({ copiers: [copierOf({ weight: 0.5 })] })] })
    await stage.trade('master', 'buy', '1')
    await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0.5')
    if (closedByHand !== '0') await stage.trade('copier', 'sell', closedByHand)
    await stage.advance(300)
    await stage.trade('master', 'sell', '1.5')
    await stage.advance(300)
    await stage.trade('master', 'sell', '0.5')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0')
    // What was closed by hand is looked for twice.
    await stage.advance(65_000)
    // What is opened anew is copied whole: nothing is left of the baseline.
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0.5')
  })

  it('does not build again what others have closed, and never turns the copier round', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    await stage.trade('copier', 'sell', '0.6')
    await stage.advance(40_000)
    expect(await stage.position('copier')).toBe('0.4')
    await stage.trade('master', 'sell', '1')
    await stage.advance(3_000)
    expect(engine.copied()).toEqual(['buy 1', 'sell 0.4 reduce'])
    expect(engine.told('written-off')).toMatchObject([{ amount: '0.6' }])
    expect(await stage.position('copier')).toBe('0')
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '0' })
    await stage.trade('master', 'buy', '0.2')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('0.2')
  })
})

describe('a chain of rows', () => {
  it('is followed to its end', async () => {
    const second = rowOf({
      id: '22222222-2222-4333-8444-555555555555',
      masterAccount: 'copier',
      copiers: [copierOf({ account: 'other', weight: 0.5 })],
    })
    const stage = stageCopier({ rows: [rowOf(), second] })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(600)
    expect(engine.copied()).toEqual(['buy 1', 'other buy 0.5'])
    await stage.trade('master', 'sell', '2')
    await stage.advance(600)
    expect(await stage.position('other')).toBe('-0.5')
  })
})

describe('another symbol', () => {
  it('is copied onto by what the share is worth, when the master changes and not when prices do', async () => {
    const stage = stageCopier({ rows: [rowOf({ ...BTC, copiers: [copierOf({ symbol: 'ETHUSDT' })] })] })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier', 'ETHUSDT')).toBe('20')
    stage.market.setPrice('BTCUSDT', '130000')
    await stage.advance(65_000)
    expect(engine.copied()).toEqual(['buy 20'])
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier', 'ETHUSDT')).toBe('80')
  })

  it('is closed whole with the master', async () => {
    const stage = stageCopier({ rows: [rowOf({ ...BTC, copiers: [copierOf({ symbol: 'ETHUSDT' })] })] })
    await stage.started()
    await stage.trade('master', 'sell', '1')
    await stage.advance(300)
    expect(await stage.position('copier', 'ETHUSDT')).toBe('-20')
    stage.market.setPrice('ETHUSDT', '4000')
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('copier', 'ETHUSDT')).toBe('0')
  })

  it('that the venue does not have blocks that copier, and the others go on', async () => {
    const copiers = [copierOf({ symbol: 'NOPEUSDT' }), copierOf({ account: 'other' })]
    const stage = stageCopier({ rows: [rowOf({ ...BTC, copiers })] })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(engine.state()).toMatchObject({ state: 'blocked', why: 'copier has no market NOPEUSDT' })
    expect(await stage.position('other')).toBe('1')
  })
})
