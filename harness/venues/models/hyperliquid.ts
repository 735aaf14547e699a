// Hyperliquid, perpetual contracts: questions and actions are POSTs told apart by a type, an order at market is an immediate limit order, and refusals
// are texts under success.
import { Decimal } from 'decimal.js'
import { worthOf } from './account.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type Fields, type ModelSpec, type Said, textIn, Whole } from './model.ts'
import {
  isOpen,
  type ModelFill,
  type ModelMarket,
  type ModelOrder,
  ModelRefusal,
  type RefusalReason,
  refuse,
  type Wish,
} from './orders.ts'

const DOCS = 'hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api'

const CLAIMS = [
  documented('an action answers with statuses: resting, filled or error', `${DOCS}/exchange-endpoint`),
  documented(
    'orderStatus: open, filled, canceled, triggered, rejected, marginCanceled, reduceOnlyCanceled, liquidatedCanceled',
    `${DOCS}/info-endpoint#query-order-status-by-oid-or-cloid`,
  ),
  documented(
    'orderStatus of what there is not: unknownOid',
    `${DOCS}/info-endpoint#query-order-status-by-oid-or-cloid`,
  ),
  documented(
    'userFills lists the newest 2000, userFillsByTime 2000 from a time on',
    `${DOCS}/info-endpoint#retrieve-a-users-fills`,
  ),
  documented('a fill of a liquidation has the field liquidation', `${DOCS}/websocket/subscriptions, WsFill`),
  documented(
    'the texts of refusals: Insufficient margin, Reduce only, Post only, IOC that could not match',
    `${DOCS}/error-responses`,
  ),
  documented('a price has 5 significant digits, integers are always allowed', `${DOCS}/tick-and-lot-size`),
  assumption('a trigger order that fires goes on under its own oid, as an immediate order at its limit price'),
  assumption('a trigger order that the price has passed fires at once'),
  assumption('an immediate order that was filled in part has the status canceled'),
  assumption('a reduce-only order above the position fills as far as it goes and is reduceOnlyCanceled'),
  assumption('a trigger order that finds no margin is marginCanceled'),
  assumption('a cloid of an order that rests is refused'),
  assumption('an order that was filled in part and rests is told as resting'),
  documented(
    'normalTpsl: children are placed if and only if their parent has filled whole (or lacked margin for the rest), are as large as it, and end with it',
    'hyperliquid.gitbook.io/hyperliquid-docs/trading/take-profit-and-stop-loss-orders-tp-sl',
  ),
  documented('of two children one that fills ends the other: siblingFilledCanceled', `${DOCS}/info-endpoint`),
  documented(
    'a child is told as waitingForFill or waitingForTrigger, and is not submitted before its parent has filled',
    'hyperliquid-rust-sdk, ExchangeDataStatus; hyperliquid-docs/trading/take-profit-and-stop-loss-orders-tp-sl',
  ),
  assumption('a child that the price has passed has its parent refused: Invalid TP/SL price'),
  assumption('dir of deleveraging is Auto-Deleveraging'),
]

const MARKETS: readonly ModelMarket[] = [
  contract('BTC', '1', '0.00001', '60000'),
  contract('ETH', '0.1', '0.0001', '3000'),
]

function contract(base: string, tick: string, lot: string, startPrice: string): ModelMarket {
  const names = { id: base, symbol: `${base}USDC`, base, quote: 'USDC', settle: 'USDC' }
  return { ...names, tick, lot, contractValue: '1', startPrice, maxLeverage: 40 }
}

export function hyperliquidModel(): ModelSpec {
  return {
    venue: 'hyperliquid',
    kind: 'linear',
    keys: { walletAddress: `0x${'2'.repeat(40)}`, privateKey: `0x${'1'.repeat(64)}` },
    hosts: ['api.hyperliquid.xyz'],
    markets: MARKETS,
    wallet: { USDC: '100000' },
    policy: {
      uniqueIds: 'open',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'ends',
      iocThatCannot: 'refused',
      reduceOnlyBeyond: 'cut',
    },
    idOf: (count) => String(77_738_300 + count),
    claims: CLAIMS,
    routes: { 'POST /info': info, 'POST /exchange': exchange },
    isPrivate: ({ path, fields }) => path === '/exchange' || fields.user !== undefined,
    isSigned: ({ path, fields }) =>
      path === '/info' || (typeof fields.signature === 'object' && Number(fields.nonce) > 0),
    changesOrders: ({ path, fields }) =>
      path === '/exchange' && /order|cancel|odify/.test(String((fields.action as Fields | undefined)?.type)),
    wrap: (content) => content,
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      status: 429,
      body: null,
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    broken: () => ({ status: 500, body: null }),
  }
}

const TEXTS: Partial<Record<RefusalReason, string>> = {
  'insufficient-funds': 'Insufficient margin to place order. asset=0',
  'reduce-only': 'Reduce only order would increase position. asset=0',
  'post-only': 'Post only order would have immediately matched, bbo was 59999@60001. asset=0',
  fok: 'Order could not immediately match against any resting orders. asset=0',
  'bad-price': 'Price must be divisible by tick size. asset=0',
  'bad-amount': 'Order has invalid size.',

  'not-found': 'Order was never placed, already canceled, or filled. asset=0',
  'not-open': 'Order was never placed, already canceled, or filled. asset=0',

  'duplicate-id': 'Cloid already exists',
  'would-trigger': 'Invalid TP/SL price. asset=0',
  leverage: 'Invalid leverage value',
}

function refusalOf(reason: RefusalReason, { fields }: Asked): Said {
  const type = String((fields.action as Fields | undefined)?.type ?? 'order')
  const error = TEXTS[reason]
  if (error === undefined || type === 'updateLeverage')
    return { body: { status: 'err', response: error ?? 'User or API Wallet does not exist.' } }
  return { body: { status: 'ok', response: { type, data: { statuses: [{ error }] } } } }
}

function info(asked: Asked): unknown {
  const { engine, fields, now } = asked
  switch (fields.type) {
    case 'metaAndAssetCtxs':
      return meta(engine)
    case 'spotMetaAndAssetCtxs':
    case 'spotMeta':
      return [
        {
          tokens: [{ name: 'USDC', szDecimals: 8, weiDecimals: 8, index: 0, tokenId: '0x1', isCanonical: true }],
          universe: [],
        },
        [],
      ]
    case 'perpDexs':
      return [null]
    case 'userAbstraction':
      return 'default'
    case 'allMids':
      return Object.fromEntries(engine.markets.map((market) => [market.id, engine.last(market).toFixed()]))
    case 'l2Book':
      return book(asked)
    case 'clearinghouseState':
      return state(engine, now)
    case 'openOrders':
    case 'frontendOpenOrders':
      return [...engine.open()].reverse().map(orderRow)
    case 'orderStatus':
      return orderStatus(asked)
    case 'historicalOrders':
      return [...engine.orders.values()].reverse().map(statusRow)
    case 'userFills':
      return [...engine.fills].reverse().slice(0, 2000).map(fillRow)
    case 'userFillsByTime':
      return fillsByTime(asked)
    default:
      throw new Error(`no such question: ${String(fields.type)}`)
  }
}

function meta(engine: Asked['engine']): unknown {
  const universe = engine.markets.map(({ id, lot, maxLeverage }) => ({
    szDecimals: new Decimal(lot).dp(),
    name: id,
    maxLeverage,
    marginTableId: 56,
  }))
  const contexts = engine.markets.map((market) => {
    const { bids, asks } = engine.book(market)
    const last = engine.last(market).toFixed()
    const impactPxs = [bids[0]?.[0].toFixed(), asks[0]?.[0].toFixed()]
    return {
      funding: '0',
      openInterest: '1',
      prevDayPx: last,
      dayNtlVlm: '1',
      premium: '0',
      oraclePx: last,
      markPx: last,
      midPx: last,
      impactPxs,
      dayBaseVlm: '1',
    }
  })
  return [{ universe }, contexts]
}

function book({ engine, fields, now }: Asked): unknown {
  const { bids, asks } = engine.book(engine.market(textIn(fields, 'coin')))
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, amount]) => ({ px: price.toFixed(), sz: amount.toFixed(), n: 1 }))
  return { coin: fields.coin, time: now, levels: [levels(bids), levels(asks)] }
}

function state(engine: Asked['engine'], time: number): unknown {
  const { wallet, unrealized, inPositions, inOrders } = engine.account.funds('USDC')
  const equity = wallet.plus(unrealized)
  const used = inPositions.plus(inOrders)
  const summary = {
    accountValue: equity.toFixed(),
    totalMarginUsed: used.toFixed(),
    totalNtlPos: '0',
    totalRawUsd: wallet.toFixed(),
  }
  const assetPositions = engine.positions().map(({ market, amount, entry }) => {
    const last = engine.last(market)
    const value = worthOf(amount.abs(), last, market)
    const leverage = engine.account.leverageOf(market)
    return {
      position: {
        coin: market.id,
        szi: amount.toFixed(),
        entryPx: entry.toFixed(),
        leverage: { type: 'cross', value: leverage },
        liquidationPx: null,

        marginUsed: value.div(leverage).toFixed(),
        maxLeverage: 40,
        positionValue: value.toFixed(),
        returnOnEquity: '0',

        unrealizedPnl: worthOf(amount, last.minus(entry), market).toFixed(),
        cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      },
      type: 'oneWay',
    }
  })
  return {
    assetPositions,
    crossMarginSummary: summary,
    marginSummary: summary,
    crossMaintenanceMarginUsed: '0',
    withdrawable: equity.minus(used).toFixed(),
    time,
  }
}

function orderRow(order: ModelOrder): Readonly<Record<string, unknown>> {
  const { trigger, said } = order
  return {
    coin: order.market.id,
    side: order.side === 'buy' ? 'B' : 'A',
    limitPx: (order.price ?? new Decimal(0)).toFixed(),

    sz: order.amount.minus(order.filled).toFixed(),
    origSz: order.amount.toFixed(),
    oid: Number(order.id),
    timestamp: order.createdAt,

    triggerCondition:
      trigger === undefined ? 'N/A' : `Price ${trigger.way === 'up' ? 'above' : 'below'} ${trigger.price.toFixed()}`,

    isTrigger: trigger !== undefined,
    triggerPx: trigger?.price.toFixed() ?? '0.0',
    children: [],
    isPositionTpsl: false,

    reduceOnly: order.reduceOnly,
    orderType: said.type ?? (trigger === undefined ? 'Limit' : 'Stop Market'),
    tif: said.tif ?? null,
    cloid: order.clientId === '' ? null : order.clientId,
  }
}

function statusOf({ phase, reason, triggeredAt, filled }: ModelOrder): string {
  if (phase === 'filled') return 'filled'
  if (phase !== 'ended') return triggeredAt > 0 && filled.isZero() ? 'triggered' : 'open'
  const words: Readonly<Record<string, string>> = {
    'trigger-failed': 'marginCanceled',
    'reduce-only': 'reduceOnlyCanceled',
    liquidation: 'liquidatedCanceled',
    sibling: 'siblingFilledCanceled',
  }
  return words[reason ?? ''] ?? 'canceled'
}

function statusRow(order: ModelOrder): unknown {
  return { order: orderRow(order), status: statusOf(order), statusTimestamp: order.updatedAt }
}

function orderStatus({ engine, fields }: Asked): unknown {
  const name = String(fields.oid)
  const found = name.startsWith('0x') ? engine.named(name) : engine.orders.get(name)
  return found === undefined ? { status: 'unknownOid' } : { status: 'order', order: statusRow(found) }
}

function fillsByTime({ engine, fields, now }: Asked): unknown {
  const [from, until] = [Number(fields.startTime ?? 0), Number(fields.endTime ?? now)]
  const found = engine.fills.filter(({ time }) => time >= from && time <= until)
  return found.slice(0, 2000).map(fillRow)
}

function fillRow({ id, order, price, amount, fee, isMaker, realized, time }: ModelFill): unknown {
  const isDeleveraged = order.act === 'deleveraging'
  return {
    coin: order.market.id,
    px: price.toFixed(),
    sz: amount.toFixed(),
    side: order.side === 'buy' ? 'B' : 'A',
    time,
    startPosition: '0',

    dir: isDeleveraged ? 'Auto-Deleveraging' : order.side === 'buy' ? 'Open Long' : 'Close Long',
    closedPnl: realized.toFixed(),

    hash: `0x${'a'.repeat(64)}`,
    oid: Number(order.id),
    crossed: !isMaker,
    fee: fee.toFixed(),
    feeToken: 'USDC',
    tid: Number(id),
    ...(order.clientId !== '' && { cloid: order.clientId }),
    ...(order.act === 'liquidation' && {
      liquidation: { liquidatedUser: `0x${'2'.repeat(40)}`, markPx: price.toFixed(), method: 'market' },
    }),
  }
}

interface WireOrder {
  readonly a: number
  readonly b: boolean
  readonly p: string
  readonly s: string
  readonly r: boolean
  readonly c?: string
  readonly t: {
    readonly limit?: { readonly tif: string }
    readonly trigger?: { readonly isMarket: boolean; readonly triggerPx: string; readonly tpsl: string }
  }
}

function exchange(asked: Asked): unknown {
  const action = asked.fields.action as Fields
  const type = String(action.type)
  const done = (statuses: readonly unknown[]) => ({ status: 'ok', response: { type, data: { statuses } } })
  switch (type) {
    case 'order':
      return done(placeAll(asked, action))
    case 'cancel':
    case 'cancelByCloid':
      return done((action.cancels as readonly Fields[]).map((wish) => cancel(asked, wish)))
    case 'batchModify':
      return { ...done((action.modifies as readonly Fields[]).map((wish) => modify(asked, wish))) }
    case 'updateLeverage':
      return updateLeverage(asked, action)
    default:
      return new Whole({ body: { status: 'err', response: `Unknown action ${type}` } })
  }
}

function placeAll(asked: Asked, { orders, grouping }: Fields): readonly unknown[] {
  const wires = orders as readonly WireOrder[]
  if (grouping !== 'normalTpsl') return wires.map((wire) => saidOf(place(asked, wire)))
  const { engine } = asked
  const [parent, ...children] = wires
  if (parent === undefined) return refuse('bad-parameter')
  const wishes = children.map((wire) => wishOf(asked, wire))
  if (wishes.some((wish) => !wish.reduceOnly || wish.trigger === undefined)) refuse('bad-parameter')
  for (const { market, trigger } of wishes) {
    const last = engine.last(market)
    const isPassed = trigger?.way === 'up' ? last.gte(trigger.price) : last.lte(trigger?.price ?? 0)
    if (isPassed) refuse('would-trigger')
  }
  const order = place(asked, parent)
  engine.carry(order, wishes)
  const waits = order.phase === 'filled' ? 'waitingForTrigger' : 'waitingForFill'
  return [saidOf(order), ...children.map(() => waits)]
}

function place(asked: Asked, wire: WireOrder): ModelOrder {
  return asked.engine.place(wishOf(asked, wire))
}

function wishOf({ engine }: Asked, { a, b, p, s, r, c, t }: WireOrder): Wish {
  const market = engine.markets[a] ?? refuse('bad-symbol')
  const side = b ? 'buy' : 'sell'
  const { limit, trigger } = t
  const tif = limit?.tif ?? null
  const isStop = trigger?.tpsl === 'sl'
  const type =
    trigger === undefined ? 'Limit' : `${isStop ? 'Stop' : 'Take Profit'} ${trigger.isMarket ? 'Market' : 'Limit'}`
  return {
    market,
    clientId: c ?? '',
    side,
    amount: new Decimal(s),
    price: new Decimal(p),
    reduceOnly: r,
    postOnly: tif === 'Alo',
    timeInForce: tif === 'Ioc' || trigger?.isMarket === true ? 'ioc' : 'gtc',
    ...(trigger !== undefined && {
      trigger: { price: new Decimal(trigger.triggerPx), way: (side === 'buy') === isStop ? 'up' : 'down' },
    }),
    said: { tif, type },
  }
}

function saidOf(order: ModelOrder): unknown {
  const names = { oid: Number(order.id), ...(order.clientId !== '' && { cloid: order.clientId }) }
  return isOpen(order) || order.filled.isZero()
    ? { resting: names }
    : { filled: { totalSz: order.filled.toFixed(), avgPx: averageOf(order).toFixed(), ...names } }
}

/** @throws {ModelRefusal} */
function openNamed(engine: Asked['engine'], name: string): ModelOrder {
  const found = name.startsWith('0x') ? engine.named(name) : engine.orders.get(name)
  return found !== undefined && isOpen(found) ? found : refuse('not-found')
}

function cancel({ engine }: Asked, wish: Fields): unknown {
  try {
    engine.cancel(openNamed(engine, String(wish.cloid ?? wish.o)))
    return 'success'
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error
    return { error: TEXTS['not-found'] }
  }
}

function modify(asked: Asked, { oid, order }: Fields): unknown {
  const before = openNamed(asked.engine, String(oid))
  asked.engine.cancel(before)
  return saidOf(place(asked, order as WireOrder))
}

function updateLeverage({ engine }: Asked, { asset, leverage }: Fields): unknown {
  const market = engine.markets[Number(asset)] ?? refuse('bad-symbol')
  if (!(Number(leverage) >= 1 && Number(leverage) <= market.maxLeverage)) refuse('leverage')
  engine.account.leverage.set(market.id, Number(leverage))
  return { status: 'ok', response: { type: 'default' } }
}
