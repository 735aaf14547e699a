// An order against what is held waits for no question where the streams tell what is held and what rests, and it would pass its limits also if it
// added. Right before it leaves that is looked at again.
import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Exchange, KnownStanding, OrderContext } from '../../src/exchange/exchange.ts'
import type { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order, OrderRequest } from '../../src/exchange/order.ts'
import { newId, orderOf, position, resultOf, stageGuard } from './guard-stage.ts'

const SELL = { side: 'sell', amount: '0.01' } as const
const limitOf = (amount: string): Order =>
  orderOf({ clientOrderId: newId(), symbol: 'BTCUSDT', side: 'sell', type: 'limit', amount, price: '60000' })

/** On a venue that holds orders. One long of 0.015 is held, and known; what is asked of the venue is counted by name. */
async function stage() {
  const staged = stageGuard({ isOnDisk: true })
  const { raw, venue, advance } = staged
  const asked: string[] = []
  const told: { held: string; resting: readonly Order[]; isKnown: boolean } = {
    held: '0.015',
    resting: [],
    isKnown: true,
  }
  let meanwhile = async (): Promise<unknown> => undefined
  const { fetchPositions, fetchTicker, fetchOpenOrders, createOrder } = raw
  const standing = (): KnownStanding | undefined => {
    if (!told.isKnown) return undefined
    const held = told.held === '0' ? undefined : position('BTCUSDT', 'long', told.held)
    return { resting: told.resting, position: held, again: standing }
  }
  Object.assign(raw, {
    holdsOrders: true,
    knownStanding: standing,
    knownPositions: () => (told.held === '0' ? [] : [position('BTCUSDT', 'long', told.held)]),
    knownTicker: (symbol) => ({ symbol, last: '50000', bid: '50000', ask: '50000', timestamp: staged.now() }),
    fetchPositions() {
      asked.push('positions')
      return fetchPositions()
    },
    fetchTicker(symbol) {
      asked.push('ticker')
      return fetchTicker(symbol)
    },
    fetchOpenOrders(symbol) {
      asked.push('orders')
      return fetchOpenOrders(symbol)
    },
    async createOrder(request: OrderRequest, context?: OrderContext) {
      await meanwhile()
      try {
        await context?.release?.()
      } catch (error) {
        return { kind: 'refused', error: error as ExchangeError }
      }
      return createOrder(request)
    },
  } satisfies Partial<Exchange>)
  const context = { release: async () => undefined }
  const send = (request: Partial<OrderRequest> = SELL) => staged.send({ ...request, context })
  venue.positions = [position('BTCUSDT', 'long', '0.015')]
  // It knows the day from its first order on, and that nobody else orders a while later.
  await send({ side: 'buy', amount: '0.001' })
  advance(6_000)
  asked.length = 0
  venue.sent.length = 0
  return {
    ...staged,
    send,
    asked,
    told,
    during(work: () => unknown) {
      meanwhile = async () => work()
    },
  }
}

describe('an order against what streams tell to be held', () => {
  it('is sent without a question, and counts for nothing of the day', async () => {
    const { send, asked, use } = await stage()
    const before = (await use()).day.toFixed()
    expect(await resultOf(send())).toBe('placed')
    expect([asked, (await use()).day.toFixed()]).toEqual([[], before])
  })

  it.each([
    ['more than that', { amount: '0.016' }, '0.015', '0'],
    ['all of it while another one rests', { amount: '0.01' }, '0.015', '0.006'],
  ])('is asked about where it sells %s', async (_what, more, held, rests) => {
    const { send, asked, told } = await stage()
    Object.assign(told, { held, resting: rests === '0' ? [] : [limitOf(rests)] })
    await resultOf(send({ ...SELL, ...more }))
    expect(asked).toContain('positions')
  })

  it('is asked about where it would break a limit if it added', async () => {
    const { send, asked, store, venue } = await stage()
    await store.setLimits('main', { order: '400' })
    expect(await resultOf(send())).toBe('placed')
    expect(asked).toEqual(['orders', 'positions'])
    venue.positions = []
    expect(await resultOf(send())).toMatch(/guarded/)
  })

  it.each([
    ['a limit of its position', { position: '100000' }],
    ['a limit of its loss', { loss: '100000' }],
  ])('is asked about on an account with %s', async (_what, limits) => {
    const { send, asked, store } = await stage()
    await store.setLimits('main', limits)
    expect(await resultOf(send())).toBe('placed')
    expect(asked).toContain('positions')
  })

  it('is asked about on an account that only reduces, and is held to it by the venue', async () => {
    const { send, asked, store, venue } = await stage()
    await store.restrict('main', 'reducing', 'a person')
    expect(await resultOf(send())).toBe('placed')
    expect(asked).toContain('orders')
    expect(venue.sent).toMatchObject([{ reduceOnly: true }])
  })

  it('is asked about while another process orders', async () => {
    const { send, asked, directory, now, advance } = await stage()
    const intent = { t: 'intent', id: newId(), at: now(), account: 'other', venue: 'binance', by: {}, order: {} }
    appendFileSync(
      `${directory}/orders.jsonl`,
      `${JSON.stringify({ ...intent, owner: { pid: 1, born: 'long ago' } })}\n`,
    )
    expect(await resultOf(send())).toBe('placed')
    expect(asked).toEqual(['orders', 'positions'])
    advance(6_000)
    asked.length = 0
    expect(await resultOf(send({ ...SELL, amount: '0.005' }))).toBe('placed')
    expect(asked).toEqual([])
  })

  it('leaves nothing twice: of two at once that would each end it, one is asked about and counts', async () => {
    const { send, asked, use } = await stage()
    const before = Number((await use()).day)
    const all = await Promise.all([resultOf(send()), resultOf(send())])
    expect(all).toEqual(['placed', 'placed'])
    expect(asked).toContain('positions')
    expect(Number((await use()).day)).toBe(before + 500)
  })
})

describe('while it is prepared', () => {
  it('what a stream tells is asked about before it leaves', async () => {
    const { send, asked, told, venue, during } = await stage()
    during(() => {
      Object.assign(told, { isKnown: false })
      venue.positions = []
    })
    expect(await resultOf(send())).toBe('placed')
    expect(asked).toEqual(['orders', 'positions'])
  })

  it('one that has become an entry is counted as one', async () => {
    const { send, told, venue, during, use } = await stage()
    const before = Number((await use()).day)
    during(() => {
      Object.assign(told, { isKnown: false })
      venue.positions = []
    })
    expect(await resultOf(send())).toBe('placed')
    expect(Number((await use()).day)).toBe(before + 500)
  })

  it('one that has become an entry does not leave from an account that reduces by now', async () => {
    const { send, told, venue, during, store } = await stage()
    during(async () => {
      Object.assign(told, { isKnown: false })
      venue.positions = []
      await store.restrict('main', 'reducing', 'a person')
    })
    expect(await resultOf(send())).toMatch(/halted/)
    expect(venue.sent).toEqual([])
  })
})
