// What leaves for a wish beside what ccxt's own static tests say for the same one (ccxt/ccxt, ts/src/test/static/request). Their symbols, amounts and
// prices are those of our cases here. Whatever differs is listed, with the reason; ids and signatures are in none of theirs.
import { describe, expect, it } from 'vitest'
import type { MarketKind } from '../../../src/exchange/market.ts'
import type { OrderRef, OrderRequest } from '../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { createCaseWire, type Sent } from './case-wire.ts'
import { keysOf } from './venue-cases.ts'
import { casesOf, NOW } from './venue-rows.ts'

type Fields = Readonly<Record<string, unknown>>
/** What of ours is not as theirs: what it is, or that it is not sent; and why. */
type Differences = Readonly<Record<string, readonly [ours: unknown, why: string]>>
type Call =
  | readonly ['createOrder', Partial<OrderRequest>]
  | readonly ['cancelOrder' | 'fetchOrder', Omit<OrderRef, 'symbol'>]

interface Compared {
  readonly kind: MarketKind
  readonly call: Call
  /** `Their description`, where they have one. */
  readonly fixture: string
  readonly path: string
  readonly theirs: Fields
  readonly differences?: Differences
}

const LIMIT = { type: 'limit', side: 'buy', amount: '0.5', price: '60000' } as const
const SELL = { type: 'limit', side: 'sell', amount: '0.5', price: '60000' } as const
const MARKET = { type: 'market', side: 'buy', amount: '0.5' } as const
const MARKET_SELL = { type: 'market', side: 'sell', amount: '0.5' } as const
const STOP_LIMIT = { type: 'stop-limit', side: 'buy', amount: '0.5', price: '62000', triggerPrice: '61000' } as const
const STOP = { type: 'stop', side: 'buy', amount: '0.5', triggerPrice: '61000' } as const
const STOP_SELL = { type: 'stop', side: 'sell', amount: '0.5', triggerPrice: '58000' } as const

const NOT_SENT = 'not sent'
const NO_BUILDER = 'a fee for ccxt'
const ALONE = 'one order goes by itself: the answer is its own'
const ONE_WAY = 'positions are one-way'
const CONDITIONAL = 'a stop that may reduce only is a conditional order; every stop is one'

const COMPARED: Readonly<Record<string, readonly Compared[]>> = {
  binance: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Swap limit buy order',
      path: '/fapi/v1/order',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        newOrderRespType: 'RESULT',
        type: 'LIMIT',
        quantity: '0.5',
        price: '60000',
        timeInForce: 'GTC',
      },
    },
    {
      kind: 'linear',
      call: ['createOrder', MARKET],
      fixture: 'Swap market buy order',
      path: '/fapi/v1/order',
      theirs: { symbol: 'BTCUSDT', side: 'BUY', newOrderRespType: 'RESULT', type: 'MARKET', quantity: '0.5' },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Swap limit buy with triggerPrice',
      path: '/fapi/v1/algoOrder',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        newOrderRespType: 'RESULT',
        type: 'STOP',
        quantity: '0.5',
        price: '62000',
        triggerPrice: '61000',
        algoType: 'CONDITIONAL',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy order',
      path: '/api/v3/order',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        newOrderRespType: 'FULL',
        type: 'LIMIT',
        quantity: '0.5',
        price: '60000',
        timeInForce: 'GTC',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, postOnly: true }],
      fixture: 'Spot limit buy with postOnly',
      path: '/api/v3/order',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        newOrderRespType: 'FULL',
        type: 'LIMIT_MAKER',
        quantity: '0.5',
        price: '60000',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Spot limit buy with triggerPrice',
      path: '/api/v3/order',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        newOrderRespType: 'FULL',
        type: 'STOP_LOSS_LIMIT',
        quantity: '0.5',
        price: '62000',
        stopPrice: '61000',
        timeInForce: 'GTC',
      },
    },
  ],
  bybit: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Swap limit order',
      path: '/v5/order/create',
      theirs: { symbol: 'BTCUSDT', side: 'Buy', orderType: 'Limit', category: 'linear', qty: '0.5', price: '60000' },
      differences: { timeInForce: ['GTC', 'said, where the venue takes it for said'] },
    },
    {
      kind: 'linear',
      call: ['createOrder', { ...SELL, reduceOnly: true, postOnly: true }],
      fixture: 'Swap limit sell with reduceOnly and postOnly',
      path: '/v5/order/create',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'Sell',
        orderType: 'Limit',
        category: 'linear',
        qty: '0.5',
        price: '60000',
        timeInForce: 'PostOnly',
        reduceOnly: true,
      },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'swap limit buy with triggerPrice and triggerDirection above',
      path: '/v5/order/create',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'Buy',
        orderType: 'Limit',
        category: 'linear',
        qty: '0.5',
        price: '62000',
        triggerDirection: 1,
        triggerPrice: '61000',
      },
      differences: { triggerBy: ['LastPrice', 'the price that people see; left out it is the last price too, today'] },
    },
    {
      kind: 'spot',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'spot limit buy with triggerPrice',
      path: '/v5/order/create',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'Buy',
        orderType: 'Limit',
        category: 'spot',
        qty: '0.5',
        price: '62000',
        triggerPrice: '61000',
        orderFilter: 'StopOrder',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET],
      fixture: 'Create market buy with base amount (UTA only)',
      path: '/v5/order/create',
      theirs: {
        symbol: 'BTCUSDT',
        side: 'Buy',
        orderType: 'Market',
        category: 'spot',
        marketUnit: 'baseCoin',
        qty: '0.5',
      },
    },
  ],
  okx: [
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy order',
      path: '/api/v5/trade/batch-orders',
      theirs: {
        instId: 'BTC-USDT',
        side: 'buy',
        ordType: 'limit',
        sz: '0.5',
        tdMode: 'cash',
        tgtCcy: 'base_ccy',
        px: '60000',
      },
      differences: { path: ['/api/v5/trade/order', ALONE] },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET],
      fixture: 'Spot market buy order',
      path: '/api/v5/trade/batch-orders',
      theirs: { instId: 'BTC-USDT', side: 'buy', ordType: 'market', sz: '0.5', tdMode: 'cash', tgtCcy: 'base_ccy' },
      differences: { path: ['/api/v5/trade/order', ALONE] },
    },
    {
      kind: 'linear',
      call: ['createOrder', MARKET],
      fixture: 'Swap market buy with posSide = long',
      path: '/api/v5/trade/batch-orders',
      theirs: { instId: 'BTC-USDT-SWAP', side: 'buy', ordType: 'market', sz: '50', tdMode: 'cross', posSide: 'long' },
      differences: { path: ['/api/v5/trade/order', ALONE], posSide: [NOT_SENT, ONE_WAY] },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Swap limit buy with stopPrice and posSide = long.',
      path: '/api/v5/trade/order-algo',
      theirs: {
        instId: 'BTC-USDT-SWAP',
        side: 'buy',
        ordType: 'trigger',
        sz: '50',
        tdMode: 'cross',
        triggerPx: '61000',
        orderPx: '62000',
        posSide: 'long',
      },
      differences: {
        posSide: [NOT_SENT, ONE_WAY],
        ordType: ['conditional', CONDITIONAL],
        slTriggerPx: ['61000', CONDITIONAL],
        slOrdPx: ['62000', CONDITIONAL],
        slTriggerPxType: ['last', CONDITIONAL],
        triggerPx: [NOT_SENT, CONDITIONAL],
        orderPx: [NOT_SENT, CONDITIONAL],
      },
    },
  ],
  bitget: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Swap cross limit buy',
      path: '/api/v2/mix/order/place-order',
      theirs: {
        symbol: 'BTCUSDT',
        orderType: 'limit',
        price: '60000',
        force: 'GTC',
        marginCoin: 'USDT',
        size: '0.5',
        productType: 'USDT-FUTURES',
        marginMode: 'crossed',
        side: 'buy',
      },
    },
    {
      kind: 'linear',
      call: ['createOrder', { ...SELL, postOnly: true, reduceOnly: true }],
      fixture: 'Swap limit sell order with postOnly and reduceOnly',
      path: '/api/v2/mix/order/place-order',
      theirs: {
        symbol: 'BTCUSDT',
        orderType: 'limit',
        price: '60000',
        force: 'post_only',
        marginCoin: 'USDT',
        size: '0.5',
        productType: 'USDT-FUTURES',
        marginMode: 'crossed',
        reduceOnly: 'YES',
        side: 'sell',
      },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Swap cross limit buy with trigger price',
      path: '/api/v2/mix/order/place-plan-order',
      theirs: {
        symbol: 'BTCUSDT',
        orderType: 'limit',
        price: '62000',
        force: 'GTC',
        marginCoin: 'USDT',
        size: '0.5',
        productType: 'USDT-FUTURES',
        triggerType: 'mark_price',
        marginMode: 'crossed',
        side: 'buy',
        planType: 'normal_plan',
        triggerPrice: 61000,
        executePrice: '62000',
      },
      differences: {
        triggerType: ['fill_price', 'the last price, as everywhere else; theirs is the mark price'],
        triggerPrice: ['61000', 'a decimal is never a number'],
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy',
      path: '/api/v2/spot/trade/place-order',
      theirs: { symbol: 'BTCUSDT', orderType: 'limit', price: '60000', force: 'GTC', side: 'buy', size: '0.5' },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET_SELL],
      fixture: 'Spot market sell',
      path: '/api/v2/spot/trade/place-order',
      theirs: { symbol: 'BTCUSDT', orderType: 'market', force: 'GTC', side: 'sell', size: '0.5' },
    },
  ],
  gate: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Swap limit buy order',
      path: '/api/v4/futures/usdt/orders',
      theirs: { contract: 'BTC_USDT', size: 5000, price: '60000' },
    },
    {
      kind: 'linear',
      call: ['createOrder', MARKET_SELL],
      fixture: 'swap market sell',
      path: '/api/v4/futures/usdt/orders',
      theirs: { contract: 'BTC_USDT', size: -5000, price: '0', tif: 'ioc' },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP],
      fixture: 'swap trigger market buy order',
      path: '/api/v4/futures/usdt/price_orders',
      theirs: {
        'initial.contract': 'BTC_USDT',
        'initial.size': 5000,
        'initial.price': '0',
        'initial.tif': 'ioc',
        'trigger.price_type': 0,
        'trigger.price': '61000',
        'trigger.rule': 1,
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy order',
      path: '/api/v4/spot/orders',
      theirs: { currency_pair: 'BTC_USDT', type: 'limit', account: 'spot', side: 'buy', amount: '0.5', price: '60000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET_SELL],
      fixture: 'Spot market sell order',
      path: '/api/v4/spot/orders',
      theirs: {
        currency_pair: 'BTC_USDT',
        type: 'market',
        account: 'spot',
        side: 'sell',
        amount: '0.5',
        time_in_force: 'ioc',
      },
    },
  ],
  kucoin: [
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'spot limit with hf:true',
      path: '/api/v1/hf/orders',
      theirs: { side: 'buy', symbol: 'BTC-USDT', type: 'limit', size: '0.5', price: '60000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET],
      fixture: 'Create hf order',
      path: '/api/v1/hf/orders',
      theirs: { side: 'buy', symbol: 'BTC-USDT', type: 'market', size: '0.5' },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, postOnly: true }],
      fixture: 'postOnly hf order',
      path: '/api/v1/hf/orders',
      theirs: { side: 'buy', symbol: 'BTC-USDT', type: 'limit', size: '0.5', price: '60000', postOnly: true },
    },
    {
      kind: 'spot',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Spot order with trigger price',
      path: '/api/v1/stop-order',
      theirs: { side: 'buy', symbol: 'BTC-USDT', type: 'limit', size: '0.5', price: '62000', stopPrice: '61000' },
      differences: { stop: ['entry', 'a trigger that says nothing is one below the price'] },
    },
    {
      kind: 'spot',
      call: ['cancelOrder', { id: '66d1c3fb7a0f910007762fdc' }],
      fixture: 'cancel hf order',
      path: '/api/v1/hf/orders/66d1c3fb7a0f910007762fdc',
      theirs: { symbol: 'BTC-USDT' },
    },
  ],
  hyperliquid: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'swap limit order',
      path: '/exchange',
      theirs: {
        'action.type': 'order',
        'action.orders.0.a': 0,
        'action.orders.0.b': true,
        'action.orders.0.p': '60000',
        'action.orders.0.s': '0.5',
        'action.orders.0.r': false,
        'action.orders.0.t.limit.tif': 'Gtc',
        'action.grouping': 'na',
        'action.builder.b': '0x6530512a6c89c7cfcebc3ba7fcd9ada5f30827a6',
        'action.builder.f': 10,
      },
      differences: { 'action.builder.b': [NOT_SENT, NO_BUILDER], 'action.builder.f': [NOT_SENT, NO_BUILDER] },
    },
    {
      kind: 'linear',
      call: ['createOrder', MARKET],
      fixture: 'swap market buy',
      path: '/exchange',
      theirs: {
        'action.type': 'order',
        'action.orders.0.a': 0,
        'action.orders.0.b': true,
        'action.orders.0.p': '63000',
        'action.orders.0.s': '0.5',
        'action.orders.0.r': false,
        'action.orders.0.t.limit.tif': 'Ioc',
        'action.grouping': 'na',
        'action.builder.b': '0x6530512a6c89c7cfcebc3ba7fcd9ada5f30827a6',
        'action.builder.f': 10,
      },
      differences: { 'action.builder.b': [NOT_SENT, NO_BUILDER], 'action.builder.f': [NOT_SENT, NO_BUILDER] },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'trigger limit order',
      path: '/exchange',
      theirs: {
        'action.type': 'order',
        'action.orders.0.a': 0,
        'action.orders.0.b': true,
        'action.orders.0.p': '62000',
        'action.orders.0.s': '0.5',
        'action.orders.0.r': false,
        'action.orders.0.t.trigger.isMarket': false,
        'action.orders.0.t.trigger.triggerPx': '61000',
        'action.orders.0.t.trigger.tpsl': 'sl',
        'action.grouping': 'na',
        'action.builder.b': '0x6530512a6c89c7cfcebc3ba7fcd9ada5f30827a6',
        'action.builder.f': 10,
      },
      differences: { 'action.builder.b': [NOT_SENT, NO_BUILDER], 'action.builder.f': [NOT_SENT, NO_BUILDER] },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP],
      fixture: 'trigger market order',
      path: '/exchange',
      theirs: {
        'action.type': 'order',
        'action.orders.0.a': 0,
        'action.orders.0.b': true,
        'action.orders.0.p': '64050',
        'action.orders.0.s': '0.5',
        'action.orders.0.r': false,
        'action.orders.0.t.trigger.isMarket': true,
        'action.orders.0.t.trigger.triggerPx': '61000',
        'action.orders.0.t.trigger.tpsl': 'sl',
        'action.grouping': 'na',
        'action.builder.b': '0x6530512a6c89c7cfcebc3ba7fcd9ada5f30827a6',
        'action.builder.f': 10,
      },
      differences: {
        'action.builder.b': [NOT_SENT, NO_BUILDER],
        'action.builder.f': [NOT_SENT, NO_BUILDER],
        'action.orders.0.p': ['67100', 'a stop fills up to 10 % past its trigger, not 5 %'],
      },
    },
  ],
  kraken: [
    {
      kind: 'spot',
      call: ['createOrder', MARKET_SELL],
      fixture: 'Spot market sell',
      path: '/0/private/AddOrder',
      theirs: { pair: 'XXBTZUSD', type: 'sell', ordertype: 'market', volume: '0.5' },
    },
    {
      kind: 'spot',
      call: ['createOrder', STOP_SELL],
      fixture: 'Stop loss market order (type 2)',
      path: '/0/private/AddOrder',
      theirs: { pair: 'XXBTZUSD', type: 'sell', ordertype: 'stop-loss', volume: '0.5', price: '58000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...STOP_SELL, type: 'take-profit', triggerPrice: '66000' }],
      fixture: 'take profit market order (type 2)',
      path: '/0/private/AddOrder',
      theirs: { pair: 'XXBTZUSD', type: 'sell', ordertype: 'take-profit', volume: '0.5', price: '66000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...STOP_SELL, type: 'stop-limit', price: '57000' }],
      fixture: 'Stop loss limit order (type 2)',
      path: '/0/private/AddOrder',
      theirs: {
        pair: 'XXBTZUSD',
        type: 'sell',
        ordertype: 'stop-loss-limit',
        volume: '0.5',
        price: '58000',
        price2: '57000',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, postOnly: true }],
      fixture: 'order with multiple oflags combined',
      path: '/0/private/AddOrder',
      theirs: { pair: 'XXBTZUSD', type: 'buy', ordertype: 'limit', volume: '0.5', price: '60000', oflags: 'fcib,post' },
      differences: { oflags: ['post', 'theirs wished for the fee in the base currency, too'] },
    },
    {
      kind: 'spot',
      call: ['cancelOrder', { id: 'OF7S76-H2IMS-N2ML4U' }],
      fixture: 'cancel open trailing percent order',
      path: '/0/private/CancelOrder',
      theirs: { txid: 'OF7S76-H2IMS-N2ML4U' },
    },
  ],
  krakenfutures: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Swap limit buy',
      path: '/derivatives/api/v3/sendorder',
      theirs: { orderType: 'lmt', symbol: 'PF_XBTUSD', side: 'buy', size: '0.5', limitPrice: '60000' },
    },
    {
      kind: 'linear',
      call: ['createOrder', MARKET],
      fixture: 'Swap market buy',
      path: '/derivatives/api/v3/sendorder',
      theirs: { orderType: 'mkt', symbol: 'PF_XBTUSD', side: 'buy', size: '0.5' },
    },
    {
      kind: 'linear',
      call: ['createOrder', { ...MARKET_SELL, reduceOnly: true }],
      fixture: 'swap reduceOnly with weird amount',
      path: '/derivatives/api/v3/sendorder',
      theirs: { orderType: 'mkt', symbol: 'PF_XBTUSD', side: 'sell', size: '0.5', reduceOnly: 'true' },
    },
    {
      kind: 'linear',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Swap stop buy order using the triggerPrice param (type 1)',
      path: '/derivatives/api/v3/sendorder',
      theirs: {
        symbol: 'PF_XBTUSD',
        side: 'buy',
        size: '0.5',
        triggerSignal: 'last',
        stopPrice: '61000',
        orderType: 'stp',
        limitPrice: '62000',
      },
    },
    {
      kind: 'linear',
      call: ['cancelOrder', { id: '6e88d923-630d-40aa-af4f-64e5e2b3ad03' }],
      fixture: 'cancel order',
      path: '/derivatives/api/v3/cancelorder',
      theirs: { order_id: '6e88d923-630d-40aa-af4f-64e5e2b3ad03' },
    },
  ],
  deribit: [
    {
      kind: 'linear',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy order',
      path: '/api/v2/private/buy',
      theirs: { instrument_name: 'BTC_USDC-PERPETUAL', amount: '0.5', type: 'limit', price: '60000' },
    },
    {
      kind: 'linear',
      call: ['createOrder', SELL],
      fixture: 'Spot limit sell order',
      path: '/api/v2/private/sell',
      theirs: { instrument_name: 'BTC_USDC-PERPETUAL', amount: '0.5', type: 'limit', price: '60000' },
    },
  ],
  coinbase: [
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'spot limit buy',
      path: '/api/v3/brokerage/orders',
      theirs: {
        product_id: 'BTC-USD',
        side: 'BUY',
        'order_configuration.limit_limit_gtc.base_size': '0.5',
        'order_configuration.limit_limit_gtc.limit_price': '60000',
        'order_configuration.limit_limit_gtc.post_only': false,
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, postOnly: true }],
      fixture: 'Spot limit buy with postOnly',
      path: '/api/v3/brokerage/orders',
      theirs: {
        product_id: 'BTC-USD',
        side: 'BUY',
        'order_configuration.limit_limit_gtc.base_size': '0.5',
        'order_configuration.limit_limit_gtc.limit_price': '60000',
        'order_configuration.limit_limit_gtc.post_only': true,
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, timeInForce: 'ioc' }],
      fixture: 'create limit IOC order',
      path: '/api/v3/brokerage/orders',
      theirs: {
        product_id: 'BTC-USD',
        side: 'BUY',
        'order_configuration.sor_limit_ioc.base_size': '0.5',
        'order_configuration.sor_limit_ioc.limit_price': '60000',
      },
    },
    {
      kind: 'spot',
      call: ['createOrder', MARKET_SELL],
      fixture: 'Spot market sell',
      path: '/api/v3/brokerage/orders',
      theirs: { product_id: 'BTC-USD', side: 'SELL', 'order_configuration.market_market_ioc.base_size': '0.5' },
    },
    {
      kind: 'spot',
      call: ['createOrder', STOP_LIMIT],
      fixture: 'Spot limit buy with triggerPrice',
      path: '/api/v3/brokerage/orders',
      theirs: {
        product_id: 'BTC-USD',
        side: 'BUY',
        'order_configuration.stop_limit_stop_limit_gtc.base_size': '0.5',
        'order_configuration.stop_limit_stop_limit_gtc.limit_price': '62000',
        'order_configuration.stop_limit_stop_limit_gtc.stop_price': '61000',
        'order_configuration.stop_limit_stop_limit_gtc.stop_direction': 'STOP_DIRECTION_STOP_DOWN',
      },
      differences: {
        'order_configuration.stop_limit_stop_limit_gtc.stop_direction': [
          'STOP_DIRECTION_STOP_UP',
          'a buy stop waits above the price; theirs is below it',
        ],
      },
    },
    {
      kind: 'spot',
      call: ['cancelOrder', { id: '9fd0cadc-2ccc-45e8-b254-ea511c34e5b2' }],
      fixture: 'cancel order',
      path: '/api/v3/brokerage/orders/batch_cancel',
      theirs: { 'order_ids.0': '9fd0cadc-2ccc-45e8-b254-ea511c34e5b2' },
    },
    {
      kind: 'spot',
      call: ['fetchOrder', { id: '9fd0cadc-2ccc-45e8-b254-ea511c34e5b2' }],
      fixture: 'fetch order',
      path: '/api/v3/brokerage/orders/historical/9fd0cadc-2ccc-45e8-b254-ea511c34e5b2',
      theirs: {},
    },
  ],
  mexc: [
    {
      kind: 'spot',
      call: ['createOrder', LIMIT],
      fixture: 'Spot limit buy',
      path: '/api/v3/order',
      theirs: { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.5', price: '60000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, timeInForce: 'fok' }],
      fixture: 'tif FOK',
      path: '/api/v3/order',
      theirs: { symbol: 'BTCUSDT', side: 'BUY', type: 'FILL_OR_KILL', quantity: '0.5', price: '60000' },
    },
    {
      kind: 'spot',
      call: ['createOrder', { ...LIMIT, timeInForce: 'ioc' }],
      fixture: 'tif IOC',
      path: '/api/v3/order',
      theirs: { symbol: 'BTCUSDT', side: 'BUY', type: 'IMMEDIATE_OR_CANCEL', quantity: '0.5', price: '60000' },
    },
    {
      kind: 'spot',
      call: ['fetchOrder', { id: '129402018493145088' }],
      fixture: 'Spot order',
      path: '/api/v3/order',
      theirs: { symbol: 'BTCUSDT', orderId: '129402018493145088' },
    },
  ],
}

/** The name of our id in a request: no fixture has one of the same form. */
const OWN_IDS = new Set(Object.keys(COMPARED).flatMap((venue) => casesOf(venue).clientOrderId.fields))

describe.each(Object.entries(COMPARED))('what leaves for %s', (venue, rows) => {
  it.each(rows.map((row) => [row.kind, row.call[0], row.fixture, row] as const))(
    'on %s, %s, is as in “%s” but for what is listed',
    async (_kind, _call, _fixture, { kind, call, path, theirs, differences = {} }) => {
      const sent = await sentFor(venue, kind, call)
      const ours = fieldsOf(sent)
      const all = new Set([...Object.keys(ours), ...Object.keys(theirs)])
      const found = [...all]
        .filter((field) => !OWN_IDS.has(field.split('.').at(-1) ?? ''))
        .filter((field) => ours[field] !== theirs[field])
        .map((field) => [field, field in ours ? ours[field] : NOT_SENT])
      const at = new URL(sent.url).pathname
      if (at !== path) found.push(['path', at])
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries(Object.entries(differences).map(([field, [value]]) => [field, value])),
      )
    },
  )
})

async function sentFor(venue: string, kind: MarketKind, [call, input]: Call): Promise<Sent> {
  const cases = casesOf(venue)
  const wire = createCaseWire(cases, [])
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: keysOf(cases),
    now: () => NOW,
    onProblem: () => undefined,
    transport: wire.transport,
    delay: async () => {},
  })
  try {
    const markets = await exchange.loadMarkets()
    const symbol = markets.find(({ symbol }) => /^BTCUSD[TC]?$/.test(symbol))?.symbol ?? ''
    if (call === 'createOrder') {
      await exchange.createOrder({
        clientOrderId: '0123456789abcdef0123456789abcdef',
        symbol,
        ...input,
      } as OrderRequest)
    } else await exchange[call]({ symbol, ...input }).catch(() => undefined)
  } finally {
    await exchange.close()
  }
  const [first] = wire.unexpected
  if (first === undefined) throw new Error('nothing left')
  return first
}

function fieldsOf({ url, output }: Sent): Fields {
  return { ...Object.fromEntries(new URL(url).searchParams), ...flat(output, '') }
}

function flat(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null) return path === '' ? {} : { [path]: value }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => Object.entries(flat(inner, path === '' ? key : `${path}.${key}`))),
  )
}
