import { describe, expect, it } from 'vitest'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import { initialState, parsePaperState } from '../../../src/exchanges/paper/state.ts'

const fresh = initialState({ seed: 's', balance: '10000' })

describe('the stored paper account', () => {
  it('reads back what it wrote', async () => {
    const { exchange, store } = createScriptedMarket()
    await exchange.createOrder({ symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' })
    await exchange.createOrder({
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'stop',
      amount: '0.01',
      triggerPrice: '64000',
      reduceOnly: true,
    })
    expect(parsePaperState(JSON.parse(JSON.stringify(store.read())))).toEqual(store.read())
  })

  it('keeps fields it does not know, at every depth', () => {
    const raw = {
      ...fresh,
      note: 'mine',
      positions: [{ symbol: 'BTCUSDT', amount: '1', cost: '65000', realizedPnl: '0', colour: 'red' }],
    }
    expect(parsePaperState(raw)).toEqual(raw)
  })

  it.each([
    ['another version', { ...fresh, version: 2 }],
    ['money as a number', { ...fresh, deposited: 10000 }],
    ['money with an exponent', { ...fresh, deposited: '1e4' }],
    ['a counter below one', { ...fresh, nextOrderId: 0 }],
    ['a missing list', { ...fresh, trades: undefined }],
    ['an unknown side', { ...fresh, openOrders: [{ order: { id: 'p1', side: 'hold' } }] }],
    ['a list', []],
    ['null', null],
  ])('refuses %s', (_what, raw) => {
    expect(() => parsePaperState(raw)).toThrow(expect.objectContaining({ name: '$ZodError' }))
  })
})
