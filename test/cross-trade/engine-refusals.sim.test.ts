// Decision 42 on paper: what the copier does when something says no, or says nothing.
import { describe, expect, it } from 'vitest'
import { copierOf, refusing, rowOf, stageCopier, withOrders } from '../../harness/cross-trade/copier-stage.ts'
import type { ExchangeErrorCode } from '../../src/exchange/exchange-error.ts'
import { Simulated } from '../../src/exchange/simulated.ts'

const OTHER = rowOf({ copiers: [copierOf(), copierOf({ account: 'other' })] })

/** The venue of `copier` refuses as long as there is a code. */
async function stageRefusal(code: ExchangeErrorCode | undefined, rows = [OTHER]) {
  const stage = stageCopier({ rows })
  const says = { code }
  const engine = await stage.started({
    exchange: (paper, name) => refusing(paper, () => (name === 'copier' ? says.code : undefined)),
  })
  const move = async (side: 'buy' | 'sell', amount: string) => {
    await stage.trade('master', side, amount)
    await stage.advance(300)
  }
  return { stage, says, engine, move }
}

describe('a copier that is refused', () => {
  it('is blocked until the master changes, and the others go on', async () => {
    const { stage, says, engine, move } = await stageRefusal('insufficient-funds')
    await move('buy', '1')
    expect(engine.state()).toMatchObject({ state: 'blocked', why: 'the venue says no', desired: '1', owned: '0' })
    expect(await stage.position('other')).toBe('1')
    says.code = undefined
    await stage.advance(70_000)
    expect(await stage.position('copier')).toBe('0')
    await move('buy', '0.5')
    expect(await stage.position('copier')).toBe('1.5')
    expect(engine.state()).toMatchObject({ state: 'in-step' })
  })

  it('is paused after five failures in a row, over a restart too, until it is enabled by hand', async () => {
    const { stage, says, engine, move } = await stageRefusal('insufficient-funds')
    for (let failure = 0; failure < 5; failure += 1) await move('buy', '0.1')
    const why = 'five failures in a row, the last: the venue says no'
    expect(engine.state()).toMatchObject({ state: 'paused', why })
    says.code = undefined
    await move('buy', '0.1')
    expect(await stage.position('copier')).toBe('0')
    engine.kill()
    const next = await stage.started()
    await move('buy', '0.1')
    expect(next.state()).toMatchObject({ state: 'paused', why })
    await stage.edit({ ...OTHER, updatedAt: 2, wokenAt: 2 } as typeof OTHER)
    await stage.advance(300)
    expect(next.state()).toMatchObject({ state: 'in-step' })
    expect(await stage.position('copier')).toBe('0.7')
    expect(await stage.position('other')).toBe('0.7')
  })

  it('counts failures anew after an order that filled', async () => {
    const { says, engine, move } = await stageRefusal('insufficient-funds')
    for (let failure = 0; failure < 4; failure += 1) await move('buy', '0.1')
    says.code = undefined
    await move('buy', '0.1')
    says.code = 'insufficient-funds'
    for (let failure = 0; failure < 4; failure += 1) await move('buy', '0.1')
    expect(engine.state()).toMatchObject({ state: 'blocked' })
  })

  it('by a guard is blocked, and never paused for it', async () => {
    const { engine, move } = await stageRefusal('guarded')
    for (let failure = 0; failure < 7; failure += 1) await move('buy', '0.1')
    expect(engine.state()).toMatchObject({ state: 'blocked', why: 'the venue says no' })
  })

  it('for a moment tries again, with longer and longer pauses', async () => {
    const { stage, says, engine, move } = await stageRefusal('unavailable')
    await move('buy', '1')
    expect(engine.state()).toMatchObject({ state: 'behind', why: 'the venue says no' })
    await stage.advance(100_000)
    const tries = stage.sent.length
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(15)
    says.code = undefined
    await stage.advance(40_000)
    expect(await stage.position('copier')).toBe('1')
    expect(engine.state()).toMatchObject({ state: 'in-step' })
  })

  it('by the simulation has not traded, and does not say that it has', async () => {
    const stage = stageCopier()
    const engine = await stage.started({
      exchange: (paper) =>
        withOrders(paper, async ({ clientOrderId: _, ...order }) => {
          throw new Simulated({ kind: 'place', order })
        }),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(engine.copied()).toEqual([])
    expect(engine.state()).toMatchObject({
      state: 'blocked',
      why: 'its orders are simulated, and not sent',
      owned: '0',
    })
  })
})

describe('an order of unknown fate', () => {
  it('is asked for by its id and not sent again', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.by('copier').paper.setFaults({ lostAnswers: 1 })
    await stage.trade('master', 'buy', '1')
    await stage.advance(200)
    expect(engine.state()).toMatchObject({ state: 'unknown', why: 'the venue did not answer' })
    await stage.by('copier').paper.setFaults({})
    await stage.advance(2_000)
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '1' })
    expect(stage.sent).toHaveLength(1)
    expect(await stage.position('copier')).toBe('1')
  })

  it('that never arrived is followed by another one, under another id', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.by('copier').paper.setFaults({ lostOrders: 1 })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    await stage.by('copier').paper.setFaults({})
    await stage.advance(50_000)
    expect(engine.state()).toMatchObject({ state: 'unknown' })
    await stage.advance(30_000)
    expect(engine.state()).toMatchObject({ state: 'in-step' })
    expect(new Set(stage.sent).size).toBe(2)
    expect(await stage.position('copier')).toBe('1')
  })

  it('or one that is acknowledged before it fills, is counted once when its end is known', async () => {
    const stage = stageCopier()
    const engine = await stage.started({
      exchange: (paper) =>
        withOrders(paper, async (request, context) => {
          const outcome = await paper.createOrder(request, context)
          if (outcome.kind !== 'placed') return outcome
          const { average: _, ...order } = outcome.order
          return { kind: 'placed', order: { ...order, status: 'open', filled: '0', remaining: order.amount } }
        }),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(2_000)
    await stage.trade('master', 'sell', '2')
    await stage.advance(3_000)
    expect(engine.copied()).toEqual(['buy 1', 'sell 1 reduce', 'sell 1'])
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '-1' })
    expect(await stage.position('copier')).toBe('-1')
  })

  it('blocks no other copier', async () => {
    const stage = stageCopier({ rows: [OTHER] })
    await stage.started()
    await stage.by('copier').paper.setFaults({ lostAnswers: 1 })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(await stage.position('other')).toBe('1')
  })
})

describe('LimitSlippage', () => {
  const LIMITED = rowOf({ copiers: [copierOf({ mode: 'LimitSlippage', slippage: 1 })] })

  it('fills at once within its band, at a limit on the right side of last', async () => {
    const stage = stageCopier({ rows: [LIMITED] })
    const orders: object[] = []
    const engine = await stage.started({
      exchange: (paper) =>
        withOrders(paper, (request, context) => {
          orders.push(request)
          return paper.createOrder(request, context)
        }),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    await stage.trade('master', 'sell', '1')
    await stage.advance(300)
    expect(orders).toMatchObject([
      { side: 'buy', type: 'limit', timeInForce: 'ioc', price: '65650' },
      { side: 'sell', type: 'limit', timeInForce: 'ioc', price: '64350', reduceOnly: true },
    ])
    expect(engine.copied()).toEqual(['buy 1', 'sell 1 reduce'])
  })

  it('stalls after three orders that did not fill, and the next change of the master wakes it', async () => {
    const stage = stageCopier({ rows: [LIMITED] })
    let isThin = true
    const engine = await stage.started({
      exchange: (paper) =>
        withOrders(paper, async (request, context) => {
          const outcome = await paper.createOrder({ ...request, ...(isThin ? { price: '100' } : {}) }, context)
          return outcome
        }),
    })
    await stage.trade('master', 'buy', '1')
    await stage.advance(60_000)
    expect(stage.sent).toHaveLength(3)
    expect(engine.state()).toMatchObject({ state: 'blocked', why: 'stalled: 3 orders in a row did not fill whole' })
    isThin = false
    await stage.trade('master', 'buy', '0.1')
    await stage.advance(300)
    expect(await stage.position('copier')).toBe('1.1')
  })
})

describe('Market', () => {
  it('goes on as long as the book gives something', async () => {
    const stage = stageCopier()
    const engine = await stage.started()
    await stage.by('copier').paper.setFaults({ partialFills: 1 })
    await stage.trade('master', 'buy', '0.05')
    await stage.advance(10_000)
    expect(await stage.position('copier')).toBe('0.05')
    expect(engine.copied().length).toBeGreaterThan(2)
    expect(engine.state()).toMatchObject({ state: 'in-step', owned: '0.05' })
  })
})

describe('Chase', () => {
  it('is not made up: it says what it waits for', async () => {
    const stage = stageCopier({ rows: [rowOf({ copiers: [copierOf({ mode: 'Chase' })] })] })
    const engine = await stage.started()
    await stage.trade('master', 'buy', '1')
    await stage.advance(300)
    expect(engine.state()).toMatchObject({ state: 'waiting', why: 'Chase waits for a process that drives tasks' })
    expect(stage.sent).toEqual([])
  })
})
