// Kraken, spot: every private request is a POST with a number that rises, an order is acknowledged with its id, and a stop is a type of order.
import { Decimal } from 'decimal.js'
import { defined } from '../../../src/base/defined.ts'
import { averageOf } from './engine.ts'
import { type Asked, assumption, documented, type ModelSpec, type Said, textIn, Whole } from './model.ts'
import { isOpen, type ModelFill, type ModelMarket, type ModelOrder, type RefusalReason, refuse } from './orders.ts'

const DOCS = 'docs.kraken.com/api/docs/rest-api'
const PAGE = 50

const CLAIMS = [
  documented('an order is acknowledged with txid and a description', `${DOCS}/add-order`),
  documented('cl_ord_id is unique among open orders', `${DOCS}/add-order`),
  documented('TradesHistory lists 50 at a time, newest first, of all pairs', `${DOCS}/get-trade-history`),
  documented('ClosedOrders and OpenOrders can be asked by cl_ord_id, QueryOrders by txid', `${DOCS}/get-closed-orders`),
  documented(
    'status: pending, open, closed, canceled, expired; an ended order has a reason',
    'nautilus_trader kraken test_data http_closed_orders.json',
  ),
  documented('misc says stopped once a stop was triggered', `${DOCS}/get-open-orders`),
  documented(
    'EOrder:Insufficient funds, EOrder:Unknown order, EOrder:Post only order, EAPI:Invalid nonce, EAPI:Rate limit exceeded',
    'docs.kraken.com/api/docs/guides/spot-errors',
  ),
  documented('a nonce that is not above the last one is refused', 'docs.kraken.com/api/docs/guides/spot-rest-auth'),
  assumption('a second order under a cl_ord_id that rests is EOrder:Duplicate cl_ord_id'),
  assumption('a stop that the price has passed fires at once'),
  assumption('an immediate order that finds nothing, and fill-or-kill that cannot, are taken and expired'),
  assumption('what an order at market did not find is canceled'),
  assumption('a stop that fails when triggered is canceled, with the reason Insufficient funds'),
]

const MARKETS: readonly ModelMarket[] = [
  pair('XXBTZUSD', 'BTC', '0.1', '60000'),
  pair('XETHZUSD', 'ETH', '0.01', '3000'),
]
const ASSETS: Readonly<Record<string, string>> = { BTC: 'XXBT', ETH: 'XETH', USD: 'ZUSD' }

function pair(id: string, base: string, tick: string, startPrice: string): ModelMarket {
  return {
    id,
    symbol: `${base}USD`,
    base,
    quote: 'USD',
    tick,
    lot: '0.00000001',
    contractValue: '1',
    startPrice,
    maxLeverage: 1,
  }
}

export function krakenModel(): ModelSpec {
  const [pub, own] = ['GET /0/public', 'POST /0/private']
  const state = { nonce: 0 }
  return {
    venue: 'kraken',
    kind: 'spot',
    keys: { apiKey: 'key-of-nobody', secret: 'c2VjcmV0LW9mLW5vYm9keQ==' },
    hosts: ['api.kraken.com'],
    markets: MARKETS,
    wallet: { USD: '100000', BTC: '10', ETH: '100' },
    policy: {
      uniqueIds: 'open',
      firedBecomes: 'itself',
      passedTrigger: 'fires',
      postOnlyThatTakes: 'refused',
      fokThatCannot: 'ends',
      reduceOnlyBeyond: 'cut',
      spotFeeIn: 'quote',
    },
    idOf: (count) => `O${String(count).padStart(5, '0')}-FRGI2-MQMWZD`,
    claims: CLAIMS,
    routes: {
      [`${pub}/Time`]: ({ now }) => ({ unixtime: Math.floor(now / 1000), rfc1123: new Date(now).toUTCString() }),
      [`${pub}/AssetPairs`]: pairs,
      [`${pub}/Assets`]: () => ({
        XXBT: { aclass: 'currency', altname: 'XBT', decimals: 10 },

        XETH: { aclass: 'currency', altname: 'ETH', decimals: 10 },
        ZUSD: { aclass: 'currency', altname: 'USD', decimals: 4 },
      }),
      [`${pub}/Ticker`]: ticker,
      [`${pub}/Depth`]: depth,
      // Of streams, of which there are none.
      [`${own}/GetWebSocketsToken`]: () => ({ token: 'token-of-nobody', expires: 900 }),
      [`${own}/BalanceEx`]: balances,
      [`${own}/AddOrder`]: place,
      [`${own}/CancelOrder`]: (asked) => {
        asked.engine.cancel(openIn(asked))
        return { count: 1 }
      },
      [`${own}/OpenOrders`]: (asked) => ({ open: rowsOf(named(asked).filter(isOpen)) }),
      [`${own}/ClosedOrders`]: (asked) => {
        const closed = named(asked).filter((order) => !isOpen(order))
        const skipped = Number(textIn(asked.fields, 'ofs') ?? 0)
        return { closed: rowsOf(closed.reverse().slice(skipped, skipped + PAGE)), count: closed.length }
      },
      [`${own}/QueryOrders`]: queryOrders,
      [`${own}/TradesHistory`]: trades,
      [`${own}/QueryTrades`]: ({ engine, fields }) => {
        const ids = (textIn(fields, 'txid') ?? '').split(',')
        return Object.fromEntries(
          engine.fills.filter(({ id }) => ids.includes(id)).map((fill) => [fill.id, tradeRow(fill)]),
        )
      },
    },
    isPrivate: ({ path }) => path.startsWith('/0/private/'),
    isSigned(asked) {
      const nonce = Number(asked.fields.nonce)
      if (nonce <= state.nonce) return refuse('clock')
      state.nonce = nonce
      return asked.headers['api-key'] !== undefined && asked.headers['api-sign'] !== undefined
    },
    changesOrders: ({ path }) => /\/(AddOrder|CancelOrder|EditOrder|AmendOrder)$/.test(path),
    wrap: (result) => ({ error: [], result }),
    refusal: refusalOf,
    rateLimited: (retryAfterS) => ({
      body: { error: ['EAPI:Rate limit exceeded'] },
      ...(retryAfterS !== undefined && { headers: { 'retry-after': String(retryAfterS) } }),
    }),
    unavailable: () => ({ body: { error: ['EService:Market in cancel_only mode'] } }),
    broken: () => ({ body: { error: ['EService:Unavailable'] } }),
  }
}

function refusalOf(reason: RefusalReason): Said {
  const words: Readonly<Record<RefusalReason, string>> = {
    'bad-symbol': 'EQuery:Unknown asset pair',
    'insufficient-funds': 'EOrder:Insufficient funds',
    'post-only': 'EOrder:Post only order',

    'not-found': 'EOrder:Unknown order',
    'not-open': 'EOrder:Unknown order',
    'duplicate-id': 'EOrder:Duplicate cl_ord_id',

    'bad-amount': 'EOrder:Order minimum not met',
    'bad-price': 'EOrder:Tick size check failed',
    'bad-parameter': 'EGeneral:Invalid arguments',

    'reduce-only': 'EGeneral:Invalid arguments',
    'would-trigger': 'EOrder:Invalid price',
    fok: 'EGeneral:Invalid arguments',

    unchanged: 'EGeneral:Invalid arguments',
    leverage: 'EGeneral:Invalid arguments',
    signature: 'EAPI:Invalid signature',
    clock: 'EAPI:Invalid nonce',
  }
  return { body: { error: [words[reason]] } }
}

function altOf({ id }: ModelMarket): string {
  return id.replace(/^X/, '').replace('ZUSD', 'USD')
}

function pairs({ engine }: Asked): unknown {
  return Object.fromEntries(
    engine.markets.map((market) => [
      market.id,
      {
        altname: altOf(market),
        wsname: `${market.base}/USD`,
        aclass_base: 'currency',
        base: ASSETS[market.base],
        aclass_quote: 'currency',

        quote: 'ZUSD',
        lot: 'unit',
        cost_decimals: 5,
        pair_decimals: new Decimal(market.tick).dp(),
        lot_decimals: 8,
        lot_multiplier: 1,

        leverage_buy: [],
        leverage_sell: [],
        fees: [[0, 0.05]],
        fees_maker: [[0, 0.02]],
        fee_volume_currency: 'ZUSD',
        ordermin: '0.00005',
        costmin: '0.5',
        tick_size: market.tick,
        status: 'online',
      },
    ]),
  )
}

function marketOf({ engine, fields }: Asked): ModelMarket {
  const name = textIn(fields, 'pair')
  return engine.markets.find((market) => market.id === name || altOf(market) === name) ?? refuse('bad-symbol')
}

function ticker(asked: Asked): unknown {
  const market = marketOf(asked)
  const { bids, asks } = asked.engine.book(market)
  const last = asked.engine.last(market).toFixed()
  const top = { a: [asks[0]?.[0].toFixed(), '1', '1.000'], b: [bids[0]?.[0].toFixed(), '1', '1.000'] }
  return {
    [market.id]: {
      ...top,
      c: [last, '0.1'],
      v: ['1', '1'],
      p: [last, last],
      t: [1, 1],
      l: [last, last],
      h: [last, last],
      o: last,
    },
  }
}

function depth(asked: Asked): unknown {
  const market = marketOf(asked)
  const { bids, asks } = asked.engine.book(market)
  const levels = (side: typeof bids) =>
    side.slice(0, 20).map(([price, amount]) => [price.toFixed(), amount.toFixed(), 1])
  return { [market.id]: { bids: levels(bids), asks: levels(asks) } }
}

function balances({ engine: { account } }: Asked): unknown {
  const row = (currency: string, amount: Decimal) => ({
    balance: amount.toFixed(),
    hold_trade: account.locked(currency).toFixed(),
  })
  return Object.fromEntries([...account.wallet].map(([currency, amount]) => [ASSETS[currency], row(currency, amount)]))
}

const TIMES: Readonly<Record<string, 'gtc' | 'ioc' | 'fok'>> = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok' }

function place(asked: Asked): unknown {
  const { engine, fields } = asked
  const type = textIn(fields, 'ordertype') ?? ''
  const time = TIMES[textIn(fields, 'timeinforce') ?? 'GTC']
  const isTrigger = /^(stop-loss|take-profit)/.test(type)
  const side = fields.type === 'buy' ? 'buy' : 'sell'
  const price = new Decimal(textIn(fields, 'price') ?? 0)
  if (
    !['market', 'limit', 'stop-loss', 'stop-loss-limit', 'take-profit', 'take-profit-limit'].includes(type) ||
    time === undefined
  )
    refuse('bad-parameter')
  const limit =
    type === 'limit' ? price : type.endsWith('-limit') ? new Decimal(textIn(fields, 'price2') ?? 0) : undefined
  const order = engine.place({
    market: marketOf(asked),
    clientId: textIn(fields, 'cl_ord_id') ?? '',
    side,
    amount: new Decimal(textIn(fields, 'volume') ?? 0),
    timeInForce: time ?? 'gtc',
    postOnly: /post/.test(textIn(fields, 'oflags') ?? ''),
    said: { type },
    ...defined({ price: limit }),
    ...(isTrigger && { trigger: { price, way: (side === 'buy') === type.startsWith('stop') ? 'up' : 'down' } }),
  })
  return { txid: [order.id], descr: { order: `${side} ${order.amount.toFixed(8)} ${altOf(order.market)} @ ${type}` } }
}

/** @throws {ModelRefusal} */
function openIn({ engine, fields }: Asked): ModelOrder {
  const id = textIn(fields, 'txid')
  const found = id === undefined ? engine.named(textIn(fields, 'cl_ord_id') ?? '') : engine.orders.get(id)
  return found !== undefined && isOpen(found) ? found : refuse('not-found')
}

function named({ engine, fields }: Asked): ModelOrder[] {
  const name = textIn(fields, 'cl_ord_id')
  return [...engine.orders.values()].filter((order) => name === undefined || order.clientId === name)
}

function rowsOf(orders: readonly ModelOrder[]): unknown {
  return Object.fromEntries(orders.map((order) => [order.id, orderRow(order)]))
}

function queryOrders({ engine, fields }: Asked): unknown {
  const ids = (textIn(fields, 'txid') ?? '').split(',')
  const found = [...engine.orders.values()].filter(({ id }) => ids.includes(id))
  return found.length === 0 ? new Whole({ body: { error: ['EOrder:Unknown order'] } }) : rowsOf(found)
}

function orderRow(order: ModelOrder): unknown {
  const { price, trigger, phase, reason, filled } = order
  const reasons: Readonly<Record<string, string>> = {
    canceled: 'User requested',
    'trigger-failed': 'Insufficient funds',
    'book-empty': 'Insufficient volume',
    ioc: 'Order expired',
    fok: 'Order expired',
  }
  const isExpired = reason === 'fok' || reason === 'ioc'
  const type =
    trigger === undefined ? (price === undefined ? 'market' : 'limit') : String(order.said.type ?? 'stop-loss')
  const shown =
    trigger === undefined ? [price ?? new Decimal(0), new Decimal(0)] : [trigger.price, price ?? new Decimal(0)]
  return {
    refid: null,
    userref: 0,
    ...(order.clientId !== '' && { cl_ord_id: order.clientId }),
    opentm: order.createdAt / 1000,
    starttm: 0,
    expiretm: 0,
    status: isOpen(order) ? 'open' : phase === 'filled' ? 'closed' : isExpired ? 'expired' : 'canceled',
    ...(!isOpen(order) && { closetm: order.updatedAt / 1000, reason: reasons[reason ?? ''] ?? null }),
    descr: {
      pair: altOf(order.market),
      type: order.side,
      ordertype: type,
      price: shown[0]?.toFixed(),
      price2: shown[1]?.toFixed(),

      leverage: 'none',
      order: `${order.side} ${order.amount.toFixed(8)} ${altOf(order.market)} @ ${type}`,
      close: '',
    },

    vol: order.amount.toFixed(8),
    vol_exec: filled.toFixed(8),
    cost: order.cost.toFixed(),
    fee: order.fee.toFixed(),
    price: averageOf(order).toFixed(),
    stopprice: '0.00000',
    limitprice: '0.00000',
    misc: order.triggeredAt > 0 ? 'stopped' : '',
    oflags: order.postOnly ? 'fciq,post' : 'fciq',
  }
}

function trades({ engine, fields, now }: Asked): unknown {
  const [start, end] = [Number(textIn(fields, 'start') ?? 0) * 1000, Number(textIn(fields, 'end') ?? now / 1000) * 1000]
  const found = engine.fills.filter(({ time }) => time > start && time <= end).reverse()
  const skipped = Number(textIn(fields, 'ofs') ?? 0)
  return {
    trades: Object.fromEntries(found.slice(skipped, skipped + PAGE).map((fill) => [fill.id, tradeRow(fill)])),
    count: found.length,
  }
}

function tradeRow({ id, order, price, amount, fee, isMaker, time }: ModelFill): unknown {
  return {
    ordertxid: order.id,
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: order.market.id,
    time: time / 1000,
    type: order.side,

    ordertype: order.price === undefined ? 'market' : 'limit',
    price: price.toFixed(),
    cost: price.times(amount).toFixed(),
    fee: fee.toFixed(),

    vol: amount.toFixed(8),
    margin: '0.00000',
    leverage: '0',
    misc: '',
    trade_id: Number(id.slice(1, 6)),
    maker: isMaker,
  }
}
