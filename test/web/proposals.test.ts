// What a person sees of a proposal before the yes (behaviour 146): everything that it would do, however much that is.
import { describe, expect, it } from 'vitest'
import { EMPTY_PREVIEW } from '../../harness/commands/empty-preview.ts'
import type { Preview, PreviewOrder } from '../../src/protocol/preview.ts'
import { everyConsequence } from '../../src/web/shell/proposals-dialog.tsx'

function order(price: number, more: Partial<PreviewOrder> = {}): PreviewOrder {
  return {
    account: 'paper',
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'limit',
    amount: '0.01',
    unit: 'BTC',
    roundedBy: '0',
    price: String(price),
    notional: '600',
    quote: 'USDT',
    fee: { amount: '0.1', currency: 'USDT', rate: '0.0002', as: 'maker' },
    margin: { amount: '60', currency: 'USDT', leverage: '10' },
    stop: { triggerPrice: '59000', pnl: '-10', net: '-10.6', currency: 'USDT' },
    ...more,
  }
}

const text = (preview: Partial<Preview>) =>
  everyConsequence({ ...EMPTY_PREVIEW, ...preview }, 'paper').map(({ title, value }) => `${title}: ${value}`)

describe('what a proposal would do is shown', () => {
  it('with every order and every cancel, and their sums', () => {
    const orders = Array.from({ length: 20 }, (_, index) => order(60_000 + index))
    const cancels = Array.from({ length: 20 }, (_, index) => ({ account: 'paper', symbol: 'BTCUSDT', id: `c${index}` }))
    const rows = text({ orders, cancels })
    for (const [index, { price }] of orders.entries())
      expect(rows).toContain(`Order ${index + 1}: limit buy BTCUSDT, at 60,0${price?.slice(3)}`)
    for (const { id } of cancels) expect(rows).toContain(`Cancels: order ${id} of BTCUSDT`)
    expect(rows).toEqual(
      expect.arrayContaining([
        '20 orders, worth: 12,000.00 USDT',
        'All fees: 2.00 USDT',
        'All margin: 1,200.00 USDT',
        'If all stops are hit, after fees: −212.00 USDT',
      ]),
    )
    expect(rows.filter((row) => row === 'If the stop is hit, after taker fees: −10.60 USDT')).toHaveLength(20)
  })

  it('with the account of each row that is on another, what it sets, and what of each limit it uses', () => {
    const rows = text({
      orders: [order(60_000, { account: 'swing', reduceOnly: true })],
      cancels: [{ account: 'swing', symbol: 'BTCUSDT', id: 'c' }],
      settings: [{ account: 'paper', symbol: 'BTCUSDT', what: 'leverage', value: '20' }],
      limits: [{ account: 'paper', limit: 'day', max: '5000', before: '100', after: '700' }],
    })
    expect(rows).toEqual(
      expect.arrayContaining([
        'Order: limit buy BTCUSDT, at 60,000, reduce-only on swing',
        'Cancels on swing: order c of BTCUSDT',
        'Sets the leverage of BTCUSDT: 20',
        'Limit day: $700.00 of $5,000.00 used',
      ]),
    )
  })
})
