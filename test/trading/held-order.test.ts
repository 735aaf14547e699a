// An order whose venue prepares it while its intent is written: what is not on the disk does not leave (behaviour 36).
import { describe, expect, it } from 'vitest'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import type { DurableJournal } from '../../src/stores/durable-journal.ts'
import { OwnOrders } from '../../src/trading/following.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import type { Intent } from '../../src/trading/order-journal-lines.ts'
import { OrderSender } from '../../src/trading/order-sender.ts'
import { BINANCE_LINEAR, RESTING } from '../exchanges/ccxt/binance-linear.ts'
import { openScripted } from '../exchanges/ccxt/scripted-venue.ts'

const ID = '0123456789abcdef0123456789abcdef'
const POST = 'POST /fapi/v1/order'
const INTENT: Intent = {
  id: ID,
  at: 1_790_000_000_000,
  account: 'main',
  venue: 'binance',
  by: { source: 'repl', runId: ID, step: 0 },
  order: { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.01', price: '49000' },
}

async function stage(file: Partial<DurableJournal> = {}) {
  const venue = await openScripted('binance', 'linear', [[POST, { ...RESTING, clientOrderId: ID }], ...BINANCE_LINEAR])
  const closing = new AbortController()
  const lines: string[] = []
  const sender = new OrderSender({
    exchange: venue.exchange,
    journal: createOrderJournal({ ...journalInMemory(lines), ...file }, { onProblem: () => {} }),
    own: new OwnOrders(),
    clock: { now: () => INTENT.at, delay: async () => {} },
    signal: closing.signal,
    onLate: async () => {},
  })
  return { ...venue, sender, closing, lines }
}

describe('an order whose intent is being written', () => {
  it('leaves when it is on the disk', async () => {
    let written: () => void = () => {}
    const append = () => new Promise<void>((resolve) => (written = resolve))
    const { sender, sent, requests } = await stage({ append })
    const order = sender.send(INTENT, () => {})
    await expect.poll(() => requests.some(({ url }) => url.includes('positionSide'))).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(sent(POST)).toEqual([])
    written()
    expect(await order).toMatchObject({ status: 'open' })
    expect(sent(POST)).toHaveLength(1)
  })

  it('does not leave where that fails, and says why', async () => {
    const { sender, sent } = await stage({ append: () => Promise.reject(new Error('the disk is full')) })
    await expect(sender.send(INTENT, () => {})).rejects.toThrow('the disk is full')
    expect(sent(POST)).toEqual([])
  })

  it('does not leave where its account is closed meanwhile', async () => {
    let written: () => void = () => {}
    const append = () => new Promise<void>((resolve) => (written = resolve))
    const { sender, sent, closing, lines } = await stage({ append })
    const order = sender.send(INTENT, () => {})
    closing.abort()
    written()
    await expect(order).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('has ended') })
    expect(sent(POST)).toEqual([])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ t: 'outcome', outcome: 'refused' }])
  })
})
