import { describe, expect, it } from 'vitest'
import { drivenElsewhere } from '../../src/app/accounts.ts'
import { noticeOfTask } from '../../src/app/open-notices.ts'
import { BegunTasks, interruptedTaskNotices, runLineOfTask, taskNotice } from '../../src/app/task-work.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import type { Task } from '../../src/stores/tasks.ts'
import type { TaskReport } from '../../src/tasks/task-port.ts'
import { orderIdPrefix } from '../../src/trading/order-plan.ts'

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
  expect(taskNotice({ type: 'status', task: { ...TASK, ...fields } }, () => undefined).text).toBe(
    `[chase 3f9c2a71] ${text}`,
  )
})

it('what a file or a venue says reaches no terminal as it is', () => {
  const task = { ...TASK, id: '\u001b[31mevil', kind: 'chase\n' }
  const { text } = taskNotice(
    { type: 'line', task, level: 'warn', text: 'the venue says \u001b[2J\nno' },
    () => undefined,
  )
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
    expect(interruptedTaskNotices(tasks, () => () => undefined)).toEqual([
      {
        kind: 'warn',
        text: '[twap aaaaaaaa] interrupted: hookline was closed; nothing filled, nothing rests; `tasks resume aaaaaaaa` or `tasks cancel aaaaaaaa`',
      },
    ])
  })

  it('of more than five, the others are counted', () => {
    const notices = interruptedTaskNotices(
      Array.from({ length: 7 }, (_, index) => interrupted(`aaaaaaa${index}`)),
      () => () => undefined,
    )
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

describe('a task that was begun here and is driven by another process', () => {
  const stage = (first: Partial<Task> = {}) => {
    let rows: readonly Task[] = [
      { ...TASK, ...first },
      { ...TASK, id: 'other' },
    ]
    const reports: TaskReport[] = []
    const begun = new BegunTasks(
      () => rows,
      (report) => reports.push(report),
    )
    const become = (fields: Partial<Task>) => {
      rows = rows.map((task) => ({ ...task, ...fields }))
    }
    const told = () => reports.map((report) => taskNotice(report, () => undefined).text)
    return { begun, become, told, reports, rows: () => rows }
  }

  it('tells here what becomes of it, once, and no other task does', () => {
    const { begun, become, told, reports } = stage()
    begun.follow(TASK.id)
    begun.look(false)
    become({ paused: true, reason: 'paused by the terminal' })
    begun.look(false)
    begun.look(false)
    become({ paused: false, status: 'done', reason: 'filled' })
    begun.look(false)
    begun.look(false)
    expect(told()).toEqual([
      '[chase 3f9c2a71] paused by the terminal; `tasks resume 3f9c2a71`',
      '[chase 3f9c2a71] done: filled; nothing filled',
    ])
    // Its driver lets it leave the terminal.
    expect(reports.map((report) => noticeOfTask(report, () => undefined))).toEqual([undefined, undefined])
  })

  it('tells of one that was over at once, such as an alert whose price has come', () => {
    const { begun, told } = stage({ kind: 'alert', status: 'done', reason: 'BTCUSDT is at 65,000' })
    begun.follow(TASK.id)
    begun.look(false)
    expect(told()).toEqual(['[alert 3f9c2a71] BTCUSDT is at 65,000'])
  })

  it('is told by a command of this process, or by its driver, and not twice', () => {
    const canceled = { status: 'cancelled', reason: 'canceled by the terminal' } as const
    const asked = stage()
    asked.begun.follow(TASK.id)
    asked.begun.reported({ ...TASK, ...canceled })
    asked.become(canceled)
    asked.begun.look(false)
    expect(asked.told()).toEqual([])
    const driven = stage()
    driven.begun.follow(TASK.id)
    driven.become(canceled)
    driven.begun.look(true)
    driven.begun.look(false)
    expect(driven.told()).toEqual([])
  })

  it('has its fills told as its own, as long as a process drives it', () => {
    const clientOrderId = `${orderIdPrefix(TASK.id)}00000001`
    const trade = {
      id: 't',
      orderId: 'p1',
      symbol: 'BTCUSDT',
      side: 'buy',
      amount: '1',
      price: '2',
      timestamp: 3,
      clientOrderId,
    } as const
    const stores = (holder: object | undefined) =>
      ({ tasks: { list: () => [TASK] }, tasksDriver: { holder: () => holder } }) as unknown as Parameters<
        typeof drivenElsewhere
      >[1]
    const event = { type: 'elsewhere', trades: [trade] } as const
    expect(drivenElsewhere(event, stores({ pid: 1 }))).toEqual({ task: TASK, trades: [trade] })
    expect(drivenElsewhere(event, stores(undefined))).toBeUndefined()
    const theirs = { ...trade, clientOrderId: 'x' }
    expect(drivenElsewhere({ ...event, trades: [theirs] }, stores({ pid: 1 }))).toBeUndefined()
  })
})
