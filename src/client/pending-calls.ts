// Calls under way: id → who waits for the answer. Every one of them settles: by its answer, or when the connection ends. Nothing is
// ever sent a second time from here.
import { CodedError } from '../base/coded-error.ts'
import { defined } from '../base/defined.ts'
import type { AnswerTo } from '../protocol/desk-frames.ts'
import type { Frame, ServerFrame } from '../protocol/frames.ts'
import type { Preview } from '../protocol/preview.ts'

/** Frames that belong to a call by their `id`. */
export type AnswerFrame =
  | Frame<'cmd:output'>
  | Frame<'cmd:done'>
  | Frame<'preview:ok'>
  | Frame<'preview:err'>
  | Frame<'mutate:ack'>
  | Frame<'mutate:err'>
  | AnswerTo
  | (Frame<'error'> & { readonly id: string })

export interface PendingCall {
  /** Whether frames after its end are still for it: output of work that outlives its command. */
  readonly canPrintLater: boolean
  /** @returns whether that was the end of the answer */
  answer(frame: AnswerFrame): boolean
  fail(error: ClientError): void
}

/** More than anybody follows at once; the call that ended first is given up first. */
const MAX_ENDED = 1_000

export class PendingCalls {
  readonly #calls = new Map<string, PendingCall>()
  readonly #ended = new Map<string, PendingCall>()

  add(id: string, call: PendingCall): void {
    this.#calls.set(id, call)
  }

  /** For a call that could not be sent: its caller has been told in another way. */
  forget(id: string): void {
    this.#calls.delete(id)
  }

  /** Frames that answer no call are none of ours. */
  take(frame: ServerFrame): void {
    if (!isAnswer(frame)) return
    const call = this.#calls.get(frame.id)
    if (call === undefined) this.#ended.get(frame.id)?.answer(frame)
    else if (call.answer(frame)) this.#end(frame.id, call)
  }

  /** Its answer came and cannot be read. Output may be missing a line; anything else was the answer. */
  unreadable(id: string, t: string, error: string): void {
    const call = t === 'cmd:output' ? undefined : this.#calls.get(id)
    if (call === undefined) return
    this.#calls.delete(id)
    call.fail(new ClientError('unreadable', 'sent', `the answer of hookline cannot be read: ${error}`))
  }

  /** The connection ended. All that is here was sent: what was not, failed at once and never came here. */
  settleAll(): void {
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    this.#ended.clear()
    for (const call of calls) call.fail(connectionLost())
  }

  #end(id: string, call: PendingCall): void {
    this.#calls.delete(id)
    if (!call.canPrintLater) return
    this.#ended.set(id, call)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
  }
}

function isAnswer(frame: ServerFrame): frame is AnswerFrame {
  return 'id' in frame && frame.id !== undefined
}

function connectionLost(): ClientError {
  return new ClientError(
    'connection-lost',
    'sent',
    'the connection to hookline ended before the answer; the call was sent and may have been carried out',
    { hint: 'look at what became of it (orders, positions, hooks) before you send it again' },
  )
}

export function notConnected(): ClientError {
  return new ClientError('not-connected', 'not-sent', 'hookline is not connected; nothing was sent', {
    hint: 'wait for the state `welcomed`, then send it again',
  })
}

export function refused(error: string, reason?: string): ClientError {
  return new ClientError('refused', 'sent', error, { reason })
}

// How a call to hookline fails. The word that matters to a trader is `delivery`: only `not-sent` is safe to send again unread.

/** `sent`: hookline may have it and may have acted on it. `not-sent`: it never left, and never will by itself. */
export type Delivery = 'sent' | 'not-sent'

export type ClientErrorCode =
  /** No hookline is connected that has welcomed this client. Always `not-sent`. */
  | 'not-connected'
  /** The connection ended before the answer came. Always `sent`. */
  | 'connection-lost'
  /** The call has a field that the wire does not take. Always `not-sent`. */
  | 'invalid-call'
  /** The answer is none that this client can read. Always `sent`. */
  | 'unreadable'
  /** A later preview took its place. Nothing was run. */
  | 'superseded'
  /** hookline answered that it will not. Nothing was changed or run. */
  | 'refused'

export class ClientError extends CodedError<ClientErrorCode> {
  override readonly name = 'ClientError'
  readonly delivery: Delivery
  /** The code of hookline's refusal, where it has one. */
  readonly reason: string | undefined
  constructor(
    code: ClientErrorCode,
    delivery: Delivery,
    message: string,
    { hint, reason }: { readonly hint?: string; readonly reason?: string | undefined } = {},
  ) {
    super(code, message, defined({ hint }))
    this.delivery = delivery
    this.reason = reason
  }
}

// A call with one answer, as its caller sees it: a promise.

/** What a frame makes of the call: its value, why there is none, or undefined where it is not the answer. */
type Outcome<T> = { readonly value: T } | { readonly error: ClientError } | undefined

export class PendingAnswer<T> implements PendingCall {
  readonly canPrintLater = false
  /** Rejects with a {@link ClientError}. */
  readonly answered: Promise<T>
  readonly #read: (frame: AnswerFrame) => Outcome<T>
  #succeed!: (value: T) => void
  #fail!: (error: ClientError) => void

  /** @param read is not asked of an `error`, which ends every call */
  constructor(read: (frame: AnswerFrame) => Outcome<T>) {
    this.#read = read
    this.answered = new Promise((resolve, reject) => {
      this.#succeed = resolve
      this.#fail = reject
    })
  }

  answer(frame: AnswerFrame): boolean {
    const outcome = frame.t === 'error' ? { error: refused(frame.error, frame.code) } : this.#read(frame)
    if (outcome === undefined) return false
    if ('error' in outcome) this.fail(outcome.error)
    else this.#succeed(outcome.value)
    return true
  }

  fail(error: ClientError): void {
    this.#fail(error)
  }
}

// One `mutate:*` as its caller sees it: `mutate:ack.data`.

export type MutateFrame = Frame<'mutate:hook'> | Frame<'mutate:account'> | Frame<'mutate:cross-trade-config'>

export function pendingMutation(): PendingAnswer<unknown> {
  return new PendingAnswer(readMutation)
}

function readMutation(frame: AnswerFrame): Outcome<unknown> {
  if (frame.t === 'mutate:ack') return { value: frame.data }
  return frame.t === 'mutate:err' ? { error: refused(frame.error) } : undefined
}

/** One `preview` as its caller sees it: what the line would do. */
export function pendingPreview(): PendingAnswer<Preview> {
  return new PendingAnswer(readPreview)
}

function readPreview(frame: AnswerFrame): Outcome<Preview> {
  if (frame.t === 'preview:ok') return { value: frame.preview }
  if (frame.t !== 'preview:err') return undefined
  const { code, error } = frame
  return { error: code === 'superseded' ? new ClientError('superseded', 'sent', error) : refused(error) }
}
