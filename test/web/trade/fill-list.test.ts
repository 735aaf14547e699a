import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { describeCause, VENUE_CAUSES } from '../../../src/exchange/order.ts'
import { fillRowOf } from '../../../src/listener/requests/questions.ts'
import { fillRow } from '../../../src/protocol/desk-frames.ts'
import type { FillRow } from '../../../src/protocol/frames.ts'
import { describeOrderer } from '../../../src/web/pages/trade/chart/chart-model.ts'
import { withFills } from '../../../src/web/pages/trade/fills.ts'

function fill(symbol: string, id: string, more: Partial<FillRow> = {}): FillRow {
  const row = { id, orderId: 'o', symbol, side: 'buy', amount: '1', price: '100', account: 'main', timestamp: 1 }
  return { ...row, ...more } as FillRow
}

it('lists the fills of two symbols that have one number, each with what it realized', () => {
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

it('says whose order a fill is of, and why the venue made one by itself', () => {
  const hook = fill('BTCUSDT', '1', { source: 'hook', origin: 'dip' })
  const cause = describeCause('liquidation')
  const page = fill('BTCUSDT', '4', { source: 'web', origin: 'Console', taskId: 't' })
  const copy = fill('BTCUSDT', '5', { source: 'copier', copier: 'main/swing' })
  const fills = [hook, page, copy, fill('BTCUSDT', '2', { cause }), fill('BTCUSDT', '3')]
  expect(fills.map(describeOrderer)).toEqual([
    'hook dip',
    'task, page Console',
    'copier main/swing',
    'elsewhere, liquidated by the venue',
    'elsewhere',
  ])
})

it.each(VENUE_CAUSES)('a fill by %s reaches the page with its cause in words', (cause) => {
  const trade = { ...fill('BTCUSDT', '1'), side: 'sell', cause } as const
  const row = fillRowOf('main', { trade, by: undefined, pnl: undefined, currency: undefined } as never)
  expect(z.parse(fillRow, row)).toMatchObject({ cause: describeCause(cause) })
})
