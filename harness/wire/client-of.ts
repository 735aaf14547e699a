// A web app's client in this process: hookline/client over ws, with an Origin as a page has one.
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type ClientOptions, createHooklineClient, type HooklineClient } from '../../src/client/client.ts'
import type { ConnectionState } from '../../src/client/connection-state.ts'
import { createMemoryPin } from '../../src/client/pinned-listener.ts'
import { ORIGIN } from './ws-client.ts'

/** `Host` is the listener's also when a proxy of the test stands between. */
export class PageWebSocket extends WebSocket {
  constructor(url: string) {
    super(url, { origin: ORIGIN, perMessageDeflate: false, headers: { Host: '127.0.0.1:53219' } })
  }
}

export interface TestClient extends HooklineClient {
  readonly clientId: string
  /** Names of all states so far. */
  readonly states: readonly ConnectionState['name'][]
  /** Resolves with the state of that name: the present one, or the next. */
  until<N extends ConnectionState['name']>(name: N): Promise<Extract<ConnectionState, { name: N }>>
}

/** Not yet connected; disconnected when the test is over. Retries come as soon as the back-off ever allows. */
export function clientOf(options: Partial<ClientOptions> = {}): TestClient {
  const clientId = options.clientId ?? randomUUID()
  const client = createHooklineClient({
    label: 'tab',
    pin: createMemoryPin(),
    WebSocket: PageWebSocket,
    random: () => 0,
    ...options,
    clientId,
  })
  const states: ConnectionState['name'][] = []
  client.onState(({ name }) => states.push(name))
  onTestFinished(() => client.disconnect())
  const until: TestClient['until'] = (name) =>
    new Promise((resolve) => {
      const look = (state: ConnectionState) => {
        if (state.name !== name) return
        stop()
        resolve(state as Extract<ConnectionState, { name: typeof name }>)
      }
      const stop = client.onState(look)
      look(client.state)
    })
  return Object.assign(client, { clientId, states, until })
}
