// Which of the things that the app tells are told away from the terminal too (behaviour 50).
import { describe, expect, it } from 'vitest'
import { quietEvents } from '../../src/app/app-events.ts'
import { noticesTo } from '../../src/app/notices.ts'
import { noticeOfTask, orderNotice, runNotices, withNotices } from '../../src/app/open-notices.ts'
import type { ErrorData, OrderData } from '../../src/commands/kit/data.ts'
import { ExchangeError } from '../../src/exchange/exchange-error.ts'
import type { Order } from '../../src/exchange/order.ts'
import type { Notice } from '../../src/notices/notice.ts'
import type { RunRequest, Source } from '../../src/runs/run.ts'
import type { Task } from '../../src/stores/tasks.ts'

const ORDER: Order = {
  id: '17',
  clientOrderId: 'c',
  symbol: 'BTCUSDT',
  side: 'sell',
  type: 'market',
  status: 'closed',
  amount: '1',
  filled: '1',
  remaining: '0',
  reduceOnly: false,
  postOnly: false,
  timestamp: 0,
}
const STOP: Order = { ...ORDER, type: 'stop', status: 'canceled', triggerPrice: '60000' }
const TRADE = {
  id: 't',
  orderId: '17',
  symbol: 'BTCUSDT',
  side: 'sell',
  price: '1',
  amount: '1',
  timestamp: 0,
} as const

const data = (event: OrderData['event'], more: Partial<OrderData> = {}): OrderData => ({
  type: 'order',
  event,
  account: 'paper',
  ...more,
})

describe('a line about an order', () => {
  it.each<[string, OrderData, readonly [string, string] | undefined]>([
    ['a fill', data('filled', { order: ORDER }), ['fill', 'info']],
    ['a fill that came later', data('filled-later', { order: ORDER }), ['fill', 'info']],
    ['a stop that was hit', data('filled-later', { order: STOP }), ['stop', 'warn']],
    ['a fill from elsewhere', data('elsewhere', { order: ORDER, trades: [TRADE] }), ['fill', 'info']],
    ['a liquidation', data('elsewhere', { trades: [TRADE], reason: 'liquidated' }), ['fill', 'urgent']],
    ['a stop that another program took back', data('elsewhere', { order: STOP }), ['stop', 'warn']],
    ['a stop that the venue took back', data('elsewhere', { order: STOP, reason: 'expired' }), ['stop', 'urgent']],
    [
      'an order that another program took back',
      data('elsewhere', { order: { ...ORDER, status: 'canceled' } }),
      undefined,
    ],
    ['a stop that ended by itself', data('ended', { order: STOP, reason: 'rejected' }), ['stop', 'urgent']],
    ['an order that ended by itself', data('ended', { order: ORDER, reason: 'expired' }), undefined],
    ...(['placed-again', 'closing', 'rest-follows', 'waived'] as const).map(
      (outcome): [string, OrderData, readonly [string, string]] => [
        `a stop that ended without hookline: ${outcome}`,
        data('ended', { order: STOP, outcome }),
        ['stop', 'urgent'],
      ],
    ),
    ['a stop whose position is gone', data('ended', { order: STOP, outcome: 'flat' }), undefined],
    ...(['reduce-only', 'position-closed'] as const).map((cause): [string, OrderData, undefined] => [
      `a stop placed by itself, ended as its position was closed: ${cause}`,
      data('ended', { order: { ...STOP, status: 'canceled', cause } }),
      undefined,
    ]),
    ['a stop that a person took back', data('ended', { order: STOP, outcome: 'taken-back' }), undefined],
    ...(['liquidation', 'deleveraging', 'settlement'] as const).flatMap(
      (cause): [string, OrderData, readonly [string, string]][] => [
        [
          `a stop that ended by ${cause}`,
          data('ended', { order: { ...STOP, cause }, outcome: 'flat' }),
          ['stop', 'urgent'],
        ],
        [`a fill by ${cause}`, data('elsewhere', { trades: [{ ...TRADE, cause }] }), ['fill', 'urgent']],
        [`a later fill by ${cause}`, data('filled-later', { trades: [{ ...TRADE, cause }] }), ['fill', 'urgent']],
      ],
    ),
    [
      'a stop of elsewhere whose trigger failed',
      data('elsewhere', { order: { ...STOP, cause: 'trigger-failed' } }),
      ['stop', 'urgent'],
    ],
    [
      'a stop of elsewhere whose position was closed',
      data('elsewhere', { order: { ...STOP, cause: 'position-closed' } }),
      ['stop', 'warn'],
    ],
    ['a stop that could not be placed', data('stop-failed'), ['stop', 'urgent']],
    ['a stop whose price was passed', data('stop-passed'), ['stop', 'urgent']],
    ['an entry left without its stop', data('left'), ['stop', 'warn']],
    ['an order without an answer', data('unknown'), ['unknown-order', 'urgent']],
    ['an order that a person has to settle', data('unsettled'), ['unknown-order', 'urgent']],
    ['a change without an answer', data('change-unknown'), ['unknown-order', 'urgent']],
    ['what became of it', data('settled'), ['unknown-order', 'warn']],
    ['what became of the change', data('change-settled'), ['unknown-order', 'warn']],
    ['an order that rests', data('rests', { order: ORDER }), undefined],
    ['a stop that was placed', data('protected', { order: STOP }), undefined],
    ['a stop taken back for a flat position', data('withdrawn', { order: STOP }), undefined],
    ['an order that still rests', data('still-rests', { order: ORDER }), undefined],
    ['an entry that reduced a position', data('offset', { filled: '1', opened: '0' }), undefined],
    ['a stop that waits for its fill', data('stop-waits'), undefined],
  ])('%s', (_what, said, expected) => {
    const notice = orderNotice('text', said, {})
    expect(notice && [notice.kind, notice.severity]).toEqual(expected)
  })
})

describe('a run', () => {
  function told(source: Source, event: OrderData['event'], isMain = true): readonly Notice[] {
    const notices: Notice[] = []
    const sink = runNotices({ notify: (notice) => void notices.push(notice), isMain: () => isMain })
    const origin = source === 'exec' ? 'every 3f9c2a71' : 'dip'
    const run: RunRequest = { runId: 'r', source, command: 'buy 1', origin, account: 'paper' }
    sink.output?.(run, 'success', 'text', data(event, { order: ORDER }))
    sink.done?.(run, { success: true }, { acceptedAt: 0, endedAt: 0 })
    return notices
  }

  it.each<[Source, OrderData['event'], boolean, number]>([
    ['hook', 'filled', true, 1],
    ['repl', 'filled', true, 0],
    ['web', 'filled', true, 0],
    ['repl', 'filled-later', true, 1],
    // The hookline that listens tells it as one from elsewhere.
    ['repl', 'filled-later', false, 0],
    ['exec', 'unknown', false, 1],
    // A line that a task has run.
    ['exec', 'filled', true, 1],
    ['repl', 'rests', true, 0],
  ])('of source %s tells of %s, in the process that listens: %s', (source, event, isMain, times) => {
    expect(told(source, event, isMain)).toHaveLength(times)
  })

  it.each<[Source, boolean]>([
    ['hook', false],
    ['exec', false],
    ['repl', true],
  ])('of source %s whose entry is without its stop is urgent news of the process that ran it', (source, isMain) => {
    const notices: Notice[] = []
    const sink = runNotices({ notify: (notice) => void notices.push(notice), isMain: () => isMain })
    const run: RunRequest = { runId: 'r', source, command: 'buy 1 stop -2%', account: 'paper' }
    const failed: ErrorData = { type: 'error', code: 'stop-failed', message: 'without' }
    sink.output?.(run, 'error', 'without', failed)
    sink.output?.(run, 'error', 'still without', data('stop-failed'))
    expect(notices).toEqual([
      { kind: 'stop', severity: 'urgent', text: 'without', account: 'paper' },
      { kind: 'stop', severity: 'urgent', text: 'still without', account: 'paper' },
    ])
  })

  it.each<[Source, object, number]>([
    ['hook', { success: false, error: 'no' }, 1],
    ['hook', { success: false, error: 'no', cut: true }, 0],
    ['repl', { success: false, error: 'no' }, 0],
    ['web', { success: false, error: 'no' }, 0],
  ])('of source %s that ends as %j is told %i times', (source, result, times) => {
    const notices: Notice[] = []
    const sink = runNotices({ notify: (notice) => void notices.push(notice), isMain: () => true })
    sink.done?.({ runId: 'r', source, command: 'buy 1' }, result as { success: boolean }, { acceptedAt: 0, endedAt: 0 })
    expect(notices).toHaveLength(times)
  })
})

const TASK: Task = {
  id: '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90',
  kind: 'chase',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'chase',
  runId: 'r',
  status: 'running',
  progress: 0,
  startedAt: 0,
  updatedAt: 0,
}

describe('a task', () => {
  it.each<[Partial<Task>, string | undefined]>([
    [{ status: 'done' }, 'info'],
    [{ status: 'failed' }, 'urgent'],
    [{ status: 'interrupted' }, 'warn'],
    [{ status: 'running', paused: true }, 'warn'],
    [{ status: 'running' }, undefined],
    [{ status: 'cancelled' }, undefined],
  ])('that is %j is told as %s', (state, severity) => {
    expect(noticeOfTask({ type: 'status', task: { ...TASK, ...state } })?.severity).toBe(severity)
  })

  it('that the operator has paused is not told to who has typed it', () => {
    const task = { ...TASK, status: 'running', paused: true } as const
    expect(noticeOfTask({ type: 'status', task, isOwn: true })).toBeUndefined()
  })

  it('tells its end, and not each of its fills', () => {
    expect(noticeOfTask({ type: 'filled', task: TASK, trades: [TRADE] })).toBeUndefined()
    expect(noticeOfTask({ type: 'line', task: TASK, level: 'warn', text: 'waits' })).toBeUndefined()
  })

  it('tells its news, which the terminal has already', () => {
    const report = { type: 'news', task: TASK, text: 'BTCUSDT: close(1h) > 70000: look' } as const
    expect(noticeOfTask(report)).toEqual({
      kind: 'task',
      severity: 'warn',
      text: `[chase ${TASK.id.slice(0, 8)}] ${report.text}`,
      account: TASK.account,
    })
    const shown: unknown[] = []
    noticesTo((notice) => void shown.push(notice)).task(report)
    expect(shown).toEqual([])
  })
})

describe('what the app tells', () => {
  function events(isMain: boolean) {
    const notices: Notice[] = []
    return {
      notices,
      events: withNotices(quietEvents, { notify: (one) => void notices.push(one), isMain: () => isMain }),
    }
  }

  it('of accounts is told by the process that listens, and an order of unknown fate by the one that sent it', () => {
    for (const isMain of [true, false]) {
      const { notices, events: told } = events(isMain)
      told.order('paper', { type: 'elsewhere', trades: [TRADE] })
      const error = new ExchangeError('bad-symbol', 'no answer')
      told.order('paper', { type: 'unknown', clientOrderId: 'c', symbol: 'BTCUSDT', error })
      told.meanwhile('paper', { since: 0, fills: [[TRADE]], ended: [], positions: [] })
      const kinds = notices.map(({ kind }) => kind)
      expect(kinds).toEqual(isMain ? ['fill', 'unknown-order', 'fill'] : ['unknown-order'])
    }
  })

  it('of a hook that did not fire by itself is told, by the process that judges it', () => {
    const { notices, events: told } = events(false)
    told.unfired?.('dip', 'hook dip: missed a fire')
    expect(notices).toEqual([{ kind: 'failed-hook', severity: 'warn', text: 'hook dip: missed a fire', hook: 'dip' }])
  })

  it('of the copier is told where something is wrong', () => {
    const { notices, events: told } = events(false)
    told.engine?.({ kind: 'success', text: 'bought' })
    told.engine?.({ kind: 'error', text: 'blocked' })
    expect(notices).toEqual([{ kind: 'task', severity: 'urgent', text: 'cross-trade: blocked' }])
  })
})
