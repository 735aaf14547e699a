// Prices by WebSocket on each venue: the unmodified class of ccxt over a local socket, with the frames of the venue's document. A price that was
// streamed is known with its last, bid and ask, whichever frames they come in.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../../src/base/defined.ts'
import type { MarketKind } from '../../../../src/exchange/market.ts'
import { number, text } from './protobuf.ts'
import { BULLET, EC_KEY, type Message, startSockets } from './venue-sockets.ts'

interface Prices {
  readonly venue: string
  readonly kind: MarketKind
  readonly symbol?: string
  readonly keys?: Readonly<Record<string, string>>
  readonly rest?: readonly (readonly [words: string, body: unknown])[]
  readonly greet?: () => readonly Message[]
  readonly answer?: (message: Message) => readonly Message[]
  /** All that the venue says; each says a part of the price, or all of it. */
  readonly frames: () => readonly (Message | Buffer)[]
}

const WALLET = `0x${'2'.repeat(40)}`
const level = (px: string) => [{ px, sz: '1', n: 1 }]
const deals = (price: string, time: number): Buffer =>
  Buffer.concat([
    text(1, 'spot@public.aggre.deals.v3.api.pb@100ms@BTCUSDT'),
    text(3, 'BTCUSDT'),
    number(6, time),
    text(314, text(1, Buffer.concat([text(1, price), text(2, '1'), number(3, 1), number(4, time)]))),
  ])

const VENUES: readonly Prices[] = [
  {
    venue: 'bybit',
    kind: 'linear',
    frames: () => [
      {
        topic: 'tickers.BTCUSDT',
        type: 'snapshot',
        cs: 1,
        ts: Date.now(),
        data: { symbol: 'BTCUSDT', lastPrice: '61000', bid1Price: '60999', ask1Price: '61001', markPrice: '61000' },
      },
    ],
  },
  {
    venue: 'bybit',
    kind: 'spot',
    frames: () => [
      {
        topic: 'tickers.BTCUSDT',
        type: 'snapshot',
        cs: 1,
        ts: Date.now(),
        data: { symbol: 'BTCUSDT', lastPrice: '61000', usdIndexPrice: '61000' },
      },
      {
        topic: 'orderbook.1.BTCUSDT',
        type: 'snapshot',
        ts: Date.now(),
        data: { s: 'BTCUSDT', b: [['60999', '1']], a: [['61001', '1']], u: 1, seq: 1 },
      },
    ],
  },
  {
    venue: 'gate',
    kind: 'linear',
    frames: () => [
      {
        time: 1,
        channel: 'futures.tickers',
        event: 'update',
        result: [{ contract: 'BTC_USDT', last: '61000', mark_price: '61000', index_price: '61000' }],
      },
      {
        time: 1,
        channel: 'futures.book_ticker',
        event: 'update',
        result: { t: Date.now(), u: 1, s: 'BTC_USDT', b: '60999', B: 1, a: '61001', A: 1 },
      },
    ],
  },
  {
    venue: 'gate',
    kind: 'spot',
    frames: () => [
      {
        time: 1,
        channel: 'spot.tickers',
        event: 'update',
        result: { currency_pair: 'BTC_USDT', last: '61000', lowest_ask: '61001', highest_bid: '60999' },
      },
    ],
  },
  {
    venue: 'bitget',
    kind: 'linear',
    frames: () => [
      {
        action: 'snapshot',
        arg: { instType: 'USDT-FUTURES', channel: 'ticker', instId: 'BTCUSDT' },
        data: [{ instId: 'BTCUSDT', lastPr: '61000', bidPr: '60999', askPr: '61001', ts: `${Date.now()}` }],
      },
    ],
  },
  {
    venue: 'kraken',
    kind: 'spot',
    symbol: 'BTCUSD',
    rest: [['POST GetWebSocketsToken', { error: [], result: { token: 'the-token', expires: 900 } }]],
    frames: () => [
      { channel: 'ticker', type: 'update', data: [{ symbol: 'BTC/USD', bid: 60_999, ask: 61_001, last: 61_000 }] },
    ],
  },
  {
    venue: 'krakenfutures',
    kind: 'linear',
    symbol: 'BTCUSD',
    frames: () => [
      { feed: 'ticker', product_id: 'PF_XBTUSD', time: Date.now(), bid: 60_999, ask: 61_001, last: 61_000 },
    ],
  },
  {
    venue: 'deribit',
    kind: 'inverse',
    symbol: 'BTCUSD',
    frames: () => [
      {
        jsonrpc: '2.0',
        method: 'subscription',
        params: {
          channel: 'ticker.BTC-PERPETUAL.100ms',
          data: {
            instrument_name: 'BTC-PERPETUAL',
            best_bid_price: 60_999,
            best_ask_price: 61_001,
            last_price: 61_000,
            timestamp: Date.now(),
            stats: {},
          },
        },
      },
    ],
  },
  {
    venue: 'kucoin',
    kind: 'spot',
    rest: [
      ['POST bullet-public', BULLET],
      ['POST bullet-private', BULLET],
    ],
    greet: () => [{ id: 'w', type: 'welcome' }],
    frames: () => [
      {
        type: 'message',
        topic: '/market/ticker:BTC-USDT',
        subject: 'trade.ticker',
        data: { bestAsk: '61001', bestBid: '60999', price: '61000', size: '1', time: Date.now() },
      },
    ],
  },
  {
    venue: 'kucoin',
    kind: 'linear',
    rest: [
      ['POST bullet-public', BULLET],
      ['POST bullet-private', BULLET],
    ],
    greet: () => [{ id: 'w', type: 'welcome' }],
    frames: () => [
      {
        type: 'message',
        topic: '/contractMarket/ticker:XBTUSDTM',
        subject: 'ticker',
        data: {
          symbol: 'XBTUSDTM',
          side: 'buy',
          size: 1,
          price: '61000',
          bestBidPrice: '60999',
          bestAskPrice: '61001',
          tradeId: 't',
          ts: Date.now() * 1_000_000,
        },
      },
    ],
  },
  {
    venue: 'hyperliquid',
    kind: 'linear',
    symbol: 'BTCUSDC',
    keys: { walletAddress: WALLET, privateKey: `0x${'1'.repeat(64)}` },
    frames: () => [
      {
        channel: 'trades',
        data: [{ coin: 'BTC', side: 'B', px: '61000', sz: '1', time: Date.now(), hash: '0x0', tid: Date.now() }],
      },
      { channel: 'l2Book', data: { coin: 'BTC', time: Date.now(), levels: [level('60999'), level('61001')] } },
    ],
  },
  {
    venue: 'coinbase',
    kind: 'spot',
    symbol: 'BTCUSD',
    keys: { apiKey: 'organizations/a/apiKeys/b', secret: EC_KEY },
    rest: [['GET market/products FUTURE', { products: [] }]],
    frames: () => [
      {
        channel: 'ticker',
        client_id: '',
        timestamp: new Date().toISOString(),
        sequence_num: 0,
        events: [
          {
            type: 'update',
            tickers: [{ type: 'ticker', product_id: 'BTC-USD', price: '61000', best_bid: '60999', best_ask: '61001' }],
          },
        ],
      },
    ],
  },
  {
    venue: 'mexc',
    kind: 'spot',
    rest: [['POST userDataStream', { listenKey: 'the-listen-key' }]],
    frames: () => [
      Buffer.concat([
        text(1, 'spot@public.aggre.bookTicker.v3.api.pb@100ms@BTCUSDT'),
        text(3, 'BTCUSDT'),
        number(6, Date.now()),
        text(315, Buffer.concat([text(1, '60999'), text(2, '1'), text(3, '61001'), text(4, '1')])),
      ]),
      deals('61000', Date.now()),
    ],
  },
  {
    venue: 'okx',
    kind: 'spot',
    frames: () => [
      {
        arg: { channel: 'tickers', instId: 'BTC-USDT' },
        data: [{ instId: 'BTC-USDT', last: '61000', bidPx: '60999', askPx: '61001', ts: `${Date.now()}` }],
      },
    ],
  },
  {
    venue: 'binance',
    kind: 'spot',
    frames: () => [
      { e: '24hrMiniTicker', E: Date.now(), s: 'BTCUSDT', c: '61000', o: '1', h: '1', l: '1', v: '1', q: '1' },
      { u: Date.now(), s: 'BTCUSDT', b: '60999', B: '1', a: '61001', A: '1' },
    ],
  },
]

describe.each(VENUES)('$venue $kind', ({ venue, kind, symbol = 'BTCUSDT', keys, rest, greet, answer, frames }) => {
  it('knows a price that the venue has just streamed, whole', async () => {
    const started = await startSockets({ venue, kind, answer: answer ?? (() => []), ...defined({ keys, rest, greet }) })
    await expect
      .poll(
        () => {
          const known = started.exchange.knownTicker?.(symbol)
          for (const frame of frames()) started.say(frame)
          return known && [known.last, known.bid, known.ask]
        },
        { interval: 50, timeout: 6_000 },
      )
      .toEqual(['61000', '60999', '61001'])
    expect(started.exchange.stream).toBe('live')
  })
})
