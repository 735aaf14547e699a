import { describe, expect, it } from 'vitest'
import { bookLevels, bookNow, ownRows, stepOf, tapeRows } from '../../../src/web/pages/trade/book-rows.ts'

describe('the book', () => {
  it('sums exactly from the best price on, with as many digits everywhere', () => {
    const levels = bookLevels(
      {
        bids: [
          ['5', '0.1'],
          ['4', '0.25'],
        ],
        asks: [['6', '7']],
      },
      { count: 10 },
    )
    expect(levels.bids.map(({ amount, sum }) => [amount, sum])).toEqual([
      ['0.10', '0.10'],
      ['0.25', '0.35'],
    ])
    expect(levels.asks[0]).toMatchObject({ sum: '7', share: 1 })
  })

  const BOOK = {
    bids: [
      ['100.4', '1'],
      ['100.1', '0.5'],
      ['100.0', '0.25'],
      ['99.9', '2'],
      ['99.2', '4'],
    ],
    asks: [
      ['100.5', '1'],
      ['100.6', '0.5'],
      ['101.0', '0.25'],
      ['101.1', '2'],
    ],
  } as { bids: [string, string][]; asks: [string, string][] }
  const rowsOf = (levels: readonly { price: string; amount: string; sum: string }[]) =>
    levels.map(({ price, amount, sum }) => [Number(price), amount, sum])

  it('put together in steps, has bids under and asks over their prices, and the sums of all that is sent', () => {
    const { bids, asks } = bookLevels(BOOK, { count: 10, step: '0.5' })
    expect(rowsOf(bids)).toEqual([
      [100, '1.75', '1.75'],
      [99.5, '2.00', '3.75'],
      [99, '4.00', '7.75'],
    ])
    expect(rowsOf(asks)).toEqual([
      [100.5, '1.00', '1.00'],
      [101, '0.75', '1.75'],
      [101.5, '2.00', '3.75'],
    ])
  })

  it('has no level that a later quote has passed, and all of them beside an earlier one', () => {
    const book = { ...BOOK, timestamp: 5 }
    const quote = { last: '100.9', bid: '100.8', ask: '101.0', timestamp: 6 }
    expect(bookNow(book, quote).asks.map(([price]) => price)).toEqual(['101.0', '101.1'])
    expect(bookNow(book, { ...quote, last: '100.0', bid: '100.0', ask: '100.2' })).toMatchObject({
      bids: BOOK.bids.slice(2),
      asks: BOOK.asks,
    })
    expect(bookNow(book, { ...quote, timestamp: 4 })).toEqual(book)
  })

  it('leaves out the last step of a side that was cut, where it is not known to its end', () => {
    const { bids, asks } = bookLevels(BOOK, { count: 10, step: '0.5', limit: 5 })
    expect([bids.length, asks.length]).toEqual([2, 3])
    expect(bookLevels(BOOK, { count: 10, step: '5', limit: 5 }).bids).toHaveLength(1)
  })

  it.each([
    ['0.1', [1, 5, 10, 50], ['0.1', '0.5', '1', '5']],
    ['0.50', [1, 5], ['0.5', '2.5']],
    ['5', [1, 10], ['5', '50']],
    ['0.0001', [50], ['0.005']],
  ] as const)('has steps of the tick %s: times %j', (tick, times, steps) => {
    expect(times.map((each) => stepOf(tick, each))).toEqual(steps)
  })

  it('marks own orders in the row that they are in or next to, and none behind the last', () => {
    const { bid, ask } = ownRows(bookLevels(BOOK, { count: 10 }), [
      { side: 'bid', price: '100.40' },
      { side: 'bid', price: '100.2' },
      { side: 'bid', price: '90' },
      { side: 'ask', price: '100.7' },
    ])
    expect([...bid]).toEqual([
      ['100.4', ['100.40']],
      ['100.1', ['100.2']],
    ])
    expect([...ask]).toEqual([['101.0', ['100.7']]])
  })
})

describe('the tape', () => {
  it('has the newest first, amounts of one scale, and a key for each of two trades that are alike', () => {
    const rows = tapeRows([
      [1, '100', '2', 'buy'],
      [1, '100', '2', 'buy'],
      [2, '99', '1.05', 'sell'],
    ])
    expect(rows.map(({ at, amount, side }) => `${at} ${side} ${amount}`)).toEqual([
      '2 sell 1.05',
      '1 buy 2.00',
      '1 buy 2.00',
    ])
    expect(new Set(rows.map(({ key }) => key)).size).toBe(3)
  })
})
