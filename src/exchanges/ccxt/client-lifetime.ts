// What of a ccxt instance would print, retry by itself, or live on. Its timers keep a process alive for twenty minutes, its sockets wait half a
// minute for the other side to say goodbye, and a listen key that has expired is ignored.

/** The parts of a ccxt instance that are replaced or ended; they are in no type of ours. */
interface Instance {
  clients?: Record<string, Socket>
  options: Record<string, unknown>
  log: (...said: unknown[]) => void
  delay: (ms: number, method: (...given: unknown[]) => unknown, ...given: unknown[]) => void
  spawn: (method: (...given: unknown[]) => unknown, ...given: unknown[]) => unknown
  client: (url: string) => Socket
  handleMessage: (socket: Socket, message: unknown) => unknown
  calculateWsBackoffDelay: (url: string) => number
  proxiesModulesLoading?: Promise<void>
  close: (...given: unknown[]) => Promise<unknown>
}

interface Socket {
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
  /** The next stream proves itself anew: the key of a stream that was lost may have been lost with it. */
  renew(): void
  /** Calls `listener` whenever a socket is open. */
  onOpened(listener: () => void): void
  /** Ends sockets and timers; nothing connects after it. Never rejects. */
  close(): Promise<void>
}

/** A goodbye that takes longer is not waited for. */
const CLOSE_MS = 500

export class ClientClosed extends Error {
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
  ownSockets(client, () => {
    for (const listener of openings) listener()
  })
  const endTimers = ownTimers(client)
  hearExpiredKeys(client)
  const close = client.close.bind(client)
  let closing: Promise<void> | undefined
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
    renew: () => forgetListenKeys(client),
    onOpened: (listener) => void openings.add(listener),
    close: async () => void (await client.close()),
  }
}

/**
 * ccxt makes promises that it never looks at again, of balances that come with orders. All of them are rejected when a socket is lost, and a
 * rejection that has no handler ends the process. Those who wait for one hear of it all the same.
 */
function ownSockets(client: Instance, onOpened: () => void): void {
  const open = client.client.bind(client)
  const known = new WeakSet<Socket>()
  client.client = (url) => {
    // Forgotten while another stream waited for it. A venue takes such a socket, and never tells anything on it.
    if (/[/=]undefined(&|$)/.test(url)) throw new Error('the listen key is gone')
    const socket = open(url)
    if (known.has(socket)) return socket
    known.add(socket)
    const future = socket.future.bind(socket)
    socket.future = (name) => {
      const made = future(name)
      made.catch(() => {})
      return made
    }
    hearSends(socket)
    hearOpening(socket, onOpened)
    return socket
  }
}

function hearOpening(socket: Socket, onOpened: () => void): void {
  const opened = socket.onOpen?.bind(socket)
  if (opened === undefined) return
  socket.onOpen = () => {
    opened()
    onOpened()
  }
}

/** What could not be sent is a lost socket: ccxt drops the error of a subscription that waited for its turn. */
function hearSends(socket: Socket): void {
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

/** Binance says that a stream has ended by a message on it, and then nothing more. */
function hearExpiredKeys(client: Instance): void {
  const handle = client.handleMessage.bind(client)
  client.handleMessage = (socket, message) => {
    if (!saysExpired(message)) return handle(socket, message)
    forgetListenKeys(client)
    socket.onError?.(new Error('the listen key has expired'))
    return socket.close?.()
  }
}

function saysExpired(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { e, data, event } = message as { readonly e?: unknown; readonly data?: unknown; readonly event?: unknown }
  return e === 'listenKeyExpired' || event === 'listenKeyExpired' || saysExpired(data) || saysExpired(event)
}

/** ccxt keeps one for each kind of market, and takes it for good for twenty minutes. */
function forgetListenKeys({ options }: Instance): void {
  for (const [kind, kept] of Object.entries(options)) {
    if (typeof kept !== 'object' || kept === null || !('listenKey' in kept)) continue
    options[kind] = { ...kept, listenKey: undefined, lastAuthenticatedTime: 0 }
  }
}

async function orSoon(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const soon = new Promise((resolve) => {
    timer = setTimeout(resolve, CLOSE_MS)
  })
  // What fails while it ends has ended.
  await Promise.race([work.catch(() => undefined), soon])
  clearTimeout(timer)
}
