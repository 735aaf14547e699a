// MEXC, spot: an order is acknowledged with its id, time in force is a type of order, and open orders are told of one symbol at a time.
import { Decimal } from 'decimal.js'
import { type Asked, assumption, documented, type ModelSpec, pageOf, type Said, textIn } from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'mexcdevelop.github.io/apidocs/spot_v3_en'
const MONTH_MS = 30 * 86_400_000

const CLAIMS = [
  documented('types: LIMIT, MARKET, LIMIT_MAKER, IMMEDIATE_OR_CANCEL, FILL_OR_KILL', `${DOCS}/#new-order`),
  documented('status: NEW, FILLED, PARTIALLY_FILLED, CANCELED, PARTIALLY_CANCELED', `${DOCS}/#public-api-definitions`),
  documented('openOrders wants a symbol', `${DOCS}/#current-open-orders`),
  documented('myTrades goes back a month', `${DOCS}/#account-trade-list`),
  documented(
    '-2011 unknown order sent, -2013 order does not exist, 30004 insufficient position, 700003 timestamp outside of recvWindow',
    `${DOCS}/#error-code, ccxt mexc.ts`,
  ),
  assumption('a client order id may come again'),
  assumption('a LIMIT_MAKER that would take is taken and CANCELED'),
  assumption('an immediate order that finds nothing, and fill-or-kill that cannot, are taken and CANCELED'),
  assumption('myTrades lists the newest first, a hundred at most'),
]

const MARKETS: readonly ModelMarket[] = [
  pair('BTC', '0.01', '0.000001', '60000'),
  pair('ETH', '0.01', '0.00001', '3000'),
]

function pair(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: `${base}USDT`, symbol: `${base}USDT`, base, quote: 'USDT' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 1 }
}

export function mexcModel(): ModelSpec {
  const at = '/api/v3'
  return {
    venue: 'mexc',
    kind: 'spot',
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody' },
    hosts: ['api.mexc.com'],
    markets: MARKETS,
    wallet: { USDT: '100000', BTC: '10', ETH: '100' },
    policy: {
      uniqueIds: 'no',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'ends',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'quote',
    },
    idOf: (count) => `C02__${443_776_347_000 + count}`,
    claims: CLAIMS,
    routes: {
      [`GET ${at}/time`]: ({ now }) => ({ serverTime: now }),
      [`GET ${at}/exchangeInfo`]: exchangeInfo,
      [`GET ${at}/defaultSymbols`]: ({ engine }) => ({ code: 0, data: engine.markets.map(({ id }) => id), msg: null }),
      [`GET ${at}/ticker/24hr`]: ticker,
      [`GET ${at}/ticker/bookTicker`]: ticker,
      [`GET ${at}/depth`]: depth,
      [`GET ${at}/account`]: account,
      // Of streams, of which there are none.
      [`POST ${at}/userDataStream`]: () => ({ listenKey: 'key-of-nobody' }),
      [`PUT ${at}/userDataStream`]: () => ({ listenKey: 'key-of-nobody' }),
      [`POST ${at}/order`]: place,
      [`GET ${at}/order`]: (asked) => orderRow(orderIn(asked, 'not-found')),
      [`DELETE ${at}/order`]: (asked) => orderRow(asked.engine.cancel(orderIn(asked, 'not-open'))),
      [`GET ${at}/openOrders`]: (asked) => ordersOf(asked).filter(isOpen).map(orderRow),
      [`GET ${at}/allOrders`]: (asked) => ordersOf(asked).map(orderRow),
      [`GET ${at}/myTrades`]: fills,
      'GET /api/v1/contract/detail': () => ({ success: true, code: 0, data: [] }),
    },
    isPrivate: ({ path }) => /\/(account|order|openOrders|allOrders|myTrades)$/.test(path),
    isSigned: ({ fields, headers }) =>
      headers['x-mexc-apikey'] !== undefined && /^[0-9a-f]{64}$/.test(String(fields.signature)),
    sentAt: ({ fields }) => Number(fields.timestamp),
    changesOrders: ({ method, path }) => method !== 'GET' && path.endsWith('/order'),
    wrap: (content) => content,
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: { code: 429, msg: 'Too Many Requests' },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    broken: () => ({ status: 500, body: { code: 500, msg: 'Internal error' } }),
  }
}

function refusalOf(reason: RefusalReason): Said {
  const codes: Partial<Record<RefusalReason, readonly [number, string]>> = {
    'bad-symbol': [-1121, 'Invalid symbol.'],
    'insufficient-funds': [30004, 'Insufficient position'],
    'not-found': [-2013, 'Order does not exist.'],
    'not-open': [-2011, 'Unknown order sent.'],
    signature: [700002, 'Signature for this request is not valid.'],

    clock: [700003, 'Timestamp for this request is outside of the recvWindow.'],
    'bad-amount': [30002, 'The minimum transaction volume cannot be less than'],
  }
  const [code, msg] = codes[reason] ?? [700004, 'Param error']
  return { status: 400, body: { code, msg } }
}

function exchangeInfo({ engine, now }: Asked): unknown {
  const symbols = engine.markets.map(({ id, base, lot, tick }) => ({
    symbol: id,
    status: '1',
    baseAsset: base,
    baseAssetPrecision: new Decimal(lot).dp(),
    quoteAsset: 'USDT',
    quotePrecision: new Decimal(tick).dp(),

    quoteAssetPrecision: new Decimal(tick).dp(),
    baseCommissionPrecision: 6,
    quoteCommissionPrecision: 6,
    orderTypes: ['LIMIT', 'MARKET', 'LIMIT_MAKER'],

    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    quoteAmountPrecision: '1',
    baseSizePrecision: lot,
    permissions: ['SPOT'],
    filters: [],

    maxQuoteAmount: '40000000',
    makerCommission: '0.0002',
    takerCommission: '0.0005',
    tradeSideType: 1,
    st: false,
  }))
  return { timezone: 'CST', serverTime: now, rateLimits: [], exchangeFilters: [], symbols }
}

function ticker({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const { bids, asks } = engine.book(market)
  const top = { bidPrice: bids[0]?.[0].toFixed(), bidQty: '1', askPrice: asks[0]?.[0].toFixed(), askQty: '1' }
  return { symbol: market.id, lastPrice: engine.last(market).toFixed(), ...top, closeTime: now, openTime: now }
}

function depth({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) => side.slice(0, 20).map(([price, amount]) => [price.toFixed(), amount.toFixed()])
  return { lastUpdateId: 1, bids: levels(bids), asks: levels(asks), timestamp: now }
}

function account({ engine: { account: own } }: Asked): unknown {
  const balances = [...own.wallet].map(([asset, amount]) => {
    const locked = own.locked(asset)
    return {
      asset,
      free: amount.minus(locked).toFixed(),
      locked: locked.toFixed(),
      available: amount.minus(locked).toFixed(),
    }
  })
  return {
    canTrade: true,
    canWithdraw: false,
    canDeposit: true,
    updateTime: null,
    accountType: 'SPOT',
    balances,
    permissions: ['SPOT'],
  }
}

const TIMES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = {
  LIMIT: 'gtc',
  LIMIT_MAKER: 'gtc',
  IMMEDIATE_OR_CANCEL: 'ioc',
  FILL_OR_KILL: 'fok',
  MARKET: 'gtc',
}

function place({ engine, fields }: Asked): unknown {
  const type = textIn(fields, 'type') ?? ''
  const time = TIMES[type]
  // A market buy is of money there, and no order of ours.
  if (time === undefined || (type === 'MARKET' && fields.side === 'BUY')) return refuse('bad-parameter')
  const order = engine.place({
    market: engine.market(textIn(fields, 'symbol')),
    clientId: textIn(fields, 'newClientOrderId') ?? '',
    timeInForce: time,

    side: fields.side === 'BUY' ? 'buy' : 'sell',
    amount: new Decimal(textIn(fields, 'quantity') ?? 0),
    postOnly: type === 'LIMIT_MAKER',
    ...(type !== 'MARKET' && { price: new Decimal(textIn(fields, 'price') ?? 0) }),
    said: { type },
  })
  const { market, price, amount, side, createdAt } = order
  return {
    symbol: market.id,
    orderId: order.id,
    orderListId: -1,
    price: price?.toFixed() ?? '0',
    origQty: amount.toFixed(),
    type,
    side: side.toUpperCase(),
    transactTime: createdAt,
  }
}

/** @throws {ModelRefusal} */
function orderIn({ engine, fields }: Asked, reason: RefusalReason): ModelOrder {
  const id = textIn(fields, 'orderId')
  const found = id === undefined ? engine.named(textIn(fields, 'origClientOrderId') ?? '') : engine.orders.get(id)
  if (found === undefined || (reason === 'not-open' && !isOpen(found))) return refuse(reason)
  return found
}

function ordersOf({ engine, fields }: Asked): readonly ModelOrder[] {
  const market = engine.market(textIn(fields, 'symbol'))
  return [...engine.orders.values()].filter((order) => order.market === market).reverse()
}

function orderRow(order: ModelOrder): unknown {
  const { filled, phase } = order
  const ended = filled.isZero() ? 'CANCELED' : 'PARTIALLY_CANCELED'
  const status =
    phase === 'filled' ? 'FILLED' : phase === 'ended' ? ended : filled.isZero() ? 'NEW' : 'PARTIALLY_FILLED'
  return {
    symbol: order.market.id,
    orderId: order.id,
    orderListId: -1,
    clientOrderId: order.clientId,
    price: order.price?.toFixed() ?? '0',

    origQty: order.amount.toFixed(),
    executedQty: filled.toFixed(),
    cummulativeQuoteQty: order.cost.toFixed(),
    status,
    timeInForce: null,

    type: order.said.type ?? 'LIMIT',
    side: order.side.toUpperCase(),
    stopPrice: null,
    time: order.createdAt,
    updateTime: order.updatedAt,
    isWorking: isOpen(order),
    origQuoteOrderQty: '0',
  }
}

function fills({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const from = Math.max(Number(textIn(fields, 'startTime') ?? 0), now - MONTH_MS)
  const until = Number(textIn(fields, 'endTime') ?? now)
  const order = textIn(fields, 'orderId')
  const found = engine.fills.filter(
    (fill) =>
      fill.order.market === market &&
      fill.time >= from &&
      fill.time <= until &&
      (order === undefined || fill.order.id === order),
  )
  return pageOf(found.reverse(), textIn(fields, 'limit'), 100, 100).map(fillRow)
}

function fillRow({ id, order, price, amount, fee, feeCurrency, isMaker, time }: ModelFill): unknown {
  return {
    symbol: order.market.id,
    id,
    orderId: order.id,
    orderListId: -1,
    price: price.toFixed(),
    qty: amount.toFixed(),

    quoteQty: price.times(amount).toFixed(),
    commission: fee.toFixed(),
    commissionAsset: feeCurrency,
    time,
    isBuyer: order.side === 'buy',
    isMaker,
    isBestMatch: true,
    isSelfTrade: false,
    clientOrderId: order.clientId,
  }
}
