// Coinbase Advanced, spot: an order's kind is the name of its configuration, it is acknowledged with its id, and there is no question by our id.
import { generateKeyPairSync } from 'node:crypto'
import { Decimal } from 'decimal.js'
import { defined } from '../../../src/base/defined.ts'
import { averageOf } from './engine.ts'
import {
  type Asked,
  assumption,
  documented,
  type Fields,
  type ModelSpec,
  pageOf,
  type Said,
  textIn,
  Whole,
} from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api'

const CLAIMS = [
  documented(
    'an order is acknowledged with success_response: order_id and client_order_id',
    `${DOCS}/orders/create-order`,
  ),
  documented(
    'a client_order_id that was used is answered with its order, and none is made',
    `${DOCS}/orders/create-order`,
  ),
  documented('a refusal is success: false with error_response.error', `${DOCS}/orders/create-order`),
  documented('status: PENDING, OPEN, FILLED, CANCELLED, EXPIRED, FAILED, CANCEL_QUEUED', `${DOCS}/orders/list-orders`),
  documented('trigger_status: STOP_PENDING, STOP_TRIGGERED', `${DOCS}/orders/get-order`),
  documented(
    'a row of an order and of a fill',
    'nautilus_trader coinbase test_data http_orders_list.json, http_fills.json',
  ),
  documented('batch_cancel answers for each id: UNKNOWN_CANCEL_ORDER', `${DOCS}/orders/cancel-order`),
  documented('there are no stops at market', `${DOCS}/orders/create-order, order_configuration`),
  assumption('a stop-limit order keeps its id when it fires'),
  assumption('a stop price that the price has passed fires at once'),
  assumption('what an immediate order or fill-or-kill did not find is CANCELLED'),
  assumption('a stop-limit order that finds no money when triggered is FAILED'),
]

const MARKETS: readonly ModelMarket[] = [pair('BTC', '60000'), pair('ETH', '3000')]

function pair(base: string, startPrice: string): ModelMarket {
  const names = { id: `${base}-USD`, symbol: `${base}USD`, base, quote: 'USD' }
  return { ...names, tick: '0.01', lot: '0.00000001', contractValue: '1', startPrice, maxLeverage: 1 }
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export function coinbaseModel(): ModelSpec {
  const at = '/api/v3/brokerage'
  const keys = {
    apiKey: 'organizations/a/apiKeys/b',
    secret: String(privateKey.export({ type: 'sec1', format: 'pem' })),
  }
  return {
    venue: 'coinbase',
    kind: 'spot',
    keys,
    hosts: ['api.coinbase.com'],
    markets: MARKETS,
    wallet: { USD: '100000', BTC: '10', ETH: '100' },
    policy: {
      uniqueIds: 'no',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'quote',
    },
    idOf: (count) => `11111111-0000-4000-8000-${String(count).padStart(12, '0')}`,
    claims: CLAIMS,
    routes: {
      'GET /v2/time': ({ now }) => ({ data: { iso: new Date(now).toISOString(), epoch: Math.floor(now / 1000) } }),
      [`GET ${at}/time`]: ({ now }) => ({
        iso: new Date(now).toISOString(),
        epochSeconds: String(Math.floor(now / 1000)),
        epochMillis: String(now),
      }),
      [`GET ${at}/market/products`]: products,
      [`GET ${at}/products`]: products,
      [`GET ${at}/market/products/{id}/ticker`]: ticker,
      [`GET ${at}/products/{id}/ticker`]: ticker,
      [`GET ${at}/market/product_book`]: book,
      [`GET ${at}/product_book`]: book,
      [`GET ${at}/transaction_summary`]: () => ({
        total_volume: 0,
        total_fees: 0,
        fee_tier: { pricing_tier: 'A', taker_fee_rate: '0.0005', maker_fee_rate: '0.0002' },
      }),
      [`GET ${at}/key_permissions`]: () => ({
        can_view: true,
        can_trade: true,
        can_transfer: false,
        portfolio_uuid: 'p',
        portfolio_type: 'DEFAULT',
      }),
      [`GET ${at}/accounts`]: accounts,
      [`POST ${at}/orders`]: place,
      [`POST ${at}/orders/batch_cancel`]: cancel,
      [`GET ${at}/orders/historical/batch`]: listed,
      [`GET ${at}/orders/historical/fills`]: fills,
      [`GET ${at}/orders/historical/{id}`]: ({ engine, places }) => ({
        order: orderRow(engine.orders.get(places.id ?? '') ?? refuse('not-found')),
      }),
    },
    isPrivate: ({ path }) => !/\/market\/|\/time$/.test(path),
    isSigned: ({ headers }) => /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/.test(headers.authorization ?? ''),
    changesOrders: ({ method, path }) => method === 'POST' && path.includes('/orders'),
    wrap: (content) => content,
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: { error: 'RESOURCE_EXHAUSTED', code: 8, error_details: 'too many requests', message: 'too many requests' },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    unavailable: () => failed('ORDER_ENTRY_DISABLED'),
    broken: () => ({ status: 500, body: { error: 'INTERNAL', code: 13, message: 'internal' } }),
  }
}

function failed(error: string): Said {
  const error_response = {
    error,
    message: error,
    error_details: '',
    preview_failure_reason: 'UNKNOWN_PREVIEW_FAILURE_REASON',
  }
  return { body: { success: false, failure_reason: 'UNKNOWN_FAILURE_REASON', order_id: '', error_response } }
}

function refusalOf(reason: RefusalReason, { method }: Asked): Said {
  if (method === 'GET' || reason === 'signature') {
    const isUnsigned = reason === 'signature'
    return {
      status: isUnsigned ? 401 : 404,
      body: {
        error: isUnsigned ? 'UNAUTHENTICATED' : 'NOT_FOUND',
        error_details: 'order not found',
        message: 'order not found',
      },
    }
  }
  const words: Partial<Record<RefusalReason, string>> = {
    'bad-symbol': 'INVALID_PRODUCT_ID',
    'insufficient-funds': 'INSUFFICIENT_FUND',
    'post-only': 'INVALID_LIMIT_PRICE_POST_ONLY',
  }
  return failed(words[reason] ?? 'UNSUPPORTED_ORDER_CONFIGURATION')
}

function products({ engine, fields }: Asked): unknown {
  const listed = fields.product_type === 'FUTURE' ? [] : engine.markets
  const rows = listed.map(({ id, base, tick, lot }) => ({
    product_id: id,
    price: '60000',
    base_increment: lot,
    quote_increment: tick,
    price_increment: tick,
    quote_min_size: '1',
    quote_max_size: '150000000',

    base_min_size: lot,
    base_max_size: '34000',
    status: 'online',
    product_type: 'SPOT',
    quote_currency_id: 'USD',
    base_currency_id: base,

    is_disabled: false,
    cancel_only: false,
    limit_only: false,
    post_only: false,
    trading_disabled: false,
    auction_mode: false,
    view_only: false,

    base_display_symbol: base,
    quote_display_symbol: 'USD',
    display_name: id,
    alias: '',
    alias_to: [],
    volume_24h: '1',
  }))
  return { products: rows, num_products: rows.length }
}

function ticker({ engine, places, now }: Asked): unknown {
  const market = engine.market(places.id)
  const { bids, asks } = engine.book(market)
  const last = {
    trade_id: '1',
    product_id: market.id,
    price: engine.last(market).toFixed(),
    size: '1',
    time: new Date(now).toISOString(),
    side: 'BUY',
  }
  return { trades: [last], best_bid: bids[0]?.[0].toFixed(), best_ask: asks[0]?.[0].toFixed() }
}

function book({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'product_id')))
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, size]) => ({ price: price.toFixed(), size: size.toFixed() }))
  return {
    pricebook: {
      product_id: fields.product_id,
      bids: levels(bids),
      asks: levels(asks),
      time: new Date(now).toISOString(),
    },
  }
}

function accounts({ engine: { account } }: Asked): unknown {
  const rows = [...account.wallet].map(([currency, amount]) => {
    const hold = account.locked(currency)
    return {
      uuid: currency,
      name: currency,
      currency,
      available_balance: { value: amount.minus(hold).toFixed(), currency },
      hold: { value: hold.toFixed(), currency },

      default: true,
      active: true,
      type: 'ACCOUNT_TYPE_CRYPTO',
      ready: true,
      retail_portfolio_id: 'p',
      platform: 'ACCOUNT_PLATFORM_CONSUMER',
    }
  })
  return { accounts: rows, has_next: false, cursor: '', size: rows.length }
}

const KINDS: Readonly<
  Record<string, { readonly time: 'gtc' | 'ioc' | 'fok'; readonly isStop?: true; readonly isMarket?: true }>
> = {
  market_market_ioc: { time: 'ioc', isMarket: true },
  sor_limit_ioc: { time: 'ioc' },
  limit_limit_gtc: { time: 'gtc' },
  limit_limit_fok: { time: 'fok' },
  stop_limit_stop_limit_gtc: { time: 'gtc', isStop: true },
}

function place({ engine, fields }: Asked): unknown {
  const market = engine.market(textIn(fields, 'product_id'))
  const clientId = textIn(fields, 'client_order_id') ?? ''
  const [kind = '', terms] = Object.entries(fields.order_configuration as Fields)[0] ?? []
  const { time, isStop, isMarket } = KINDS[kind] ?? refuse('bad-parameter')
  const wish = terms as Fields
  if (wish.base_size === undefined) refuse('bad-parameter')
  const done = (order: ModelOrder) => ({
    success: true,
    success_response: {
      order_id: order.id,
      product_id: order.market.id,
      side: fields.side,
      client_order_id: order.clientId,
    },
    order_configuration: fields.order_configuration,
  })
  const before = engine.named(clientId)
  if (before !== undefined) return done(before)
  const order = engine.place({
    market,
    clientId,
    side: fields.side === 'BUY' ? 'buy' : 'sell',
    amount: new Decimal(String(wish.base_size)),
    timeInForce: time,
    postOnly: wish.post_only === true,
    said: { kind },
    ...(isMarket !== true && { price: new Decimal(String(wish.limit_price)) }),
    ...(isStop === true && {
      trigger: {
        price: new Decimal(String(wish.stop_price)),
        way: String(wish.stop_direction).endsWith('UP') ? 'up' : 'down',
      },
    }),
  })
  return done(order)
}

function cancel({ engine, fields }: Asked): unknown {
  const results = (fields.order_ids as readonly string[]).map((order_id) => {
    const order = engine.orders.get(order_id)
    const isThere = order !== undefined && isOpen(order)
    if (isThere) engine.cancel(order)
    return {
      success: isThere,
      failure_reason: isThere ? 'UNKNOWN_CANCEL_FAILURE_REASON' : 'UNKNOWN_CANCEL_ORDER',
      order_id,
    }
  })
  return new Whole({ body: { results } })
}

function listed({ engine, fields }: Asked): unknown {
  const [wanted, product] = [textIn(fields, 'order_status'), textIn(fields, 'product_ids')]
  const rows = [...engine.orders.values()].filter(
    (order) =>
      (wanted === undefined || statusOf(order) === wanted) && (product === undefined || order.market.id === product),
  )
  return {
    orders: pageOf(rows.reverse(), textIn(fields, 'limit'), 100, 1000).map(orderRow),
    sequence: '0',
    has_next: false,
    cursor: '',
  }
}

function statusOf({ phase, reason }: ModelOrder): string {
  if (phase === 'filled') return 'FILLED'
  if (phase !== 'ended') return 'OPEN'
  return reason === 'trigger-failed' ? 'FAILED' : 'CANCELLED'
}

function orderRow(order: ModelOrder): unknown {
  const { filled, trigger, price, timeInForce, triggeredAt, said } = order
  const times = { gtc: 'GOOD_UNTIL_CANCELLED', ioc: 'IMMEDIATE_OR_CANCEL', fok: 'FILL_OR_KILL' }
  const kind = String(said.kind ?? (trigger === undefined ? 'limit_limit_gtc' : 'stop_limit_stop_limit_gtc'))
  const terms = {
    base_size: order.amount.toFixed(),
    ...defined({ limit_price: price?.toFixed() }),
    ...(kind === 'limit_limit_gtc' && { post_only: order.postOnly }),
    ...(trigger !== undefined && {
      stop_price: trigger.price.toFixed(),
      stop_direction: `STOP_DIRECTION_STOP_${trigger.way.toUpperCase()}`,
    }),
  }
  return {
    order_id: order.id,
    product_id: order.market.id,
    user_id: 'u',
    order_configuration: { [kind]: terms },
    side: order.side.toUpperCase(),

    client_order_id: order.clientId,
    status: statusOf(order),
    time_in_force: times[timeInForce],
    created_time: new Date(order.createdAt).toISOString(),

    filled_size: filled.toFixed(),
    average_filled_price: averageOf(order).toFixed(),
    filled_value: order.cost.toFixed(),
    total_fees: order.fee.toFixed(),

    trigger_status: trigger === undefined ? 'INVALID_ORDER_TYPE' : triggeredAt > 0 ? 'STOP_TRIGGERED' : 'STOP_PENDING',

    order_type: trigger !== undefined ? 'STOP_LIMIT' : price === undefined ? 'MARKET' : 'LIMIT',
    reject_reason: 'REJECT_REASON_UNSPECIFIED',

    product_type: 'SPOT',
    settled: !isOpen(order),
    size_in_quote: false,
    pending_cancel: false,
    is_liquidation: false,
    edit_history: [],
  }
}

function fills({ engine, fields, now }: Asked): unknown {
  const product = textIn(fields, 'product_id', 'product_ids')
  const [start, end] = [textIn(fields, 'start_sequence_timestamp'), textIn(fields, 'end_sequence_timestamp')]
  const [from, until] = [start === undefined ? 0 : Date.parse(start), end === undefined ? now : Date.parse(end)]
  const found = engine.fills.filter(
    ({ time, order }) => time >= from && time <= until && (product === undefined || order.market.id === product),
  )
  return { fills: pageOf(found.reverse(), textIn(fields, 'limit'), 100, 1000).map(fillRow), cursor: '' }
}

function fillRow({ id, order, price, amount, fee, isMaker, time }: ModelFill): unknown {
  const at = new Date(time).toISOString()
  return {
    entry_id: id,
    trade_id: id,
    order_id: order.id,
    trade_time: at,
    sequence_timestamp: at,
    trade_type: 'FILL',
    price: price.toFixed(),

    size: amount.toFixed(),
    commission: fee.toFixed(),
    product_id: order.market.id,
    liquidity_indicator: isMaker ? 'MAKER' : 'TAKER',
    size_in_quote: false,
    user_id: 'u',
    side: order.side.toUpperCase(),
    retail_portfolio_id: 'p',
  }
}
