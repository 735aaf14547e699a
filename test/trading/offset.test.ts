// An entry with a stop that meets a position of the other side: what reduces or ends that needs no stop, what is opened beyond it gets one of its size.
import { describe, expect, it } from 'vitest'
import type { Exchange, OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { OrderRequest, Position } from '../../src/exchange/order.ts'
import { BUY, STOP, stageDesk } from './desk-stage.ts'

const SHORT = { ...BUY, side: 'sell', amount: '0.008' } as const
const ABOVE = { triggerPrice: '70000', fires: 'at-or-above' } as const
const PAIR = { ...STOP, takeProfitPrice: '70000' } as const

type Stage = ReturnType<typeof stageDesk>

/** A desk on an account that is short 0.008, which another desk sold. */
async function stageShort(stage: Stage, more: Partial<Exchange> = {}) {
  stage.openDesk().start(SHORT)
  await stage.settle()
  return stage.openDesk(more)
}

function told(events: readonly { readonly type: string }[]) {
  return events.filter(({ type }) => type === 'offset' || type === 'stop-failed' || type === 'protected')
}

const stopsOf = async (stage: Stage) => (await stage.stops()).map(({ side, amount }) => `${side} ${amount}`)

describe('an entry that meets a position of the other side', () => {
  it.each([
    ['reduces', '0.007', [], [{ type: 'offset', filled: '0.007', opened: '0' }]],
    ['ends', '0.008', [], [{ type: 'offset', filled: '0.008', opened: '0' }]],
    ['turns', '0.02', ['sell 0.012'], [{ type: 'offset', filled: '0.02', opened: '0.012' }, { type: 'protected' }]],
  ])('that it %s has a stop for what it opened, and raises no alarm', async (_what, amount, stops, events) => {
    const stage = stageDesk()
    const { start } = await stageShort(stage)
    const placing = start({ ...BUY, amount, protection: STOP })
    await stage.settle()
    expect([placing.result, await stopsOf(stage)]).toEqual(['closed', stops])
    expect(told(placing.events)).toMatchObject(events)
    await stage.advance(20_000)
    expect(await stopsOf(stage)).toEqual(stops)
    expect(told(placing.events)).toMatchObject(events)
  })

  it('has a take-profit of the same size', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const { start } = await stageShort(stage, { capabilities: { ...exchange.capabilities, oco: false } })
    start({ ...BUY, amount: '0.02', protection: PAIR })
    await stage.settle()
    const resting = (await exchange.fetchOpenOrders()).map(({ type, amount }) => `${type} ${amount}`)
    expect(resting).toEqual(['stop 0.012', 'take-profit 0.012'])
  })

  it('that sells into a long is the same', async () => {
    const stage = stageDesk()
    stage.openDesk().start({ ...BUY, amount: '0.008' })
    await stage.settle()
    const { start } = stage.openDesk()
    start({ ...BUY, side: 'sell', amount: '0.02', protection: ABOVE })
    await stage.settle()
    expect(await stopsOf(stage)).toEqual(['buy 0.012'])
  })

  it('that fills in parts protects each part beyond zero', async () => {
    const stage = stageDesk()
    const { start } = await stageShort(stage)
    const placing = start({ ...BUY, type: 'limit', price: '64000', amount: '0.02', protection: STOP })
    await stage.settle()
    await stage.market.exchange.paper.setFaults({ partialFills: 1 })
    stage.market.setPrice('BTCUSDT', '63900')
    const seen: string[] = []
    for (let second = 0; second < 12; second += 1) {
      await stage.advance(1_000)
      seen.push(...(await stopsOf(stage)))
    }
    expect(placing.types()).not.toContain('stop-failed')
    expect(seen.at(-1)).toBe('sell 0.012')
    expect(Math.max(...seen.map((each) => Number(each.split(' ')[1])))).toBe(0.012)
  })

  it('whose position was opened while it rested has nothing to protect, and says so within 10 s', async () => {
    const stage = stageDesk()
    const { start } = stage.openDesk()
    const placing = start({ ...BUY, type: 'limit', price: '64000', amount: '0.007', protection: STOP })
    await stage.settle()
    stage.openDesk().start(SHORT)
    await stage.settle()
    stage.market.setPrice('BTCUSDT', '63900')
    await stage.advance(10_000)
    expect(told(placing.events)).toMatchObject([{ type: 'offset', filled: '0.007', opened: '0' }])
    expect(await stopsOf(stage)).toEqual([])
  })

  it('whose position was ended elsewhere while it rested has a stop for all of it', async () => {
    const stage = stageDesk()
    const { start } = await stageShort(stage)
    start({ ...BUY, type: 'limit', price: '64000', amount: '0.02', protection: STOP })
    await stage.settle()
    stage.openDesk().start({ ...BUY, amount: '0.008', reduceOnly: true })
    await stage.settle()
    stage.market.setPrice('BTCUSDT', '63900')
    await stage.advance(10_000)
    expect(await stopsOf(stage)).toEqual(['sell 0.02'])
  })
})

describe('on a venue', () => {
  it('that lists positions 3 s late, no stop is larger than what was opened', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const lists: { at: number; positions: readonly Position[] }[] = []
    const late: Exchange['fetchPositions'] = async () => {
      lists.push({ at: stage.market.now(), positions: await exchange.fetchPositions() })
      return lists.findLast(({ at }) => at <= stage.market.now() - 3_000)?.positions ?? lists[0]?.positions ?? []
    }
    const { start } = await stageShort(stage, { fetchPositions: late })
    const placing = start({ ...BUY, amount: '0.014', protection: STOP })
    await stage.settle()
    expect(await stopsOf(stage)).toEqual(['sell 0.006'])
    for (let second = 0; second < 15; second += 1) {
      await late()
      await stage.advance(1_000)
      expect(await stopsOf(stage)).toEqual(['sell 0.006'])
    }
    expect(placing.types()).not.toContain('stop-failed')
  })

  it('that also refuses what reduces until its list is current, the stop is there once it does not', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const stale = [{ symbol: 'BTCUSDT', side: 'short', amount: '0.008' }] as never
    let isCurrent = false
    const refused: OrderOutcome = { kind: 'refused', error: new ExchangeError('reduce-only-rejected', 'no') }
    const { start } = await stageShort(stage, {
      fetchPositions: async () => (isCurrent ? exchange.fetchPositions() : stale),
      createOrder: async (request: OrderRequest) =>
        request.type === 'stop' && !isCurrent ? refused : exchange.createOrder(request),
    })
    const placing = start({ ...BUY, amount: '0.014', protection: STOP })
    await stage.settle()
    await stage.advance(2_000)
    isCurrent = true
    await stage.advance(2_000)
    expect(await stopsOf(stage)).toEqual(['sell 0.006'])
    expect(placing.types()).not.toContain('stop-failed')
  })

  it('that takes a reduce-only stop on the wrong side, the stop is taken back', async () => {
    const stage = stageDesk()
    const { exchange } = stage.market
    // What is held is not known as it is sent.
    const { start } = await stageShort(stage, {
      knownPositions: () => undefined,
      createOrder: async (request: OrderRequest) =>
        exchange.createOrder(request.type === 'stop' ? { ...request, reduceOnly: false } : request),
    })
    start({ ...BUY, amount: '0.007', protection: STOP })
    await stage.settle()
    expect(await stopsOf(stage)).toEqual(['sell 0.007'])
    await stage.advance(10_000)
    expect(await stopsOf(stage)).toEqual([])
  })

  it.each([
    ['short', undefined],
    ['flat', [{ type: 'stop' }]],
  ])('that takes the stop with its entry, an account that is %s sends it with %j', async (held, attached) => {
    const stage = stageDesk()
    const { exchange } = stage.market
    const requests: OrderRequest[] = []
    const more: Partial<Exchange> = {
      capabilities: { ...exchange.capabilities, attached: 'when-over' },
      createOrder: async (request: OrderRequest) => {
        requests.push(request)
        return exchange.createOrder(request)
      },
    }
    const { start } = held === 'short' ? await stageShort(stage, more) : stage.openDesk(more)
    start({ ...BUY, amount: '0.02', protection: STOP })
    await stage.settle()
    expect(requests[0]?.attached).toEqual(attached === undefined ? undefined : [expect.objectContaining(attached[0])])
  })

  it('the process that takes an entry over leaves its stop whole: less may be held because the stop has fired, and it only reduces', async () => {
    const stage = stageDesk()
    const { start, desk } = await stageShort(stage)
    start({ ...BUY, type: 'limit', price: '64000', amount: '0.02', protection: STOP })
    await stage.settle()
    desk.close()
    stage.killAll()
    stage.market.setPrice('BTCUSDT', '63900')
    await stage.advance(2_000)
    const next = stage.openDesk()
    await next.desk.recover()
    await stage.settle()
    await stage.advance(10_000)
    expect(await stopsOf(stage)).toEqual(['sell 0.02'])
  })
})
