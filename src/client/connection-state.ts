// What a connection does, decided without touching anything: (state, event) → {state, effects}. connection.ts performs the effects.
// No order ever waits here: what is not welcomed now is refused, by the caller's knowledge, as not sent.
import { defined } from '../base/defined.ts'
import { CLOSE_CODES, type CloseReason } from '../protocol/frames.ts'
import type { Pin } from './pinned-listener.ts'

/** What people need to know, in one word and its fields. All times are ms since the epoch. */
export type ConnectionState =
  /** No one asked for a connection. */
  | { readonly name: 'idle' }
  /**
   * Until hookline answers `hello`. May last while the browser asks its user for permission. `key`, here and below: the public key by
   * which hookline has proved itself on this connection.
   */
  | { readonly name: 'connecting'; readonly failures: number; readonly key?: string }
  /** hookline has our `hello` and says nothing: its operator is being asked. */
  | { readonly name: 'awaiting-approval'; readonly failures: number; readonly key?: string }
  /** `email` is for display only, empty when hookline is not signed in. `failures` came before `since`. */
  | {
      readonly name: 'welcomed'
      readonly listenerId: string
      readonly email: string
      readonly since: number
      readonly failures: number
      readonly key?: string
    }
  | {
      readonly name: 'waiting-to-reconnect'
      readonly retryAt: number
      readonly failures: number
      readonly why: Interruption
    }
  /** Another hookline, or something else that took the port, than the one this device knows. A person decides. */
  | { readonly name: 'other-listener'; readonly expected: string; readonly got: string; readonly key?: string }
  /**
   * What answered did not prove that it is the hookline with the `expected` key, which this device has pinned: another program on the
   * port, or a hookline with another key, `got`. It has had our `hello` and nothing else. A person decides.
   */
  | { readonly name: 'unproven-listener'; readonly expected?: string; readonly got?: string }
  /** The operator said no, or did not answer. */
  | { readonly name: 'denied' }
  /** hookline hung up for a reason that trying again does not change. */
  | { readonly name: 'stopped'; readonly reason: Exclude<FatalReason, 'denied'> }

/** `unreachable`: no answer to `hello` ever came; `lost`: the connection broke; or hookline's reason. */
export type Interruption = 'unreachable' | 'lost' | Exclude<CloseReason, FatalReason>

export type ConnectionEvent =
  /** A person, or the auto-connect gate, wants a connection. */
  | { readonly type: 'connect' }
  | { readonly type: 'disconnect' }
  | { readonly type: 'opened' }
  /** Still no answer to `hello`. */
  | { readonly type: 'silence' }
  /** hookline's half of the proof has been looked at. */
  | { readonly type: 'challenged'; readonly key: string; readonly isValid: boolean; readonly pinned: Pin }
  /** `pinned`: the listener this device knows, if any. */
  | {
      readonly type: 'welcome'
      readonly listenerId: string
      readonly email: string
      readonly pinned: Pin
      readonly at: number
    }
  | { readonly type: 'rejected' }
  /** `random` from 0 to below 1; `capMs`: the longest wait, default 60 s. */
  | {
      readonly type: 'closed'
      readonly code: number
      readonly at: number
      readonly random: number
      readonly capMs?: number | undefined
    }
  | { readonly type: 'retry-due' }
  /** The tab became visible or the network returned. */
  | { readonly type: 'nudge' }
  /** The person agreed to the other listener: its id, or its key where that is what was shown. */
  | { readonly type: 'accept-listener'; readonly listenerId: string }

export type ConnectionEffect =
  | { readonly type: 'open' }
  /** And wait for `silence`. */
  | { readonly type: 'send-hello' }
  /** Answer the challenge, and wait for `silence` anew. */
  | { readonly type: 'prove' }
  | { readonly type: 'pin'; readonly pin: Pin }
  | { readonly type: 'restore-subscriptions' }
  /** `retry-due` is wanted at this time, unless the state changes first. */
  | { readonly type: 'await-retry'; readonly at: number }
  /** Close the socket and hear nothing more of it. */
  | { readonly type: 'drop-socket' }
  | { readonly type: 'settle-calls' }

interface Transition {
  readonly state: ConnectionState
  readonly effects: readonly ConnectionEffect[]
}

type StateOf<N extends ConnectionState['name']> = Extract<ConnectionState, { name: N }>
type EventOf<T extends ConnectionEvent['type']> = Extract<ConnectionEvent, { type: T }>

export const IDLE: ConnectionState = { name: 'idle' }
const OPEN: ConnectionEffect = { type: 'open' }
const DROP_SOCKET: ConnectionEffect = { type: 'drop-socket' }
const SETTLE_CALLS: ConnectionEffect = { type: 'settle-calls' }

export function step(state: ConnectionState, event: ConnectionEvent): Transition {
  switch (state.name) {
    case 'idle':
    case 'denied':
    case 'stopped':
      return withoutSocket(state, event)
    case 'other-listener':
    case 'unproven-listener':
      return otherListener(state, event)
    case 'waiting-to-reconnect':
      return waitingToReconnect(state, event)
    case 'connecting':
    case 'awaiting-approval':
      return awaitingWelcome(state, event)
    case 'welcomed':
      return welcomed(state, event)
  }
}

/** Only a person's wish leads out. */
function withoutSocket(state: ConnectionState, event: ConnectionEvent): Transition {
  if (event.type === 'connect') return to({ name: 'connecting', failures: 0 }, OPEN)
  if (event.type === 'disconnect') return to(IDLE)
  return to(state)
}

/** Trying again is allowed: the right hookline may be back. The one that answers is compared as before. */
function otherListener(
  state: StateOf<'other-listener'> | StateOf<'unproven-listener'>,
  event: ConnectionEvent,
): Transition {
  if (event.type !== 'accept-listener') return withoutSocket(state, event)
  const { listenerId: accepted } = event
  if (accepted !== state.got) return to(state)
  const pin: Pin = state.name === 'other-listener' ? { ...keyOf(state), listenerId: accepted } : { key: accepted }
  return to({ name: 'connecting', failures: 0 }, { type: 'pin', pin }, OPEN)
}

function waitingToReconnect(state: StateOf<'waiting-to-reconnect'>, event: ConnectionEvent): Transition {
  if (event.type !== 'retry-due' && event.type !== 'nudge') return withoutSocket(state, event)
  return to({ name: 'connecting', failures: state.failures }, OPEN)
}

function awaitingWelcome(state: Unwelcomed, event: ConnectionEvent): Transition {
  switch (event.type) {
    case 'opened':
      return to(state, { type: 'send-hello' })
    case 'silence':
      return to({ ...state, name: 'awaiting-approval' })
    case 'challenged':
      return challenged(event, state)
    case 'welcome':
      return welcome(event, state)
    case 'rejected':
      return to({ name: 'denied' }, DROP_SOCKET)
    case 'closed':
      return afterClose(event, state.failures + 1, state.name === 'connecting' ? 'unreachable' : 'lost')
    case 'disconnect':
      return to(IDLE, DROP_SOCKET)
    case 'connect':
    case 'retry-due':
    case 'nudge':
    case 'accept-listener':
      return to(state)
  }
}

type Unwelcomed = StateOf<'connecting'> | StateOf<'awaiting-approval'>

/** The first listener's key is taken, and pinned once its operator has let us in; a known one's is compared. */
function challenged({ key, isValid, pinned }: EventOf<'challenged'>, state: Unwelcomed): Transition {
  if (isValid && (pinned.key === undefined || pinned.key === key)) return to({ ...state, key }, { type: 'prove' })
  return unproven(pinned, isValid ? key : undefined)
}

function unproven(pinned: Pin, got: string | undefined): Transition {
  const expected = defined({ expected: pinned.key })
  return to({ name: 'unproven-listener', ...expected, ...defined({ got }) }, DROP_SOCKET)
}

/** The one place where a connection becomes usable; before it nothing but `hello`, its proof and its flags has been sent. */
function welcome({ listenerId, email, pinned, at }: EventOf<'welcome'>, before: Unwelcomed): Transition {
  const { failures, key } = before
  if (pinned.key !== undefined && key !== pinned.key) return unproven(pinned, undefined)
  if (pinned.listenerId !== undefined && pinned.listenerId !== listenerId) {
    return to({ name: 'other-listener', expected: pinned.listenerId, got: listenerId, ...keyOf(before) }, DROP_SOCKET)
  }
  const isPinned = pinned.listenerId === listenerId && pinned.key === key
  const pin: ConnectionEffect[] = isPinned ? [] : [{ type: 'pin', pin: { listenerId, ...keyOf(before) } }]
  const state: ConnectionState = { name: 'welcomed', listenerId, email, since: at, failures, ...keyOf(before) }
  return to(state, ...pin, { type: 'restore-subscriptions' })
}

function keyOf({ key }: { readonly key?: string }): { readonly key?: string } {
  return defined({ key })
}

function welcomed(state: StateOf<'welcomed'>, event: ConnectionEvent): Transition {
  switch (event.type) {
    case 'welcome':
      // hookline never says it twice; a second one with another id comes from something else.
      if (event.listenerId === state.listenerId) return to(state)
      return to(
        { name: 'other-listener', expected: state.listenerId, got: event.listenerId, ...keyOf(state) },
        DROP_SOCKET,
        SETTLE_CALLS,
      )
    case 'rejected':
      return to({ name: 'denied' }, DROP_SOCKET, SETTLE_CALLS)
    case 'closed': {
      const wasStable = event.at - state.since >= RETRY_LIMITS.stableMs
      const { state: next, effects } = afterClose(event, wasStable ? 1 : state.failures + 1, 'lost')
      return to(next, SETTLE_CALLS, ...effects)
    }
    case 'disconnect':
      return to(IDLE, DROP_SOCKET, SETTLE_CALLS)
    case 'connect':
    case 'opened':
    case 'challenged':
    case 'silence':
    case 'retry-due':
    case 'nudge':
    case 'accept-listener':
      return to(state)
  }
}

function afterClose(
  { code, at, random, capMs }: EventOf<'closed'>,
  failures: number,
  unexplained: 'unreachable' | 'lost',
): Transition {
  const reason = closeReasonOf(code)
  if (reason === 'denied') return to({ name: 'denied' })
  if (reason !== undefined && isFatal(reason)) return to({ name: 'stopped', reason })
  const retryAt = at + retryDelayMs(failures, random, reason === 'busy' ? RETRY_LIMITS.busyMs : 0, capMs)
  const state: ConnectionState = { name: 'waiting-to-reconnect', retryAt, failures, why: reason ?? unexplained }
  return to(state, { type: 'await-retry', at: retryAt })
}

function to(state: ConnectionState, ...effects: readonly ConnectionEffect[]): Transition {
  return { state, effects }
}

// When a lost connection is tried again, and when it is not: what a close code asks for is said once, in CLOSE_CODES.

/** Times in ms. `capMs`: behaviour 140. */
export const RETRY_LIMITS = {
  firstMs: 500,
  capMs: 60_000,
  /** The least after 4429: hookline's operator is busy with others, or has just said no to one of this origin. */
  busyMs: 30_000,
  /** A session shorter than this ended in one more failure: being let in and thrown out at once does not count as success. */
  stableMs: 10_000,
} as const

/** Why hookline will not have this client without a person doing something first. */
type FatalReason = {
  [R in CloseReason]: (typeof CLOSE_CODES)[R]['retry'] extends 'never' ? R : never
}[CloseReason]

const REASONS = new Map<number, CloseReason>(
  (Object.keys(CLOSE_CODES) as CloseReason[]).map((reason) => [CLOSE_CODES[reason].code, reason]),
)

/**
 * Exponential back-off. The random half keeps tabs that lost their connection together from coming back together; the fixed half
 * keeps a loop from spinning.
 *
 * @param failures how many attempts have failed in a row, this one included: 1, 2, …
 * @param random from 0 to below 1
 * @param leastMs waited in any case, within the cap
 * @param capMs the longest wait, where `leastMs` is not longer
 * @returns ms: `leastMs`, and from half of `min(capMs − leastMs, 500 · 2^(failures − 1))` to below the whole
 */
export function retryDelayMs(
  failures: number,
  random: number,
  leastMs = 0,
  capMs: number = RETRY_LIMITS.capMs,
): number {
  const room = Math.max(RETRY_LIMITS.firstMs, capMs - leastMs)
  const ceiling = Math.min(room, RETRY_LIMITS.firstMs * 2 ** Math.max(0, failures - 1))
  return leastMs + (ceiling * (1 + random)) / 2
}

/** @returns undefined for codes hookline does not send: 1006 above all, which is all a page sees of a refused upgrade */
export function closeReasonOf(code: number): CloseReason | undefined {
  return REASONS.get(code)
}

export function isFatal(reason: CloseReason): reason is FatalReason {
  return CLOSE_CODES[reason].retry === 'never'
}
