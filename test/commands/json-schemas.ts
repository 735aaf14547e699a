// The shapes of docs/json.md, field by field, strict: what commands answer and what the document shows are both read with them.
import { z } from 'zod'
import { CROSS_TRADE_SHAPES } from './json-cross-trade-schemas.ts'
import { GUARD_SHAPES } from './json-guard-schemas.ts'
import { decimal, HISTORY_SHAPES, side, time, trade, tradeStats } from './json-history-schemas.ts'
import { hookCareSchemas } from './json-hook-schemas.ts'
import { PREVIEW_SHAPES } from './json-preview-schemas.ts'
import { lastDay, RUN_SHAPES } from './json-run-schemas.ts'
import { TASK_SHAPES } from './json-task-schemas.ts'

const order = z.strictObject({
  id: z.string(),
  clientOrderId: z.string().optional(),
  symbol: z.string(),
  side,
  type: z.enum(['market', 'limit', 'stop', 'stop-limit', 'take-profit']),
  amount: decimal,
  filled: decimal,
  remaining: decimal,
  average: decimal.optional(),
  price: decimal.optional(),
  triggerPrice: decimal.optional(),
  takeProfitPrice: decimal.optional(),
  timeInForce: z.string().optional(),
  reduceOnly: z.boolean(),
  postOnly: z.boolean(),
  status: z.string(),
  closesPosition: z.boolean().optional(),
  cause: z.string().optional(),
  timestamp: time,
})

const waiting = z.strictObject({ triggerPrice: decimal, pnl: decimal.optional() })
const bracketed = order.extend({ stop: waiting.optional(), takeProfit: waiting.optional() })

const market = z.strictObject({
  symbol: z.string(),
  kind: z.enum(['spot', 'linear', 'inverse']),
  base: z.string(),
  quote: z.string(),
  settle: z.string().optional(),
  amountUnit: z.enum(['base', 'quote']),
  priceGrid: z.union([
    z.strictObject({ kind: z.literal('tick'), tick: decimal }),
    z.strictObject({
      kind: z.literal('significant'),
      digits: z.number(),
      decimals: z.number(),
      integers: z.boolean().optional(),
    }),
  ]),
  lotSize: decimal,
  minAmount: decimal,
  maxAmount: decimal.optional(),
  marketMaxAmount: decimal.optional(),
  minNotional: decimal.optional(),
  maxLeverage: decimal.optional(),
  makerFee: decimal.optional(),
  takerFee: decimal.optional(),
  active: z.boolean(),
})

const exit = z.strictObject({ id: z.string(), type: z.string(), price: decimal.optional(), amount: decimal.optional() })

const position = z.strictObject({
  symbol: z.string(),
  side: z.enum(['long', 'short']),
  amount: decimal,
  entryPrice: decimal,
  settle: z.string(),
  notional: decimal,
  markPrice: decimal.optional(),
  unrealizedPnl: decimal.optional(),
  realizedPnl: decimal.optional(),
  leverage: decimal.optional(),
  marginMode: z.enum(['cross', 'isolated']).optional(),
  liquidationPrice: decimal.optional(),
  margin: decimal.optional(),
  movePercent: decimal.optional(),
  risk: decimal.optional(),
  r: decimal.optional(),
  stops: z.array(exit).optional(),
  targets: z.array(exit).optional(),
  uncovered: decimal.optional(),
})

const hook = {
  id: z.string().regex(/^[0-9a-f]{32}$/),
  name: z.string(),
  command: z.string(),
  account: z.string().optional(),
  createdAt: time,
  ...hookCareSchemas,
}
const client = { clientId: z.string(), label: z.string(), origin: z.string() }
const fault = z.strictObject({ code: z.string(), message: z.string() })
const account = z.string()
const held = { currency: z.string(), wallet: decimal, total: decimal, used: decimal, free: decimal }

/** By `type`. */
const replay = z.strictObject({
  type: z.literal('replay'),
  account: z.string(),
  file: z.string(),
  symbol: z.string(),
  speed: z.number().int().positive(),
  candles: z.number().int().positive(),
  done: z.number().int().nonnegative(),
  startedAt: time,
  state: z.enum(['running', 'stopped', 'ended']),
  last: decimal.optional(),
  total: decimal.optional(),
})

const hookReplay = z.strictObject({
  type: z.literal('hook-replay'),
  hook: z.string().optional(),
  when: z.string(),
  command: z.string(),
  account: z.string(),
  symbol: z.string(),
  frame: z.enum(['1m', '5m', '15m', '1h', '4h', '1d']),
  from: time,
  to: time,
  bars: z.number().int().positive(),
  currency: z.string(),
  balance: decimal,
  fires: z.array(
    z.strictObject({
      at: time,
      price: decimal,
      run: z
        .strictObject({
          id: z.string(),
          state: z.enum(['running', 'done', 'failed', 'skipped']),
          outcome: z.string().optional(),
          error: z.string().optional(),
        })
        .optional(),
    }),
  ),
  fills: z.array(
    z.strictObject({
      at: time,
      side,
      amount: decimal,
      price: decimal,
      fee: decimal.optional(),
      pnl: decimal.optional(),
      takerOrMaker: z.enum(['taker', 'maker']).optional(),
      run: z.string().optional(),
    }),
  ),
  profit: decimal,
  profitPercent: decimal,
  realized: decimal,
  fees: decimal,
  open: z
    .strictObject({ side: z.enum(['long', 'short']), amount: decimal, entryPrice: decimal, pnl: decimal })
    .optional(),
  deepestFall: z
    .strictObject({ currency: z.string(), amount: decimal, percent: decimal, from: time, to: time })
    .optional(),
  stats: z.strictObject(tradeStats),
  inMarketPercent: decimal,
  equity: z.array(z.tuple([time, decimal])),
  ended: z.enum(['stopped', 'too-many-fires']).optional(),
  notes: z.array(z.string()),
  unknown: z.array(z.string()).nonempty(),
})

const ticker = { symbol: z.string(), last: decimal, bid: decimal, ask: decimal, timestamp: time }

export const JSON_SHAPES = {
  ...PREVIEW_SHAPES,
  replay,
  'hook-replay': hookReplay,
  ticker: z.strictObject({
    type: z.literal('ticker'),
    ...ticker,
    mark: decimal.optional(),
    funding: z.strictObject({ rate: decimal, at: time }).optional(),
    changePercent: decimal.optional(),
    volume: decimal.optional(),
    quoteVolume: decimal.optional(),
  }),
  book: z.strictObject({
    type: z.literal('book'),
    symbol: z.string(),
    asks: z.array(z.tuple([decimal, decimal])),
    bids: z.array(z.tuple([decimal, decimal])),
    timestamp: time,
  }),
  watch: z.strictObject({
    type: z.literal('watch'),
    account,
    symbol: z.string(),
    guards: z.array(z.string()),
    at: time,
    isStale: z.boolean(),
    problem: z.string().optional(),
    ticker: z.strictObject(ticker).optional(),
    balance: z.strictObject(held).optional(),
    positions: z.array(position),
    orders: z.array(bracketed),
    unsettled: z.number().int(),
    tasks: TASK_SHAPES.tasks.shape.tasks,
    runs: RUN_SHAPES.runs.shape.runs,
  }),
  markets: z.strictObject({ type: z.literal('markets'), markets: z.array(market) }),
  balances: z.strictObject({
    type: z.literal('balances'),
    account,
    balances: z.array(z.strictObject(held)),
  }),
  positions: z.strictObject({ type: z.literal('positions'), account, positions: z.array(position) }),
  orders: z.strictObject({
    type: z.literal('orders'),
    account,
    orders: z.array(bracketed),
    unread: z
      .array(z.strictObject({ id: z.string().optional(), symbol: z.string().optional(), why: z.string() }))
      .optional(),
    unsettled: z.array(z.strictObject({ symbol: z.string(), side, amount: decimal, sentAt: time })),
    unsettledChanges: z.array(
      z.strictObject({
        symbol: z.string(),
        orderId: z.string().optional(),
        change: z.record(z.enum(['amount', 'price', 'triggerPrice', 'takeProfitPrice']), decimal.optional()),
        sentAt: time,
      }),
    ),
  }),
  order: z.strictObject({
    type: z.literal('order'),
    event: z.string(),
    account,
    symbol: z.string().optional(),
    clientOrderId: z.string().optional(),
    order: order.optional(),
    trades: z.array(trade).optional(),
    reason: z.string().optional(),
    outcome: z.enum(['placed-again', 'closing', 'rest-follows', 'flat', 'taken-back', 'waived']).optional(),
    orderId: z.string().optional(),
    isChanged: z.boolean().optional(),
    triggerPrice: decimal.optional(),
    takeProfitPrice: decimal.optional(),
    error: fault.optional(),
  }),
  ...HISTORY_SHAPES,
  canceled: z.strictObject({ type: z.literal('canceled'), account, orders: z.array(order) }),
  amended: z.strictObject({ type: z.literal('amended'), account, order }),
  sliced: z.strictObject({
    type: z.literal('sliced'),
    command: z.enum(['scale', 'swarm']),
    account,
    symbol: z.string(),
    side: z.enum(['buy', 'sell']),
    slices: z.number(),
    amount: decimal,
    average: decimal.optional(),
    value: decimal.optional(),
    orders: z.array(order),
  }),
  margin: z.strictObject({
    type: z.literal('margin'),
    account,
    symbol: z.string(),
    leverage: decimal.optional(),
    marginMode: z.enum(['cross', 'isolated']).optional(),
    maxLeverage: decimal.optional(),
  }),
  exchanges: z.strictObject({
    type: z.literal('exchanges'),
    exchanges: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        kinds: z.array(z.enum(['spot', 'linear', 'inverse'])),
        demo: z.boolean(),
        credentials: z.array(z.string()),
        proof: z.enum(['built-in', 'stand-in', 'cases', 'unproven']),
        score: z.strictObject({ killed: z.number(), of: z.number() }).optional(),
        attached: z.array(z.enum(['spot', 'linear', 'inverse'])).optional(),
        reportedWithinS: z
          .strictObject({ streams: z.number(), asked: z.number(), isOfKnownSymbols: z.literal(true).optional() })
          .optional(),
      }),
    ),
  }),
  accounts: z.strictObject({
    type: z.literal('accounts'),
    accounts: z.array(
      z.strictObject({
        name: z.string(),
        exchange: z.string(),
        kind: z.string().optional(),
        demo: z.boolean().optional(),
        hasCredentials: z.boolean(),
        keys: z.string(),
        inFocus: z.boolean(),
        createdAt: time,
      }),
    ),
  }),
  'account-check': z.strictObject({
    type: z.literal('account-check'),
    account,
    exchange: z.string(),
    latencyMs: z.int(),
    clockDifferenceMs: z.number().optional(),
    currencies: z.int(),
    mayTrade: z.boolean().optional(),
    mayWithdraw: z.boolean().optional(),
    positionMode: z.enum(['one-way', 'hedge']).optional(),
    remarks: z.array(z.string()),
  }),
  'account-proof': z.strictObject({
    type: z.literal('account-proof'),
    account,
    exchange: z.string(),
    symbol: z.string(),
    isWhole: z.boolean(),
    facts: z.array(
      z.strictObject({
        about: z.string(),
        what: z.string(),
        verdict: z.enum(['holds', 'fails', 'skipped']),
        why: z.string().optional(),
        tookMs: z.int(),
      }),
    ),
    files: z.array(z.string()),
    left: z.string().optional(),
  }),
  'all-balances': z.strictObject({
    type: z.literal('all-balances'),
    accounts: z.array(z.strictObject({ account, balances: z.array(z.strictObject(held)), error: fault.optional() })),
    totals: z.array(z.strictObject({ ...held, practice: z.boolean() })),
  }),
  vault: z.strictObject({
    type: z.literal('vault'),
    state: z.enum(['absent', 'locked', 'unlocked']),
    locksAt: time.optional(),
    accounts: z.array(z.string()),
    plain: z.array(z.string()),
  }),
  notices: z.strictObject({
    type: z.literal('notices'),
    channels: z.array(
      z.strictObject({
        name: z.string(),
        type: z.enum(['desktop', 'telegram', 'webhook']),
        to: z.string(),
        kinds: z.array(z.string()).optional(),
        waiting: z.int(),
        sent: z.int(),
        failed: z.int(),
        leftOut: z.int(),
        lastAt: time.optional(),
        lastError: z.string().optional(),
        listens: z.literal(true).optional(),
      }),
    ),
    quiet: z.string().optional(),
  }),
  'sign-in': z.union([
    z.strictObject({ type: z.literal('sign-in'), signedIn: z.literal(false) }),
    z.strictObject({
      type: z.literal('sign-in'),
      signedIn: z.boolean(),
      issuer: z.string(),
      clientId: z.string(),
      subject: z.string(),
      email: z.string().optional(),
      signedInAt: time,
      expiresAt: time,
      isRenewable: z.boolean(),
      keys: z.enum(['file', 'keychain', 'vault']),
      endedAt: time.optional(),
    }),
  ]),
  'login-code': z.strictObject({
    type: z.literal('login-code'),
    issuer: z.url(),
    userCode: z.string(),
    address: z.url(),
    addressWithCode: z.url().optional(),
    expiresAt: time,
  }),
  hooks: z.strictObject({ type: z.literal('hooks'), hooks: z.array(z.strictObject(hook)) }),
  hook: z.strictObject({
    type: z.literal('hook'),
    ...hook,
    url: z.url(),
    token: z.string(),
    lastDay: lastDay.optional(),
    alert: z.strictObject({ json: z.string(), pairs: z.string() }).optional(),
  }),
  proposals: z.strictObject({
    type: z.literal('proposals'),
    proposals: z.array(
      z.strictObject({
        id: z.string(),
        state: z.string(),
        at: time,
        until: time,
        clientId: z.string(),
        origin: z.string(),
        label: z.string(),
        account: z.string(),
        symbol: z.string(),
        line: z.string(),
        reason: z.string(),
        preview: z.any(),
        runId: z.exactOptional(z.string()),
        run: z.exactOptional(
          z.strictObject({
            success: z.boolean(),
            outcome: z.exactOptional(z.string()),
            error: z.exactOptional(z.string()),
          }),
        ),
        why: z.exactOptional(z.string()),
      }),
    ),
  }),
  clients: z.strictObject({
    type: z.literal('clients'),
    clients: z.array(
      z.strictObject({
        ...client,
        approvedAt: time,
        grant: z.exactOptional(
          z.strictObject({
            may: z.enum(['look', 'propose', 'trade']),
            perOrder: z.exactOptional(z.string()),
            perDay: z.exactOptional(z.string()),
            accounts: z.exactOptional(z.array(z.string())),
            symbols: z.exactOptional(z.array(z.string())),
            proposalsPerHour: z.exactOptional(z.number()),
            grantedAt: time,
            until: time,
            ended: z.exactOptional(z.literal(true)),
          }),
        ),
        connected: z.number().optional(),
      }),
    ),
    pending: z.array(z.strictObject(client)),
  }),
  variables: z.strictObject({
    type: z.literal('variables'),
    variables: z.record(z.string(), z.string()),
    owned: z.exactOptional(z.array(z.strictObject({ owner: z.string(), name: z.string(), value: z.string() }))),
  }),
  aliases: z.strictObject({ type: z.literal('aliases'), aliases: z.record(z.string(), z.string()) }),
  ...RUN_SHAPES,
  ...GUARD_SHAPES,
  ...CROSS_TRADE_SHAPES,
  ...TASK_SHAPES,
  listener: z.strictObject({
    type: z.literal('listener'),
    state: z.string(),
    address: z.string(),
    pid: z.number(),
    holderPid: z.number().optional(),
    sockets: z.number(),
    remoteExec: z.boolean(),
    accountSync: z.boolean(),
  }),
  status: z.strictObject({
    type: z.literal('status'),
    version: z.string(),
    account,
    symbol: z.string(),
    last: decimal.optional(),
    panic: z.strictObject({ since: z.number(), by: z.string() }).optional(),
    guards: z.strictObject({
      state: z.string(),
      since: z.number().optional(),
      by: z.string().optional(),
      simulated: z.boolean(),
    }),
    listener: z.string(),
    listenerPid: z.number().optional(),
    console: z.strictObject({ state: z.string(), address: z.string(), user: z.number().optional() }),
    hooks: z.number(),
    running: z.number(),
    waiting: z.number(),
    tasks: z.strictObject({
      running: z.number(),
      interrupted: z.number(),
      interruptedIds: z.array(z.string()),
      driver: z.number().optional(),
    }),
    problems: z.array(z.strictObject({ path: z.string(), line: z.number().optional(), message: z.string() })),
  }),
  error: z.strictObject({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
  }),
  message: z.strictObject({ type: z.literal('message'), kind: z.string(), text: z.string() }),
  notice: z.strictObject({ type: z.literal('notice'), kind: z.string(), text: z.string() }),
  result: z.strictObject({ type: z.literal('result'), success: z.boolean(), error: z.string().optional() }),
} as const
