// Accounts, tasks and cross-trade rows to look at, as other programs would have written them.

/** @param {import('./console-stage.mjs').Stage} stage */
export function seedStage(stage) {
  const now = Date.now()
  const id = (/** @type {number} */ n) => `b1f2c3d4-5a6b-4c7d-8e9f-0a1b2c3d4e5${n}`
  const { accounts } = stage.read('accounts.json')
  /** @param {string} name @param {string} exchange */
  const row = (name, exchange, keys = {}) => ({ name, exchange, ...keys, createdAt: now, updatedAt: now })
  stage.write('accounts.json', {
    accounts: [
      ...accounts,
      row('swing', 'paper'),
      row('binance-main', 'binance', { apiKey: 'k', secret: 's' }),
      row('an-account-name-of-32-characters', 'paper'),
    ],
  })
  /** @param {number} n @param {string} kind @param {string} status @param {number} progress @param {string} command */
  const task = (n, kind, status, progress, command) => ({
    ...{ id: `t${n}`, kind, account: 'paper', symbol: 'BTCUSDT', command, runId: id(n), status, progress },
    ...{ startedAt: now - 90_000 * n, updatedAt: now },
  })
  stage.write('tasks.json', {
    version: 1,
    tasks: [
      task(1, 'chase', 'running', 0.4, 'chase buy 0.01'),
      task(2, 'twap', 'done', 1, 'twap sell 0.5 over=1h parts=12 within=0.2% account=binance-main'),
      task(3, 'chase', 'failed', 0.1, 'chase sell 0.2'),
    ],
  })
  /** @param {string} account @param {number} weight @param {string} mode */
  const copier = (account, weight, mode, more = {}) => ({ account, weight, mode, ...more })
  stage.write('cross-trade.json', {
    configs: [
      {
        ...{ id: id(1), enabled: true, masterAccount: 'binance-main', masterSymbol: 'BTCUSDT', masterWeight: 1 },
        copiers: [copier('paper', 0.5, 'Market'), copier('swing', -0.25, 'Chase', { symbol: 'ETHUSDT' })],
        updatedAt: now,
      },
      {
        id: id(2),
        enabled: false,
        masterAccount: 'swing',
        masterWeight: 2,
        copiers: [copier('paper', 1, 'LimitSlippage')],
        updatedAt: now,
      },
    ],
  })
  stage.write('cross-trade-running.json', {
    pid: 4711,
    startedAt: now - 3_600_000,
    heartbeatAt: now,
    configIds: [id(1)],
  })
}
