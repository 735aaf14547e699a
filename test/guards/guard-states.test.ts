// What passes in each state, in simulation, and while nothing can be asked (behaviour 40). Closing and protecting is always possible.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { OrderChange } from '../../src/exchange/order.ts'
import { Simulated } from '../../src/exchange/simulated.ts'
import { guardAccount, guardExchange, questionsOf } from '../../src/guards/guard-exchange.ts'
import { openGuardStore } from '../../src/stores/guards.ts'
import { openStopStore } from '../../src/stores/stops.ts'
import { type Asking, newId, orderOf, position, resultOf, stageGuard } from './guard-stage.ts'

const STOP = { type: 'stop', side: 'sell', triggerPrice: '49000' } as const
const LONG = position('BTCUSDT', 'long', '0.02')

describe('an account that is halted', () => {
  async function halted(options: Parameters<typeof stageGuard>[0] = {}) {
    const stage = stageGuard(options)
    await stage.store.restrict('main', 'halted', 'hook dip')
    return stage
  }

  it('sends nothing that could add to a position, and says since when, by whom and what ends it', async () => {
    const { send, venue, exchange } = await halted()
    const outcome = await send()
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'halted' } })
    expect(await resultOf(send({ side: 'sell' }))).toMatch(/^halted: account main was halted by hook dip at .*$/)
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toThrow('account main was halted')
    await expect(exchange.setMarginMode?.('BTCUSDT', 'cross')).rejects.toThrow('account main was halted')
    expect([...venue.sent, ...venue.calls]).toEqual([])
  })

  it('cancels, closes, and takes what the venue holds to reducing', async () => {
    const { send, venue, exchange } = await halted()
    venue.positions = [LONG]
    venue.resting = [orderOf({ clientOrderId: newId(), symbol: 'BTCUSDT', amount: '0.01', ...STOP })]
    expect(await resultOf(send({ side: 'sell', amount: '0.02', reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ ...STOP, reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ type: 'limit', side: 'sell', price: '51000', reduceOnly: true }))).toBe('placed')
    await exchange.cancelOrder({ symbol: 'BTCUSDT', id: venue.resting[0]?.id ?? '' }, {})
    await exchange.cancelAllOrders(undefined, {})
    expect(venue.calls).toEqual(['cancel', 'cancel-all'])
  })

  it('takes no word for an exit where the venue would not hold it to that', async () => {
    const { send } = await halted({ reduceOnly: false })
    expect(await resultOf(send({ side: 'sell', reduceOnly: true }))).toMatch(/was halted/)
  })

  it('of spot sells what `close` sells, and takes a stop that sells', async () => {
    const { send } = await halted({ kind: 'spot' })
    expect(await resultOf(send({ side: 'sell', context: { closes: true } }))).toBe('placed')
    expect(await resultOf(send(STOP))).toBe('placed')
    expect(await resultOf(send({ side: 'sell' }))).toMatch(/was halted/)
    expect(await resultOf(send({ side: 'buy', context: { closes: true } }))).toMatch(/was halted/)
  })

  it('places and changes the stops of entries that were placed before, on every kind of market', async () => {
    for (const options of [{}, { kind: 'spot' }, { reduceOnly: false }] as const) {
      const { send, exchange, venue } = await halted(options)
      expect(await resultOf(send({ ...STOP, context: { protects: true } }))).toBe('placed')
      venue.resting = [orderOf({ clientOrderId: newId(), symbol: 'BTCUSDT', amount: '0.01', ...STOP })]
      const ref = { symbol: 'BTCUSDT', id: venue.resting[0]?.id ?? '' }
      expect(await resultOf(exchange.editOrder(ref, { amount: '0.02' }, { protects: true }))).toBe('placed')
    }
  })

  it('makes an order smaller or a reduce-only one better, and nothing larger', async () => {
    const { exchange, venue } = await halted()
    const entry = orderOf({
      clientOrderId: newId(),
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount: '0.02',
      price: '49000',
    })
    const stop = orderOf({ clientOrderId: newId(), symbol: 'BTCUSDT', amount: '0.02', reduceOnly: true, ...STOP })
    venue.resting = [entry, stop]
    const edit = (order: typeof entry, change: OrderChange) =>
      resultOf(exchange.editOrder({ symbol: 'BTCUSDT', id: order.id }, change, {}))
    expect(await edit(entry, { amount: '0.01' })).toBe('placed')
    expect(await edit(entry, { amount: '0.03' })).toMatch(/was halted/)
    expect(await edit(entry, { price: '49100' })).toMatch(/was halted/)
    expect(await edit(entry, { amount: '0.01', price: '49100' })).toMatch(/was halted/)
    expect(await edit(stop, { triggerPrice: '49500' })).toBe('placed')
  })

  it('was halted while an order was judged: the order stays', async () => {
    const { send, venue, store, raw } = stageGuard()
    const fetch = raw.fetchTicker
    raw.fetchTicker = async (symbol) => {
      await store.restrict('main', 'halted', 'the terminal')
      return fetch(symbol)
    }
    expect(await resultOf(send())).toMatch(/was halted/)
    expect(venue.sent).toEqual([])
  })
})

describe('an account that reduces', () => {
  it('takes what shrinks the position, and has the venue hold it to that', async () => {
    const { send, venue, store } = stageGuard()
    await store.restrict(undefined, 'reducing', 'the terminal')
    venue.positions = [LONG]
    expect(await resultOf(send({ side: 'sell', amount: '0.02' }))).toBe('placed')
    expect(venue.sent).toMatchObject([{ reduceOnly: true }])
    for (const asked of [
      { side: 'sell', amount: '0.021' },
      { side: 'buy' },
      { side: 'sell', symbol: 'ETHUSDT' },
    ] satisfies Asking[]) {
      expect(await resultOf(send(asked))).toMatch(/takes only orders that reduce a position/)
    }
  })
})

describe('an account that reduces, with protective orders resting', () => {
  const stop = { ...STOP, symbol: 'BTCUSDT', amount: '0.02', reduceOnly: true } as const

  it.each(['reducing', 'panic', 'loss'])('sends a sell that the position holds, reduce-only: %s', async (state) => {
    const { send, venue, store, panic } = stageGuard()
    if (state === 'panic') await panic.begin('the terminal')
    if (state === 'reducing') await store.restrict(undefined, 'reducing', 'the terminal')
    if (state === 'loss') await store.setLimits('main', { loss: '10' })
    venue.positions = [{ ...LONG, unrealizedPnl: '-20' }]
    venue.resting = [
      orderOf({ ...stop, clientOrderId: newId() }),
      orderOf({ ...stop, clientOrderId: newId(), amount: '0' }, { reduceOnly: false, closesPosition: true }),
    ]
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toBe('placed')
    expect(venue.sent).toMatchObject([{ amount: '0.01', reduceOnly: true }])
    expect(await resultOf(send({ side: 'sell', amount: '0.021' }))).toMatch(/only orders that reduce a position/)
  })

  it('names the close, and not `resume`, where an order that could open rests on the same side', async () => {
    const { send, venue, store } = stageGuard()
    await store.restrict(undefined, 'reducing', 'the terminal')
    venue.positions = [LONG]
    venue.resting = [orderOf({ ...stop, clientOrderId: newId(), reduceOnly: false })]
    expect(await send({ side: 'sell', amount: '0.01' })).toMatchObject({
      kind: 'refused',
      error: { code: 'halted', hint: 'type `close 0.01 BTCUSDT`' },
    })
    expect(await send({ side: 'sell', amount: '0.03' })).toMatchObject({
      error: { hint: expect.stringContaining('resume') },
    })
  })

  it('takes the word of no order for it where the venue would not hold it to that', async () => {
    const { send, venue, store } = stageGuard({ reduceOnly: false })
    await store.restrict(undefined, 'reducing', 'the terminal')
    venue.positions = [LONG]
    venue.resting = [orderOf({ ...stop, clientOrderId: newId() })]
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toMatch(/takes only orders that reduce/)
    expect(venue.sent).toEqual([])
  })

  it('names the close where the venue has no room for what is reduce-only', async () => {
    const { send, venue, store } = stageGuard()
    await store.restrict(undefined, 'reducing', 'the terminal')
    venue.positions = [LONG]
    venue.answer = () => ({ kind: 'refused', error: new ExchangeError('reduce-only-rejected', 'no room') })
    const error = { code: 'reduce-only-rejected', hint: 'type `close 0.01 BTCUSDT`' }
    expect(await send({ side: 'sell', amount: '0.01' })).toMatchObject({ kind: 'refused', error })
  })
})

describe('two orders at the same moment', () => {
  it('that would each close the position: one of them counts as a new one', async () => {
    const { send, open, venue, store } = stageGuard()
    await store.setLimits('main', { order: '900', day: 'off' })
    venue.positions = [LONG]
    venue.answer = async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { kind: 'placed', order: orderOf(request) }
    }
    const other = open()
    const results = await Promise.all(
      [send, other.send].map((each) => resultOf(each({ side: 'sell', amount: '0.02' }))),
    )
    expect(results.toSorted()).toEqual(['guarded: the order is worth $1,000.00, and the limit is $900.00', 'placed'])
  })

  it('that together are too much for the day: one of two processes sends', async () => {
    const { send, open, venue, store } = stageGuard()
    await store.setLimits('main', { day: '1500' })
    const results = await Promise.all([send, open().send].map((each) => resultOf(each({ amount: '0.02' }))))
    expect(results.filter((result) => result === 'placed')).toHaveLength(1)
    expect(venue.sent).toHaveLength(1)
  })
})

describe('while the venue answers no question', () => {
  it('closes, protects, flattens and cancels all the same, and lets nothing else out', async () => {
    const { send, venue, exchange } = stageGuard()
    await send()
    venue.silent = new ExchangeError('network', 'no answer')
    expect(await resultOf(send({ side: 'sell', reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ ...STOP, reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ ...STOP, context: { protects: true } }))).toBe('placed')
    expect(await resultOf(send({ side: 'sell', context: { flattens: true } }))).toBe('placed')
    await exchange.cancelAllOrders(undefined, {})
    expect(await resultOf(send())).toBe('guarded: the limits of account main could not be checked: no answer')
    expect(await resultOf(send({ side: 'sell' }))).toMatch(/could not be checked/)
  })

  it('closes while nothing can be counted', async () => {
    const { send, venue, exchange, lines } = stageGuard()
    lines.push = () => {
      throw new ExchangeError('network', 'the disk is full')
    }
    venue.positions = [LONG]
    const close = {
      clientOrderId: newId(),
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'market',
      amount: '0.02',
      reduceOnly: true,
    } as const
    expect((await exchange.createOrder(close)).kind).toBe('placed')
    await expect(send()).rejects.toThrow('the disk is full')
  })
})

describe('simulation', () => {
  it('works out and checks, and sends nothing but what keeps a real position safe', async () => {
    const { send, venue, exchange, store, use } = stageGuard()
    await store.simulate('main', true)
    venue.resting = [
      orderOf({
        clientOrderId: newId(),
        symbol: 'BTCUSDT',
        side: 'buy',
        type: 'limit',
        amount: '0.01',
        price: '49000',
      }),
    ]
    const ref = { symbol: 'BTCUSDT', id: venue.resting[0]?.id ?? '' }
    await expect(send()).rejects.toBeInstanceOf(Simulated)
    await expect(exchange.editOrder(ref, { price: '49100' }, {})).rejects.toBeInstanceOf(Simulated)
    await expect(exchange.cancelOrder(ref, {})).rejects.toBeInstanceOf(Simulated)
    await expect(exchange.cancelAllOrders(undefined, {})).rejects.toBeInstanceOf(Simulated)
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toBeInstanceOf(Simulated)
    await expect(exchange.setMarginMode?.('BTCUSDT', 'cross')).rejects.toBeInstanceOf(Simulated)
    expect(await resultOf(send({ amount: '1' }))).toMatch(/^guarded/)
    expect([...venue.sent, ...venue.calls]).toEqual([])
    expect((await use()).day.toFixed()).toBe('0')
    expect(await resultOf(send({ ...STOP, context: { protects: true } }))).toBe('placed')
    expect(await resultOf(send({ side: 'sell', context: { flattens: true } }))).toBe('placed')
  })

  it('of one line holds for every call of it, on paper too', async () => {
    for (const name of ['binance', 'paper']) {
      const { send, exchange, venue } = stageGuard({ venue: name })
      const context = { isDry: true }
      await expect(send({ context })).rejects.toBeInstanceOf(Simulated)
      await expect(exchange.setLeverage('BTCUSDT', '5', context)).rejects.toBeInstanceOf(Simulated)
      await expect(exchange.setMarginMode?.('BTCUSDT', 'cross', context)).rejects.toBeInstanceOf(Simulated)
      await expect(exchange.cancelAllOrders('BTCUSDT', context)).rejects.toBeInstanceOf(Simulated)
      expect([...venue.sent, ...venue.calls]).toEqual([])
    }
  })
})

describe('a change of an order', () => {
  async function resting(limits: Record<string, string>) {
    const stage = stageGuard()
    await stage.store.setLimits('main', { order: 'off', day: 'off', ...limits })
    const request = { type: 'limit', price: '50000', amount: '0.01' } as const
    await stage.send(request)
    stage.venue.resting = stage.venue.sent.map((sent) => orderOf(sent))
    const ref = { symbol: 'BTCUSDT', id: stage.venue.resting[0]?.id ?? '' }
    const edit = (change: OrderChange) => resultOf(stage.exchange.editOrder(ref, change, {}))
    return { ...stage, edit }
  }

  it('counts the whole order as it would be', async () => {
    const { edit } = await resting({ order: '1000' })
    expect(await edit({ amount: '0.03' })).toBe('guarded: the order is worth $1,500.00, and the limit is $1,000.00')
    expect(await edit({ price: '51000', amount: '0.02' })).toMatch(/\$1,020\.00/)
    expect(await edit({ amount: '0.02' })).toBe('placed')
  })

  it('counts for the day what the order is worth now, once', async () => {
    const { edit, use } = await resting({ day: '1000' })
    expect((await use()).day.toFixed()).toBe('500')
    expect(await edit({ amount: '0.02' })).toBe('placed')
    expect((await use()).day.toFixed()).toBe('1000')
    expect(await edit({ amount: '0.021' })).toMatch(/today/)
    expect((await use()).day.toFixed()).toBe('1000')
  })

  it('that was refused counts for nothing, and is not under way any more', async () => {
    const { edit, use, raw } = await resting({ day: '2000' })
    raw.editOrder = async () => ({ kind: 'refused', error: new ExchangeError('invalid-order', 'no') })
    expect(await edit({ amount: '0.03' })).toBe('invalid-order: no')
    const { day, underWay } = await use()
    expect([day.toFixed(), underWay]).toEqual(['500', []])
  })

  it('of unknown fate counts whole', async () => {
    const { edit, use, raw } = await resting({ day: '2000' })
    raw.editOrder = async () => ({ kind: 'unknown', error: new ExchangeError('outcome-unknown', 'timeout') })
    expect(await edit({ amount: '0.03' })).toBe('unknown')
    const { day, underWay } = await use()
    expect([day.toFixed(), underWay.map(({ amount }) => amount)]).toEqual(['1500', ['0.02']])
  })

  it('is held to the price band and the position', async () => {
    const { edit, venue } = await resting({ position: '1000' })
    expect(await edit({ price: '52600' })).toMatch(/more than 5% above the ask/)
    venue.positions = [position('BTCUSDT', 'long', '0.005')]
    expect(await edit({ amount: '0.015' })).toBe('placed')
    expect(await edit({ amount: '0.016' })).toMatch(/could grow to \$1,050\.00/)
  })
})

describe('what is handed on', () => {
  it('has every question, and no method that the guard does not know', async () => {
    const { raw, store, book, now, venue } = stageGuard()
    const wider = { ...raw, createOrders: async () => venue.calls.push('createOrders') }
    const guarded = guardExchange(wider, { account: 'main', store, book, now, onTripped() {} })
    expect('createOrders' in guarded && guarded.createOrders).toBeUndefined()
    expect(guarded.createOrder).not.toBe(raw.createOrder)
    expect(await guarded.fetchTicker('BTCUSDT')).toMatchObject({ last: '50000' })
  })

  it('to who only asks has nothing that changes anything', async () => {
    const { raw } = stageGuard()
    const asking = questionsOf(raw)
    for (const name of ['createOrder', 'editOrder', 'cancelOrder', 'cancelAllOrders', 'setLeverage', 'setMarginMode']) {
      expect(Reflect.get(asking, name), name).toBeUndefined()
    }
    expect(await asking.fetchBalances()).toEqual([])
  })
})

describe('panic', () => {
  async function panicked(options: Parameters<typeof stageGuard>[0] = {}) {
    const stage = stageGuard(options)
    await stage.panic.begin('hook dip')
    return stage
  }

  it('keeps every order back that adds, from whatever it comes, and says who said it and what ends it', async () => {
    const { send, venue, exchange, panic } = await panicked()
    expect(await resultOf(send())).toMatch(/^panic: panic is on, turned on by hook dip at .*: only orders that reduce/)
    expect(await resultOf(send({ type: 'limit', price: '40000' }))).toMatch(/^panic: panic is on/)
    await expect(exchange.setLeverage('BTCUSDT', '5')).rejects.toThrow('panic is on')
    expect([...venue.sent, ...venue.calls]).toEqual([])
    await panic.end()
    expect(await resultOf(send())).toBe('placed')
  })

  it('lets through what closes, reduces, protects or takes back, and an order that only shrinks goes as reduce-only', async () => {
    const { send, venue, exchange } = await panicked()
    venue.positions = [LONG]
    expect(await resultOf(send({ side: 'sell', amount: '0.01', reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ ...STOP, amount: '0.02', reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ ...STOP, context: { protects: true } }))).toBe('placed')
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toBe('placed')
    expect(venue.sent.at(-1)).toMatchObject({ reduceOnly: true })
    expect(await resultOf(send({ side: 'sell', amount: '0.03' }))).toMatch(/^panic: panic is on/)
    await exchange.cancelAllOrders(undefined, {})
    expect(venue.calls).toEqual(['cancel-all'])
  })

  it('that is said while an order is judged keeps it back too', async () => {
    const stage = stageGuard()
    await stage.store.setLimits('main', { order: '5000' })
    const sending = stage.send()
    const said = stage.panic.begin('hook dip')
    expect(await resultOf(sending)).toMatch(/^panic: panic is on/)
    await said
    expect(stage.venue.sent).toEqual([])
  })

  it('does not loosen a halt', async () => {
    const { send, store, venue } = await panicked()
    await store.restrict('main', 'halted', 'the terminal')
    venue.positions = [LONG]
    expect(await resultOf(send({ side: 'sell', amount: '0.01' }))).toMatch(/account main was halted/)
  })
})

describe('a run that was stopped while its order was on its way', () => {
  it.each([{}, { order: '5000' }])('sends nothing more that adds, with limits %j, and still closes', async (limits) => {
    const { send, store, venue } = stageGuard()
    await store.setLimits('main', limits)
    const context = { whyEnded: () => 'stopped: remoteExec was turned off' }
    expect(await resultOf(send({ context }))).toBe(
      'guarded: the order was not sent: stopped: remoteExec was turned off',
    )
    expect(venue.sent).toEqual([])
    expect(await resultOf(send({ side: 'sell', reduceOnly: true, context }))).toBe('placed')
  })
})

describe('guards.json that is gone', () => {
  it('halts every process alike, also one that never saw it, until `resume`', async () => {
    const { store, directory, send } = stageGuard()
    await store.setLimits('main', { order: '5000' })
    rmSync(join(directory, 'guards.json'))
    const other = openGuardStore(directory, { had: openStopStore(directory) })
    expect(other.read('main')).toMatchObject({ state: 'halted', doubt: 'guards.json is gone' })
    expect(other.read('second').state).toBe('halted')
    await other.restrict('second', 'reducing', 'hook dip')
    expect([other.read('main').state, openGuardStore(directory).read('main').state]).toEqual(['halted', 'halted'])
    await other.release(undefined)
    expect([other.read('main').state, store.read('main').state]).toEqual(['active', 'active'])
    expect(await resultOf(send())).toBe('placed')
  })
})

describe('a loss limit', () => {
  it('trips though nothing is ordered, and says so once', async () => {
    const stage = stageGuard()
    await stage.store.setLimits('main', { loss: '5' })
    stage.venue.positions = [{ ...LONG, unrealizedPnl: '-6', settle: 'USDT' }]
    const { lookAtLoss } = guardAccount(stage.raw, {
      account: 'main',
      store: stage.store,
      book: stage.book,
      now: stage.now,
      onTripped: (text) => void stage.tripped.push(text),
    })
    // Two looks at the same time, and a later one.
    await Promise.all([lookAtLoss(), lookAtLoss()])
    await lookAtLoss()
    expect(stage.store.read('main')).toMatchObject({ state: 'reducing', by: 'its loss limit of $5.00 a day' })
    expect(stage.tripped).toEqual([expect.stringMatching(/^account main has lost \$6.00 today/)])
  })
})
