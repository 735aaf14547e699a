// How a run that was stopped ends.
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/commands/kit/errors.ts'
import type { Order } from '../../src/exchange/order.ts'
import { GuardedError } from '../../src/guards/rules.ts'
import { RunOutcome } from '../../src/runs/run-outcome.ts'
import { ActiveRun, RunSinks } from '../../src/runtime/active-run.ts'
import { TaskError } from '../../src/tasks/task-port.ts'
import { TradingError } from '../../src/trading/trading-error.ts'

const ORDER: Order = {
  id: '17',
  symbol: 'BTCUSDT',
  side: 'buy',
  type: 'market',
  amount: '0.01',
  filled: '0',
  remaining: '0.01',
  reduceOnly: false,
  postOnly: false,
  status: 'open',
  timestamp: 0,
}

/** A run in its first step, and what it says. */
function begun(request: { readonly source: string; readonly command: string }) {
  const said: string[] = []
  const sinks = new RunSinks()
  sinks.add({ output: (_run, kind, text) => void said.push(`${kind} ${text}`) })
  const terms = {
    request: { runId: 'r', ...request },
    accountName: 'paper',
    symbol: 'BTCUSDT',
    admission: {},
    budget: undefined,
  } as never
  const authority = { whyEnded: () => undefined, whyEndedInTurn: () => undefined, sealed: () => '' }
  const run = new ActiveRun(terms, { sinks, authority, reportBug: () => {}, marketsOf: () => () => undefined })
  run.beginStep()
  return { run, said }
}

describe('a run that is stopped while its order is under way', () => {
  it('ends as stopped, and names the order that it has sent', () => {
    const { run, said } = begun({ source: 'hook', command: 'buy 0.01' })
    run.stop('stopped: runs stop')
    run.noteOrder({ type: 'sent', order: ORDER })
    const error = new TradingError('interrupted', 'interrupted')
    run.failStep({ summary: 'interrupted', text: 'interrupted', error })
    expect(run.end()).toEqual({ success: false, error: 'stopped: runs stop', cut: true })
    expect(said).toEqual([
      'error stopped: runs stop; already sent: order 17: buy 0.01 BTCUSDT was sent; its outcome is not known yet (check `orders` and `positions`)',
    ])
  })
})

describe('a step that a person declined', () => {
  const declined = (error: Error, isSent = false) => {
    const { run, said } = begun({ source: 'repl', command: 'buy 0.01' })
    if (isSent) run.noteOrder({ type: 'sent', order: ORDER })
    run.failStep({ summary: error.message, text: error.message, error, isDeclined: true })
    return { said, end: run.end() }
  }
  const refusal = new TradingError('would-flip', 'this would turn the long into a short')

  it('is canceled, and no error; the run has still not succeeded', () => {
    const { said, end } = declined(refusal)
    expect(said).toEqual(['info canceled: nothing was sent'])
    expect(end).toMatchObject({ success: false })
  })

  it('does not say that nothing was sent where an order was', () => {
    expect(declined(refusal, true).said).toEqual(['info canceled: the rest was not sent'])
  })

  it('has the hint of what was declined', () => {
    const near = new CommandError('near-stop', 'the stop is near', { hint: 'add --near' })
    expect(declined(near).said).toEqual(['info canceled: nothing was sent (add --near)'])
  })

  it('says what the command says of its cancel', () => {
    const error = new CommandError('cancelled', 'canceled: the limit stays as it was')
    expect(declined(error).said).toEqual(['info canceled: the limit stays as it was'])
  })
})

describe('a line whose fire was skipped', () => {
  const ended = (before: (run: ActiveRun) => void) => {
    const { run } = begun({ source: 'web', command: 'hook fire dip' })
    before(run)
    const error = new CommandError('fire-skipped', 'hook dip did not run: cooldown of 1m')
    run.failStep({ summary: error.message, text: error.message, error })
    return run.end().unbegun
  }

  it('is skipped itself, and failed where it did more', () => {
    expect(ended(() => {})).toBe('skipped')
    expect(ended((run) => run.emit('success', '@a is 5'))).toBeUndefined()
    expect(ended((run) => run.noteOrder({ type: 'sent', order: ORDER }))).toBeUndefined()
    const other = new CommandError('not-fired', 'hook dip was not fired')
    expect(ended((run) => run.failStep({ summary: 'x', text: 'x', error: other }))).toBeUndefined()
  })
})

describe('a run in which only a stop refused', () => {
  const ended = (...errors: readonly Error[]) => {
    const { run } = begun({ source: 'hook', command: 'buy 0.01' })
    for (const error of errors) run.failStep({ summary: error.message, text: error.message, error })
    return run.end()
  }
  const halted = new GuardedError('paper', 'account paper is halted', { hint: 'type `resume`', code: 'halted' })
  const panic = new CommandError('panic', 'panic is on, so `set` does not run')
  const held = new TaskError('held', 'account paper is halted, so it was not started')
  const limit = new GuardedError('paper', 'the order is worth $2,000', { hint: 'raise it' })

  it.each([[[halted]], [[panic]], [[held]], [[halted, panic, held]]])('was cut short by it: %s', (errors) => {
    expect(ended(...errors)).toMatchObject({ success: false, error: errors[0]?.message, cut: true })
  })

  it.each([[[limit]], [[halted, limit]], [[new Error('venue')]]])(
    'and not where anything else failed: %s',
    (errors) => {
      expect(ended(...errors).cut).toBeUndefined()
    },
  )
})

describe('the outcome of a run', () => {
  const outcome = (lines: readonly string[], error?: string) => {
    const made = new RunOutcome()
    for (const line of lines) {
      const [kind, ...words] = line.split(' ')
      made.note(kind as never, words.join(' '))
    }
    return made.sentence(error)
  }

  it.each<[string, readonly string[], string | undefined, string | undefined]>([
    [
      'its change, not the note behind it',
      ['success bought 0.003', 'info $250 rounded down'],
      undefined,
      'bought 0.003',
    ],
    [
      'its changes in their order',
      ['success bought 0.007', 'success stop is open'],
      undefined,
      'bought 0.007; stop is open',
    ],
    [
      'the first and the last of many, which sums up',
      ['success p1 is open', 'success p2 is open', 'success p3 is open', 'success scaled: 3 orders'],
      undefined,
      'p1 is open; and 2 more; scaled: 3 orders',
    ],
    [
      'what it warned of too',
      ['success canceled p6', 'warn no stop now'],
      undefined,
      'canceled p6; warning: no stop now',
    ],
    ['a warning alone', ['warn every account is halted'], undefined, 'every account is halted'],
    ['its error, and what was done before', ['success bought 1'], 'no funds', 'no funds; before it: bought 1'],
    ['absent where it only printed', ['print BTCUSDT 65,000', 'info two'], undefined, undefined],
    ['absent where it failed before it changed anything', ['error no funds'], 'no funds', undefined],
    ['one line', ['success first\nsecond'], undefined, 'first'],
  ])('is %s', (_what, lines, error, expected) => expect(outcome(lines, error)).toBe(expected))

  it('has at most 300 characters', () => {
    expect(outcome([`success ${'x'.repeat(400)}`])).toHaveLength(300)
  })
})
