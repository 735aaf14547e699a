// KuCoin, contracts settled in USDT and spot (high frequency accounts): orders are acknowledged with their ids, fills are told for a week at a time, and
// a question about what there is not may be a success without data.
import { Decimal } from 'decimal.js'
import { worthOf } from './account.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type ModelSpec, pageOf, type Said, textIn } from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'kucoin.com/docs-new/rest'
const WEEK_MS = 7 * 86_400_000

const CLAIMS = [
  documented('an order is acknowledged with orderId and clientOid alone', `${DOCS}/futures-trading/orders/add-order`),
  documented(
    'fills without a time are of the last week, with one of a week from it',
    `${DOCS}/futures-trading/orders/get-trade-history`,
  ),
  documented(
    'tradeType of a fill: trade, liquidation, adl or settlement',
    `${DOCS}/futures-trading/orders/get-trade-history`,
  ),
  documented(
    'spot orders are listed of one symbol, and active/symbols names those that have some',
    `${DOCS}/spot-trading/orders/get-open-orders`,
  ),
  documented(
    '100001 error.getOrder.orderNotExist; 100004 the order is in not cancelable state',
    'ccxt kucoin.ts, exceptions',
  ),
  documented(
    'Get Stop Order By ClientOid answers with a list',
    'kucoin.com/docs/rest/spot-trading/stop-order/get-order-details-by-clientoid',
  ),
  documented('300003 balance insufficient, 300009 no open positions to close', 'ccxt kucoin.ts, exceptions'),
  documented('400100 order_not_exist_or_not_allow_to_cancel', 'ccxt kucoin.ts, exceptions'),
  documented(
    'an order may be orderNotExist for a fraction of a second after its acknowledgement, filled or not',
    'reports of other programs: fetch_order 245 ms after the acknowledgement of an order that had filled in part',
  ),
  assumption('deleveraging is written adl'),
  assumption('a contract stop that fires goes on under its own id'),
  assumption('a spot stop that fires is an order under the same id, and stop-order knows it no more: data is null'),
  assumption('a spot order that there is not: data is null'),
  assumption('a stop that the price has passed fires at once'),
  assumption('post-only that would take and fill-or-kill that cannot are taken and end with cancelExist'),
  assumption('a reduce-only order above the position fills as far as it goes and ends with cancelExist'),
  assumption('102426 and 102411: a clientOid is refused for ever'),
  assumption('a stop that fails when it is triggered ends with cancelExist'),
]

const CONTRACTS: readonly ModelMarket[] = [
  contract('XBT', 'BTC', '0.1', '0.001', '60000'),
  contract('ETH', 'ETH', '0.01', '0.01', '3000'),
]
const PAIRS: readonly ModelMarket[] = [
  pair('BTC', '0.1', '0.00000001', '60000'),
  pair('ETH', '0.01', '0.0000001', '3000'),
]

function contract(name: string, base: string, tick: string, contractValue: string, startPrice: string): ModelMarket {
  const names = { id: `${name}USDTM`, symbol: `${base}USDT`, base, quote: 'USDT', settle: 'USDT' }
  return { ...names, tick, lot: '1', contractValue, startPrice, maxLeverage: 100 }
}

function pair(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: `${base}-USDT`, symbol: `${base}USDT`, base, quote: 'USDT' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 1 }
}

export function kucoinModel(kind: 'linear' | 'spot'): ModelSpec {
  const isSpot = kind === 'spot'
  return {
    venue: 'kucoin',
    kind,
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody', password: 'passphrase-of-nobody' },
    hosts: ['api.kucoin.com', 'api-futures.kucoin.com'],
    markets: isSpot ? PAIRS : CONTRACTS,
    wallet: isSpot ? { USDT: '100000', BTC: '10', ETH: '100' } : { USDT: '100000' },
    policy: {
      uniqueIds: 'ever',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'ends',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'quote',
    },
    idOf: (count) => `670fd33bf9406e000${String(count).padStart(7, '0')}`,
    claims: CLAIMS,
    routes: {
      'GET /api/v1/timestamp': ({ now }) => now,
      'GET /api/v3/margin/symbols': ({ now }) => ({ timestamp: now, items: [] }),
      'GET /api/v1/isolated/symbols': () => [],
      'GET /api/v1/hf/accounts/opened': () => true,
      'POST /api/v1/bullet-private': (asked) => bullet(asked),
      'POST /api/v1/bullet-public': (asked) => bullet(asked),
      'GET /api/v1/user/api-key': () => ({
        remark: 'a',
        apiKey: 'key-of-nobody',
        permission: 'General,Spot,Futures',
        ipWhitelist: '192.0.2.1',
      }),
      ...(isSpot ? spotRoutes() : contractRoutes()),
    },
    isPrivate: ({ path }) =>
      !/timestamp|bullet-public|symbols$|active$|ticker|market\/|level2|contracts/.test(path) ||
      path.startsWith('/api/v1/hf'),
    isSigned: ({ headers }) =>
      headers['kc-api-key'] !== undefined &&
      headers['kc-api-sign'] !== undefined &&
      headers['kc-api-passphrase'] !== undefined,
    sentAt: ({ headers }) => Number(headers['kc-api-timestamp']),
    changesOrders: ({ method, path }) => method !== 'GET' && /order/.test(path),
    wrap: (data) => ({ code: '200000', data }),
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: { code: '429000', msg: 'Too many requests' },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    broken: () => ({ status: 500, body: { code: '500000', msg: 'Internal Server Error' } }),
  }
}

function refusalOf(reason: RefusalReason, { kind, method }: Asked): Said {
  const isSpot = kind === 'spot'
  const missing =
    method === 'GET' ? ['100001', 'error.getOrder.orderNotExist'] : ['100004', 'Order is in not cancelable state']
  const words: Readonly<Record<RefusalReason, readonly string[]>> = {
    'bad-symbol': ['900001', 'symbol not exists'],
    'insufficient-funds': isSpot ? ['200004', 'Balance insufficient!'] : ['300003', 'Balance insufficient'],
    'reduce-only': ['300009', 'No open positions to close.'],
    'duplicate-id': ['102426', 'clientOid parameter repeated'],
    'not-found': isSpot ? ['400100', 'order_not_exist_or_not_allow_to_cancel'] : missing,
    'not-open': isSpot ? ['400100', 'order_not_exist_or_not_allow_to_cancel'] : missing,
    'bad-amount': ['100001', 'Order size invalid'],
    'bad-price': ['100001', 'Order price invalid'],
    'bad-parameter': ['400100', 'Parameter Error'],

    'would-trigger': ['300012', 'stop price invalid'],
    'post-only': ['300012', 'post only'],
    fok: ['300012', 'fok'],
    leverage: ['300016', 'The leverage cannot be greater than 100.'],
    unchanged: ['400100', 'Parameter Error'],
    signature: ['400005', 'Invalid KC-API-SIGN'],
    clock: ['400002', 'KC-API-TIMESTAMP Invalid'],
  }
  const [code, msg] = words[reason]
  return { status: reason === 'signature' ? 401 : 400, body: { code, msg } }
}

/** Where streams would be: there are none. */
function bullet({ kind }: Asked): unknown {
  const endpoint = `wss://ws-api-${kind === 'spot' ? 'spot' : 'futures'}.kucoin.com/`
  const server = { endpoint, encrypt: true, protocol: 'websocket', pingInterval: 18_000, pingTimeout: 10_000 }
  return { token: 'token-of-nobody', instanceServers: [server] }
}

const TIMES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok' }

function place({ engine, fields, kind }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const [stop, stopPrice, time] = [
    textIn(fields, 'stop'),
    textIn(fields, 'stopPrice'),
    textIn(fields, 'timeInForce') ?? 'GTC',
  ]
  const isMarket = fields.type === 'market'
  const ways: Readonly<Record<string, 'up' | 'down'>> = { up: 'up', down: 'down', entry: 'up', loss: 'down' }
  const way = ways[stop ?? 'down']
  const lacksTerms =
    kind !== 'spot' && (fields.leverage === undefined || (stop !== undefined && fields.stopPriceType === undefined))
  if (
    TIMES[time] === undefined ||
    way === undefined ||
    lacksTerms ||
    (stop === undefined) !== (stopPrice === undefined)
  )
    refuse('bad-parameter')
  const order = engine.place({
    market,
    clientId: textIn(fields, 'clientOid') ?? '',
    side: fields.side === 'buy' ? 'buy' : 'sell',

    amount: new Decimal(textIn(fields, 'size') ?? 0),
    timeInForce: TIMES[time] ?? 'gtc',
    postOnly: fields.postOnly === true,

    reduceOnly: fields.reduceOnly === true,
    said: { stop: stop ?? '', stopPriceType: fields.stopPriceType ?? '' },
    ...(!isMarket && { price: new Decimal(textIn(fields, 'price') ?? 0) }),
    ...(stopPrice !== undefined && { trigger: { price: new Decimal(stopPrice), way: way ?? 'down' } }),
  })
  return { orderId: order.id, clientOid: order.clientId }
}

function pages<T>({ fields }: Asked, rows: readonly T[], rowOf: (row: T) => unknown): unknown {
  const [page, size] = [Number(textIn(fields, 'currentPage') ?? 1), Number(textIn(fields, 'pageSize') ?? 50)]
  const items = rows.slice((page - 1) * size, page * size).map(rowOf)
  return { currentPage: page, pageSize: size, totalNum: rows.length, totalPage: Math.ceil(rows.length / size), items }
}

function newestFirst({ engine, fields }: Asked, isWanted: (order: ModelOrder) => boolean): readonly ModelOrder[] {
  const symbol = textIn(fields, 'symbol')
  const found = [...engine.orders.values()].filter(
    (order) => isWanted(order) && (symbol === undefined || order.market.id === symbol),
  )
  return found.reverse()
}

function fillsIn({ engine, fields, now }: Asked): readonly ModelFill[] {
  const [start, end] = [textIn(fields, 'startAt'), textIn(fields, 'endAt')]
  const until = end === undefined ? (start === undefined ? now : Math.min(now, Number(start) + WEEK_MS)) : Number(end)
  const from = start === undefined ? until - WEEK_MS : Number(start)
  const [symbol, orderId] = [textIn(fields, 'symbol'), textIn(fields, 'orderId')]
  return engine.fills
    .filter(
      ({ time, order }) =>
        time >= from &&
        time <= until &&
        (symbol === undefined || order.market.id === symbol) &&
        (orderId === undefined || order.id === orderId),
    )
    .reverse()
}

/** @throws {ModelRefusal} */
function openNamed(engine: Asked['engine'], id: string | undefined, clientId: string | undefined): ModelOrder {
  const found = id === undefined ? engine.named(clientId ?? '') : engine.orders.get(id)
  return found !== undefined && isOpen(found) ? found : refuse('not-found')
}

// Contracts.

function contractRoutes(): ModelSpec['routes'] {
  return {
    'GET /api/v1/contracts/active': contracts,
    'GET /api/v1/ticker': futuresTicker,
    'GET /api/v1/level2/depth20': futuresBook,
    'GET /api/v1/level2/depth100': futuresBook,
    'GET /api/v1/level2/snapshot': futuresBook,
    'GET /api/v1/account-overview': overview,
    'GET /api/v1/positions': positions,
    'GET /api/v1/position': ({ engine, fields }) => positionRow(engine, engine.market(textIn(fields, 'symbol'))),
    'GET /api/v2/position/getPositionMode': () => ({ positionMode: 0 }),
    'GET /api/v2/position/getMarginMode': ({ fields }) => ({ symbol: fields.symbol, marginMode: 'CROSS' }),
    'GET /api/v2/getCrossUserLeverage': ({ engine, fields }) => ({
      symbol: fields.symbol,
      leverage: String(engine.account.leverageOf(engine.market(textIn(fields, 'symbol')))),
    }),
    'POST /api/v2/changeCrossUserLeverage': setLeverage,
    'POST /api/v1/orders': place,
    'GET /api/v1/orders': listContracts,
    'GET /api/v1/stopOrders': (asked) =>
      pages(
        asked,
        newestFirst(asked, ({ phase }) => phase === 'waiting'),
        contractRow,
      ),
    'GET /api/v1/orders/byClientOid': ({ engine, fields }) =>
      askedFor(engine, engine.named(textIn(fields, 'clientOid') ?? '')),
    'GET /api/v1/orders/{id}': ({ engine, places }) => askedFor(engine, engine.orders.get(places.id ?? '')),
    'DELETE /api/v1/orders/client-order/{name}': ({ engine, places }) => {
      const { clientId } = engine.cancel(openNamed(engine, undefined, places.name))
      return { clientOid: clientId }
    },
    'DELETE /api/v1/orders/{id}': ({ engine, places }) => ({
      cancelledOrderIds: [engine.cancel(openNamed(engine, places.id, undefined)).id],
    }),
    'GET /api/v1/fills': (asked) => pages(asked, fillsIn(asked), contractFill),
    'GET /api/v1/recentFills': (asked) => pageOf(fillsIn(asked), undefined, 100, 100).map(contractFill),
  }
}

function askedFor(engine: Asked['engine'], order: ModelOrder | undefined): unknown {
  return order !== undefined && engine.isFindable(order) ? contractRow(order) : refuse('not-found')
}

function contracts({ engine }: Asked): unknown {
  return engine.markets.map((market) => ({
    symbol: market.id,
    rootSymbol: 'USDT',
    type: 'FFWCSX',
    baseCurrency: market.id.slice(0, 3),
    quoteCurrency: 'USDT',
    settleCurrency: 'USDT',

    firstOpenDate: 1_585_555_200_000,
    expireDate: null,
    settleDate: null,
    maxOrderQty: 10_000_000,
    marketMaxOrderQty: 10_000_000,

    maxPrice: 1_000_000,
    lotSize: 1,
    tickSize: Number(market.tick),
    multiplier: Number(market.contractValue),
    isInverse: false,
    isQuanto: true,

    makerFeeRate: 0.0002,
    takerFeeRate: 0.0005,
    initialMargin: 0.01,
    maintainMargin: 0.004,
    maxLeverage: 100,
    status: 'Open',
  }))
}

function futuresTicker({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const { bids, asks } = engine.book(market)
  const top = {
    bestBidPrice: bids[0]?.[0].toFixed(),
    bestBidSize: 1,
    bestAskPrice: asks[0]?.[0].toFixed(),
    bestAskSize: 1,
  }
  return {
    sequence: 1,
    symbol: market.id,
    side: 'buy',
    size: 1,
    price: engine.last(market).toFixed(),
    ...top,
    tradeId: '1',
    ts: now * 1_000_000,
  }
}

function futuresBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) => side.slice(0, 20).map(([price, size]) => [price.toNumber(), size.toNumber()])
  return { symbol: fields.symbol, sequence: 1, bids: levels(bids), asks: levels(asks), ts: now * 1_000_000 }
}

function overview({ engine }: Asked): unknown {
  const { wallet, unrealized, inPositions, inOrders } = engine.account.funds('USDT')
  const equity = wallet.plus(unrealized)
  return {
    currency: 'USDT',
    accountEquity: equity.toNumber(),
    unrealisedPNL: unrealized.toNumber(),
    marginBalance: wallet.toNumber(),
    positionMargin: inPositions.toNumber(),
    orderMargin: inOrders.toNumber(),
    frozenFunds: 0,
    availableBalance: equity.minus(inPositions).minus(inOrders).toNumber(),
  }
}

function positions({ engine }: Asked): unknown {
  return engine.positions().map(({ market }) => positionRow(engine, market))
}

function positionRow(engine: Asked['engine'], market: ModelMarket): unknown {
  const held = engine.positions().find((each) => each.market === market)
  const [last, amount, entry] = [engine.last(market), held?.amount ?? new Decimal(0), held?.entry ?? new Decimal(0)]
  const leverage = engine.account.leverageOf(market)
  const value = worthOf(amount, last, market)
  return {
    id: market.id,
    symbol: market.id,
    crossMode: true,
    marginMode: 'CROSS',
    positionSide: 'BOTH',
    isOpen: !amount.isZero(),

    currentQty: amount.toNumber(),
    avgEntryPrice: entry.toNumber(),
    markPrice: last.toNumber(),
    markValue: value.toNumber(),

    currentCost: value.toNumber(),
    posCost: worthOf(amount, entry, market).toNumber(),
    posInit: value.abs().div(leverage).toNumber(),

    unrealisedPnl: worthOf(amount, last.minus(entry), market).toNumber(),
    realisedPnl: (held?.realized ?? new Decimal(0)).toNumber(),

    leverage,
    maintMarginReq: 0.004,
    posMaint: 0,
    liquidationPrice: 0,
    bankruptPrice: 0,
    settleCurrency: 'USDT',
    isInverse: false,
    openingTimestamp: held?.openedAt ?? 0,
    currentTimestamp: engine.now(),
  }
}

function setLeverage({ engine, fields }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const wanted = Number(textIn(fields, 'leverage'))
  if (!(wanted >= 1 && wanted <= market.maxLeverage)) refuse('leverage')
  engine.account.leverage.set(market.id, wanted)
  return true
}

function listContracts(asked: Asked): unknown {
  const isDone = asked.fields.status === 'done'
  return pages(
    asked,
    newestFirst(asked, (order) => (isDone ? !isOpen(order) : order.phase === 'resting')),
    contractRow,
  )
}

function contractRow(order: ModelOrder): unknown {
  const { filled, amount, phase, trigger } = order
  return {
    id: order.id,
    symbol: order.market.id,
    type: order.price === undefined ? 'market' : 'limit',
    side: order.side,

    price: order.price?.toFixed() ?? '',
    size: amount.toNumber(),
    value: '0',
    dealValue: order.cost.toFixed(),
    dealSize: filled.toNumber(),

    filledSize: filled.toNumber(),
    filledValue: order.cost.toFixed(),
    avgDealPrice: averageOf(order).toFixed(),
    stp: '',

    stop: order.said.stop ?? '',
    stopPriceType: order.said.stopPriceType ?? '',
    stopTriggered: order.triggeredAt > 0,
    ...(trigger === undefined ? { stopPrice: null } : { stopPrice: trigger.price.toFixed() }),

    timeInForce: order.timeInForce.toUpperCase(),
    postOnly: order.postOnly,
    hidden: false,
    iceberg: false,
    leverage: '10',

    forceHold: false,
    closeOrder: false,
    clientOid: order.clientId,
    remark: null,
    tags: '',
    isActive: isOpen(order),

    cancelExist: phase === 'ended',
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    endAt: isOpen(order) ? null : order.updatedAt,

    settleCurrency: 'USDT',
    marginMode: 'CROSS',
    reduceOnly: order.reduceOnly,
    status: isOpen(order) ? 'open' : 'done',
  }
}

function tradeTypeOf({ act }: ModelOrder): string {
  return act === undefined ? 'trade' : act === 'liquidation' ? 'liquidation' : 'adl'
}

function contractFill({ id, order, price, amount, fee, isMaker, time, realized }: ModelFill): unknown {
  return {
    symbol: order.market.id,
    tradeId: id,
    orderId: order.id,
    side: order.side,
    liquidity: isMaker ? 'maker' : 'taker',

    price: price.toFixed(),
    size: amount.toNumber(),
    value: worthOf(amount, price, order.market).toFixed(),
    fee: fee.toFixed(),

    feeCurrency: 'USDT',
    settleCurrency: 'USDT',
    stop: order.said.stop ?? '',
    orderType: order.price === undefined ? 'market' : 'limit',

    tradeType: tradeTypeOf(order),
    createdAt: time,
    tradeTime: time * 1_000_000,
    closeFeePay: '0',
    openFeePay: '0',
    realisedPnl: realized.toFixed(),
  }
}

// Spot.

function spotRoutes(): ModelSpec['routes'] {
  const at = '/api/v1/hf/orders'
  const plain = (order: ModelOrder | undefined) =>
    order === undefined || order.phase === 'waiting' ? null : spotRow(order)
  return {
    'GET /api/v2/symbols': symbols,
    'GET /api/v1/market/allTickers': ({ now }) => ({ time: now, ticker: [] }),
    'GET /api/v1/market/stats': stats,
    'GET /api/v1/market/orderbook/level2_20': spotBook,
    'GET /api/v1/market/orderbook/level2_100': spotBook,
    'GET /api/v1/accounts': accounts,
    [`POST ${at}`]: place,
    [`GET ${at}/active/symbols`]: ({ engine }) => ({
      symbols: [
        ...new Set(
          engine
            .open()
            .filter(({ phase }) => phase === 'resting')
            .map(({ market }) => market.id),
        ),
      ],
    }),
    [`GET ${at}/active`]: (asked) => newestFirst(asked, ({ phase }) => phase === 'resting').map(spotRow),
    [`GET ${at}/done`]: (asked) => ({ lastId: 0, items: newestFirst(asked, (order) => !isOpen(order)).map(spotRow) }),
    [`GET ${at}/client-order/{name}`]: ({ engine, places }) => plain(engine.named(places.name ?? '')),
    [`GET ${at}/{id}`]: ({ engine, places }) => plain(engine.orders.get(places.id ?? '')),
    [`DELETE ${at}/client-order/{name}`]: ({ engine, places }) => ({
      clientOid: engine.cancel(openNamed(engine, undefined, places.name)).clientId,
    }),
    [`DELETE ${at}/{id}`]: ({ engine, places }) => ({
      orderId: engine.cancel(openNamed(engine, places.id, undefined)).id,
    }),
    'POST /api/v1/stop-order': place,
    'GET /api/v1/stop-order': (asked) =>
      pages(
        asked,
        newestFirst(asked, ({ phase }) => phase === 'waiting'),
        stopRow,
      ),
    'GET /api/v1/stop-order/queryOrderByClientOid': ({ engine, fields }) => {
      const found = engine.named(textIn(fields, 'clientOid') ?? '')
      return found?.phase === 'waiting' ? [stopRow(found)] : null
    },
    'GET /api/v1/stop-order/{id}': ({ engine, places }) => {
      const found = engine.orders.get(places.id ?? '')
      return found?.phase === 'waiting' ? stopRow(found) : null
    },
    'DELETE /api/v1/stop-order/cancelOrderByClientOid': ({ engine, fields }) => {
      const order = engine.cancel(openNamed(engine, undefined, textIn(fields, 'clientOid')))
      return { cancelledOrderId: order.id, clientOid: order.clientId }
    },
    'DELETE /api/v1/stop-order/{id}': ({ engine, places }) => ({
      cancelledOrderIds: [engine.cancel(openNamed(engine, places.id, undefined)).id],
    }),
    'GET /api/v1/hf/fills': (asked) => ({
      lastId: 0,
      items: pageOf(fillsIn(asked), textIn(asked.fields, 'limit'), 20, 100).map(spotFill),
    }),
  }
}

function symbols({ engine }: Asked): unknown {
  return engine.markets.map(({ id, base, lot, tick }) => ({
    symbol: id,
    name: id,
    baseCurrency: base,
    quoteCurrency: 'USDT',
    feeCurrency: 'USDT',
    market: 'USDS',
    enableTrading: true,

    baseMinSize: '0.00001',
    quoteMinSize: '0.1',
    baseMaxSize: '10000000000',
    quoteMaxSize: '99999999',
    minFunds: '0.1',

    baseIncrement: lot,
    quoteIncrement: '0.000001',
    priceIncrement: tick,
    priceLimitRate: '0.1',
    isMarginEnabled: false,
    makerFeeCoefficient: '1.00',
    takerFeeCoefficient: '1.00',
    feeCategory: 1,
    st: false,
  }))
}

function stats({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const { bids, asks } = engine.book(market)
  return {
    time: now,
    symbol: market.id,
    buy: bids[0]?.[0].toFixed(),
    sell: asks[0]?.[0].toFixed(),
    last: engine.last(market).toFixed(),
  }
}

function spotBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) => side.slice(0, 20).map(([price, size]) => [price.toFixed(), size.toFixed()])
  return { time: now, sequence: '1', bids: levels(bids), asks: levels(asks) }
}

function accounts({ engine: { account } }: Asked): unknown {
  return [...account.wallet].map(([currency, amount]) => {
    const locked = account.locked(currency)
    return {
      id: currency,
      currency,
      type: 'trade_hf',
      balance: amount.toFixed(),
      available: amount.minus(locked).toFixed(),
      holds: locked.toFixed(),
    }
  })
}

function spotRow(order: ModelOrder): Readonly<Record<string, unknown>> {
  const { filled, amount, phase } = order
  return {
    id: order.id,
    clientOid: order.clientId,
    symbol: order.market.id,
    opType: 'DEAL',
    type: order.price === undefined ? 'market' : 'limit',

    side: order.side,
    price: (order.price ?? new Decimal(0)).toFixed(),
    size: amount.toFixed(),
    funds: '0',
    dealSize: filled.toFixed(),

    dealFunds: order.cost.toFixed(),
    remainSize: amount.minus(filled).toFixed(),
    cancelledSize: phase === 'ended' ? amount.minus(filled).toFixed() : '0',

    fee: order.fee.toFixed(),
    feeCurrency: 'USDT',
    timeInForce: order.timeInForce.toUpperCase(),
    postOnly: order.postOnly,
    channel: 'API',
    cancelExist: phase === 'ended',
    active: isOpen(order),
    inOrderBook: phase === 'resting',
    tradeType: 'TRADE',
    createdAt: order.createdAt,
    lastUpdatedAt: order.updatedAt,
  }
}

function stopRow(order: ModelOrder): unknown {
  return {
    id: order.id,
    symbol: order.market.id,
    userId: '1',
    status: 'NEW',
    type: order.price === undefined ? 'market' : 'limit',

    side: order.side,
    price: order.price?.toFixed() ?? '0',
    size: order.amount.toFixed(),
    funds: null,
    stp: null,
    channel: 'API',

    timeInForce: 'GTC',
    postOnly: false,
    clientOid: order.clientId,
    domainId: 'kucoin',
    tradeSource: 'USER',
    tradeType: 'TRADE',

    feeCurrency: 'USDT',
    stop: order.said.stop ?? (order.trigger?.way === 'up' ? 'entry' : 'loss'),
    stopPrice: order.trigger?.price.toFixed(),
    stopTriggerTime: null,
    createdAt: order.createdAt,
    orderTime: order.createdAt * 1_000_000,
  }
}

function spotFill({ id, order, price, amount, fee, isMaker, time }: ModelFill): unknown {
  return {
    id: Number(id.slice(-7)),
    orderId: order.id,
    tradeId: Number(id.slice(-7)),
    symbol: order.market.id,
    side: order.side,

    liquidity: isMaker ? 'maker' : 'taker',
    type: order.price === undefined ? 'market' : 'limit',
    forceTaker: false,
    price: price.toFixed(),

    size: amount.toFixed(),
    funds: price.times(amount).toFixed(),
    fee: fee.toFixed(),
    feeCurrency: 'USDT',
    stop: '',
    createdAt: time,
  }
}
