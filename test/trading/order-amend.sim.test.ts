import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { type Order, type OrderChange, refOf } from '../../src/exchange/order.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { openChanges } from '../../src/trading/order-journal-lines.ts'
import { BUY, stageDesk } from './desk-stage.ts'

const LIMIT = { ...BUY, type: 'limit', price: '60000' } as const
const unknown = () => new ExchangeError('outcome-unknown', 'no answer within 10 s')
const network = () => new ExchangeError('network', 'the venue does not answer')

type Edit = Exchange['editOrder']

/** An order that rests, and a desk whose changes go the way the test says. */
async function stage(editOrder: (real: Edit) => Edit) {
  const desks = stageDesk()
  const calls: OrderChange[] = []
  const isSilent = { venue: false }
  const { exchange } = desks.market
  const edit = editOrder((ref, change) => exchange.editOrder(ref, change))
  const more: Partial<Exchange> = {
    editOrder: (ref, change) => {
      calls.push(change)
      return edit(ref, change)
    },
    fetchOrder: async (ref) => {
      if (isSilent.venue) throw network()
      return exchange.fetchOrder(ref)
    },
  }
  const process = desks.openDesk(more)
  const order = await process.desk.place(LIMIT, process.by(), () => {})
  const events: OrderEvent[] = []
  const amend = (change: OrderChange) => {
    const amending = { result: undefined as Order | string | undefined }
    process.desk
      .amend(order, change, process.by(), (event) => void events.push(event))
      .then(
        (now) => {
          amending.result = now
        },
        (error: { code?: string }) => {
          amending.result = error.code ?? String(error)
        },
      )
    return amending
  }
  return { ...desks, more, process, order, calls, events, isSilent, amend }
}

const madeUnheard =
  (real: Edit): Edit =>
  async (ref, change) => {
    await real(ref, change)
    return { kind: 'unknown', error: unknown() }
  }
const lost = (): Edit => async () => ({ kind: 'unknown', error: unknown() })

/** A bug of ours after the bytes have left. */
const brokenAfter =
  (isMade: boolean) =>
  (real: Edit): Edit =>
  async (ref, change) => {
    if (isMade) await real(ref, change)
    throw new TypeError('cannot read the answer')
  }

function lineKinds(lines: readonly string[]): string[] {
  return lines.map((line) => (JSON.parse(line) as { t: string }).t)
}

describe('a change of a resting order', () => {
  it('is on the disk before it is sent, and what came of it after', async () => {
    const seen: string[][] = []
    const staged = await stage((real) => (ref, change) => {
      seen.push(lineKinds(staged.lines))
      return real(ref, change)
    })
    const amending = staged.amend({ price: '61000' })
    await staged.settle()
    expect(amending.result).toMatchObject({ price: '61000' })
    expect(seen[0]?.at(-1)).toBe('changing')
    expect(lineKinds(staged.lines).at(-1)).toBe('changed')
  })

  it('that cannot be written down is not sent', async () => {
    const staged = await stage((real) => real)
    const { desk, by } = staged.openDesk({ editOrder: () => Promise.reject(new Error('sent')) })
    const full = new Error('no space left')
    Object.assign(staged.lines, {
      push: () => {
        throw full
      },
    })
    await expect(desk.amend(staged.order, { price: '61000' }, by(), () => {})).rejects.toBe(full)
  })

  it('that the venue refuses is over, and is not asked about', async () => {
    const no = new ExchangeError('invalid-order', 'no')
    const staged = await stage(() => async () => ({ kind: 'refused', error: no }))
    const amending = staged.amend({ price: '61000' })
    await staged.settle()
    expect(amending.result).toBe('invalid-order')
    expect(staged.events).toEqual([])
    expect(lineKinds(staged.lines).at(-1)).toBe('unchanged')
    expect(await staged.process.desk.place(LIMIT, staged.process.by(), () => {})).toMatchObject({ status: 'open' })
  })

  it('that was made and not answered is asked for, told, and sent once', async () => {
    const staged = await stage(madeUnheard)
    const amending = staged.amend({ price: '61000' })
    await staged.settle()
    expect(staged.events).toMatchObject([{ type: 'change-unknown', ref: { id: staged.order.id } }])
    await staged.advance(1000)
    expect(amending.result).toMatchObject({ id: staged.order.id, price: '61000' })
    expect(staged.events[1]).toMatchObject({ type: 'change-settled', isChanged: true, order: { price: '61000' } })
    expect(staged.calls).toHaveLength(1)
  })

  it('that got lost is known to be lost only when it can no longer arrive', async () => {
    const staged = await stage(lost)
    const amending = staged.amend({ price: '61000' })
    await staged.advance(50_000)
    expect(amending.result).toBeUndefined()
    await staged.advance(15_000)
    expect(amending.result).toBe('order-unchanged')
    expect(staged.events[1]).toMatchObject({ type: 'change-settled', isChanged: false, order: { price: '60000' } })
    expect(staged.calls).toHaveLength(1)
  })

  it('of an order that ended meanwhile was not made', async () => {
    const staged = await stage(lost)
    const amending = staged.amend({ price: '61000' })
    await staged.settle()
    await staged.process.desk.cancel(refOf(staged.order), staged.process.by())
    await staged.advance(1000)
    expect(amending.result).toBe('order-ended')
    expect(staged.events[1]).toMatchObject({ type: 'change-settled', isChanged: false, order: { status: 'canceled' } })
  })
})

describe('a change of unknown outcome', () => {
  async function stageUnknown() {
    const staged = await stage(madeUnheard)
    staged.isSilent.venue = true
    const amending = staged.amend({ price: '61000' })
    await staged.advance(90_000)
    return { ...staged, amending }
  }

  it('ends as unknown after a minute of asking', async () => {
    const { amending, process, order } = await stageUnknown()
    expect(amending.result).toBe('outcome-unknown')
    expect(process.desk.records.unsettledChanges()).toMatchObject([
      { ref: { id: order.id }, change: { price: '61000' } },
    ])
  })

  it('blocks entries and changes of its symbol, and neither what reduces nor other symbols', async () => {
    const { process, amend, settle } = await stageUnknown()
    const entry = process.start(LIMIT)
    const second = amend({ price: '62000' })
    const other = process.start({ ...BUY, symbol: 'ETHUSDT', amount: '0.1' })
    const reducing = process.start({ ...BUY, side: 'sell', reduceOnly: true })
    await settle()
    expect(entry.result).toBe('unsettled-order')
    expect(second.result).toBe('unsettled-order')
    expect(other.result).toBe('closed')
    // There is no position: the venue was asked, and says so.
    expect(reducing.result).toBe('reduce-only-rejected')
  })

  it('blocks no change of a stop, but one of the order itself', async () => {
    const { process, order, settle } = await stageUnknown()
    const codeOf = (amended: Order) =>
      process.desk
        .amend(amended, { price: '62000' }, process.by(), () => {})
        .catch(({ code }: { code: string }) => code)
    const other = codeOf({ ...order, id: 'p99', clientOrderId: 'f'.repeat(32), reduceOnly: true })
    const same = codeOf({ ...order, reduceOnly: true })
    await settle()
    expect(await same).toBe('unsettled-order')
    await expect(Promise.race([other, 'asks the venue'])).resolves.toBe('asks the venue')
  })

  it('is asked about until the venue answers; then it is told, and nothing waits for it', async () => {
    const staged = await stageUnknown()
    staged.isSilent.venue = false
    await staged.advance(31_000)
    expect(staged.events.at(-1)).toMatchObject({ type: 'change-settled', isChanged: true })
    const entry = staged.process.start(LIMIT)
    await staged.settle()
    expect(entry.result).toBe('open')
    expect(staged.calls).toHaveLength(1)
  })

  it('is asked about by the next process, and blocks there too', async () => {
    const staged = await stageUnknown()
    staged.killAll()
    staged.process.desk.close()
    const next = staged.openDesk(staged.more)
    await next.desk.recover()
    const blocked = next.start(LIMIT)
    await staged.settle()
    expect(blocked.result).toBe('unsettled-order')
    staged.isSilent.venue = false
    await staged.advance(31_000)
    expect(next.reports).toMatchObject([{ type: 'change-settled', isChanged: true, order: { price: '61000' } }])
    const entry = next.start(LIMIT)
    await staged.settle()
    expect(entry.result).toBe('open')
    expect(staged.calls).toHaveLength(1)
  })

  it('that got lost is known to be lost by the next process a minute after it was sent', async () => {
    const staged = await stage(lost)
    staged.amend({ price: '61000' })
    await staged.advance(10_000)
    staged.killAll()
    staged.process.desk.close()
    const next = staged.openDesk(staged.more)
    await next.desk.recover()
    await staged.advance(49_000)
    expect(next.reports).toEqual([])
    await staged.advance(2_000)
    expect(next.reports).toMatchObject([{ type: 'change-settled', isChanged: false, order: { price: '60000' } }])
  })

  it('that arrives behind the death of its process is known to be made within 2 s of the next start', async () => {
    const staged = await stage(lost)
    staged.amend({ price: '61000' })
    await staged.advance(1_000)
    staged.killAll()
    staged.process.desk.close()
    const next = staged.openDesk(staged.more)
    await next.desk.recover()
    await staged.market.exchange.editOrder(refOf(staged.order), { price: '61000' })
    await staged.advance(2_000)
    expect(next.reports).toMatchObject([{ type: 'change-settled', isChanged: true, order: { price: '61000' } }])
  })

  it('that is settled is not asked about by the next process', async () => {
    const staged = await stage(madeUnheard)
    staged.amend({ price: '61000' })
    await staged.settle()
    expect(openChanges(staged.lines)).toHaveLength(1)
    await staged.advance(1000)
    staged.killAll()
    expect(openChanges(staged.lines)).toEqual([])
  })
})

describe('an order that is replaced where a venue changes none', () => {
  const planFor = (ended: Order) => ({ ...LIMIT, price: '61000', amount: (0.01 - Number(ended.filled)).toFixed(3) })

  it('is followed by another for what it had not filled by its end, whatever the cancel was answered with', async () => {
    const { market, openDesk } = stageDesk()
    const stale: Partial<Exchange> = {
      cancelOrder: async (ref) => ({ ...(await market.exchange.cancelOrder(ref)), filled: '0' }),
      fetchOrder: async (ref) => ({ ...(await market.exchange.fetchOrder(ref)), filled: '0.004' }),
    }
    const { desk, by } = openDesk(stale)
    const order = await desk.place(LIMIT, by(), () => {})
    const { placed } = await desk.replace(order, planFor, by(), () => {})
    expect(placed).toMatchObject({ amount: '0.006', price: '61000' })
  })

  it('leaves its stop to the one that takes its place', async () => {
    const { market, openDesk, advance, stops, settle } = stageDesk()
    const { desk, by } = openDesk()
    const protection = { triggerPrice: '58000', fires: 'at-or-below' } as const
    const order = await desk.place({ ...LIMIT, protection }, by(), () => {})
    await desk.replace(order, planFor, by(), () => {})
    market.setPrice('BTCUSDT', '60900')
    await advance(1000)
    await settle()
    expect(await stops()).toMatchObject([{ amount: '0.01', triggerPrice: '58000', reduceOnly: true }])
  })

  it.each<[string, Partial<Exchange>]>([
    ['no answer', { cancelOrder: () => Promise.reject(unknown()) }],
    ['an answer, and the order is still open', { cancelOrder: async () => ({ status: 'canceled' }) as Order }],
  ])('stays alone when the cancel got %s', async (_what, more) => {
    const { sent, openDesk } = stageDesk()
    const { desk, by } = openDesk(more)
    const order = await desk.place(LIMIT, by(), () => {})
    await expect(desk.replace(order, planFor, by(), () => {})).rejects.toMatchObject({ code: 'outcome-unknown' })
    expect(sent).toHaveLength(1)
  })
})

describe('a change that fails here after it may have left', () => {
  it('is asked for like one without an answer, and what depends on it waits', async () => {
    const { amend, advance, settle, events, process, lines, isSilent, calls } = await stage(brokenAfter(true))
    isSilent.venue = true
    const amending = amend({ price: '59000' })
    await settle()
    expect(events.map(({ type }) => type)).toEqual(['change-unknown'])
    await expect(process.desk.place(LIMIT, process.by(), () => {})).rejects.toMatchObject({ code: 'unsettled-order' })
    expect(openChanges(lines)).toHaveLength(1)
    isSilent.venue = false
    await advance(2_000)
    expect(amending.result).toMatchObject({ price: '59000' })
    expect([openChanges(lines), calls]).toEqual([[], [{ price: '59000' }]])
  })

  it('is known not to have been made once it cannot arrive any more', async () => {
    const { amend, advance, settle, events, lines } = await stage(brokenAfter(false))
    const amending = amend({ price: '59000' })
    await settle()
    await advance(95_000)
    expect(amending.result).toBe('order-unchanged')
    expect(events.map(({ type }) => type)).toEqual(['change-unknown', 'change-settled'])
    expect(openChanges(lines)).toEqual([])
  })
})
