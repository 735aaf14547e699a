// Tasks, cross-trade rows and accounts, as other programs would have written them: something of everything that panels can show.
import type { Stage } from './stage.ts'

const id = (digit: number) => `b1f2c3d4-5a6b-4c7d-8e9f-0a1b2c3d4e5${digit}`

/** hookline must have started, so that its own account is there. */
export function seedFiles(stage: Stage): void {
  const now = Date.now()
  const { accounts } = stage.readJson<{ accounts: object[] }>('accounts.json')
  const keys = { apiKey: 'k', secret: 's' }
  stage.writeJson('accounts.json', {
    accounts: [...accounts, { name: 'main', exchange: 'binance', ...keys, createdAt: now, updatedAt: now }],
  })
  const statuses = ['running', 'done', 'failed', 'cancelled', 'interrupted']
  stage.writeJson('tasks.json', {
    version: 1,
    tasks: statuses.map((status, index) => ({
      id: `t${index}`,
      kind: 'chase',
      account: 'paper',
      symbol: 'BTCUSDT',
      command: 'chase buy 0.01',
      status,
      runId: id(index),
      progress: index / 5,
      startedAt: now - 90_000,
      updatedAt: now,
    })),
  })
  const copiers = [{ account: 'paper', weight: 0.5, mode: 'Market' }]
  stage.writeJson('cross-trade.json', {
    configs: [true, false].map((enabled, index) => ({
      id: id(index),
      enabled,
      masterAccount: 'main',
      masterWeight: 1,
      copiers,
      updatedAt: now,
    })),
  })
  const states = ['in-step', 'behind', 'waiting', 'blocked', 'paused', 'stale', 'unknown', 'a-later-word']
  stage.writeJson('cross-trade-running.json', {
    pid: 1,
    startedAt: now,
    heartbeatAt: now,
    configIds: [id(0)],
    copiers: states.map((state, index) => ({
      configId: id(0),
      account: 'paper',
      symbol: `S${index}USDT`,
      state,
      desired: '-0.5',
      owned: '0',
      ...(state === 'blocked' ? { why: 'the venue refused the order: no money' } : {}),
    })),
  })
}
