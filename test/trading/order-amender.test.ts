// A change of a resting order: what each answer makes of it, and what is asked where there is none (behaviour 37).
import { describe, expect, it } from 'vitest'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import type { Exchange, OrderContext, OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order } from '../../src/exchange/order.ts'
import { Simulated } from '../../src/exchange/simulated.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { OrderAmender, replaceOrder } from '../../src/trading/order-amender.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import type { IntendedChange } from '../../src/trading/order-journal-lines.ts'

const SENT_AT = 1_790_000_000_000
const CHANGE: IntendedChange = {
  id: 'c',
  at: SENT_AT,
  account: 'main',
  ref: { symbol: 'BTCUSDT', id: 'v1' },
  change: { price: '99' },
  by: { source: 'repl', runId: 'r', step: 0 },
}
const LOST: OrderOutcome = { kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') }
const NOT_FOUND = new ExchangeError('order-not-found', 'no such order')
const AWAY = new ExchangeError('network', 'no answer')

function order(more: Partial<Order> = {}): Order {
  const amounts = { amount: '1', filled: '0', remaining: '1' }
  const flags = { reduceOnly: false, postOnly: false, status: 'open', timestamp: SENT_AT } as const
  return { id: 'v1', symbol: 'BTCUSDT', side: 'buy', type: 'limit', price: '100', ...amounts, ...flags, ...more }
}

interface Stage {
  readonly answer?: () => OrderOutcome
  readonly fate?: Order | Error
}

function stage({ answer = () => ({ kind: 'placed', order: order({ price: '99' }) }), fate = AWAY }: Stage = {}) {
  const contexts: (OrderContext | undefined)[] = []
  const events: OrderEvent[] = []
  const file = journalInMemory()
  const closing = new AbortController()
  const state: { fate: Order | Error } = { fate }
  let [time, until] = [SENT_AT, SENT_AT + 61_000]
  const waiting: (() => void)[] = []
  const amender = new OrderAmender({
    exchange: {
      kind: 'linear',
      async editOrder(_ref: unknown, _change: unknown, context?: OrderContext) {
        contexts.push(context)
        return answer()
      },
      async fetchOrder() {
        if (state.fate instanceof Error) throw state.fate
        return state.fate
      },
    } as unknown as Exchange,
    journal: createOrderJournal(file, { onProblem: () => {} }),
    clock: {
      now: () => time,
      delay: (ms) =>
        new Promise((resolve) => {
          const end = () => {
            time += ms
            resolve()
          }
          if (time + ms <= until) end()
          else waiting.push(end)
        }),
    },
    signal: closing.signal,
  })
  const notify = (event: OrderEvent) => void events.push(event)
  return {
    amender,
    contexts,
    events,
    state,
    closing,
    notify,
    amend: () => amender.amend(CHANGE, notify),
    types: () => events.map(({ type }) => type),
    written: () =>
      file.lines.map((line) => JSON.parse(line)).map(({ t, why }) => (why === undefined ? t : `${t}: ${why}`)),
    async goOn(ms: number) {
      until += ms
      for (let turn = 0; turn < 20; turn += 1) {
        waiting.splice(0).forEach((end) => void end())
        await new Promise((resolve) => setImmediate(resolve))
        if (time >= until) return
      }
    },
  }
}

describe('a change that is sent', () => {
  it('is made: its intent is written before it', async () => {
    const { amend, written, contexts, types } = stage()
    expect(await amend()).toMatchObject({ price: '99' })
    expect([written(), contexts, types()]).toEqual([['changing', 'changed'], [{}], []])
  })

  it.each<[string, () => never, object, string]>([
    [
      'refused by the venue',
      (() => ({ kind: 'refused', error: new ExchangeError('invalid-order', 'no') })) as () => never,
      { code: 'invalid-order' },
      'unchanged: no',
    ],
    [
      'not counted',
      () => {
        throw new StoreError('store-corrupt', 'orders.jsonl cannot be read')
      },
      { code: 'store-corrupt' },
      'unchanged: orders.jsonl cannot be read',
    ],
    [
      'worked out alone',
      () => {
        throw new Simulated({ kind: 'change', ref: CHANGE.ref, change: CHANGE.change })
      },
      { would: { kind: 'change' } },
      'unchanged: simulated',
    ],
  ])('is not made where it is %s', async (_, answer, error, line) => {
    const { amend, written, types, amender } = stage({ answer })
    await expect(amend()).rejects.toMatchObject(error)
    expect([written(), types(), amender.unsettled()]).toEqual([['changing', line], [], []])
  })

  it.each<[string, Order | Error, object, string]>([
    ['it was made', order({ price: '99.0' }), { price: '99.0' }, 'changed'],
    [
      'it was made, and the order has filled',
      order({ price: '99', status: 'closed' }),
      { status: 'closed' },
      'changed',
    ],
    ['it was not made', order(), { code: 'order-unchanged' }, 'unchanged: open'],
    ['the order ended before', order({ status: 'canceled' }), { code: 'order-ended' }, 'unchanged: canceled'],
    ['the order is gone', NOT_FOUND, { code: 'order-ended' }, 'unchanged: gone'],
  ])('and gets no answer is what the order says: %s', async (_, fate, result, line) => {
    for (const answer of [
      () => LOST,
      () => {
        throw new TypeError('cannot read the answer')
      },
    ]) {
      const { amend, written, types, amender, events } = stage({ answer, fate })
      const outcome = await amend().catch((error: unknown) => error)
      expect(outcome).toMatchObject(result)
      expect([written(), types()]).toEqual([
        ['changing', line],
        ['change-unknown', 'change-settled'],
      ])
      expect(events[1]).toMatchObject({ isChanged: line === 'changed' })
      expect(amender.unsettled()).toEqual([])
    }
  })

  it('is only judged where it is a look: nothing is written', async () => {
    const { amender, contexts, written } = stage()
    await amender.judge(order(), CHANGE.change, CHANGE.by)
    expect([contexts, written()]).toEqual([[{ isDry: true }], []])
    const refusing = stage({ answer: () => ({ kind: 'refused', error: new ExchangeError('guarded', 'too much') }) })
    await expect(refusing.amender.judge(order(), CHANGE.change, CHANGE.by)).rejects.toMatchObject({ code: 'guarded' })
  })
})

describe('a change in doubt', () => {
  const doubtful = async (fate: Order | Error = AWAY) => {
    const staged = stage({ answer: () => LOST, fate })
    await expect(staged.amend()).rejects.toMatchObject({ code: 'outcome-unknown' })
    return staged
  }

  it('keeps back what may add on its symbol, and what changes the order again', async () => {
    const { amender } = await doubtful()
    const refused = { code: 'unsettled-order' }
    await expect(amender.requireSettled({ symbol: 'BTCUSDT' })).rejects.toMatchObject(refused)
    await expect(amender.requireSettled({ symbol: 'BTCUSDT', reduceOnly: true }, 'v1')).rejects.toMatchObject(refused)
    await amender.requireSettled({ symbol: 'BTCUSDT', reduceOnly: true }, 'v2')
    await amender.requireSettled({ symbol: 'BTCUSDT', reduceOnly: true })
    await amender.requireSettled({ symbol: 'ETHUSDT' })
  })

  it('keeps nothing back once the question before the next order has settled it', async () => {
    const { amender, state, written, types } = await doubtful()
    state.fate = order({ price: '99' })
    await amender.requireSettled({ symbol: 'BTCUSDT' })
    expect([amender.unsettled(), written().at(-1), types().at(-1)]).toEqual([[], 'changed', 'change-settled'])
  })

  it('is asked about until it is known, and no longer once the process ends', async () => {
    const { amender, state, goOn, written } = await doubtful()
    await goOn(60_000)
    expect(amender.unsettled()).toMatchObject([{ id: 'c' }])
    state.fate = order()
    await goOn(60_000)
    expect([amender.unsettled(), written().at(-1)]).toEqual([[], 'unchanged: open'])
    const ended = await doubtful()
    ended.closing.abort()
    ended.state.fate = order()
    await ended.goOn(60_000)
    expect(ended.amender.unsettled()).toHaveLength(1)
  })

  it('of another process is asked about as well, and is open for a minute while the order is as it was', async () => {
    const { amender, notify, goOn, types } = stage({ fate: order() })
    await amender.resume({ ...CHANGE, owner: { pid: 1 } as never }, notify)
    expect(amender.unsettled()).toHaveLength(1)
    await goOn(60_000)
    expect([amender.unsettled(), types()]).toEqual([[], ['change-settled']])
  })
})

describe('an order that is replaced', () => {
  const ports = (ended: Order, done: string[]) => ({
    exchange: { fetchOrder: async () => ended } as unknown as Exchange,
    journal: createOrderJournal(journalInMemory(), { onProblem: () => {} }),
    cancel: async (of: Order) => {
      done.push('cancel')
      return of
    },
    place: async () => {
      done.push('place')
      return order({ id: 'v2' })
    },
  })
  const plan = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '1', price: '99' } as const

  it('has another in its place once it is known to be over, for what that had not filled', async () => {
    const done: string[] = []
    const over = order({ status: 'canceled', filled: '0.4' })
    const seen: string[] = []
    const replaced = await replaceOrder(ports(over, done), order(), ({ filled }) => {
      seen.push(filled)
      return plan
    })
    expect([done, seen, replaced.placed?.id]).toEqual([['cancel', 'place'], ['0.4'], 'v2'])
    expect(await replaceOrder(ports(over, []), order(), () => undefined)).toEqual({ ended: over, placed: undefined })
  })

  it('has none while it still rests', async () => {
    const done: string[] = []
    await expect(replaceOrder(ports(order(), done), order(), () => plan)).rejects.toMatchObject({
      code: 'outcome-unknown',
    })
    expect(done).toEqual(['cancel'])
  })
})
