// Runs on the wire: a hook's output goes to its topic, a client's to that client. Both keep their id for as long as output comes.

import type { OutputKind, RunRequest, RunResult, RunSink } from '../../runs/run.ts'
import type { FanOut } from '../topics/fan-out.ts'
import { type BatchedLine, OutputBatches } from './output-batches.ts'
import type { Session } from './session.ts'

export interface RunOutputPorts {
  readonly fanOut: FanOut
  /** undefined when the client has gone. */
  sessionOf(run: RunRequest): Pick<Session, 'sendText' | 'understands'> | undefined
  /** Puts `<hidden>` in the place of tokens: a variable or an alias may hold one. */
  hide(text: string): string
  /** Told before the client is. */
  onDone(run: RunRequest): void
}

export interface RunOutputSink extends RunSink {
  /** What waits to be sent together is dropped. */
  stop(): void
}

export function runOutputSink({ fanOut, sessionOf, hide, onDone }: RunOutputPorts): RunOutputSink {
  const encodeOutput = createOutputEncoder()
  const batches = new OutputBatches((run, lines, dropped) => {
    const frame = encodeBatch(run, lines, dropped)
    if (run.source === 'hook') fanOut.publish('hook-output/batches', frame)
    else sessionOf(run)?.sendText(frame)
  })
  /** Without listeners nothing is serialised. */
  const isHeardInBatches = (run: RunRequest) =>
    run.source === 'hook'
      ? fanOut.hasSubscribers('hook-output/batches')
      : sessionOf(run)?.understands('batches') === true
  const tellEnd = (run: RunRequest, result: RunResult) => {
    batches.end(run)
    if (run.source !== 'hook') {
      if (run.replyId !== undefined) sessionOf(run)?.sendText(encodeEnd(run, result))
      return
    }
    const [isHeard, isBatched] = [fanOut.hasSubscribers('hook-output'), fanOut.hasSubscribers('hook-output/batches')]
    if (!isHeard && !isBatched) return
    const frame = encodeEnd(run, result)
    if (isHeard) fanOut.publish('hook-output', frame)
    if (isBatched) fanOut.publish('hook-output/batches', frame)
  }
  return {
    output(run, kind, said) {
      const isOfHook = run.source === 'hook'
      if (!isOfHook && run.replyId === undefined) return
      const text = hide(said)
      const isBatched = isHeardInBatches(run)
      if (isBatched) batches.add(run, kind, text)
      if (isOfHook && fanOut.hasSubscribers('hook-output')) fanOut.publish('hook-output', encodeOutput(run, kind, text))
      else if (!isOfHook && !isBatched) sessionOf(run)?.sendText(encodeOutput(run, kind, text))
    },
    done(run, result) {
      onDone(run)
      tellEnd(run, result)
    },
    unbegun: tellEnd,
    stop: () => batches.stop(),
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

/** The first line as it always was; what came after it within the same 50 ms beside it. */
function encodeBatch(run: RunRequest, [first, ...lines]: readonly BatchedLine[], dropped: number): string {
  if (first === undefined) return ''
  const head = `${outputHead(run, first.kind)}${JSON.stringify(first.text)}`
  const rest = lines.length === 0 ? '' : `,"lines":${JSON.stringify(lines)}`
  return `${head}${rest}${dropped === 0 ? '' : `,"dropped":${dropped}`}}`
}

function encodeEnd(run: RunRequest, { success, error, unbegun }: RunResult): string {
  const why = error === undefined ? '' : `,"error":${JSON.stringify(error)}`
  const never = unbegun === undefined ? '' : `,"unbegun":"${unbegun}"`
  return `{"t":"cmd:done",${addressOf(run)},"success":${success}${why}${never}}`
}

function addressOf({ runId, replyId, hookId }: RunRequest): string {
  const hook = hookId === undefined ? '' : `,"hookId":${JSON.stringify(hookId)}`
  return `"id":${JSON.stringify(replyId ?? runId)}${hook}`
}
