// Bybit v5, unified account, linear and spot: every order is acknowledged first, a trigger order goes on under its own id, and what has ended is
// kept in a list that a restart of the venue clears.
import { Decimal } from 'decimal.js'
import { defined } from '../../../src/base/defined.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type Fields, type ModelSpec, pageOf, textIn } from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'bybit-exchange.github.io/docs/v5'
const DAY_MS = 86_400_000

const CLAIMS = [
  documented(
    'an order is acknowledged with its ids alone; what became of it is told later',
    `${DOCS}/order/create-order`,
  ),
  documented('orderLinkId is always unique', `${DOCS}/order/create-order`),
  documented(
    'a conditional order binds no margin; if it is short when triggered, the order is cancelled',
    `${DOCS}/order/create-order`,
  ),
  documented(
    'a trigger price that is not beyond the market is refused: 110092 rising, 110093 falling',
    `${DOCS}/error`,
  ),
  documented('PostOnly that would fill is taken and then cancelled', `${DOCS}/order/create-order`),
  documented('order/realtime lists open orders; by id also the last 500 that ended', `${DOCS}/order/open-order`),
  documented('after a release or restart what has ended is only in order/history', `${DOCS}/order/open-order`),
  documented(
    'order/history has fully cancelled, rejected and deactivated orders for 24 hours',
    `${DOCS}/order/order-list`,
  ),
  documented('execution/list answers for 7 days from startTime, and for the last 7 without', `${DOCS}/order/execution`),
  documented('orderId goes before orderLinkId before symbol; ids make other filters void', `${DOCS}/order/execution`),
  documented('BustTrade and AdlTrade are types of execution beside Trade', `${DOCS}/enum#exectype`),
  documented('an order that liquidation ends says CancelByPrepareLiq', `${DOCS}/enum#canceltype`),
  documented('position/list has a row for a symbol that is asked for, held or not', `${DOCS}/position`),
  documented('110017: nothing is left to reduce; 110007: available balance is insufficient', `${DOCS}/error`),
  documented(
    'a spot order that was filled in part and cancelled is PartiallyFilledCanceled',
    `${DOCS}/enum#orderstatus`,
  ),
  documented(
    'on spot the fee of a buy is taken of the coin that was bought',
    `${DOCS}/enum#spot-fee-currency-instruction`,
  ),
  assumption(
    'a spot conditional order has no direction: it waits for whichever way the price has to go from where it is',
  ),
  assumption('a spot conditional order keeps its orderId when it fires'),
  assumption('a reduce-only order above the position fills as far as it goes and is then CancelByReduceOnly'),
  assumption('a conditional order that fails when triggered has rejectReason EC_Others'),
  assumption('a linear conditional order that is cancelled before its trigger is Deactivated, as on spot'),
]

const LINEAR: readonly ModelMarket[] = [
  market('BTC', '0.10', '0.001', '60000', 'USDT'),
  market('ETH', '0.01', '0.01', '3000', 'USDT'),
]
const SPOT: readonly ModelMarket[] = [
  market('BTC', '0.1', '0.000001', '60000'),
  market('ETH', '0.01', '0.00001', '3000'),
]

function market(base: string, tick: string, lot: string, startPrice: string, settle?: string): ModelMarket {
  const symbol = `${base}USDT`
  return {
    id: symbol,
    symbol,
    base,
    quote: 'USDT',
    tick,
    lot,
    contractValue: '1',
    startPrice,
    maxLeverage: 100,
    ...defined({ settle }),
  }
}

/** The model and what it can be made to do besides. */
export interface BybitModel extends ModelSpec {
  /** As after a release: order/realtime knows nothing that has ended by now. */
  restartVenue(now: number): void
}

export function bybitModel(kind: 'linear' | 'spot'): BybitModel {
  const state = { clearedAt: 0 }
  const isSpot = kind === 'spot'
  return {
    venue: 'bybit',
    kind,
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody' },
    hosts: ['api.bybit.com', 'stream.bybit.com'],
    markets: isSpot ? SPOT : LINEAR,
    wallet: isSpot ? { USDT: '100000', BTC: '10', ETH: '100' } : { USDT: '100000' },
    policy: {
      uniqueIds: 'ever',
      firedBecomes: 'itself',
      passedTrigger: isSpot ? 'fires' : 'refused',
      postOnlyThatTakes: 'ends',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'received',
    },
    idOf: (count) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    claims: CLAIMS,
    restartVenue(now) {
      state.clearedAt = now
    },
    routes: {
      'GET /v5/market/time': ({ now }) => ({ timeSecond: `${Math.floor(now / 1000)}`, timeNano: `${now}000000` }),
      'GET /v5/market/instruments-info': instruments,
      'GET /v5/market/tickers': tickers,
      'GET /v5/market/orderbook': orderBook,
      'GET /v5/market/kline': candles,
      'GET /v5/user/query-api': () => KEY,
      'GET /v5/account/info': () => ({ marginMode: 'REGULAR_MARGIN', unifiedMarginStatus: 5 }),
      'GET /v5/account/wallet-balance': wallet,
      'GET /v5/account/transaction-log': () => ({ list: [], nextPageCursor: '' }),
      'GET /v5/position/list': positions,
      'POST /v5/position/set-leverage': setLeverage,
      'POST /v5/order/create': create,
      'POST /v5/order/amend': amend,
      'POST /v5/order/cancel': cancel,
      'GET /v5/order/realtime': (asked) => realtime(asked, state.clearedAt),
      'GET /v5/order/history': history,
      'GET /v5/execution/list': executions,
    },
    isPrivate: ({ path }) => !path.startsWith('/v5/market/'),
    isSigned: ({ headers }) =>
      headers['x-bapi-api-key'] !== undefined && /^[0-9a-f]{64}$/.test(headers['x-bapi-sign'] ?? ''),
    sentAt: ({ headers }) => Number(headers['x-bapi-timestamp']),
    changesOrders: ({ method, path }) => method === 'POST' && path.startsWith('/v5/order/'),
    wrap: (result, { now }) => ({ retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: now }),
    refusal: (reason, asked) => {
      const [retCode, retMsg] = refusalOf(reason, asked)
      return { body: { retCode, retMsg, result: {}, retExtInfo: {}, time: asked.now } }
    },
    // It tells the reset in a header of its own, and no Retry-After (docs/v5/rate-limit).
    rateLimited: (retryAfterS) => ({
      body: { retCode: 10006, retMsg: 'Too many visits!', result: {}, retExtInfo: {}, time: 0 },
      headers: { 'x-bapi-limit-status': '0', ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }) },
    }),
    broken: () => ({ body: { retCode: 10016, retMsg: 'Server error.', result: {}, retExtInfo: {}, time: 0 } }),
  }
}

const KEY = {
  id: '1',
  readOnly: 0,
  ips: ['192.0.2.1'],
  type: 1,
  expiredAt: '2030-01-01T00:00:00Z',
  unified: 0,
  uta: 1,
  permissions: { ContractTrade: ['Order', 'Position'], Spot: ['SpotTrade'], Wallet: [] },
}

function refusalOf(reason: RefusalReason, { kind, fields, path }: Asked): readonly [code: number, text: string] {
  const isSpot = kind === 'spot'
  switch (reason) {
    case 'bad-symbol':
      return [10001, 'symbol invalid']
    case 'insufficient-funds':
      return isSpot ? [170131, 'Balance insufficient'] : [110007, 'Available balance is insufficient']
    case 'reduce-only':
      return [110017, 'orderQty will be truncated to zero']
    case 'would-trigger':
      return fields.triggerDirection === 1
        ? [110092, 'expect Rising, but trigger_price <= current']
        : [110093, 'expect Falling, but trigger_price >= current']
    case 'duplicate-id':
      return isSpot ? [170141, 'Duplicate clientOrderId'] : [110072, 'OrderLinkedID is duplicate']
    case 'not-found':
    case 'not-open':
      return isSpot ? [170213, 'Order does not exist.'] : [110001, 'order not exists or too late to cancel']
    case 'leverage':
      return [110013, 'Cannot set leverage due to risk limit level.']
    case 'unchanged':
      return path.endsWith('set-leverage') ? [110043, 'leverage not modified'] : [10001, 'order not modified']
    case 'bad-amount':
      return isSpot ? [170136, 'Order quantity lower than the minimum.'] : [10001, 'Qty invalid']
    case 'signature':
      return [10004, 'Error sign']
    case 'clock':
      return [10002, 'The request time exceeds the time window range.']
    case 'bad-price':
    case 'bad-parameter':
    case 'post-only':
    case 'fok':
      return [10001, 'Request parameter error']
  }
}

function instruments({ engine, kind, fields }: Asked): unknown {
  if (fields.status === 'PreLaunch' || fields.category !== kind)
    return { category: fields.category, list: [], nextPageCursor: '' }
  const list = engine.markets.map(({ id, base, quote, tick, lot }) =>
    kind === 'spot'
      ? {
          symbol: id,
          baseCoin: base,
          quoteCoin: quote,
          status: 'Trading',
          marginTrading: 'none',
          lotSizeFilter: {
            basePrecision: lot,
            quotePrecision: '0.0000001',
            minOrderQty: lot,
            maxOrderQty: '100000',
            minOrderAmt: '5',
            maxOrderAmt: '8000000',
            maxLimitOrderQty: '100000',
            maxMarketOrderQty: '50000',
          },
          priceFilter: { tickSize: tick },
        }
      : {
          symbol: id,
          contractType: 'LinearPerpetual',
          status: 'Trading',
          baseCoin: base,
          quoteCoin: quote,
          launchTime: '1585526400000',
          deliveryTime: '0',
          settleCoin: 'USDT',
          fundingInterval: 480,
          leverageFilter: { minLeverage: '1', maxLeverage: '100.00', leverageStep: '0.01' },
          priceFilter: { minPrice: tick, maxPrice: '1999999.80', tickSize: tick },
          lotSizeFilter: {
            maxOrderQty: '1190.000',
            minOrderQty: lot,
            qtyStep: lot,
            maxMktOrderQty: '1190.000',
            minNotionalValue: '5',
          },
        },
  )
  return { category: kind, list, nextPageCursor: '' }
}

function tickers({ engine, kind, fields }: Asked): unknown {
  const rows = fields.symbol === undefined ? engine.markets : [engine.market(textIn(fields, 'symbol'))]
  const list = rows.map((each) => {
    const { bids, asks } = engine.book(each)
    const last = engine.last(each).toFixed()
    return {
      symbol: each.id,
      lastPrice: last,
      markPrice: last,
      indexPrice: last,
      bid1Price: bids[0]?.[0].toFixed(),
      bid1Size: bids[0]?.[1].toFixed(),
      ask1Price: asks[0]?.[0].toFixed(),
      ask1Size: asks[0]?.[1].toFixed(),
    }
  })
  return { category: kind, list }
}

function orderBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) => side.slice(0, 50).map(([price, amount]) => [price.toFixed(), amount.toFixed()])
  return { s: fields.symbol, b: levels(bids), a: levels(asks), ts: now, u: 1, seq: 1 }
}

function candles({ engine, fields, now, kind }: Asked): unknown {
  const each = engine.market(textIn(fields, 'symbol'))
  const last = engine.last(each).toFixed()
  const start = String(Math.floor(now / 60_000) * 60_000)
  return { category: kind, symbol: each.id, list: [[start, last, last, last, last, '1', last]] }
}

function wallet({ engine }: Asked): unknown {
  const { account } = engine
  const coin = [...account.wallet].map(([currency, amount]) => {
    const { unrealized, inPositions, inOrders } = account.funds(currency)
    const locked = account.locked(currency)
    return {
      coin: currency,
      walletBalance: amount.toFixed(),
      equity: amount.plus(unrealized).toFixed(),
      unrealisedPnl: unrealized.toFixed(),
      locked: locked.toFixed(),
      totalPositionIM: inPositions.toFixed(),
      totalOrderIM: inOrders.minus(locked).toFixed(),
    }
  })
  return { list: [{ accountType: 'UNIFIED', coin }] }
}

function positions({ engine, kind, fields }: Asked): unknown {
  const symbol = textIn(fields, 'symbol')
  const held = engine.positions()
  const rows = symbol === undefined ? held.map((each) => each.market) : [engine.market(symbol)]
  const list = rows.map((each) => {
    const position = held.find(({ market: own }) => own === each)
    const [last, leverage] = [engine.last(each), engine.account.leverageOf(each)]
    const amount = position?.amount ?? new Decimal(0)
    const entry = position?.entry ?? new Decimal(0)
    return {
      symbol: each.id,
      positionIdx: 0,
      leverage: String(leverage),
      tradeMode: 0,
      positionStatus: 'Normal',
      side: amount.isZero() ? '' : amount.gt(0) ? 'Buy' : 'Sell',
      size: amount.abs().toFixed(),
      avgPrice: amount.isZero() ? '0' : entry.toFixed(),
      markPrice: last.toFixed(),
      liqPrice: '',
      bustPrice: '',
      positionValue: amount.isZero() ? '' : amount.abs().times(entry).toFixed(),
      positionIM: amount.abs().times(last).div(leverage).toFixed(),
      unrealisedPnl: amount.times(last.minus(entry)).toFixed(),
      curRealisedPnl: (position?.realized ?? new Decimal(0)).toFixed(),
      createdTime: String(position?.openedAt ?? 0),
      updatedTime: String(position?.updatedAt ?? 0),
    }
  })
  return { category: kind, list, nextPageCursor: '' }
}

function setLeverage({ engine, fields }: Asked): unknown {
  const each = engine.market(textIn(fields, 'symbol'))
  const wanted = Number(textIn(fields, 'buyLeverage'))
  if (!(wanted >= 1 && wanted <= each.maxLeverage)) refuse('leverage')
  if (engine.account.leverageOf(each) === wanted) refuse('unchanged')
  engine.account.leverage.set(each.id, wanted)
  return {}
}

const TIMES = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', PostOnly: 'gtc' } as const

function create({ engine, kind, fields }: Asked): unknown {
  const each = engine.market(textIn(fields, 'symbol'))
  const isMarket = fields.orderType === 'Market'
  // A market buy by money is another order than any of ours.
  if (kind === 'spot' && isMarket && fields.side === 'Buy' && fields.marketUnit !== 'baseCoin') refuse('bad-parameter')
  const triggerPrice = textIn(fields, 'triggerPrice')
  const time = textIn(fields, 'timeInForce') ?? 'GTC'
  if (!Object.hasOwn(TIMES, time)) refuse('bad-parameter')
  const price = textIn(fields, 'price')
  const order = engine.place({
    market: each,
    clientId: textIn(fields, 'orderLinkId') ?? '',
    side: fields.side === 'Buy' ? 'buy' : 'sell',
    amount: new Decimal(textIn(fields, 'qty') ?? 0),
    timeInForce: TIMES[time as keyof typeof TIMES],
    postOnly: time === 'PostOnly',
    reduceOnly: fields.reduceOnly === true,
    ...(!isMarket && { price: new Decimal(price ?? 0) }),
    ...(triggerPrice !== undefined && {
      trigger: { price: new Decimal(triggerPrice), way: wayOf(fields, triggerPrice, engine.last(each)) },
    }),
    said: {
      triggerDirection: fields.triggerDirection ?? 0,
      orderFilter: fields.orderFilter ?? 'Order',
      triggerBy: fields.triggerBy ?? '',
    },
  })
  return { orderId: order.id, orderLinkId: order.clientId }
}

function wayOf({ triggerDirection }: Fields, price: string, last: Decimal): 'up' | 'down' {
  if (triggerDirection !== undefined) return triggerDirection === 1 ? 'up' : 'down'
  return last.lt(price) ? 'up' : 'down'
}

/** @throws {ModelRefusal} */
function orderIn({ engine, fields }: Asked): ModelOrder {
  const id = textIn(fields, 'orderId')
  const found = id === undefined ? engine.named(textIn(fields, 'orderLinkId') ?? '') : engine.orders.get(id)
  return found !== undefined && isOpen(found) ? found : refuse('not-found')
}

function amend(asked: Asked): unknown {
  const order = orderIn(asked)
  const { engine, fields } = asked
  const [qty, price, trigger] = [textIn(fields, 'qty'), textIn(fields, 'price'), textIn(fields, 'triggerPrice')]
  engine.amend(order, {
    ...(qty !== undefined && { amount: new Decimal(qty) }),
    ...(price !== undefined && order.price !== undefined && { price: new Decimal(price) }),
    ...(trigger !== undefined &&
      order.trigger !== undefined && { trigger: { ...order.trigger, price: new Decimal(trigger) } }),
  })
  return { orderId: order.id, orderLinkId: order.clientId }
}

function cancel(asked: Asked): unknown {
  const order = asked.engine.cancel(orderIn(asked))
  return { orderId: order.id, orderLinkId: order.clientId }
}

function isOf({ fields }: Asked, order: ModelOrder): boolean {
  const { orderId, orderLinkId, symbol, orderFilter } = fields
  if (textIn(fields, 'orderId') !== undefined) return order.id === orderId
  if (textIn(fields, 'orderLinkId') !== undefined) return order.clientId === orderLinkId
  const isKind = orderFilter === undefined || (orderFilter === 'StopOrder') === (order.trigger !== undefined)
  return isKind && (symbol === undefined || order.market.id === symbol)
}

function newestFirst(orders: Iterable<ModelOrder>): readonly ModelOrder[] {
  return [...orders].sort((left, right) => right.createdAt - left.createdAt)
}

function realtime(asked: Asked, clearedAt: number): unknown {
  const { engine, fields, kind } = asked
  const isNamed = textIn(fields, 'orderId', 'orderLinkId') !== undefined
  const orders = newestFirst(engine.orders.values()).filter((order) => isOf(asked, order))
  const shown = orders.filter((order) =>
    isOpen(order)
      ? fields.openOnly !== '1' || isNamed
      : (isNamed || fields.openOnly === '1') && order.updatedAt > clearedAt,
  )
  return {
    category: kind,
    list: pageOf(shown, textIn(fields, 'limit'), 20, 50).map((order) => orderRow(order, kind)),
    nextPageCursor: '',
  }
}

function history(asked: Asked): unknown {
  const { engine, fields, kind, now } = asked
  const { from, until } = windowOf(asked)
  const isNamed = textIn(fields, 'orderId', 'orderLinkId') !== undefined
  const orders = newestFirst(engine.orders.values()).filter((order) => {
    if (isOpen(order) || !isOf(asked, order)) return false
    if (order.filled.isZero()) return order.updatedAt > now - DAY_MS
    return isNamed || (order.createdAt >= from && order.createdAt <= until)
  })
  return {
    category: kind,
    list: pageOf(orders, textIn(fields, 'limit'), 20, 50).map((order) => orderRow(order, kind)),
    nextPageCursor: '',
  }
}

function windowOf({ fields, now }: Asked): { readonly from: number; readonly until: number } {
  const [start, end] = [textIn(fields, 'startTime'), textIn(fields, 'endTime')]
  if (start !== undefined && end !== undefined) {
    if (Number(end) - Number(start) > 7 * DAY_MS) refuse('bad-parameter')
    return { from: Number(start), until: Number(end) }
  }
  if (start !== undefined) return { from: Number(start), until: Number(start) + 7 * DAY_MS }
  const until = end === undefined ? now : Number(end)
  return { from: until - 7 * DAY_MS, until }
}

function executions(asked: Asked): unknown {
  const { engine, fields, kind } = asked
  const { from, until } = windowOf(asked)
  const isNamed = textIn(fields, 'orderId', 'orderLinkId') !== undefined
  const type = textIn(fields, 'execType')
  const found = engine.fills.filter(
    (fill) =>
      isOf(asked, fill.order) &&
      (isNamed || ((type === undefined || typeOf(fill) === type) && fill.time >= from && fill.time <= until)),
  )
  const skipped = Number(textIn(fields, 'cursor') ?? 0)
  const page = pageOf(found.reverse().slice(skipped), textIn(fields, 'limit'), 50, 100)
  const next = skipped + page.length
  return {
    category: kind,
    list: page.map((fill) => fillRow(fill, kind)),
    nextPageCursor: next < found.length ? String(next) : '',
  }
}

function typeOf({ order }: ModelFill): string {
  return order.act === undefined ? 'Trade' : order.act === 'liquidation' ? 'BustTrade' : 'AdlTrade'
}

function fillRow(fill: ModelFill, kind: string): unknown {
  const { order, price, amount, fee, feeCurrency, isMaker, time, id } = fill
  const createType =
    order.act === undefined ? (order.trigger === undefined ? 'CreateByUser' : 'CreateByStopOrder') : CREATED[order.act]
  return {
    symbol: order.market.id,
    orderId: order.id,
    orderLinkId: order.clientId,
    side: word(order.side),
    orderPrice: (order.price ?? price).toFixed(),
    orderQty: order.amount.toFixed(),
    orderType: typeWord(order),
    execId: id,
    execPrice: price.toFixed(),
    execQty: amount.toFixed(),
    execValue: price.times(amount).toFixed(),
    execType: typeOf(fill),
    execTime: String(time),
    execFee: fee.toFixed(),
    feeCurrency,
    isMaker,
    closedSize: '',
    leavesQty: '0',
    stopOrderType: order.trigger === undefined ? '' : 'Stop',
    ...(kind !== 'spot' && { createType }),
  }
}

const CREATED = { liquidation: 'CreateByTakeOver_PassThrough', deleveraging: 'CreateByAdl_PassThrough' } as const

function word(side: string): string {
  return side === 'buy' ? 'Buy' : 'Sell'
}

function typeWord({ price }: ModelOrder): string {
  return price === undefined ? 'Market' : 'Limit'
}

function orderRow(order: ModelOrder, kind: string): unknown {
  const { filled, amount, trigger, postOnly, timeInForce, said } = order
  const status = statusOf(order, kind)
  const isAtOnce = order.price === undefined
  return {
    symbol: order.market.id,
    orderId: order.id,
    orderLinkId: order.clientId,
    side: word(order.side),
    isLeverage: '',

    orderType: typeWord(order),
    price: (order.price ?? new Decimal(0)).toFixed(),
    qty: amount.toFixed(),
    positionIdx: 0,
    orderStatus: status,
    cancelType: cancelTypeOf(order),
    rejectReason: rejectReasonOf(order),
    avgPrice: filled.isZero() ? '' : averageOf(order).toFixed(),
    cumExecQty: filled.toFixed(),
    cumExecValue: order.cost.toFixed(),
    cumExecFee: order.fee.toFixed(),
    leavesQty: isOpen(order) ? amount.minus(filled).toFixed() : '0',
    timeInForce: postOnly ? 'PostOnly' : isAtOnce ? 'IOC' : timeInForce.toUpperCase(),
    reduceOnly: order.reduceOnly,
    closeOnTrigger: false,
    triggerPrice: trigger?.price.toFixed() ?? '',

    triggerDirection: Number(said.triggerDirection ?? 0),
    triggerBy: said.triggerBy ?? '',
    takeProfit: '',
    stopLoss: '',

    stopOrderType: trigger === undefined ? '' : 'Stop',
    marketUnit: kind === 'spot' && isAtOnce ? 'baseCoin' : '',
    createdTime: String(order.createdAt),
    updatedTime: String(order.updatedAt),
  }
}

function statusOf({ phase, filled, trigger, triggeredAt }: ModelOrder, kind: string): string {
  if (phase === 'waiting') return 'Untriggered'
  if (phase === 'filled') return 'Filled'
  if (phase === 'resting') return filled.isZero() ? 'New' : 'PartiallyFilled'
  if (kind === 'spot' && !filled.isZero()) return 'PartiallyFilledCanceled'
  return trigger !== undefined && triggeredAt === 0 ? 'Deactivated' : 'Cancelled'
}

function cancelTypeOf({ reason }: ModelOrder): string {
  if (reason === 'canceled') return 'CancelByUser'
  if (reason === 'reduce-only' || reason === 'position-closed') return 'CancelByReduceOnly'
  return reason === 'liquidation' ? 'CancelByPrepareLiq' : 'UNKNOWN'
}

function rejectReasonOf({ reason }: ModelOrder): string {
  const words: Readonly<Record<string, string>> = {
    'post-only': 'EC_PostOnlyWillTakeLiquidity',
    ioc: 'EC_NoImmediateQtyToFill',
    fok: 'EC_CancelForNoFullFill',
    'book-empty': 'EC_NoImmediateQtyToFill',
    canceled: 'EC_PerCancelRequest',
    'trigger-failed': 'EC_Others',
  }
  return words[reason ?? ''] ?? 'EC_NoError'
}
