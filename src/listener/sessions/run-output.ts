// Runs on the wire: a hook's output goes to its topic, a client's to that client. Both keep their id for as long as output comes.
import { WIRE_LIMITS } from '../../protocol/frames.ts'
import type { OutputKind, RunRequest, RunResult, RunSink } from '../../runs/run.ts'
import type { FanOut } from '../topics/fan-out.ts'
import type { Session } from './session.ts'

interface RunOutputPorts {
  readonly fanOut: FanOut
  /** undefined when the client has gone. */
  sessionOf(run: RunRequest): Pick<Session, 'sendText' | 'understands'> | undefined
  /** Puts `<hidden>` in the place of tokens: a variable or an alias may hold one. */
  hide(text: string): string
  /** Told before the client is. */
  onDone(run: RunRequest): void
}

interface RunOutputSink extends RunSink {
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
  const takesBatches = (run: RunRequest) =>
    run.source === 'hook'
      ? fanOut.hasSubscribers('hook-output/batches')
      : sessionOf(run)?.understands('batches') === true
  const sendEnd = (run: RunRequest, result: RunResult, outcome?: string) => {
    batches.end(run)
    if (run.source !== 'hook') {
      if (run.replyId !== undefined) sessionOf(run)?.sendText(encodeEnd(run, result, outcome))
      return
    }
    const [isSubscribed, isBatched] = [
      fanOut.hasSubscribers('hook-output'),
      fanOut.hasSubscribers('hook-output/batches'),
    ]
    if (!isSubscribed && !isBatched) return
    const frame = encodeEnd(run, result, outcome)
    if (isSubscribed) fanOut.publish('hook-output', frame)
    if (isBatched) fanOut.publish('hook-output/batches', frame)
  }
  return {
    output(run, kind, raw) {
      const isOfHook = run.source === 'hook'
      if (!isOfHook && run.replyId === undefined) return
      const text = hide(raw)
      const isBatched = takesBatches(run)
      if (isBatched) batches.add(run, kind, text)
      if (isOfHook && fanOut.hasSubscribers('hook-output')) fanOut.publish('hook-output', encodeOutput(run, kind, text))
      else if (!isOfHook && !isBatched) sessionOf(run)?.sendText(encodeOutput(run, kind, text))
    },
    done(run, result, { outcome }) {
      onDone(run)
      sendEnd(run, result, outcome)
    },
    unbegun: (run, result) => sendEnd(run, result),
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

/** Frames as `encodeFrame` makes them, without an object in between: of each command there are two. */
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

function encodeEnd(
  run: RunRequest,
  { success, error, unbegun, warned }: RunResult,
  outcome: string | undefined,
): string {
  const why = error === undefined ? '' : `,"error":${JSON.stringify(error)}`
  const brought = outcome === undefined ? '' : `,"outcome":${JSON.stringify(outcome)}`
  const mark = warned === undefined ? '' : ',"warned":true'
  const never = unbegun === undefined ? '' : `,"unbegun":"${unbegun}"`
  return `{"t":"cmd:done",${addressOf(run)},"success":${success}${why}${brought}${mark}${never}}`
}

function addressOf({ runId, replyId, hookId }: RunRequest): string {
  const hook = hookId === undefined ? '' : `,"hookId":${JSON.stringify(hookId)}`
  return `"id":${JSON.stringify(replyId ?? runId)}${hook}`
}

// Output for clients that understand batches: of one run a frame at most every 50 ms, the first line at once. A run that prints more than a
// page can show does not fill memory: its oldest lines are left out, and counted.

export interface BatchedLine {
  readonly kind: OutputKind
  readonly text: string
}

/** @param dropped so many before these */
type DeliverBatch = (run: RunRequest, lines: readonly BatchedLine[], dropped: number) => void

/** Of the texts that wait, in UTF-16 units. */
const MAX_LENGTH = 65_536

interface Waiting {
  lines: BatchedLine[]
  length: number
  dropped: number
  readonly timer: NodeJS.Timeout
}

export class OutputBatches {
  readonly #deliver: DeliverBatch
  /** Runs that have printed within the last 50 ms. */
  readonly #waiting = new Map<RunRequest, Waiting>()

  constructor(deliver: DeliverBatch) {
    this.#deliver = deliver
  }

  add(run: RunRequest, kind: OutputKind, text: string): void {
    const waiting = this.#waiting.get(run)
    if (waiting === undefined) {
      this.#deliver(run, [{ kind, text }], 0)
      return this.#pause(run)
    }
    waiting.lines.push({ kind, text })
    waiting.length += text.length
    while (waiting.lines.length > WIRE_LIMITS.batchLines || (waiting.length > MAX_LENGTH && waiting.lines.length > 1)) {
      dropOne(waiting)
    }
  }

  /** What waits of the run goes out now: its end follows. */
  end(run: RunRequest): void {
    const waiting = this.#waiting.get(run)
    if (waiting === undefined) return
    clearTimeout(waiting.timer)
    this.#waiting.delete(run)
    this.#flush(run, waiting)
  }

  stop(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #pause(run: RunRequest): void {
    const timer = setTimeout(() => this.#due(run), WIRE_LIMITS.batchMs).unref()
    this.#waiting.set(run, { lines: [], length: 0, dropped: 0, timer })
  }

  #due(run: RunRequest): void {
    const waiting = this.#waiting.get(run)
    this.#waiting.delete(run)
    if (waiting === undefined || waiting.lines.length === 0) return
    this.#flush(run, waiting)
    this.#pause(run)
  }

  #flush(run: RunRequest, { lines, dropped }: Waiting): void {
    if (lines.length > 0) this.#deliver(run, lines, dropped)
  }
}

/** What only tells goes before what says that something was done, or was not. */
function dropOne(waiting: Waiting): void {
  const plain = waiting.lines.findIndex(({ kind }) => kind === 'print' || kind === 'info')
  const [dropped] = waiting.lines.splice(Math.max(0, plain), 1)
  waiting.length -= dropped?.text.length ?? 0
  waiting.dropped += 1
}
