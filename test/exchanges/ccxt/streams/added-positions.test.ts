// What orders of this process have filled is added to what was read before they left.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OrderOutcome } from '../../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../../src/exchange/exchange-error.ts'
import type { Order, OrderRequest, Position, Side, Trade } from '../../../../src/exchange/order.ts'
import { PositionCache } from '../../../../src/exchanges/ccxt/streams/position-cache.ts'
import { createClock, flush } from './scripted-account.ts'

const LONG: Position = {
  symbol: 'BTCUSDT',
  side: 'long',
  amount: '1',
  entryPrice: '100',
  settle: 'USDT',
  notional: '100',
}

async function stage(rows: readonly Position[] = [LONG]) {
  const clock = createClock()
  let read = 0
  const held = new PositionCache({
    async read() {
      read += 1
      return rows
    },
    isReported: () => true,
    settleOf: () => 'USDT',
    now: clock.now,
    after(ms, work) {
      const stop = clock.every(ms, () => {
        stop()
        work()
      })
    },
  })
  await held.read()
  return { held, clock, reads: () => read }
}

const request = (side: Side, amount: string, id = 'own1'): OrderRequest => ({
  symbol: 'BTCUSDT',
  side,
  type: 'market',
  amount,
  clientOrderId: id,
})

function order(side: Side, filled: string, given: Partial<Order> = {}): Order {
  return {
    id: '1',
    clientOrderId: 'own1',
    symbol: 'BTCUSDT',
    side,
    type: 'market',
    amount: filled,
    filled,
    remaining: '0',
    status: 'closed',
    average: '110',
    reduceOnly: false,
    postOnly: false,
    timestamp: 1,
    ...given,
  }
}

const trade = (side: Side, amount: string, given: Partial<Trade> = {}): Trade =>
  ({
    id: 't1',
    orderId: '1',
    symbol: 'BTCUSDT',
    side,
    amount,
    price: '110',
    timestamp: 1,
    fee: undefined,
    ...given,
  }) as Trade

const placed = (of: Order) => async (): Promise<OrderOutcome> => ({ kind: 'placed', order: of })

describe('what is held after an order of this process', () => {
  it.each([
    ['more', 'buy', '1', [{ ...LONG, amount: '2', entryPrice: '105', notional: '220' }]],
    ['less', 'sell', '0.4', [{ ...LONG, amount: '0.6', notional: '66' }]],
    ['nothing', 'sell', '1', []],
    ['the other side', 'sell', '3', [{ ...LONG, side: 'short', amount: '2', entryPrice: '110', notional: '220' }]],
  ] as const)('is %s by what its answer says, and nothing is asked', async (_what, side, amount, expected) => {
    const { held, reads } = await stage()
    await held.ordering(placed(order(side, amount)), request(side, amount))
    expect(held.known()).toEqual(expected)
    expect(held.seen()?.positions).toEqual(expected)
    expect(reads()).toBe(1)
  })

  it('counts fills that streams tell before and after the answer, by whichever id, once', async () => {
    const { held } = await stage()
    await held.ordering(
      async () => {
        held.received({ trades: [trade('sell', '0.4', { clientOrderId: 'own1' })] })
        held.received({ trades: [trade('sell', '0.4', { clientOrderId: 'own1' })] })
        return { kind: 'placed', order: order('sell', '0.4') }
      },
      request('sell', '0.4'),
    )
    held.received({ orders: [order('sell', '0.4')], trades: [trade('sell', '0.4')] })
    expect(held.known()?.valueOf()).toMatchObject([{ side: 'long', amount: '0.6' }])
  })

  it('counts a fill that named nothing known until the answer had named its order', async () => {
    const { held } = await stage()
    await held.ordering(
      async () => {
        held.received({ trades: [trade('sell', '0.4')] })
        return { kind: 'placed', order: order('sell', '0.4') }
      },
      request('sell', '0.4'),
    )
    expect(held.known()).toMatchObject([{ amount: '0.6' }])
  })

  it('is known once a stream has said that an order that was only acknowledged is over', async () => {
    const { held } = await stage()
    const open = { status: 'open', remaining: '0.4', filled: '0' } as const
    await held.ordering(placed(order('sell', '0.4', open)), request('sell', '0.4'))
    expect(held.known()).toBeUndefined()
    held.received({ orders: [order('sell', '0.4')] })
    expect(held.known()).toMatchObject([{ amount: '0.6' }])
    held.received({ orders: [order('sell', '0.4', open)] })
    expect(held.known()).toMatchObject([{ amount: '0.6' }])
  })

  it('is unchanged after one that was refused', async () => {
    const { held } = await stage()
    const error = new ExchangeError('insufficient-funds', 'no')
    await held.ordering(async () => ({ kind: 'refused', error }), request('sell', '0.4'))
    expect(held.known()).toEqual([LONG])
  })

  it.each([
    [
      'is unknown',
      async (): Promise<OrderOutcome> => ({ kind: 'unknown', error: new ExchangeError('outcome-unknown', '') }),
    ],
    [
      'is another order’s',
      async (): Promise<OrderOutcome> => ({ kind: 'refused', error: new ExchangeError('duplicate-id', '') }),
    ],
    ['fails', () => Promise.reject(new Error('broken'))],
    ['says no price', placed(order('sell', '0.4', { average: undefined } as never))],
  ] as const)('is asked for where the answer %s', async (_what, send) => {
    const { held } = await stage()
    await held.ordering(send as () => Promise<OrderOutcome>, request('sell', '0.4')).catch(() => {})
    expect(held.known()).toBeUndefined()
    expect(held.seen()).toBeUndefined()
  })

  it.each([
    ['another order', { trades: [trade('sell', '0.1', { id: 't9', orderId: '9' })] }],
    ['an order of another symbol by the same id', { trades: [trade('sell', '0.1', { symbol: 'ETHUSDT' })] }],
    ['an order that is not ours', { orders: [order('sell', '0.1', { id: '9', clientOrderId: 'else' })] }],
  ])('is asked for after a fill of %s, also where it came while an order was on its way', async (_what, news) => {
    for (const isMeanwhile of [false, true]) {
      const { held } = await stage()
      await held.ordering(
        async () => {
          if (isMeanwhile) held.received(news)
          return { kind: 'placed', order: order('sell', '0.4') }
        },
        request('sell', '0.4'),
      )
      if (!isMeanwhile) held.received(news)
      expect(held.known()).toBeUndefined()
    }
  })

  it('is not known while an order is on its way, and is read again behind the last of several, a second later', async () => {
    const { held, clock, reads } = await stage()
    await held.ordering(
      async () => {
        expect(held.known()).toBeUndefined()
        return { kind: 'placed', order: order('sell', '0.4') }
      },
      request('sell', '0.4'),
    )
    void held.known()
    await clock.advance(900)
    held.received({ trades: [trade('sell', '0.4')] })
    await clock.advance(999)
    expect(reads()).toBe(1)
    await clock.advance(1)
    await flush()
    expect(reads()).toBe(2)
    expect(held.known()).toEqual([LONG])
  })

  it('is as it was seen until something is told: an order that has left and was not answered changes nothing', async () => {
    const { held } = await stage()
    const seen = held.seen()
    await held.ordering(
      async () => {
        expect(seen?.isStill()).toBe(true)
        held.received({ trades: [trade('sell', '0.1', { orderId: '9' })] })
        expect(seen?.isStill()).toBe(false)
        return { kind: 'placed', order: order('sell', '0.4') }
      },
      request('sell', '0.4'),
    )
    expect(seen?.isStill()).toBe(false)
  })

  it('is what the venue holds, whatever was told in which order, or is asked for', async () => {
    const step = fc.record({
      side: fc.constantFrom<Side>('buy', 'sell'),
      amount: fc.integer({ min: 1, max: 5 }),
      early: fc.boolean(),
      late: fc.boolean(),
      names: fc.boolean(),
      stranger: fc.integer({ min: 0, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { held } = await stage([])
        let venue = 0
        for (const [index, { side, amount, early, late, names, stranger }] of steps.entries()) {
          const [id, own] = [`${index + 1}`, `own${index}`]
          const by = side === 'buy' ? amount : -amount
          const told = trade(side, String(amount), {
            id: `t${id}`,
            orderId: id,
            ...(names ? { clientOrderId: own } : {}),
          })
          await held.ordering(
            async () => {
              venue += by
              if (early) held.received({ trades: [told] })
              if (stranger === 0) held.received({ trades: [trade('buy', '1', { id: `s${id}`, orderId: `s${id}` })] })
              if (stranger === 0) venue += 1
              return { kind: 'placed', order: order(side, String(amount), { id, clientOrderId: own }) }
            },
            request(side, String(amount), own),
          )
          if (late) held.received({ trades: [told] })
          const known = held.known()
          if (known === undefined || known instanceof Promise) return
          const sum = known.reduce((all, row) => all + Number(row.amount) * (row.side === 'long' ? 1 : -1), 0)
          expect(sum).toBe(venue)
        }
      }),
    )
  })
})
