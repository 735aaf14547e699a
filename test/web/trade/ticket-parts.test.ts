import { beforeEach, describe, expect, it } from 'vitest'
import type { MarketRow } from '../../../src/protocol/frames.ts'
import type { Preview } from '../../../src/protocol/preview.ts'
import { stepField, stepFigure } from '../../../src/web/pages/trade/price-steps.ts'
import {
  chooseOwnSize,
  noteSize,
  ownSizesOf,
  sizeText,
  withSize,
} from '../../../src/web/pages/trade/ticket/quick-sizes.ts'
import {
  chooseQuickSize,
  EMPTY_TICKET,
  editTicket,
  isFilled,
  isTooEarly,
  openTicket,
  type SizeUnit,
  sentLine,
  switchUnit,
  type Ticket,
  type TicketField,
  typeSize,
  useTicket,
} from '../../../src/web/pages/trade/ticket/ticket.ts'
import { describeFault, lookOf } from '../../../src/web/pages/trade/ticket/ticket-form.tsx'
import { caretUnder, editLine, lineOf } from '../../../src/web/pages/trade/ticket/ticket-line.ts'

const MARKET: MarketRow = {
  symbol: 'BTCUSDT',
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  amountUnit: 'base',
  tick: '0.1',
  lotSize: '0.001',
  minAmount: '0.001',
}
const lineNow = () => lineOf(useTicket.getState(), 'BTCUSDT')
beforeEach(() => useTicket.setState(useTicket.getInitialState(), true))

describe('a line edited by hand that the fields do not show', () => {
  const LINE = 'buy $500; sell $500 at +5%'
  const byHand = () => editLine(LINE, 'BTCUSDT')

  it('stays as it is where the ticket is only opened', () => {
    byHand()
    openTicket()
    expect(useTicket.getState()).toMatchObject({ isOpen: true, isFollowed: false, replaced: undefined })
    expect(lineNow()).toEqual({ line: LINE })
  })

  it.each<[what: string, edit: () => void]>([
    ['a side', () => openTicket('sell')],
    ['a price', () => editTicket({ kind: 'limit', price: '64000' })],
    ['the way back to the fields', () => editTicket({})],
  ])('can be had back after %s has replaced it', (_what, edit) => {
    byHand()
    edit()
    editTicket({ size: '100' })
    const { replaced = '' } = useTicket.getState()
    expect(replaced).toBe(LINE)
    editLine(replaced, 'BTCUSDT')
    expect(lineNow()).toEqual({ line: LINE })
    expect(useTicket.getState().replaced).toBeUndefined()
  })

  it('is not kept where the fields show all of it', () => {
    editLine('buy $500 BTCUSDT stop -2%', 'BTCUSDT')
    editTicket({ side: 'sell' })
    expect(useTicket.getState().replaced).toBeUndefined()
  })
})

describe('a typed size', () => {
  it.each<[SizeUnit, string, string]>([
    ['percent', '$50', 'buy $50 BTCUSDT'],
    ['base', '$2', 'buy $2 BTCUSDT'],
    ['base', '50$', 'buy $50 BTCUSDT'],
    ['base', '1%', 'buy 1% BTCUSDT'],
    ['quote', '25 %', 'buy 25% BTCUSDT'],
    ['percent', '50usd', 'buy $50 BTCUSDT'],
    ['quote', '0.01 btc', 'buy 0.01 BTCUSDT'],
    ['quote', '$equity/10', 'buy $equity/10 BTCUSDT'],
    ['percent', '40', 'buy 40% BTCUSDT'],
    ['risk', '1%', 'buy risk 1% BTCUSDT stop -2%'],
    ['quote', 'risk 50', 'buy risk $50 BTCUSDT stop -2%'],
  ])('with %s selected, %s writes %s', (unit, text, line) => {
    editTicket({ unit, ...(line.includes('stop') && { stop: '-2%' }) })
    typeSize(text, 'BTC')
    expect(lineNow()).toEqual({ line })
  })

  it('has no risk where the kind of order has no stop of its own', () => {
    editTicket({ unit: 'risk', stop: '-2%' })
    typeSize('50', 'BTC')
    editTicket({ kind: 'limit', price: '64000' })
    expect(useTicket.getState()).toMatchObject({ unit: 'risk', size: '50' })
    editTicket({ kind: 'twap' })
    expect(useTicket.getState()).toMatchObject({ unit: 'quote', size: '' })
  })

  it('is no other size than the typed one: two signs are refused', () => {
    typeSize('$50%', 'BTC')
    expect(lineNow()).toMatchObject({ field: 'size', message: expect.stringContaining('50%') })
  })

  it('is in the unit before a quick size, whose unit goes with it', () => {
    chooseQuickSize({ size: '25', unit: 'percent' })
    chooseQuickSize({ size: '50', unit: 'percent' })
    expect(lineNow()).toEqual({ line: 'buy 50% BTCUSDT' })
    typeSize('100', 'BTC')
    expect(lineNow()).toEqual({ line: 'buy $100 BTCUSDT' })
  })
})

describe('a switched unit', () => {
  const facts = { market: MARKET, last: '64000' }
  const shown = () => [useTicket.getState().size, useTicket.getState().unit]

  it.each<[SizeUnit, string, SizeUnit, string]>([
    ['quote', '250', 'base', '0.003'],
    ['base', '0.01', 'quote', '640'],
    ['base', '0.0015', 'quote', '96'],
    ['quote', '2', 'base', ''],
    ['quote', '100', 'percent', ''],
    ['percent', '25', 'quote', ''],
    ['quote', 'equity/10', 'base', ''],
  ])('of %s %s to %s gives %j', (unit, size, to, expected) => {
    editTicket({ unit, size })
    switchUnit(to, facts)
    expect(shown()).toEqual([expected, to])
  })

  it("takes hookline's own figures where it has worked the line out", () => {
    editTicket({ unit: 'percent', size: '50' })
    const order = { account: 'paper', symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.0760', unit: 'BTC' }
    useTicket.setState({ preview: { orders: [{ ...order, notional: '4864.007' }] } as unknown as Preview })
    switchUnit('quote', facts)
    expect(shown()).toEqual(['4864', 'quote'])
  })

  it('is a share of what is free, and what the stop loses, where hookline has worked the line out', () => {
    const order = { account: 'paper', symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.007', unit: 'BTC' }
    const preview = { orders: [{ ...order, notional: '455.01', stop: { triggerPrice: '63700', net: '-9.612' } }] }
    const switched = (unit: SizeUnit, more: Partial<Ticket> = {}) => {
      useTicket.setState(useTicket.getInitialState(), true)
      editTicket({ size: '500', stop: '-2%', ...more })
      useTicket.setState({ preview: preview as unknown as Preview })
      switchUnit(unit, { ...facts, free: '9999.5' })
      return shown()
    }
    expect(switched('percent')).toEqual(['4.55', 'percent'])
    expect(switched('risk')).toEqual(['9.61', 'risk'])
    expect(switched('percent', { reduceOnly: true })).toEqual(['', 'percent'])
  })

  it('is the same size again once it is switched back, and not after an edit', () => {
    editTicket({ size: '250' })
    switchUnit('base', facts)
    switchUnit('percent', facts)
    switchUnit('quote', facts)
    expect(shown()).toEqual(['250', 'quote'])
    switchUnit('base', facts)
    editTicket({ size: '0.002' })
    switchUnit('quote', facts)
    expect(shown()).toEqual(['128', 'quote'])
  })
})

it('a missing number has the title of its field', () => {
  const fault = { field: 'slices' } as const
  expect(describeFault(fault, 'twap')).toBe('number of slices is missing')
  expect(describeFault(fault, 'scale')).toBe('number of orders is missing')
})

const shownSize = () => [useTicket.getState().size, useTicket.getState().unit]

describe('a ticket of another kind', () => {
  it('has no time and no slices of the kind before', () => {
    editTicket({ kind: 'chase', lasts: '4m', size: '100' })
    editTicket({ kind: 'twap', slices: '9' })
    expect(useTicket.getState()).toMatchObject({ lasts: '', size: '100' })
    editTicket({ kind: 'scale' })
    expect(useTicket.getState().slices).toBe('')
  })

  it('keeps what was typed for each', () => {
    editTicket({ kind: 'scale' })
    editTicket({ size: '100', from: '-1%', to: '-3%', slices: '4' })
    editTicket({ kind: 'twap' })
    editTicket({ slices: '9', lasts: '30m' })
    editTicket({ kind: 'scale' })
    expect(useTicket.getState()).toMatchObject({ from: '-1%', to: '-3%', slices: '4', lasts: '' })
    editTicket({ kind: 'twap' })
    expect(useTicket.getState()).toMatchObject({ size: '100', slices: '9', lasts: '30m' })
  })

  it('keeps the size of an entry over a visit to the stop of a position, and the other way', () => {
    editTicket({ size: '100' })
    editTicket({ kind: 'stop' })
    expect(shownSize()).toEqual(['', 'percent'])
    editTicket({ size: '50' })
    editTicket({ kind: 'limit' })
    expect(shownSize()).toEqual(['100', 'quote'])
    editTicket({ kind: 'stop' })
    expect(shownSize()).toEqual(['50', 'percent'])
    editTicket({ aim: 'enter' })
    expect(shownSize()).toEqual(['100', 'quote'])
  })

  it('keeps a risk for the kinds that have one', () => {
    editTicket({ size: '5', unit: 'risk' })
    editTicket({ kind: 'twap' })
    expect(shownSize()).toEqual(['', 'quote'])
    editTicket({ kind: 'stop' })
    editTicket({ kind: 'market' })
    expect(shownSize()).toEqual(['5', 'risk'])
    editTicket({ kind: 'twap' })
    editTicket({ size: '200' })
    editTicket({ kind: 'stop' })
    editTicket({ kind: 'market' })
    expect(shownSize()).toEqual(['200', 'quote'])
    editTicket({ size: '' })
    editTicket({ kind: 'stop' })
    editTicket({ kind: 'market' })
    expect(shownSize()).toEqual(['', 'quote'])
  })
})

describe('a change of the side', () => {
  it('turns distances of stop and target round, and leaves prices and multiples', () => {
    editTicket({ side: 'buy', size: '50', stop: '-1%', target: '$last +2 %' })
    editTicket({ side: 'sell' })
    expect(useTicket.getState()).toMatchObject({ stop: '+1%', target: '$last -2 %' })
    editTicket({ side: 'sell', stop: '65000', target: '2R' })
    openTicket('buy')
    expect(useTicket.getState()).toMatchObject({ stop: '65000', target: '2R' })
    editTicket({ stop: '−1%' })
    openTicket('buy')
    expect(useTicket.getState().stop).toBe('−1%')
    editTicket({ side: 'sell', stop: '+3%' })
    expect(useTicket.getState().stop).toBe('+3%')
  })
})

describe('a line that was sent', () => {
  it('is not sent again by a second press, nor by one that follows a press too soon', () => {
    const first = sentLine('buy $50', 10_000)
    expect(isTooEarly(undefined, 'buy $50', 10_000)).toBe(false)
    expect(isTooEarly(first, 'buy $50', 10_300)).toBe(true)
    expect(isTooEarly(sentLine('buy $50', 10_300), 'buy $50', 11_200)).toBe(true)
    expect(isTooEarly(first, 'buy $50', 11_000)).toBe(false)
    expect(isTooEarly(first, 'buy $60', 10_001)).toBe(false)
  })
})

describe('the button of a line that the fields do not show', () => {
  const look = (preview?: object) => {
    const nothing = { orders: [], cancels: [], changes: [], tasks: [] }
    return lookOf(useTicket.getState(), preview && ({ ...nothing, ...preview } as unknown as Preview))
  }
  const [buy, sell] = [{ side: 'buy' }, { side: 'sell' }]

  it.each<[string, object | undefined, string]>([
    ['is plain until the line is worked out', undefined, 'plain'],
    ['has the side of its order', { orders: [sell] }, 'sell'],
    ['has the side of all its orders', { orders: [buy, buy] }, 'buy'],
    ['is plain for both sides', { orders: [buy, sell] }, 'plain'],
    ['is plain for an order that replaces others', { orders: [sell], cancels: [{}] }, 'plain'],
    ['is plain where it only changes', { changes: [{}] }, 'plain'],
  ])('%s', (_what, preview, expected) => {
    editTicket({ side: 'buy', size: '500' })
    editLine('sell 0.01 ETHUSDT at +2%', 'BTCUSDT')
    expect(useTicket.getState().isFollowed).toBe(false)
    expect(look(preview)).toBe(expected)
  })

  it("has the ticket's side where the fields follow the line", () => {
    editLine('sell 0.01 at +2%', 'BTCUSDT')
    expect(look({ orders: [sell] })).toBe('sell')
  })
})

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
    const known = { times: 1, market: MARKET, last: '65000' }
    expect(stepField({ ...EMPTY_TICKET, ...change }, field, known)).toBe(to)
  })
})

describe('sizes used recently', () => {
  it('have no key: key 4 of three sizes leaves none, so that Enter orders nothing', () => {
    noteSize({ size: '2000', unit: 'quote' })
    chooseOwnSize(2)
    expect(useTicket.getState()).toMatchObject({ size: '50', unit: 'percent' })
    noteSize({ size: '500', unit: 'quote' })
    chooseOwnSize(4)
    expect(useTicket.getState().size).toBe('')
    chooseOwnSize(1)
    expect(useTicket.getState()).toMatchObject({ size: '25', unit: 'percent' })
  })

  it('have keys that replace no size and no line of a person', () => {
    typeSize('300', 'BTC')
    expect([chooseOwnSize(1), chooseOwnSize(4)]).toEqual([false, false])
    expect(useTicket.getState()).toMatchObject({ size: '300', unit: 'quote' })
    typeSize('', 'BTC')
    expect(chooseOwnSize(1)).toBe(true)
    editTicket({ size: '26' })
    expect(chooseOwnSize(1)).toBe(false)
    editLine('buy $100 BTCUSDT stop -2%; say x', 'BTCUSDT')
    expect(chooseOwnSize(1)).toBe(false)
  })

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
    const sizes = used.reduce<ReturnType<typeof withSize>>((known, each) => withSize(known, each), [])
    expect(sizes.map(({ size }) => size)).toEqual(['7', '0.01', '100'])
  })
})

describe('own sizes', () => {
  it('are read with their units, each once, and shown as they are typed', () => {
    const sizes = ownSizesOf('$250, 5 %, 0.1 coin; risk 1 %, risk $20, 5%,')
    expect(sizes).toEqual([
      { size: '250', unit: 'quote' },
      { size: '5', unit: 'percent' },
      { size: '0.1', unit: 'base' },
      { size: '1%', unit: 'risk' },
      { size: '20', unit: 'risk' },
    ])
    const text = sizes?.map((each) => sizeText(each)).join(', ') ?? ''
    expect(text).toBe('$250, 5 %, 0.1 coin, risk 1 %, risk $20')
    expect(ownSizesOf(text)).toEqual(sizes)
    expect(ownSizesOf(' , ')).toEqual([])
  })

  it.each([
    '100',
    '0',
    '$0',
    '-5 %',
    '$1e9',
    '1 dog',
    '$5 %',
    'buy $5',
    Array(10)
      .fill('$')
      .map((at, n) => `${at}${n + 1}`)
      .join(),
  ])('are not kept where one has no unit or is no size: %s', (text) => expect(ownSizesOf(text)).toBeUndefined())
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

describe('a ticket', () => {
  it.each<[Partial<Ticket>, boolean]>([
    [{}, false],
    [{ side: 'sell', kind: 'limit', reduceOnly: true }, false],
    [{ size: '1' }, true],
    [{ kind: 'stop', trigger: '-2%' }, true],
    [{ size: ' ' }, false],
  ])('of %j is filled in: %s', (change, expected) => {
    editTicket(change)
    expect(isFilled(useTicket.getState())).toBe(expected)
  })

  it('is filled in by a line of a person', () => {
    editLine('close ETHUSDT', 'BTCUSDT')
    expect(isFilled(useTicket.getState())).toBe(true)
  })
})
