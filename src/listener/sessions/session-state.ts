// What a session does, decided without touching anything: (state, event) → {state, effects}. The rows of behaviour 111
// are the branches below; session.ts performs the effects.
import { createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { defined } from '../../base/defined.ts'
import { type ClientFrame, type CloseReason, type Frame, WIRE_LIMITS } from '../../protocol/frames.ts'
import { type Exchange, signedBytes } from '../../protocol/proof.ts'
import type { ListenerKey } from '../../stores/identity.ts'
import type { Standing as StoredStanding } from '../../stores/trusted-clients.ts'

// Frames that a client sends between its `hello` and its `welcome`: they wait, in order, and are taken up once it is welcomed (behaviour 12).

/** `E`: what is taken up later. */
interface EarlyFrames<E> {
  readonly events: readonly E[]
  /** Of their texts. */
  readonly bytes: number
}

const NO_EARLY_FRAMES: EarlyFrames<never> = { events: [], bytes: 0 }

/** @returns undefined when there would be too many of them, or too much */
function keepEarly<E extends { readonly bytes: number }>(early: EarlyFrames<E>, event: E): EarlyFrames<E> | undefined {
  const events = [...early.events, event]
  const bytes = early.bytes + event.bytes
  return events.length > WIRE_LIMITS.earlyFrames || bytes > WIRE_LIMITS.firstFrameBytes ? undefined : { events, bytes }
}

export type Hello = Frame<'hello'>
/** `ticketless`: a page of the console's origin that does not show that our server gave it out. */
export type Standing = StoredStanding | 'ticketless'
/** Frames that mean something only after `welcome`. */
export type WorkFrame = Exclude<ClientFrame, Hello | Frame<'client:state'> | Frame<'proof'>>

/** What may wait for `welcome`. */
export type LateEvent = Extract<SessionEvent, { type: 'frame' | 'bad-frame' }>
type Early = EarlyFrames<LateEvent>

export type SessionState =
  | { readonly name: 'awaiting-hello' }
  /** Of a client with a key. */
  | { readonly name: 'awaiting-proof'; readonly hello: Hello; readonly early: Early }
  /** The proof is here and is being looked at. */
  | { readonly name: 'checking-proof'; readonly hello: Hello; readonly early: Early }
  /** The operator has been asked. */
  | { readonly name: 'awaiting-decision'; readonly hello: Hello; readonly early: Early }
  | { readonly name: 'welcomed'; readonly hello: Hello }
  | { readonly name: 'closed' }

type Waiting = Extract<SessionState, { readonly early: Early }>

export type SessionEvent =
  /** `standing`: of the client as it says it is; with a key it counts only once that is proved. */
  | { readonly type: 'hello'; readonly frame: Hello; readonly standing: Standing }
  | { readonly type: 'proof'; readonly signature: string }
  /** `standing`: as of now. */
  | { readonly type: 'proof-checked'; readonly isValid: boolean; readonly standing: Standing }
  /** `bytes` of its text. */
  | { readonly type: 'frame'; readonly frame: WorkFrame | Frame<'client:state'>; readonly bytes: number }
  /** Text that is not a frame of a client; `id` where it can be answered to. */
  | {
      readonly type: 'bad-frame'
      readonly error: string
      readonly t?: string
      readonly id?: string
      readonly bytes: number
    }
  | { readonly type: 'hello-timeout' }
  | { readonly type: 'approved' }
  | { readonly type: 'denied' }
  /** hookline hangs up for a reason of its own. */
  | { readonly type: 'hang-up'; readonly reason: CloseReason }
  /** The socket is gone, whichever side closed it. */
  | { readonly type: 'gone' }

export type SessionEffect =
  | { readonly type: 'welcome' }
  /** What came before `welcome` comes now. */
  | { readonly type: 'take-up'; readonly events: readonly LateEvent[] }
  | { readonly type: 'reject' }
  | { readonly type: 'challenge'; readonly hello: Hello }
  | { readonly type: 'check-proof'; readonly signature: string }
  | { readonly type: 'ask-operator'; readonly hello: Hello }
  | { readonly type: 'withdraw-question' }
  | { readonly type: 'work'; readonly frame: WorkFrame }
  /** The client's flags have changed. */
  | { readonly type: 'note-flags' }
  /** `t` and `id` where the frame had an id: it may have an answer of its own. */
  | { readonly type: 'send-error'; readonly error: string; readonly t?: string; readonly id?: string }
  | { readonly type: 'close'; readonly reason: CloseReason }
  | { readonly type: 'forget' }

interface Transition {
  readonly state: SessionState
  readonly effects: readonly SessionEffect[]
}

const CLOSED: SessionState = { name: 'closed' }
export const INITIAL_STATE: SessionState = { name: 'awaiting-hello' }

export function step(state: SessionState, event: SessionEvent): Transition {
  switch (state.name) {
    case 'awaiting-hello':
      return awaitingHello(state, event)
    case 'awaiting-proof':
    case 'checking-proof':
      return proving(state, event)
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
      const { frame: hello, standing } = event
      if (hello.key === undefined) return admit(hello, NO_EARLY_FRAMES, standing)
      return to({ name: 'awaiting-proof', hello, early: NO_EARLY_FRAMES }, { type: 'challenge', hello })
    }
    case 'frame':
    case 'bad-frame':
    case 'proof':
      return hangUp('badHandshake')
    case 'hello-timeout':
      return hangUp('noHello')
    case 'hang-up':
      return hangUp(event.reason)
    case 'gone':
      return to(CLOSED, { type: 'forget' })
    case 'approved':
    case 'denied':
    case 'proof-checked':
      return stay(state)
  }
}

/** Who a client is has been settled, as far as it can be: the one place that leads past the door or to the operator. */
function admit(hello: Hello, early: Early, standing: Standing): Transition {
  switch (standing) {
    case 'trusted':
      return welcome(hello, early)
    case 'unknown':
      return to({ name: 'awaiting-decision', hello, early }, { type: 'ask-operator', hello })
    case 'keyed':
      return hangUp('proofFailed')
    case 'ticketless':
      return hangUp('noTicket')
  }
}

function welcome(hello: Hello, { events }: Early): Transition {
  const takeUp: SessionEffect[] = events.length > 0 ? [{ type: 'take-up', events }] : []
  return to({ name: 'welcomed', hello }, { type: 'welcome' }, ...takeUp)
}

/** The client has said which key it has; it has not shown that it has it. */
function proving(state: Waiting, event: SessionEvent): Transition {
  const isChecking = state.name === 'checking-proof'
  switch (event.type) {
    case 'proof':
      if (isChecking) return hangUp('badHandshake')
      return to({ ...state, name: 'checking-proof' }, { type: 'check-proof', signature: event.signature })
    case 'proof-checked':
      if (!isChecking) return stay(state)
      return event.isValid ? admit(state.hello, state.early, event.standing) : hangUp('proofFailed')
    case 'hello-timeout':
      return isChecking ? stay(state) : hangUp('noHello')
    case 'frame':
    case 'bad-frame':
    case 'hello':
      return beforeWelcome(state, event)
    case 'hang-up':
      return hangUp(event.reason)
    case 'gone':
      return to(CLOSED, { type: 'forget' })
    case 'approved':
    case 'denied':
      return stay(state)
  }
}

/** Only the operator's answer or the client's leaving ends the wait, or a client that does not keep within its limits meanwhile. */
function awaitingDecision(
  state: Extract<SessionState, { name: 'awaiting-decision' }>,
  event: SessionEvent,
): Transition {
  const withdraw: SessionEffect = { type: 'withdraw-question' }
  switch (event.type) {
    case 'approved':
      return welcome(state.hello, state.early)
    case 'denied':
      return to(CLOSED, { type: 'reject' }, { type: 'close', reason: 'denied' })
    case 'frame':
    case 'bad-frame':
    case 'hello':
    case 'proof': {
      const next = beforeWelcome(state, event)
      return next.state.name === 'closed' ? { ...next, effects: [withdraw, ...next.effects] } : next
    }
    case 'hang-up':
      return to(CLOSED, withdraw, { type: 'close', reason: event.reason })
    case 'gone':
      return to(CLOSED, withdraw, { type: 'forget' })
    case 'hello-timeout':
    case 'proof-checked':
      return stay(state)
  }
}

/** Frames wait; flags are those of the moment and take no room. */
function beforeWelcome(
  state: Waiting,
  event: Extract<SessionEvent, { type: 'frame' | 'bad-frame' | 'hello' | 'proof' }>,
): Transition {
  if (event.type === 'hello' || event.type === 'proof') return hangUp('badHandshake')
  if (event.type === 'bad-frame' && (event.t === 'hello' || event.t === 'proof')) return hangUp('badHandshake')
  if (event.type === 'frame' && event.frame.t === 'client:state') {
    return stay({ ...state, hello: withFlags(state.hello, event.frame) })
  }
  const early = keepEarly(state.early, event)
  return early === undefined ? hangUp('badHandshake') : stay({ ...state, early })
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
    case 'proof':
      return to(state, { type: 'send-error', error: 'this session needs no `proof`' })
    case 'hello':
      return hangUp('badHandshake')
    case 'hang-up':
      return hangUp(event.reason)
    case 'gone':
      return to(CLOSED, { type: 'forget' })
    case 'hello-timeout':
    case 'approved':
    case 'denied':
    case 'proof-checked':
      return stay(state)
  }
}

function sendError({ error, t, id }: Extract<SessionEvent, { type: 'bad-frame' }>): SessionEffect {
  if (id === undefined) return { type: 'send-error', error }
  return { type: 'send-error', error, ...defined({ t }), id }
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

// hookline's side of the proof of identity (behaviour 48): signs what it challenges with, and checks what comes back.

/** At most `atOnce` of what it is given is under way; the others wait in order. */
export function createTurns(atOnce: number): <R>(work: () => Promise<R>) => Promise<R> {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((turn) => waiting.push(turn))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** One client's exchange on one socket: its nonce serves once. */
export interface ClientProof {
  challenge(): Promise<Frame<'challenge'>>
  /** Whether the client has the key that its hello named. */
  check(signature: string): Promise<boolean>
}

export interface IdentityProofs {
  /** @returns undefined: the hello's key is not a point of the curve, or there is none */
  begin(hello: Hello, origin: string): ClientProof | undefined
}

/** Signatures are made in Node's thread pool, which files need too: strangers get no more of it than this at once. */
const AT_ONCE = 2

const HASH = 'sha256'
const signAsync = promisify(sign)
const verifyAsync = promisify(verify)

/** @param ownKey undefined while it is not known: no one is let in then */
export function createIdentityProofs(ownKey: () => ListenerKey | undefined): IdentityProofs {
  const inTurn = createTurns(AT_ONCE)
  return {
    begin({ key, nonce, clientId }, origin) {
      const listener = ownKey()
      const publicKey = key === undefined ? undefined : pointOf(key)
      if (!listener || key === undefined || nonce === undefined || publicKey === undefined) return undefined
      const exchange: Exchange = {
        listenerNonce: randomBytes(32).toString('base64url'),
        clientNonce: nonce,
        listenerKey: listener.publicKey,
        clientKey: key,
        clientId,
        origin,
      }
      return {
        async challenge() {
          const signature = await inTurn(() =>
            signAsync(HASH, signedBytes('listener', exchange), inForm(listener.privateKey)),
          )
          const { listenerNonce, listenerKey } = exchange
          return {
            t: 'challenge',
            nonce: listenerNonce,
            key: listenerKey,
            signature: signature.toString('base64url'),
          }
        },
        check: (signature) =>
          inTurn(() =>
            verifyAsync(HASH, signedBytes('client', exchange), inForm(publicKey), Buffer.from(signature, 'base64url')),
          ),
      }
    },
  }
}

function inForm(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' } as const
}

function pointOf(key: string): KeyObject | undefined {
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  if (x === undefined || y === undefined) return undefined
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  } catch {
    // Not on the curve.
    return undefined
  }
}
