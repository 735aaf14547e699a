// Samples of what hookline answers to a page's questions, and of the topics that go with them.
import type { DESK_ANSWERS } from '../../src/protocol/desk-frames.ts'
import type { Sample } from './sample.ts'

const id = 'r-1'
const account = 'main'
const symbol = 'BTCUSDT'
const run = { runId: 'r', source: 'repl', command: 'buy $100', startedAt: 1, state: 'running' }
const endedRun = {
  runId: 's',
  source: 'hook',
  origin: 'dip',
  hookId: 'h',
  command: 'buy {size:usd<=500}',
  startedAt: 1,
  values: { size: '250' },
  account,
  finishedAt: 2,
  state: 'failed',
  error: 'why',
}
const fill = { account, id: 't1', orderId: 'p1', symbol, side: 'buy', amount: '0.01', price: '65000', timestamp: 1 }
const ownFill = {
  ...fill,
  fee: '0.3',
  feeCurrency: 'USDT',
  pnl: '1.5',
  pnlCurrency: 'USDT',
  source: 'hook',
  origin: 'dip',
  hookId: 'h',
  runId: 's',
  taskId: 't',
  copier: 'c/second/BTCUSDT',
}
const sums = [{ currency: 'USDT', realized: '10', fees: '1', funding: '0', net: '9' }]
const market = {
  symbol,
  kind: 'linear',
  base: 'BTC',
  quote: 'USDT',
  settle: 'USDT',
  amountUnit: 'base',
  tick: '0.1',
  lotSize: '0.001',
  minAmount: '0.001',
  minNotional: '5',
  maxLeverage: '100',
  makerFee: '0.0002',
  takerFee: '0.0005',
}
const order = {
  clientOrderId: 'c',
  orderId: 'p1',
  account,
  at: 1,
  symbol,
  side: 'buy',
  type: 'limit',
  amount: '0.01',
  price: '65000',
  triggerPrice: '64000',
  state: 'closed',
  filled: '0.01',
  average: '65000',
  reason: 'why',
}

type DeskAnswer = (typeof DESK_ANSWERS)[number]['shape']['t']['def']['values'][number]

const proposal = {
  id: 'p-k7mq2rtz',
  state: 'proposed',
  at: 1,
  until: 2,
  clientId: 'agent',
  label: 'Agent',
  account,
  symbol,
  line: 'buy $100 stop -2%',
  reason: 'it dips',
  digest: 'ab'.repeat(32),
}
const overProposal = { ...proposal, state: 'begun', runId: 's', run: { success: false, error: 'why' }, why: 'why' }

const client = {
  ref: 'ab'.repeat(8),
  label: 'Agent',
  origin: 'http://127.0.0.1:53220',
  approvedAt: 1,
  hasKey: true,
  connected: 1,
  grant: { may: 'propose', perOrder: '100', perDay: '300', usedToday: '20', accounts: [account], until: 2 },
}

const { grant: _grant, ...withoutGrant } = client

export const DESK_SAMPLES: Readonly<Record<DeskAnswer, Sample>> = {
  proposed: { required: { id, proposal } },
  withdrawn: { required: { id, proposal: overProposal } },
  approved: { required: { id, proposal: overProposal } },
  'clients:page': { required: { id, clients: [client] } },
  'clients:narrowed': { required: { id, clients: [withoutGrant] } },
  denied: { required: { id, proposal: { ...proposal, state: 'denied' } } },
  'state:proposals': { required: { proposals: [proposal, overProposal] } },
  'runs:page': { required: { id, runs: [run, endedRun] }, optional: { next: 'a' } },
  'runs:run': {
    required: {
      id,
      run: endedRun,
      leftOut: 0,
      steps: [{ afterMs: 1, tookMs: 2, success: true, text: 'buy $100' }],
      output: [{ afterMs: 1, kind: 'print', text: 'bought' }],
    },
    optional: { orders: [order] },
  },
  'fills:page': {
    required: { id, account, fills: [fill, ownFill], gaps: ['the venue did not tell its list'] },
    optional: { next: 'a' },
  },
  'equity:page': {
    required: { id, account, points: [[1, '10000', '9990.5']] },
    optional: { currency: 'USDT', since: 1 },
  },
  'pnl:page': {
    required: {
      id,
      by: 'day',
      accounts: [account],
      gaps: [],
      groups: [{ key: '2026-07-01', fills: 2, sums }],
      total: { key: 'total', fills: 2, sums },
    },
    optional: { zone: 'Europe/Berlin' },
  },
  'trades:sums': {
    required: {
      id,
      account,
      trades: 3,
      won: 1,
      lost: 1,
      even: 0,
      unknown: 1,
      open: 1,
      sums: [
        { currency: 'USDT', realized: '4.2', fees: '0.26', net: '3.94' },
        { currency: 'BTC', realized: '-1', fees: '0', funding: '0.1', net: '-0.9', profitFactor: '0.00' },
      ],
      gaps: [],
    },
    optional: {
      winRate: '50.0',
      r: { trades: 2, average: '0.25', best: '1.50', worst: '-1.00' },
      maxDrawdown: { currency: 'USDT', amount: '12.5', percent: '0.13', from: 1, to: 2 },
      list: [
        {
          symbol: 'BTCUSDT',
          side: 'long',
          openedAt: 1,
          closedAt: 2,
          entered: '0.01',
          entryPrice: '65000.1',
          exited: '0.01',
          exitPrice: '66000',
          fills: 2,
          orderIds: ['p1', 'p2'],
          sums,
          risk: '13',
          r: '0.70',
          by: 'hook:dip',
          note: 'early',
          tags: ['breakout'],
        },
      ],
      leftOut: 1,
    },
  },
  'orders:page': {
    required: {
      id,
      account,
      orders: [
        { at: 1, symbol, side: 'buy', type: 'limit', amount: '0.01', reduceOnly: false, state: 'open', filled: '0' },
        {
          orderId: 'p1',
          clientOrderId: 'c',
          at: 1,
          symbol,
          side: 'sell',
          type: 'stop',
          amount: '0.01',
          price: '64000',
          triggerPrice: '64100',
          takeProfitPrice: '70000',
          reduceOnly: true,
          state: 'closed',
          filled: '0.01',
          average: '64050',
          reason: 'why',
          role: 'stop',
          by: 'hook:dip',
          runId: 'r',
          note: 'too early',
          tags: ['breakout'],
        },
      ],
      gaps: [],
    },
    optional: { leftOut: 3 },
  },
  'markets:page': {
    required: {
      id,
      account,
      markets: [
        { symbol, last: '65000', problem: 'why' },
        {
          symbol,
          last: '65000',
          mark: '65010',
          changePercent: '-1.2',
          quoteVolume: '1203441220',
          fundingRate: '0.0001',
          fundingAt: 1,
        },
      ],
    },
  },
  'complete:ok': {
    required: { id, from: 0, items: [{ text: 'buy ', label: 'buy', detail: 'buy' }] },
    optional: { more: 3, error: { message: 'there is no command b', column: 1, hint: 'try buy' } },
  },
  'hooks:replayed': {
    required: {
      id,
      hookId: 'h',
      when: 'rsi(14, 1m) < 30',
      command: 'buy 1',
      account,
      symbol: 'BTCUSDT',
      frame: '1m',
      bars: 2,
      from: 0,
      to: 120_000,
      currency: 'USDT',
      balance: '10000',
      fires: [{ state: 'done', count: 1 }],
      fills: [{ at: 60_000, side: 'buy', amount: '1', price: '100.1', fee: '0.05', pnl: '0' }],
      profit: '-0.1',
      profitPercent: '0.00',
      fees: '0.05',
      trades: 0,
      inMarketPercent: '50.0',
      tasks: [{ kind: 'grid', status: 'running', doing: 'holds nothing' }],
      equity: [
        [0, '10000.00'],
        [120_000, '9999.90'],
      ],
      notes: ['the candles have a gap'],
      assumptions: ['funding: none is paid or received'],
    },
    optional: {
      error: 'refused',
      leftOut: 3,
      deepestFall: { amount: '0.10', percent: '0.00', from: 0, to: 120_000 },
      winRate: '50.0',
      r: '0.5',
      ended: 'stopped',
    },
  },
  'hooks:day': {
    required: {
      id,
      hooks: [
        { hookId: 'h', fires: 1, ok: 1, failed: 0, skipped: 0, expired: 0 },
        {
          hookId: 'g',
          fires: 3,
          ok: 0,
          failed: 1,
          skipped: 1,
          expired: 1,
          medianMs: 12,
          p95Ms: 40,
          last: { runId: 'r', at: 1, outcome: 'failed', error: 'why' },
        },
      ],
    },
    optional: { left: [{ hookId: 'h' }, { hookId: 'g', once: 1, rate: 2, perDay: 3, cooldownMs: 4 }] },
  },
  'copies:page': {
    required: {
      id,
      copies: [
        { ...order, configId: 'c' },
        { ...order, configId: 'c', taskId: 't' },
      ],
    },
  },
  'copy:checked': {
    required: { id, problems: [{ field: 'weight', why: 'it is not a weight' }] },
    optional: {
      config: {
        id: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
        masterAccount: account,
        masterSymbol: symbol,
        masterWeight: 1,
        copiers: [{ account: 'second', weight: -0.5, mode: 'Market' }],
      },
    },
  },
  'state:market': {
    required: { id, account, exchange: 'paper', symbol, interval: '1m' },
    optional: {
      market,
      candles: [[1, '65000', '65100', '64900', '65050', null]],
      whole: true,
      ticker: { last: '65000', bid: '64999.9', ask: '65000.1', timestamp: 1 },
      book: { bids: [['64999.9', '1']], asks: [['65000.1', '2']], timestamp: 1 },
      tape: [[1, '65000', '0.4', 'buy']],
      staleSince: 1,
      problem: 'the exchange has no candles',
    },
  },
  'state:runs': { required: { runs: [run] }, optional: { part: true, leftOut: 3 } },
  'state:fills': { required: { fills: [ownFill] }, optional: { part: true, leftOut: 3 } },
  'state:equity': { required: { accounts: [{ account, currency: 'USDT', at: 1, total: '10000', wallet: '9990' }] } },
}
