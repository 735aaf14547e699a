import { describe, expect, it } from 'vitest'
import { interruptedTaskNotices, runLineOfTask, taskNotice } from '../../src/app/task-work.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import type { Task } from '../../src/stores/tasks.ts'

const TASK: Task = {
  id: '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90',
  kind: 'chase',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'chase buy 0.01',
  runId: 'r',
  status: 'running',
  progress: 0,
  startedAt: 1,
  updatedAt: 2,
}
const FILLED = { amount: '0.01', filled: '0.004', average: '65000.5' }

it.each<[string, Partial<Task>, string]>([
  ['continues', {}, 'continues'],
  ['is paused', { paused: true, reason: 'paused from a terminal' }, 'paused from a terminal; `tasks resume 3f9c2a71`'],
  [
    'is paused by simulation',
    { paused: true, pausedFor: 'simulation', reason: 'simulation is on; it continues after `sim off`' },
    'paused: simulation is on; it continues after `sim off`',
  ],
  [
    'is paused with its source',
    { paused: true, pausedFor: 'source', reason: 'hook dip was revoked' },
    'paused: hook dip was revoked; `tasks resume 3f9c2a71` or `tasks cancel 3f9c2a71`',
  ],
  ['is done', { status: 'done', reason: 'filled', ...FILLED }, 'done: filled; filled 0.004 of 0.01 at 65,000.5'],
  ['is canceled', { status: 'cancelled', reason: 'canceled by hook dip' }, 'canceled by hook dip; nothing filled'],
  [
    'is interrupted',
    { status: 'interrupted', reason: 'hookline was closed', orderIds: ['p1', 'p2'], ...FILLED },
    'interrupted: hookline was closed; filled 0.004 of 0.01 at 65,000.5, orders p1, p2 rest; `tasks resume 3f9c2a71` or `tasks cancel 3f9c2a71`',
  ],
])('a task that %s is told in one line', (_, fields, text) => {
  expect(taskNotice({ type: 'status', task: { ...TASK, ...fields } }).text).toBe(`[chase 3f9c2a71] ${text}`)
})

it('what a file or a venue says reaches no terminal as it is', () => {
  const task = { ...TASK, id: '\u001b[31mevil', kind: 'chase\n' }
  const { text } = taskNotice({ type: 'line', task, level: 'warn', text: 'the venue says \u001b[2J\nno' })
  expect(text).not.toMatch(/[\u0000-\u001f]/)
})

describe('at a start', () => {
  const interrupted = (id: string): Task => ({
    ...TASK,
    id,
    kind: 'twap',
    status: 'interrupted',
    reason: 'hookline was closed',
  })

  it('each interrupted task is named once, with the lines that resume and cancel it; others are not', () => {
    const tasks = [TASK, interrupted('aaaaaaaa-1'), { ...TASK, id: 'done', status: 'done' as const }]
    expect(interruptedTaskNotices(tasks)).toEqual([
      {
        kind: 'warn',
        text: '[twap aaaaaaaa] interrupted: hookline was closed; nothing filled, nothing rests; `tasks resume aaaaaaaa` or `tasks cancel aaaaaaaa`',
      },
    ])
  })

  it('of more than five, the others are counted', () => {
    const notices = interruptedTaskNotices(Array.from({ length: 7 }, (_, index) => interrupted(`aaaaaaa${index}`)))
    expect(notices).toHaveLength(6)
    expect(notices.at(-1)?.text).toBe('2 more tasks are interrupted; see `tasks`')
  })
})

it('the line of a task is a run with its name, on its account and symbol', async () => {
  const asked: unknown[] = []
  const runner = {
    addSink: () => () => {},
    run: (request: RunRequest) => {
      asked.push(request)
      return Promise.resolve({ success: true })
    },
  }
  const seed = { kind: 'every', account: 'swing', symbol: 'ETHUSDT' }
  await runLineOfTask(runner as never, { id: TASK.id, seed } as never, 'price')
  expect(asked).toEqual([
    expect.objectContaining({
      source: 'exec',
      command: 'price',
      origin: 'every 3f9c2a71',
      account: 'swing',
      symbol: 'ETHUSDT',
    }),
  ])
})
