// One `cmd:exec` as its caller sees it: lines as they come, then the result. What it printed is kept for as long as the run is held, so
// that it can be read late, or twice.
import { defined } from '../base/defined.ts'
import type { Frame } from '../protocol/frames.ts'
import { callSafely } from './handlers.ts'
import { type AnswerFrame, type ClientError, type PendingCall, refused } from './pending-calls.ts'

/** One or more lines, without a trailing newline. */
export type OutputLine = Pick<Frame<'cmd:output'>, 'kind' | 'text'>

/**
 * `error`: the first step that failed, or why the command was refused. `outcome`: what the run brought, in one sentence. `warned`: it has
 * succeeded, and has warned of something to look after.
 */
export interface RunResult {
  readonly success: boolean
  readonly error?: string
  readonly outcome?: string
  readonly warned?: boolean
}

/**
 * @example
 * const run = client.exec('buy $250 BTCUSDT')
 * for await (const { kind, text } of run) print(kind, text)
 * const { success } = await run.result
 */
export interface RemoteRun extends AsyncIterable<OutputLine, RunResult> {
  /** Also of its frames. */
  readonly id: string
  /** Rejects with a {@link ClientError}, as the iteration does after the lines that came. */
  readonly result: Promise<RunResult>
}

/** All that a frame of output says, also where it is a batch. */
export function linesOf({ kind, text, lines = [], dropped }: Frame<'cmd:output'>): readonly OutputLine[] {
  const all = [{ kind, text }, ...lines]
  return dropped === undefined ? all : [{ kind: 'info', text: `… ${dropped} lines were left out` }, ...all]
}

export class PendingRun implements RemoteRun, PendingCall {
  readonly id: string
  readonly result: Promise<RunResult>
  readonly #lines: OutputLine[] = []
  readonly #onLateOutput: ((line: OutputLine) => void) | undefined
  #succeed!: (result: RunResult) => void
  #fail!: (error: ClientError) => void
  #isEnded = false
  #wakeReaders = (): void => {}
  #change!: Promise<void>

  constructor(id: string, onLateOutput?: (line: OutputLine) => void) {
    this.id = id
    this.#onLateOutput = onLateOutput
    this.result = new Promise((resolve, reject) => {
      this.#succeed = resolve
      this.#fail = reject
    })
    // A caller that only reads the lines meets the error there; without this it would also be an unhandled rejection.
    this.result.catch(() => {})
    this.#expectChange()
  }

  get canPrintLater(): boolean {
    return this.#onLateOutput !== undefined
  }

  answer(frame: AnswerFrame): boolean {
    switch (frame.t) {
      case 'cmd:output':
        for (const line of linesOf(frame)) this.#print(line)
        return false
      case 'cmd:done':
        this.#succeed({
          success: frame.success,
          ...defined({ error: frame.error, outcome: frame.outcome, warned: frame.warned }),
        })
        this.#end()
        return true
      case 'error':
        this.fail(refused(frame.error))
        return true
      default:
        return false
    }
  }

  fail(error: ClientError): void {
    this.#fail(error)
    this.#end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutputLine, RunResult> {
    let read = 0
    for (;;) {
      const line = this.#lines[read]
      if (line !== undefined) {
        read++
        yield line
      } else if (this.#isEnded) return this.result
      else await this.#change
    }
  }

  #print(line: OutputLine): void {
    if (this.#isEnded) {
      if (this.#onLateOutput) callSafely(this.#onLateOutput, line)
      return
    }
    this.#lines.push(line)
    this.#wakeReaders()
    this.#expectChange()
  }

  #end(): void {
    this.#isEnded = true
    this.#wakeReaders()
  }

  #expectChange(): void {
    this.#change = new Promise((resolve) => {
      this.#wakeReaders = resolve
    })
  }
}
