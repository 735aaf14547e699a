import { expect, it } from 'vitest'
import { OwnOrders } from '../../src/trading/following.ts'

it('an order of one symbol is not that of another with the same number', () => {
  const own = new OwnOrders()
  own.addPlaced({ symbol: 'BTCUSDT', id: '12345' })
  expect(own.has({ symbol: 'BTCUSDT', id: '12345' })).toBe(true)
  expect(own.has({ symbol: 'ETHUSDT', id: '12345' })).toBe(false)
})
