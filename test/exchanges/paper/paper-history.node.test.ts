// A long history over the real files: what left the state is still there, for every process, and only for the account that made it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newOrderId, place } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { Order, Trade } from '../../../src/exchange/order.ts'
import { initialState, type PaperState } from '../../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../../../src/exchanges/paper/state-file.ts'
import { openPaperHistory, openPaperState } from '../../../src/stores/paper-state.ts'

const buy = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.001' } as const
const sell = { ...buy, side: 'sell' } as const

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hookline-history-'))
})

afterEach(() => rm(directory, { recursive: true }))

const openState = (fresh: PaperState) => openPaperState(directory, 'paper', { ...PAPER_FORMAT, defaults: fresh })

function open(history = openPaperHistory(directory, 'paper')) {
  return createScriptedMarket({
    openStore: openState,
    history,
  })
}

const stateOnDisk = () => openState(initialState({ seed: 's', balance: '1' })).read()

async function trade(market: ReturnType<typeof open>, count: number): Promise<readonly Order[]> {
  const orders: Order[] = []
  for (let batch = 0; batch < count / 50; batch += 1) {
    const wanted = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? buy : sell))
    orders.push(...(await Promise.all(wanted.map((request) => place(market.exchange, request)))))
  }
  return orders
}

describe('a long history', () => {
  it('leaves the state and can still be asked for, also by another process and after a restart', async () => {
    const market = open()
    const orders = await trade(market, 1000)
    const trades = await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 5000 })
    expect(trades.map(({ id }) => id)).toEqual(orders.map((_, index) => `t${index + 1}`))
    await market.exchange.close()

    const { exchange } = open()
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 5000 })).toEqual(trades)
    expect(await exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 700 })).toEqual(trades.slice(-700))
    for (const order of [orders[0], orders[500], orders[999]]) {
      const ref = { symbol: 'BTCUSDT', clientOrderId: order?.clientOrderId ?? '' }
      expect(await exchange.fetchOrder(ref)).toEqual(order)
      expect(await exchange.createOrder({ ...buy, clientOrderId: ref.clientOrderId })).toMatchObject({
        kind: 'refused',
        error: { code: 'duplicate-id' },
      })
      await expect(exchange.fetchOrder({ ...ref, symbol: 'ETHUSDT' })).rejects.toMatchObject({
        code: 'order-not-found',
      })
    }
    await exchange.close()

    // A change adds what is old to the history, and the next one leaves it out.
    for (let change = 0; change < 2; change += 1) {
      const again = open().exchange
      await place(again, buy)
      await again.close()
    }
    const { endedOrders, trades: kept } = stateOnDisk()
    expect(endedOrders.length).toBeLessThan(500)
    expect(kept.length).toBeLessThan(500)
  })

  it('is told to another process once each, also where it missed more than the state holds', async () => {
    const market = open()
    await trade(market, 50)
    const other = open().exchange
    const told: Trade[] = []
    const streams: string[] = []
    other.subscribe((event) => {
      if (event.type === 'trade') told.push(event.trade)
      if (event.type === 'stream') streams.push(event.state)
    })
    await other.paper.setFaults({ gapUntil: market.now() + 60_000 })
    await trade(market, 1000)
    await other.paper.setFaults({})
    await expect.poll(() => told.length, { timeout: 10_000 }).toBe(1000)
    expect(told.map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, index) => `t${index + 51}`))
    expect(streams.at(-1) ?? 'resynced').toBe('resynced')
    await Promise.all([market.exchange.close(), other.close()])
  })

  it('is not taken for that of another account of the same name', async () => {
    const market = open()
    const [first] = await trade(market, 500)
    await market.exchange.close()
    await rm(join(directory, 'paper-paper.json'))
    const again = open()
    await again.advance(3000)
    const clientOrderId = first?.clientOrderId ?? ''
    await expect(again.exchange.fetchOrder({ symbol: 'BTCUSDT', clientOrderId })).rejects.toMatchObject({
      code: 'order-not-found',
    })
    const orders = await trade(again, 600)
    expect(orders[0]?.id).toBe('p1')
    const trades = await again.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 5000 })
    expect(trades.map(({ id }) => id)).toEqual(orders.map((_, index) => `t${index + 1}`))
    await again.exchange.close()
  })

  it('stays in the state while it cannot be added to, which is reported', async () => {
    const failure = new Error('disk full')
    const market = open({
      readNew: () => [],
      append: () => Promise.reject(failure),
    })
    const orders = await trade(market, 600)
    await market.exchange.close()
    expect(market.problems).toContain(failure)
    expect(stateOnDisk().trades).toHaveLength(600)
    const { id } = orders[0] ?? { id: newOrderId() }
    expect(await market.exchange.fetchOrder({ symbol: 'BTCUSDT', id })).toEqual(orders[0])
  })
})
