// Calls under way: id → who waits for the answer. Every one of them settles: by its answer, or when the connection ends. Nothing is
// ever sent a second time from here.
import type { Frame, ServerFrame } from '../protocol/frames.ts'
import { ClientError } from './client-error.ts'

/** Frames that belong to a call by their `id`. */
export type AnswerFrame =
  | Frame<'cmd:output'>
  | Frame<'cmd:done'>
  | Frame<'preview:ok'>
  | Frame<'preview:err'>
  | Frame<'mutate:ack'>
  | Frame<'mutate:err'>
  | Frame<'runs:page'>
  | Frame<'runs:run'>
  | Frame<'fills:page'>
  | Frame<'equity:page'>
  | Frame<'pnl:page'>
  | Frame<'complete:ok'>
  | Frame<'hooks:day'>
  | Frame<'copies:page'>
  | Frame<'copy:checked'>
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
    'look at what became of it (orders, positions, hooks) before you send it again',
  )
}

export function notConnected(): ClientError {
  return new ClientError(
    'not-connected',
    'not-sent',
    'hookline is not connected; nothing was sent',
    'wait for the state `welcomed`, then send it again',
  )
}

export function refused(error: string): ClientError {
  return new ClientError('refused', 'sent', error)
}
