import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EMPTY_PREVIEW } from '../../../harness/commands/empty-preview.ts'
import { taskRow } from '../../../harness/wire/wire-rows.ts'
import type { FillRow, Portfolio } from '../../../src/protocol/frames.ts'
import type { Preview, PreviewOrder } from '../../../src/protocol/preview.ts'
import {
  asTyped,
  type ChartLine,
  cancelationOf,
  crowdedLabel,
  draftLines,
  drawnLines,
  fireMarksOf,
  groupMarks,
  hasNoVolume,
  isElsewhere,
  linesOf,
  marksOf,
  markText,
  momentText,
  movedText,
  moveLine,
  ordererOf,
  rankOf,
  sendMove,
  shiftedWash,
  taskLines,
  tickText,
  washesOf,
  withLines,
} from '../../../src/web/pages/trade/chart/chart-model.ts'
import { withFills } from '../../../src/web/pages/trade/fills.ts'
import { onTick } from '../../../src/web/pages/trade/price-steps.ts'

type Order = Portfolio['orders'][number]
const order = (change: Partial<Order>): Order => ({
  id: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'limit',
  amount: '0.004',
  filled: '0',
  reduceOnly: false,
  postOnly: false,
  timestamp: 1,
  ...change,
})
const fill = (change: Partial<FillRow>): FillRow => ({
  account: 'paper',
  id: '1',
  orderId: 'p1',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '1',
  price: '5',
  timestamp: 25,
  ...change,
})

const preview = (...orders: Partial<PreviewOrder>[]): Preview => ({
  ...EMPTY_PREVIEW,
  orders: orders.map((each) => ({
    account: 'paper',
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'limit',
    amount: '0.004',
    unit: 'BTC',
    ...each,
  })),
})
const long = { symbol: 'BTCUSDT', side: 'long', amount: '1', entryPrice: '5', notional: '5' }

describe('lines of the chart', () => {
  it('say what an exit makes at its price, where hookline says so', () => {
    const stop = order({
      side: 'sell',
      type: 'stop',
      triggerPrice: '4',
      takeProfitPrice: '9',
      pnl: '-4',
      takeProfitPnl: '16',
    })
    expect(linesOf({ positions: [], orders: [stop] }, 'BTCUSDT').map(({ label }) => label)).toEqual([
      'p1 stop, sell 0.004 −4.00',
      'p1 target, sell 0.004 +16.00',
    ])
  })

  it('say it after fees where these are known, as the ticket does', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4', pnl: '-4', net: '-4.5' })
    const entry = order({ price: '5', stop: { triggerPrice: '4', pnl: '-1', net: '-1.2' } })
    expect(linesOf({ positions: [], orders: [stop, entry] }, 'BTCUSDT').map(({ label }) => label)).toEqual([
      'p1 stop, sell 0.004 −4.50 net',
      'p1 buy 0.004',
      'p1 then stop −1.20 net',
    ])
    const draft = draftLines(preview({ stop: { triggerPrice: '4', pnl: '-1', net: '-1.2' } }), 'BTCUSDT', false)
    expect(draft.map(({ label }) => label)).toEqual(['ticket: stop −1.20 net'])
  })

  it('say what a stop has left to close, and surplus for one with nothing', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4', reduceOnly: true })
    const orders = [
      { ...stop, closes: '0.001', pnl: '-1' },
      { ...stop, id: 'p2', closes: '0' },
    ]
    expect(linesOf({ positions: [long], orders }, 'BTCUSDT').map(({ label }) => label)).toEqual([
      'long 1',
      'p1 stop, sell 0.001 −1.00',
      'p2 stop, surplus',
    ])
    const washes = washesOf({ positions: [long], orders }, undefined, 'BTCUSDT')
    expect(washes.map(({ lines }) => lines.to)).toEqual(['p1'])
  })

  it('are a letter among many, but for the position and its first exits, and whole under the pointer', () => {
    const exit = order({
      id: 'p1',
      side: 'sell',
      type: 'stop',
      triggerPrice: '4',
      takeProfitPrice: '9',
      reduceOnly: true,
    })
    const later = { ...exit, id: 'p2', triggerPrice: '3', takeProfitPrice: '10' }
    const orders = [exit, later, order({ id: 'p3', price: '4.5' }), order({ id: 'p4', side: 'sell', price: '11' })]
    const lines = linesOf({ positions: [long], orders }, 'BTCUSDT')
    expect(lines.map((line) => crowdedLabel(line, false))).toEqual([
      'long 1',
      'p1 stop, sell 0.004',
      'p1 target, sell 0.004',
      'SL',
      'TP',
      'B',
      'S',
    ])
    expect(lines.map((line) => crowdedLabel(line, true))).toEqual(lines.map(({ label }) => label))
  })

  it('keep the stop and the target that a position reaches first, and fold surplus ones before all others', () => {
    const at = (id: string, triggerPrice: string, takeProfitPrice: string, more = {}) =>
      order({ id, side: 'sell', type: 'stop', triggerPrice, takeProfitPrice, reduceOnly: true, pnl: '-1', ...more })
    const orders = [
      at('p1', '3', '8', { takeProfitPnl: '1' }),
      at('p2', '4', '9', { takeProfitPnl: '1' }),
      at('p3', '2', '7', { closes: '0', pnl: undefined }),
    ]
    const ranked = linesOf({ positions: [long], orders }, 'BTCUSDT').toSorted((a, b) => rankOf(b) - rankOf(a))
    expect(ranked.slice(0, 3).map(({ id }) => id)).toEqual(['p2', 'position long', 'p1 tp'])
    expect(ranked.slice(-2).map(({ id }) => id)).toEqual(['p3', 'p3 tp'])
    const short = linesOf({ positions: [{ ...long, side: 'short' }], orders }, 'BTCUSDT')
    expect(short.filter(({ isMain }) => isMain).map(({ id }) => id)).toEqual(['p1', 'p2 tp'])
  })

  it('have no figure for a target that is surplus, and say so of the target alone', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4', takeProfitPrice: '9', reduceOnly: true })
    const orders = [
      { ...stop, closes: '0', takeProfitPnl: '4' },
      { ...stop, id: 'p2', pnl: '-1' },
    ]
    expect(linesOf({ positions: [long], orders }, 'BTCUSDT').map(({ label }) => label)).toEqual([
      'long 1',
      'p1 stop, surplus',
      'p1 target, sell 0.004 +4.00',
      'p2 stop, sell 0.004 −1.00',
      'p2 target, surplus',
    ])
  })

  it('are drawn for the ticket too, each of the field that it edits', () => {
    const own = {
      price: '4.9',
      at: '4.9',
      stop: { triggerPrice: '4', pnl: '-1' },
      takeProfit: { triggerPrice: '6', pnl: '2' },
    }
    expect(draftLines(preview(own), 'BTCUSDT', true).map(({ label, edits }) => [label, edits])).toEqual([
      ['ticket: buy 0.004', 'price'],
      ['ticket: stop −1.00', 'stop'],
      ['ticket: target +2.00', 'target'],
    ])
    expect(draftLines(preview({ type: 'stop', triggerPrice: '4' }), 'BTCUSDT', true)).toMatchObject([
      { edits: 'trigger' },
    ])
    expect(draftLines(preview(own, own), 'BTCUSDT', true).some(({ edits }) => edits)).toBe(false)
    expect(draftLines(preview(own), 'BTCUSDT', false).some(({ edits }) => edits)).toBe(false)
    expect(draftLines(preview(own), 'ETHUSDT', true)).toEqual([])
  })

  it('say size and PnL of a position, and each price of an order', () => {
    const position = {
      symbol: 'BTCUSDT',
      side: 'long',
      amount: '0.018',
      entryPrice: '5',
      unrealizedPnl: '7.234',
      notional: '1',
    }
    const stop = order({ id: 'p2', type: 'stop', side: 'sell', triggerPrice: '4', takeProfitPrice: '9' })
    const orders = [order({ price: '4.5', postOnly: true }), stop, order({ symbol: 'ETHUSDT', price: '3' })]
    expect(
      linesOf({ positions: [position], orders }, 'BTCUSDT').map(({ label, price }) => `${label} @ ${price}`),
    ).toEqual([
      'long 0.018 +7.23 @ 5',
      'p1 buy 0.004, post-only @ 4.5',
      'p2 stop, sell 0.004 @ 4',
      'p2 target, sell 0.004 @ 9',
    ])
  })

  it('leave out a PnL that the venue does not say', () => {
    const position = { symbol: 'BTCUSDT', side: 'short', amount: '1', entryPrice: '5', notional: '1' }
    expect(linesOf({ positions: [position], orders: [] }, 'BTCUSDT')[0]).toMatchObject({
      label: 'short 1',
      look: 'short',
    })
  })

  it('are there for a liquidation, and for what a person has drawn', () => {
    const position = { symbol: 'BTCUSDT', side: 'long', amount: '1', entryPrice: '5', notional: '1' }
    const held = { positions: [{ ...position, liquidationPrice: '4.5' }], orders: [] }
    expect(linesOf(held, 'BTCUSDT').at(-1)).toMatchObject({ label: 'liquidation of the long', price: '4.5' })
    expect(linesOf(held, 'ETHUSDT')).toEqual([])
    expect(drawnLines([{ id: 'a', price: '6' }])).toMatchObject([{ price: '6', label: 'line', drawn: 'a' }])
  })

  it('share a label with their like alone: side, kind, and what is sent with what is sent', () => {
    const orders = [
      order({ id: 'p1', price: '4' }),
      order({ id: 'p2', price: '8', side: 'sell', reduceOnly: true }),
      order({ id: 'p3', price: '8', side: 'sell' }),
      order({ id: 'p4', type: 'stop', triggerPrice: '3', side: 'sell', reduceOnly: true }),
      order({ id: 'p5', type: 'stop', triggerPrice: '9', stop: { triggerPrice: '2' } }),
    ]
    const lines = [
      ...linesOf({ positions: [], orders }, 'BTCUSDT'),
      ...draftLines(preview({ price: '4', stop: { triggerPrice: '3' } }), 'BTCUSDT', true),
    ]
    const kinds = lines.map(({ alike }) => alike?.what)
    expect(kinds).not.toContain(undefined)
    expect(new Set(kinds).size).toBe(lines.length)
  })

  it('have no volume where no candle has any', () => {
    expect(
      hasNoVolume([
        [1, '1', '1', '1', '1', null],
        [2, '1', '1', '1', '1', '0'],
      ]),
    ).toBe(true)
    expect(
      hasNoVolume([
        [1, '1', '1', '1', '1', null],
        [2, '1', '1', '1', '1', '3'],
      ]),
    ).toBe(false)
    expect([hasNoVolume([]), hasNoVolume(undefined)]).toEqual([false, false])
  })

  it('show where they were, and while they are held where they are', () => {
    const draft = { line: { price: '58000' }, price: '58100.5' }
    expect(movedText({ ...draft, isReleased: false }, '0.1')).toBe('from 58,000.0 to 58,100.5')
    expect(movedText({ ...draft, price: 'x', isReleased: true }, '0.1')).toBe('from 58,000.0')
  })

  it('are there for alerts and conditions of the account that wait for a price, each with what cancels it', () => {
    const task = (change: object) => ({ ...taskRow(), kind: 'alert', price: '6', ...change })
    const id = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
    const lines = taskLines(
      [
        task({ id, words: 'look at the chart' }),
        task({ id, kind: 'when', paused: true, words: 'x'.repeat(41) }),
        task({ kind: 'trail' }),
        task({ account: 'other' }),
        task({ symbol: 'ETHUSDT' }),
        task({ status: 'done' }),
        { ...taskRow(), kind: 'every' },
      ],
      { account: 'paper', symbol: 'BTCUSDT' },
    )
    expect(lines).toMatchObject([
      { label: 'alert: look at the chart', price: '6', look: 'alert' },
      { label: `when, paused: ${'x'.repeat(39)}…` },
    ])
    expect(lines.flatMap(({ moves, edits }) => moves ?? edits ?? [])).toEqual([])
    const [alert] = lines
    expect(alert && cancelationOf(alert)).toEqual({ name: 'Cancel alert 3f9c2a71', line: `tasks cancel ${id}` })
    const [entry, waiting] = linesOf(
      { positions: [], orders: [order({ price: '5', stop: { triggerPrice: '4' } })] },
      'BTCUSDT',
    )
    expect(entry && cancelationOf(entry)).toEqual({ name: 'Cancel p1', line: 'cancel p1' })
    expect(waiting && cancelationOf(waiting)).toBeUndefined()
  })

  it('write a command when they are moved', () => {
    expect(moveLine({ orderId: 'p4', what: 'price' }, '54159.2')).toBe('move p4 to 54159.2')
    expect(moveLine({ orderId: 'p4', what: 'takeProfit' }, '9')).toBe('amend p4 tp 9')
  })

  it('are there for what waits for an entry to fill, each moved by a line of its own', () => {
    const entry = order({
      price: '5',
      stop: { triggerPrice: '4', pnl: '-1' },
      takeProfit: { triggerPrice: '8', pnl: '3' },
    })
    const [, stop, target] = linesOf({ positions: [], orders: [entry] }, 'BTCUSDT')
    expect([stop, target]).toMatchObject([
      { label: 'p1 then stop −1.00', price: '4', look: 'waiting' },
      { label: 'p1 then target +3.00', price: '8', look: 'waiting' },
    ])
    expect([stop, target].map((line) => line?.moves && moveLine(line.moves, '4.5'))).toEqual([
      'amend p1 stop 4.5',
      'amend p1 tp 4.5',
    ])
    expect(washesOf({ positions: [], orders: [entry] }, undefined, 'BTCUSDT')).toEqual([
      { from: '5', to: '4', tone: 'loss', isDraft: true, lines: { from: 'p1', to: 'p1 then stop' } },
      { from: '5', to: '8', tone: 'gain', isDraft: true, lines: { from: 'p1', to: 'p1 then takeProfit' } },
    ])
  })
})

describe('washes', () => {
  it('lie between an entry and each order that ends it, a loss or a gain by the side', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4', takeProfitPrice: '9' })
    const orders = [stop, order({ price: '4.5' }), order({ side: 'sell', price: '7' })]
    expect(washesOf({ positions: [long], orders }, undefined, 'BTCUSDT').map(({ to, tone }) => [to, tone])).toEqual([
      ['4', 'loss'],
      ['9', 'gain'],
      ['7', 'gain'],
    ])
    const short = { ...long, side: 'short' }
    const above = order({ side: 'buy', type: 'stop', triggerPrice: '6' })
    expect(washesOf({ positions: [short], orders: [above] }, undefined, 'BTCUSDT')).toMatchObject([{ tone: 'loss' }])
  })

  it('go with the line that is dragged, and turn where it passes the entry', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4' })
    const [wash] = washesOf({ positions: [long], orders: [stop] }, undefined, 'BTCUSDT')
    const shift = (id: string, price: string) => wash && shiftedWash(wash, { id, price })
    expect(shift('p1', '3')).toMatchObject({ from: '5', to: '3', tone: 'loss' })
    expect(shift('p1', '6')).toMatchObject({ from: '5', to: '6', tone: 'gain' })
    expect(shift('p2', '3')).toBe(wash)
    const drawn = linesOf({ positions: [long], orders: [stop] }, 'BTCUSDT').map(({ id }) => id)
    expect(drawn).toEqual(expect.arrayContaining(Object.values(wash?.lines ?? {})))
  })

  it('are of the prices in the ticket, also before hookline has answered', () => {
    const answered = preview({
      price: '5',
      at: '5',
      stop: { triggerPrice: '4', pnl: '-1' },
      takeProfit: { triggerPrice: '6', pnl: '1' },
    })
    const ticket = { kind: 'limit', price: '5', trigger: '', stop: '-20%', target: '6', isFollowed: true } as const
    const washes = (change: Partial<Parameters<typeof asTyped>[1]>) =>
      washesOf({ positions: [], orders: [] }, asTyped(answered, { ...ticket, ...change }), 'BTCUSDT')
    const edges = (change: Partial<Parameters<typeof asTyped>[1]>) => washes(change).map(({ from, to }) => [from, to])
    expect(asTyped(answered, ticket)).toEqual(answered)
    expect(edges({ stop: '3.5' })).toEqual([
      ['5', '3.5'],
      ['5', '6'],
    ])
    expect(edges({ target: '' })).toEqual([['5', '4']])
    expect(edges({ price: '5.5' })).toEqual([
      ['5.5', '4'],
      ['5.5', '6'],
    ])
    expect(edges({ stop: '3.5', isFollowed: false })).toEqual([
      ['5', '4'],
      ['5', '6'],
    ])
    const lines = draftLines(asTyped(answered, { ...ticket, stop: '3.5' }), 'BTCUSDT', true)
    expect(lines.map(({ label }) => label)).toEqual(['ticket: buy 0.004', 'ticket: stop', 'ticket: target +1.00'])
    expect(lines.map(({ id }) => id)).toEqual(
      expect.arrayContaining(washes({}).flatMap((each) => Object.values(each.lines))),
    )
  })

  it('end no more than is held: an order that only reduces is labelled so', () => {
    const stop = order({ side: 'sell', type: 'stop', triggerPrice: '4', amount: '2', reduceOnly: true })
    const labels = (orders: (typeof stop)[]) =>
      linesOf({ positions: [long], orders }, 'BTCUSDT').map(({ label }) => label)
    expect(labels([stop])[1]).toContain(`sell ${long.amount}`)
    expect(labels([{ ...stop, reduceOnly: false }])[1]).toContain('sell 2')
  })

  it('do not lie before an entry of the other side, which is larger than the position', () => {
    const large = order({ side: 'sell', price: '7', amount: '2' })
    expect(washesOf({ positions: [long], orders: [large] }, undefined, 'BTCUSDT')).toEqual([])
    const reducing = { ...large, reduceOnly: true }
    expect(washesOf({ positions: [long], orders: [reducing] }, undefined, 'BTCUSDT')).toHaveLength(1)
  })

  it('lie between the ticket and its clauses', () => {
    const own = preview({ at: '5', stop: { triggerPrice: '4' }, takeProfit: { triggerPrice: '6' } })
    expect(washesOf({ positions: [], orders: [] }, own, 'BTCUSDT')).toMatchObject([
      { from: '5', to: '4', tone: 'loss', isDraft: true },
      { from: '5', to: '6', tone: 'gain', isDraft: true },
    ])
  })
})

describe('what is in sight', () => {
  const info = { priceRange: { minValue: 100, maxValue: 200 } }
  const lines = ['90', '260', '500'].map((price) => ({ price, look: 'limit' as const }))

  it('reaches to lines near the candles, and no farther', () => {
    expect(withLines(info, { lines, isWhole: false })?.priceRange).toEqual({ minValue: 90, maxValue: 260 })
  })

  it('reaches to all of them on request', () => {
    expect(withLines(info, { lines, isWhole: true })?.priceRange).toEqual({ minValue: 90, maxValue: 500 })
  })

  it('reaches to an alert only where it hardly presses the candles', () => {
    const alerts = ['85', '215', '260'].map((price) => ({ price, look: 'alert' as const }))
    expect(withLines(info, { lines: alerts, isWhole: false })?.priceRange).toEqual({ minValue: 85, maxValue: 215 })
    expect(withLines(info, { lines: alerts, isWhole: true })?.priceRange).toEqual({ minValue: 85, maxValue: 260 })
  })

  it('is nothing where there are no candles', () => expect(withLines(null, { lines, isWhole: true })).toBeNull())
})

describe('times of the chart', () => {
  const noon = Date.UTC(2026, 6, 1, 12, 30) / 1000

  it('are in the zone that was chosen, and say so', () => {
    expect(tickText(noon, 'utc')).toBe('12:30')
    expect(momentText(noon, 'utc')).toMatch(/^\d+ [A-Z][a-z]{2} \d{4} 12:30 UTC$/)
    expect(tickText(noon, 'local')).toBe(
      new Date(noon * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
    )
  })

  it('name the day where it begins', () => expect(tickText(Date.UTC(2026, 6, 1) / 1000, 'utc')).toBe('1 Jul'))
})

describe('marks of fires', () => {
  const times = [10, 20, 30, 40, 50]
  const marks = (...fires: readonly (readonly [at: number, outcome: string])[]) =>
    fireMarksOf(
      fires.map(([at, outcome]) => ({ at, outcome })),
      times,
    )

  it('are one for a candle, with the outcome that most wants a look', () => {
    const made = marks(
      [11, 'ok'],
      [12, 'failed'],
      [13, 'warning'],
      [14, 'failed'],
      [21, 'ok'],
      [22, 'ok'],
      [31, 'skipped'],
    )
    expect(made.map(markText)).toEqual(['fire ×4, 2 failed', 'fire ok ×2', 'fire skipped'])
  })

  it('are one where they would lie over each other, whatever their outcome', () => {
    const made = groupMarks(marks([11, 'warning'], [21, 'failed'], [31, 'ok'], [51, 'ok']), times, 2)
    expect(made.map((mark) => [mark.time, markText(mark)])).toEqual([
      [10, 'fire ×3, 1 failed'],
      [50, 'fire ok'],
    ])
  })
})

describe('marks of fills', () => {
  it('that would lie over each other are one with a count, at the first of them', () => {
    const times = [10, 20, 30, 40, 50]
    const fills = [11, 12, 21, 41].map((timestamp) => fill({ id: String(timestamp), timestamp, source: 'web' }))
    const hooks = fill({ id: 'h', timestamp: 22, source: 'hook' })
    const marks = marksOf([...fills, hooks], 'BTCUSDT', times)
    expect(groupMarks(marks, times, 3).map(({ time, who, count }) => [time, who, count])).toEqual([
      [10, 'fills', 4],
      [40, 'page', 1],
    ])
    expect(groupMarks(marksOf(fills, 'BTCUSDT', times), times, 3).map(markText)).toEqual(['page ×3', 'page'])
    expect(groupMarks(marks, times, 1)).toBe(marks)
  })

  it('stand at the candle that they filled in, one for each side and orderer', () => {
    const fills = [
      fill({ id: '1' }),
      fill({ id: '2', timestamp: 29 }),
      fill({ id: '3', source: 'hook' }),
      fill({ id: '4', timestamp: 3 }),
    ]
    expect(marksOf(fills, 'BTCUSDT', [10, 20, 30]).map(({ time, who, count }) => [time, who, count])).toEqual([
      [20, 'elsewhere', 2],
      [20, 'hook', 1],
    ])
  })

  it.each([
    [{ source: 'web' }, 'page'],
    [{ source: 'repl' }, 'you'],
    [{ source: 'hook', taskId: 't' }, 'hook'],
    [{ source: 'web', taskId: 't' }, 'task'],
    [{ source: 'exec', origin: 'every fb3da541' }, 'task'],
    [{ source: 'exec' }, 'you'],
    [{ source: 'copier', copier: 'a/b' }, 'copier'],
    [{}, 'elsewhere'],
  ])('say who ordered: %j', (facts, who) => expect(ordererOf(facts)).toBe(who))
})

describe('fills that are followed', () => {
  it('are there once, newest first, and of one account', () => {
    const known = withFills(undefined, [fill({ id: '1', timestamp: 1 })], 'paper')
    const rows = [fill({ id: '1', timestamp: 1 }), fill({ id: '2', timestamp: 2 }), fill({ id: '3', account: 'b' })]
    expect(withFills(known, rows, 'paper').map(({ id }) => id)).toEqual(['2', '1'])
  })

  it('keep what they realized, where their news come again without it', () => {
    const known = withFills(undefined, [fill({ id: '1', pnl: '5' })], 'paper')
    expect(withFills(known, [fill({ id: '1' })], 'paper')[0]?.pnl).toBe('5')
  })
})

describe('a price on the tick', () => {
  it.each([
    [54159.17, '0.1', '54159.2'],
    [54159.17, '0.5', '54159.0'],
    [54162.6, '5', '54165'],
    [0.49872, '0.0001', '0.4987'],
    [3.2, '0.10', '3.2'],
  ])('%d on %s is %s', (price, tick, text) => expect(onTick(price, tick)).toBe(text))
})

describe('a line that was let go elsewhere and sent', () => {
  const line: ChartLine = { id: 'p1', price: '4', label: 'p1 stop', name: 'p1 stop', look: 'stop' }
  const draft = { line, price: '4.5' }

  async function send(run: () => Promise<boolean>) {
    const shown: { now: (typeof draft & { readonly isSent?: true }) | undefined } = { now: draft }
    const sent = sendMove<NonNullable<typeof shown.now>>(draft, run, (next) => {
      shown.now = next(shown.now)
    })
    return { shown, sent }
  }

  it('stays there until the order has moved, and is not drawn once it is gone', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { shown, sent } = await send(async () => true)
    const there = (...lines: ChartLine[]) => shown.now !== undefined && isElsewhere(shown.now, lines)
    expect([there(line), there({ ...line, price: '4.5' }), there()]).toEqual([true, false, false])
    await sent
    expect(there(line)).toBe(true)
    vi.advanceTimersByTime(10_000)
    expect(shown.now).toBeUndefined()
  })

  it('returns when the move is refused, and leaves another one that began meanwhile', async () => {
    const refused = await send(async () => false)
    await refused.sent
    expect(refused.shown.now).toBeUndefined()
    let end = (_isDone: boolean): void => {}
    const { shown, sent } = await send(() => new Promise((resolve) => (end = resolve)))
    const other = { ...draft, price: '5' }
    shown.now = other
    end(false)
    await sent
    expect(shown.now).toBe(other)
  })

  it('is drawn where it is held until it is sent, whatever its order does', () => {
    expect(isElsewhere(draft, [{ ...line, price: '4.1' }])).toBe(true)
  })
})
