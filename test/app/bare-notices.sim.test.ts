// A task that ends, and an entry that fills where no run waits for it, are followed by what of their position no stop ends.
import { expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { quietEvents } from '../../src/app/app-events.ts'
import { withBareNotices } from '../../src/app/bare-notices.ts'
import type { Order } from '../../src/exchange/order.ts'
import type { Notice } from '../../src/notices/notice.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import type { Task } from '../../src/stores/tasks.ts'

const TASK: Task = {
  id: '3f9c2a71-0000-4000-8000-000000000000',
  kind: 'chase',
  account: 'paper',
  symbol: 'ETHUSDT',
  command: 'chase sell 0.2 ETHUSDT',
  runId: 'r',
  status: 'done',
  progress: 1,
  filled: '0.2',
  startedAt: 0,
  updatedAt: 0,
}
const ENTRY: Order = {
  id: '17',
  symbol: 'ETHUSDT',
  side: 'sell',
  type: 'limit',
  status: 'closed',
  amount: '0.2',
  filled: '0.2',
  remaining: '0',
  reduceOnly: false,
  postOnly: false,
  timestamp: 0,
}
const FILL = {
  id: 't',
  orderId: '17',
  symbol: 'ETHUSDT',
  side: 'sell',
  price: '3000',
  amount: '0.2',
  timestamp: 0,
} as const
const BARE = '[paper] the ETHUSDT short of 0.2 ETH has no stop: `stop ETHUSDT at +2%` places one'

async function stage(before: string, focus = 'paper') {
  const session = await createSession()
  if (before !== '') await session.run(before)
  const warnings: string[] = []
  const notices: Notice[] = []
  const due: (() => void)[] = []
  const waits: number[] = []
  const ahead = new Set<string>()
  const { events, sink, stop } = withBareNotices(
    { ...quietEvents, warn: (text) => warnings.push(text) },
    {
      connect: async () => ({ name: 'paper', venue: session.market.exchange }),
      focus: () => focus,
      placesStopAhead: (runId, symbol) => ahead.has(`${runId} ${symbol}`),
      isProtectedElsewhere: async (order, symbol) => ahead.has(`${order} ${symbol}`),
      after(ms, work) {
        waits.push(ms)
        due.push(work)
        return () => void due.splice(0, due.length, ...due.filter((each) => each !== work))
      },
      notify: (notice) => notices.push(notice),
      bug: (error) => expect.unreachable(String(error)),
    },
  )
  const pass = async () => {
    for (const work of due.splice(0)) work()
    await session.advance(10)
  }
  return { session, events, sink, stop, warnings, notices, due, waits, ahead, pass }
}

type Staged = Awaited<ReturnType<typeof stage>>

it.each<[string, (staged: Staged) => void]>([
  ['a chase that is done', ({ events }) => events.task({ type: 'status', task: TASK }, () => undefined)],
  [
    'a twap that failed',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, kind: 'twap', status: 'failed' } }, () => undefined),
  ],
  [
    'an entry of another process',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: ENTRY, trades: [FILL] }, () => undefined),
  ],
  [
    'an entry that was taken over',
    ({ events }) => events.order('paper', { type: 'filled-later', order: ENTRY, trade: FILL }, () => undefined),
  ],
])('%s names the position without a stop once', async (_what, happen) => {
  const staged = await stage('sell 0.2 ETHUSDT')
  happen(staged)
  happen(staged)
  await staged.pass()
  happen(staged)
  await staged.pass()
  expect(staged.warnings).toEqual([BARE])
})

it.each<[string, string, (staged: Staged) => void]>([
  [
    'a stop covers it',
    'sell 0.2 ETHUSDT stop +2%',
    ({ events }) => events.task({ type: 'status', task: TASK }, () => undefined),
  ],
  ['the position is closed', '', ({ events }) => events.task({ type: 'status', task: TASK }, () => undefined)],
  [
    'nothing filled',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, filled: '0' } }, () => undefined),
  ],
  [
    'the task goes on',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, status: 'running' } }, () => undefined),
  ],
  [
    'the command answers',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: TASK, isAnswered: true }, () => undefined),
  ],
  [
    'a trail ends',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, protective: true } }, () => undefined),
  ],
  [
    'the order was canceled',
    'sell 0.2 ETHUSDT',
    ({ events }) =>
      events.order(
        'paper',
        { type: 'elsewhere', order: { ...ENTRY, status: 'canceled' }, trades: [] },
        () => undefined,
      ),
  ],
  [
    'the order only reduces',
    'sell 0.2 ETHUSDT',
    ({ events }) =>
      events.order(
        'paper',
        { type: 'elsewhere', order: { ...ENTRY, reduceOnly: true }, trades: [FILL] },
        () => undefined,
      ),
  ],
  [
    'the position is of the other side',
    'buy 0.2 ETHUSDT',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: ENTRY, trades: [FILL] }, () => undefined),
  ],
  [
    'the process ends',
    'sell 0.2 ETHUSDT',
    ({ events, stop }) => {
      events.task({ type: 'status', task: TASK }, () => undefined)
      stop()
    },
  ],
])('nothing is named where %s', async (_what, before, happen) => {
  const staged = await stage(before)
  happen(staged)
  await staged.pass()
  expect(staged.warnings).toEqual([])
})

const FIRE: RunRequest = {
  runId: 'f',
  source: 'hook',
  origin: 'dip',
  hookId: 'h',
  account: 'paper',
  command: 'sell 0.2 ETHUSDT',
}
const fill = (id: string, event: 'filled' | 'filled-later' = 'filled', order: Partial<Order> = {}) =>
  ({ type: 'order', event, account: 'paper', order: { ...ENTRY, id, ...order } }) as const

it.each(['filled', 'filled-later'] as const)(
  'a hook that opens a position without a stop (%s) is named once, and leaves the terminal',
  async (event) => {
    const { sink, pass, warnings, notices, due } = await stage('sell 0.2 ETHUSDT')
    for (let fire = 0; fire < 100; fire += 1) sink.output?.(FIRE, 'success', 'sold', fill(`${fire}`, event))
    expect(due).toHaveLength(1)
    await pass()
    sink.output?.(FIRE, 'success', 'sold', fill('again'))
    await pass()
    expect(warnings).toEqual([BARE])
    expect(notices).toEqual([{ kind: 'stop', severity: 'warn', text: BARE, account: 'paper', hook: 'dip' }])
  },
)

it('the end of a task names it also where it was named before', async () => {
  const { sink, events, pass, warnings } = await stage('sell 0.2 ETHUSDT')
  sink.output?.(FIRE, 'success', 'sold', fill('1'))
  await pass()
  for (const id of ['a', 'b']) {
    events.task({ type: 'status', task: { ...TASK, id } }, () => undefined)
    await pass()
  }
  expect(warnings).toEqual([BARE, BARE, BARE])
})

it('a position without a stop is named again once an order has reduced or protected it', async () => {
  const { sink, events, pass, warnings } = await stage('sell 0.2 ETHUSDT')
  const exits = [
    () => sink.output?.({ ...FIRE, source: 'repl' }, 'success', 'closed', fill('exit', 'filled', { reduceOnly: true })),
    () =>
      events.order(
        'paper',
        { type: 'elsewhere', order: { ...ENTRY, id: 'stop', type: 'stop' }, trades: [] },
        () => undefined,
      ),
  ]
  for (const [index, exit] of [() => {}, ...exits].entries()) {
    exit()
    sink.output?.(FIRE, 'success', 'sold', fill(`${index}`))
    await pass()
  }
  expect(warnings).toEqual([BARE, BARE, BARE])
})

it.each<[string, Partial<RunRequest>, Partial<Order>]>([
  ['who typed the line is told by it', { source: 'repl' }, {}],
  ['the order only reduces', {}, { reduceOnly: true }],
  ['the order is a stop', {}, { type: 'stop' }],
  ['nothing filled', {}, { filled: '0' }],
])('nothing is named of a fill where %s', async (_what, run, order) => {
  const { sink, due } = await stage('sell 0.2 ETHUSDT')
  sink.output?.({ ...FIRE, ...run }, 'success', 'sold', fill('1', 'filled', order))
  expect(due).toEqual([])
})

const WAITING = 'f ETHUSDT'
const ENDED = { acceptedAt: 0, endedAt: 0 }

it.each<[string, (staged: Staged) => unknown, string[]]>([
  [
    'places it',
    async ({ session, sink }) => {
      await session.run('stop ETHUSDT at +2%')
      sink.done?.(FIRE, { success: true }, ENDED)
    },
    [],
  ],
  ['ends without it', ({ sink }) => sink.done?.(FIRE, { success: true }, ENDED), [BARE]],
  ['fails', ({ sink }) => sink.done?.(FIRE, { success: false, error: 'refused' }, ENDED), [BARE]],
  [
    'has no such step ahead any more',
    ({ sink, ahead }) => {
      ahead.clear()
      sink.step?.(FIRE, { text: 'stop', startedAt: 0, endedAt: 0, succeeded: true })
    },
    [BARE],
  ],
  [
    'has another step behind it',
    ({ sink }) => sink.step?.(FIRE, { text: 'wait', startedAt: 0, endedAt: 0, succeeded: true }),
    [],
  ],
  ['goes on, and another ends', ({ sink }) => sink.done?.({ ...FIRE, runId: 'g' }, { success: true }, ENDED), []],
  ['takes longer than a minute', ({ pass }) => pass(), [BARE]],
  [
    'goes on, and a fill of no run follows',
    ({ events, pass }) => {
      events.order('paper', { type: 'elsewhere', order: { ...ENTRY, id: 'other' }, trades: [FILL] }, () => undefined)
      return pass()
    },
    [BARE],
  ],
])('what a run opens and protects later is named where the run %s', async (_what, happen, says) => {
  const staged = await stage('sell 0.2 ETHUSDT')
  staged.ahead.add(WAITING)
  staged.sink.output?.(FIRE, 'success', 'sold', fill('1'))
  await staged.pass()
  expect([staged.warnings, staged.waits]).toEqual([[], [2_000, 60_000]])
  await happen(staged)
  await staged.session.advance(10)
  expect(staged.warnings).toEqual(says)
})

it('a task of a run that places the stop later waits for its end, too', async () => {
  const { events, sink, ahead, pass, warnings, session } = await stage('sell 0.2 ETHUSDT')
  ahead.add(WAITING)
  events.task({ type: 'status', task: { ...TASK, runId: 'f' } }, () => undefined)
  await pass()
  expect(warnings).toEqual([])
  sink.done?.(FIRE, { success: true }, ENDED)
  await session.advance(10)
  expect(warnings).toEqual([BARE])
})

const COPIED = {
  type: 'copied',
  configId: 'c',
  account: 'paper',
  symbol: 'ETHUSDT',
  side: 'sell',
  amount: '0.2',
  reduceOnly: false,
} as const

it('what a copier opens is named once until it reduces, with its account in the line where another is in focus', async () => {
  const { events, pass, warnings, notices } = await stage('sell 0.2 ETHUSDT', 'main')
  const elsewhere = BARE.replace('`stop', '`account use paper`, then `stop')
  for (const copied of [COPIED, COPIED, { ...COPIED, reduceOnly: true }, COPIED]) {
    events.copied?.(copied)
    await pass()
  }
  expect(warnings).toEqual([elsewhere, elsewhere])
  expect(notices).toEqual([1, 2].map(() => ({ kind: 'stop', severity: 'warn', text: elsewhere, account: 'paper' })))
})

it('the line that places the stop names an account out of focus, whoever opened the position', async () => {
  const { events, sink, pass, warnings } = await stage('sell 0.2 ETHUSDT', 'main')
  sink.output?.(FIRE, 'success', 'sold', fill('1'))
  await pass()
  events.task({ type: 'status', task: TASK }, () => undefined)
  await pass()
  expect(warnings).toEqual([1, 2].map(() => BARE.replace('`stop', '`account use paper`, then `stop')))
})

it.each<[string, boolean, string[]]>([
  ['places it meanwhile', true, []],
  ['ends without it', false, [BARE]],
])('what a line of another process opens is named once that %s', async (_what, isPlaced, says) => {
  const { session, events, ahead, pass, warnings } = await stage('sell 0.2 ETHUSDT')
  ahead.add('theirs ETHUSDT')
  const order = { ...ENTRY, clientOrderId: 'theirs' }
  events.order('paper', { type: 'elsewhere', order, trades: [FILL] }, () => undefined)
  for (let looks = 0; looks < 5; looks += 1) await pass()
  expect(warnings).toEqual([])
  if (isPlaced) await session.run('stop ETHUSDT at +2%')
  ahead.clear()
  await pass()
  await session.advance(10)
  expect(warnings).toEqual(says)
})

it('no line of another process is waited for longer than a minute', async () => {
  const { session, events, ahead, pass, warnings, waits } = await stage('sell 0.2 ETHUSDT')
  ahead.add('theirs ETHUSDT')
  events.order(
    'paper',
    { type: 'elsewhere', order: { ...ENTRY, clientOrderId: 'theirs' }, trades: [FILL] },
    () => undefined,
  )
  for (let looks = 0; looks < 40; looks += 1) await pass()
  await session.advance(10)
  expect(warnings).toEqual([BARE])
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(62_000)
})
