// Runs on the wire: a hook's output goes to its topic, a client's to that client. Both keep their id for as long as output comes.

import { encodeFrame } from '../../protocol/decode.ts'
import type { OutputKind, RunRequest, RunResult, RunSink } from '../../runs/run.ts'
import type { FanOut } from '../topics/fan-out.ts'
import type { Session } from './session.ts'

export interface RunOutputPorts {
  readonly fanOut: FanOut
  /** undefined when the client has gone. */
  sessionOf(run: RunRequest): Pick<Session, 'sendText'> | undefined
  /** Told before the client is. */
  onDone(run: RunRequest): void
}

export function runOutputSink({ fanOut, sessionOf, onDone }: RunOutputPorts): RunSink {
  const encodeOutput = createOutputEncoder()
  const deliver = (run: RunRequest, frame: string) => {
    if (run.source === 'hook') fanOut.publish('hook-output', frame)
    else sessionOf(run)?.sendText(frame)
  }
  /** Without listeners nothing is serialised. */
  const isHeard = ({ source, replyId }: RunRequest) =>
    source === 'hook' ? fanOut.hasSubscribers('hook-output') : replyId !== undefined
  const tellEnd = (run: RunRequest, { success, error }: RunResult) => {
    const why = error === undefined ? {} : { error }
    if (isHeard(run)) deliver(run, encodeFrame({ t: 'cmd:done', ...addressOf(run), success, ...why }))
  }
  return {
    output(run, kind, text) {
      if (isHeard(run)) deliver(run, encodeOutput(run, kind, text))
    },
    done(run, result) {
      onDone(run)
      tellEnd(run, result)
    },
    unbegun: tellEnd,
  }
}

/** A run's lines differ only in their text, which comes last: from the second line on, what comes before it is kept (quality/bench/fan-out). */
function createOutputEncoder(): (run: RunRequest, kind: OutputKind, text: string) => string {
  let last: { readonly run: RunRequest; readonly kind: OutputKind; head?: string } | undefined
  const encode = (run: RunRequest, kind: OutputKind, text: string) =>
    encodeFrame({ t: 'cmd:output', ...addressOf(run), kind, text })
  return (run, kind, text) => {
    if (last?.run !== run || last.kind !== kind) {
      last = { run, kind }
      return encode(run, kind, text)
    }
    last.head ??= encode(run, kind, '').slice(0, -'""}'.length)
    return `${last.head}${JSON.stringify(text)}}`
  }
}

function addressOf({ runId, replyId, hookId }: RunRequest): { id: string; hookId?: string } {
  return { id: replyId ?? runId, ...(hookId === undefined ? {} : { hookId }) }
}
