// One line, run as a person would run it, and what it said.
import { randomUUID } from 'node:crypto'
import { defined } from '../../src/base/defined.ts'
import { errorData, isRefusal } from '../../src/commands/kit/errors.ts'
import { MAX_STEPS, tooManySteps } from '../../src/commands/kit/running.ts'
import { LanguageError } from '../../src/language/language-error.ts'
import { parseChain } from '../../src/language/parse.ts'
import type { RunData, RunRequest, Source } from '../../src/runs/run.ts'
import { executeLine } from '../../src/runtime/execute-chain.ts'
import { interrupted, type LiveRun, type RunEnvironment } from '../../src/runtime/run-context.ts'
import { refusalLine } from './refusal-line.ts'

/** One line under way. `lines` grows while it runs, and after it while something it placed goes on. */
export interface StartedRun {
  /** `success bought …`; a refusal as `error <code>: <message> | <hint>`. */
  readonly lines: string[]
  /** What was said to programs. */
  readonly data: RunData[]
  /** Codes of refusals after a question that was answered with no. */
  readonly declined: string[]
  /** The columns that refusals pointed at. */
  readonly columns: number[]
  /** True when every step succeeded. */
  readonly done: Promise<boolean>
  /** True once `done` is settled. */
  ended: boolean
  readonly abort: () => void
}

export interface RunOptions
  extends Pick<RunRequest, 'origin' | 'hookId' | 'clientId' | 'pageOrigin' | 'proposal' | 'onWait'> {
  readonly source?: Source
  readonly account?: string
  readonly symbol?: string
}

export function startRun(line: string, environment: RunEnvironment, options: RunOptions): StartedRun {
  const { focus } = environment.ports
  const lines: string[] = []
  const columns: number[] = []
  const data: RunData[] = []
  const declined: string[] = []
  let orders = 0
  let steps = 0
  const controller = new AbortController()
  const request: RunRequest = {
    runId: randomUUID(),
    source: options.source ?? 'repl',
    command: line,
    ...defined({
      origin: options.origin,
      hookId: options.hookId,
      clientId: options.clientId,
      pageOrigin: options.pageOrigin,
      proposal: options.proposal,
      account: options.account,
      onWait: options.onWait,
    }),
  }
  const run: LiveRun = {
    request,
    runId: request.runId,
    source: request.source,
    accountName: options.account ?? focus.account(),
    symbol: options.symbol ?? focus.symbol(),
    signal: controller.signal,
    get isAborted() {
      return controller.signal.aborted
    },
    whyEnded: () => undefined,
    admitted: () => '',
    beginStep() {
      if (controller.signal.aborted) throw interrupted()
      steps += 1
      if (steps > MAX_STEPS) throw tooManySteps()
    },
    emit(kind, text, said) {
      lines.push(...text.split('\n').map((each) => `${kind} ${each}`))
      if (said !== undefined) data.push(said)
    },
    failStep({ error, summary, isDeclined }) {
      if (isDeclined === true && isRefusal(error)) declined.push(error.code)
      data.push(errorData(summary, error))
      lines.push(isRefusal(error) ? refusalLine(error) : `error ${summary}`)
      if (error instanceof LanguageError) columns.push(error.column)
    },
    recover: () => {},
    reportBug(error) {
      throw error
    },
    nextOrderStep: () => orders++,
    noteOrder: () => {},
    noteStep: () => {},
  }
  const done = Promise.resolve(executeLine(line, parseChain, { run, environment }))
  const started: StartedRun = { lines, columns, data, declined, done, ended: false, abort: () => controller.abort() }
  const markEnded = () => {
    started.ended = true
  }
  done.then(markEnded, markEnded)
  return started
}
