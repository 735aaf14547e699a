// Examples about tasks: one of a kind made for tests runs already.
import type { CommandSession } from '../../harness/commands/command-session.ts'
import { RESTS, resting } from '../tasks/resting-kind.ts'
import type { ExampleStage } from './example-stage.ts'

const ID = '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90'
const RUN_ID = '5a0e81c2-6f1d-4c0a-9a57-1d2f6c3b8e90'
/** When the scripted market begins. */
const AT = Date.UTC(2026, 0, 1)

const seed = {
  kind: 'resting',
  account: 'paper',
  symbol: 'BTCUSDT',
  command: 'resting buy 0.01',
  params: { ...RESTS, times: 2 },
  by: { source: 'repl', runId: RUN_ID },
}

/** It rests at 64,899.9 for 0.01 BTCUSDT, and then once more. */
export const TASK_STAGE = {
  options: {
    taskKinds: new Map([[resting.name, resting]]),
    taskLines: [JSON.stringify({ t: 'begun', id: ID, at: AT, seed })],
  },
  async prepare(session: CommandSession) {
    await session.tasks.look()
    await session.advance(1_000)
  },
}

const paused = async (session: CommandSession) => {
  await TASK_STAGE.prepare(session)
  await session.run('tasks pause --all')
}

export const TASK_STAGES: Readonly<Record<string, ExampleStage>> = {
  'alert BTCUSDT > 70000 "look at the chart"': { prints: [/^success alert [0-9a-f]{8}: reports BTCUSDT > 70,000/] },
  'alert each rsi(14, 1h) > 70 "overbought"': {
    prints: [/^success alert [0-9a-f]{8}: each time BTCUSDT rsi/],
  },
  'when close(1h) crosses above ema(50) and rsi(14) < 60 (buy $100)': {
    prints: [/^success when .*: once BTCUSDT .*, runs buy \$100 /],
  },
  'when last > 70000 for 30s (notify "over 70k")': {
    prints: [/^success when .*: once BTCUSDT last > 70,000 for 30s, runs notify "over 70k"/],
  },
  'when each BTCUSDT close(15m) < bb.lower(20, 2) (buy $100)': {
    prints: [/^success when .*: each time BTCUSDT .*, runs buy \$100 /],
  },
  'every mon 09:00 Europe/Berlin (buy $100 BTCUSDT)': {
    prints: [/every mon 09:00 Europe\/Berlin, next at 2026-01-05 08:00/],
  },
  'every day 21:55 --late 5m (close BTCUSDT)': { prints: [/every day 21:55 UTC, next at 2026-01-01 21:55:00 UTC/] },
  'every 4h (status)': { prints: [/runs status every 4h, next at 2026-01-01 04:00:00 UTC/] },
  'at 14:30 (close BTCUSDT)': { prints: [/runs close BTCUSDT at 2026-01-01 14:30:00 UTC/] },
  'at 2027-01-04 09:30 America/New_York (buy $100 BTCUSDT)': {
    prints: [/runs buy \$100 BTCUSDT at 2027-01-04 14:30:00 UTC/],
  },
  'alert -2%': { prints: [/reports BTCUSDT <= 63,700.0, now 65,000.0/] },
  tasks: { ...TASK_STAGE, prints: [/3f9c2a71 +resting +paper +BTCUSDT +running .*0\/0.02/] },
  'tasks --all': { ...TASK_STAGE, prints: [/3f9c2a71 +resting/] },
  'tasks show 3f9c2a71': { ...TASK_STAGE, prints: [/command +resting buy 0.01/, /rests +order p1 rests/, /rests at/] },
  'tasks cancel 3f9c2a71': {
    ...TASK_STAGE,
    after: ['orders'],
    prints: [/^success resting 3f9c2a71 is canceled; nothing filled, nothing rests$/m, /no open orders/],
  },
  'tasks cancel --all': { ...TASK_STAGE, prints: [/^success resting 3f9c2a71 is canceled/] },
  'tasks pause 3f9c2a71': { ...TASK_STAGE, prints: [/^success resting 3f9c2a71 is paused/] },
  'tasks resume 3f9c2a71': { ...TASK_STAGE, prepare: paused, prints: [/^success resting 3f9c2a71 is running/] },
  'kill all': { ...TASK_STAGE, prints: [/^success resting 3f9c2a71 is canceled/] },
}
