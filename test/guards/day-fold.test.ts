// What the orders of an account add up to, line by line of its journal (behaviour 40).
import { describe, expect, it } from 'vitest'
import { DayFold, dayOf } from '../../src/guards/day-fold.ts'

const NOON = Date.UTC(2026, 0, 2, 12)
const DAY = dayOf(NOON)
const HOUR = 3_600_000
const ORDER = { symbol: 'BTCUSDT', side: 'buy', type: 'limit', amount: '2', price: '50' }

type Fields = Readonly<Record<string, unknown>>

const line = (t: string, more: Fields = {}): Fields => ({ t, id: 'a', at: NOON, account: 'main', ...more })
const intent = (order: Fields = {}, more: Fields = {}) =>
  line('intent', {
    owner: { pid: 1, born: '1' },
    venue: 'binance',
    by: { source: 'repl', runId: 'a', step: 0 },
    order: { ...ORDER, ...order },
    ...more,
  })
const counted = (more: Fields = {}) =>
  line('counted', { key: 'a', symbol: 'BTCUSDT', side: 'buy', amount: '2', value: '100', ...more })
const answered = (outcome: string, key = 'a') => line('answered', { key, outcome })
const outcome = (is: string, more: Fields = {}) => line('outcome', { outcome: is, ...more })
const placed = (more: Fields = {}) => outcome('placed', { orderId: '7', ...more })
const ended = (filled: string) => line('end', { status: 'canceled', filled })
const fill = (trade: Fields = {}, more: Fields = {}) =>
  line('fill', {
    trade: {
      id: 't1',
      orderId: '7',
      symbol: 'BTCUSDT',
      side: 'buy',
      amount: '1',
      price: '40',
      timestamp: NOON,
      takerOrMaker: 'taker',
      ...trade,
    },
    ...more,
  })

function foldOf(lines: readonly Fields[]): DayFold {
  const fold = new DayFold(DAY)
  for (const each of lines) fold.add(JSON.stringify(each))
  return fold
}

const useOf = (lines: readonly Fields[], besides?: { id: string; key: string }) => {
  const { day, lastMinute, underWay } = foldOf(lines).use('main', NOON, besides)
  return [day.toFixed(), lastMinute, underWay.map(({ key, amount }) => `${key} ${amount}`).join(', ')]
}

describe('what an account has used today, orders of the last minute, and what is under way:', () => {
  it.each<[string, readonly Fields[], readonly unknown[]]>([
    ['an intent alone counts for nothing yet', [intent()], ['0', 0, '']],
    ['an order that is counted counts whole, and is under way', [intent(), counted()], ['100', 1, 'a 2']],
    [
      'what only reduces counts for nothing once it has filled',
      [intent({ type: 'market', price: undefined, reduceOnly: true }), placed(), fill(), ended('1')],
      ['0', 1, ''],
    ],
    [
      'so does the close of a spot account',
      [
        intent(
          { type: 'market', price: undefined, side: 'sell' },
          { by: { source: 'repl', runId: 'a', step: 0, closes: true } },
        ),
        placed(),
        fill(),
        ended('1'),
      ],
      ['0', 1, ''],
    ],
    ['a line that is there twice counts once', [intent(), intent(), counted(), counted()], ['100', 1, 'a 2']],
    ['counted again for more, the more counts', [intent(), counted({ value: '0' }), counted()], ['100', 1, 'a 2']],
    ['counted again for less, the more counts', [intent(), counted(), counted({ value: '0' })], ['100', 1, 'a 2']],
    ['a placed order still counts, and is under way no more', [intent(), counted(), placed()], ['100', 1, '']],
    ['an unknown order counts, and is under way', [intent(), counted(), outcome('unknown')], ['100', 1, 'a 2']],
    [
      'a refused order counts for nothing but the minute',
      [intent(), counted(), outcome('refused', { code: 'x' })],
      ['0', 1, ''],
    ],
    [
      'a guarded order counts for nothing at all',
      [intent(), counted(), outcome('refused', { code: 'guarded' })],
      ['0', 0, ''],
    ],
    ['a simulated order counts for nothing at all', [intent(), counted(), outcome('simulated')], ['0', 0, '']],
    [
      'an unknown order keeps its count where it says guarded',
      [intent(), counted(), outcome('unknown', { code: 'guarded' })],
      ['100', 1, 'a 2'],
    ],
    ['an order that ended counts for what filled', [intent(), counted(), placed(), ended('0.5')], ['25', 1, '']],
    ['an order that ended while it was under way is it no more', [intent(), counted(), ended('1')], ['50', 1, '']],
    [
      'an end never takes back what an earlier one had',
      [intent(), counted(), placed(), ended('1'), ended('0.5')],
      ['50', 1, ''],
    ],
    [
      'an end with the outcome counts as one',
      [intent(), counted(), placed({ end: { status: 'closed', filled: '1' } })],
      ['50', 1, ''],
    ],
    [
      'an end that a refusal has is none',
      [intent(), counted(), outcome('unknown', { end: { filled: '0' } })],
      ['100', 1, 'a 2'],
    ],
    ['fills of more than the end says count', [intent(), counted(), placed(), ended('0.5'), fill()], ['50', 1, '']],
    ['fills of more than its amount count for all of it', [intent(), counted(), placed(), ended('9')], ['100', 1, '']],
    ['an order that nobody counted counts for what it says', [intent(), placed()], ['100', 1, '']],
    ['nobody counted it, and it is unknown: it counts all the same', [intent(), outcome('unknown')], ['100', 1, '']],
    [
      'a stop that nobody counted counts at its trigger',
      [intent({ price: undefined, triggerPrice: '30' }), placed()],
      ['60', 1, ''],
    ],
    [
      'at the market, uncounted, it counts for its fills',
      [intent({ price: undefined }), placed(), fill(), fill({ id: 't2', amount: '0.5' })],
      ['60', 1, ''],
    ],
    [
      'at the market, uncounted and without an answer, for nothing',
      [intent({ price: undefined }), fill()],
      ['0', 0, ''],
    ],
    ['reduce-only, uncounted, it counts for the minute', [intent({ reduceOnly: true }), placed()], ['0', 1, '']],
    ['an exit counts for the minute before its answer', [intent({ reduceOnly: true })], ['0', 1, '']],
    ['a stop of an entry counts for the minute before its answer', [intent({}, { protects: 'z' })], ['0', 1, '']],
    ['a close counts for the minute before its answer', [intent({}, { by: { closes: true } })], ['0', 1, '']],
    ['an order of before midnight counts for nothing', [intent({}, { at: DAY - HOUR }), placed()], ['0', 0, '']],
    [
      'one that was counted before midnight counts for nothing',
      [intent({}, { at: DAY - 1 }), counted({ at: DAY - 1 })],
      ['0', 0, 'a 2'],
    ],
    ['one of midnight counts', [intent({}, { at: DAY }), placed()], ['100', 0, '']],
    [
      'fills of one of before midnight count for nothing',
      [intent({ price: undefined }, { at: DAY - 1 }), placed(), fill()],
      ['0', 0, ''],
    ],
    ['more than an hour before midnight is not read', [intent({}, { at: DAY - HOUR - 1 }), placed()], ['0', 0, '']],
    ['counted after its answer, it is not under way', [intent(), placed(), counted()], ['100', 1, '']],
    ['what only shrinks is not under way', [intent(), counted({ grows: '0' })], ['100', 1, '']],
    [
      'a change is under way by what it adds',
      [intent(), counted(), placed(), counted({ key: 'b', grows: '1', value: '30', amount: '3' })],
      ['100', 2, 'b 1'],
    ],
    [
      'a change that was made counts with it',
      [counted(), counted({ key: 'b', value: '130' }), answered('made', 'b')],
      ['130', 2, 'a 2'],
    ],
    [
      'a change that was refused counts for the minute',
      [counted(), counted({ key: 'b', value: '130' }), answered('refused', 'b')],
      ['100', 2, 'a 2'],
    ],
    [
      'a change that was not sent counts for nothing',
      [counted(), counted({ key: 'b', value: '130' }), answered('not-sent', 'b')],
      ['100', 1, 'a 2'],
    ],
    [
      'a change that was answered is not counted again',
      [counted(), counted({ key: 'b', value: '130' }), answered('refused', 'b'), counted({ key: 'b', value: '130' })],
      ['100', 2, 'a 2'],
    ],
    [
      'a change that only reduces counts for the minute by its answer',
      [counted(), answered('made', 'c')],
      ['100', 2, 'a 2'],
    ],
    ['the end of an order ends what is under way of it', [counted(), counted({ key: 'b' }), ended('0')], ['0', 2, '']],
    ['the answer of an order that nobody has is nothing', [placed(), ended('1')], ['0', 0, '']],
    ['an account that began anew has used nothing', [intent(), counted(), line('reset')], ['0', 0, '']],
    [
      'and what it had before comes back by no later line',
      [intent(), counted(), line('reset'), placed(), ended('2')],
      ['0', 0, ''],
    ],
    ['another account began anew', [intent(), counted(), line('reset', { account: 'other' })], ['100', 1, 'a 2']],
    ['amounts that a person has spoilt count for nothing', [counted({ amount: '-1', value: 'x' })], ['0', 1, '']],
    ['amounts that are no text count for nothing', [counted({ amount: 2, value: 100 })], ['0', 1, '']],
  ])('%s', (_what, lines, expected) => {
    expect(useOf(lines)).toEqual(expected)
  })

  it('the order in question is left out, and another account has its own', () => {
    const lines = [counted(), counted({ id: 'b', key: 'b', value: '7' })]
    expect(useOf(lines, { id: 'b', key: 'b' })).toEqual(['100', 1, 'a 2'])
    expect(useOf(lines, { id: 'none', key: 'none' })).toEqual(['107', 2, 'a 2, b 2'])
    expect(foldOf(lines).use('other', NOON)).toMatchObject({ lastMinute: 0, underWay: [] })
    const elsewhere = [counted(), counted({ id: 'b', key: 'b', account: 'other' })]
    expect(useOf(elsewhere, { id: 'b', key: 'b' })).toEqual(['100', 1, 'a 2'])
  })
})

describe('what fills made today', () => {
  const fills = (lines: readonly Fields[], account = 'main') => {
    const of = foldOf(lines).fills(account).get('BTCUSDT')
    return (
      of && {
        pnl: of.pnl.toFixed(),
        net: of.net.toFixed(),
        cost: of.cost.toFixed(),
        last: of.lastPrice,
        fees: [...of.fees].map(([currency, fee]) => `${fee.toFixed()} ${currency}`),
      }
    )
  }
  const trades = (...rows: readonly (readonly [side: string, amount: string, price: string])[]) =>
    fills(rows.map(([side, amount, price], index) => fill({ id: `t${index}`, side, amount, price })))

  it('is what was sold against what was bought, at average cost', () => {
    expect(trades(['buy', '1', '40'], ['buy', '3', '60'])).toMatchObject({ pnl: '0', net: '4', cost: '55', last: '60' })
    expect(trades(['buy', '2', '40'], ['sell', '0.5', '60'])).toMatchObject({ pnl: '10', net: '1.5', cost: '40' })
    expect(trades(['buy', '2', '40'], ['sell', '2', '30'])).toMatchObject({ pnl: '-20', net: '0', cost: '0' })
    expect(trades(['sell', '2', '40'], ['buy', '0.5', '60'])).toMatchObject({ pnl: '-10', net: '-1.5', cost: '40' })
  })

  it('begins anew at the price of the fill that turned the position round', () => {
    expect(trades(['buy', '2', '40'], ['sell', '3', '60'])).toMatchObject({ pnl: '40', net: '-1', cost: '60' })
    expect(trades(['sell', '2', '40'], ['buy', '3', '60'])).toMatchObject({ pnl: '-40', net: '1', cost: '60' })
  })

  it('is what the venue says, where it does', () => {
    expect(fills([fill({ realizedPnl: '-5' }), fill({ id: 't2', realizedPnl: '2' })])).toMatchObject({
      pnl: '-3',
      net: '0',
    })
  })

  it('has its fees by currency', () => {
    const lines = [
      fill({ fee: '1', feeCurrency: 'USDT' }),
      fill({ id: 't2', fee: '2', feeCurrency: 'USDT' }),
      fill({ id: 't3', fee: '4' }),
    ]
    expect(fills(lines)?.fees).toEqual(['3 USDT', '4 '])
    expect(fills([fill()])?.fees).toEqual([])
  })

  it('counts each trade once, of this day, that can be read', () => {
    expect(fills([fill(), fill()])).toMatchObject({ net: '1' })
    expect(fills([fill({ timestamp: DAY })])).toMatchObject({ net: '1' })
    expect(fills([fill({ timestamp: DAY - 1 })])).toBeUndefined()
    for (const spoilt of [{ amount: 'x' }, { amount: 1 }, { price: '1e3' }, { fee: 'x' }, { realizedPnl: 'x' }])
      expect(fills([fill(spoilt)])).toBeUndefined()
    expect(fills([fill()], 'other')).toBeUndefined()
  })
})
