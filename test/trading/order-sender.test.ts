// One order on its way: what each answer of the venue makes of it, what is written down, and what is asked later (behaviour 36, 37).
import { describe, expect, it } from 'vitest'
import { journalInMemory } from '../../harness/venues/journal-in-memory.ts'
import type { Exchange, OrderContext, OrderOutcome } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order, OrderRef, OrderRequest } from '../../src/exchange/order.ts'
import { Simulated } from '../../src/exchange/simulated.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { OwnOrders } from '../../src/trading/following.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import type { Intent, OpenIntent } from '../../src/trading/order-journal-lines.ts'
import { type OrderedBy, protectiveOrderId } from '../../src/trading/order-plan.ts'
import { OrderSender } from '../../src/trading/order-sender.ts'

const SENT_AT = 1_790_000_000_000
const ID = 'a'.repeat(32)
const BY: OrderedBy = { source: 'repl', runId: ID, step: 0 }
const INTENT: Intent = {
  id: ID,
  at: SENT_AT,
  account: 'main',
  venue: 'binance',
  by: BY,
  order: { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '1', price: '100' },
}
const EXIT: Intent = { ...INTENT, order: { ...INTENT.order, side: 'sell', reduceOnly: true } }

function order(more: Partial<Order> = {}): Order {
  const amounts = { amount: '1', filled: '0', remaining: '1' }
  const flags = { reduceOnly: false, postOnly: false, status: 'open', timestamp: SENT_AT } as const
  const names = { id: 'v1', clientOrderId: ID, symbol: 'BTCUSDT' }
  return { ...names, side: 'buy', type: 'limit', price: '100', ...amounts, ...flags, ...more }
}

const placed = (more: Partial<Order> = {}): OrderOutcome => ({ kind: 'placed', order: order(more) })
const LOST: OrderOutcome = { kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') }
const AWAY = new ExchangeError('network', 'no answer')
const NOT_FOUND = new ExchangeError('order-not-found', 'no such order')

/** Time passes as it is waited for, up to where the test lets it. */
function createClock() {
  const waiting: { readonly at: number; readonly end: () => void }[] = []
  const pauses: number[] = []
  let [time, until] = [SENT_AT, SENT_AT + 61_000]
  return {
    pauses,
    now: () => time,
    delay(ms: number): Promise<void> {
      pauses.push(ms)
      const at = time + ms
      return new Promise((resolve) => {
        const end = () => {
          time = Math.max(time, at)
          resolve()
        }
        if (at <= until) end()
        else waiting.push({ at, end })
      })
    },
    async runTo(ms: number): Promise<void> {
      until = SENT_AT + ms
      for (let turn = 0; turn < 50; turn += 1) {
        const next = waiting.findIndex(({ at }) => at <= until)
        if (next >= 0) waiting.splice(next, 1)[0]?.end()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

interface Stage extends Partial<Exchange> {
  readonly answer?: () => OrderOutcome | Promise<OrderOutcome>
  /** What the venue says of the order when it is asked. */
  readonly fate?: (ref: OrderRef) => Order | Error
}

function stage({ answer = () => placed(), fate = () => AWAY, ...more }: Stage = {}) {
  const requests: OrderRequest[] = []
  const contexts: (OrderContext | undefined)[] = []
  const asked: OrderRef[] = []
  const events: OrderEvent[] = []
  const late: (readonly [string, Order | undefined])[] = []
  const closing = new AbortController()
  const clock = createClock()
  const own = new OwnOrders()
  const file = journalInMemory()
  const state = { fate }
  const exchange = {
    id: 'binance',
    kind: 'linear',
    stream: 'live',
    capabilities: { oco: false },
    createOrder(request: OrderRequest, context?: OrderContext) {
      requests.push(request)
      contexts.push(context)
      return Promise.resolve().then(answer)
    },
    async fetchOrder(ref: OrderRef) {
      asked.push(ref)
      const found = state.fate(ref)
      if (found instanceof Error) throw found
      return found
    },
    fetchOpenOrders: async () => [],
    fetchMyTrades: async () => [],
    fetchPositions: async () => [],
    ...more,
  } as unknown as Exchange
  const sender = new OrderSender({
    exchange,
    journal: createOrderJournal(file, { now: clock.now, onProblem: () => {} }),
    own,
    clock,
    signal: closing.signal,
    onLate: async ({ id }, found) => void late.push([id, found]),
  })
  const notify = (event: OrderEvent) => void events.push(event)
  return {
    sender,
    own,
    clock,
    closing,
    requests,
    contexts,
    asked,
    late,
    state,
    notify,
    lines: file.lines,
    send: (intent: Intent = INTENT) => sender.send(intent, notify),
    types: () => events.map(({ type }) => type),
    written: () => file.lines.map((line) => JSON.parse(line)).filter(({ t }) => t !== 'intent'),
  }
}

describe('an order that is sent', () => {
  it.each<[string, Partial<Order>, object]>([
    ['rests', {}, { outcome: 'placed', orderId: 'v1' }],
    ['has filled: its end is written behind its fills', { status: 'closed', filled: '1' }, { outcome: 'placed' }],
    [
      'has ended without a fill',
      { status: 'canceled' },
      { outcome: 'placed', end: { status: 'canceled', filled: '0' } },
    ],
    ['was rejected after a part of it', { status: 'rejected', filled: '0.4' }, { outcome: 'placed', orderId: 'v1' }],
  ])('%s', async (_, answer, written) => {
    const { send, written: lines, requests, sender } = stage({ answer: () => placed(answer) })
    expect(await send()).toMatchObject({ id: 'v1', ...answer })
    expect(lines()).toMatchObject([{ t: 'outcome', id: ID, ...written }])
    expect('end' in lines()[0]).toBe('end' in written)
    expect([requests.length, sender.unsettled()]).toEqual([1, []])
  })

  it.each<[string, () => OrderOutcome, object, object]>([
    [
      'by the venue',
      () => ({ kind: 'refused', error: new ExchangeError('insufficient-funds', 'too little') }),
      { code: 'insufficient-funds' },
      { outcome: 'refused', code: 'insufficient-funds', message: 'too little' },
    ],
    [
      'by the venue, as an order',
      () => placed({ status: 'rejected' }),
      { code: 'order-rejected' },
      { outcome: 'refused', code: 'rejected' },
    ],
    [
      'by what could not be counted',
      () => {
        throw new StoreError('store-corrupt', 'orders.jsonl cannot be read')
      },
      { code: 'store-corrupt' },
      { outcome: 'refused', code: 'store-corrupt' },
    ],
  ])('is refused %s', async (_, answer, error, written) => {
    const { send, written: lines, asked, types, sender } = stage({ answer })
    await expect(send()).rejects.toMatchObject(error)
    expect(lines()).toMatchObject([{ t: 'outcome', ...written }])
    expect([asked, types(), sender.unsettled()]).toEqual([[], [], []])
  })

  it('is worked out and not sent in simulation', async () => {
    const would = { kind: 'place', order: INTENT.order } as const
    const { send, written, asked } = stage({ answer: () => Promise.reject(new Simulated(would)) })
    await expect(send()).rejects.toBeInstanceOf(Simulated)
    expect([written(), asked]).toMatchObject([[{ outcome: 'simulated' }], []])
  })

  it.each<[string, () => OrderOutcome]>([
    ['that got no answer', () => LOST],
    [
      'of which the venue has the id already',
      () => ({ kind: 'refused', error: new ExchangeError('duplicate-id', 'twice') }),
    ],
    [
      'that failed in the middle',
      () => {
        throw new TypeError('cannot read the answer')
      },
    ],
  ])('%s is asked for by its id, and is what the venue says', async (_, answer) => {
    const { send, written, types, asked, requests, sender } = stage({ answer, fate: () => order({ filled: '0.4' }) })
    expect(await send()).toMatchObject({ filled: '0.4' })
    expect(asked[0]).toMatchObject({ symbol: 'BTCUSDT', clientOrderId: ID })
    expect(types()).toEqual(['unknown', 'settled'])
    expect(written()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'placed', orderId: 'v1' }])
    expect([requests.length, sender.unsettled()]).toEqual([1, []])
  })

  it('that got no answer was not placed where the venue does not have it after a minute', async () => {
    const { send, written, types } = stage({ answer: () => LOST, fate: () => NOT_FOUND })
    await expect(send()).rejects.toMatchObject({ code: 'order-rejected' })
    expect(written()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'refused', code: 'never-arrived' }])
    expect(types()).toEqual(['unknown', 'settled'])
  })

  it('is not sent once its account is closed', async () => {
    const { send, closing, written, requests } = stage()
    closing.abort()
    await expect(send()).rejects.toMatchObject({ code: 'unavailable' })
    expect([written(), requests]).toMatchObject([[{ outcome: 'refused', code: 'unavailable' }], []])
  })

  it('is known as ours before it leaves, with the orders that it carries', async () => {
    const seen: boolean[] = []
    const has = (id: string) => staged.own.has({ id: 'other', symbol: 'BTCUSDT', clientOrderId: id })
    const staged = stage({
      answer() {
        seen.push(has(ID), has(protectiveOrderId(ID, 'stop', 0)), has(protectiveOrderId(ID, 'take', 0)))
        return placed()
      },
    })
    const protection = { triggerPrice: '90', fires: 'at-or-below', isAttached: true } as const
    await staged.send({ ...INTENT, order: { ...INTENT.order, protection } })
    expect(seen).toEqual([true, true, false])
    expect(staged.own.has({ id: 'v1', symbol: 'BTCUSDT' })).toBe(true)
    expect(staged.requests).toMatchObject([{ clientOrderId: ID, attached: [{ triggerPrice: '90' }] }])
    expect(staged.requests[0]).not.toHaveProperty('protection')
  })

  it('takes to the guards what it protects, and what its run may', async () => {
    const { send, contexts } = stage()
    await send({ ...INTENT, by: { ...BY, closes: true } })
    await send({ ...INTENT, protects: 'b'.repeat(32) })
    expect(contexts).toEqual([{ closes: true }, { protects: true }])
  })
})

describe('an order that only may be there', () => {
  const unknown = async (more: Stage = {}, intent = INTENT) => {
    const staged = stage({ answer: () => LOST, ...more })
    await expect(staged.send(intent)).rejects.toMatchObject({ code: 'outcome-unknown' })
    return staged
  }
  const FORGETS = { findableMs: 0, fate: () => NOT_FOUND }

  it('keeps back what may add on its symbol, and nothing that reduces', async () => {
    const { sender, asked } = await unknown()
    const before = asked.length
    const plan = { symbol: 'BTCUSDT' }
    await expect(sender.requireSettled(plan)).rejects.toMatchObject({ code: 'unsettled-order' })
    expect(asked.length).toBe(before + 1)
    await sender.requireSettled({ ...plan, reduceOnly: true })
    await sender.requireSettled({ symbol: 'ETHUSDT' })
    await expect(sender.look('b', INTENT.order, BY)).rejects.toMatchObject({ code: 'unsettled-order' })
    expect(asked.length).toBe(before + 1)
    await sender.look('b', { ...INTENT.order, reduceOnly: true }, BY)
    await sender.look('b', { ...INTENT.order, symbol: 'ETHUSDT' }, BY)
  })

  it('keeps nothing back once the question before the next one has settled it', async () => {
    const { sender, state, late, types } = await unknown()
    state.fate = () => order()
    await sender.requireSettled({ symbol: 'BTCUSDT' })
    expect([late, types()]).toMatchObject([[[ID, { id: 'v1' }]], ['unknown', 'settled']])
    expect(sender.unsettled()).toEqual([])
  })

  it('is under way from before it is sent until it is settled, where it may add', async () => {
    const { sender, state } = await unknown()
    expect([sender.isUnderWay('BTCUSDT'), sender.isUnderWay('ETHUSDT')]).toEqual([true, false])
    state.fate = () => order()
    await sender.askAgain(ID)
    expect(sender.isUnderWay('BTCUSDT')).toBe(false)
    let answer: (outcome: OrderOutcome) => void = () => {}
    const slow = stage({ answer: () => new Promise((resolve) => (answer = resolve)) })
    const [exit] = [slow.send(EXIT)]
    expect(slow.sender.isUnderWay('BTCUSDT')).toBe(false)
    await new Promise((resolve) => setImmediate(resolve))
    answer(placed())
    await exit
    const entry = slow.send()
    const other = slow.send({ ...EXIT, order: { ...EXIT.order, symbol: 'ETHUSDT' } })
    expect([slow.sender.isUnderWay('BTCUSDT'), slow.sender.isUnderWay('ETHUSDT')]).toEqual([true, false])
    void [entry, other]
  })

  it('is asked for again every 30 s while the venue cannot be asked, and is sent no second time', async () => {
    const { clock, state, late, types, requests, sender } = await unknown()
    clock.pauses.length = 0
    await clock.runTo(200_000)
    expect(new Set(clock.pauses)).toEqual(new Set([30_000]))
    state.fate = () => order({ status: 'closed', filled: '1' })
    await clock.runTo(250_000)
    expect(late).toMatchObject([[ID, { filled: '1' }]])
    expect([types(), requests.length, sender.unsettled()]).toEqual([['unknown', 'settled'], 1, []])
    const pauses = clock.pauses.length
    await clock.runTo(900_000)
    expect(clock.pauses.length).toBe(pauses)
  })

  it('is asked for ever more rarely where only a person can settle it', async () => {
    const { clock, sender } = await unknown(FORGETS)
    expect(sender.unsettled()).toMatchObject([{ id: ID, at: SENT_AT, why: { kind: 'forgotten' } }])
    await clock.runTo(3_600_000)
    expect(clock.pauses.slice(8, 15)).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
  })

  it('is asked for no more once the process ends', async () => {
    const { clock, asked, closing } = await unknown()
    const before = asked.length
    closing.abort()
    await clock.runTo(200_000)
    expect(asked.length).toBe(before)
  })

  it.each<[string, object, Order | undefined, object]>([
    ['it is not there', { outcome: 'refused', code: 'by-hand', message: '' }, undefined, { code: 'never-arrived' }],
    ['it is there', { outcome: 'placed', orderId: 'v7' }, order({ id: 'v7' }), { outcome: 'placed', orderId: 'v7' }],
  ])('is settled by what a person said in another process: %s', async (_, said, found, written) => {
    const { sender, lines, state, written: outcomes } = await unknown(FORGETS)
    lines.push(JSON.stringify({ t: 'outcome', id: ID, at: SENT_AT, ...said }))
    state.fate = (ref) => (ref.id === 'v7' ? order({ id: 'v7' }) : NOT_FOUND)
    expect(await sender.askAgain(ID)).toEqual({ order: found })
    expect(outcomes().at(-1)).toMatchObject(written)
    expect(await sender.askAgain(ID)).toBe(undefined)
  })

  it('is settled by a person here, once', async () => {
    const { sender, late, types, written } = await unknown(FORGETS)
    expect(await sender.settleByHand('b'.repeat(32), undefined)).toBe(false)
    expect(await sender.settleByHand(ID, undefined)).toBe(true)
    expect(await sender.settleByHand(ID, undefined)).toBe(false)
    expect([late, types()]).toEqual([[[ID, undefined]], ['unknown', 'settled']])
    expect(written().at(-1)).toMatchObject({ outcome: 'refused', code: 'never-arrived' })
    const other = await unknown(FORGETS)
    expect(await other.sender.settleByHand(ID, order())).toBe(true)
    expect(other.late).toMatchObject([[ID, { id: 'v1' }]])
  })

  it('is reported to who asks for it anew, and still unknown where the venue does not answer', async () => {
    const { sender, state, types } = await unknown()
    const events: OrderEvent[] = []
    expect(sender.renotify('b'.repeat(32), () => {})).toBe(false)
    expect(sender.renotify(ID, (event) => void events.push(event))).toBe(true)
    await expect(sender.askAgain(ID)).rejects.toMatchObject({ code: 'outcome-unknown' })
    state.fate = () => order()
    await sender.requireSettled({ symbol: 'BTCUSDT' })
    expect([events.map(({ type }) => type), types()]).toEqual([['settled'], ['unknown']])
  })
})

describe('an order that another process left', () => {
  const LEFT: OpenIntent = {
    ...INTENT,
    isEnded: false,
    isReleased: false,
    protectors: [],
    feesBefore: {},
    filledBefore: '0',
    owner: { pid: 1, born: '1' },
  }
  const PLACED: OpenIntent = { ...LEFT, outcome: { outcome: 'placed', orderId: 'v1' } }
  const STOP: OpenIntent = { ...PLACED, protects: 'b'.repeat(32), order: EXIT.order }

  it('is asked for by our id, and by the venue’s where it is known', async () => {
    const unknown = stage({ fate: () => order() })
    await unknown.sender.resume(LEFT, unknown.notify)
    expect(unknown.asked).toMatchObject([{ clientOrderId: ID }])
    expect(unknown.asked[0]).not.toHaveProperty('id')
    expect([unknown.late, unknown.types()]).toMatchObject([[[ID, { id: 'v1' }]], ['settled']])
    const known = stage({ fate: () => order() })
    await known.sender.resume(PLACED, known.notify)
    expect(known.asked).toMatchObject([{ clientOrderId: ID, id: 'v1' }])
    expect([known.late, known.types(), known.written()]).toMatchObject([[[ID, { id: 'v1' }]], [], []])
    expect(known.own.has({ id: 'v1', symbol: 'BTCUSDT' })).toBe(true)
    expect(known.own.has({ id: 'v9', clientOrderId: ID, symbol: 'BTCUSDT' })).toBe(true)
  })

  it('is known as ours while the venue does not answer, with the orders that it carried', async () => {
    const protection = { triggerPrice: '90', fires: 'at-or-below', isAttached: true } as const
    const { sender, notify, own } = stage()
    await sender.resume({ ...PLACED, order: { ...PLACED.order, protection } }, notify)
    const has = (id: string, clientOrderId: string) => own.has({ id, clientOrderId, symbol: 'BTCUSDT' })
    expect([has('v1', 'other'), has('v9', ID), has('v9', protectiveOrderId(ID, 'stop', 0))]).toEqual([true, true, true])
    const unknown = stage()
    await unknown.sender.resume(LEFT, unknown.notify)
    expect(unknown.own.has({ id: 'undefined', symbol: 'BTCUSDT' })).toBe(false)
  })

  it('keeps back what may add until it is known whether it was placed', async () => {
    const unknown = stage()
    await unknown.sender.resume(LEFT, unknown.notify)
    expect(unknown.sender.unsettled()).toMatchObject([{ id: ID }])
    const known = stage()
    await known.sender.resume(PLACED, known.notify)
    expect(known.sender.unsettled()).toEqual([])
    await known.sender.requireSettled({ symbol: 'BTCUSDT' })
  })

  it('has its end written where it ended meanwhile', async () => {
    const { sender, notify, written } = stage({ fate: () => order({ status: 'canceled' }) })
    await sender.resume(PLACED, notify)
    expect(written()).toMatchObject([{ outcome: 'placed', end: { status: 'canceled', filled: '0' } }])
  })

  it('is over where it protected, is no longer listed and has filled nothing: it is placed anew', async () => {
    const gone = { findableMs: 0, fate: () => NOT_FOUND }
    const stop = stage(gone)
    await stop.sender.resume(STOP, stop.notify)
    await stop.clock.runTo(120_000)
    expect(stop.written()).toMatchObject([{ t: 'end', status: 'canceled', filled: '0' }])
    expect(stop.late).toEqual([[ID, undefined]])
    const resting = stage({ fate: () => order({ reduceOnly: true }) })
    await resting.sender.resume(STOP, resting.notify)
    expect([resting.written(), resting.late]).toMatchObject([[], [[ID, { status: 'open' }]]])
    const entry = stage(gone)
    await entry.sender.resume(PLACED, entry.notify)
    await entry.clock.runTo(120_000)
    expect(entry.late).toMatchObject([[ID, { status: 'canceled', filled: '0' }]])
  })

  it('is reported as unsettled once, where only a person can settle it', async () => {
    const { sender, notify, clock, types, state, late } = stage({ findableMs: 0, fate: () => NOT_FOUND })
    await sender.resume({ ...LEFT, at: SENT_AT - 1 }, notify)
    expect(types()).toEqual([])
    await clock.runTo(61_000)
    expect(types()).toEqual(['unsettled'])
    expect(sender.unsettled()).toMatchObject([{ why: { kind: 'forgotten' } }])
    state.fate = () => AWAY
    await clock.runTo(1_800_000)
    expect(sender.unsettled()).toMatchObject([{ why: { kind: 'forgotten' } }])
    state.fate = () => order()
    await clock.runTo(3_600_000)
    expect([types(), late]).toMatchObject([['unsettled', 'settled'], [[ID, { id: 'v1' }]]])
  })
})

describe('an order that is only judged', () => {
  const dry = (answer: () => OrderOutcome) => stage({ answer })

  it.each<[string, OrderRequest | undefined, object]>([
    ['as it is', { clientOrderId: ID, ...INTENT.order }, {}],
    ['as one that only reduces', { clientOrderId: ID, ...INTENT.order, reduceOnly: true }, { reduceOnly: true }],
  ])('would be sent %s', async (_, would, held) => {
    const { sender, contexts, requests, lines } = dry(() => {
      throw new Simulated({ kind: 'place', order: would as OrderRequest })
    })
    expect(await sender.look(ID, { ...INTENT.order, protection: { fires: 'at-or-below' } }, BY)).toEqual(held)
    expect([contexts, lines]).toEqual([[{ isDry: true }], []])
    expect(requests[0]).not.toHaveProperty('protection')
  })

  it('is refused as it would be, and takes nothing of a budget', async () => {
    const { sender } = dry(() => ({ kind: 'refused', error: new ExchangeError('guarded', 'too much') }))
    const given: string[] = []
    const budget = { max: '1', spent: '0', take: () => true, giveBack: (id: string) => void given.push(id) }
    await expect(sender.judge(ID, INTENT.order, { ...BY, budget })).rejects.toMatchObject({ code: 'guarded' })
    expect(given).toEqual([ID])
  })
})
