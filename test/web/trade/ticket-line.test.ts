import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../../harness/tiers/runs.ts'
import { parseOrder } from '../../../src/language/order.ts'
import { parseChain } from '../../../src/language/parse.ts'
import { EMPTY_TICKET as EMPTY, type Ticket } from '../../../src/web/pages/trade/ticket/ticket.ts'
import { readTicket, writeTicket } from '../../../src/web/pages/trade/ticket/ticket-line.ts'

const SYMBOL = 'BTCUSDT'
const write = (change: Partial<Ticket>) => writeTicket({ ...EMPTY, ...change }, SYMBOL)

const digits = (min: number, max: number) => fc.integer({ min, max }).map(String)
const decimal = fc
  .tuple(digits(1, 999_999), fc.option(digits(1, 9_999), { nil: undefined }))
  .map(([whole, fraction]) => (fraction === undefined ? whole : `${whole}.${fraction}`))
const offset = fc
  .tuple(fc.constantFrom('+', '-', '−'), digits(1, 99), fc.constantFrom('%', ' %', ''))
  .map((parts) => parts.join(''))
const price = fc.oneof(
  decimal,
  offset,
  fc.tuple(fc.constantFrom('$bid', '$ask', '$last', '$entry'), offset).map((parts) => parts.join(' ')),
)
const optionalPrice = fc.oneof(fc.constant(''), price)
const size = fc.oneof(
  fc.record({ unit: fc.constantFrom('quote' as const, 'base' as const), size: decimal }),
  fc.record({ unit: fc.constant('percent' as const), size: digits(1, 100) }),
)
const risk = fc.record({
  unit: fc.constant('risk' as const),
  size: fc.oneof(
    decimal,
    digits(1, 99).map((share) => `${share}%`),
  ),
})
const kind = fc.oneof(
  fc.record({ kind: fc.constant('market' as const), price: fc.constant(''), postOnly: fc.constant(false) }),
  fc.record({ kind: fc.constant('limit' as const), price, postOnly: fc.boolean() }),
)
const orders: fc.Arbitrary<Ticket> = fc
  .tuple(
    fc.oneof(size, risk),
    kind,
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      stop: optionalPrice,
      target: optionalPrice,
      reduceOnly: fc.boolean(),
    }),
  )
  .map(([first, second, third]) => ({ ...EMPTY, ...first, ...second, ...third }))
  .map((ticket) => (ticket.unit === 'risk' && ticket.stop === '' ? { ...ticket, stop: '-2%' } : ticket))
const duration = fc
  .tuple(digits(20, 300), fc.constantFrom('m', '', ' m'))
  .map((parts) => parts.join('').replace(' ', ''))
const reach = fc.oneof(fc.constant(''), price, fc.constantFrom('1%', '$50', '1 %'))
const others = fc.oneof(
  fc.record({
    kind: fc.constant('stop' as const),
    aim: fc.constant('enter' as const),
    trigger: price,
    limit: optionalPrice,
  }),
  fc.record({
    kind: fc.constant('chase' as const),

    reach,
    lasts: fc.oneof(fc.constant(''), duration),
    rest: fc.constantFrom('cancel' as const, 'market' as const),
    reduceOnly: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('twap' as const),
    slices: digits(2, 1000),
    lasts: duration,
    beyond: optionalPrice,
    random: fc.constantFrom('', '20', '20%', '12.5 %'),
    reduceOnly: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('scale' as const),
    slices: digits(2, 100),
    from: price,
    to: price,
    skew: fc.constantFrom('', '0.5', '-1', '−0.25'),
    postOnly: fc.boolean(),
    reduceOnly: fc.boolean(),
  }),
)
const works: fc.Arbitrary<Ticket> = fc
  .tuple(size, others, fc.constantFrom('buy' as const, 'sell' as const))
  .map(([first, second, side]) => ({ ...EMPTY, ...first, ...second, side }))
const tickets = fc.oneof(orders, works)

const TYPED = [
  ...(['size', 'price', 'stop', 'target', 'trigger', 'limit', 'reach', 'lasts', 'beyond'] as const),
  ...(['slices', 'random', 'from', 'to', 'skew'] as const),
]

describe('the line of a ticket', () => {
  it('parses with the real grammar, as the one order that the ticket says', () => {
    fc.assert(
      fc.property(orders, (ticket) => {
        const written = writeTicket(ticket, SYMBOL)
        if (!('line' in written)) throw new Error(JSON.stringify(written))
        const { stages } = parseChain(written.line)
        const [step, second] = stages.flatMap(({ commands }) => commands)
        expect(second).toBeUndefined()
        expect(step?.name).toBe(ticket.side)
        const order = parseOrder(step?.args ?? [])
        expect(order).toMatchObject({
          symbols: [SYMBOL],
          reduce: ticket.reduceOnly,
          postOnly: ticket.postOnly,
          best: false,
        })
        expect(order.size.kind).toBe(ticket.unit)
        expect([order.price !== undefined, order.stop !== undefined, order.takeProfit !== undefined]).toEqual(
          [ticket.price, ticket.stop, ticket.target].map((text) => text !== ''),
        )
      }),
    )
  })

  it('reads back as a ticket that writes the same line', () => {
    fc.assert(
      fc.property(tickets, (ticket) => {
        const written = writeTicket(ticket, SYMBOL)
        if (!('line' in written)) throw new Error(JSON.stringify(written))
        const { line } = written
        const read = readTicket(line, SYMBOL)
        expect(read).toMatchObject({ side: ticket.side, kind: ticket.kind, unit: ticket.unit })
        expect(read && writeTicket(read, SYMBOL)).toEqual({ line })
      }),
    )
  })

  it('is never more than the one order, whatever is typed into the fields', () => {
    const anything = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('1; close all', '-1% stop 2', '1 && nuke', '5 BTC'),
    )
    const field = fc.constantFrom(...TYPED)
    fc.assert(
      fc.property(tickets, field, anything, (ticket, where, typed) => {
        const written = writeTicket({ ...ticket, [where]: typed }, SYMBOL)
        if (!('line' in written)) return
        const read = readTicket(written.line, SYMBOL)
        expect(read).toMatchObject({ side: ticket.side, kind: ticket.kind, reduceOnly: ticket.reduceOnly })
      }),
      { numRuns: runsOf(500) },
    )
  })

  it.each<[Partial<Ticket>, ReturnType<typeof write>]>([
    [{ size: '50', stop: '-2%' }, { line: 'buy risk $50 BTCUSDT stop -2%' }],
    [{ size: '$50', stop: '-2%', target: '2R' }, { line: 'buy risk $50 BTCUSDT stop -2% tp 2R' }],
    [{ size: '1 %', stop: '63000', side: 'sell' }, { line: 'sell risk 1% BTCUSDT stop 63000' }],
    [
      { size: '50', kind: 'limit', price: '64000', stop: '-2%' },
      { line: 'buy risk $50 BTCUSDT at 64000 stop $entry -2%' },
    ],
    [{ size: '50' }, { field: 'stop' }],
    [{ size: '', stop: '-2%' }, { field: 'size' }],
  ])('says what its stop may lose: %j', (ticket, expected) => {
    expect(write({ unit: 'risk', ...ticket })).toEqual(expected)
  })

  it('keeps the order of the desk: size, symbol, price, flags, protection', () => {
    const ticket = {
      kind: 'limit',
      size: '250',
      price: '−1 %',
      stop: '−2 %',
      target: '+4 %',
      reduceOnly: true,
      postOnly: true,
    } as const
    expect(write(ticket)).toEqual({ line: 'buy $250 BTCUSDT at -1% po reduce stop $entry -2% tp $entry +4%' })
  })

  it.each<[string, Partial<Ticket>]>([
    ['stop BTCUSDT at -2%', { kind: 'stop', trigger: '−2 %' }],
    ['stop 50% BTCUSDT at $entry -3%', { kind: 'stop', size: '50', unit: 'percent', trigger: '$entry -3%' }],
    ['stop BTCUSDT at -2% limit -0.2%', { kind: 'stop', trigger: '-2%', limit: '-0.2%' }],
    ['stop buy $250 BTCUSDT at +100', { kind: 'stop', aim: 'enter', size: '250', trigger: '+100' }],
    ['chase buy $250 BTCUSDT', { kind: 'chase', size: '250' }],
    [
      'chase sell $250 BTCUSDT to 1% for 5m then market reduce',
      { kind: 'chase', side: 'sell', size: '250', reach: '1 %', lasts: '5', rest: 'market', reduceOnly: true },
    ],
    ['twap buy $1000 BTCUSDT into 10 over 30m', { kind: 'twap', size: '1000', slices: '10', lasts: '30m' }],
    [
      'twap buy $1000 BTCUSDT into 10 over 90m random 20% limit +1% reduce',
      { kind: 'twap', size: '1000', slices: '10', lasts: '1.5h', random: '20', beyond: '+1%', reduceOnly: true },
    ],
    [
      'scale buy $1000 BTCUSDT into 5 from -1% to -3% skew 0.5 po reduce',
      {
        kind: 'scale',
        size: '1000',
        slices: '5',
        from: '-1%',
        to: '-3%',
        skew: '0.5',
        postOnly: true,
        reduceOnly: true,
      },
    ],
  ])('is %s', (line, change) => expect(write(change)).toEqual({ line }))

  it.each<[keyof Ticket, Partial<Ticket>]>([
    ['trigger', { kind: 'stop' }],
    ['size', { kind: 'stop', aim: 'enter', trigger: '1' }],
    ['size', { kind: 'chase' }],
    ['slices', { kind: 'twap', size: '1', lasts: '5m' }],
    ['lasts', { kind: 'twap', size: '1', slices: '5' }],
    ['to', { kind: 'scale', size: '1', slices: '5', from: '-1%' }],
  ])('waits for the %s of %j', (field, change) => expect(write(change)).toEqual({ field }))

  it.each<[keyof Ticket, string, Partial<Ticket>]>([
    ['slices', 'less than a second apart', { kind: 'twap', size: '1', slices: '900', lasts: '1m' }],
    ['slices', 'from 2 to 100', { kind: 'scale', size: '1', slices: '1', from: '1', to: '2' }],
    ['random', 'up to 50%', { kind: 'twap', size: '1', slices: '9', lasts: '1h', random: '80%' }],
    ['skew', 'from -1 to 1', { kind: 'scale', size: '1', slices: '5', from: '1', to: '2', skew: '3' }],
    ['lasts', 'not a duration', { kind: 'chase', size: '1', lasts: 'soon' }],
  ])('names the %s as the field that is wrong: %s', (field, message, change) => {
    expect(write(change)).toEqual({ field, message: expect.stringContaining(message) })
  })

  it('writes a whole number of coins so that it cannot be taken for money', () => {
    expect(write({ size: '250', unit: 'base' })).toEqual({ line: 'buy 250.0 BTCUSDT' })
  })

  it('is not there while the size, or the price of a limit, is empty', () => {
    expect(write({})).toEqual({ field: 'size' })
    expect(write({ kind: 'limit', size: '1' })).toEqual({ field: 'price' })
  })

  it('names the field that is wrong, with the words of the grammar', () => {
    expect(write({ size: '1', stop: 'abc' })).toEqual({ field: 'stop', message: expect.stringContaining('abc') })
    expect(write({ size: '0' })).toEqual({ field: 'size', message: expect.stringContaining('zero') })
  })
})

describe('a distance of a limit', () => {
  const limit = { kind: 'limit', size: '250', price: '60000' } as const

  it.each<[Partial<Ticket>, string]>([
    [{ stop: '-2%' }, 'buy $250 BTCUSDT at 60000 stop $entry -2%'],
    [{ target: '+500' }, 'buy $250 BTCUSDT at 60000 tp $entry +500'],
    [{ stop: '$last -2%' }, 'buy $250 BTCUSDT at 60000 stop $last -2%'],
    [{ stop: '59000', target: '2R' }, 'buy $250 BTCUSDT at 60000 stop 59000 tp 2R'],
  ])('of %j counts from its price: %s', (change, line) => {
    expect(write({ ...limit, ...change })).toEqual({ line })
    expect(readTicket(line, SYMBOL)).toMatchObject(change)
  })
})

describe('a line edited by hand', () => {
  it('moves the controls where they can show it', () => {
    expect(readTicket('sell 0.5 tp -3%', SYMBOL)).toEqual({
      ...EMPTY,
      side: 'sell',
      size: '0.5',
      unit: 'base',
      target: '-3%',
    })
  })

  it.each([
    ['several symbols', 'buy $5 BTCUSDT,ETHUSDT'],
    ['another symbol', 'buy $5 ETHUSDT'],
    ['two commands', 'buy $5; sell $5'],
    ['a link', 'buy $5 && stop at -1%'],
    ['another command', 'close BTCUSDT'],
    ['a stop that names its side alone', 'stop sell at -1%'],
    ['the end of a chase', 'chase cancel'],
    ['a skew of sizes', 'scale buy $900 into 3 from -1% to -2% sizeskew 0.5'],
    ['a scale with a stop', 'scale buy $900 into 3 from -1% to -2% stop -4%'],
    ['a twap with a target', 'twap buy $900 into 3 over 3m tp +4%'],
    ['the best price', 'buy $5 best po'],
    ['a time in force', 'buy $5 at 3 ioc'],
    ['a ladder', 'buy $900 stop -2% tp 30% 1R, 30% 2R'],
    ['half a line', 'buy $5 at'],
  ])('leaves the controls alone for %s', (_what, line) => {
    expect(readTicket(line, SYMBOL)).toBeUndefined()
  })
})
