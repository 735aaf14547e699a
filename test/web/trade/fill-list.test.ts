import { expect, it } from 'vitest'
import type { FillRow } from '../../../src/protocol/frames.ts'
import { withFills } from '../../../src/web/pages/trade/fill-list.ts'

function fill(symbol: string, id: string, more: Partial<FillRow> = {}): FillRow {
  const row = { id, orderId: 'o', symbol, side: 'buy', amount: '1', price: '100', account: 'main', timestamp: 1 }
  return { ...row, ...more } as FillRow
}

it('lists the fills of two symbols that have one number, each with what it realised', () => {
  const first = withFills(undefined, [fill('BTCUSDT', '12345', { pnl: '7', pnlCurrency: 'USDT' })], 'main')
  const both = withFills(first, [fill('ETHUSDT', '12345', { timestamp: 2 })], 'main')
  expect(both.map(({ symbol, pnl }) => [symbol, pnl])).toEqual([
    ['ETHUSDT', undefined],
    ['BTCUSDT', '7'],
  ])
})

it('lists a fill that is told twice once, with what each telling says', () => {
  const once = withFills([fill('BTCUSDT', '1', { pnl: '7' })], [fill('BTCUSDT', '1'), fill('BTCUSDT', '2')], 'main')
  expect(once.map(({ id, pnl }) => [id, pnl])).toEqual([
    ['1', '7'],
    ['2', undefined],
  ])
})
