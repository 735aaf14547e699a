// `hookline/client` as it is published: a page that holds the built library, and when it knocked and was cut off.
import { resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { PageWebSocket } from '../../harness/wire/client-of.ts'
import type * as Published from '../../src/client/public.ts'

type State = Published.ConnectionState
type StateOf<N extends State['name']> = Extract<State, { name: N }>

export const { createHooklineClient, createMemoryPin, keysOf, newKeyPair }: typeof Published = await import(
  resolve(import.meta.dirname, '../../dist/client.js')
)

export interface BuiltPage {
  readonly client: Published.HooklineClient
  /** When it tried to connect, in ms of the monotonic clock. */
  readonly attempts: readonly number[]
  /** When an attempt failed or a connection ended: each stands at the place of its attempt. */
  readonly ends: readonly number[]
  /** Resolves with the state of that name: the present one, or the next. */
  until<N extends State['name']>(name: N): Promise<StateOf<N>>
}

/** Not yet connected; disconnected when the test is over. Chance and time are the real ones. */
export function builtPage(clientId: string, url?: string, more: Partial<Published.ClientOptions> = {}): BuiltPage {
  const attempts: number[] = []
  const ends: number[] = []
  class WatchedWebSocket extends PageWebSocket {
    constructor(address: string) {
      attempts.push(performance.now())
      super(address)
      this.on('close', () => ends.push(performance.now()))
    }
  }
  const client = createHooklineClient({
    clientId,
    label: 'tab',
    pin: createMemoryPin(),
    WebSocket: WatchedWebSocket,
    ...(url === undefined ? {} : { url }),
    ...more,
  })
  onTestFinished(() => client.disconnect())
  const until = <N extends State['name']>(name: N) =>
    new Promise<StateOf<N>>((found) => {
      const look = (state: State) => {
        if (state.name !== name) return
        stop()
        found(state as StateOf<N>)
      }
      const stop = client.onState(look)
      look(client.state)
    })
  return { client, attempts, ends, until }
}
