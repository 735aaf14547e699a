// Binance USDⓈ-M as its unmodified class of ccxt sees it: REST from a table, streams from a real WebSocket server that can be cut off. Its clock
// runs two hundred times as fast.
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Exchange, ExchangeEvent } from '../../../../src/exchange/exchange.ts'
import type { MarketData, MarketDataEvent } from '../../../../src/exchange/market-data.ts'
import { MarketFeed, openCcxtMarketData } from '../../../../src/exchanges/ccxt/market-data.ts'
import { openCcxtExchange } from '../../../../src/exchanges/ccxt/open-ccxt.ts'
import { createAccountStreams } from '../../../../src/exchanges/ccxt/streams/account-streams.ts'
import type { WireRequest } from '../../../../src/exchanges/ccxt/transport.ts'
import { BINANCE_LINEAR, RESTING } from '../binance-linear.ts'
import { KEYS, NOW, scriptedTransport } from '../scripted-venue.ts'

export const SPEED = 200
/** Prices are stale after fifteen seconds: a busy machine must not need so long. */
const DATA_SPEED = 10

interface Fill {
  readonly id: number
  readonly orderId: number
  readonly time: number
}

/** What the tests look at of a ccxt instance. */
interface Instance {
  readonly urls: { readonly api: { ws: Record<string, unknown> } }
  readonly clients: Record<
    string,
    { readonly subscriptions: object; readonly futures: object; readonly rejections: object }
  >
  throttle: () => Promise<void>
  getHttpAgentIfNeeded: (url: string) => undefined
}

export interface StartedVenue {
  readonly exchange: Exchange
  readonly events: ExchangeEvent[]
  readonly problems: unknown[]
  readonly asked: readonly WireRequest[]
  readonly now: () => number
  /** Sockets that the venue has open. */
  sockets(): number
  /** Sockets that the venue has opened, ever. */
  opened(): number
  /** What ccxt keeps of its streams. */
  kept(): Readonly<Record<'clients' | 'subscriptions' | 'futures' | 'rejections', number>>
  place(id: number): void
  /** `tells`: how often the stream says it. */
  fill(id: number, tells: number): void
  cut(): void
  /** While it is so, the answer to every connection is 503. */
  refuse(isRefused: boolean): void
  stop(): Promise<void>
}

/** @param updateId of the last change of the order book */
function createBooks(now: () => number, updateId = () => 10) {
  const orders = new Map<number, Readonly<Record<string, unknown>>>()
  const fills: Fill[] = []
  const idOf = (url: string) => Number(/orderId=(\d+)/.exec(url)?.[1])
  const since = (url: string) => Number(/startTime=(\d+)/.exec(url)?.[1] ?? 0)
  const rowOf = ({ id, orderId, time }: Fill) => ({
    id,
    orderId,
    time,
    symbol: 'BTCUSDT',
    side: 'BUY',
    positionSide: 'BOTH',
    price: '49000',
    qty: '0.010',
    quoteQty: '490',
    realizedPnl: '0',
    commission: '0.1',
    commissionAsset: 'USDT',
    buyer: true,
    maker: true,
  })
  let keys = 0
  const nextKey = () => {
    keys += 1
    return keys
  }
  const { transport, requests } = scriptedTransport([
    ['POST /fapi/v1/listenKey', () => ({ listenKey: `key${nextKey()}` })],
    ['PUT /fapi/v1/listenKey', {}],
    ['GET /fapi/v1/openAlgoOrders', []],
    ['positionRisk', []],
    ['GET /fapi/v1/openOrders', () => [...orders.values()].filter(({ status }) => status === 'NEW')],
    ['GET /fapi/v1/order?', ({ url }) => orders.get(idOf(url)) ?? { status: 400, json: { code: -2013, msg: 'none' } }],
    ['GET /fapi/v1/userTrades', ({ url }) => fills.filter(({ time }) => time >= since(url)).map(rowOf)],
    ['GET /fapi/v1/ticker/24hr', { symbol: 'BTCUSDT', lastPrice: '56388.8', closeTime: NOW }],
    ['GET /fapi/v1/ticker/bookTicker', { symbol: 'BTCUSDT', bidPrice: '56388.7', askPrice: '56388.9', time: NOW }],
    [
      'GET /fapi/v1/depth',
      () => ({ lastUpdateId: updateId(), E: NOW, T: NOW, bids: [['56388.7', '1']], asks: [['56388.9', '2']] }),
    ],
    ...BINANCE_LINEAR,
  ])
  const orderRow = (orderId: number, status: string, executedQty: string) => ({
    ...RESTING,
    orderId,
    clientOrderId: `c${orderId}`,
    status,
    executedQty,
    cumQuote: '490',
    time: now(),
    updateTime: now(),
  })
  return { orders, fills, transport, requests, orderRow }
}

/** As the private stream says it. */
function updateOf(row: Readonly<Record<string, unknown>>, now: number, fill?: Fill): string {
  const isFill = fill !== undefined
  return JSON.stringify({
    e: 'ORDER_TRADE_UPDATE',
    E: now,
    T: now,
    o: {
      s: 'BTCUSDT',
      c: row.clientOrderId,
      S: 'BUY',
      o: 'LIMIT',
      f: 'GTC',
      q: '0.010',
      p: '49000',
      sp: '0',
      x: isFill ? 'TRADE' : 'NEW',
      X: row.status,
      i: row.orderId,
      l: isFill ? '0.010' : '0',
      z: row.executedQty,
      ap: isFill ? '49000' : '0',
      L: isFill ? '49000' : '0',
      t: fill?.id ?? 0,
      n: '0.1',
      N: 'USDT',
      T: now,
      b: '0',
      a: '0',
      m: true,
      R: false,
      wt: 'CONTRACT_PRICE',
      ot: 'LIMIT',
      ps: 'BOTH',
      cp: false,
      rp: '0',
    },
  })
}

async function startServer() {
  const gate = { isRefused: false, opened: 0 }
  const listening: WebSocket[] = []
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    verifyClient: (_, answer) => answer(!gate.isRefused, 503),
  })
  server.on('connection', (socket, { url = '' }) => {
    gate.opened += 1
    if (url.includes('listenKey')) listening.push(socket)
    socket.on('message', (text) => {
      const { id } = JSON.parse(String(text)) as { id: unknown }
      socket.send(JSON.stringify({ result: null, id }))
    })
  })
  await new Promise((resolve) => void server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return { gate, server, listening, url: `ws://127.0.0.1:${port}/ws` }
}

function aimAt(url: string, client: unknown): Instance {
  const instance = client as Instance
  const { ws } = instance.urls.api
  for (const name of Object.keys(ws)) if (typeof ws[name] === 'string') ws[name] = url
  instance.throttle = async () => {}
  // ccxt wants a proxy for sockets without TLS.
  instance.getHttpAgentIfNeeded = () => undefined
  return instance
}

function everyOf(speed: number) {
  return (ms: number, tick: () => void): (() => void) => {
    const timer = setInterval(tick, Math.max(ms / speed, 1))
    timer.unref()
    return () => clearInterval(timer)
  }
}

export async function startVenue(): Promise<StartedVenue> {
  const startedAt = Date.now()
  const now = () => NOW + (Date.now() - startedAt) * SPEED
  const { gate, server, listening, url } = await startServer()
  const { orders, fills, transport, requests, orderRow } = createBooks(now)
  const events: ExchangeEvent[] = []
  const problems: unknown[] = []
  let instance: Instance | undefined
  const exchange = await openCcxtExchange({
    venue: 'binance',
    kind: 'linear',
    environment: 'live',
    keys: KEYS,
    transport,
    now,
    onProblem: (problem) => problems.push(problem),
    createStreams(given) {
      instance = aimAt(url, given.client)
      return createAccountStreams({ ...given, every: everyOf(SPEED) })
    },
  })
  const say = (text: string, times = 1) => {
    for (let time = 0; time < times; time += 1) for (const socket of listening) socket.send(text)
  }
  const sum = (part: 'subscriptions' | 'futures' | 'rejections') =>
    Object.values(instance?.clients ?? {}).reduce((count, client) => count + Object.keys(client[part]).length, 0)
  return {
    exchange,
    events,
    problems,
    asked: requests,
    now,
    sockets: () => server.clients.size,
    opened: () => gate.opened,
    kept: () => ({
      clients: Object.keys(instance?.clients ?? {}).length,
      subscriptions: sum('subscriptions'),
      futures: sum('futures'),
      rejections: sum('rejections'),
    }),
    place(id) {
      const row = orderRow(id, 'NEW', '0')
      orders.set(id, row)
      say(updateOf(row, now()))
    },
    fill(id, tells) {
      const row = orderRow(id, 'FILLED', '0.010')
      const fill = { id: id + 100_000, orderId: id, time: now() }
      orders.set(id, row)
      fills.push(fill)
      say(updateOf(row, now(), fill), tells)
    },
    cut() {
      listening.length = 0
      for (const socket of server.clients) socket.terminate()
    },
    refuse(isRefused) {
      gate.isRefused = isRefused
    },
    async stop() {
      await exchange.close()
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

export interface StartedData {
  readonly data: MarketData
  readonly events: MarketDataEvent[]
  sockets(): number
  price(last: string): void
  /** The update after `from`: there is so much at 56388.7 now. */
  level(from: number, amount: string): void
  cut(): void
  stop(): Promise<void>
}

/** The same venue as everybody sees it. */
export async function startData(): Promise<StartedData> {
  const startedAt = Date.now()
  const now = () => NOW + (Date.now() - startedAt) * DATA_SPEED
  const { server, url } = await startServer()
  let updateId = 10
  const { transport } = createBooks(now, () => updateId)
  const events: MarketDataEvent[] = []
  const data = await openCcxtMarketData({
    venue: 'binance',
    kind: 'linear',
    transport,
    now,
    onProblem: () => {},
    createFeed(given) {
      aimAt(url, given.client)
      return new MarketFeed({ ...given, every: everyOf(DATA_SPEED) })
    },
  })
  data.watch('BTCUSDT', (event) => events.push(event))
  const say = (message: object) => {
    for (const socket of server.clients) socket.send(JSON.stringify({ E: now(), T: now(), s: 'BTCUSDT', ...message }))
  }
  return {
    data,
    events,
    sockets: () => server.clients.size,
    price(last) {
      say({ e: '24hrMiniTicker', c: last, o: '1', h: '1', l: '1', v: '1', q: '1' })
      say({ e: 'bookTicker', u: 1, b: '56388.7', B: '1', a: '56388.9', A: '1' })
    },
    level(from, amount) {
      updateId = from + 1
      say({ e: 'depthUpdate', U: updateId, u: updateId, pu: from, b: [['56388.7', amount]], a: [] })
    },
    cut() {
      for (const socket of server.clients) socket.terminate()
    },
    async stop() {
      await data.close()
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
