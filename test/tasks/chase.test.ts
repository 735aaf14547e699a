import { describe, expect, test } from 'vitest'
import { type ChaseParams, chase } from '../../src/tasks/chase.ts'
import { PureStage, type StageOptions } from './pure-stage.ts'
import { BTC } from './scripted-venue.ts'

const BUY: ChaseParams = { side: 'buy', amount: '0.1', reduce: false, lastsMs: 3_600_000, rest: 'cancel' }

function stageOf(params: Partial<ChaseParams> = {}, options: StageOptions = {}) {
  return new PureStage(chase, { ...BUY, ...params }, options)
}

const priceOf = (stage: { readonly live: readonly { readonly order?: { readonly price?: string } }[] }) =>
  stage.live.map(({ order }) => order?.price)

describe('a chase', () => {
  test('rests post-only at the best price of its own side', () => {
    const stage = stageOf().begin()
    expect(stage.placed).toEqual([
      {
        type: 'place',
        tag: 'peg',
        plan: { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.1', price: '65000', postOnly: true },
      },
    ])
    const sell = stageOf({ side: 'sell' }).begin()
    expect(sell.placed[0]?.plan).toMatchObject({ side: 'sell', price: '65000.1' })
  })

  test('moves in place when the market moves away, and not sooner than 250 ms after the last time', () => {
    const stage = stageOf().begin().pass(100).quote('65001')
    expect(priceOf(stage)).toEqual(['65000'])
    stage.pass(149)
    expect(priceOf(stage)).toEqual(['65000'])
    stage.pass(1)
    expect(priceOf(stage)).toEqual(['65001'])
    expect(stage.sent.map(({ effect }) => effect.type)).toEqual(['place', 'amend'])
  })

  test('moves that wait go together, in slots of 50 ms', () => {
    const stages = [0, 10, 20, 30, 40].map((ms) => {
      const stage = stageOf()
      stage.now += ms
      return stage.begin().pass(100).quote('65001').pass(400)
    })
    const moves = stages.map(({ sent }) => sent.filter(({ effect }) => effect.type === 'amend').map(({ at }) => at))
    expect(new Set(moves.flat()).size).toBe(2)
    for (const [index, [at = 0]] of moves.entries())
      expect(at - (stages[index]?.sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(250)
  })

  test('moves four times a second while the market moves, however late each wake is by less than a slot', () => {
    const stage = stageOf().begin()
    for (let tick = 1; tick <= 200; tick += 1)
      stage
        .pass(49)
        .pass(1)
        .quote(`${65_000 + tick}`)
    const moves = stage.sent.filter(({ effect }) => effect.type === 'amend')
    expect(moves).toHaveLength(40)
  })

  test('takes the newest price when its time to move has come', () => {
    const stage = stageOf().begin().pass(10).quote('65001').pass(10).quote('65003').pass(300)
    expect(priceOf(stage)).toEqual(['65003'])
    expect(stage.sent).toHaveLength(2)
  })

  test('keeps its place in the queue where the price is no better, partly filled or not', () => {
    const stage = stageOf({}, { bid: '65000', ask: '65002' }).begin().fill(0, '0.04').pass(1000).quote('64999', '65001')
    expect(stage.sent).toHaveLength(1)
    expect(stage.live[0]?.filled).toBe('0.04')
  })

  test('takes back and places what is left where the venue cannot change orders', () => {
    const stage = stageOf({}, { capabilities: { editOrder: false } })
      .begin()
      .fill(0, '0.04')
      .pass(1000)
      .quote('65010')
    expect(stage.sent.map(({ effect }) => effect.type)).toEqual(['place', 'cancel', 'place'])
    expect(stage.placed[1]?.plan).toMatchObject({ amount: '0.06', price: '65010' })
  })

  test('is moved in place where the venue changes limit orders only', () => {
    const stage = stageOf({}, { capabilities: { editTypes: ['limit'] } })
      .begin()
      .pass(1000)
      .quote('65010')
    expect(stage.sent.map(({ effect }) => effect.type)).toEqual(['place', 'amend'])
  })

  test('places again only when the order that it takes back has ended', () => {
    const stage = stageOf({}, { capabilities: { editOrder: false } })
      .begin()
      .pass(1000)
    stage.changes = 'hang'
    stage.quote('65010').pass(5000).quote('65020')
    expect(stage.sent.map(({ effect }) => effect.type)).toEqual(['place', 'cancel'])
    Object.assign(stage.order(0), { isChanging: false })
    stage.endOrder(0, 'canceled')
    expect(stage.placed[1]?.plan).toMatchObject({ price: '65020' })
  })

  test('ends when it has filled', () => {
    const stage = stageOf().begin().fill(0, '0.1')
    expect(stage.ended).toEqual({ type: 'end', status: 'done', reason: 'all filled' })
  })
})

describe('as far as it goes', () => {
  test('it rests at its limit, says so, and follows again when the market comes back', () => {
    const stage = stageOf({ limit: '65005' }).begin().pass(300).quote('65010')
    expect(priceOf(stage)).toEqual(['65005'])
    expect(stage.said).toEqual(['the bid 65,010.0 is past 65,005.0: rests there until it comes back'])
    stage.pass(300).quote('65011').pass(300)
    expect(priceOf(stage)).toEqual(['65005'])
    expect(stage.doing).toBe('rests at its limit 65,005.0')
    expect(stage.said).toHaveLength(1)
    stage.pass(300).quote('65004.9', '65006')
    expect(stage.said[1]).toBe('follows the market again')
  })

  test('a limit that is passed at the begin is where it rests', () => {
    const stage = stageOf({ limit: '64000' }).begin()
    expect(priceOf(stage)).toEqual(['64000'])
    expect(stage.said).toEqual([])
    expect(priceOf(stageOf({ side: 'sell', limit: '66000' }).begin())).toEqual(['66000'])
  })
})

describe('when its time is up', () => {
  test('what rests is taken back, and what is missing is said', () => {
    const stage = stageOf().begin().fill(0, '0.04').pass(3_600_000)
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: 'expired: its time is up, 0.06 BTC not filled',
    })
  })

  test('what is left goes to the market, once nothing of it rests', () => {
    const stage = stageOf({ rest: 'market' }).begin().fill(0, '0.04').pass(3_600_000)
    expect(stage.sent.map(({ effect }) => effect.type)).toEqual(['place', 'cancel', 'place'])
    expect(stage.placed[1]).toMatchObject({ tag: 'market', plan: { type: 'market', amount: '0.06' } })
    expect(stage.ended).toMatchObject({ status: 'done', reason: 'all filled' })
  })

  test('the market order waits for a current price, and a minute later it fails', () => {
    const stage = stageOf({ rest: 'market' }).begin().stale().pass(3_600_000)
    expect(stage.ended).toBeUndefined()
    expect(stage.live).toEqual([])
    const late = stageOf({ rest: 'market' }).begin().stale().pass(3_660_000)
    expect(late.ended?.status).toBe('failed')
    expect(late.placed).toHaveLength(1)
    stage.quote('65100')
    expect(stage.placed[1]?.plan.type).toBe('market')
  })

  test('an order of unknown outcome is waited for', () => {
    const stage = stageOf()
    stage.answer = { as: 'unknown' }
    stage.begin().pass(7_200_000)
    expect(stage.ended).toBeUndefined()
    stage.settle(0, 'open')
    expect(stage.ended?.status).toBe('done')
  })
})

describe('what is left below the smallest order', () => {
  test('is said, and ends it with what filled', () => {
    const coarse = { ...BTC, minNotional: '100' }
    const stage = stageOf({}, { market: coarse, capabilities: { editOrder: false } })
      .begin()
      .fill(0, '0.099')
    stage.pass(1000).quote('65010')
    expect(stage.ended).toMatchObject({
      status: 'done',
      reason: '0.001 BTC remains, less than the minimum order',
    })
    expect(stage.placed).toHaveLength(1)
  })

  test('goes to the market where that takes it', () => {
    const between = { ...BTC, lotSize: '0.00001', minAmount: '0.00001', minNotional: '65.04' }
    const stage = stageOf({ amount: '0.1', rest: 'market' }, { market: between, capabilities: { editOrder: false } })
    stage.begin().fill(0, '0.099').pass(1000).quote('65010', '65100')
    expect(stage.placed.at(-1)).toMatchObject({ tag: 'market', plan: { amount: '0.001' } })
    expect(stage.ended?.reason).toBe('all filled')
  })
})
