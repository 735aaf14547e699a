// A sample of every frame of the wire: what it must have, and what it may have. The types make sure that none is forgotten.
import { type ClientFrame, type ServerFrame, TOPICS } from '../../src/protocol/frames.ts'
import { DESK_SAMPLES } from './desk-samples.ts'
import type { Sample } from './sample.ts'

export type { Sample } from './sample.ts'

const id = 'r-1'
const account = 'main'
const hookId = '0123456789abcdef0123456789abcdef'
const copier = { account: 'second', weight: -0.5, mode: 'Chase' }
const config = {
  id: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
  enabled: true,
  masterAccount: account,
  masterWeight: 1,
  copiers: [copier, { ...copier, symbol: 'ETHUSDT', mode: 'LimitSlippage', slippage: '0.2' }],
}

const copierState = {
  configId: config.id,
  account: 'second',
  symbol: 'ETHUSDT',
  state: 'blocked',
  desired: '-0.5',
  owned: '-0.25',
  why: 'the venue refused the order',
}

const notice = { id: 1, at: 1, kind: 'said', severity: 'info', text: 'long', count: 1 }

/** Of the form that they have; they belong to nobody. */
export const key = `BA${'k'.repeat(84)}A`
export const nonce = `${'n'.repeat(42)}A`
export const signature = `${'s'.repeat(85)}A`

export const CLIENT_SAMPLES: Readonly<Record<ClientFrame['t'], Sample>> = {
  hello: {
    required: { clientId: 'tab' },
    optional: {
      label: 'Console',
      webCrossTradeActive: true,
      features: ['batches'],
      grant: { may: 'propose', perOrder: '100', forMs: 60_000 },
    },
  },
  proof: { required: { signature } },
  'client:state': { required: { webCrossTradeActive: true } },
  subscribe: { required: { topics: [...TOPICS] } },
  unsubscribe: { required: { topics: [] } },
  'cmd:exec': { required: { id, command: 'buy $100' }, optional: { account, symbol: 'BTCUSDT' } },
  preview: { required: { id, command: 'buy $100' }, optional: { account, symbol: 'BTCUSDT' } },
  'mutate:account': {
    required: { id, op: 'upsert' },
    optional: {
      account: { name: account, exchange: 'paper', apiKey: 'k', secret: 's', password: 'p' },
      name: account,
      updatedAt: 1,
    },
  },
  'mutate:hook': {
    required: { id, op: 'create' },
    optional: { name: 'dip', command: 'buy $100', account, hookId },
  },
  'mutate:cross-trade-config': {
    required: { id, op: 'delete' },
    optional: {
      config: { ...config, masterSymbol: 'BTCUSDT', updatedAt: 1 },
      configId: config.id,
      updatedAt: 1,
    },
  },
  'runs:query': {
    required: { id },
    optional: { limit: 50, cursor: 'a', filters: { hookId, source: 'hook', status: 'failed', text: 'dip', from: 1 } },
  },
  'runs:show': { required: { id, runId: 'r' } },
  'fills:query': {
    required: { id },
    optional: { account, limit: 200, cursor: 'a', filters: { symbol: 'BTCUSDT', to: 2 } },
  },
  'equity:query': { required: { id }, optional: { account, from: 1, to: 2, points: 100 } },
  'pnl:query': {
    required: { id, by: 'hook' },
    optional: { account, symbol: 'BTCUSDT', from: 1, to: 2, zone: 'Europe/Berlin' },
  },
  'trades:query': { required: { id }, optional: { account, symbol: 'BTCUSDT', from: 1, to: 2, limit: 50 } },
  'orders:query': { required: { id }, optional: { account, symbol: 'BTCUSDT', limit: 50 } },
  'markets:query': { required: { id, symbols: ['BTCUSDT', 'ETHUSDT'] }, optional: { account } },
  'copies:query': { required: { id }, optional: { limit: 50 } },
  propose: {
    required: { id, line: 'buy $100 stop -2%', account, reason: 'it dips' },
    optional: { symbol: 'BTCUSDT', untilMinutes: 10 },
  },
  withdraw: { required: { id, proposal: 'p-k7mq2rtz' } },
  approve: { required: { id, proposal: 'p-k7mq2rtz', shown: 'ab'.repeat(32) } },
  'clients:query': { required: { id } },
  'clients:narrow': { required: { id, client: 'ab'.repeat(8), to: 'look' } },
  deny: { required: { id, proposal: 'p-k7mq2rtz' } },
  'copy:check': {
    required: { id },
    optional: {
      configId: config.id,
      masterAccount: account,
      masterSymbol: 'BTCUSDT',
      masterWeight: '1',
      account: 'second',
      symbol: 'ETHUSDT',
      weight: '0.5',
      mode: 'LimitSlippage',
      slippage: '0.2',
    },
  },
  'market:watch': { required: { id, symbol: 'BTCUSDT' }, optional: { account, interval: '1h', tape: true } },
  'market:unwatch': { required: { id } },
  'portfolio:watch': { required: { id }, optional: { account, symbol: 'BTCUSDT' } },
  'portfolio:unwatch': { required: { id } },
  'hooks:counts': { required: { id } },
  'hooks:replay': { required: { id, hookId: 'dip', days: 30 } },
  'hooks:test': { required: { id, hookId: 'dip' }, optional: { body: 'size=250' } },
  complete: { required: { id, line: 'bu', cursor: 2 }, optional: { account, symbol: 'BTCUSDT', hook: true } },
}

const order = {
  symbol: 'BTCUSDT',
  side: 'sell',
  amount: '0.01',
  filled: '0',
  reduceOnly: true,
  postOnly: false,
  timestamp: 1,
}
const times = { createdAt: 1, updatedAt: 2 }

const refused = { code: 'guarded', text: 'over the limit', hint: '`guards` shows the limits' }

const previewSample = {
  account,
  symbol: 'BTCUSDT',
  ok: false,
  orders: [
    {
      account,
      symbol: 'BTCUSDT',
      side: 'buy',
      type: 'limit',
      amount: '0.003',
      unit: 'BTC',
      price: '65000',
      postOnly: true,
      timeInForce: 'gtc',
      roundedBy: '0.5',
      at: '65000',
      notional: '195',
      quote: 'USDT',
      fee: { amount: '0.039', currency: 'USDT', rate: '0.0002', as: 'maker' },
      margin: { amount: '19.5', currency: 'USDT', leverage: '10' },
      liquidationPrice: '59000',
      refused,
      stop: { triggerPrice: '63700', pnl: '-3.9', currency: 'USDT' },
      takeProfit: { triggerPrice: '67600' },
    },
    {
      account,
      symbol: 'BTCUSDT',
      side: 'sell',
      type: 'stop',
      amount: '0.003',
      unit: 'BTC',
      triggerPrice: '63700',
      takeProfitPrice: '67600',
      reduceOnly: true,
      pnl: '-3.9',
    },
  ],
  cancels: [
    { account, symbol: 'BTCUSDT', id: 'p1', side: 'sell', type: 'limit', amount: '1', price: '1', triggerPrice: '1' },
  ],
  changes: [
    { account, symbol: 'BTCUSDT', id: 'p2', amount: '1', price: '2', triggerPrice: '3', takeProfitPrice: '4', refused },
  ],
  settings: [{ account, symbol: 'BTCUSDT', what: 'leverage', value: '5' }],
  tasks: [
    {
      account,
      symbol: 'BTCUSDT',
      kind: 'chase',
      side: 'buy',
      amount: '1',
      reduceOnly: false,
      price: '2',
      lastsMs: 3,
      text: 'would begin a chase',
    },
  ],
  positions: [{ account, symbol: 'BTCUSDT', unit: 'BTC', before: '-0.001', after: '0.002' }],
  errors: [{ ...refused, column: 5 }],
  blocked: refused,
  notes: ['`wait` is not waited for'],
}

export const SERVER_SAMPLES: Readonly<Record<ServerFrame['t'], Sample>> = {
  challenge: { required: { nonce, key, signature } },
  welcome: {
    required: { listenerId: config.id, user: { email: 'a@b.test' } },
    optional: { features: ['batches', 'runs'] },
  },
  beat: { required: { at: 1_767_268_800_000 } },
  rejected: { required: {} },
  error: { required: { error: 'why' }, optional: { id } },
  'cmd:output': {
    required: { id, kind: 'warn', text: 'two\nlines' },
    optional: { hookId, lines: [{ kind: 'print', text: 'more' }], dropped: 2 },
  },
  'cmd:done': {
    required: { id, success: false },
    optional: { error: 'why', outcome: 'bought 1', unbegun: 'skipped', hookId },
  },
  'preview:ok': { required: { id, preview: previewSample } },
  'preview:err': { required: { id, error: 'why' }, optional: { code: 'superseded' } },
  'mutate:ack': { required: { id }, optional: { data: { applied: false } } },
  'mutate:err': { required: { id, error: 'why' } },
  'state:accounts': { required: { accounts: [{ name: account, exchange: 'paper', hasCredentials: false, ...times }] } },
  'state:tasks': {
    required: {
      tasks: [
        {
          id: 't',
          kind: 'chase',
          account,
          symbol: 'BTCUSDT',
          command: 'chase',
          runId: 'r',
          status: 'interrupted',
          progress: 0.5,
          startedAt: 1,
          updatedAt: 2,
        },
        {
          id: 'u',
          kind: 'trail',
          account,
          symbol: 'BTCUSDT',
          command: 'trail 1%',
          runId: 'r',
          status: 'running',
          progress: 0,
          startedAt: 1,
          updatedAt: 2,
          doing: 'stop at 64,350.0',
          words: 'look at the chart',
          reason: 'paused',
          paused: true,
          protective: true,
          amount: '0.01',
          filled: '0.005',
          average: '65000.1',
          price: '64350',
          orderIds: ['p7'],
          endsAt: 3,
        },
      ],
    },
  },
  'state:hooks': {
    required: {
      hooks: [
        { id: 'h', name: 'dip', command: 'buy', createdAt: 1 },
        { id: 'g', name: 'rip', command: 'sell', account, createdAt: 1 },
        { id: 'i', name: 'try', command: 'sell', createdAt: 1, parallel: 1, maxAgeMs: 5_000, dry: true },
      ],
    },
  },
  'state:cross-trade': {
    required: { running: true, configCount: 1, configs: [{ ...config, updatedAt: 1 }] },
    optional: {
      pid: 1,
      startedAt: 2,
      copiers: [copierState],
      waiting: [{ configId: config.id, what: ['the whole row'] }],
    },
  },
  'state:focus': {
    required: { account, symbol: 'BTCUSDT' },
    optional: { exchange: 'bybit', problem: 'account main does not answer', stale: true },
  },
  'state:notices': { required: { notices: [notice, { ...notice, account, hook: 'dip' }] } },
  'state:flags': {
    required: { remoteExec: false, accountSync: true, invalidFiles: 1 },
    optional: {
      guard: 'halted',
      since: 1,
      panic: { since: 1, by: 'hook dip' },
      accounts: [{ account, guard: 'halted', since: 1, by: 'the terminal', simulated: true }],
      files: [{ file: 'hooks.json', message: 'line 3: `secret` must be 32 hex characters' }],
    },
  },
  ...DESK_SAMPLES,
  'state:portfolio': {
    optional: { id },
    required: {
      account,
      symbol: 'BTCUSDT',
      last: '65012.5',
      balance: { currency: 'USDT', wallet: '10000', total: '10001', used: '100', free: '9901' },
      positions: [
        {
          symbol: 'BTCUSDT',
          side: 'long',
          amount: '0.01',
          entryPrice: '65000',
          markPrice: '65012.5',
          unrealizedPnl: '0.125',
          realizedPnl: '0',
          notional: '650.125',
        },
      ],
      orders: [
        { ...order, id: 'limit', type: 'limit', price: '60000' },
        { ...order, id: 'stop', type: 'stop', triggerPrice: '60000', status: 'open' },
      ],
    },
  },
}

/** The sample with every combination of its optional fields. */
export function combinations([t, { required, optional = {} }]: [string, Sample]): Record<string, unknown>[] {
  const fields = Object.entries(optional)
  return Array.from({ length: 2 ** fields.length }, (_, mask) => ({
    t,
    ...required,
    ...Object.fromEntries(fields.filter((_field, bit) => mask & (1 << bit))),
  }))
}

/** The sample with everything in it. */
export function whole([t, { required, optional }]: [string, Sample]): Record<string, unknown> {
  return { t, ...required, ...optional }
}
