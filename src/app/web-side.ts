// The listener's WebSocket side. Its code and stores are loaded when the first page that the guard lets through comes: a process that only serves
// hooks starts faster, and never pays for it.
import type { Clients } from '../commands/kit/ports.ts'
import type { WebSessions } from '../listener/http/upgrade-guard.ts'
import type { Sessions } from '../listener/sessions/sessions.ts'
import type { SessionsOptions } from '../listener/sessions/sessions-options.ts'
import type { ConsoleKeyStore, IdentityStore, ListenerKeyStore } from '../stores/identity.ts'

interface WebSide extends WebSessions {
  /** Reads the identity and its key, made at the first start. @throws {StoreError} without them no page is let in; hooks work */
  start(): Promise<{ readonly listenerId: string }>
  /** For the `clients` commands. */
  readonly clients: Clients
}

interface WebSideOptions extends Omit<SessionsOptions, 'identity' | 'now'> {
  readonly stores: SessionsOptions['stores'] & {
    readonly identity: IdentityStore
    readonly listenerKey: ListenerKeyStore
    readonly consoleKey: ConsoleKeyStore
  }
}

/** No client has connected yet. */
const NO_CLIENTS: Clients = { connected: () => new Map(), pending: () => [], decide: async () => false }

export function createWebSide(options: WebSideOptions): WebSide {
  let identity: ReturnType<SessionsOptions['identity']>
  let loading: Promise<Sessions> | undefined
  let sessions: Sessions | undefined

  async function load(): Promise<Sessions> {
    const { Sessions } = await import('../listener/sessions/sessions.ts')
    sessions = new Sessions({ ...options, identity: () => identity, now: Date.now })
    return sessions
  }

  return {
    get isReady() {
      return identity !== undefined
    },
    load() {
      loading ??= load()
      return loading
    },
    get loaded() {
      return sessions
    },
    get clients() {
      return sessions?.asClients() ?? NO_CLIENTS
    },
    async start() {
      const { listenerId } = await options.stores.identity.load()
      const { listenerKey, consoleKey } = options.stores
      identity = { listenerId, key: await listenerKey.load(), consoleKey: await consoleKey.load() }
      return { listenerId }
    },
  }
}
