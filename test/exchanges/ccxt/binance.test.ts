import { describe, expect, it } from 'vitest'
import { BINANCE_LINEAR, RESTING } from './binance-linear.ts'
import { openScripted } from './scripted-venue.ts'

const ID = '0123456789abcdef0123456789abcdef'

describe('an order on Binance USDⓈ-M', () => {
  it('leaves once, under our id, and is placed as the venue says', async () => {
    const venue = await openScripted('binance', 'linear', [
      ...BINANCE_LINEAR,
      ['POST /fapi/v1/order', { ...RESTING, clientOrderId: ID }],
    ])
    const outcome = await venue.exchange.createOrder({
      clientOrderId: ID,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount: '0.01',
      price: '49000',
    })
    expect(outcome).toEqual({
      kind: 'placed',
      order: {
        id: '4001',
        clientOrderId: ID,
        symbol: 'BTCUSDT',
        side: 'buy',
        type: 'limit',
        amount: '0.01',
        filled: '0',

        remaining: '0.01',
        price: '49000',
        reduceOnly: false,
        postOnly: false,
        status: 'open',
        timestamp: 1790000000000,
      },
    })
    const [sent, ...more] = venue.sent('POST /fapi/v1/order')
    expect(more).toEqual([])
    expect(sent?.body).toContain(`newClientOrderId=${ID}`)
    expect(sent?.body).toContain('quantity=0.01&')
    expect(sent?.body).not.toContain('x-')
  })
})
