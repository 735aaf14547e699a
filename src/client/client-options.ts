// What a page says of itself to its client, and of a line that it runs.
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { ClientKeys } from './client-keys.ts'
import type { Nudges } from './nudges.ts'
import type { PinStore } from './pinned-listener.ts'
import type { OutputLine } from './remote-run.ts'
import type { WebSocketConstructor } from './socket.ts'
import type { Random, Timers } from './timers.ts'

/** A page changes hookline's address in tests only; never take it from a link. */
export const LISTENER_WS_URL = `ws://${LISTENER_HOST}:${LISTENER_PORT}/ws`

export interface ClientOptions {
  /** 1 to 64 characters: a UUID of this tab's own (client-id.ts). */
  readonly clientId: string
  /** What the operator reads in the question; cut at 200 characters. */
  readonly label: string
  readonly pin: PinStore
  /**
   * By which this client proves itself, and wants hookline to: in a page `storedKeys`, elsewhere `keysOf` a pair of your own. Without them
   * the `clientId` is all that the operator's trust rests on, and hookline says so.
   */
  readonly keys?: ClientKeys | undefined
  /** Of a page of hookline's own console: what its document was given, to show that hookline's server gave it out. */
  readonly ticket?: string | undefined
  /** With `keys`: the `Origin` that the WebSocket sends. Default the page's. */
  readonly origin?: string
  /**
   * Output in batches: a run's lines come together, at most every 50 ms, and `lines` of a `cmd:output` must be read too (`linesOf`). For a
   * page that shows the output of many runs. Default false.
   */
  readonly batches?: boolean
  /** Default {@link LISTENER_WS_URL}. */
  readonly url?: string
  /** Default the environment's. */
  readonly WebSocket?: WebSocketConstructor
  /** When to try again at once. Default the page's: the tab became visible, the network returned. */
  readonly nudges?: Nudges
  /** The longest wait between two attempts, ms: a page that somebody looks at may ask a program on its own machine often. Default 60 s. */
  readonly longestRetryMs?: () => number | undefined
  readonly timers?: Timers
  readonly random?: Random
}

export interface ExecOptions {
  /** This run only; default the one focused in hookline. */
  readonly account?: string
  readonly symbol?: string
  /** The run goes on though this client leaves; otherwise it ends 30 s after. */
  readonly detach?: boolean
  /** How long after now the line may still begin: a hookline that reads it later refuses it. Default 30 s; `Infinity`: whenever it is read. */
  readonly withinMs?: number
  /** What chained or lasting work prints after the run's end, for as long as the connection lasts. */
  readonly onLateOutput?: (line: OutputLine) => void
}
