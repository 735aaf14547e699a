// The listener's WebSocket side. Its code and stores are loaded when the first page that the guard lets through comes: a process that only serves
// hooks starts faster, and never pays for it.
import type { Clients } from '../commands/kit/ports.ts'
import type { WebSessions } from '../listener/http/web-upgrade.ts'
import type { Sessions } from '../listener/sessions/sessions.ts'
import type { IdentityStore } from '../stores/identity.ts'
import type { OpenSessionsOptions } from './open-sessions.ts'

export interface WebSide extends WebSessions {
  /** Reads the identity, made at the first start. @throws {StoreError} without it no page is let in; hooks work */
  start(): Promise<{ readonly listenerId: string }>
  /** For the `clients` commands. */
  readonly clients: Clients
}

export interface WebSideOptions extends Omit<OpenSessionsOptions, 'listenerId'> {
  readonly stores: OpenSessionsOptions['stores'] & { readonly identity: IdentityStore }
}

/** No client has connected yet. */
const NO_CLIENTS: Clients = { connected: () => new Map(), pending: () => [], decide: async () => false }

export function createWebSide(options: WebSideOptions): WebSide {
  let listenerId: string | undefined
  let loading: Promise<Sessions> | undefined
  let sessions: Sessions | undefined

  async function load(): Promise<Sessions> {
    const { openSessions } = await import('./open-sessions.ts')
    sessions = openSessions({ ...options, listenerId: () => listenerId })
    return sessions
  }

  return {
    get isReady() {
      return listenerId !== undefined
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
      const found = await options.stores.identity.load()
      listenerId = found.listenerId
      return found
    },
  }
}
