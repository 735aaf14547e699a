// Own orders and fills by WebSocket on each venue: what its unmodified class of ccxt subscribes to, how it signs in, and what comes of the frames that
// the venue sends. Frames are the venue's documented or recorded ones, retyped: the source stands with each.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../../src/base/defined.ts'
import type { MarketKind } from '../../../../src/exchange/market.ts'
import { number, text } from './protobuf.ts'
import { BULLET, EC_KEY, type Message, orderOf, type StartedSockets, startSockets, tradeOf } from './venue-sockets.ts'

interface Venue {
  readonly venue: string
  readonly kind: MarketKind
  readonly symbol?: string
  readonly keys?: Readonly<Record<string, string>>
  readonly rest?: readonly (readonly [words: string, body: unknown])[]
  readonly greet?: (address: string) => readonly Message[]
  readonly answer?: (message: Message, address: string) => readonly (Message | Buffer)[]
  /** Where no message leaves: the address. */
  readonly dials?: RegExp
  /** Addresses and messages, without what differs each time. */
  readonly asks: readonly (readonly [address: RegExp, message: object])[]
  /** That order `o1` has filled whole, in one fill. */
  readonly filled: readonly (readonly [message: Message | Buffer, to?: string])[]
  /** Whether the order is asked for then: its rows are hints. */
  readonly isAsked: boolean
}

const ack = (): readonly Message[] => []

async function startVenue({
  venue,
  kind,
  keys,
  rest,
  greet,
  answer = ack,
  asks,
  dials,
}: Venue): Promise<StartedSockets> {
  const started = await startSockets({ venue, kind, answer, ...defined({ keys, rest, greet }) })
  await expect
    .poll(() => started.heard, { interval: 10 })
    .toEqual(
      expect.arrayContaining(
        asks.map(([address, message]) => ({
          address: expect.stringMatching(address),
          message: expect.objectContaining(message),
        })),
      ),
    )
  await expect
    .poll(() => started.addresses().filter((address) => dials === undefined || dials.test(address)))
    .not.toEqual([])
  await expect.poll(() => started.asked).toContain('openOrders')
  // What the venue says before the answer to a subscription has been read is lost.
  await expect.poll(() => started.exchange.stream, { interval: 10 }).toBe('live')
  started.asked.length = 0
  return started
}

const NOW = Date.now()

/** Bybit v5, `order` and `execution`: recorded rows of nautilus_trader (`bybit/test_data/ws_account_order_filled`, `ws_account_execution`). */
const BYBIT_ORDER = {
  symbol: 'BTCUSDT',
  orderId: 'o1',
  side: 'Buy',
  orderType: 'Limit',
  cancelType: 'UNKNOWN',
  price: '60000',
  qty: '1',
  timeInForce: 'GTC',
  orderStatus: 'Filled',
  orderLinkId: '',
  reduceOnly: false,
  leavesQty: '0',

  cumExecQty: '1',
  cumExecValue: '60000',
  avgPrice: '60000',
  positionIdx: 0,
  cumExecFee: '1.6',
  category: 'linear',
  createdTime: `${NOW}`,
  updatedTime: `${NOW}`,
  rejectReason: '',
  stopOrderType: '',
  triggerPrice: '',
  takeProfit: '',
  stopLoss: '',
  triggerDirection: 0,
  closeOnTrigger: false,
  smpType: 'None',
}
const BYBIT_FILL = {
  category: 'linear',
  symbol: 'BTCUSDT',
  execFee: '26.3',
  execId: 'f1',
  execPrice: '60000',
  execQty: '1',
  execType: 'Trade',
  execValue: '60000',
  feeRate: '0.00055',
  leavesQty: '0',
  orderId: 'o1',
  orderLinkId: '',
  orderPrice: '60000',
  orderQty: '1',
  orderType: 'Limit',
  stopOrderType: 'UNKNOWN',
  side: 'Buy',
  execTime: `${NOW}`,
  isMaker: false,
  seq: 1,
  feeCurrency: 'USDT',
}

/** Gate, `futures.orders` and `futures.usertrades` of its WebSocket v4 document. A contract is 0.0001 BTC. */
const GATE_ORDER = {
  id: 1,
  user: 1,
  contract: 'BTC_USDT',
  create_time: NOW / 1000,
  create_time_ms: NOW,
  size: 10_000,
  left: 0,
  price: '60000',
  fill_price: '60000',
  mkfr: '0.0002',
  tkfr: '0.0005',
  tif: 'gtc',
  refu: 0,
  text: 'web',
  is_reduce_only: false,
  is_close: false,
  is_liq: false,
  status: 'finished',
  finish_as: 'filled',
}
const GATE_FILL = {
  id: 'f1',
  create_time: NOW / 1000,
  create_time_ms: NOW,
  contract: 'BTC_USDT',
  order_id: '1',
  size: 10_000,
  price: '60000',
  role: 'taker',
  text: 'web',
  fee: 0.01,
  point_fee: 0,
}
const gate = (channel: string, result: object): Message => ({ time: NOW, channel, event: 'update', result: [result] })

/** Bitget v2, `orders` of its document of futures channels: what has filled is `accBaseVolume`, which the class does not hand on. */
const BITGET_ORDER = {
  accBaseVolume: '1',
  cTime: `${NOW}`,
  clientOId: '1',
  fillPrice: '60000',
  baseVolume: '1',
  fillTime: `${NOW}`,
  force: 'gtc',
  instId: 'BTCUSDT',
  leverage: '20',
  marginCoin: 'USDT',
  marginMode: 'crossed',
  orderId: 'o1',
  orderType: 'limit',
  pnl: '0',
  posMode: 'one_way_mode',
  posSide: 'net',
  price: '60000',
  priceAvg: '60000',
  reduceOnly: 'no',
  side: 'buy',
  size: '1',
  status: 'filled',
  tradeId: 'f1',
  uTime: `${NOW}`,
}

/** Kraken v2, `executions` of its document: a trade, then the order's end. */
const KRAKEN_TRADE = {
  order_id: 'o1',
  exec_id: 'f1',
  exec_type: 'trade',
  trade_id: 1,
  symbol: 'BTC/USD',
  side: 'buy',
  last_qty: 1,
  last_price: 60_000,
  liquidity_ind: 't',
  cost: 60_000,
  order_userref: 0,
  order_status: 'filled',
  order_type: 'limit',
  timestamp: new Date(NOW).toISOString(),
  fees: [{ asset: 'USD', qty: 1 }],
}

/** Kraken Futures: recorded rows of nautilus_trader (`kraken/test_data/ws_futures_fills_delta`, `…open_orders_delta_full_fill`). */
const KRAKENFUTURES_FILL = {
  instrument: 'PF_XBTUSD',
  time: NOW,
  price: 60_000,
  seq: 1,
  buy: true,
  qty: 1,
  remaining_order_qty: 0,
  order_id: 'o1',
  fill_id: 'f1',
  fill_type: 'taker',
  fee_paid: 0.1,
  fee_currency: 'USD',
  taker_order_type: 'limit',
  order_type: 'limit',
}
const KRAKENFUTURES_ORDER = {
  instrument: 'PF_XBTUSD',
  time: NOW,
  last_update_time: NOW,
  qty: 0,
  filled: 1,
  limit_price: 60_000,
  stop_price: 0,
  type: 'limit',
  order_id: 'o1',
  direction: 0,
  reduce_only: false,
}

/** Deribit, `user.trades` and `user.orders` of its document; `nautilus_trader deribit/test_data/ws_user_trades_exact` has the same fields. */
const DERIBIT_FILL = {
  trade_id: 'f1',
  order_id: 'o1',
  instrument_name: 'BTC-PERPETUAL',
  direction: 'buy',
  price: 60_000,
  amount: 1,

  fee: 0,
  fee_currency: 'BTC',
  timestamp: NOW,
  trade_seq: 1,
  liquidity: 'T',
  order_type: 'limit',
  state: 'filled',
  index_price: 60_000,
  mark_price: 60_000,
  tick_direction: 3,
  label: '',
  reduce_only: false,
  post_only: false,
}
const DERIBIT_ORDER = {
  web: true,
  time_in_force: 'good_til_cancelled',
  replaced: false,
  reduce_only: false,
  price: 60_000,
  post_only: false,
  order_type: 'limit',
  order_state: 'filled',
  order_id: 'o1',
  max_show: 1,
  label: '',
  last_update_timestamp: NOW,
  instrument_name: 'BTC-PERPETUAL',
  filled_amount: 1,
  direction: 'buy',
  creation_timestamp: NOW,
  average_price: 60_000,
  api: false,
  amount: 1,
}
const deribit = (channel: string, data: unknown): Message => {
  return { jsonrpc: '2.0', method: 'subscription', params: { channel, data } }
}

/** KuCoin, a match of `tradeOrders` of its document. */
const KUCOIN_MATCH = {
  symbol: 'BTC-USDT',
  orderType: 'limit',
  side: 'buy',
  orderId: 'o1',
  liquidity: 'taker',
  type: 'match',
  orderTime: NOW * 1_000_000,
  size: '1',
  filledSize: '1',
  price: '60000',
  matchPrice: '60000',
  matchSize: '1',
  tradeId: 'f1',
  clientOid: 'web',
  remainSize: '0',
  status: 'match',
  ts: NOW * 1_000_000,
}

/** Hyperliquid, `orderUpdates` and `userFills` of its document. */
const WALLET = `0x${'2'.repeat(40)}`
const HYPERLIQUID_ORDER = {
  order: { coin: 'BTC', side: 'B', limitPx: '60000.0', sz: '0.0', oid: 'o1', timestamp: NOW, origSz: '1.0' },
  status: 'filled',
  statusTimestamp: NOW,
}
const HYPERLIQUID_FILL = {
  coin: 'BTC',
  px: '60000.0',
  sz: '1.0',
  side: 'B',
  time: NOW,
  startPosition: '0.0',
  dir: 'Open Long',
  closedPnl: '0.0',
  hash: '0x0',
  oid: 'o1',
  crossed: true,
  fee: '20',
  tid: 1,
  feeToken: 'USDC',
}

/** Coinbase Advanced, `user`: a recorded row of nautilus_trader (`coinbase/test_data/ws_user`), filled. */
const COINBASE_ORDER = {
  order_id: 'o1',
  client_order_id: 'web',
  cumulative_quantity: '1',
  leaves_quantity: '0',
  avg_price: '60000',
  total_fees: '1',
  status: 'FILLED',
  product_id: 'BTC-USD',
  creation_time: new Date(NOW).toISOString(),
  order_side: 'BUY',
  order_type: 'Limit',
  product_type: 'SPOT',
  time_in_force: 'GOOD_UNTIL_CANCELLED',
}

/** MEXC, `PrivateOrdersV3Api` in a `PushDataV3ApiWrapper`, by the field numbers of its public .proto files. */
const MEXC_ORDER = Buffer.concat([
  text(1, 'o1'),
  text(3, '60000'),
  text(4, '1'),
  text(6, '60000'),
  number(7, 1),
  number(8, 1),
  text(11, '0'),
  text(13, '1'),
  text(14, '60000'),
  number(15, 2),
  number(16, NOW),
])
const MEXC_PUSH = Buffer.concat([
  text(1, 'spot@private.orders.v3.api.pb'),
  text(3, 'BTCUSDT'),
  number(6, NOW),
  text(304, MEXC_ORDER),
])

const GATE_SPOT_FILL = {
  id: 'f1',
  order_id: '1',
  currency_pair: 'BTC_USDT',
  create_time: NOW / 1000,
  create_time_ms: `${NOW}`,
  side: 'buy',
  role: 'taker',
  amount: '1',
  price: '60000',
  fee: '0.001',
  fee_currency: 'BTC',
  text: 'web',
}
const GATE_SPOT_ORDER = {
  id: '1',
  text: 'web',
  create_time: `${NOW / 1000}`,
  currency_pair: 'BTC_USDT',
  type: 'limit',
  account: 'spot',
  side: 'buy',
  amount: '1',
  price: '60000',
  time_in_force: 'gtc',
  left: '0',
  filled_amount: '1',
  filled_total: '60000',
  avg_deal_price: '60000',
  fee: '0.001',
  fee_currency: 'BTC',
  create_time_ms: `${NOW}`,
  event: 'finish',
  finish_as: 'filled',
  update_time_ms: `${NOW}`,
}

/** OKX v5, `orders` of its document. */
const OKX_ORDER = {
  instType: 'SWAP',
  instId: 'BTC-USD-SWAP',
  ordId: 'o1',
  clOrdId: '',
  px: '60000',
  sz: '1',
  ordType: 'limit',
  side: 'buy',
  posSide: 'net',
  tdMode: 'cross',
  accFillSz: '1',
  fillSz: '1',
  fillPx: '60000',
  tradeId: 'f1',
  avgPx: '60000',
  state: 'filled',
  lever: '3',
  fee: '0',
  feeCcy: 'BTC',
  cTime: `${NOW}`,
  uTime: `${NOW}`,
  fillTime: `${NOW}`,
  algoId: '',
  reduceOnly: 'false',
  execType: 'T',
}

/** Binance COIN-M, `ORDER_TRADE_UPDATE` of its document; spot, `executionReport`. */
const BINANCE_INVERSE = {
  s: 'BTCUSD_PERP',
  c: 'web',
  S: 'BUY',
  o: 'LIMIT',
  f: 'GTC',
  q: '1',
  p: '60000',
  ap: '60000',
  sp: '0',
  x: 'TRADE',

  X: 'FILLED',
  i: 1,
  l: '1',
  z: '1',
  L: '60000',
  ma: 'BTC',
  N: 'BTC',
  n: '0',
  T: NOW,
  t: 1,
  rp: '0',
  b: '0',
  a: '0',
  m: false,
  R: false,
  wt: 'CONTRACT_PRICE',
  ot: 'LIMIT',
  ps: 'BOTH',
  cp: false,
  pP: false,
  si: 0,
  ss: 0,
}
const BINANCE_SPOT = {
  e: 'executionReport',
  E: NOW,
  s: 'BTCUSDT',
  c: 'web',
  S: 'BUY',
  o: 'LIMIT',
  f: 'GTC',
  q: '1',
  p: '60000',
  P: '0',
  F: '0',
  g: -1,
  C: '',
  x: 'TRADE',
  X: 'FILLED',
  r: 'NONE',
  i: 1,
  l: '1',
  z: '1',
  L: '60000',
  n: '0',
  N: 'BTC',
  T: NOW,
  t: 1,
  w: false,
  m: false,
  M: false,
  O: NOW,
  Z: '60000',
  Y: '60000',
  Q: '0',
}

const loggedIn = (message: Message): readonly Message[] =>
  message.op === 'login' ? [{ event: 'login', code: '0', msg: '' }] : []

const VENUES: readonly Venue[] = [
  {
    venue: 'bybit',
    kind: 'linear',
    asks: [
      [
        /^wss:\/\/stream\.bybit\.com\/v5\/private$/,
        { op: 'auth', args: ['the-key', expect.any(String), expect.stringMatching(/^[0-9a-f]{64}$/)] },
      ],
      [/private$/, { op: 'subscribe', args: ['order'] }],
      [/private$/, { op: 'subscribe', args: ['execution'] }],
    ],
    answer: ({ op }) => (op === 'auth' ? [{ success: true, ret_msg: '', op: 'auth', conn_id: 'c' }] : []),
    filled: [
      [{ topic: 'execution', id: 'a', creationTime: NOW, data: [BYBIT_FILL] }],
      [{ topic: 'order', id: 'b', creationTime: NOW, data: [BYBIT_ORDER] }],
    ],
    isAsked: false,
  },
  {
    venue: 'gate',
    kind: 'linear',
    asks: [
      [
        /^wss:\/\/fx-ws\.gateio\.ws\/v4\/ws\/usdt$/,
        { channel: 'futures.orders', event: 'subscribe', payload: ['1', '!all'] },
      ],
      [/usdt$/, { channel: 'futures.usertrades', event: 'subscribe', payload: ['1', '!all'] }],
      [/usdt$/, { channel: 'futures.autoorders', event: 'subscribe', payload: ['1', '!all'] }],
      [/usdt$/, { auth: { method: 'api_key', KEY: 'the-key', SIGN: expect.stringMatching(/^[0-9a-f]{128}$/) } }],
    ],
    filled: [[gate('futures.usertrades', GATE_FILL)], [gate('futures.orders', GATE_ORDER)]],
    isAsked: false,
  },
  {
    venue: 'bitget',
    kind: 'linear',
    asks: [
      [
        /^wss:\/\/ws\.bitget\.com\/v2\/ws\/private$/,
        { op: 'login', args: [expect.objectContaining({ apiKey: 'the-key', passphrase: 'the-passphrase' })] },
      ],
      [/private$/, { op: 'subscribe', args: [{ instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' }] }],
      [/private$/, { op: 'subscribe', args: [{ instType: 'USDC-FUTURES', channel: 'orders', instId: 'default' }] }],
    ],
    answer: loggedIn,
    filled: [
      [
        {
          action: 'snapshot',
          arg: { instType: 'USDT-FUTURES', channel: 'orders', instId: 'default' },
          data: [BITGET_ORDER],
          ts: NOW,
        },
      ],
    ],
    isAsked: true,
  },
  {
    venue: 'kraken',
    kind: 'spot',
    symbol: 'BTCUSD',
    rest: [['POST GetWebSocketsToken', { error: [], result: { token: 'the-token', expires: 900 } }]],
    asks: [
      [
        /^wss:\/\/ws-auth\.kraken\.com\/v2$/,
        { method: 'subscribe', params: { channel: 'executions', token: 'the-token', snap_orders: true } },
      ],
    ],
    filled: [[{ channel: 'executions', type: 'update', data: [KRAKEN_TRADE], sequence: 1 }]],
    isAsked: true,
  },
  {
    venue: 'krakenfutures',
    kind: 'linear',
    symbol: 'BTCUSD',
    asks: [
      [/^wss:\/\/futures\.kraken\.com\/ws\/v1$/, { event: 'challenge', api_key: 'the-key' }],
      [
        /v1$/,
        { event: 'subscribe', feed: 'open_orders', original_challenge: 'c', signed_challenge: expect.any(String) },
      ],
      [/v1$/, { event: 'subscribe', feed: 'fills', original_challenge: 'c' }],
    ],
    answer: ({ event }) => (event === 'challenge' ? [{ event: 'challenge', message: 'c' }] : []),
    filled: [
      [{ feed: 'fills', username: 'u', fills: [KRAKENFUTURES_FILL] }],
      [{ feed: 'open_orders', order: KRAKENFUTURES_ORDER, is_cancel: true, reason: 'full_fill' }],
    ],
    isAsked: true,
  },
  {
    venue: 'deribit',
    kind: 'inverse',
    symbol: 'BTCUSD',
    asks: [
      [/^wss:\/\/www\.deribit\.com\/ws\/api\/v2$/, { method: 'public/auth' }],
      [/v2$/, { method: 'private/subscribe', params: { channels: ['user.orders.any.any.raw'] } }],
      [/v2$/, { method: 'private/subscribe', params: { channels: ['user.trades.any.any.raw'] } }],
    ],
    answer: ({ id, method }) =>
      method === 'public/auth'
        ? [{ jsonrpc: '2.0', id, result: { access_token: 't', expires_in: 900, scope: 'trade:read_write' } }]
        : [],
    filled: [[deribit('user.trades.any.any.raw', [DERIBIT_FILL])], [deribit('user.orders.any.any.raw', DERIBIT_ORDER)]],
    isAsked: false,
  },
  {
    venue: 'kucoin',
    kind: 'spot',
    rest: [['POST bullet-private', BULLET]],
    greet: () => [{ id: 'w', type: 'welcome' }],
    asks: [
      [
        /^wss:\/\/ws-api-spot\.kucoin\.com\/\?token=the-token&privateChannel=true/,
        { type: 'subscribe', topic: '/spotMarket/tradeOrders', privateChannel: true },
      ],
      [/token=the-token/, { type: 'subscribe', topic: '/spotMarket/advancedOrders', privateChannel: true }],
    ],
    filled: [[{ type: 'message', topic: '/spotMarket/tradeOrders', subject: 'orderChange', data: KUCOIN_MATCH }]],
    isAsked: true,
  },
  {
    venue: 'kucoin',
    kind: 'linear',
    rest: [['POST bullet-private', BULLET]],
    greet: () => [{ id: 'w', type: 'welcome' }],
    asks: [
      [/token=the-token/, { type: 'subscribe', topic: '/contractMarket/tradeOrders', privateChannel: true }],
      [/token=the-token/, { type: 'subscribe', topic: '/contractMarket/advancedOrders', privateChannel: true }],
    ],
    filled: [
      [
        {
          type: 'message',
          topic: '/contractMarket/tradeOrders',
          subject: 'symbolOrderChange',
          data: { ...KUCOIN_MATCH, symbol: 'XBTUSDTM' },
        },
      ],
    ],
    isAsked: true,
  },
  {
    venue: 'hyperliquid',
    kind: 'linear',
    symbol: 'BTCUSDC',
    keys: { walletAddress: WALLET, privateKey: `0x${'1'.repeat(64)}` },
    asks: [
      [
        /^wss:\/\/api\.hyperliquid\.xyz\/ws$/,
        { method: 'subscribe', subscription: { type: 'orderUpdates', user: WALLET } },
      ],
      [/ws$/, { method: 'subscribe', subscription: { type: 'userFills', user: WALLET } }],
    ],
    filled: [
      [{ channel: 'userFills', data: { user: WALLET, fills: [HYPERLIQUID_FILL] } }],
      [{ channel: 'orderUpdates', data: [HYPERLIQUID_ORDER] }],
    ],
    isAsked: true,
  },
  {
    venue: 'coinbase',
    kind: 'spot',
    symbol: 'BTCUSD',
    keys: { apiKey: 'organizations/a/apiKeys/b', secret: EC_KEY },
    rest: [['GET market/products FUTURE', { products: [] }]],
    asks: [
      [
        /^wss:\/\/advanced-trade-ws\.coinbase\.com$/,
        { type: 'subscribe', channel: 'user', product_ids: [], jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
      ],
    ],
    filled: [
      [
        {
          channel: 'user',
          client_id: '',
          timestamp: '',
          sequence_num: 1,
          events: [{ type: 'update', orders: [COINBASE_ORDER] }],
        },
      ],
    ],
    isAsked: true,
  },
  {
    venue: 'mexc',
    kind: 'spot',
    rest: [['POST userDataStream', { listenKey: 'the-listen-key' }]],
    asks: [
      [
        /^wss:\/\/wbs-api\.mexc\.com\/ws\?listenKey=the-listen-key$/,
        { method: 'SUBSCRIPTION', params: ['spot@private.orders.v3.api.pb'] },
      ],
    ],
    filled: [[MEXC_PUSH]],
    isAsked: true,
  },
  {
    venue: 'bitget',
    kind: 'spot',
    asks: [
      [/private$/, { op: 'subscribe', args: [{ instType: 'SPOT', channel: 'orders', instId: 'default' }] }],
      [/private$/, { op: 'subscribe', args: [{ instType: 'SPOT', channel: 'orders-algo', instId: 'default' }] }],
    ],
    answer: loggedIn,
    filled: [
      [
        {
          action: 'snapshot',
          arg: { instType: 'SPOT', channel: 'orders', instId: 'default' },
          ts: NOW,
          data: [
            { instId: 'BTCUSDT', orderId: 'o1', side: 'buy', orderType: 'market', newSize: '60000', status: 'filled' },
          ],
        },
      ],
    ],
    isAsked: true,
  },
  {
    // A unified account: one stream for all kinds of markets.
    venue: 'bitget',
    kind: 'linear',
    rest: [['GET v3/account/settings', { code: '00000', msg: 'success', data: { holdMode: 'one_way_mode' } }]],
    asks: [
      [/^wss:\/\/ws\.bitget\.com\/v3\/ws\/private$/, { op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] }],
    ],
    answer: loggedIn,
    filled: [
      [
        {
          action: 'snapshot',
          arg: { instType: 'UTA', topic: 'order' },
          ts: NOW,
          data: [{ category: 'usdt-futures', symbol: 'BTCUSDT', orderId: 'o1', side: 'buy', orderStatus: 'filled' }],
        },
      ],
    ],
    isAsked: true,
  },
  {
    venue: 'gate',
    kind: 'spot',
    asks: [
      [/^wss:\/\/api\.gateio\.ws\/ws\/v4\/$/, { channel: 'spot.orders', event: 'subscribe', payload: ['!all'] }],
      [/v4\/$/, { channel: 'spot.usertrades', event: 'subscribe', payload: ['!all'] }],
    ],
    filled: [[gate('spot.usertrades', GATE_SPOT_FILL)], [gate('spot.orders', GATE_SPOT_ORDER)]],
    isAsked: false,
  },
  {
    venue: 'okx',
    kind: 'inverse',
    symbol: 'BTCUSD',
    asks: [
      [
        /^wss:\/\/ws\.okx\.com:8443\/ws\/v5\/private$/,
        { op: 'subscribe', args: [{ channel: 'orders', instType: 'ANY' }] },
      ],
      [/business$/, { op: 'subscribe', args: [{ channel: 'orders-algo', instType: 'ANY' }] }],
    ],
    answer: ({ op }) => (op === 'login' ? [{ event: 'login', code: '0', msg: '' }] : []),
    filled: [[{ arg: { channel: 'orders', instType: 'ANY', uid: '1' }, data: [OKX_ORDER] }, 'private']],
    isAsked: true,
  },
  {
    venue: 'binance',
    kind: 'inverse',
    symbol: 'BTCUSD',
    rest: [['POST dapi/v1/listenKey', { listenKey: 'the-listen-key' }]],
    dials: /^wss:\/\/dstream\.binance\.com\/.*the-listen-key/,
    asks: [],
    filled: [[{ e: 'ORDER_TRADE_UPDATE', E: NOW, T: NOW, i: 'SfsR', o: BINANCE_INVERSE }]],
    isAsked: true,
  },
  {
    venue: 'binance',
    kind: 'spot',
    asks: [
      [
        /^wss:\/\/ws-api\.binance\.com/,
        { method: 'userDataStream.subscribe.signature', params: expect.objectContaining({ apiKey: 'the-key' }) },
      ],
    ],
    answer: ({ id, method }) =>
      String(method).startsWith('userDataStream') ? [{ id, status: 200, result: { subscriptionId: 0 } }] : [],
    filled: [[{ subscriptionId: 0, event: BINANCE_SPOT }]],
    isAsked: true,
  },
]

describe.each(VENUES)('$venue $kind', (venue) => {
  const { symbol = 'BTCUSDT', filled, isAsked } = venue
  const [id, fill] = [['gate', 'binance'].includes(venue.venue) ? '1' : 'o1', 'f1']

  it('tells a fill, and the order that it ended', async () => {
    const started = await startVenue(venue)
    started.hold(orderOf({ id, symbol, filled: '1', status: 'closed' }), tradeOf({ id: fill, orderId: id, symbol }))
    for (const [message, to] of filled) started.say(message, to)
    await expect.poll(() => started.told(), { interval: 10 }).toEqual([`trade ${fill} 1`, `order ${id} closed 1`])
    expect(started.asked.includes(`order ${id}`)).toBe(isAsked)
    expect(started.problems).toEqual([])
  })

  it('listens anew after its connection was lost, and tells what it missed', async () => {
    const started = await startVenue(venue)
    started.hold(orderOf({ id, symbol, filled: '1', status: 'closed' }), tradeOf({ id: fill, orderId: id, symbol }))
    for (const [message, to] of filled) started.say(message, to)
    await expect.poll(() => started.told().length, { interval: 10 }).toBe(2)
    const [before, sockets] = [started.heard.length, started.addresses().length]
    started.cut()
    started.hold(orderOf({ id: 'o2', symbol }))
    await expect.poll(() => started.told().at(-1), { interval: 10 }).toBe('order o2 open 0')
    await expect.poll(() => started.heard.length).toBeGreaterThanOrEqual(2 * before)
    await expect.poll(() => [started.exchange.stream, started.addresses().length]).toEqual(['live', sockets])
    expect(started.told()).toHaveLength(3)
  })
})

const BYBIT_SPOT_ORDER = {
  ...BYBIT_ORDER,
  orderId: 'x',
  category: 'spot',
  orderStatus: 'New',
  cumExecQty: '0',
  leavesQty: '1',
}

/** Of the same account, on the other side of a unified one: Bybit has one name for both, OKX a name that this account has not loaded. */
const STRANGERS = [
  {
    row: { topic: 'order', id: 'b', creationTime: NOW, data: [BYBIT_SPOT_ORDER] },
    venue: 'bybit',
  },
  {
    row: {
      topic: 'execution',
      id: 'b',
      creationTime: NOW,
      data: [{ ...BYBIT_FILL, execId: 'x', orderId: 'x', category: 'spot' }],
    },
    venue: 'bybit',
  },
  {
    row: {
      arg: { channel: 'orders', instType: 'ANY', uid: '1' },
      data: [{ ...OKX_ORDER, instType: 'SPOT', instId: 'BTC-USDT', ordId: 'x' }],
    },
    venue: 'okx',
  },
] as const

describe.each(STRANGERS)('a row of another kind of market on $venue', ({ venue, row }) => {
  it('is not taken for one of this account, and ends no stream', async () => {
    const found = VENUES.find((each) => each.venue === venue)
    if (found === undefined) throw new Error(`no ${venue}`)
    const started = await startVenue(found)
    started.say(row)
    for (const [message, to] of found.filled) started.say(message, to)
    started.hold(orderOf({ id: 'o1', symbol: found.symbol ?? 'BTCUSDT', filled: '1', status: 'closed' }))
    started.hold(tradeOf({ id: 'f1', orderId: 'o1', symbol: found.symbol ?? 'BTCUSDT' }))
    await expect.poll(() => started.told(), { interval: 10 }).toEqual(['trade f1 1', 'order o1 closed 1'])
    expect(started.events.filter(({ type }) => type === 'stream')).toEqual([])
    expect([started.asked.includes('order x'), started.problems]).toEqual([false, []])
  })
})
