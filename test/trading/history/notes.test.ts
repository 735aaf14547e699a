// Notes of orders: the last text, all tags, and none from before the account was what it is.
import { describe, expect, it } from 'vitest'
import type { NoteLine } from '../../../src/stores/notes.ts'
import { Notes } from '../../../src/trading/history/notes.ts'

const line = (given: Partial<NoteLine>): NoteLine => ({
  at: 10,
  account: 'paper',
  symbol: 'BTCUSDT',
  orderId: 'p1',
  source: 'repl',
  ...given,
})

describe('the notes of an order', () => {
  it('are of the span of its account: ids begin anew', () => {
    const lines = [line({ at: 9, note: 'old' }), line({ at: 10, tags: ['now'] }), line({ at: 20, note: 'later' })]
    expect(new Notes(lines, { since: 10, until: 20 }).ofOrder('BTCUSDT', 'p1')).toEqual({ tags: ['now'] })
    expect(new Notes(lines, {}).ofOrder('BTCUSDT', 'p1')).toEqual({ note: 'later', tags: ['now'] })
  })

  it('are of its market alone', () => {
    const notes = new Notes([line({ note: 'a' })], {})
    expect(notes.ofOrder('ETHUSDT', 'p1')).toEqual({})
    expect(notes.ofOrder('BTCUSDT', 'p2')).toEqual({})
  })

  it('begin again where they were cleared, without the tags of the line', () => {
    const lines = [line({ note: 'a', tags: ['x'] }), line({ isCleared: true, tags: ['y'] }), line({ tags: ['z'] })]
    expect(new Notes(lines, {}).ofOrder('BTCUSDT', 'p1', ['typed'])).toEqual({ tags: ['y', 'z'] })
    expect(new Notes(lines.slice(0, 1), {}).ofOrder('BTCUSDT', 'p1', ['typed', 'x'])).toEqual({
      note: 'a',
      tags: ['typed', 'x'],
    })
  })

  it('are together those of their trade, each once', () => {
    const lines = [line({ note: 'in', tags: ['a'] }), line({ orderId: 'p2', note: 'out', tags: ['a', 'b'] })]
    const own = new Map([['p1', ['typed']]])
    expect(new Notes(lines, {}).ofTrade('BTCUSDT', ['p1', 'p2', 'p3'], own)).toEqual({
      note: 'in; out',
      tags: ['typed', 'a', 'b'],
    })
  })
})
