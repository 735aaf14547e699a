// What streams have told lately spares the guards a question, and decides nothing by itself: what an order is held to is asked for (behaviour 40).
import { describe, expect, it } from 'vitest'
import type { Position } from '../../src/exchange/order.ts'
import { position, resultOf, stageGuard } from './guard-stage.ts'

interface Known {
  readonly positions?: readonly Position[]
  readonly last?: string
}

/** What is asked of the venue is counted by name. */
function stage(known: Known) {
  const staged = stageGuard()
  const { raw, venue, now } = staged
  const asked: string[] = []
  const { fetchPositions, fetchTicker, fetchOpenOrders } = raw
  Object.assign(raw, {
    fetchPositions() {
      asked.push('positions')
      return fetchPositions()
    },
    fetchTicker(symbol: string) {
      asked.push('ticker')
      return fetchTicker(symbol)
    },
    fetchOpenOrders(symbol: string) {
      asked.push('orders')
      return fetchOpenOrders(symbol)
    },
    knownPositions: () => known.positions,
    knownTicker: (symbol: string) =>
      known.last === undefined
        ? undefined
        : { symbol, last: known.last, bid: known.last, ask: known.last, timestamp: now() },
  })
  return { ...staged, venue, asked }
}

const long = (amount: string) => position('BTCUSDT', 'long', amount)

describe('an order that goes with what is known to be held', () => {
  it('is judged without a question, at the price that was told', async () => {
    const { send, asked } = stage({ positions: [long('1')], last: '60000' })
    expect(await resultOf(send({ amount: '0.02' }))).toMatch(/\$1,200\.00/)
    expect(await resultOf(send({ amount: '0.016' }))).toBe('placed')
    expect(asked).toEqual([])
  })

  it('asks for the price where none was told just now', async () => {
    const { send, asked } = stage({ positions: [] })
    expect(await resultOf(send({ amount: '0.02' }))).toBe('placed')
    expect(asked).toEqual(['ticker'])
  })

  it('asks for both where nothing is known', async () => {
    const { send, asked } = stage({})
    expect(await resultOf(send({ amount: '0.02' }))).toBe('placed')
    expect(asked.sort()).toEqual(['positions', 'ticker'])
  })
})

describe('an order against what is known to be held', () => {
  it('is free of limits only once the venue itself has said that it reduces', async () => {
    const { send, venue, asked } = stage({ positions: [long('1')], last: '50000' })
    venue.positions = [long('1')]
    expect(await resultOf(send({ side: 'sell', amount: '1' }))).toBe('placed')
    expect(asked).toEqual(['orders', 'positions'])
  })

  it('is held to its limit where nothing is held any more', async () => {
    const { send, venue } = stage({ positions: [long('1')], last: '50000' })
    expect(await resultOf(send({ side: 'sell', amount: '1' }))).toMatch(/\$50,000\.00/)
    expect(venue.sent).toEqual([])
  })

  it('is held to its limit where less is held than was known', async () => {
    const { send, venue } = stage({ positions: [long('1')], last: '50000' })
    venue.positions = [long('0.5')]
    expect(await resultOf(send({ side: 'sell', amount: '1' }))).toMatch(/guarded/)
    expect(venue.sent).toEqual([])
  })

  it('is held to its limit where it is not known to go against anything', async () => {
    const { send, venue } = stage({ positions: [], last: '50000' })
    venue.positions = [long('1')]
    expect(await resultOf(send({ side: 'sell', amount: '1' }))).toMatch(/guarded/)
    expect(venue.sent).toEqual([])
  })

  it('is let through by an account that reduces only after the venue was asked', async () => {
    const { send, venue, asked, store } = stage({ positions: [long('1')], last: '50000' })
    await store.restrict('main', 'reducing', 'a person')
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toMatch(/halted/)
    venue.positions = [long('1')]
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toBe('placed')
    expect(asked).toContain('positions')
  })
})
