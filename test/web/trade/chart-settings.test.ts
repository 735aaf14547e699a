import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CandleRow } from '../../../src/protocol/frames.ts'
import {
  AXIS_PX,
  axisPrices,
  fireMarksOf,
  groupMarks,
  LABEL_PX,
  placeLabels,
  rankOf,
  rulerText,
} from '../../../src/web/pages/trade/chart/chart-model.ts'
import {
  chosenStudies,
  drawnIn,
  hookStudies,
  hooksToDraw,
  settingsIn,
  valuesOf,
} from '../../../src/web/pages/trade/chart/chart-settings.ts'
import { alertLine, hookLine, ticketAt } from '../../../src/web/pages/trade/price-menu.tsx'

const place = (y: number, rank = 1, what?: string) => ({
  y,
  text: `at ${y}`,
  id: String(y),
  rank,
  price: String(1000 - y),
  ...(what !== undefined && { alike: { what, amount: '0.5' } }),
})
const room = { top: 20, height: 300 }
const textsOf = (labels: ReturnType<typeof placeLabels>) => labels.map(({ ids, text }) => [ids.length, text])

describe('the labels of lines', () => {
  it('stay where their lines are while there is room', () => {
    expect(placeLabels([place(200), place(100)], room)).toEqual([
      { y: 100, ids: ['100'], text: 'at 100', leads: [] },
      { y: 200, ids: ['200'], text: 'at 200', leads: [] },
    ])
  })

  it('go apart to both sides, and lead to their lines', () => {
    expect(placeLabels([place(100), place(107)], room).map(({ y, leads }) => [y, leads])).toEqual([
      [95, [100]],
      [112, [107]],
    ])
  })

  const drawn = fc.array(
    fc.record({
      y: fc.double({ min: -20, max: 320, noNaN: true }),
      rank: fc.integer({ min: 1, max: 9 }),
      what: fc.constantFrom('buys', 'sells', undefined),
    }),
    { maxLength: 40 },
  )

  it('never cover one another, are never nearer to the line of another, and each line has one', () => {
    fc.assert(
      fc.property(drawn, fc.boolean(), (rows, isOpened) => {
        const lines = rows.map(({ y, rank, what }, index) => ({ ...place(y, rank, what), id: `${index}` }))
        const opened = new Set(isOpened ? lines.map(({ id }) => id) : [])
        const labels = placeLabels(lines, { ...room, opened })
        const inside = lines.filter(({ y }) => y >= 0 && y <= room.height).toSorted((a, b) => a.y - b.y)
        // In the order of the lines: no way from a label to its line crosses another.
        const order = labels.flatMap(({ ids }) => ids.map((id) => lines[Number(id)]?.y))
        expect(order).toEqual(inside.map(({ y }) => y))
        for (const [index, { y, ids, leads }] of labels.entries()) {
          const before = labels[index - 1]
          if (before !== undefined) expect(y - before.y).toBeGreaterThanOrEqual(LABEL_PX - 1e-6)
          expect(y).toBeGreaterThanOrEqual(room.top + LABEL_PX / 2 - 1e-6)
          expect(y).toBeLessThanOrEqual(room.height - LABEL_PX / 2 + 1e-6)
          const own = inside.filter(({ id }) => ids.includes(id))
          if (leads.length > 0) expect(leads).toEqual(own.map((line) => line.y))
          else
            for (const other of inside)
              if (other !== own[0]) expect(Math.abs(other.y - y)).toBeGreaterThan(Math.abs((own[0]?.y ?? 0) - y))
        }
      }),
    )
  })

  it('are one for orders of a kind that are close together, with their sum and their range', () => {
    const buys = [150, 160, 170, 180].map((y) => place(y, 3, 'buys'))
    expect(textsOf(placeLabels(buys, room)).map(([count]) => count)).toEqual([1, 1, 1, 1])
    const lines = [...buys, place(155, 8), place(200, 7)]
    expect(textsOf(placeLabels(lines, room))).toEqual([
      [1, 'at 150'],
      [1, 'at 155'],
      [3, '3 buys 1.5, 820 to 840'],
      [1, 'at 200'],
    ])
    const opened = new Set(['170'])
    expect(textsOf(placeLabels(lines, { ...room, opened })).map(([count]) => count)).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('are never shared by unlike lines while each has room', () => {
    const lines = [place(100), place(110, 2, 'buys'), place(120, 3, 'stops'), place(130), place(135, 1, 'ticket buys')]
    expect(textsOf(placeLabels([...lines, place(140, 1, 'ticket buys'), place(220)], room))).toEqual([
      [1, 'at 100'],
      [1, 'at 110'],
      [1, 'at 120'],
      [1, 'at 130'],
      [2, '2 ticket buys 1, 860 to 865'],
      [1, 'at 220'],
    ])
  })

  it('are shared by unlike neighbours where there is no room, and those of the highest rank last', () => {
    const lines = Array.from({ length: 20 }, (_, index) => place(100 + index * 5, index === 7 ? 8 : 1))
    const labels = placeLabels(lines, room)
    expect(labels.length).toBeLessThan(16)
    expect(textsOf(labels)).toContainEqual([1, 'at 135'])
  })

  it('leave prices at the axis where each has room, the first to those of the highest rank', () => {
    expect([...axisPrices([place(100), place(110, 8), place(130), place(160, 9)], [150])]).toEqual(['110', '130'])
    fc.assert(
      fc.property(drawn, (rows) => {
        const lines = rows.map(({ y, rank }, index) => ({ ...place(y, rank), id: `${index}` }))
        const heights = [...axisPrices(lines, [])].map((id) => lines[Number(id)]?.y ?? 0).sort((a, b) => a - b)
        for (const [index, y] of heights.entries())
          if (index > 0) expect(y - (heights[index - 1] ?? 0)).toBeGreaterThanOrEqual(AXIS_PX)
      }),
    )
  })

  it('rank a position over its stop, its target and its end, and these over orders and drawn lines', () => {
    const looks = ['alert', 'own', 'limit', 'liquidation', 'stop', 'waiting', 'long', 'draft'] as const
    const target = { look: 'limit', moves: { orderId: 'p1', what: 'takeProfit' }, name: 'target' } as const
    const lines = [...looks.map((look) => ({ look, name: look })), target]
    expect(lines.sort((a, b) => rankOf(b) - rankOf(a)).map(({ name }) => name)).toEqual([
      'long',
      'stop',
      'target',
      'liquidation',
      'draft',
      'limit',
      'alert',
      'waiting',
      'own',
    ])
  })

  it('are not there for lines beyond the visible range', () => {
    expect(placeLabels([place(-1), place(301)], room)).toEqual([])
  })
})

describe('the ruler', () => {
  it.each([
    ['64000', '64704', 14.2, 3_600_000, '+704 (+1.1 %), 14 candles, 14 h'],
    ['64000', '63360', 1, 60_000, '−640 (−1 %), 1 candle, 1 min'],
    ['0.0002', '0.0003', 3, 86_400_000, '+0.0001 (+50 %), 3 candles, 3 d'],
  ])('counts from %s to %s', (from, to, candle, candleMs, text) => {
    expect(rulerText({ price: from, candle: 0 }, { price: to, candle }, candleMs)).toBe(text)
  })
})

describe('an indicator of the chart', () => {
  const candles = [10, 11, 12, 11, 14].map(
    (close, index): CandleRow => [index * 60_000, '10', '15', '9', String(close), index === 4 ? null : '2'],
  )

  it('has no value until there are enough candles, and then that of a condition', () => {
    expect(valuesOf({ of: 'ema', params: [3] }, candles)).toEqual([undefined, undefined, 11, 11, 12.5])
  })

  it('has none where the venue reports no volume', () => {
    expect(valuesOf({ of: 'vwap', params: [] }, candles).map((value) => value !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
  })
})

describe('a hook on the chart', () => {
  const hook = (text: string, symbol = 'BTCUSDT') => ({ id: text, name: text, when: { text, symbol, since: 1 } })

  it('has the indicators of its condition in the frame of the candles', () => {
    const dip = hook('rsi(14, 1h) < 30 and close(1h) > ema(50, 1h) and highest(volume, 20, 4h) > 5')
    expect(hookStudies(dip, '1h')).toEqual([
      { id: 'hook 0', title: 'rsi(14)', of: 'rsi', params: [14], field: 'close', colour: 'accent', isBelow: true },
      { id: 'hook 1', title: 'ema(50)', of: 'ema', params: [50], field: 'close', colour: 'warn', isBelow: false },
    ])
    expect(hookStudies(dip, '4h')).toMatchObject([{ title: 'highest(volume, 20)', field: 'volume', isBelow: true }])
    expect(hookStudies(dip, '1m')).toEqual([])
    expect(hookStudies(undefined, '1h')).toEqual([])
  })

  it('can be chosen where it has any in the symbol', () => {
    const hooks = [
      hook('rsi(14, 1h) < 30'),
      hook('rsi(14, 1h) < 30', 'ETHUSDT'),
      hook('last > 70000'),
      hook('every mon 09:00'),
      hook('a word of a later hookline(3)'),
      { id: 'x', name: 'x' },
    ]
    expect(hooksToDraw(hooks, 'BTCUSDT').map(({ hook: { id }, frames }) => [id, frames])).toEqual([
      ['rsi(14, 1h) < 30', ['1h']],
    ])
  })

  it('draws the source of an indicator, not the close', () => {
    const [study] = hookStudies(hook('highest(high, 2, 1m)[1] < close(1m)'), '1m')
    const rows = [3, 5, 4].map((high, index): CandleRow => [index, '1', String(high), '1', '2', null])
    expect(study && valuesOf(study, rows)).toEqual([undefined, 5, 5])
  })

  it('marks its fires by how they ended, those that would overlap as one', () => {
    const fires = [
      { at: 12, outcome: 'ok' },
      { at: 19, outcome: 'ok' },
      { at: 12, outcome: 'skipped' },
      { at: 25, outcome: 'ok' },
      { at: 1, outcome: 'ok' },
    ]
    const marks = fireMarksOf(fires, [10, 20])
    expect(marks.map(({ time, who, count }) => [time, who, count])).toEqual([
      [10, 'ok', 3],
      [20, 'ok', 1],
    ])
    expect(groupMarks(marks, [10, 20], 4).map(({ who, count }) => [who, count])).toEqual([['ok', 4]])
  })
})

describe('what is kept of charts', () => {
  it('draws chosen indicators with their bars', () => {
    const studies = chosenStudies({ shown: ['vwap', 'rsi'], bars: { rsi: 7 } })
    expect(studies.map(({ title, params, isBelow }) => [title, params, isBelow])).toEqual([
      ['VWAP', [], false],
      ['RSI 7', [7], true],
    ])
  })

  it('has the hook that was chosen', () => {
    expect(settingsIn({ hook: 'a' })).toMatchObject({ hook: 'a' })
    expect(settingsIn({ hook: 5 })).not.toHaveProperty('hook')
  })

  it('is read as far as it is valid', () => {
    const kept = { isLog: true, hasVolume: false, shown: ['rsi', 'other', 'ema'], bars: { rsi: 7, ema: 0, atr: 'x' } }
    expect(settingsIn(kept)).toEqual({ isLog: true, hasVolume: false, shown: ['ema', 'rsi'], bars: { rsi: 7 } })
    for (const nothing of [undefined, null, 5, { shown: 'rsi' }])
      expect(settingsIn(nothing)).toEqual({ isLog: false, hasVolume: true, shown: [], bars: {} })
  })

  it('has no line without a price', () => {
    const line = { id: 'a', price: '64000.5' }
    expect(drawnIn({ key: [line, { id: 'b', price: '-1' }, { id: 5, price: '1' }, null], other: 'x' })).toEqual({
      key: [line],
      other: [],
    })
    expect(drawnIn(undefined)).toEqual({})
  })
})

describe('a price of the chart or the book', () => {
  it.each([
    ['65000', 'alert BTCUSDT > 65000'],
    ['63000', 'alert BTCUSDT < 63000'],
  ])('%s becomes an alert from the side that the market is on', (price, line) => {
    expect(alertLine('BTCUSDT', price, '64000')).toBe(line)
  })

  it('becomes a hook with the line of the ticket, whatever the symbol is called', () => {
    expect(hookLine('BTCUSDT', '65000', { last: '64000', command: 'buy $50 BTCUSDT stop -2%', account: 'swing' })).toBe(
      'hook create btcusdt-65000 "buy $50 BTCUSDT stop -2%" --account swing --when "BTCUSDT last > 65000"',
    )
    expect(hookLine('BTC/USDT:USDT', '63000.5', { last: '64000', command: 'echo "low"', account: 'paper' })).toBe(
      `hook create btc-usdt-usdt-63000-5 'echo "low"' --account paper --when "BTC/USDT:USDT last < 63000.5"`,
    )
  })

  it.each([
    ['buy', '63000', { side: 'buy', kind: 'limit', price: '63000' }],
    ['sell', '65000', { side: 'sell', kind: 'limit', price: '65000' }],
    ['buy', '65000', { side: 'buy', kind: 'stop', aim: 'enter', trigger: '65000' }],
    ['sell', '63000', { side: 'sell', kind: 'stop', aim: 'enter', trigger: '63000' }],
  ] as const)('fills the ticket to %s at %s, with what waits there', (side, price, ticket) => {
    expect(ticketAt(side, price, '64000')).toEqual(ticket)
  })
})
