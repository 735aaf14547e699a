// What Binance USDⓈ-M answers, written after its public documentation.
import { NOW, type Script } from './scripted-venue.ts'

const TYPES = ['LIMIT', 'MARKET', 'STOP', 'STOP_MARKET', 'TAKE_PROFIT', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET']

export const EXCHANGE_INFO = {
  timezone: 'UTC',
  serverTime: NOW,
  rateLimits: [],
  symbols: [
    {
      symbol: 'BTCUSDT',
      pair: 'BTCUSDT',
      contractType: 'PERPETUAL',
      status: 'TRADING',
      deliveryDate: 4133404800000,
      onboardDate: 1569398400000,
      baseAsset: 'BTC',
      quoteAsset: 'USDT',
      marginAsset: 'USDT',
      pricePrecision: 2,
      quantityPrecision: 3,
      baseAssetPrecision: 8,
      quotePrecision: 8,
      orderTypes: TYPES,
      timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
      filters: [
        { filterType: 'PRICE_FILTER', minPrice: '261.10', maxPrice: '809484', tickSize: '0.10' },
        { filterType: 'LOT_SIZE', minQty: '0.001', maxQty: '1000', stepSize: '0.001' },
        { filterType: 'MARKET_LOT_SIZE', minQty: '0.001', maxQty: '120', stepSize: '0.001' },
        { filterType: 'MIN_NOTIONAL', notional: '100' },
      ],
    },
  ],
}

export const RESTING = {
  orderId: 4001,
  symbol: 'BTCUSDT',
  status: 'NEW',
  price: '49000.00',
  avgPrice: '0.00',
  origQty: '0.010',
  executedQty: '0.000',
  cumQuote: '0.000',
  timeInForce: 'GTC',
  type: 'LIMIT',
  reduceOnly: false,
  closePosition: false,
  side: 'BUY',
  positionSide: 'BOTH',
  stopPrice: '0.00',
  workingType: 'CONTRACT_PRICE',
  origType: 'LIMIT',
  updateTime: NOW,
  time: NOW,
}

export const BINANCE_LINEAR: Script = [
  ['GET /fapi/v1/time', { serverTime: NOW }],
  ['GET /fapi/v1/exchangeInfo', EXCHANGE_INFO],
  ['GET /fapi/v1/positionSide/dual', { dualSidePosition: false }],
  ['GET /fapi/v1/leverageBracket', []],
]
