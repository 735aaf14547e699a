// What a session does, decided without touching anything: (state, event) → {state, effects}. The rows of behaviour 111
// are the branches below; session.ts performs the effects.
import type { ClientFrame, CloseReason, Frame } from '../../protocol/frames.ts'

export type Hello = Frame<'hello'>
/** Frames that mean something only after `welcome`. */
export type WorkFrame = Exclude<ClientFrame, Hello | Frame<'client:state'>>

export type SessionState =
  | { readonly name: 'awaiting-hello' }
  /** The operator has been asked. */
  | { readonly name: 'awaiting-decision'; readonly hello: Hello }
  | { readonly name: 'welcomed'; readonly hello: Hello }
  | { readonly name: 'closed' }

export type SessionEvent =
  | { readonly type: 'hello'; readonly frame: Hello; readonly isTrusted: boolean }
  | { readonly type: 'frame'; readonly frame: Exclude<ClientFrame, Hello> }
  /** Text that is not a frame of a client; `id` where it can be answered to. */
  | { readonly type: 'bad-frame'; readonly error: string; readonly t?: string; readonly id?: string }
  | { readonly type: 'hello-timeout' }
  | { readonly type: 'approved' }
  | { readonly type: 'denied' }
  /** hookline hangs up for a reason of its own. */
  | { readonly type: 'hang-up'; readonly reason: CloseReason }
  /** The socket is gone, whichever side closed it. */
  | { readonly type: 'gone' }

export type SessionEffect =
  | { readonly type: 'welcome' }
  | { readonly type: 'reject' }
  | { readonly type: 'ask-operator'; readonly hello: Hello }
  | { readonly type: 'withdraw-question' }
  | { readonly type: 'work'; readonly frame: WorkFrame }
  /** The client's flags have changed. */
  | { readonly type: 'note-flags' }
  /** `t` and `id` where the frame had an id: it may have an answer of its own. */
  | { readonly type: 'send-error'; readonly error: string; readonly t?: string; readonly id?: string }
  | { readonly type: 'close'; readonly reason: CloseReason }
  | { readonly type: 'forget' }

export interface Transition {
  readonly state: SessionState
  readonly effects: readonly SessionEffect[]
}

const CLOSED: SessionState = { name: 'closed' }
export const INITIAL_STATE: SessionState = { name: 'awaiting-hello' }

export function step(state: SessionState, event: SessionEvent): Transition {
  switch (state.name) {
    case 'awaiting-hello':
      return awaitingHello(state, event)
    case 'awaiting-decision':
      return awaitingDecision(state, event)
    case 'welcomed':
      return welcomed(state, event)
    case 'closed':
      return event.type === 'gone' ? to(CLOSED, { type: 'forget' }) : stay(state)
  }
}

function awaitingHello(state: SessionState, event: SessionEvent): Transition {
  switch (event.type) {
    case 'hello': {
      const { frame: hello, isTrusted } = event
      if (isTrusted) return to({ name: 'welcomed', hello }, { type: 'welcome' })
      return to({ name: 'awaiting-decision', hello }, { type: 'ask-operator', hello })
    }
    case 'frame':
    case 'bad-frame':
      return hangUp('badHandshake')
    case 'hello-timeout':
      return hangUp('noHello')
    case 'hang-up':
      return hangUp(event.reason)
    case 'gone':
      return to(CLOSED, { type: 'forget' })
    case 'approved':
    case 'denied':
      return stay(state)
  }
}

/** Only the operator's answer or the client's leaving ends the wait; a client that sends more than its flags is closed with 4400. */
function awaitingDecision(
  state: Extract<SessionState, { name: 'awaiting-decision' }>,
  event: SessionEvent,
): Transition {
  const withdraw: SessionEffect = { type: 'withdraw-question' }
  switch (event.type) {
    case 'approved':
      return to({ name: 'welcomed', hello: state.hello }, { type: 'welcome' })
    case 'denied':
      return to(CLOSED, { type: 'reject' }, { type: 'close', reason: 'denied' })
    case 'frame':
      if (event.frame.t !== 'client:state') return to(CLOSED, withdraw, { type: 'close', reason: 'badHandshake' })
      return stay({ ...state, hello: withFlags(state.hello, event.frame) })
    case 'hello':
    case 'bad-frame':
      return to(CLOSED, withdraw, { type: 'close', reason: 'badHandshake' })
    case 'hang-up':
      return to(CLOSED, withdraw, { type: 'close', reason: event.reason })
    case 'gone':
      return to(CLOSED, withdraw, { type: 'forget' })
    case 'hello-timeout':
      return stay(state)
  }
}

function welcomed(state: Extract<SessionState, { name: 'welcomed' }>, event: SessionEvent): Transition {
  switch (event.type) {
    case 'frame':
      if (event.frame.t !== 'client:state') return to(state, { type: 'work', frame: event.frame })
      return to({ ...state, hello: withFlags(state.hello, event.frame) }, { type: 'note-flags' })
    case 'bad-frame':
      // A second hello is fatal whether or not its fields are right.
      if (event.t === 'hello') return hangUp('badHandshake')
      return to(state, sendError(event))
    case 'hello':
      return hangUp('badHandshake')
    case 'hang-up':
      return hangUp(event.reason)
    case 'gone':
      return to(CLOSED, { type: 'forget' })
    case 'hello-timeout':
    case 'approved':
    case 'denied':
      return stay(state)
  }
}

function sendError({ error, t, id }: Extract<SessionEvent, { type: 'bad-frame' }>): SessionEffect {
  if (id === undefined) return { type: 'send-error', error }
  return { type: 'send-error', error, ...(t === undefined ? {} : { t }), id }
}

function withFlags(hello: Hello, { webCrossTradeActive }: Frame<'client:state'>): Hello {
  return { ...hello, webCrossTradeActive }
}

function to(state: SessionState, ...effects: readonly SessionEffect[]): Transition {
  return { state, effects }
}

function stay(state: SessionState): Transition {
  return { state, effects: [] }
}

function hangUp(reason: CloseReason): Transition {
  return to(CLOSED, { type: 'close', reason })
}
