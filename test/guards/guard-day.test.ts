// What is counted over time: the value and the loss of a UTC day, and orders a minute (behaviour 40).
import { describe, expect, it } from 'vitest'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { market, newId, orderOf, position, resultOf, stageGuard, tradeOf } from './guard-stage.ts'

describe('the value of a day', () => {
  it('counts an order that is over for what has filled of it, and one that was refused for nothing', async () => {
    const { send, journal, use, venue } = stageGuard()
    await send({ amount: '0.02' })
    const [first] = venue.sent
    journal.end(first?.clientOrderId ?? '', { status: 'canceled', filled: '0.005' })
    expect((await use()).day.toFixed()).toBe('250')
    venue.answer = () => ({ kind: 'refused', error: new ExchangeError('insufficient-funds', 'no') })
    await send({ amount: '0.02' })
    expect((await use()).day.toFixed()).toBe('250')
  })

  it('counts an order of unknown fate whole', async () => {
    const { send, use, venue } = stageGuard()
    venue.answer = () => ({ kind: 'unknown', error: new ExchangeError('outcome-unknown', 'timeout') })
    await send({ amount: '0.02' })
    expect((await use()).day.toFixed()).toBe('1000')
    expect((await use()).underWay).toHaveLength(1)
  })

  it('counts an order that the guard refused for nothing', async () => {
    const { send, use } = stageGuard()
    await send({ amount: '1' })
    const { day, lastMinute, underWay } = await use()
    expect([day.toFixed(), lastMinute, underWay]).toEqual(['0', 0, []])
  })

  it('counts nothing of what only reduces, and never stops it', async () => {
    const { send, use, venue, store } = stageGuard()
    await store.setLimits('main', { day: '10', order: '10', position: '10', rate: '1', loss: '1' })
    venue.positions = [position('BTCUSDT', 'long', '1')]
    for (let index = 0; index < 3; index += 1) {
      expect(await resultOf(send({ side: 'sell', amount: '0.3', reduceOnly: true }))).toBe('placed')
    }
    expect(
      await resultOf(send({ side: 'sell', type: 'stop', triggerPrice: '49000', amount: '1', reduceOnly: true })),
    ).toBe('placed')
    expect(await resultOf(send({ side: 'sell', amount: '0.1' }))).toBe('placed')
    expect((await use()).day.toFixed()).toBe('0')
  })

  it('ends at 00:00 UTC, wherever the machine is', async () => {
    const { send, use, setClock } = stageGuard({ now: Date.UTC(2026, 2, 29, 23, 59, 59, 999) })
    await send({ amount: '0.02' })
    expect((await use()).day.toFixed()).toBe('1000')
    setClock(Date.UTC(2026, 2, 30))
    expect((await use()).day.toFixed()).toBe('0')
    await send({ amount: '0.01' })
    expect((await use()).day.toFixed()).toBe('500')
  })

  it('has no hour more or less when clocks are put forward or back', async () => {
    for (const [month, day] of [
      [2, 29],
      [9, 25],
    ] as const) {
      const { send, use, setClock } = stageGuard({ now: Date.UTC(2026, month, day, 0, 0, 1) })
      await send({ amount: '0.02' })
      for (let hour = 0; hour < 24; hour += 1) {
        setClock(Date.UTC(2026, month, day, hour, 59, 59))
        expect((await use()).day.toFixed(), `${hour} h`).toBe('1000')
      }
    }
  })

  it('gives nothing back when the clock is set back, and counts again what it had counted', async () => {
    const { send, use, setClock, now } = stageGuard()
    const noon = now()
    await send({ amount: '0.02' })
    setClock(noon + 86_400_000)
    expect((await use()).day.toFixed()).toBe('0')
    await send({ amount: '0.01' })
    setClock(noon)
    expect((await use()).day.toFixed()).toBe('1500')
  })

  it('counts an order again that was counted in the last moment of the day before', async () => {
    const stage = stageGuard({ now: Date.UTC(2026, 0, 2, 23, 59, 59, 999) })
    const { lines } = stage
    const push = lines.push.bind(lines)
    let counts = 0
    // Midnight comes between the line and the look at it.
    lines.push = (...more: string[]) => {
      if (more.some((line) => line.includes('"counted"'))) {
        counts += 1
        stage.advance(1)
      }
      return push(...more)
    }
    expect(await resultOf(stage.send({ amount: '0.02' }))).toBe('placed')
    expect(counts).toBe(2)
    expect((await stage.use()).day.toFixed()).toBe('1000')
  })
})

describe('orders a minute', () => {
  it('counts orders, changes of orders, leverage and margin', async () => {
    const { send, exchange, venue, store, advance } = stageGuard()
    await store.setLimits('main', { rate: '4', day: 'off' })
    await send()
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
    const [resting] = venue.resting
    const ref = { symbol: 'BTCUSDT', id: resting?.id ?? '' }
    expect(await resultOf(exchange.editOrder(ref, { price: '49100' }))).toBe('placed')
    await exchange.setLeverage('BTCUSDT', '5')
    await exchange.setMarginMode?.('BTCUSDT', 'isolated')
    expect(await resultOf(send())).toBe('guarded: this is order 5 within a minute, and the limit is 4')
    expect(await resultOf(exchange.editOrder(ref, { price: '49200' }))).toMatch(/order 5 within a minute/)
    await expect(exchange.setLeverage('BTCUSDT', '6')).rejects.toThrow('order 5 within a minute')
    expect(venue.calls).toEqual(['edit', 'leverage', 'margin'])
    advance(60_001)
    expect(await resultOf(send())).toBe('placed')
  })

  it('counts stops that protect, and never stops them', async () => {
    const { send, store, use } = stageGuard()
    await store.setLimits('main', { rate: '2', day: 'off' })
    const stop = {
      type: 'stop',
      side: 'sell',
      triggerPrice: '49000',
      reduceOnly: true,
      context: { protects: true },
    } as const
    await send()
    for (let index = 0; index < 3; index += 1) expect(await resultOf(send(stop))).toBe('placed')
    expect((await use()).lastMinute).toBe(4)
    expect(await resultOf(send())).toMatch(/order 5 within a minute/)
  })

  it('holds nobody up for longer than two minutes when the clock is set back', async () => {
    const { send, store, setClock, now } = stageGuard()
    await store.setLimits('main', { rate: '1', day: 'off' })
    const noon = now()
    await send()
    setClock(noon - 30_000)
    expect(await resultOf(send())).toMatch(/order 2 within a minute/)
    setClock(noon - 3_600_000)
    expect(await resultOf(send())).toBe('placed')
  })
})

describe('the loss of a day', () => {
  it('counts fills, their fees in any coin that has a price, and what open positions have lost', async () => {
    const { send, journal, venue, store, tripped } = stageGuard()
    venue.markets.push(market('BNBUSDT'))
    venue.prices.set('BNBUSDT', '500')
    await store.setLimits('main', { loss: '100', day: 'off' })
    await send()
    const [request] = venue.sent
    if (request === undefined) throw new Error('nothing was sent')
    const lost = tradeOf(request, '0.01', '50000', { realizedPnl: '-40', fee: '0.04', feeCurrency: 'BNB' })
    journal.fill(request.clientOrderId, 'main', lost)
    journal.fill(request.clientOrderId, 'main', lost)
    expect(await resultOf(send())).toBe('placed')
    venue.positions = [position('ETHUSDT', 'long', '1', { unrealizedPnl: '-39' })]
    expect(await resultOf(send())).toBe('placed')
    venue.positions = [position('ETHUSDT', 'long', '1', { unrealizedPnl: '-40' })]
    expect(await resultOf(send())).toMatch(/^halted: account main takes only orders that reduce a position/)
    expect(tripped).toEqual([
      'account main has lost $100.00 today (UTC), and takes only orders that reduce a position from now on',
    ])
    expect(store.read('main')).toMatchObject({ state: 'reducing', by: 'its loss limit of $100.00 a day' })
  })

  it('counts what the venue has closed by itself, under its own id of the order', async () => {
    const { send, journal, venue, store } = stageGuard()
    await store.setLimits('main', { loss: '100', day: 'off' })
    await send()
    const [request] = venue.sent
    if (request === undefined) throw new Error('nothing was sent')
    journal.fill(
      'v7',
      'main',
      tradeOf(request, '0.01', '22500', { realizedPnl: '-275', cause: 'liquidation', orderId: 'v7' }),
    )
    expect(await resultOf(send())).toMatch(/^halted: account main takes only orders that reduce a position/)
  })

  it('counts fills alone where the account says so', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { loss: '10', day: 'off', lossWithOpen: false })
    venue.positions = [position('ETHUSDT', 'long', '1', { unrealizedPnl: '-4000' })]
    expect(await resultOf(send())).toBe('placed')
  })

  it('leaves exits alone, and a person has to end it', async () => {
    const { send, venue, store, setClock, now } = stageGuard()
    await store.setLimits('main', { loss: '10', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '1', { unrealizedPnl: '-4000' })]
    expect(await resultOf(send())).toMatch(/^halted/)
    expect(await resultOf(send({ side: 'sell', reduceOnly: true }))).toBe('placed')
    expect(await resultOf(send({ side: 'sell' }))).toBe('placed')
    expect(venue.sent.at(-1)).toMatchObject({ reduceOnly: true })
    setClock(now() + 86_400_000)
    venue.positions = []
    expect(await resultOf(send())).toMatch(/^halted/)
    await store.release('main')
    expect(await resultOf(send())).toBe('placed')
  })

  it('says what lets orders pass again: `resume` alone only once the loss is under the limit', async () => {
    const { send, venue, store, setClock, now } = stageGuard()
    await store.setLimits('main', { loss: '10', day: 'off' })
    venue.positions = [position('ETHUSDT', 'long', '1', { unrealizedPnl: '-4000' })]
    const hintOf = async () => {
      const outcome = await send()
      return outcome.kind === 'refused' ? outcome.error.hint : outcome.kind
    }
    const still =
      'wait for 00:00 UTC or raise it with `guards set main loss <dollars>`, then type `resume` in the terminal'
    expect(await hintOf()).toBe(still)
    expect(await hintOf()).toBe(still)
    await store.release('main')
    expect(await hintOf()).toBe(still)
    await store.setLimits('main', { loss: '5000' })
    expect(await hintOf()).toBe('type `resume` in the terminal to end it')
    await store.setLimits('main', { loss: '10' })
    setClock(now() + 86_400_000)
    venue.positions = []
    expect(await hintOf()).toBe('type `resume` in the terminal to end it')
    await store.release('main')
    expect(await hintOf()).toBe('placed')
  })

  it('says so where what was lost cannot be read, too', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { loss: '10', day: 'off' })
    await store.restrict('main', 'reducing', 'the terminal')
    venue.positions = [position('BTCUSDT', 'long', '1', { unrealizedPnl: '-1', settle: 'XYZ' })]
    const outcome = await send()
    expect(outcome.kind === 'refused' && outcome.error.hint).toBe('type `resume` in the terminal to end it')
  })

  it('lets nothing in while what was lost is not known in dollars', async () => {
    const { send, venue, store } = stageGuard()
    await store.setLimits('main', { loss: '10', day: 'off' })
    venue.positions = [position('BTCUSDT', 'long', '1', { unrealizedPnl: '-1', settle: 'XYZ' })]
    expect(await resultOf(send())).toMatch(/no price of XYZ/)
  })

  it('counts what was bought and sold where the venue says nothing of it', async () => {
    const { send, journal, venue, store } = stageGuard()
    await store.setLimits('main', { loss: '100', day: 'off' })
    await send()
    const [request] = venue.sent
    if (request === undefined) throw new Error('nothing was sent')
    journal.fill(request.clientOrderId, 'main', tradeOf(request, '0.01', '50000'))
    journal.fill(request.clientOrderId, 'main', tradeOf({ ...request, side: 'sell' }, '0.01', '40000'))
    expect(await resultOf(send())).toMatch(/^halted/)
  })
})
