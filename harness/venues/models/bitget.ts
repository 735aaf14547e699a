// Bitget v2, a classic account, contracts settled in USDT: orders are acknowledged with their ids, plan orders are kept apart, found in lists alone,
// and name the order that they became.
import { Decimal } from 'decimal.js'
import { worthOf } from './account.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type ModelSpec, pageOf, type Said, textIn, Whole } from './model.ts'
import { isOpen, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'bitget.com/api-doc/contract'
const DAY_MS = 86_400_000

const CLAIMS = [
  documented('an order is acknowledged with orderId and clientOid alone', `${DOCS}/trade/Place-Order`),
  documented('a plan order ends as executed, fail_execute or cancelled', `${DOCS}/plan/orders-plan-history`),
  documented('an executed plan order names its order in executeOrderId', `${DOCS}/plan/orders-plan-history`),
  documented('what a plan order became can be asked for: plan-sub-order', `${DOCS}/plan/Plan-Sub-Orders`),
  documented('fills of order/fills span 3 months at most, by 100', `${DOCS}/trade/Get-Order-Fills`),
  documented('fills of order/fill-history span a week', `${DOCS}/trade/Get-Fill-History`),
  documented(
    'tradeSide of a liquidation is burst_sell_single, of deleveraging dte_sys_adl_sell_in_single_side_mode',
    `${DOCS}/trade/Get-Order-Fills`,
  ),
  documented(
    'what was typed on a position is a pos_profit or pos_loss where it has no size, else a profit_plan or loss_plan',
    `${DOCS}/plan/Place-Pos-Tpsl-Order`,
  ),
  documented('a cancel of plan orders says in failureList what it could not', `${DOCS}/plan/Cancel-Plan-Order`),
  documented(
    '22001 no order to cancel, 22002 no position to close, 40109 no such order, 40762 beyond the balance, 40786 duplicate clientOid',
    'ccxt bitget.ts, exceptions',
  ),
  assumption(
    'a liquidation cancels the trigger orders of its symbol: fail_execute is said of one whose price was reached',
  ),
  assumption('a list without rows has null in the place of it'),
  assumption('a plan order has no direction: it waits for whichever way the price has to go from where it is'),
  assumption('post-only that would take and fill-or-kill that cannot are taken and end as canceled'),
  assumption('a reduce-only order above the position fills as far as it goes and ends as canceled'),
  assumption('the order that a plan order became has an id of ours no more'),
  assumption('a clientOid is refused for ever'),
]

const MARKETS: readonly ModelMarket[] = [
  contract('BTC', '0.1', '0.0001', '60000'),
  contract('ETH', '0.01', '0.01', '3000'),
]

function contract(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const symbol = `${base}USDT`
  return {
    id: symbol,
    symbol,
    base,
    quote: 'USDT',
    settle: 'USDT',
    tick,
    lot,
    contractValue: '1',
    startPrice,
    maxLeverage: 125,
  }
}

export function bitgetModel(): ModelSpec {
  const mix = '/api/v2/mix'
  return {
    venue: 'bitget',
    kind: 'linear',
    keys: { apiKey: 'key-of-nobody', secret: 'secret-of-nobody', password: 'passphrase-of-nobody' },
    hosts: ['api.bitget.com', 'ws.bitget.com'],
    markets: MARKETS,
    wallet: { USDT: '100000' },
    policy: {
      uniqueIds: 'ever',
      firedBecomes: 'another',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'ends',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
    },
    idOf: (count) => String(1_211_212_000_000 + count),
    claims: CLAIMS,
    routes: {
      'GET /api/v2/public/time': ({ now }) => ({ serverTime: String(now) }),
      'GET /api/v2/spot/public/symbols': () => [],
      'GET /api/v2/margin/currencies': () => [],
      'GET /api/v2/spot/account/info': () => ({ userId: '1', ips: '192.0.2.1', authorities: ['coor', 'cpow'] }),
      'GET /api/v3/account/settings': () =>
        new Whole({
          status: 400,
          body: said(
            '40084',
            'You are in Classic Account mode, and the Unified Account API is not supported at this time',
          ),
        }),
      [`GET ${mix}/market/contracts`]: contracts,
      [`GET ${mix}/market/ticker`]: tickers,
      [`GET ${mix}/market/merge-depth`]: orderBook,
      [`GET ${mix}/market/candles`]: candles,
      [`GET ${mix}/account/account`]: account,
      [`GET ${mix}/account/accounts`]: (asked) => (isUsdt(asked) ? [account(asked)] : []),
      [`POST ${mix}/account/set-leverage`]: setLeverage,
      [`GET ${mix}/position/all-position`]: (asked) => asked.engine.positions().map((held) => positionRow(asked, held)),
      [`GET ${mix}/position/single-position`]: (asked) =>
        asked.engine.positions().map((held) => positionRow(asked, held)),
      [`POST ${mix}/order/place-order`]: place,
      [`POST ${mix}/order/place-plan-order`]: place,
      [`POST ${mix}/order/cancel-order`]: (asked) => idsOf(asked.engine.cancel(orderIn(asked, 'not-open'))),
      [`POST ${mix}/order/cancel-plan-order`]: cancelPlans,
      [`GET ${mix}/order/detail`]: (asked) => orderRow(orderIn(asked, 'not-found')),
      [`GET ${mix}/order/orders-pending`]: (asked) =>
        listed(asked, (order) => order.trigger === undefined && isOpen(order), orderRow),
      [`GET ${mix}/order/orders-history`]: (asked) =>
        listed(asked, (order) => order.trigger === undefined && !isOpen(order), orderRow),
      [`GET ${mix}/order/orders-plan-pending`]: (asked) =>
        listed(asked, (order) => isPlanOf(asked, order) && isOpen(order), planRow),
      [`GET ${mix}/order/orders-plan-history`]: (asked) =>
        listed(asked, (order) => isPlanOf(asked, order) && !isOpen(order), planRow),
      [`GET ${mix}/order/plan-sub-order`]: subOrders,
      [`GET ${mix}/order/fills`]: (asked) => fills(asked, 90 * DAY_MS),
      [`GET ${mix}/order/fill-history`]: (asked) => fills(asked, 7 * DAY_MS),
    },
    isPrivate: ({ path }) => !/\/(public|market)\/|\/currencies$/.test(path),
    isSigned: ({ headers }) =>
      headers['access-key'] !== undefined &&
      headers['access-sign'] !== undefined &&
      headers['access-passphrase'] !== undefined,
    sentAt: ({ headers }) => Number(headers['access-timestamp']),
    windowMs: 30_000,
    changesOrders: ({ method, path }) => method === 'POST' && path.includes('/order/'),
    wrap: (data, { now }) => ({ code: '00000', msg: 'success', requestTime: now, data }),
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: said('429', 'Too Many Requests'),
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    broken: () => ({ status: 500, body: said('40015', 'System is abnormal, please try again later') }),
  }
}

function said(code: string, msg: string): unknown {
  return { code, msg, requestTime: 0, data: null }
}

function refusalOf(reason: RefusalReason, { path }: Asked): Said {
  const isCancel = path.includes('cancel')
  const codes: Readonly<Record<RefusalReason, string>> = {
    'bad-symbol': '40034',
    'insufficient-funds': '40762',
    'reduce-only': '22002',
    'duplicate-id': '40786',
    'not-found': isCancel ? '22001' : '40109',
    'not-open': '22001',
    'bad-amount': '45110',
    'bad-price': '40020',
    'bad-parameter': '40017',
    'would-trigger': '40017',
    'post-only': '40017',
    fok: '40017',
    leverage: '40797',
    unchanged: '40017',
    signature: '40009',
    clock: '40008',
  }
  return { status: 400, body: said(codes[reason], reason) }
}

function isUsdt({ fields }: Asked): boolean {
  return fields.productType === 'USDT-FUTURES'
}

function contracts(asked: Asked): unknown {
  if (!isUsdt(asked)) return []
  return asked.engine.markets.map(({ id, base, lot, tick }) => ({
    symbol: id,
    baseCoin: base,
    quoteCoin: 'USDT',
    supportMarginCoins: ['USDT'],
    symbolType: 'perpetual',
    symbolStatus: 'normal',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0005',
    minTradeNum: lot,
    sizeMultiplier: lot,
    minTradeUSDT: '5',
    volumePlace: String(new Decimal(lot).dp()),
    pricePlace: String(new Decimal(tick).dp()),
    priceEndStep: '1',

    minLever: '1',
    maxLever: '125',
    maxMarketOrderQty: '2200',
    maxOrderQty: '12000',
    offTime: '-1',
    limitOpenTime: '-1',
  }))
}

function tickers({ engine, fields, now }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const { bids, asks } = engine.book(market)
  const last = engine.last(market).toFixed()
  const top = { bidPr: bids[0]?.[0].toFixed(), bidSz: '1', askPr: asks[0]?.[0].toFixed(), askSz: '1' }
  return [{ symbol: market.id, lastPr: last, markPrice: last, indexPrice: last, ...top, ts: String(now) }]
}

function orderBook({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'symbol')))
  const levels = (side: typeof bids) =>
    side.slice(0, 50).map(([price, amount]) => [price.toNumber(), amount.toNumber()])
  return {
    asks: levels(asks),
    bids: levels(bids),
    ts: String(now),
    scale: '0.1',
    precision: 'scale0',
    isMaxPrecision: 'NO',
  }
}

function candles({ engine, fields, now }: Asked): unknown {
  const last = engine.last(engine.market(textIn(fields, 'symbol'))).toFixed()
  return [[String(Math.floor(now / 60_000) * 60_000), last, last, last, last, '1', last]]
}

function account({ engine, fields }: Asked): unknown {
  const { wallet, unrealized, inPositions, inOrders, available } = engine.account.funds('USDT')
  const equity = wallet.plus(unrealized).toFixed()
  const market = engine.markets.find(({ id }) => id === fields.symbol)
  return {
    marginCoin: 'USDT',
    locked: inPositions.plus(inOrders).toFixed(),
    available: wallet.minus(inPositions).minus(inOrders).toFixed(),

    crossedMaxAvailable: available.toFixed(),
    maxTransferOut: available.toFixed(),
    accountEquity: equity,
    usdtEquity: equity,
    unrealizedPL: unrealized.toFixed(),
    marginMode: 'crossed',
    posMode: 'one_way_mode',
    assetMode: 'single',
    ...(market !== undefined && { crossedMarginLeverage: engine.account.leverageOf(market) }),
  }
}

function setLeverage({ engine, fields }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const wanted = Number(textIn(fields, 'leverage'))
  if (!(wanted >= 1 && wanted <= market.maxLeverage)) refuse('leverage')
  engine.account.leverage.set(market.id, wanted)
  return {
    symbol: market.id,
    marginCoin: 'USDT',
    longLeverage: String(wanted),
    shortLeverage: String(wanted),
    marginMode: 'crossed',
  }
}

type HeldRow = ReturnType<Asked['engine']['positions']>[number]

function positionRow({ engine }: Asked, { market, amount, entry, realized, openedAt, updatedAt }: HeldRow): unknown {
  const last = engine.last(market)
  return {
    marginCoin: 'USDT',
    symbol: market.id,
    holdSide: amount.gt(0) ? 'long' : 'short',
    total: amount.abs().toFixed(),
    available: amount.abs().toFixed(),
    locked: '0',
    openPriceAvg: entry.toFixed(),
    markPrice: last.toFixed(),
    leverage: String(engine.account.leverageOf(market)),
    marginMode: 'crossed',
    posMode: 'one_way_mode',
    marginSize: worthOf(amount.abs(), last, market).div(engine.account.leverageOf(market)).toFixed(),
    unrealizedPL: worthOf(amount, last.minus(entry), market).toFixed(),
    achievedProfits: realized.toFixed(),
    liquidationPrice: '0',
    keepMarginRate: '0.004',
    marginRatio: '0.01',
    assetMode: 'single',
    cTime: String(openedAt),
    uTime: String(updatedAt),
  }
}

const FORCES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = { gtc: 'gtc', ioc: 'ioc', fok: 'fok', post_only: 'gtc' }

function place({ engine, fields, path }: Asked): unknown {
  const market = engine.market(textIn(fields, 'symbol'))
  const isPlan = path.endsWith('plan-order')
  const trigger = new Decimal(textIn(fields, 'triggerPrice') ?? 0)
  const force = (textIn(fields, 'force') ?? 'gtc').toLowerCase()
  const isMarket = fields.orderType === 'market'
  const isIncomplete =
    fields.marginMode === undefined || fields.marginCoin === undefined || !isKnown(fields.side, ['buy', 'sell'])
  if (isIncomplete || FORCES[force] === undefined || (isPlan && (trigger.isZero() || fields.triggerType === undefined)))
    refuse('bad-parameter')
  const order = engine.place({
    market,
    clientId: textIn(fields, 'clientOid') ?? '',
    side: fields.side === 'buy' ? 'buy' : 'sell',

    amount: new Decimal(textIn(fields, 'size') ?? 0),
    timeInForce: FORCES[force] ?? 'gtc',
    postOnly: force === 'post_only',
    reduceOnly: String(fields.reduceOnly).toUpperCase() === 'YES',
    said: { force },
    ...(!isMarket && { price: new Decimal(textIn(fields, 'price') ?? 0) }),
    ...(isPlan && { trigger: { price: trigger, way: engine.last(market).lt(trigger) ? 'up' : 'down' } }),
  })
  return idsOf(order)
}

function isKnown(word: unknown, words: readonly string[]): boolean {
  return typeof word === 'string' && words.includes(word)
}

function idsOf({ id, clientId }: ModelOrder): unknown {
  return { orderId: id, clientOid: clientId }
}

/** @throws {ModelRefusal} */
function orderIn({ engine, fields }: Asked, missing: RefusalReason): ModelOrder {
  const id = textIn(fields, 'orderId')
  const found = id === undefined ? engine.named(textIn(fields, 'clientOid') ?? '') : engine.orders.get(id)
  return found === undefined || found.trigger !== undefined ? refuse(missing) : found
}

/** As it was typed on a position: `pos_loss` and the like; else placed by itself. */
function planTypeOf({ said: { planType } }: ModelOrder): string {
  return typeof planType === 'string' ? planType : 'normal_plan'
}

function isPlanOf({ fields }: Asked, order: ModelOrder): boolean {
  const isOwn = planTypeOf(order) === 'normal_plan'
  return order.trigger !== undefined && isOwn === (fields.planType !== 'profit_loss')
}

function cancelPlans({ engine, fields }: Asked): unknown {
  const names = (fields.orderIdList ?? []) as readonly Readonly<Record<string, string>>[]
  const isMeant = (order: ModelOrder) =>
    order.trigger !== undefined && isOpen(order) && planTypeOf(order) === (fields.planType ?? 'normal_plan')
  const found = names.map(({ orderId, clientOid }) => {
    const order = engine.orders.get(orderId ?? '') ?? engine.named(clientOid ?? '')
    return { orderId, clientOid, order: order !== undefined && isMeant(order) ? order : undefined }
  })
  const failed = found.filter(({ order }) => order === undefined)
  if (names.length === 0) refuse('bad-parameter')
  return {
    successList: found.flatMap(({ order }) => (order === undefined ? [] : [idsOf(engine.cancel(order))])),
    failureList: failed.map(({ orderId = '', clientOid = '' }) => ({
      orderId,
      clientOid,
      errorMsg: 'The order does not exist',
      errorCode: '43025',
    })),
  }
}

function listed(
  asked: Asked,
  isWanted: (order: ModelOrder) => boolean,
  rowOf: (order: ModelOrder) => unknown,
): unknown {
  const { engine, fields, now } = asked
  const [symbol, id, clientId] = [textIn(fields, 'symbol'), textIn(fields, 'orderId'), textIn(fields, 'clientOid')]
  const [from, until] = [
    Number(textIn(fields, 'startTime') ?? now - 90 * DAY_MS),
    Number(textIn(fields, 'endTime') ?? now),
  ]
  const before = textIn(fields, 'idLessThan')
  const found = [...engine.orders.values()].filter(
    (order) =>
      isWanted(order) &&
      (symbol === undefined || order.market.id === symbol) &&
      (id === undefined ? clientId === undefined || order.clientId === clientId : order.id === id) &&
      (isOpen(order) || (order.createdAt >= from && order.createdAt <= until)) &&
      (before === undefined || Number(order.id) < Number(before)),
  )
  const page = pageOf(found.reverse(), textIn(fields, 'limit'), 100, 100)
  if (page.length === 0) return { entrustedList: null, endId: null }
  return { entrustedList: page.map(rowOf), endId: page.at(-1)?.id }
}

function rowOf(order: ModelOrder): Readonly<Record<string, unknown>> {
  const isMarket = order.price === undefined
  return {
    symbol: order.market.id,
    size: order.amount.toFixed(),
    orderId: order.id,
    clientOid: order.clientId,
    side: order.side,
    orderType: isMarket ? 'market' : 'limit',
    reduceOnly: order.reduceOnly ? 'YES' : 'NO',

    price: order.price?.toFixed() ?? '',
    posSide: 'net',
    marginCoin: 'USDT',
    marginMode: 'crossed',
    leverage: '10',

    tradeSide: `${order.side}_single`,
    posMode: 'one_way_mode',
    enterPointSource: order.clientId === '' ? 'WEB' : 'API',

    presetStopSurplusPrice: '',
    presetStopLossPrice: '',
    cTime: String(order.createdAt),
    uTime: String(order.updatedAt),
  }
}

function orderRow(order: ModelOrder): unknown {
  const { phase, filled } = order
  const state =
    phase === 'filled' ? 'filled' : phase === 'ended' ? 'canceled' : filled.isZero() ? 'live' : 'partially_filled'
  const force = order.postOnly ? 'post_only' : order.price === undefined ? 'gtc' : order.timeInForce
  return {
    ...rowOf(order),

    state,
    status: state,
    force,
    baseVolume: filled.toFixed(),
    priceAvg: filled.isZero() ? '' : averageOf(order).toFixed(),

    quoteVolume: order.cost.toFixed(),
    fee: order.fee.neg().toFixed(),
    totalProfits: '0',
    orderSource: sourceOf(order),
  }
}

function sourceOf({ act, parent, price }: ModelOrder): string {
  if (act !== undefined) return act === 'liquidation' ? 'burst_market' : 'dte_sys_adl_market'
  return parent === undefined ? 'normal' : `plan_${price === undefined ? 'market' : 'limit'}`
}

function planRow(order: ModelOrder): unknown {
  const { phase, reason, child, trigger } = order
  const status =
    phase === 'waiting'
      ? 'live'
      : reason === 'fired'
        ? 'executed'
        : reason === 'canceled' || reason === 'liquidation'
          ? 'cancelled'
          : 'fail_execute'
  return {
    ...rowOf(order),

    planType: planTypeOf(order),
    ...(planTypeOf(order).startsWith('pos_') && { size: '' }),
    planStatus: status,
    triggerPrice: trigger?.price.toFixed(),
    triggerType: 'fill_price',
    executeOrderId: child?.id ?? '',
    baseVolume: '',
    priceAvg: '',
    callbackRatio: '',
  }
}

function subOrders({ engine, fields }: Asked): unknown {
  const child = engine.orders.get(textIn(fields, 'planOrderId') ?? '')?.child
  if (child === undefined) return []
  return [
    {
      orderId: child.id,
      price: child.price?.toFixed() ?? '',
      type: child.price === undefined ? 'market' : 'limit',
      status: 'success',
    },
  ]
}

function fills(asked: Asked, spanMs: number): unknown {
  const { engine, fields, now } = asked
  const [start, end] = [textIn(fields, 'startTime'), textIn(fields, 'endTime')]
  const until = end === undefined ? (start === undefined ? now : Math.min(now, Number(start) + spanMs)) : Number(end)
  const from = start === undefined ? until - spanMs : Number(start)
  const [symbol, orderId, before] = [textIn(fields, 'symbol'), textIn(fields, 'orderId'), textIn(fields, 'idLessThan')]
  const found = engine.fills.filter(
    ({ id, time, order }) =>
      time >= from &&
      time <= until &&
      (symbol === undefined || order.market.id === symbol) &&
      (orderId === undefined || order.id === orderId) &&
      (before === undefined || Number(id) < Number(before)),
  )
  const page = pageOf(found.reverse(), textIn(fields, 'limit'), 100, 100)
  if (page.length === 0) return { fillList: null, endId: null }
  const fillList = page.map(({ id, order, price, amount, fee, isMaker, realized, time }) => ({
    tradeId: id,
    symbol: order.market.id,
    orderId: order.id,
    price: price.toFixed(),
    baseVolume: amount.toFixed(),
    feeDetail: [{ deduction: 'no', feeCoin: 'USDT', totalDeductionFee: '0', totalFee: fee.neg().toFixed() }],

    side: order.side,
    quoteVolume: price.times(amount).toFixed(),
    profit: realized.toFixed(),
    enterPointSource: 'api',

    tradeSide: tradeSideOf(order),
    posMode: 'one_way_mode',
    tradeScope: isMaker ? 'maker' : 'taker',
    cTime: String(time),
  }))
  return { fillList, endId: page.at(-1)?.id }
}

function tradeSideOf({ act, side }: ModelOrder): string {
  if (act === undefined) return `${side}_single`
  return act === 'liquidation' ? `burst_${side}_single` : `dte_sys_adl_${side}_in_single_side_mode`
}
