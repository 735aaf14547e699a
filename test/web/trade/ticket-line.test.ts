import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseOrder } from '../../../src/language/order.ts'
import { parseChain } from '../../../src/language/parse.ts'
import type { Ticket } from '../../../src/web/pages/trade/ticket/ticket.ts'
import { readTicket, writeTicket } from '../../../src/web/pages/trade/ticket/ticket-line.ts'

const EMPTY: Ticket = {
  ...{ side: 'buy', kind: 'market', size: '', unit: 'quote', price: '', stop: '', target: '' },
  ...{ reduceOnly: false, postOnly: false },
}
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
const kind = fc.oneof(
  fc.record({ kind: fc.constant('market' as const), price: fc.constant(''), postOnly: fc.constant(false) }),
  fc.record({ kind: fc.constant('limit' as const), price, postOnly: fc.boolean() }),
)
const tickets: fc.Arbitrary<Ticket> = fc
  .tuple(
    size,
    kind,
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      stop: optionalPrice,
      target: optionalPrice,
      reduceOnly: fc.boolean(),
    }),
  )
  .map(([first, second, third]) => ({ ...first, ...second, ...third }))

describe('the line of a ticket', () => {
  it('parses with the real grammar, as the one order that the ticket says', () => {
    fc.assert(
      fc.property(tickets, (ticket) => {
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
        const line = 'line' in written ? written.line : ''
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
    const hostile = fc.record({ size: anything, price: anything, stop: anything, target: anything })
    fc.assert(
      fc.property(tickets, hostile, fc.constantFrom('size', 'price', 'stop', 'target'), (ticket, typed, field) => {
        const filled = { ...ticket, [field]: typed[field as keyof typeof typed] }
        const written = writeTicket(filled, SYMBOL)
        if (!('line' in written)) return
        const read = readTicket(written.line, SYMBOL)
        expect(read).toMatchObject({ side: ticket.side, kind: ticket.kind, reduceOnly: ticket.reduceOnly })
      }),
    )
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
    expect(write(ticket)).toEqual({ line: 'buy $250 BTCUSDT at -1% po reduce stop -2% tp +4%' })
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

describe('a line edited by hand', () => {
  it('moves the controls where they can show it', () => {
    expect(readTicket('sell 0.5 tp -3%', SYMBOL)).toEqual({
      ...EMPTY,
      ...{ side: 'sell', size: '0.5', unit: 'base', target: '-3%' },
    })
  })

  it.each([
    ['several symbols', 'buy $5 BTCUSDT,ETHUSDT'],
    ['another symbol', 'buy $5 ETHUSDT'],
    ['two commands', 'buy $5; sell $5'],
    ['a link', 'buy $5 && stop at -1%'],
    ['another command', 'close BTCUSDT'],
    ['the best price', 'buy $5 best po'],
    ['a time in force', 'buy $5 at 3 ioc'],
    ['half a line', 'buy $5 at'],
  ])('leaves the controls alone for %s', (_what, line) => {
    expect(readTicket(line, SYMBOL)).toBeUndefined()
  })
})
