// The WebSocket side: `public`, `private` and `business`, each with channels of its own. Whoever logs in hears the account's.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { noStreamFaults, type StreamFaults, tellThrough } from '../stream-faults.ts'
import type { Account, Channel } from './account.ts'
import type { Engine } from './engine.ts'
import { INSTRUMENTS, instrumentOf } from './instruments.ts'
import { bookRow, tickerRow } from './market-routes.ts'
import { balanceRow, positionRow, type Row } from './rows.ts'
import { isSignedBy, WINDOW_MS } from './signing.ts'

/** How often public channels repeat what has not changed. */
const REPEAT_MS = 1_000

type Access = 'public' | 'private' | 'business'

const CHANNELS: Readonly<Record<Access, readonly string[]>> = {
  public: ['tickers', 'books', 'books5', 'bbo-tbt'],
  private: ['orders', 'account', 'positions', 'fills'] satisfies Channel[],
  business: ['orders-algo'] satisfies Channel[],
}
const DEPTHS: Readonly<Record<string, number>> = { books: 400, books5: 5, 'bbo-tbt': 1 }

type Arg = Readonly<Record<string, string | undefined>>

interface Listener {
  readonly socket: WebSocket
  readonly access: Access
  readonly connId: string
  account?: Account
  /** By their text: the same channel twice is one. */
  readonly args: Map<string, Arg>
}

export class Streams {
  readonly faults: StreamFaults = noStreamFaults()
  /** How often somebody logged in. */
  logins = 0
  readonly #engine: Engine
  readonly #now: () => number
  readonly #listeners = new Set<Listener>()
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #repeat: NodeJS.Timeout
  #sequence = 1_000

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine
    this.#now = now
    this.#repeat = setInterval(() => {
      for (const { id } of INSTRUMENTS) this.tellPrice(id)
    }, REPEAT_MS)
    this.#repeat.unref()
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** How many listen to a channel. */
  listenersOf(channel: string): number {
    return [...this.#listeners].filter(({ args }) => [...args.values()].some((arg) => arg.channel === channel)).length
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname } = new URL(request.url ?? '/', 'wss://venue')
    const access = /^\/ws\/v5\/(public|private|business)$/.exec(pathname)?.[1]
    if (this.faults.isClosed || access === undefined) return void socket.destroy()
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened, access as Access))
  }

  /** What an account does is told to it alone. */
  tellAccount(account: Account, channel: Channel, row: Row): void {
    tellThrough(this.faults, () => {
      for (const listener of this.#listeners) if (listener.account === account) this.#push(listener, channel, row)
    })
  }

  tellPrice(instId: string): void {
    this.#sequence += 1
    for (const listener of this.#listeners) {
      for (const arg of listener.args.values()) if (arg.instId === instId) this.#pushMarket(listener, arg)
    }
  }

  /** It is said that the connection will soon be closed, and then it is. */
  restart(): void {
    for (const listener of this.#listeners) {
      this.#send(listener, {
        event: 'notice',
        code: '64008',
        connId: listener.connId,
        msg: 'The connection will soon be closed for a service upgrade. Please reconnect.',
      })
      listener.socket.close(1000)
    }
  }

  /** Cuts every socket there is. */
  drop(): void {
    for (const { socket } of this.#listeners) socket.terminate()
    this.#listeners.clear()
  }

  close(): void {
    clearInterval(this.#repeat)
    this.drop()
    this.#server.close()
  }

  #open(socket: WebSocket, access: Access): void {
    const listener: Listener = { socket, access, connId: randomBytes(4).toString('hex'), args: new Map() }
    this.#listeners.add(listener)
    socket.on('close', () => this.#listeners.delete(listener))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#hear(listener, String(data)))
  }

  #hear(listener: Listener, text: string): void {
    if (text === 'ping') return this.#sendText(listener, 'pong')
    const { op, args = [] } = JSON.parse(text) as { op?: string; args?: Arg[] }
    if (op === 'login') return this.#login(listener, args[0] ?? {})
    for (const arg of args) {
      if (op === 'subscribe') this.#subscribe(listener, arg)
      else if (op === 'unsubscribe') {
        listener.args.delete(JSON.stringify(arg))
        this.#send(listener, { event: 'unsubscribe', arg, connId: listener.connId })
      } else this.#refuse(listener, '60012', 'Invalid request')
    }
  }

  #login(listener: Listener, { apiKey = '', passphrase, timestamp = '', sign = '' }: Arg): void {
    const account = this.#engine.accounts.get(apiKey)
    const isStale = Math.abs(this.#now() - Number(timestamp) * 1000) > WINDOW_MS
    if (account === undefined || account.isRevoked) this.#refuse(listener, '60005', 'Invalid apiKey')
    else if (passphrase !== account.passphrase) this.#refuse(listener, '60024', 'Wrong passphrase')
    else if (!/^\d{10}$/.test(timestamp)) this.#refuse(listener, '60004', 'Invalid timestamp')
    else if (isStale) this.#refuse(listener, '60006', 'Timestamp request expired')
    else if (!isSignedBy(account, `${timestamp}GET/users/self/verify`, sign)) {
      this.#refuse(listener, '60007', 'Invalid sign')
    } else {
      listener.account = account
      this.logins += 1
      this.#send(listener, { event: 'login', msg: '', code: '0', connId: listener.connId })
    }
  }

  #subscribe(listener: Listener, arg: Arg): void {
    const { channel = '', instId } = arg
    const { account, access, connId } = listener
    if (!CHANNELS[access].includes(channel)) {
      return this.#refuse(listener, '60018', `Wrong URL or channel:${channel} doesn't exist.`)
    }
    if (access !== 'public' && account === undefined) return this.#refuse(listener, '60011', 'Please log in')
    if (access === 'public' && instrumentOf(instId) === undefined) {
      return this.#refuse(listener, '60018', `Wrong URL or channel:${channel},instId:${instId} doesn't exist.`)
    }
    if (channel === 'fills' && account?.isVip !== true) {
      return this.#refuse(
        listener,
        '64003',
        "Your trading fee tier doesn't meet the requirement to access this channel",
      )
    }
    listener.args.set(JSON.stringify(arg), arg)
    this.#send(listener, { event: 'subscribe', arg, connId })
    if (access === 'public') this.#pushMarket(listener, arg)
    else if (account !== undefined) this.#pushFirst(listener, account, channel)
  }

  /** The channels that begin with how it stands. */
  #pushFirst(listener: Listener, account: Account, channel: string): void {
    if (channel === 'account') this.#push(listener, channel, balanceRow(account, this.#engine.last, this.#now()))
    if (channel !== 'positions') return
    for (const instrument of INSTRUMENTS) {
      if (account.held(instrument).amount.isZero()) continue
      this.#push(listener, channel, positionRow(account, instrument, this.#engine.last(instrument.id)))
    }
  }

  #push(listener: Listener, channel: string, row: Row): void {
    for (const arg of listener.args.values()) {
      const isType = arg.instType === undefined || arg.instType === 'ANY' || arg.instType === 'SWAP'
      const isId = arg.instId === undefined || arg.instId === row.instId
      if (arg.channel === channel && isType && isId) {
        this.#send(listener, { arg: { ...arg, uid: '44705892343619584' }, data: [row] })
      }
    }
  }

  #pushMarket(listener: Listener, arg: Arg): void {
    const { channel = '', instId } = arg
    const instrument = instrumentOf(instId)
    if (instrument === undefined) return
    if (channel === 'tickers') {
      return this.#send(listener, { arg, data: [tickerRow(this.#engine, instrument, this.#now())] })
    }
    const row = bookRow(this.#engine, instrument, DEPTHS[channel] ?? 1, this.#now())
    const numbers = { seqId: this.#sequence, prevSeqId: -1, ...(channel === 'books' ? {} : { instId }) }
    this.#send(listener, {
      arg,
      ...(channel === 'books' ? { action: 'snapshot' } : {}),
      data: [{ ...row, ...numbers }],
    })
  }

  #refuse(listener: Listener, code: string, msg: string): void {
    this.#send(listener, { event: 'error', code, msg, connId: listener.connId })
  }

  #send(listener: Listener, message: unknown): void {
    this.#sendText(listener, JSON.stringify(message))
  }

  #sendText({ socket }: Listener, text: string): void {
    if (!this.faults.isSilent) socket.send(text)
  }
}
