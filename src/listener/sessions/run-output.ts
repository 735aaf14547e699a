// Runs on the wire: a hook's output goes to its topic, a client's to that client. Both keep their id for as long as output comes.

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
  const tellEnd = (run: RunRequest, result: RunResult) => {
    if (isHeard(run)) deliver(run, encodeEnd(run, result))
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
  return (run, kind, text) => {
    if (last?.run !== run || last.kind !== kind) {
      last = { run, kind }
      return encodeOutput(run, kind, text)
    }
    last.head ??= outputHead(run, kind)
    return `${last.head}${JSON.stringify(text)}}`
  }
}

// Frames as `encodeFrame` makes them, without an object in between: of each command there are two.

function outputHead(run: RunRequest, kind: OutputKind): string {
  return `{"t":"cmd:output",${addressOf(run)},"kind":"${kind}","text":`
}

function encodeOutput(run: RunRequest, kind: OutputKind, text: string): string {
  return `${outputHead(run, kind)}${JSON.stringify(text)}}`
}

function encodeEnd(run: RunRequest, { success, error }: RunResult): string {
  const why = error === undefined ? '' : `,"error":${JSON.stringify(error)}`
  return `{"t":"cmd:done",${addressOf(run)},"success":${success}${why}}`
}

function addressOf({ runId, replyId, hookId }: RunRequest): string {
  const hook = hookId === undefined ? '' : `,"hookId":${JSON.stringify(hookId)}`
  return `"id":${JSON.stringify(replyId ?? runId)}${hook}`
}
