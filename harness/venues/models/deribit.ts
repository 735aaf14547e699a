// Deribit v2, contracts settled in USDC: everything is asked by GET, an answer to an order has its fills, a trigger order that fires is `triggered`, and
// another order of the same label goes on. What has ended is told for half an hour unless history is asked for.
import { Decimal } from 'decimal.js'
import { defined } from '../../../src/base/defined.ts'
import { worthOf } from './account.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type ModelSpec, pageOf, type Said, textIn } from './model.ts'
import {
  isOpen,
  type ModelFill,
  type ModelMarket,
  type ModelOrder,
  type RefusalReason,
  refuse,
  type Side,
} from './orders.ts'

const DOCS = 'docs.deribit.com'
const RECENT_ORDERS_MS = 30 * 60_000
const RECENT_TRADES_MS = 86_400_000

const CLAIMS = [
  documented(
    'order_state: open, filled, rejected, cancelled, untriggered, triggered',
    `${DOCS} private/get_order_state`,
  ),
  documented('an order that a trigger order became names it in trigger_order_id', `${DOCS} private/get_order_state`),
  documented(
    'without historical=true orders are told for 30 minutes and trades for 24 hours',
    `${DOCS} private/get_user_trades_by_instrument_and_time`,
  ),
  documented(
    'get_trigger_order_history tells which order a trigger order became',
    `${DOCS} private/get_trigger_order_history`,
  ),
  documented('get_order_state_by_label lists recent orders of a label', `${DOCS} private/get_order_state_by_label`),
  documented(
    '11036: a trigger price that last or index has passed',
    'ccxt deribit.ts, exceptions: invalid_stoppx_for_index_or_last',
  ),
  documented(
    '10009 not_enough_funds, 10004 order_not_found, 11044 not_open_order, 11054 post_only_reject, 10028 too_many_requests',
    `${DOCS} errors`,
  ),
  documented(
    'a stop_market order before its trigger: price "market_price", no filled_amount',
    'nautilus_trader deribit test_data ws_order_stop_market_no_filled_amount.json',
  ),
  documented(
    'a trade of a liquidation has the field liquidation: M, T or MT',
    `${DOCS} private/get_user_trades_by_instrument`,
  ),
  assumption('labels may come again: nobody looks'),
  assumption('11030: reduce-only without a position; above it, the order fills as far as it goes and is cancelled'),
  assumption('fill-or-kill that cannot be filled whole is taken and cancelled'),
  assumption('a trigger order whose order was refused is rejected'),
  assumption('the fills of what a trigger order became name that order, and its label'),
]

const MARKETS: readonly ModelMarket[] = [
  contract('BTC', '0.5', '0.0001', '60000'),
  contract('ETH', '0.05', '0.001', '3000'),
]

function contract(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: `${base}_USDC-PERPETUAL`, symbol: `${base}USDC`, base, quote: 'USDC', settle: 'USDC' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 50 }
}

export function deribitModel(): ModelSpec {
  const [pub, own] = ['GET /api/v2/public', 'GET /api/v2/private']
  return {
    venue: 'deribit',
    kind: 'linear',
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody' },
    hosts: ['www.deribit.com'],
    markets: MARKETS,
    wallet: { USDC: '100000' },
    policy: {
      uniqueIds: 'no',
      firedBecomes: 'another',
      passedTrigger: 'refused',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
    },
    idOf: (count) => `USDC-${109_876_543_000 + count}`,
    claims: CLAIMS,
    routes: {
      [`${pub}/get_time`]: ({ now }) => now,
      [`${pub}/get_currencies`]: () => [{ currency: 'BTC' }, { currency: 'USDC' }],
      [`${pub}/get_instruments`]: instruments,
      [`${pub}/ticker`]: ticker,
      [`${pub}/get_order_book`]: orderBook,
      [`${own}/get_account_summary`]: summary,
      [`${own}/get_account_summaries`]: (asked) => ({ summaries: [summary(asked)] }),
      [`${own}/get_positions`]: ({ engine }) => engine.positions().map((held) => positionRow(engine, held)),
      [`${own}/buy`]: (asked) => place(asked, 'buy'),
      [`${own}/sell`]: (asked) => place(asked, 'sell'),
      [`${own}/edit`]: edit,
      [`${own}/cancel`]: ({ engine, fields }) =>
        orderRow(engine.cancel(known(engine, textIn(fields, 'order_id'), 'not-open'))),
      [`${own}/get_order_state`]: orderState,
      [`${own}/get_order_state_by_label`]: (asked) =>
        listed(asked, ({ clientId }) => clientId === asked.fields.label && clientId !== ''),
      [`${own}/get_open_orders`]: (asked) => listed(asked, isOpen),
      [`${own}/get_open_orders_by_currency`]: (asked) => listed(asked, isOpen),
      [`${own}/get_open_orders_by_instrument`]: (asked) => listed(asked, isOpen),
      [`${own}/get_open_orders_by_label`]: (asked) =>
        listed(asked, (order) => isOpen(order) && order.clientId === asked.fields.label),
      [`${own}/get_order_history_by_instrument`]: (asked) => listed(asked, (order) => !isOpen(order)),
      [`${own}/get_order_history_by_currency`]: (asked) => listed(asked, (order) => !isOpen(order)),
      [`${own}/get_trigger_order_history`]: triggerHistory,
      [`${own}/get_user_trades_by_instrument`]: trades,
      [`${own}/get_user_trades_by_instrument_and_time`]: trades,
      [`${own}/get_user_trades_by_order`]: trades,
    },
    isPrivate: ({ path }) => path.startsWith('/api/v2/private/'),
    isSigned: ({ headers }) =>
      /^deri-hmac-sha256 id=.+,ts=\d+,sig=[0-9a-f]{64},nonce=/.test(headers.authorization ?? ''),
    sentAt: ({ headers }) => Number(/ts=(\d+)/.exec(headers.authorization ?? '')?.[1]),
    windowMs: 60_000,
    changesOrders: ({ path }) => /\/private\/(buy|sell|edit|cancel)/.test(path),
    wrap: (result, { now }) => ({
      jsonrpc: '2.0',
      result,
      usIn: now * 1000,
      usOut: now * 1000 + 100,
      usDiff: 100,
      testnet: false,
    }),
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      ...failed(10028, 'too_many_requests'),
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    unavailable: () => failed(11051, 'system_maintenance'),
    broken: () => ({ ...failed(11094, 'internal_server_error'), status: 500 }),
  }
}

function failed(code: number, message: string): Said {
  return {
    status: 400,
    body: { jsonrpc: '2.0', error: { code, message }, usIn: 0, usOut: 100, usDiff: 100, testnet: false },
  }
}

function refusalOf(reason: RefusalReason): Said {
  const words: Readonly<Record<RefusalReason, readonly [number, string]>> = {
    'bad-symbol': [10020, 'invalid_or_unsupported_instrument'],
    'insufficient-funds': [10009, 'not_enough_funds'],

    'reduce-only': [11030, 'other_reject reduce_only'],
    'would-trigger': [11036, 'invalid_stoppx_for_index_or_last'],

    'post-only': [11054, 'post_only_reject'],
    'not-found': [10004, 'order_not_found'],
    'not-open': [11044, 'not_open_order'],

    'bad-amount': [10003, 'invalid_amount'],
    'bad-price': [10043, 'price_wrong_tick'],
    'bad-parameter': [-32602, 'Invalid params'],

    'duplicate-id': [-32602, 'Invalid params'],
    fok: [-32602, 'Invalid params'],
    leverage: [-32602, 'Invalid params'],

    unchanged: [-32602, 'Invalid params'],
    signature: [13004, 'invalid_credentials'],
    clock: [13004, 'invalid_credentials'],
  }
  return failed(...words[reason])
}

function instruments({ engine }: Asked): unknown {
  return engine.markets.map(({ id, base, tick, lot }) => ({
    instrument_name: id,
    kind: 'future',
    future_type: 'linear',
    instrument_type: 'linear',
    base_currency: base,
    quote_currency: 'USDC',

    counter_currency: 'USDC',
    settlement_currency: 'USDC',
    settlement_period: 'perpetual',
    tick_size: Number(tick),
    tick_size_steps: [],

    min_trade_amount: Number(lot),
    contract_size: Number(lot),
    max_leverage: 50,
    maker_commission: 0.0002,
    taker_commission: 0.0005,

    is_active: true,
    creation_timestamp: 1_649_059_200_000,
    expiration_timestamp: 32_503_708_800_000,
    price_index: 'btc_usdc',
  }))
}

function ticker({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'instrument_name'))
  const { bids, asks } = engine.book(market)
  const last = engine.last(market).toNumber()
  const top = {
    best_bid_price: bids[0]?.[0].toNumber(),
    best_ask_price: asks[0]?.[0].toNumber(),
    best_bid_amount: 1,
    best_ask_amount: 1,
  }
  return {
    instrument_name: market.id,
    last_price: last,
    mark_price: last,
    index_price: last,
    ...top,
    timestamp: now,
    state: 'open',
    stats: {},
  }
}

function orderBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'instrument_name')))
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, amount]) => [price.toNumber(), amount.toNumber()])
  return {
    instrument_name: fields.instrument_name,
    timestamp: now,
    change_id: 1,
    bids: levels(bids),
    asks: levels(asks),
  }
}

function summary({ engine }: Asked): unknown {
  const { wallet, unrealized, inPositions, inOrders, available } = engine.account.funds('USDC')
  return {
    currency: 'USDC',
    equity: wallet.plus(unrealized).toNumber(),
    balance: wallet.toNumber(),
    available_funds: available.toNumber(),
    initial_margin: inPositions.plus(inOrders).toNumber(),
    maintenance_margin: inPositions.div(2).toNumber(),

    session_upl: unrealized.toNumber(),
    margin_balance: wallet.plus(unrealized).toNumber(),
    type: 'main',
    portfolio_margining_enabled: false,
  }
}

type HeldRow = ReturnType<Asked['engine']['positions']>[number]

function positionRow(engine: Asked['engine'], { market, amount, entry, realized }: HeldRow): unknown {
  const last = engine.last(market)
  const pnl = worthOf(amount, last.minus(entry), market).toNumber()
  return {
    instrument_name: market.id,
    kind: 'future',
    direction: amount.gt(0) ? 'buy' : 'sell',
    size: amount.toNumber(),
    leverage: 10,

    average_price: entry.toNumber(),
    mark_price: last.toNumber(),
    index_price: last.toNumber(),
    floating_profit_loss: pnl,

    realized_profit_loss: realized.toNumber(),
    total_profit_loss: pnl,
    estimated_liquidation_price: 0,
    delta: amount.toNumber(),

    initial_margin: worthOf(amount.abs(), last, market).div(10).toNumber(),
    maintenance_margin: 0,
    open_orders_margin: 0,
  }
}

const TIMES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = {
  good_til_cancelled: 'gtc',
  immediate_or_cancel: 'ioc',
  fill_or_kill: 'fok',
}

function place({ engine, fields }: Asked, side: Side): unknown {
  const type = textIn(fields, 'type') ?? 'limit'
  const time = TIMES[textIn(fields, 'time_in_force') ?? 'good_til_cancelled']
  const isTrigger = /^(stop|take)_/.test(type)
  if (time === undefined || (isTrigger && fields.trigger !== 'last_price')) return refuse('bad-parameter')
  const isStop = type.startsWith('stop_')
  const order = engine.place({
    market: engine.market(textIn(fields, 'instrument_name')),
    clientId: textIn(fields, 'label') ?? '',
    side,
    timeInForce: time,

    amount: new Decimal(textIn(fields, 'amount') ?? 0),
    postOnly: fields.post_only === 'true',
    reduceOnly: fields.reduce_only === 'true',
    ...(type.endsWith('limit') && { price: new Decimal(textIn(fields, 'price') ?? 0) }),
    ...(isTrigger && {
      trigger: {
        price: new Decimal(textIn(fields, 'trigger_price') ?? 0),
        way: (side === 'buy') === isStop ? 'up' : 'down',
      },
    }),
    said: { type },
  })
  return { order: orderRow(order), trades: engine.fills.filter((fill) => fill.order === order).map(tradeRow) }
}

/** @throws {ModelRefusal} */
function known(engine: Asked['engine'], id: string | undefined, reason: RefusalReason): ModelOrder {
  const found = engine.orders.get(id ?? '')
  if (found === undefined) return refuse('not-found')
  return reason === 'not-open' && !isOpen(found) ? refuse(reason) : found
}

function edit({ engine, fields }: Asked): unknown {
  const order = known(engine, textIn(fields, 'order_id'), 'not-open')
  const [amount, price, trigger] = [textIn(fields, 'amount'), textIn(fields, 'price'), textIn(fields, 'trigger_price')]
  engine.amend(order, {
    ...(amount !== undefined && { amount: new Decimal(amount) }),
    ...(price !== undefined && order.price !== undefined && { price: new Decimal(price) }),
    ...(trigger !== undefined &&
      order.trigger !== undefined && { trigger: { ...order.trigger, price: new Decimal(trigger) } }),
  })
  return { order: orderRow(order), trades: [] }
}

function isRecent({ now, fields }: Asked, order: ModelOrder): boolean {
  return isOpen(order) || fields.historical === 'true' || now - order.updatedAt <= RECENT_ORDERS_MS
}

function orderState(asked: Asked): unknown {
  const order = known(asked.engine, textIn(asked.fields, 'order_id'), 'not-found')
  return isRecent(asked, order) ? orderRow(order) : refuse('not-found')
}

function listed(asked: Asked, isWanted: (order: ModelOrder) => boolean): unknown {
  const name = textIn(asked.fields, 'instrument_name')
  const found = [...asked.engine.orders.values()].filter(
    (order) => isWanted(order) && isRecent(asked, order) && (name === undefined || order.market.id === name),
  )
  return found.reverse().map(orderRow)
}

/** What became of trigger orders: one entry as each was made, one as it ended. */
function triggerHistory({ engine, fields }: Asked): unknown {
  const name = textIn(fields, 'instrument_name')
  const entries = [...engine.orders.values()].flatMap((order) => {
    const { trigger, child, market, id } = order
    if (trigger === undefined || (name !== undefined && market.id !== name)) return []
    const terms = {
      trigger_order_id: id,
      trigger: 'last_price',
      trigger_price: trigger.price.toNumber(),
      instrument_name: market.id,

      direction: order.side,
      amount: order.amount.toNumber(),
      label: order.clientId,
      reduce_only: order.reduceOnly,
    }
    const made = { ...terms, order_state: 'untriggered', timestamp: order.createdAt }
    if (isOpen(order)) return [made]
    const ended = { ...terms, order_state: stateOf(order), timestamp: order.updatedAt }
    return [{ ...ended, ...defined({ order_id: child?.id }) }, made]
  })
  return { entries: entries.reverse() }
}

function stateOf({ phase, reason }: ModelOrder): string {
  if (phase === 'waiting') return 'untriggered'
  if (phase === 'resting') return 'open'
  if (phase === 'filled') return 'filled'
  return reason === 'fired' ? 'triggered' : reason === 'trigger-failed' ? 'rejected' : 'cancelled'
}

function orderRow(order: ModelOrder): unknown {
  const { price, trigger, phase, parent, act } = order
  const isMarket = price === undefined
  const typeOf = trigger === undefined ? (isMarket ? 'market' : 'limit') : (order.said.type ?? 'stop_market')
  const times = { gtc: 'good_til_cancelled', ioc: 'immediate_or_cancel', fok: 'fill_or_kill' }
  return {
    order_id: order.id,
    order_state: stateOf(order),
    instrument_name: order.market.id,
    direction: order.side,
    label: order.clientId,

    order_type: typeOf,
    time_in_force: times[order.timeInForce],
    amount: order.amount.toNumber(),
    contracts: 1,
    replaced: false,

    price: price?.toNumber() ?? (trigger === undefined ? averageOf(order).toNumber() : 'market_price'),
    post_only: order.postOnly,
    ...(phase === 'waiting'
      ? {}
      : { filled_amount: order.filled.toNumber(), average_price: averageOf(order).toNumber() }),

    reduce_only: order.reduceOnly,
    is_liquidation: act === 'liquidation',
    api: order.clientId !== '',
    web: order.clientId === '',
    ...(trigger !== undefined && {
      trigger_price: trigger.price.toNumber(),
      trigger: 'last_price',
      triggered: order.triggeredAt > 0,
    }),
    ...(parent !== undefined && { trigger_order_id: parent.id, triggered: true }),
    creation_timestamp: order.createdAt,
    last_update_timestamp: order.updatedAt,
  }
}

function trades(asked: Asked): unknown {
  const { engine, fields, now } = asked
  const isOld = fields.historical === 'true'
  const [name, order] = [textIn(fields, 'instrument_name'), textIn(fields, 'order_id')]
  const [from, until] = [Number(textIn(fields, 'start_timestamp') ?? 0), Number(textIn(fields, 'end_timestamp') ?? now)]
  const found = engine.fills.filter(
    (fill) =>
      fill.time >= from &&
      fill.time <= until &&
      now - fill.time <= RECENT_TRADES_MS === !isOld &&
      (name === undefined || fill.order.market.id === name) &&
      (order === undefined || fill.order.id === order),
  )
  const page = pageOf(fields.sorting === 'asc' ? found : found.reverse(), textIn(fields, 'count'), 10, 1000)
  return { trades: page.map(tradeRow), has_more: page.length < found.length }
}

function tradeRow({ id, order, price, amount, fee, isMaker, realized, time }: ModelFill): unknown {
  return {
    trade_id: id,
    trade_seq: Number(id.slice(5)),
    timestamp: time,
    instrument_name: order.market.id,
    order_id: order.id,

    direction: order.side,
    price: price.toNumber(),
    amount: amount.toNumber(),
    contracts: 1,
    fee: fee.toNumber(),
    fee_currency: 'USDC',

    liquidity: isMaker ? 'M' : 'T',
    label: order.clientId,
    order_type: order.price === undefined ? 'market' : 'limit',
    state: stateOf(order),

    profit_loss: realized.toNumber(),
    mark_price: price.toNumber(),
    index_price: price.toNumber(),
    self_trade: false,
    reduce_only: order.reduceOnly,
    post_only: order.postOnly,
    matching_id: null,
    ...(order.act === 'liquidation' && { liquidation: 'T' }),
  }
}
