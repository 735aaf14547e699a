// Runs on the wire: a hook's output goes to its topic, a client's to that client. Both keep their id for as long as output comes.
import { encodeFrame } from '../protocol/decode.ts'
import type { Frame } from '../protocol/frames.ts'
import type { RunRequest, RunSink } from '../runtime/run.ts'
import type { FanOut } from './fan-out.ts'
import type { Session } from './session.ts'

type RunFrame = Frame<'cmd:output'> | Frame<'cmd:done'>

export interface RunOutputPorts {
  readonly fanOut: FanOut
  /** undefined when the client has gone. */
  sessionOf(run: RunRequest): Pick<Session, 'send'> | undefined
  /** Told before the client is. */
  onDone(run: RunRequest): void
}

export function runOutputSink({ fanOut, sessionOf, onDone }: RunOutputPorts): RunSink {
  const deliver = (run: RunRequest, frame: RunFrame) => {
    if (run.source === 'hook') fanOut.publish('hook-output', encodeFrame(frame))
    else sessionOf(run)?.send(frame)
  }
  /** Nobody is listening: nothing is serialised. */
  const isHeard = ({ source, replyId }: RunRequest) =>
    source === 'hook' ? fanOut.hasSubscribers('hook-output') : replyId !== undefined
  return {
    output(run, kind, text) {
      if (isHeard(run)) deliver(run, { t: 'cmd:output', ...addressOf(run), kind, text })
    },
    done(run, { success, error }) {
      onDone(run)
      const why = error === undefined ? {} : { error }
      if (isHeard(run)) deliver(run, { t: 'cmd:done', ...addressOf(run), success, ...why })
    },
  }
}

function addressOf({ runId, replyId, hookId }: RunRequest): { id: string; hookId?: string } {
  return { id: replyId ?? runId, ...(hookId === undefined ? {} : { hookId }) }
}
