// Gate v4, contracts settled in USDT and spot: an answer to an order has what it has filled, a trigger order is a row of its own that names the
// order it became, and our id is found for a while only.
import { Decimal } from 'decimal.js'
import { worthOf } from './account.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type ModelSpec, pageOf, type Said, textIn, Whole } from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const FUTURES = 'gateio/gateapi-python docs/FuturesApi.md'
const SPOT = 'gateio/gateapi-python docs/SpotApi.md'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

const CLAIMS = [
  documented('a contract order is found by its text while it is in the book and 60 s after its end', FUTURES),
  documented('one that ended without a fill is gone after 10 minutes', FUTURES),
  documented(
    'a fired trigger order is finished, succeeded, and names the new order in trade_id',
    'docs/FuturesPriceTriggeredOrder.md',
  ),
  documented(
    'finish_as of a trigger order: cancelled, succeeded, failed, expired',
    'docs/FuturesPriceTriggeredOrder.md',
  ),
  documented('rule 1 wants a trigger above last, rule 2 below', 'docs/FuturesPriceTrigger.md'),
  documented(
    'a trigger that the price has passed: AUTO_TRIGGER_PRICE_LESS_LAST, AUTO_TRIGGER_PRICE_GREATE_LAST',
    'ccxt gate.ts, exceptions',
  ),
  documented('the text of a trigger order says where it comes from: web, api or app', 'docs/FuturesInitialOrder.md'),
  documented(
    'finish_as: filled, cancelled, liquidated, ioc, auto_deleveraged, reduce_only, position_closed, stp',
    'docs/FuturesOrder.md',
  ),
  documented('text of a liquidation starts with liq-, of deleveraging it is auto_deleveraging', 'docs/FuturesOrder.md'),
  documented('total leaves out unrealised profit', 'docs/FuturesAccount.md'),
  documented('a leverage of 0 is cross margin, and cross_leverage_limit its leverage', 'docs/Position.md'),
  documented('spot fills: 7 days without times, 7 days from one time, 30 at most', SPOT),
  documented('a spot order is found by its text while it rests, and by its id alone after that', SPOT),
  documented('a spot order is found by its text for an hour after its end', 'SpotApi.md of the releases before 2025'),
  documented(
    'POC_FILL_IMMEDIATELY, ORDER_POC_IMMEDIATE: post-only that would take is refused',
    'ccxt gate.ts, exceptions',
  ),
  assumption('a text may come again: nobody looks'),
  assumption('a liquidation cancels the trigger orders of its contract: failed is said of one whose price was reached'),
  assumption(
    'reduce-only without a position is POSITION_EMPTY; above it, it fills as far as it goes and is reduce_only',
  ),
  assumption(
    'fill-or-kill that cannot be filled whole is taken and ends: as fok on spot, where that is a word, as ioc elsewhere',
  ),
  assumption('the order that a trigger order became has the text ao-<id of the trigger order>'),
  assumption(
    'what ended is not found with 404 ORDER_NOT_FOUND, and cannot be cancelled as ORDER_FINISHED or ORDER_CLOSED',
  ),
]

const LINEAR: readonly ModelMarket[] = [
  contract('BTC', '0.1', '0.0001', '60000'),
  contract('ETH', '0.01', '0.01', '3000'),
]
const PAIRS: readonly ModelMarket[] = [pair('BTC', '0.1', '0.000001', '60000'), pair('ETH', '0.01', '0.0001', '3000')]

function contract(base: string, tick: string, contractValue: string, startPrice: string): ModelMarket {
  const names = { id: `${base}_USDT`, symbol: `${base}USDT`, base, quote: 'USDT', settle: 'USDT' }
  return { ...names, tick, lot: '1', contractValue, startPrice, maxLeverage: 100 }
}

function pair(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: `${base}_USDT`, symbol: `${base}USDT`, base, quote: 'USDT' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 1 }
}

export interface GateOptions {
  /** How long after its end an order is found by its text. */
  readonly textMs?: number
}

export function gateModel(kind: 'linear' | 'spot', options: GateOptions = {}): ModelSpec {
  const isSpot = kind === 'spot'
  const textMs = options.textMs ?? (isSpot ? HOUR_MS : MINUTE_MS)
  return {
    venue: 'gate',
    kind,
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody' },
    hosts: ['api.gateio.ws', 'fx-ws.gateio.ws'],
    markets: isSpot ? PAIRS : LINEAR,
    wallet: isSpot ? { USDT: '100000', BTC: '10', ETH: '100' } : { USDT: '100000' },
    policy: {
      uniqueIds: 'no',
      firedBecomes: 'another',
      passedTrigger: 'refused',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'received',
    },
    idOf: (count) => String(15_675_000 + count),
    claims: CLAIMS,
    routes: {
      'GET /api/v4/spot/time': ({ now }) => ({ server_time: now }),
      'GET /api/v4/account/detail': () => ({ user_id: 1, ip_whitelist: ['192.0.2.1'], key: { mode: 1 }, tier: 0 }),
      'GET /api/v4/unified/unified_mode': () => ({ mode: 'classic' }),
      'GET /api/v4/margin/currency_pairs': () => [],
      ...(isSpot ? spotRoutes(textMs) : futuresRoutes(textMs)),
    },
    isPrivate: ({ path }) => !/\/(time|currency_pairs|contracts|tickers|order_book|candlesticks)$/.test(path),
    isSigned: ({ headers }) => headers.key !== undefined && /^[0-9a-f]{128}$/.test(headers.sign ?? ''),
    sentAt: ({ headers }) => Number(headers.timestamp) * 1000,
    windowMs: 60_000,
    changesOrders: ({ method, path }) => method !== 'GET' && /orders/.test(path),
    wrap: (content) => content,
    refusal: (reason, asked) => refusalOf(reason, asked),
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: { label: 'TOO_MANY_REQUESTS', message: 'Request Rate limit Exceeded (1)' },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    broken: () => ({ status: 500, body: { label: 'SERVER_ERROR', message: 'Internal server error' } }),
  }
}

function refusalOf(reason: RefusalReason, { kind, method, fields }: Asked): Said {
  const isSpot = kind === 'spot'
  const labels: Readonly<Record<RefusalReason, readonly [status: number, label: string]>> = {
    'bad-symbol': isSpot ? [400, 'INVALID_CURRENCY_PAIR'] : [400, 'CONTRACT_NOT_FOUND'],
    'insufficient-funds': isSpot ? [400, 'BALANCE_NOT_ENOUGH'] : [400, 'INSUFFICIENT_AVAILABLE'],
    'reduce-only': [400, 'POSITION_EMPTY'],
    'would-trigger': [400, isRising(fields) ? 'AUTO_TRIGGER_PRICE_GREATE_LAST' : 'AUTO_TRIGGER_PRICE_LESS_LAST'],
    'post-only': isSpot ? [400, 'POC_FILL_IMMEDIATELY'] : [400, 'ORDER_POC_IMMEDIATE'],
    'duplicate-id': [400, 'REPEATED_CREATION'],
    'not-found': [404, 'ORDER_NOT_FOUND'],
    'not-open': method === 'GET' ? [404, 'ORDER_NOT_FOUND'] : [400, isSpot ? 'ORDER_CLOSED' : 'ORDER_FINISHED'],
    leverage: [400, 'LEVERAGE_TOO_HIGH'],
    unchanged: [400, 'NO_CHANGE'],
    'bad-amount': [400, 'INVALID_PARAM_VALUE'],
    'bad-price': [400, 'INVALID_PARAM_VALUE'],
    'bad-parameter': [400, 'INVALID_PARAM_VALUE'],
    fok: [400, 'INVALID_PARAM_VALUE'],
    signature: [401, 'INVALID_SIGNATURE'],
    clock: [403, 'REQUEST_EXPIRED'],
  }
  const [status, label] = labels[reason]
  return { status, body: { label, message: label } }
}

function isRising({ trigger }: Asked['fields']): boolean {
  return (trigger as { readonly rule?: unknown } | undefined)?.rule === 1
}

function seconds(ms: number): number {
  return ms / 1000
}

/** By the venue's id for as long as it is kept, by its text for less. @throws {ModelRefusal} */
function orderIn({ engine, places, now }: Asked, textMs: number): ModelOrder {
  const name = places.id ?? ''
  const order = engine.orders.get(name) ?? engine.named(name)
  if (order === undefined || order.trigger !== undefined) return refuse('not-found')
  const ended = isOpen(order) ? 0 : now - order.updatedAt
  if (name !== order.id && ended > textMs) refuse('not-found')
  if (order.filled.isZero() && ended > 10 * MINUTE_MS) refuse('not-found')
  return order
}

function created(content: unknown): Whole {
  return new Whole({ status: 201, body: content })
}

// Contracts.

function futuresRoutes(textMs: number): ModelSpec['routes'] {
  const at = '/api/v4/futures/usdt'
  return {
    [`GET ${at}/contracts`]: contracts,
    'GET /api/v4/futures/btc/contracts': () => [],
    [`GET ${at}/tickers`]: tickers,
    [`GET ${at}/order_book`]: orderBook,
    [`GET ${at}/candlesticks`]: candles,
    [`GET ${at}/accounts`]: futuresAccount,
    [`GET ${at}/positions`]: ({ engine }) => engine.markets.map((market) => positionRow(engine, market)),
    [`GET ${at}/positions/{contract}`]: ({ engine, places }) => positionRow(engine, engine.market(places.contract)),
    [`POST ${at}/positions/{contract}/leverage`]: setLeverage,
    [`POST ${at}/orders`]: placeContract,
    [`GET ${at}/orders`]: listContracts,
    [`GET ${at}/orders_timerange`]: listContracts,
    [`GET ${at}/orders/{id}`]: (asked) => contractRow(orderIn(asked, textMs)),
    [`DELETE ${at}/orders/{id}`]: (asked) => contractRow(asked.engine.cancel(orderIn(asked, textMs))),
    [`PUT ${at}/orders/{id}`]: (asked) => amendContract(asked, orderIn(asked, textMs)),
    [`POST ${at}/price_orders`]: placeTrigger,
    [`GET ${at}/price_orders`]: listTriggers,
    [`GET ${at}/price_orders/{id}`]: (asked) => triggerRow(triggerIn(asked)),
    [`DELETE ${at}/price_orders/{id}`]: (asked) => triggerRow(asked.engine.cancel(triggerIn(asked))),
    [`GET ${at}/my_trades_timerange`]: contractFills,
    [`GET ${at}/my_trades`]: contractFills,
  }
}

function contracts({ engine }: Asked): unknown {
  return engine.markets.map((market) => ({
    name: market.id,
    type: 'direct',
    quanto_multiplier: market.contractValue,
    order_price_round: market.tick,

    mark_price_round: market.tick,
    order_size_min: 1,
    order_size_max: 100_000_000,
    leverage_min: '1',
    leverage_max: '100',

    maker_fee_rate: '0.0002',
    taker_fee_rate: '0.0005',
    in_delisting: false,
    status: 'trading',
    mark_type: 'index',

    last_price: engine.last(market).toFixed(),
    mark_price: engine.last(market).toFixed(),
    create_time: 1_546_905_600,
  }))
}

function tickers({ engine, fields }: Asked): unknown {
  return askedMarkets(engine, textIn(fields, 'contract')).map((market) => {
    const { bids, asks } = engine.book(market)
    const last = engine.last(market).toFixed()
    const top = { highest_bid: bids[0]?.[0].toFixed(), lowest_ask: asks[0]?.[0].toFixed() }
    return { contract: market.id, last, mark_price: last, index_price: last, ...top }
  })
}

function askedMarkets(engine: Asked['engine'], id: string | undefined): readonly ModelMarket[] {
  return id === undefined ? engine.markets : [engine.market(id)]
}

function orderBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'contract')))
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, size]) => ({ p: price.toFixed(), s: size.toNumber() }))
  return { id: 1, current: seconds(now), update: seconds(now), bids: levels(bids), asks: levels(asks) }
}

function candles({ engine, fields, now }: Asked): unknown {
  const last = engine.last(engine.market(textIn(fields, 'contract'))).toFixed()
  return [{ t: Math.floor(now / MINUTE_MS) * 60, v: 1, c: last, h: last, l: last, o: last, sum: last }]
}

function futuresAccount({ engine }: Asked): unknown {
  const { wallet, unrealized, inPositions, inOrders, available } = engine.account.funds('USDT')
  return {
    currency: 'USDT',
    total: wallet.toFixed(),
    unrealised_pnl: unrealized.toFixed(),
    in_dual_mode: false,
    position_margin: inPositions.toFixed(),
    order_margin: inOrders.toFixed(),
    available: available.toFixed(),
  }
}

function positionRow(engine: Asked['engine'], market: ModelMarket): unknown {
  const held = engine.positions().find((each) => each.market === market)
  const [last, size, entry] = [engine.last(market), held?.amount ?? new Decimal(0), held?.entry ?? new Decimal(0)]
  return {
    user: 1,
    contract: market.id,
    size: size.toNumber(),
    leverage: '0',
    mode: 'single',
    leverage_max: '100',
    cross_leverage_limit: String(engine.account.leverageOf(market)),
    mark_price: last.toFixed(),
    liq_price: '0',
    value: worthOf(size.abs(), last, market).toFixed(),
    entry_price: entry.toFixed(),
    margin: '0',

    unrealised_pnl: worthOf(size, last.minus(entry), market).toFixed(),
    realised_pnl: (held?.realized ?? new Decimal(0)).toFixed(),

    pending_orders: 0,
    update_time: Math.floor(seconds(held?.updatedAt ?? 0)),
    open_time: Math.floor(seconds(held?.openedAt ?? 0)),
  }
}

function setLeverage({ engine, places, fields }: Asked): unknown {
  const market = engine.market(places.contract)
  const isCross = textIn(fields, 'leverage') === '0'
  const wanted = Number(textIn(fields, isCross ? 'cross_leverage_limit' : 'leverage'))
  if (!(wanted >= 1 && wanted <= market.maxLeverage)) refuse('leverage')
  engine.account.leverage.set(market.id, wanted)
  return positionRow(engine, market)
}

const TIMES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = { gtc: 'gtc', ioc: 'ioc', fok: 'fok', poc: 'gtc' }

function placeContract({ engine, fields }: Asked): Whole {
  const size = new Decimal(textIn(fields, 'size') ?? 0)
  const price = new Decimal(textIn(fields, 'price') ?? 0)
  const tif = textIn(fields, 'tif') ?? 'gtc'
  const time = TIMES[tif]
  if (time === undefined || (price.isZero() && tif !== 'ioc' && tif !== 'fok')) return refuse('bad-parameter')
  const order = engine.place({
    market: engine.market(textIn(fields, 'contract')),
    clientId: textIn(fields, 'text') ?? '',
    timeInForce: time,
    side: size.gt(0) ? 'buy' : 'sell',
    amount: size.abs(),
    postOnly: tif === 'poc',
    reduceOnly: fields.reduce_only === true,
    ...(!price.isZero() && { price }),
  })
  return created(contractRow(order))
}

function amendContract({ engine, fields }: Asked, order: ModelOrder): unknown {
  const [size, price] = [textIn(fields, 'size'), textIn(fields, 'price')]
  engine.amend(order, {
    ...(size !== undefined && { amount: new Decimal(size).abs() }),
    ...(price !== undefined && { price: new Decimal(price) }),
  })
  return contractRow(order)
}

function contractRow(order: ModelOrder): unknown {
  const sign = order.side === 'buy' ? 1 : -1
  return {
    id: Number(order.id),
    user: 1,
    contract: order.market.id,
    create_time: seconds(order.createdAt),
    size: order.amount.times(sign).toNumber(),
    left: order.amount.minus(order.filled).times(sign).toNumber(),
    price: (order.price ?? new Decimal(0)).toFixed(),
    fill_price: averageOf(order).toFixed(),
    iceberg: 0,
    tif: order.price === undefined ? 'ioc' : order.postOnly ? 'poc' : order.timeInForce,
    text: textOf(order),
    is_reduce_only: order.reduceOnly,
    is_close: false,
    is_liq: order.act === 'liquidation',
    refu: 0,
    mkfr: '0.0002',
    tkfr: '0.0005',
    stp_id: 0,
    stp_act: '-',
    amend_text: '-',
    ...(isOpen(order)
      ? { status: 'open' }
      : { status: 'finished', finish_time: seconds(order.updatedAt), finish_as: finishOf(order) }),
  }
}

function textOf({ act, clientId, parent, id }: ModelOrder): string {
  if (act !== undefined) return act === 'liquidation' ? `liq-${id}` : 'auto_deleveraging'
  return parent === undefined ? (clientId === '' ? 'web' : clientId) : `ao-${parent.id}`
}

function finishOf({ phase, reason, act }: ModelOrder): string {
  if (act !== undefined) return act === 'liquidation' ? 'liquidated' : 'auto_deleveraged'
  if (phase === 'filled') return 'filled'
  const words: Readonly<Record<string, string>> = {
    canceled: 'cancelled',
    ioc: 'ioc',
    'book-empty': 'ioc',
    fok: 'ioc',
    liquidation: 'liquidated',
    'reduce-only': 'reduce_only',
    'position-closed': 'position_closed',
  }
  return words[reason ?? ''] ?? 'cancelled'
}

function newestFirst(asked: Asked, isTrigger: boolean): readonly ModelOrder[] {
  const { engine, fields } = asked
  const wanted = textIn(fields, 'contract', 'currency_pair')
  const isOpenAsked = (textIn(fields, 'status') ?? 'open') === 'open'
  const found = [...engine.orders.values()].filter(
    (order) =>
      isOpen(order) === isOpenAsked &&
      (order.trigger !== undefined) === isTrigger &&
      (wanted === undefined || order.market.id === wanted),
  )
  const skipped = Number(textIn(fields, 'offset') ?? 0)
  return pageOf(found.reverse().slice(skipped), textIn(fields, 'limit'), 100, 1000)
}

function listContracts(asked: Asked): unknown {
  const kept = newestFirst(asked, false).filter(
    (order) => isOpen(order) || !order.filled.isZero() || asked.now - order.updatedAt <= 10 * MINUTE_MS,
  )
  return kept.map(contractRow)
}

interface TriggerWish {
  readonly initial: Readonly<Record<string, unknown>>
  readonly trigger: Readonly<Record<string, unknown>>
}

function placeTrigger({ engine, fields, body }: Asked): Whole {
  const { initial, trigger } = body as TriggerWish
  if (initial === undefined || trigger === undefined) return refuse('bad-parameter')
  const size = new Decimal(textIn(initial, 'size') ?? 0)
  const price = new Decimal(textIn(initial, 'price') ?? 0)
  const rule = Number(trigger.rule)
  const order = engine.place({
    // By this name it is not found: the row says where it comes from.
    market: engine.market(textIn(initial, 'contract')),
    clientId: '',
    side: size.gt(0) ? 'buy' : 'sell',

    amount: size.abs(),
    reduceOnly: initial.reduce_only === true,
    said: { rule, text: 'api', asked: fields.text ?? '' },
    ...(!price.isZero() && { price }),
    trigger: { price: new Decimal(textIn(trigger, 'price') ?? 0), way: rule === 1 ? 'up' : 'down' },
  })
  return created({ id: Number(order.id) })
}

function triggerIn({ engine, places }: Asked): ModelOrder {
  const order = engine.orders.get(places.id ?? '')
  return order?.trigger === undefined ? refuse('not-found') : order
}

function listTriggers(asked: Asked): unknown {
  return newestFirst(asked, true).map(triggerRow)
}

function triggerRow(order: ModelOrder): unknown {
  const { child, said, trigger, reason } = order
  const isTakenBack = reason === 'canceled' || reason === 'liquidation'
  const finish = reason === 'fired' ? 'succeeded' : isTakenBack ? 'cancelled' : 'failed'
  return {
    id: Number(order.id),
    user: 1,
    create_time: seconds(order.createdAt),
    order_type: '',
    initial: {
      contract: order.market.id,
      size: order.amount.times(order.side === 'buy' ? 1 : -1).toNumber(),
      price: (order.price ?? new Decimal(0)).toFixed(),
      tif: order.price === undefined ? 'ioc' : 'gtc',
      text: said.text ?? 'web',
      is_reduce_only: order.reduceOnly,
      is_close: false,
    },
    trigger: {
      strategy_type: 0,
      price_type: 0,
      price: trigger?.price.toFixed(),
      rule: said.rule ?? (trigger?.way === 'up' ? 1 : 2),
      expiration: 0,
    },
    ...(isOpen(order)
      ? { status: 'open', trade_id: 0, reason: '' }
      : {
          status: 'finished',
          finish_time: seconds(order.updatedAt),
          finish_as: finish,
          trade_id: Number(child?.id ?? 0),
          reason: reason === 'trigger-failed' ? 'INSUFFICIENT_AVAILABLE' : '',
        }),
  }
}

function fillsIn(asked: Asked, windowMs: number): readonly ModelFill[] {
  const { engine, fields, now } = asked
  const wanted = textIn(fields, 'contract', 'currency_pair')
  const [from, to] = [textIn(fields, 'from'), textIn(fields, 'to')].map((each) =>
    each === undefined ? undefined : Number(each) * 1000,
  )
  const until = to === undefined ? (from === undefined ? now : Math.min(now, from + windowMs)) : to + 999
  const since = from ?? until - windowMs
  const order = textIn(fields, 'order_id', 'order')
  const found = engine.fills.filter(
    (fill) =>
      fill.time >= since &&
      fill.time <= until &&
      (wanted === undefined || fill.order.market.id === wanted) &&
      (order === undefined || fill.order.id === order),
  )
  const page = Number(textIn(fields, 'page') ?? 1)
  const limit = Number(textIn(fields, 'limit') ?? 100)
  const skipped = Number(textIn(fields, 'offset') ?? (page - 1) * limit)
  return pageOf(found.reverse().slice(skipped), textIn(fields, 'limit'), 100, 1000)
}

function contractFills(asked: Asked): unknown {
  return fillsIn(asked, Number.POSITIVE_INFINITY).map(({ id, order, price, amount, fee, isMaker, time }) => ({
    trade_id: id,
    create_time: seconds(time),
    contract: order.market.id,
    order_id: order.id,
    price: price.toFixed(),

    size: amount.times(order.side === 'buy' ? 1 : -1).toNumber(),
    close_size: 0,
    role: isMaker ? 'maker' : 'taker',
    text: textOf(order),
    fee: fee.toFixed(),
    point_fee: '0',
  }))
}

// Spot.

function spotRoutes(textMs: number): ModelSpec['routes'] {
  const at = '/api/v4/spot'
  return {
    [`GET ${at}/currency_pairs`]: pairs,
    [`GET ${at}/tickers`]: spotTickers,
    [`GET ${at}/order_book`]: spotBook,
    [`GET ${at}/candlesticks`]: spotCandles,
    [`GET ${at}/accounts`]: spotAccounts,
    [`POST ${at}/orders`]: placeSpot,
    [`GET ${at}/orders`]: (asked) => newestFirst(asked, false).map(spotRow),
    [`GET ${at}/open_orders`]: openSpot,
    [`GET ${at}/orders/{id}`]: (asked) => spotRow(orderIn(asked, textMs)),
    [`DELETE ${at}/orders/{id}`]: (asked) => spotRow(asked.engine.cancel(orderIn(asked, textMs))),
    [`GET ${at}/price_orders`]: () => [],
    [`GET ${at}/my_trades`]: spotFills,
  }
}

function pairs({ engine }: Asked): unknown {
  return engine.markets.map(({ id, base, quote, lot, tick }) => ({
    id,
    base,
    quote,
    fee: '0.2',
    min_base_amount: lot,
    min_quote_amount: '3',
    max_quote_amount: '50000000',

    amount_precision: new Decimal(lot).dp(),
    precision: new Decimal(tick).dp(),
    trade_status: 'tradable',
    type: 'normal',
  }))
}

function spotTickers({ engine, fields }: Asked): unknown {
  return askedMarkets(engine, textIn(fields, 'currency_pair')).map((market) => {
    const { bids, asks } = engine.book(market)
    const top = { highest_bid: bids[0]?.[0].toFixed(), lowest_ask: asks[0]?.[0].toFixed() }
    return { currency_pair: market.id, last: engine.last(market).toFixed(), ...top }
  })
}

function spotBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'currency_pair')))
  const levels = (side: typeof bids) => side.slice(0, 20).map(([price, size]) => [price.toFixed(), size.toFixed()])
  return { id: 1, current: now, update: now, bids: levels(bids), asks: levels(asks) }
}

function spotCandles({ engine, fields, now }: Asked): unknown {
  const last = engine.last(engine.market(textIn(fields, 'currency_pair'))).toFixed()
  return [[String(Math.floor(now / MINUTE_MS) * 60), last, last, last, last, last, '1', 'false']]
}

function spotAccounts({ engine: { account } }: Asked): unknown {
  return [...account.wallet].map(([currency, amount]) => {
    const locked = account.locked(currency)
    return { currency, available: amount.minus(locked).toFixed(), locked: locked.toFixed(), update_id: 1 }
  })
}

function placeSpot({ engine, fields }: Asked): Whole {
  const isMarket = fields.type === 'market'
  const tif = textIn(fields, 'time_in_force') ?? 'gtc'
  const time = TIMES[tif]
  // A market buy is of money there, and no order of ours.
  if (time === undefined || (isMarket && (fields.side === 'buy' || time === 'gtc'))) return refuse('bad-parameter')
  const order = engine.place({
    market: engine.market(textIn(fields, 'currency_pair')),
    clientId: textIn(fields, 'text') ?? '',
    timeInForce: time,

    side: fields.side === 'buy' ? 'buy' : 'sell',
    amount: new Decimal(textIn(fields, 'amount') ?? 0),
    postOnly: tif === 'poc',
    ...(!isMarket && { price: new Decimal(textIn(fields, 'price') ?? 0) }),
  })
  return created(spotRow(order))
}

function openSpot(asked: Asked): unknown {
  const open = asked.engine.open()
  return askedMarkets(asked.engine, undefined).flatMap((market) => {
    const orders = open.filter((order) => order.market === market).map(spotRow)
    return orders.length === 0 ? [] : [{ currency_pair: market.id, total: orders.length, orders }]
  })
}

function spotRow(order: ModelOrder): unknown {
  const { filled, amount, price, timeInForce, postOnly, side, market } = order
  const status = isOpen(order) ? 'open' : order.phase === 'filled' ? 'closed' : 'cancelled'
  const words: Readonly<Record<string, string>> = {
    canceled: 'cancelled',
    ioc: 'ioc',
    fok: 'fok',
    'book-empty': 'depth_not_enough',
  }
  const finish = isOpen(order) ? 'open' : order.phase === 'filled' ? 'filled' : (words[order.reason ?? ''] ?? 'unknown')
  return {
    id: order.id,
    text: order.clientId === '' ? '3' : order.clientId,
    amend_text: '-',
    currency_pair: market.id,
    create_time: String(Math.floor(seconds(order.createdAt))),
    create_time_ms: order.createdAt,
    update_time: String(Math.floor(seconds(order.updatedAt))),
    update_time_ms: order.updatedAt,
    status,
    finish_as: finish,
    type: price === undefined ? 'market' : 'limit',
    account: 'spot',
    side,
    amount: amount.toFixed(),
    price: (price ?? new Decimal(0)).toFixed(),
    left: amount.minus(filled).toFixed(),

    time_in_force: price === undefined ? 'ioc' : postOnly ? 'poc' : timeInForce,
    iceberg: '0',
    filled_amount: filled.toFixed(),

    fill_price: order.cost.toFixed(),
    filled_total: order.cost.toFixed(),
    avg_deal_price: averageOf(order).toFixed(),

    fee: order.fee.toFixed(),
    fee_currency: side === 'buy' ? market.base : market.quote,
    gt_fee: '0',
    point_fee: '0',
    rebated_fee: '0',
    rebated_fee_currency: side === 'buy' ? market.quote : market.base,
    stp_id: 0,
    stp_act: '-',
  }
}

function spotFills(asked: Asked): unknown {
  return fillsIn(asked, 7 * DAY_MS).map(({ id, order, price, amount, fee, feeCurrency, isMaker, time }) => ({
    id,
    create_time: String(Math.floor(seconds(time))),
    create_time_ms: `${time}.000000`,
    currency_pair: order.market.id,

    side: order.side,
    role: isMaker ? 'maker' : 'taker',
    amount: amount.toFixed(),
    price: price.toFixed(),
    order_id: order.id,

    fee: fee.toFixed(),
    fee_currency: feeCurrency,
    gt_fee: '0',
    point_fee: '0',
    text: textOf(order),
    amend_text: '-',
  }))
}
