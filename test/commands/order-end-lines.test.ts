// How the end of an order that protects a position reads, and what a venue did by itself.
import { describe, expect, it } from 'vitest'
import type { Output } from '../../src/commands/kit/command.ts'
import { printOrderEvent } from '../../src/commands/kit/lines.ts'
import { describeWould } from '../../src/commands/kit/preview.ts'
import type { Order, Trade } from '../../src/exchange/order.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'

const STOP: Order = {
  id: '17',
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'stop',
  amount: '0.01',
  filled: '0',
  remaining: '0.01',
  triggerPrice: '60000',
  reduceOnly: true,
  postOnly: false,
  status: 'canceled',
  timestamp: 0,
}
const TRADE: Trade = {
  id: 't',
  orderId: '99',
  symbol: 'BTCUSDT',
  side: 'sell',
  amount: '0.01',
  price: '58000',
  timestamp: 0,
}

function lineOf(event: OrderEvent): string {
  const lines: string[] = []
  const say = (kind: string) => (text: string) => void lines.push(`${kind} ${text}`)
  const out: Output = {
    print: say('print'),
    success: say('success'),
    warn: say('warn'),
    error: say('error'),
    info: say('info'),
  }
  printOrderEvent(event, 'paper', out)
  return lines.join('\n')
}

describe('the line of a protective order that has ended', () => {
  const what = 'sell 0.01 BTCUSDT at 60,000, reduce-only'
  it.each<[Extract<OrderEvent, { type: 'ended' }>, string]>([
    [
      { type: 'ended', order: STOP, outcome: 'placed-again' },
      `warn stop 17 (${what}) canceled; BTCUSDT is still open, and the stop is placed again`,
    ],
    [
      { type: 'ended', order: { ...STOP, status: 'rejected', cause: 'trigger-failed' }, outcome: 'closing' },
      `warn stop 17 (${what}) rejected: it was triggered, and its order was refused; the price passed it, and BTCUSDT is closed at the market`,
    ],
    [
      {
        type: 'ended',
        order: { ...STOP, status: 'expired', filled: '0.004', remaining: '0.006' },
        outcome: 'rest-follows',
      },
      'warn stop 17 (sell 0.006 BTCUSDT at 60,000, reduce-only) expired; 0.004 of 0.01 filled, and the rest is placed again',
    ],
    [
      { type: 'ended', order: { ...STOP, cause: 'position-closed' }, outcome: 'flat' },
      `info stop 17 (${what}) ended with the long`,
    ],
    [
      { type: 'ended', order: { ...STOP, cause: 'position-closed' }, outcome: 'flat', lateMs: 11_200 },
      `info stop 17 (${what}) ended with the long 11 s ago`,
    ],
    [
      { type: 'ended', order: { ...STOP, cause: 'liquidation' }, outcome: 'flat' },
      `warn stop 17 (${what}) ended with the long: liquidation`,
    ],
    [{ type: 'ended', order: STOP, outcome: 'taken-back' }, `info stop 17 (${what}) canceled; it is not placed again`],
    [
      { type: 'ended', order: STOP, outcome: 'taken-back', isElsewhere: true },
      `info another hookline canceled stop 17 (${what}); it is not placed again`,
    ],
    [
      {
        type: 'ended',
        order: STOP,
        outcome: 'taken-back',
        isElsewhere: true,
        replacedBy: { ...STOP, id: '18', triggerPrice: '61000', status: 'open' },
      },
      `info another hookline canceled stop 17 (${what}); stop 18 at 61,000 replaces it`,
    ],
    [
      { type: 'ended', order: STOP, outcome: 'waived' },
      `warn stop 17 (${what}) canceled; it was canceled twice at the venue and is not placed again`,
    ],
  ])('%#', (event, line) => {
    expect(lineOf(event)).toBe(line)
  })
})

describe('what the venue did by itself', () => {
  it.each([
    ['liquidation', 'liquidation'],
    ['deleveraging', 'auto-deleveraging'],
    ['settlement', 'settlement'],
  ] as const)('is said by its word: %s', (cause, word) => {
    const trade = { ...TRADE, cause }
    expect(lineOf({ type: 'elsewhere', trades: [trade] })).toBe(
      `warn order 99: sold 0.01 BTCUSDT at 58,000 ($580.00): ${word}`,
    )
    const order = { ...STOP, id: '99' }
    expect(lineOf({ type: 'filled-later', order, trade })).toBe(
      `warn stop 99: sold 0.01 BTCUSDT at 58,000 ($580.00): ${word}`,
    )
  })

  it('is not said of a fill twice: by its order, and by itself once the venue lists it', () => {
    expect(lineOf({ type: 'filled-later', order: STOP, trade: TRADE, isReported: true })).toBe('')
    expect(lineOf({ type: 'filled-later', order: STOP, trade: TRADE })).toMatch(/^success stop 17: sold 0\.01 BTCUSDT/)
  })
})

describe('the line of a leg names it, in the process that placed it and in any other', () => {
  const pair: Order = { ...STOP, id: '99', takeProfitPrice: '70000' }
  it.each<[string, Order, string]>([
    ['stop 99', { ...STOP, id: '99' }, '58000'],
    ['stop 99', pair, '58000'],
    ['take-profit 99', pair, '70010'],
    ['take-profit 99', { ...STOP, id: '99', type: 'take-profit' }, '70010'],
    ['order 99', { ...STOP, id: '99', type: 'limit' }, '58000'],
  ])('%s', (name, order, price) => {
    const trade = { ...TRADE, price }
    const sold = expect.stringMatching(new RegExp(`^success ${name}: sold 0.01 BTCUSDT at `))
    expect(lineOf({ type: 'filled-later', order, trade })).toEqual(sold)
    const ended: Order = { ...order, status: 'closed', filled: '0.01', remaining: '0' }
    expect(lineOf({ type: 'elsewhere', order: ended, trades: [trade] })).toEqual(sold)
  })
})

it('a stop of another process that ended with its position reads as one of this process', () => {
  for (const cause of ['reduce-only', 'position-closed'] as const) {
    const order: Order = { ...STOP, cause }
    const line = 'info stop 17 (sell 0.01 BTCUSDT at 60,000, reduce-only) ended with the long'
    expect(lineOf({ type: 'ended', order })).toBe(line)
    expect(lineOf({ type: 'ended', order, outcome: 'flat' })).toBe(line)
    expect(lineOf({ type: 'elsewhere', order, trades: [], reason: 'no position left to reduce' })).toBe(line)
  }
})

describe('the line of a stop that went with its entry', () => {
  const waits = { type: 'stop-waits', symbol: 'BTCUSDT', triggerPrice: '60000', isAttached: true } as const
  it.each<[OrderEvent, string]>([
    [waits, 'info stop 60,000 is placed by the venue when the entry fills'],
    [
      { ...waits, takeProfitPrice: '70000' },
      'info stop 60,000 and target 70,000 are placed by the venue when the entry fills',
    ],
    [
      { type: 'left', symbol: 'BTCUSDT', isPair: false, isAttached: true },
      'warn after exit, the resting BTCUSDT entry gets its stop from the venue when it fills',
    ],
  ])('says who places it: %j', (event, line) => {
    expect(lineOf(event)).toBe(line)
  })

  it('says before it is sent that the stop goes with it', () => {
    const stop = { clientOrderId: '0', type: 'stop', triggerPrice: '60000', takeProfitPrice: '70000' } as const
    const order = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01', attached: [stop] } as const
    expect(describeWould({ kind: 'place', order })).toBe(
      'would place buy 0.01 BTCUSDT at the market, with its stop at 60,000, with its take-profit at 70,000',
    )
  })
})
