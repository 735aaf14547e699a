import { describe, expect, it } from 'vitest'
import { parseAmend } from '../../../src/language/amend.ts'
import { LanguageError } from '../../../src/language/language-error.ts'
import { parseCancel, parseClose, parsePosition, parseStop } from '../../../src/language/order.ts'
import { parseChain } from '../../../src/language/parse.ts'
import type { Portfolio, RunRow } from '../../../src/protocol/frames.ts'
import { fittingColumns } from '../../../src/web/components/data-table.tsx'
import { changeOf, restOf, roundedTo, sumOf } from '../../../src/web/figures.ts'
import { feeDigits, showFee } from '../../../src/web/pages/trade/fills.ts'
import { marketSteps } from '../../../src/web/pages/trade/holdings-context.ts'
import { noteLine, PAST_COLUMNS, shortNote, stateOf } from '../../../src/web/pages/trade/past-orders.tsx'
import {
  amendLine,
  cancelAllLine,
  closeLine,
  reverseLine,
  reverseWarnings,
  stopLine,
  termsOf,
} from '../../../src/web/pages/trade/position-lines.ts'
import { whyNotWatched } from '../../../src/web/pages/trade/watchlist.tsx'
import { withRuns } from '../../../src/web/runs/use-runs.ts'

const argsOf = (line: string | undefined) => parseChain(line ?? '').stages[0]?.commands[0]?.args ?? []

describe('the line of a note', () => {
  it('has its quotes, with the caret between them, and a tag where there is a note', () => {
    const order = { orderId: 'p18', symbol: 'BTCUSDT' }
    expect(noteLine(order)).toEqual({ line: 'note p18 BTCUSDT ""', caret: 18 })
    expect(noteLine({ ...order, note: 'late' })).toEqual({ line: 'note p18 BTCUSDT #', caret: 18 })
    expect(noteLine({ symbol: 'BTCUSDT' })).toBeUndefined()
  })

  it('is cut before who ordered gives way to it', () => {
    const first = fittingColumns(PAST_COLUMNS, 1).map(({ id }) => id)
    expect(first).toEqual(PAST_COLUMNS.map(({ id }) => id))
    expect([shortNote('hook sold my long'), shortNote('late #fomo')]).toEqual(['hook sold m…', 'late #fomo'])
  })
})

describe('lines of a position', () => {
  it('say what a reversal leaves without a stop', () => {
    const long = { symbol: 'BTCUSDT', side: 'long', amount: '0.02', entryPrice: '5', notional: '5' }
    const stop = { id: 'p1', triggerPrice: '4' } as never
    expect(reverseWarnings(long, { stops: [stop], uncovered: '0' })).toEqual([
      'The stop of the long will be canceled. The short starts without a stop.',
    ])
    expect(reverseWarnings({ ...long, side: 'short' }, { stops: [stop, stop], uncovered: '0' })).toEqual([
      'The 2 stops of the short will be canceled. The long starts without a stop.',
    ])
    expect(reverseWarnings(long, { stops: [], uncovered: '0.02' })).toEqual([])
    expect(reverseWarnings(long, undefined)).toEqual([])
  })

  const long = { symbol: 'BTCUSDT', side: 'long', amount: '0.018' }

  it('close all of it, or a part', () => {
    expect(closeLine(long)).toBe('close BTCUSDT')
    expect(parseClose(argsOf(closeLine(long, '25')))).toMatchObject({
      symbols: ['BTCUSDT'],
      size: { kind: 'percent', percent: '25' },
    })
  })

  it.each([
    [long, 'short', '0.018'],
    [{ ...long, side: 'short', amount: '400' }, 'long', '400.0'],
  ] as const)('reverse %j to as much on the other side', (position, target, amount) => {
    expect(parsePosition(argsOf(reverseLine(position)))).toMatchObject({ target, size: { kind: 'base', amount } })
  })
})

describe('the line of a missing stop', () => {
  it.each([
    ['long', [], '1', 'stop BTCUSDT at -2%', undefined],
    ['short', [], '1', 'stop BTCUSDT at +2%', undefined],
    ['long', [{}], '0.4', 'stop 0.4 BTCUSDT at -2%', { kind: 'base', amount: '0.4' }],
    ['short', [{}], '400', 'stop 400.0 BTCUSDT at +2%', { kind: 'base', amount: '400.0' }],
  ])('covers what no stop covers of a %s with %j: %s', (side, stops, uncovered, line, size) => {
    const written = stopLine({ symbol: 'BTCUSDT', side, amount: '1' }, { stops: stops as never, uncovered })
    expect(written).toBe(line)
    expect(parseStop(argsOf(written))).toMatchObject({ symbols: ['BTCUSDT'], ...(size && { size }) })
  })
})

describe('the line that takes all orders back', () => {
  it('names the symbol, or all', () => {
    expect(parseCancel(argsOf(cancelAllLine('BTCUSDT')))).toMatchObject({ names: [{ text: 'BTCUSDT' }] })
    expect(parseCancel(argsOf(cancelAllLine(undefined)))).toMatchObject({ kind: 'all' })
  })
})

describe('a change in percent', () => {
  it.each([
    ['54862.9', '55264.5', '0.73'],
    ['100', '99.995', '-0.01'],
    ['0.3', '0.3', '0.00'],
    ['3', '2', '-33.33'],
    ['0', '1', undefined],
    [undefined, '1', undefined],
  ])('from %s to %s is %s', (from, to, percent) => {
    expect(changeOf(from, to)).toBe(percent)
  })
})

describe('a figure', () => {
  it('is rounded half away from zero, and has all of its digits', () => {
    expect([roundedTo('0.10725017', 4), roundedTo('-0.005', 2), roundedTo('2', 2)]).toEqual(['0.1073', '-0.01', '2.00'])
  })

  it.each([
    ['1', '0.3', '0.7'],
    ['0.3', '1', '0'],
    ['1', 'x', undefined],
  ])('%s less %s is %s', (whole, taken, rest) => {
    expect(restOf(whole, taken)).toBe(rest)
  })
})

describe('fees', () => {
  const fills = [
    { fee: '0.10725017', feeCurrency: 'USDT' },
    { fee: '12.5', feeCurrency: 'USDT' },
    { fee: '0.00000213', feeCurrency: 'BTC' },
    { fee: '-0.0008', feeCurrency: 'USDT' },
    {},
  ]

  it('of one asset have the same digits, so many that the smallest can be told', () => {
    const digits = feeDigits(fills)
    expect(fills.map((fill) => showFee(fill, digits))).toEqual([
      '0.10725',
      '12.50000',
      '0.0000021',
      '−0.00080',
      undefined,
    ])
  })
})

describe('the figures of a market', () => {
  const order = (symbol: string, price: string) =>
    ({ symbol, price, amount: '1' }) as Parameters<typeof marketSteps>[0] extends infer P
      ? NonNullable<P> extends { orders: (infer O)[] }
        ? O
        : never
      : never

  it('are padded to its tick and its lot', () => {
    const steps = marketSteps({
      positions: [],
      orders: [],
      steps: [{ symbol: 'BTCUSDT', tick: '0.10', lotSize: '0.001' }],
    })
    expect([steps.price('BTCUSDT', '55784'), steps.amount('BTCUSDT', '0.02')]).toEqual(['55,784.0', '0.020'])
    expect(steps.average('BTCUSDT', '63259.4666')).toBe('63,259.5')
  })

  it('have the digits of the longest that is shown, where hookline tells no steps', () => {
    const steps = marketSteps({ positions: [], orders: [order('ETHUSDT', '2948.25'), order('ETHUSDT', '2948')] })
    expect([steps.price('ETHUSDT', '2948'), steps.price('XRPUSDT', '0.5')]).toEqual(['2,948.00', '0.5'])
  })
})

describe('a sum', () => {
  it('is exact, with the digits of its longest part', () => {
    expect(sumOf(['0.1', '0.2', '-7'])).toBe('-6.7')
    expect(sumOf(['-0.05', '0.05'])).toBe('0.00')
  })

  it('is not there where a part is not', () => {
    expect(sumOf(['1', undefined])).toBeUndefined()
  })
})

describe('runs that are followed', () => {
  const run = (runId: string, startedAt: number, state = 'running'): RunRow => ({
    runId,
    startedAt,
    state,
    source: 'web',
    command: 'status',
  })

  it('come whole, and then as those that changed', () => {
    const first = withRuns(undefined, { runs: [run('a', 1), run('b', 2)] })
    const second = withRuns(first, { runs: [run('a', 1, 'done'), run('c', 3)], part: true })
    expect(second.map(({ runId, state }) => `${runId} ${state}`)).toEqual(['c running', 'b running', 'a done'])
    expect(withRuns(second, { runs: [run('d', 4)] }).map(({ runId }) => runId)).toEqual(['d'])
  })
})

describe('the change of a resting order', () => {
  const stop = {
    id: 'p5',
    symbol: 'BTCUSDT',
    side: 'sell',
    type: 'stop',
    amount: '0.02',
    filled: '0',
    triggerPrice: '64000',
    takeProfitPrice: '67000',
    reduceOnly: true,
    postOnly: false,
    timestamp: 0,
  } satisfies Portfolio['orders'][number]

  it('has the terms that its kind has', () => {
    expect(termsOf(stop)).toEqual({ at: '64000', tp: '67000', amount: '0.02' })
    const { triggerPrice: _, takeProfitPrice: __, ...limit } = { ...stop, type: 'limit', price: '66000' }
    expect(termsOf({ ...limit, amount: '0', stop: { triggerPrice: '60000' } })).toEqual({ at: '66000', stop: '60000' })
    expect(termsOf({ ...stop, price: '63900' })).toMatchObject({ at: '64000', limit: '63900' })
  })

  it.each([
    [{ at: '64,100' }, 'amend p5 at 64100'],
    [{ at: '-0.5%', amount: '1' }, 'amend p5 at -0.5% 1.0'],
    [{ tp: ' 68000 ', amount: '0.01' }, 'amend p5 tp 68000 0.01'],
    [{ at: '64000', tp: '' }, undefined],
    [{ amount: '1,000' }, 'amend p5 1000.0'],
    [{ at: '1; panic' }, 'amend p5 at "1; panic"'],
    [{ at: `"'` }, undefined],
  ])('of %o is %s', (terms, line) => {
    expect(amendLine(stop, { ...termsOf(stop), ...terms })).toBe(line)
  })

  it.each([
    [{ amount: '0,02' }, 'amend p5 "0,02"'],
    [{ at: '0,6' }, 'amend p5 at "0,6"'],
  ])('leaves a comma that may be a decimal point to hookline, which refuses it: %o', (terms, line) => {
    expect(amendLine(stop, { ...termsOf(stop), ...terms })).toBe(line)
    expect(() => parseAmend(argsOf(line))).toThrow(LanguageError)
  })

  it('is a line that hookline reads', () => {
    const line = amendLine(stop, { at: '64100', limit: '64000', tp: '68000', amount: '3' })
    expect(() => parseAmend(argsOf(line))).not.toThrow()
  })
})

it('a symbol without a price is not watched, and the reason is shown', () => {
  expect(whyNotWatched({ last: '5' })).toBeUndefined()
  expect(whyNotWatched({ problem: 'there is no FOOBAR (type `symbol`)' })).toBe('there is no FOOBAR (type `symbol`)')
  expect(whyNotWatched(undefined)).toBe('This symbol has no price.')
})

it.each([
  ['closed', 'filled'],
  ['canceled', 'canceled'],
  ['unknown', 'unknown'],
])('an order of the past that is %s is shown as %s', (state, shown) => expect(stateOf({ state })).toBe(shown))
