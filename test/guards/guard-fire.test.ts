// What a fire and a run may still send: within what its hook may order together (behaviour 47), and not after they have ended.
import { describe, expect, it } from 'vitest'
import type { Exchange, OrderContext } from '../../src/exchange/exchange.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import { FireBudget } from '../../src/trading/fire-budget.ts'
import { market, newId, orderOf, position, resultOf, stageGuard } from './guard-stage.ts'

const NAMES = [{ venue: 'binance' }, { venue: 'paper' }]

async function stage({ venue: name }: { readonly venue: string }) {
  const staged = stageGuard({ venue: name })
  await staged.store.setLimits('main', { order: 'off', day: 'off', band: 'off' })
  const budget = new FireBudget('1000')
  const fire = (asked: Parameters<typeof staged.send>[0] = {}) =>
    resultOf(staged.send({ ...asked, context: { budget, ...asked?.context } }))
  return { ...staged, budget, fire }
}

describe.each(NAMES)('the orders of one fire, at $venue', (options) => {
  it('are worth no more together than it may order', async () => {
    const { fire, budget, venue } = await stage(options)
    expect(await fire({ amount: '0.021' })).toBe(
      'guarded: the order is worth $1,050.00, and a fire of this hook may order at most $1,000.00 (--max)',
    )
    expect(await fire({ amount: '0.012' })).toBe('placed')
    expect(await fire({ amount: '0.008' })).toBe('placed')
    expect(await fire({ amount: '0.001' })).toBe(
      'guarded: the order is worth $50.00, after $1,000.00 before it, and a fire of this hook may order at most $1,000.00 (--max)',
    )
    expect([budget.spent, venue.sent.length]).toEqual(['1000', 2])
  })

  it('take nothing where they only reduce', async () => {
    const { fire, budget, venue } = await stage(options)
    venue.positions = [position('BTCUSDT', 'long', '0.1')]
    expect(await fire({ side: 'sell', amount: '0.05' })).toBe('placed')
    expect(await fire({ side: 'sell', amount: '0.1', reduceOnly: true })).toBe('placed')
    expect(budget.spent).toBe('0')
  })

  it('take nothing where the venue refuses, and all where it may have them', async () => {
    const { fire, budget, venue } = await stage(options)
    const refused = (code: ConstructorParameters<typeof ExchangeError>[0]) => () =>
      ({ kind: 'refused', error: new ExchangeError(code, 'no') }) as const
    venue.answer = refused('insufficient-funds')
    await fire({ amount: '0.01' })
    expect(budget.spent).toBe('0')
    venue.answer = refused('duplicate-id')
    await fire({ amount: '0.01' })
    expect(budget.spent).toBe('500')
    venue.answer = () => ({ kind: 'unknown', error: new ExchangeError('outcome-unknown', 'no answer') })
    await fire({ amount: '0.01' })
    expect(budget.spent).toBe('1000')
  })

  it('take nothing where they are not sent after all', async () => {
    const { fire, budget, venue, exchange } = await stage(options)
    const context = { budget, whyEnded: () => 'stopped: remoteExec was turned off' }
    expect(await fire({ context })).toMatch(/was not sent: stopped/)
    const release = () => Promise.reject(new Error('the disk is full'))
    const request = { clientOrderId: newId(), symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' } as const
    venue.answer = () => ({ kind: 'refused', error: new ExchangeError('unavailable', 'not released') })
    await exchange.createOrder(request, { budget, release })
    expect([budget.spent, venue.sent.length]).toEqual(['0', 1])
  })

  it('are not sent where their value is not known', async () => {
    const { fire, venue } = await stage(options)
    venue.markets = [market('BTCUSDT'), market('XYZBTC'), market('XYZTRY', 'linear', { base: 'XYZ', quote: 'TRY' })]
    venue.prices.set('XYZTRY', '3')
    const message =
      'guarded: the order has an unknown value in dollars, and a fire of this hook may order at most $1,000.00 (--max)'
    expect(await fire({ symbol: 'XYZTRY' })).toBe(message)
    expect(await fire({ symbol: 'NONEUSDT' })).toBe(message)
    expect(venue.sent).toEqual([])
  })
})

describe.each([{ venue: 'paper' }, { venue: 'binance' }])('a run that has ended, at $venue', (options) => {
  const ENDED = { whyEnded: () => 'stopped: remoteExec was turned off' }
  const REFUSED = 'guarded: the order was not sent: stopped: remoteExec was turned off'

  it('adds nothing, and still reduces', async () => {
    const { send, venue } = await stage(options)
    expect(await resultOf(send({ context: ENDED }))).toBe(REFUSED)
    expect(venue.sent).toEqual([])
    expect(await resultOf(send({ side: 'sell', reduceOnly: true, context: ENDED }))).toBe('placed')
  })

  it('adds nothing where the venue had prepared the order', async () => {
    const { raw, exchange, venue } = await stage(options)
    const create = raw.createOrder.bind(raw)
    const released: boolean[] = []
    Object.assign(raw, {
      holdsOrders: true,
      async createOrder(request, context) {
        released.push(context?.release !== undefined)
        const error = await context?.release?.().then(
          () => undefined,
          (reason: unknown) => reason as ExchangeError,
        )
        return error === undefined ? create(request) : { kind: 'refused', error: new ExchangeError('network', 'held') }
      },
    } satisfies Partial<Exchange>)
    const order = (context: OrderContext, reduceOnly = false) => {
      const asked = { symbol: 'BTCUSDT', side: reduceOnly ? 'sell' : 'buy', type: 'market', amount: '0.01' } as const
      return resultOf(exchange.createOrder({ clientOrderId: newId(), ...asked, reduceOnly }, context))
    }
    const written: string[] = []
    const release = async () => void written.push('intent')
    // It ends while its intent is written.
    const ends = { whyEnded: () => (written.length === 0 ? undefined : 'stopped: panic') }
    expect(await order({ ...ends, release })).toBe('guarded: the order was not sent: stopped: panic')
    expect(await order({ ...ENDED, release }, true)).toBe('placed')
    expect(await order({})).toBe('placed')
    expect([released, written.length, venue.sent.length]).toEqual([[true, true, false], 2, 2])
  })

  it('makes no order larger or dearer, and takes a part of one back', async () => {
    const { exchange, venue } = await stage(options)
    const request = { clientOrderId: newId(), symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '0.01' } as const
    venue.resting = [orderOf({ ...request, price: '49000' })]
    const ref = { symbol: 'BTCUSDT', id: venue.resting[0]?.id ?? '' }
    const edit = (change: Parameters<Exchange['editOrder']>[1]) => resultOf(exchange.editOrder(ref, change, ENDED))
    expect([await edit({ amount: '0.011' }), await edit({ price: '49100' })]).toEqual([REFUSED, REFUSED])
    expect(await edit({ amount: '0.009', price: '49100' })).toBe(REFUSED)
    expect(venue.calls).toEqual([])
    expect([await edit({ amount: '0.01' }), await edit({ amount: '0.009' })]).toEqual(['placed', 'placed'])
  })

  it('changes neither leverage nor margin mode', async () => {
    const { exchange, venue } = await stage(options)
    await expect(exchange.setLeverage('BTCUSDT', '5', ENDED)).rejects.toThrow('was not sent: stopped')
    await expect(exchange.setMarginMode?.('BTCUSDT', 'cross', ENDED)).rejects.toThrow('was not sent: stopped')
    expect(venue.calls).toEqual([])
    await exchange.setLeverage('BTCUSDT', '5', {})
    expect(venue.calls).toEqual(['leverage'])
  })
})
