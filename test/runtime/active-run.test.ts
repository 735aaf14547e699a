// How a run that was stopped ends.
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/exchange/order.ts'
import { ActiveRun, RunSinks } from '../../src/runtime/active-run.ts'
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

describe('a run that is stopped while its order is under way', () => {
  it('ends as stopped, and names the order that it has sent', () => {
    const said: string[] = []
    const terms = {
      request: { runId: 'r', source: 'hook', command: 'buy 0.01' },
      accountName: 'paper',
      symbol: 'BTCUSDT',
      admission: {},
      budget: undefined,
    } as never
    const sinks = new RunSinks()
    sinks.add({ output: (_run, kind, text) => void said.push(`${kind} ${text}`) })
    const authority = { whyEnded: () => undefined, whyEndedInTurn: () => undefined, sealed: () => '' }
    const run = new ActiveRun(terms, { sinks, authority, reportBug: () => {} })
    run.beginStep()
    run.stop('stopped: runs stop')
    run.noteOrder({ type: 'sent', order: ORDER })
    const error = new TradingError('interrupted', 'interrupted')
    run.failStep({ summary: 'interrupted', text: 'interrupted', error })
    expect(run.end()).toEqual({ success: false, error: 'stopped: runs stop', cut: true })
    expect(said).toEqual([
      'error stopped: runs stop; already sent: order 17: buy 0.01 BTCUSDT was sent; how it ends is not known yet (check `orders` and `positions`)',
    ])
  })
})
