import { describe, expect, it } from 'vitest'
import { hasProgress, type Task, taskFacts } from '../../src/web/pages/trade/tasks.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const task = (more: Partial<Task>): Task => ({
  id: 't1',
  kind: 'twap',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'twap buy $500',
  runId: 'r',
  progress: 0,
  status: 'running',
  startedAt: NOW - 60_000,
  updatedAt: NOW,
  ...more,
})
const facts = (more: Partial<Task>) =>
  Object.fromEntries(taskFacts(task(more), NOW).map(({ title, text }) => [title, text]))

describe('what a task says of itself', () => {
  it('is what it does now and next, where it rests and when it ends', () => {
    const running = { doing: '3 of 10 slices, next in 4 s', price: '64999.5', orderIds: ['p7'], endsAt: NOW + 60_000 }
    expect(facts(running)).toMatchObject({
      Now: '3 of 10 slices, next in 4 s',
      Rests: 'order p7 at 64,999.5',
      'After a restart': 'it waits until `tasks resume` in the hookline terminal',
      'Ends at the latest': expect.stringMatching(/^\d\d:01:00$/),
    })
    expect(facts({ protective: true, price: '64000' })).toMatchObject({
      Stop: '64,000',
      'After a restart': 'it reduces risk, and resumes by itself',
    })
  })

  it('is of an alert its price and its words, and protects nothing', () => {
    const alert = facts({ kind: 'alert', protective: true, price: '64000', words: 'look' })
    expect(alert).toMatchObject({ At: '64,000', Reports: 'look', 'After a restart': 'it continues by itself' })
    expect(facts({ kind: 'when', protective: true, words: 'buy $10' })).toMatchObject({ Runs: 'buy $10' })
    expect([{ progress: 0 }, { progress: 0.1 }, { progress: 0, amount: '1' }].map(hasProgress)).toEqual([
      false,
      true,
      true,
    ])
  })

  it.each([
    [{ paused: true, reason: 'paused from a terminal' }, 'Why it waits', 'paused from a terminal'],
    [{ status: 'failed', reason: 'no money' }, 'Why it failed', 'no money'],
    [{ status: 'cancelled', reason: 'canceled by Console' }, 'Why it was canceled', 'canceled by Console'],
    [{ status: 'interrupted', reason: 'hookline ended' }, 'Why it was interrupted', 'hookline ended'],
    [{ status: 'done', reason: 'filled' }, 'Why it ended', 'filled'],
    [{ status: 'a-later-word', reason: 'so' }, 'Why', 'so'],
  ])('of %j says why', (more, title, text) => {
    expect(facts(more)[title]).toBe(text)
    expect(facts(more).Now).toBeUndefined()
  })

  it('says of one that has ended when, and of nothing that it would still do', () => {
    const ended = facts({ status: 'done', orderIds: ['p7'], price: '1', endsAt: NOW })
    expect(Object.keys(ended)).toEqual(['Started', 'Ended'])
    expect(facts({ status: 'interrupted' })['To continue']).toBe(
      '`tasks resume` in the hookline terminal places what is left.',
    )
  })
})
