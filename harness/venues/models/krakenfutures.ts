// Kraken Futures, linear contracts: a refusal comes under success with a status of its own, what rests is one list, what ended is events of a history,
// and fills say what kind they are.
import { Decimal } from 'decimal.js'
import { defined } from '../../../src/base/defined.ts'
import { type Asked, assumption, documented, type Fields, type ModelSpec, type Said, textIn, Whole } from './model.ts'
import {
  isOpen,
  type ModelFill,
  type ModelMarket,
  type ModelOrder,
  ModelRefusal,
  type RefusalReason,
  refuse,
} from './orders.ts'

const DOCS = 'docs.kraken.com/api/docs/futures-api'

const CLAIMS = [
  documented(
    'sendStatus.status: placed, or why not: insufficientAvailableFunds, postWouldExecute, iocWouldNotExecute, wouldNotReducePosition, clientOrderIdAlreadyExist',
    `${DOCS}/trading/send-order`,
  ),
  documented('cancelStatus.status: cancelled, filled, notFound', `${DOCS}/trading/cancel-order`),
  documented(
    'openorders lists stops with orderType stop and stopPrice',
    'nautilus_trader kraken test_data http_futures_open_orders.json',
  ),
  documented(
    'history/v2/orders: OrderPlaced, OrderUpdated, OrderCancelled, OrderRejected, newest first',
    `${DOCS}/history/get-order-events`,
  ),
  documented('orderType of an order in the history: Limit, IoC, Post, Market', 'the rows of ccxt krakenfutures.js'),
  documented('limitPrice of a market order in the history: how far it may go', 'the rows of ccxt krakenfutures.js'),
  assumption('what an immediate order leaves unfilled is OrderCancelled'),
  documented(
    'fillType: maker, taker, liquidation, assignee, assignor, unwindBankrupt, unwindCounterparty, takerAfterEdit',
    `${DOCS}/trading/get-fills`,
  ),
  documented('fills lists the newest 100, or those before lastFillTime', `${DOCS}/trading/get-fills`),
  documented(
    'an execution in an answer: executionId, price, amount, orderPriorExecution',
    `${DOCS}/trading/send-order`,
  ),
  assumption('a stop that fires goes on under its own id'),
  assumption('a stop that the price has passed fires at once'),
  assumption('a reduce-only order above the position fills as far as it goes and is cancelled'),
  assumption('a stop that fails when triggered is OrderCancelled with the reason not_enough_margin'),
  assumption('unwindCounterparty is what auto-deleveraging makes of a fill'),
]

const MARKETS: readonly ModelMarket[] = [
  contract('XBT', 'BTC', '1', '0.0001', '60000'),
  contract('ETH', 'ETH', '0.1', '0.001', '3000'),
]

function contract(name: string, base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: `PF_${name}USD`, symbol: `${base}USD`, base, quote: 'USD', settle: 'USD' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 50 }
}

export function krakenFuturesModel(): ModelSpec {
  const at = '/derivatives/api/v3'
  return {
    venue: 'krakenfutures',
    kind: 'linear',
    keys: { apiKey: 'key-of-nobody', secret: 'c2VjcmV0LW9mLW5vYm9keQ==' },
    hosts: ['futures.kraken.com'],
    markets: MARKETS,
    wallet: { USD: '100000' },
    policy: {
      uniqueIds: 'ever',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'refused',
      iocThatCannot: 'refused',
      reduceOnlyBeyond: 'cut',
    },
    idOf: (count) => `179f9af8-e45e-469d-b3e9-${String(count).padStart(12, '0')}`,
    claims: CLAIMS,
    routes: {
      [`GET ${at}/instruments`]: instruments,
      [`GET ${at}/tickers`]: ({ engine, now }) => ({
        tickers: engine.markets.map((each) => tickerRow(engine, each, now)),
      }),
      [`GET ${at}/tickers/{symbol}`]: ({ engine, places, now }) => ({
        ticker: tickerRow(engine, engine.market(places.symbol), now),
      }),
      [`GET ${at}/orderbook`]: orderBook,
      [`GET ${at}/accounts`]: accounts,
      [`GET ${at}/leveragepreferences`]: () => ({ leveragePreferences: [] }),
      [`GET ${at}/openpositions`]: ({ engine }) => ({ openPositions: engine.positions().map(positionRow) }),
      [`POST ${at}/sendorder`]: send,
      [`POST ${at}/editorder`]: edit,
      [`POST ${at}/cancelorder`]: cancel,
      [`GET ${at}/openorders`]: ({ engine }) => ({ openOrders: [...engine.open()].reverse().map(openRow) }),
      [`GET ${at}/fills`]: fills,
      'GET /api/history/v2/orders': history,
    },
    isPrivate: ({ path }) => !/instruments|tickers|orderbook/.test(path),
    isSigned: ({ headers }) => headers.apikey !== undefined && headers.authent !== undefined,
    changesOrders: ({ method, path }) => method === 'POST' && path.endsWith('order'),
    wrap: (content, { now }) => ({ result: 'success', ...(content as Fields), serverTime: iso(now) }),
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: { result: 'error', error: 'apiLimitExceeded', serverTime: iso(0) },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    unavailable: () => ({
      body: { result: 'success', sendStatus: { status: 'marketSuspended', orderEvents: [] }, serverTime: iso(0) },
    }),
    broken: () => ({ status: 500, body: { result: 'error', error: 'Server Error', serverTime: iso(0) } }),
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

const STATUSES: Partial<Record<RefusalReason, string>> = {
  'insufficient-funds': 'insufficientAvailableFunds',
  'reduce-only': 'wouldNotReducePosition',
  'post-only': 'postWouldExecute',

  fok: 'iocWouldNotExecute',
  'duplicate-id': 'clientOrderIdAlreadyExist',
  'bad-amount': 'invalidSize',
  'bad-price': 'invalidPrice',
  'not-found': 'notFound',
  'not-open': 'notFound',
}

function refusalOf(reason: RefusalReason, { path, now }: Asked): Said {
  const status = STATUSES[reason]
  const errors: Partial<Record<RefusalReason, string>> = {
    'bad-symbol': 'contractDoesNotExist',
    signature: 'authenticationError',
    'bad-parameter': 'invalidArgument',
  }
  if (status === undefined)
    return { body: { result: 'error', error: errors[reason] ?? 'invalidArgument', serverTime: iso(now) } }
  const name = path.endsWith('cancelorder') ? 'cancelStatus' : path.endsWith('editorder') ? 'editStatus' : 'sendStatus'
  const said = name === 'editStatus' && status === 'notFound' ? 'orderForEditNotFound' : status
  return {
    body: {
      result: 'success',
      [name]: { status: said, receivedTime: iso(now), orderEvents: [] },
      serverTime: iso(now),
    },
  }
}

function instruments({ engine }: Asked): unknown {
  return {
    instruments: engine.markets.map(({ id, base, tick, lot }) => ({
      symbol: id,
      type: 'flexible_futures',
      tickSize: Number(tick),
      contractSize: 1,
      tradeable: true,
      maxPositionSize: 1_000_000,

      contractValueTradePrecision: new Decimal(lot).dp(),
      openingDate: '2022-03-22T14:30:00.000Z',
      base,
      quote: 'USD',
      pair: `${base}:USD`,
      marginLevels: [{ numNonContractUnits: 0, initialMargin: 0.02, maintenanceMargin: 0.01 }],
    })),
  }
}

function tickerRow(engine: Asked['engine'], market: ModelMarket, now: number): unknown {
  const { bids, asks } = engine.book(market)
  const last = engine.last(market).toNumber()
  return {
    symbol: market.id,
    tag: 'perpetual',
    last,
    lastTime: iso(now),
    markPrice: last,
    indexPrice: last,
    suspended: false,
    bid: bids[0]?.[0].toNumber(),
    bidSize: 1,
    ask: asks[0]?.[0].toNumber(),
    askSize: 1,
  }
}

function orderBook({ engine, fields }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, amount]) => [price.toNumber(), amount.toNumber()])
  return { orderBook: { bids: levels(bids), asks: levels(asks) } }
}

function accounts({ engine }: Asked): unknown {
  const { wallet, unrealized, inPositions, inOrders, available } = engine.account.funds('USD')
  const equity = wallet.plus(unrealized).toNumber()
  const currencies = {
    USD: {
      quantity: wallet.toNumber(),
      value: wallet.toNumber(),
      collateral: wallet.toNumber(),
      available: available.toNumber(),
    },
  }
  return {
    accounts: {
      cash: { type: 'cashAccount', balances: {} },
      flex: {
        type: 'multiCollateralMarginAccount',
        currencies,
        initialMargin: inPositions.toNumber(),

        initialMarginWithOrders: inPositions.plus(inOrders).toNumber(),
        maintenanceMargin: inPositions.div(2).toNumber(),

        balanceValue: wallet.toNumber(),
        portfolioValue: equity,
        collateralValue: equity,
        pnl: unrealized.toNumber(),

        availableMargin: available.toNumber(),
        marginEquity: equity,
        unrealizedFunding: 0,
        totalUnrealized: unrealized.toNumber(),
      },
    },
  }
}

type HeldRow = ReturnType<Asked['engine']['positions']>[number]

function positionRow({ market, amount, entry, openedAt }: HeldRow): unknown {
  const side = amount.gt(0) ? 'long' : 'short'
  return {
    side,
    symbol: market.id,
    price: entry.toNumber(),
    size: amount.abs().toNumber(),
    fillTime: iso(openedAt),
    unrealizedFunding: 0,
    pnlCurrency: 'USD',
  }
}

const TYPES: ReadonlySet<string> = new Set(['lmt', 'post', 'ioc', 'mkt', 'stp', 'take_profit'])

function send({ engine, fields, now }: Asked): unknown {
  const type = textIn(fields, 'orderType') ?? ''
  const [limit, stop, signal] = [
    textIn(fields, 'limitPrice'),
    textIn(fields, 'stopPrice'),
    textIn(fields, 'triggerSignal'),
  ]
  const isTrigger = type === 'stp' || type === 'take_profit'
  if (!TYPES.has(type) || isTrigger !== (stop !== undefined) || (isTrigger && signal !== 'last'))
    return refuse('bad-parameter')
  const side = fields.side === 'buy' ? 'buy' : 'sell'
  const order = engine.place({
    market: engine.market(textIn(fields, 'symbol')),
    clientId: textIn(fields, 'cliOrdId') ?? '',
    side,
    said: { type },

    amount: new Decimal(textIn(fields, 'size') ?? 0),
    timeInForce: type === 'ioc' ? 'ioc' : 'gtc',
    postOnly: type === 'post',
    reduceOnly: fields.reduceOnly === 'true',
    ...(limit !== undefined && { price: new Decimal(limit) }),
    ...(stop !== undefined && {
      trigger: { price: new Decimal(stop), way: (side === 'buy') === (type === 'stp') ? 'up' : 'down' },
    }),
  })
  const made = engine.fills.filter((fill) => fill.order === order)
  const prior = { ...(eventOrder(order) as Fields), filled: 0 }
  const orderEvents =
    made.length === 0
      ? [
          {
            type: 'PLACE',
            [order.trigger === undefined ? 'order' : 'orderTrigger']: eventOrder(order),
            reducedQuantity: null,
          },
        ]
      : made.map(({ id, price, amount }) => ({
          type: 'EXECUTION',
          executionId: id,
          price: price.toNumber(),
          amount: amount.toNumber(),
          orderPriorEdit: null,
          orderPriorExecution: prior,
          takerReducedQuantity: null,
        }))
  return {
    sendStatus: { order_id: order.id, cliOrdId: order.clientId, status: 'placed', receivedTime: iso(now), orderEvents },
  }
}

function eventOrder(order: ModelOrder): unknown {
  const { trigger, price, said } = order
  return {
    orderId: order.id,
    uid: order.id,
    cliOrdId: order.clientId,
    type: said.type ?? 'lmt',
    symbol: order.market.id,
    side: order.side,
    quantity: order.amount.toNumber(),
    filled: order.filled.toNumber(),
    reduceOnly: order.reduceOnly,
    ...defined({ limitPrice: price?.toNumber() }),
    ...(trigger !== undefined && { triggerPrice: trigger.price.toNumber(), triggerSignal: 'last' }),
    timestamp: iso(order.createdAt),
    lastUpdateTimestamp: iso(order.updatedAt),
  }
}

/** @throws {ModelRefusal} */
function openIn({ engine, fields }: Asked): ModelOrder {
  const id = textIn(fields, 'order_id', 'orderId')
  const found = id === undefined ? engine.named(textIn(fields, 'cliOrdId') ?? '') : engine.orders.get(id)
  return found !== undefined && isOpen(found) ? found : refuse('not-found')
}

function edit(asked: Asked): unknown {
  const { engine, fields, now } = asked
  const order = openIn(asked)
  const [size, limit, stop] = [textIn(fields, 'size'), textIn(fields, 'limitPrice'), textIn(fields, 'stopPrice')]
  engine.amend(order, {
    ...(size !== undefined && { amount: new Decimal(size) }),
    ...(limit !== undefined && order.price !== undefined && { price: new Decimal(limit) }),
    ...(stop !== undefined &&
      order.trigger !== undefined && { trigger: { ...order.trigger, price: new Decimal(stop) } }),
  })
  return {
    editStatus: {
      status: 'edited',
      orderId: order.id,
      receivedTime: iso(now),
      orderEvents: [{ type: 'EDIT', new: eventOrder(order) }],
    },
  }
}

function cancel(asked: Asked): unknown {
  try {
    const order = asked.engine.cancel(openIn(asked))
    const orderEvents = [{ type: 'CANCEL', uid: order.id, order: eventOrder(order) }]
    return {
      cancelStatus: {
        status: 'cancelled',
        order_id: order.id,
        cliOrdId: order.clientId,
        receivedTime: iso(asked.now),
        orderEvents,
      },
    }
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error
    const found = asked.engine.orders.get(textIn(asked.fields, 'order_id') ?? '')
    const status = found?.phase === 'filled' ? 'filled' : 'notFound'
    return new Whole({
      body: {
        result: 'success',
        cancelStatus: { status, receivedTime: iso(asked.now), orderEvents: [] },
        serverTime: iso(asked.now),
      },
    })
  }
}

function openRow(order: ModelOrder): unknown {
  const { filled, trigger, price, phase } = order
  const isWaiting = phase === 'waiting'
  const type = isWaiting
    ? order.said.type === 'take_profit'
      ? 'take_profit'
      : 'stop'
    : price === undefined
      ? 'mkt'
      : 'lmt'
  return {
    order_id: order.id,
    cliOrdId: order.clientId,
    symbol: order.market.id,
    side: order.side,
    orderType: type,
    ...defined({ limitPrice: price?.toNumber() }),
    ...(isWaiting && { stopPrice: trigger?.price.toNumber(), triggerSignal: 'last' }),

    unfilledSize: order.amount.minus(filled).toNumber(),
    filledSize: filled.toNumber(),
    reduceOnly: order.reduceOnly,

    status: filled.isZero() ? 'untouched' : 'partiallyFilled',
    receivedTime: iso(order.createdAt),
    lastUpdateTime: iso(order.updatedAt),
  }
}

function historyOrder(order: ModelOrder, last: Decimal): unknown {
  const farthest = last.times(order.side === 'buy' ? '1.01' : '0.99').toDecimalPlaces(0)
  return {
    uid: order.id,
    accountUid: 'a',
    tradeable: order.market.id,
    direction: order.side === 'buy' ? 'Buy' : 'Sell',

    quantity: order.amount.toFixed(),
    filled: order.filled.toFixed(),
    orderType: historyType(order),

    limitPrice: (order.price ?? farthest).toFixed(),
    clientId: order.clientId,
    reduceOnly: order.reduceOnly,
    timestamp: order.createdAt,
    lastUpdateTimestamp: order.updatedAt,
  }
}

function historyType({ price, timeInForce, postOnly }: ModelOrder): string {
  if (price === undefined) return 'Market'
  if (timeInForce === 'ioc') return 'IoC'
  return postOnly ? 'Post' : 'Limit'
}

function history({ engine }: Asked): Whole {
  const words: Readonly<Record<string, string>> = {
    canceled: 'cancelled_by_user',
    liquidation: 'liquidation',
    'trigger-failed': 'not_enough_margin',
    'reduce-only': 'would_not_reduce_position',
    ioc: 'ioc_order_would_not_execute',
    'book-empty': 'market_inactive',
  }
  const orders = [...engine.orders.values()].filter((order) => order.phase !== 'waiting')
  const elements = orders.flatMap((order) => {
    const row = historyOrder(order, engine.last(order.market))
    const placed = {
      uid: `p${order.id}`,
      timestamp: order.createdAt,
      event: { OrderPlaced: { order: row, reason: 'new_user_order' } },
    }
    if (isOpen(order)) return [placed]
    const reason = words[order.reason ?? ''] ?? 'cancelled_by_user'
    const event =
      order.phase === 'filled'
        ? { OrderUpdated: { newOrder: row, oldOrder: row, reason: 'full_fill' } }
        : { OrderCancelled: { order: row, reason } }
    return [placed, { uid: `e${order.id}`, timestamp: order.updatedAt, event }]
  })
  const newest = elements.sort((left, right) => right.timestamp - left.timestamp)
  return new Whole({ body: { accountUid: 'a', len: newest.length, elements: newest, serverTime: iso(engine.now()) } })
}

function fills({ engine, fields }: Asked): unknown {
  const before = textIn(fields, 'lastFillTime')
  const found = engine.fills.filter(({ time }) => before === undefined || time < Date.parse(before))
  return { fills: found.reverse().slice(0, 100).map(fillRow) }
}

function fillRow({ id, order, price, amount, isMaker, time }: ModelFill): unknown {
  const act = order.act === undefined ? undefined : order.act === 'liquidation' ? 'liquidation' : 'unwindCounterparty'
  return {
    fill_id: id,
    symbol: order.market.id,
    side: order.side,
    order_id: order.id,
    cliOrdId: order.clientId,
    size: amount.toNumber(),
    price: price.toNumber(),
    fillTime: iso(time),
    fillType: act ?? (isMaker ? 'maker' : 'taker'),
  }
}
