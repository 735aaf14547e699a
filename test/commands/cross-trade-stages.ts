// The stages of the examples about cross-trade: a second account, a row, and an engine that answers what it is asked.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CommandSession } from '../../harness/commands/command-session.ts'
import { EngineLease, type EngineRequest } from '../../src/cross-trade/engine-lease.ts'
import type { CopierState, PlannedCopy } from '../../src/cross-trade/engine-port.ts'
import type { CrossTradeConfig } from '../../src/stores/cross-trade.ts'
import type { ExampleStage } from './example-stage.ts'

export const ROW_ID = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

export const DUE: PlannedCopy = {
  configId: ROW_ID,
  account: 'swing',
  symbol: 'BTCUSDT',
  side: 'buy',
  amount: '0.005',
  reduceOnly: false,
}
export const BEHIND: CopierState = {
  configId: ROW_ID,
  account: 'swing',
  symbol: 'BTCUSDT',
  state: 'blocked',
  desired: '0.005',
  owned: '0',
  why: 'no money',
}

/** Accounts `swing` and `scalp` beside `paper`, and rows as given; default: swing copies half of paper. */
export async function withRows(session: CommandSession, ...rows: readonly Partial<CrossTradeConfig>[]): Promise<void> {
  await session.run('account add swing paper')
  await session.run('account add scalp paper')
  const row: CrossTradeConfig = {
    id: ROW_ID,
    enabled: true,
    masterAccount: 'paper',
    masterWeight: 1,
    updatedAt: 1,
    copiers: [{ account: 'swing', weight: 0.5, mode: 'Market' }],
  }
  const configs = (rows.length === 0 ? [{}] : rows).map((change) => ({ ...row, ...change }))
  writeFileSync(join(session.directory, 'cross-trade.json'), JSON.stringify({ configs }))
}

export interface FakeEngine {
  readonly lease: EngineLease
  readonly asked: EngineRequest[]
}

/** An engine that is there, says that swing is blocked, has one order due, and ends when it is asked to. */
export async function withEngine(
  session: CommandSession,
  orders: readonly PlannedCopy[] | ((request: number) => readonly PlannedCopy[]) = [DUE],
  error?: { readonly code: string; readonly message: string },
): Promise<FakeEngine> {
  const file = session.ports.crossTradeEngine
  const lease = new EngineLease(file, session.market.now)
  const asked: EngineRequest[] = []
  await lease.beat({ configIds: [ROW_ID], copiers: [BEHIND] })
  const stop = file.watchFile(() => {
    if (lease.stopAskedBy() !== undefined) void lease.release()
    const request = lease.request()
    if (request === undefined || asked.some(({ id }) => id === request.id)) return
    asked.push(request)
    const due = typeof orders === 'function' ? orders(asked.length) : orders
    void lease.answer({ id: request.id, orders: due, copiers: [BEHIND], ...(error && { error }) })
  })
  onTestFinished(stop)
  return { lease, asked }
}

const both = async (session: CommandSession) => {
  await withRows(session)
  await withEngine(session)
}
const off = (session: CommandSession) => withRows(session, { enabled: false })
const swing = ['account add swing paper']

const yes = { askHidden: async () => '', clear: () => {}, history: () => [], quit: () => {}, confirm: async () => true }

export const CROSS_TRADE_STAGES: Readonly<Record<string, ExampleStage>> = {
  'cross-trade': {
    prepare: both,
    prints: [
      /^print 3f9c2a71 +paper +all +1 +swing × 0.5 Market +on: 1 blocked$/m,
      /info the engine runs in this process/,
    ],
  },
  'cross-trade show 3f9c2a71': {
    prepare: both,
    prints: [/^print 3f9c2a71 +swing +BTCUSDT +blocked +0.005 +0 +no money$/m, /^info id 3f9c2a71-5d0e/m],
  },
  'cross-trade status': {
    prepare: both,
    prints: [/^print the engine runs in this process since .* UTC$/m, /no money$/m],
  },
  'cross-trade add --master paper --copier swing --weight 0.5': {
    before: swing,
    after: ['cross-trade'],
    prints: [/^success added row [0-9a-f]{8} \(paper → swing\)$/m, /swing × 0.5 Market +off$/m],
  },
  'cross-trade add --master paper --symbol BTCUSDT --copier swing --weight -1 --enabled': {
    before: swing,
    after: ['cross-trade'],
    prints: [/^success added row .*, enabled$/m, /^warn no engine runs/m, /BTCUSDT +1 +swing × -1 Market +on$/m],
  },
  'cross-trade add --master paper --copier swing --mode LimitSlippage --slippage 0.2% --sync': {
    before: swing,
    after: ['cross-trade'],
    prints: [/swing × 1 LimitSlippage 0.2 % +off$/m],
  },
  'cross-trade copier add 3f9c2a71 swing --weight 2': {
    prepare: (session) => withRows(session, { copiers: [{ account: 'scalp', weight: 1, mode: 'Market' }] }),
    prints: [/^success added copier swing × 2 Market to row 3f9c2a71$/],
  },
  'cross-trade copier remove 3f9c2a71 swing': {
    prepare: (session) =>
      withRows(session, {
        copiers: ['swing', 'scalp'].map((account) => ({ account, weight: 1, mode: 'Market' as const })),
      }),
    after: ['cross-trade'],
    prints: [/^success removed copier swing from row 3f9c2a71; it keeps its positions$/m, /scalp × 1 Market/],
  },
  'cross-trade enable 3f9c2a71': { prepare: off, prints: [/^success enabled row 3f9c2a71/m, /^warn no engine runs/m] },
  'cross-trade disable 3f9c2a71': {
    prepare: both,
    prints: [/^success disabled row 3f9c2a71 .*; its copiers keep/],
  },
  'cross-trade remove 3f9c2a71': {
    prepare: both,
    after: ['cross-trade'],
    prints: [/^success removed row 3f9c2a71/m, /^info no rows/m],
  },
  'cross-trade resync 3f9c2a71': {
    options: { terminal: yes },
    prepare: both,
    prints: [/^print swing +BTCUSDT +buy +0.005$/m, /^success resynced row 3f9c2a71/m],
  },
  'cross-trade resync 3f9c2a71 --yes': { prepare: both, prints: [/^success resynced row 3f9c2a71/m] },
  'cross-trade resync 3f9c2a71 --flatten': {
    options: { terminal: yes },
    prepare: both,
    prints: [/^success resynced row 3f9c2a71/m],
  },
  'cross-trade start': {
    options: { copier: { isRunning: () => false, start: async () => {} } },
    prints: [/^success the engine runs in this process/],
  },
  'cross-trade start --force': {
    options: { copier: { isRunning: () => true, start: async () => {} } },
    prints: [/^info the engine runs in this process already$/],
  },
  'cross-trade stop': { prepare: both, prints: [/^success the engine has stopped; copiers keep their positions$/] },
}
