import { describe, expect, it } from 'vitest'
import { stepField, stepFigure } from '../../../src/web/pages/trade/price-steps.ts'
import { EMPTY_TICKET, type Ticket, type TicketField, withSize } from '../../../src/web/pages/trade/ticket/ticket.ts'
import { caretUnder } from '../../../src/web/pages/trade/ticket/ticket-line.ts'

describe('an arrow in a field', () => {
  it.each([
    ['250', '10', 1, '260'],
    ['10', '10', -1, '10'],
    ['-2%', '0.1', 1, '-1.9%'],
    ['−2 %', '0.1', -10, '-3 %'],
    ['+0.1%', '0.1', -2, '-0.1%'],
    ['65000.5', '0.5', 1, '65001'],
    ['$bid -0.1%', '0.1', 1, '$bid +0%'],
    ['0.0199', '0.001', 1, '0.0209'],
    ['30m', '1', 10, '40m'],
    ['soon', '1', 1, 'soon'],
  ])('steps %s by %s times %d to %s', (text, step, times, to) => expect(stepFigure(text, step, times)).toBe(to))

  it.each<[TicketField, Partial<Ticket>, string]>([
    ['size', {}, '100'],
    ['size', { unit: 'percent' }, '25'],
    ['size', { unit: 'percent', size: '25' }, '30'],
    ['size', { unit: 'base', size: '0.01' }, '0.011'],
    ['price', { kind: 'limit' }, '65000'],
    ['price', { kind: 'limit', price: '65000' }, '65000.1'],
    ['stop', {}, '-1%'],
    ['stop', { side: 'sell' }, '+1%'],
    ['stop', { stop: '64000' }, '64000.1'],
  ])('takes the %s of %j to %s', (field, change, to) => {
    const market = {
      symbol: 'BTCUSDT',
      kind: 'linear',
      base: 'BTC',
      quote: 'USDT',
      amountUnit: 'base',
      tick: '0.1',
      lotSize: '0.001',
      minAmount: '0.001',
    }
    expect(stepField({ ...EMPTY_TICKET, ...change }, field, { times: 1, market, last: '65000' })).toBe(to)
  })
})

describe('sizes used lately', () => {
  it('are there once, newest first, three of them, without those that have a button', () => {
    const used = [
      { size: '100', unit: 'quote' },
      { size: '250', unit: 'quote' },
      { size: '50', unit: 'percent' },
      { size: '100', unit: 'quote' },
      { size: '0.01', unit: 'base' },
      { size: '7', unit: 'quote' },
      { size: ' ', unit: 'quote' },
    ] as const
    const sizes = used.reduce<ReturnType<typeof withSize>>(withSize, [])
    expect(sizes.map(({ size }) => size)).toEqual(['7', '0.01', '100'])
  })
})

describe('a mistake in a line', () => {
  it.each([
    ['buy 100', 5, 'buy 100\n    ^'],
    ['buy', 4, 'buy\n   ^'],
  ])('of %s is pointed at in column %d', (line, column, text) => expect(caretUnder(line, column)).toBe(text))

  it('is in sight in a line that is too long to be shown', () => {
    const line = `buy $250 BTCUSDT at -1% po reduce stop -2% ${'x'.repeat(30)}`
    const [shown = '', caret = ''] = caretUnder(line, line.indexOf('-2%') + 1).split('\n')
    expect(shown.length).toBeLessThanOrEqual(34)
    expect(shown.slice(caret.indexOf('^')).startsWith('-2%')).toBe(true)
  })
})
