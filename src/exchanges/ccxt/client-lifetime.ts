// What of a ccxt instance would print, retry by itself, or live on. Its timers keep a process alive for twenty minutes, its sockets wait half a
// minute for the other side to say goodbye, and a listen key that has expired is ignored.
import { gunzipSync, inflateRawSync } from 'node:zlib'
import { withTimeout } from '../../base/concurrency.ts'

/** The parts of a ccxt instance that are replaced or ended; they are in no type of ours. */
interface Instance {
  clients?: Record<string, Socket>
  options: Record<string, unknown>
  log: (...stated: unknown[]) => void
  delay: (ms: number, method: (...given: unknown[]) => unknown, ...given: unknown[]) => void
  spawn: (method: (...given: unknown[]) => unknown, ...given: unknown[]) => unknown
  client: (url: string) => Socket
  handleMessage: (socket: Socket, message: unknown) => unknown
  calculateWsBackoffDelay: (url: string) => number
  proxiesModulesLoading?: Promise<void>
  close: (...given: unknown[]) => Promise<unknown>
}

interface Socket {
  /** Whether the venue packs its messages. */
  readonly gunzip?: boolean
  readonly inflate?: boolean
  onMessage?(event: { readonly data: unknown }): void
  connect?(...given: unknown[]): unknown
  future(name: string): Promise<unknown>
  onOpen?(): void
  onError?(error: unknown): void
  close?(): unknown
  clearPingInterval?(): void
  clearConnectionTimeout?(): void
  send?: (message: unknown) => Promise<unknown>
  readonly connection?: { terminate?(): void } | undefined
}

export interface ClientLifetime {
  /** @throws {ClientClosed} */
  requireOpen(): void
  /** The next stream proves itself anew: the key of a stream that was lost may have been lost with it. */
  renew(): void
  /** Calls `listener` whenever a socket is open. */
  onOpened(listener: () => void): void
  /** Ends sockets and timers; nothing connects after it. Never rejects. */
  close(): Promise<void>
}

/** Of a stream, unpacked. The largest messages are of all tickers, about a megabyte. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** Of `ws`. Certificates are always checked, also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise. */
export const SOCKET_OPTIONS = { rejectUnauthorized: true, followRedirects: false, maxPayload: MAX_MESSAGE_BYTES }

/** A goodbye that takes longer is not waited for. */
const CLOSE_MS = 500

class ClientClosed extends Error {
  override readonly name = 'ClientClosed'
}

/** Takes over the lifetime of a ccxt instance that was just made. Its own `close` ends it the same way. */
export function ownLifetime(made: object): ClientLifetime {
  const client = made as Instance
  // ccxt prints what it cannot parse, account data included.
  client.log = () => {}
  // It would look for packages of proxies beside hookline.
  client.proxiesModulesLoading = Promise.resolve()
  // The streams pause by themselves, and ccxt remembers every address it has connected to.
  client.calculateWsBackoffDelay = () => 0
  const openings = new Set<() => void>()
  guardSockets(client, () => {
    for (const listener of openings) listener()
  })
  const endTimers = ownTimers(client)
  passOverOtherMarkets(client)
  watchExpiredKeys(client)
  const close = client.close.bind(client)
  let closing: Promise<void> | undefined
  const requireOpen = (): void => {
    // A run that still holds the account must not use keys that someone has locked away.
    if (closing !== undefined) throw new ClientClosed('the account is closed')
  }
  const end = async (): Promise<void> => {
    const sockets = Object.values(client.clients ?? {})
    client.client = () => {
      throw new ClientClosed('the account is closed')
    }
    endTimers()
    await orSoon(close())
    for (const socket of sockets) {
      socket.clearPingInterval?.()
      socket.clearConnectionTimeout?.()
      socket.connection?.terminate?.()
    }
  }
  client.close = () => (closing ??= end())
  return {
    requireOpen,
    renew: () => forgetListenKeys(client),
    onOpened: (listener) => void openings.add(listener),
    close: async () => void (await client.close()),
  }
}

/** Sockets go to the venue alone, and unpack no more than they may. */
function guardSockets(client: Instance, onOpened: () => void): void {
  const seen = new WeakSet<Socket>()
  const open = client.client.bind(client)
  client.client = (url) => {
    // Forgotten while another stream waited for it. A venue takes such a socket, and never tells anything on it.
    if (/[/=]undefined(&|$)/.test(url)) throw new Error('the listen key is gone')
    if (url.includes('://')) requireVenueAddress(client, url)
    const socket = open(url)
    if (seen.has(socket)) return socket
    seen.add(socket)
    const connect = socket.connect?.bind(socket)
    // Some are never connected, and have a name in the place of an address.
    socket.connect = (...given) => {
      requireVenueAddress(client, url)
      return connect?.(...given)
    }
    watchRejections(socket)
    watchSends(socket)
    watchOpening(socket, onOpened)
    unpackWithin(socket)
    return socket
  }
}

/**
 * ccxt makes promises that it never looks at again, of balances that come with orders. All of them are rejected when a socket is lost, and a
 * rejection that has no handler ends the process. Those who wait for one hear of it all the same.
 */
function watchRejections(socket: Socket): void {
  const future = socket.future.bind(socket)
  socket.future = (hash) => {
    const made = future(hash)
    made.catch(() => {})
    return made
  }
}

function watchOpening(socket: Socket, onOpened: () => void): void {
  const opened = socket.onOpen?.bind(socket)
  if (opened === undefined) return
  socket.onOpen = () => {
    opened()
    onOpened()
  }
}

/** Some venues pack each message by themselves, and ccxt would unpack a megabyte to a gigabyte. */
function unpackWithin(socket: Socket): void {
  const deliver = socket.onMessage?.bind(socket)
  if (deliver === undefined) return
  const limits = { maxOutputLength: MAX_MESSAGE_BYTES }
  socket.onMessage = ({ data }) => {
    if (!Buffer.isBuffer(data) || !(socket.gunzip || socket.inflate)) return deliver({ data })
    try {
      deliver({ data: (socket.gunzip ? gunzipSync(data, limits) : inflateRawSync(data, limits)).toString('utf8') })
    } catch (error) {
      // What cannot be unpacked was cut or forged, and nothing behind it can be trusted.
      socket.onError?.(error)
      socket.close?.()
    }
  }
}

/** What could not be sent is a lost socket: ccxt drops the error of a subscription that waited for its turn. */
function watchSends(socket: Socket): void {
  const send = socket.send?.bind(socket)
  if (send === undefined) return
  socket.send = (message) => {
    const sent = send(message)
    sent.catch((error: unknown) => socket.onError?.(error))
    return sent
  }
}

/** Timers of listen keys: one per method, unref'd. @returns ends them */
function ownTimers(client: Instance): () => void {
  const timers = new Map<unknown, NodeJS.Timeout>()
  let isEnded = false
  client.delay = (ms, method, ...given) => {
    clearTimeout(timers.get(method))
    if (isEnded) return
    const timer = setTimeout(() => {
      timers.delete(method)
      client.spawn(method, ...given)
    }, ms)
    timers.set(method, timer.unref())
  }
  return () => {
    isEnded = true
    for (const timer of timers.values()) clearTimeout(timer)
    timers.clear()
  }
}

/** Some streams are of all that the account does: a class gives them up for one row of a kind of market that was not loaded. */
function passOverOtherMarkets(client: Instance): void {
  const handle = client.handleMessage.bind(client)
  client.handleMessage = (socket, message) => {
    try {
      return handle(socket, message)
    } catch (error) {
      if (error instanceof Error && error.name === 'BadSymbol') return undefined
      throw error
    }
  }
}

/** Binance says that a stream has ended by a message on it, and then nothing more. */
function watchExpiredKeys(client: Instance): void {
  const handle = client.handleMessage.bind(client)
  client.handleMessage = (socket, message) => {
    if (!isExpiry(message)) return handle(socket, message)
    forgetListenKeys(client)
    socket.onError?.(new Error('the listen key has expired'))
    return socket.close?.()
  }
}

function isExpiry(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { e, data, event } = message as { readonly e?: unknown; readonly data?: unknown; readonly event?: unknown }
  return e === 'listenKeyExpired' || event === 'listenKeyExpired' || isExpiry(data) || isExpiry(event)
}

/** ccxt keeps one for each kind of market, and takes it for good for twenty minutes; MEXC's is for all. */
function forgetListenKeys({ options }: Instance): void {
  if (typeof options.listenKey === 'string') options.listenKey = undefined
  for (const [kind, kept] of Object.entries(options)) {
    if (typeof kept !== 'object' || kept === null || !('listenKey' in kept)) continue
    options[kind] = { ...kept, listenKey: undefined, lastAuthenticatedTime: 0 }
  }
}

async function orSoon(work: Promise<unknown>): Promise<void> {
  // What fails while it ends has ended.
  await withTimeout(
    work.catch(() => {}),
    CLOSE_MS,
    () => {},
  )
}

// Where requests and streams of a venue may go: to the addresses that its class of ccxt was made with, and to hosts beside them over TLS. Some
// venues name the host of a stream in an answer, and an answer may be anybody's who sits between.

/** What of a ccxt instance names its addresses; they are in no type of ours. */
interface Addressed {
  readonly urls?: { readonly api?: unknown }
  readonly hostname?: unknown
}

class ForeignAddress extends Error {
  override readonly name = 'ForeignAddress'
}

/** By the object that lists the addresses: the origins found to be the venue's. A change of environment makes another object. */
const admitted = new WeakMap<object, Set<string>>()

/** @throws {ForeignAddress} and nothing was sent */
export function requireVenueAddress(client: object, url: string): void {
  const { urls, hostname } = client as Addressed
  const wanted = addressOf(url)
  const key = `${hostname} ${wanted?.protocol}//${wanted?.host}`
  const listed = typeof urls?.api === 'object' && urls.api !== null ? urls.api : undefined
  const found = listed === undefined ? undefined : admitted.get(listed)
  if (found?.has(key) === true) return
  if (wanted === undefined || !knownAddresses(client as Addressed).some((known) => isBeside(wanted, known))) {
    throw new ForeignAddress(`${wanted?.host ?? 'what was asked for'} does not belong to the venue`)
  }
  if (listed !== undefined) admitted.set(listed, (found ?? new Set()).add(key))
}

function isBeside(wanted: URL, known: URL): boolean {
  if (wanted.protocol === known.protocol && wanted.host === known.host) return true
  if (!['https:', 'wss:'].includes(wanted.protocol)) return false
  const domain = domainOf(known.hostname)
  return wanted.hostname === domain || wanted.hostname.endsWith(`.${domain}`)
}

/** `api.kucoin.com` → `kucoin.com`. A name of two parts, an address of numbers and what may be a country's `co.uk` stay as they are. */
function domainOf(hostname: string): string {
  const [, ...rest] = hostname.split('.')
  const [second = '', top = ''] = rest.slice(-2)
  const isPublic = rest.length < 2 || (rest.length === 2 && top.length === 2 && second.length <= 3)
  return isPublic || /^[\d.]+$|:/.test(hostname) ? hostname : rest.join('.')
}

function knownAddresses({ urls, hostname }: Addressed): readonly URL[] {
  return textsIn(urls?.api).flatMap((text) => addressOf(text.replaceAll('{hostname}', String(hostname))) ?? [])
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Names that end with a dot and upper case are one host, and a port that goes without saying is none. */
function addressOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
