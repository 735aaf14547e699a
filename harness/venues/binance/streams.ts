// The WebSocket side: what an account is told under its listen key, and what everybody may hear.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { defined } from '../../../src/base/defined.ts'
import { noStreamFaults, type StreamFaults, tellThrough } from '../stream-faults.ts'
import type { Account } from './account.ts'
import type { Engine } from './engine.ts'
import { streamMessage } from './public-streams.ts'
import { SYMBOLS } from './symbols.ts'

/** How often public streams repeat what has not changed. */
const REPEAT_MS = 1_000

interface Listener {
  readonly socket: WebSocket
  /** Its own account's, where it came with a listen key. */
  readonly account?: Account
  readonly names: Set<string>
}

export class Streams {
  readonly faults: StreamFaults = noStreamFaults()
  /** How often a private stream was opened. */
  opened = 0
  updateId = 1_000
  readonly #engine: Engine
  readonly #now: () => number
  readonly #keys = new Map<string, Account>()
  readonly #everKeys = new Set<string>()
  readonly #listeners = new Set<Listener>()
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  readonly #repeat: NodeJS.Timeout

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine
    this.#now = now
    this.#repeat = setInterval(() => {
      for (const { symbol } of SYMBOLS) this.tellPrice(symbol)
    }, REPEAT_MS)
    this.#repeat.unref()
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** The one there is, or a new one. */
  openKey(account: Account): string {
    for (const [key, owner] of this.#keys) if (owner === account) return key
    const key = randomBytes(32).toString('hex')
    this.#keys.set(key, account)
    this.#everKeys.add(key)
    return key
  }

  keepKey(account: Account): boolean {
    return [...this.#keys.values()].includes(account)
  }

  dropKey(account: Account): void {
    for (const [key, owner] of this.#keys) if (owner === account) this.#keys.delete(key)
  }

  /** All keys there ever were, for whoever looks for them where they must not be. */
  get secrets(): readonly string[] {
    return [...this.#everKeys]
  }

  /** As after 60 minutes without a word: it is said, and then nothing more comes. */
  expireKeys(): void {
    for (const listener of this.#listeners) {
      const { account } = listener
      if (account === undefined) continue
      const [listenKey = ''] = [...this.#keys].find(([, owner]) => owner === account) ?? []
      this.#send(listener, { e: 'listenKeyExpired', E: this.#now(), listenKey })
      this.#listeners.delete(listener)
    }
    this.#keys.clear()
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'wss://venue')
    const [, key] = /^\/ws\/([0-9a-f]{64})$/.exec(pathname) ?? [undefined, searchParams.get('listenKey') ?? undefined]
    const account = key === undefined ? undefined : this.#keys.get(key)
    if (this.faults.isClosed || !/^\/((private|public|market)\/)?ws(\/|$)/.test(pathname)) return void socket.destroy()
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened, account, key !== undefined))
  }

  /** What an account does is told to it alone. */
  tellAccount(account: Account, event: Readonly<Record<string, unknown>>): void {
    tellThrough(this.faults, () => {
      for (const listener of this.#listeners) if (listener.account === account) this.#send(listener, event)
    })
  }

  tellPrice(symbol: string): void {
    this.updateId += 1
    for (const listener of this.#listeners) {
      for (const name of listener.names) {
        if (name.split('@')[0] === symbol.toLowerCase()) this.#tellStream(listener, name)
      }
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

  #open(socket: WebSocket, account: Account | undefined, isPrivate: boolean): void {
    if (isPrivate) this.opened += 1
    const listener = { socket, names: new Set<string>(), ...defined({ account }) }
    this.#listeners.add(listener)
    socket.on('close', () => this.#listeners.delete(listener))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#hear(listener, String(data)))
  }

  #hear(listener: Listener, text: string): void {
    const { method, params = [], id } = JSON.parse(text) as { method: string; params?: string[]; id?: number }
    if (method === 'SUBSCRIBE') for (const name of params) listener.names.add(name)
    if (method === 'UNSUBSCRIBE') for (const name of params) listener.names.delete(name)
    this.#send(listener, { result: method === 'LIST_SUBSCRIPTIONS' ? [...listener.names] : null, id })
    if (method === 'SUBSCRIBE') for (const name of params) this.#tellStream(listener, name)
  }

  #tellStream(listener: Listener, name: string): void {
    const message = streamMessage(name, this.#engine, this.updateId, this.#now())
    if (message !== undefined) this.#send(listener, message)
  }

  #send({ socket }: Listener, message: unknown): void {
    if (!this.faults.isSilent) socket.send(JSON.stringify(message))
  }
}
