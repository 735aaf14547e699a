// A task that ends, and an entry that fills where no run waits for it, are followed by what of their position no stop ends.
import { expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { quietEvents } from '../../src/app/app-events.ts'
import { withBareNotices } from '../../src/app/bare-notices.ts'
import type { Order } from '../../src/exchange/order.ts'
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
const BARE = '[paper] the short of 0.2 ETH on ETHUSDT has no stop: `stop ETHUSDT at +2%` places one'

async function stage(before: string) {
  const session = await createSession()
  if (before !== '') await session.run(before)
  const warnings: string[] = []
  const due: (() => void)[] = []
  const { events, stop } = withBareNotices(
    { ...quietEvents, warn: (text) => warnings.push(text) },
    {
      connect: async () => ({ venue: session.market.exchange }),
      after(_ms, work) {
        due.push(work)
        return () => void due.splice(due.indexOf(work), 1)
      },
      bug: (error) => expect.unreachable(String(error)),
    },
  )
  const pass = async () => {
    for (const work of due.splice(0)) work()
    await session.advance(10)
  }
  return { events, stop, warnings, pass }
}

type Staged = Awaited<ReturnType<typeof stage>>

it.each<[string, (staged: Staged) => void]>([
  ['a chase that is done', ({ events }) => events.task({ type: 'status', task: TASK })],
  [
    'a twap that failed',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, kind: 'twap', status: 'failed' } }),
  ],
  [
    'an entry of another process',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: ENTRY, trades: [FILL] }),
  ],
  [
    'an entry that was taken over',
    ({ events }) => events.order('paper', { type: 'filled-later', order: ENTRY, trade: FILL }),
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
  ['a stop covers it', 'sell 0.2 ETHUSDT stop +2%', ({ events }) => events.task({ type: 'status', task: TASK })],
  ['the position is closed', '', ({ events }) => events.task({ type: 'status', task: TASK })],
  [
    'nothing filled',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, filled: '0' } }),
  ],
  [
    'the task goes on',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, status: 'running' } }),
  ],
  [
    'the command answers',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: TASK, isAnswered: true }),
  ],
  [
    'a trail ends',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.task({ type: 'status', task: { ...TASK, protective: true } }),
  ],
  [
    'the order was canceled',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: { ...ENTRY, status: 'canceled' }, trades: [] }),
  ],
  [
    'the order only reduces',
    'sell 0.2 ETHUSDT',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: { ...ENTRY, reduceOnly: true }, trades: [FILL] }),
  ],
  [
    'the position is of the other side',
    'buy 0.2 ETHUSDT',
    ({ events }) => events.order('paper', { type: 'elsewhere', order: ENTRY, trades: [FILL] }),
  ],
  [
    'the process ends',
    'sell 0.2 ETHUSDT',
    ({ events, stop }) => {
      events.task({ type: 'status', task: TASK })
      stop()
    },
  ],
])('nothing is named where %s', async (_what, before, happen) => {
  const staged = await stage(before)
  happen(staged)
  await staged.pass()
  expect(staged.warnings).toEqual([])
})
