// A venue's WebSocket as its unmodified class of ccxt dials it: every address of the venue leads to one server on 127.0.0.1, which keeps what it is
// sent and says what a test has it say. Markets and tokens come from the background of the venue's cases; what the account holds is a script.
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ExchangeEvent } from '../../../../src/exchange/exchange.ts'
import { ExchangeError } from '../../../../src/exchange/exchange-error.ts'
import type { MarketKind, Ticker } from '../../../../src/exchange/market.ts'
import type { Order, Trade } from '../../../../src/exchange/order.ts'
import { openCcxtExchange } from '../../../../src/exchanges/ccxt/open-ccxt.ts'
import { createAccountStreams } from '../../../../src/exchanges/ccxt/streams/account-streams.ts'
import { createCaseWire } from '../case-wire.ts'
import { readVenueCases } from '../venue-cases.ts'
import { describeEvent } from './scripted-account.ts'

export type Message = Readonly<Record<string, unknown>>

interface Socket {
  url: string
  createConnection(): void
}

interface Instance {
  client(url: string): Socket
  throttle: () => Promise<void>
  getHttpAgentIfNeeded: (url: string) => undefined
}

export interface SocketScript {
  readonly venue: string
  readonly kind: MarketKind
  readonly keys?: Readonly<Record<string, string>>
  /** What the venue answers a message with. */
  readonly answer: (message: Message, address: string) => readonly (Message | Buffer)[]
  /** On a connection, before anything is said. */
  readonly greet?: (address: string) => readonly Message[]
  /** Answers to requests that no case has: by words of their method and address. */
  readonly rest?: readonly (readonly [words: string, body: unknown])[]
}

/** Of nobody, in the form that Coinbase gives. */
export const { privateKey: EC_KEY } = generateKeyPairSync('ec', {
  namedCurve: 'prime256v1',
  privateKeyEncoding: { type: 'sec1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/** KuCoin, `bullet-private` and `bullet-public` of its document. */
export const BULLET = {
  code: '200000',
  data: {
    token: 'the-token',
    instanceServers: [
      {
        endpoint: 'wss://ws-api-spot.kucoin.com/',
        encrypt: true,
        protocol: 'websocket',
        pingInterval: 18_000,
        pingTimeout: 10_000,
      },
    ],
  },
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** Of 1 BTC at 60000, unless said otherwise. */
export function orderOf(fields: Partial<Order> & Pick<Order, 'id'>): Order {
  const { amount = '1', filled = '0' } = fields
  return {
    symbol: 'BTCUSDT',
    side: 'buy',
    type: 'limit',
    price: '60000',
    amount,
    filled,
    remaining: String(Number(amount) - Number(filled)),
    reduceOnly: false,
    postOnly: false,
    status: 'open',
    timestamp: Date.now(),
    ...fields,
  }
}

export function tradeOf(fields: Partial<Trade> & Pick<Trade, 'id' | 'orderId'>): Trade {
  return { symbol: 'BTCUSDT', side: 'buy', amount: '1', price: '60000', timestamp: Date.now(), ...fields }
}

export async function startSockets(script: SocketScript) {
  const { venue, kind, answer, greet = () => [], rest = [] } = script
  const sockets = new Map<WebSocket, string>()
  const heard: { readonly address: string; readonly message: Message }[] = []
  const server = await listen((socket, address) => {
    sockets.set(socket, address)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    for (const message of greet(address)) socket.send(JSON.stringify(message))
    socket.on('message', (data) => {
      const text = String(data)
      if (!text.startsWith('{')) return
      const message = JSON.parse(text) as Message
      heard.push({ address, message })
      for (const reply of answer(message, address)) {
        socket.send(Buffer.isBuffer(reply) ? reply : JSON.stringify(reply))
      }
    })
  })
  const local = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const held = { orders: new Map<string, Order>(), trades: [] as Trade[] }
  const [asked, problems, events] = [[] as string[], [] as unknown[], [] as ExchangeEvent[]]
  const exchange = await openCcxtExchange({
    venue,
    kind,
    environment: 'live',
    keys: keysOf(script),
    now: Date.now,
    transport: transportOf(venue, rest),
    onProblem: (problem) => problems.push(problem),
    createStreams(given) {
      dialTo(local, given.client)
      return createAccountStreams({ ...given, read: readOf(held, asked) })
    },
  })
  ends.push(async () => {
    await exchange.close()
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  exchange.subscribe((event) => events.push(event))
  return {
    exchange,
    events,
    problems,
    asked,
    heard,
    held,
    addresses: () => [...sockets.values()],
    told: () => events.filter(({ type }) => type === 'order' || type === 'trade').map(describeEvent),
    /** The venue has it, and can be asked for it. */
    hold(...rows: readonly (Order | Trade)[]): void {
      for (const row of rows) {
        if ('orderId' in row) held.trades.push(row)
        else held.orders.set(row.id, row)
      }
    },
    /** @param to words of the address. Default: every socket */
    say(message: Message | Buffer, to = ''): void {
      for (const [socket, address] of sockets) {
        if (address.includes(to)) socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message))
      }
    },
    cut(): void {
      for (const socket of sockets.keys()) socket.terminate()
    },
  }
}

export type StartedSockets = Awaited<ReturnType<typeof startSockets>>

async function listen(onSocket: (socket: WebSocket, address: string) => void): Promise<WebSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (socket, { url = '' }) => onSocket(socket, decodeURIComponent(url.slice(1))))
  await new Promise((resolve) => void server.once('listening', resolve))
  return server
}

function dialTo(local: string, client: object): void {
  const instance = client as Instance
  instance.throttle = async () => {}
  // ccxt wants a proxy for sockets without TLS.
  instance.getHttpAgentIfNeeded = () => undefined
  const seen = new WeakSet<Socket>()
  const make = instance.client.bind(instance)
  instance.client = (url) => {
    const socket = make(url)
    if (seen.has(socket)) return socket
    seen.add(socket)
    const connect = socket.createConnection.bind(socket)
    socket.createConnection = () => {
      const { url: address } = socket
      socket.url = local + encodeURIComponent(address)
      connect()
      socket.url = address
    }
    return socket
  }
}

function keysOf({ venue, keys }: SocketScript): Readonly<Record<string, string>> {
  return keys ?? casesOf(venue).keys
}

function casesOf(venue: string) {
  const found = readVenueCases().find((each) => each.venue === venue)
  if (found === undefined) throw new Error(`no cases of ${venue}`)
  return found
}

function transportOf(venue: string, rest: NonNullable<SocketScript['rest']>) {
  const { transport } = createCaseWire(casesOf(venue), [])
  return async (request: Parameters<typeof transport>[0]) => {
    const row = rest.find(([words]) =>
      words.split(' ').every((word) => `${request.method} ${request.url}`.includes(word)),
    )
    return row === undefined ? transport(request) : { status: 200, headers: {}, text: JSON.stringify(row[1]) }
  }
}

function readOf(
  held: { readonly orders: ReadonlyMap<string, Order>; readonly trades: readonly Trade[] },
  asked: string[],
) {
  const ask = async <T>(what: string, answer: () => T): Promise<T> => {
    asked.push(what)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return answer()
  }
  return {
    openOrders: () => ask('openOrders', () => [...held.orders.values()].filter(({ status }) => status === 'open')),
    order: ({ id = '' }: { readonly id?: string }) =>
      ask(`order ${id}`, () => {
        const order = held.orders.get(id)
        if (order === undefined) throw new ExchangeError('order-not-found', 'there is no such order')
        return order
      }),
    trades: ({ symbol }: { readonly symbol: string }) =>
      ask(`trades ${symbol}`, () => held.trades.filter((trade) => trade.symbol === symbol)),
    positions: () => ask('positions', () => []),
    ticker: (symbol: string) =>
      ask(
        `ticker ${symbol}`,
        (): Ticker => ({ symbol, last: '60000', bid: '59999', ask: '60001', timestamp: Date.now() }),
      ),
  }
}
