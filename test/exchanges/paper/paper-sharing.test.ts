// Two exchanges on one account, as two processes have them.
import { describe, expect, it } from 'vitest'
import { place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import type { Exchange, ExchangeEvent } from '../../../src/exchange/exchange.ts'

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }
const bid: Wanted = { ...buy, type: 'limit', price: '64000' }

function listen(exchange: Exchange): readonly ExchangeEvent[] {
  const events: ExchangeEvent[] = []
  exchange.subscribe((event) => events.push(event))
  return events
}

const byNumber = (left: string, right: string): number => Number(left.slice(1)) - Number(right.slice(1))

describe('two exchanges on one account', () => {
  it('lose no order, give each its own id, and tell of each once', async () => {
    const { exchange, openExchange } = createScriptedMarket()
    const other = openExchange()
    const told = [exchange, other].map((one) => listen(one))
    const placed = await Promise.all(
      Array.from({ length: 100 }, (_, index) => place(index % 2 === 0 ? exchange : other, index % 3 === 0 ? bid : buy)),
    )
    const ids = Array.from({ length: 100 }, (_, index) => `p${index + 1}`)
    // Each process's orders share a write: their numbers are in order within a process only.
    expect(placed.map(({ id }) => id).sort(byNumber)).toEqual(ids)
    for (const events of told) {
      expect(events.flatMap((event) => (event.type === 'order' ? [event.order.id] : []))).toEqual(ids)
    }
    expect(await exchange.fetchOpenOrders()).toHaveLength(34)
    expect(await other.fetchPositions()).toMatchObject([{ amount: '0.66' }])
  })

  it('fill a resting order once', async () => {
    const { exchange, openExchange, setPrice, advance } = createScriptedMarket()
    const other = openExchange()
    await place(exchange, bid)
    setPrice('BTCUSDT', '63000')
    await advance()
    expect(await other.fetchMyTrades({ symbol: 'BTCUSDT' })).toHaveLength(1)
  })
})
