// `hookline`: the REPL with its listener, on a terminal or fed by a pipe.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Terminal } from '../commands/kit/ports.ts'
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import { ApprovalPrompt } from '../repl/approval-prompt.ts'
import { startRepl } from '../repl/repl.ts'
import { afterStart } from './after-start.ts'
import { App } from './app.ts'
import { completionNames } from './completion-names.ts'
import { EXIT_CODE } from './exit-code.ts'
import { followPrice } from './live-price.ts'
import type { Notice } from './notice.ts'
import { noticesTo, startNotices } from './notices.ts'
import { onStopSignal } from './stop-signals.ts'
import { VERSION } from './version.ts'

export interface InteractiveOptions {
  /** Exit with 1 when a line failed (fed by a pipe). */
  readonly strict: boolean
  /** Print data instead of text. */
  readonly json: boolean
}

export async function startInteractive({ strict, json }: InteractiveOptions): Promise<void> {
  const early: Notice[] = []
  let notify = (notice: Notice): void => void early.push(notice)
  let terminal: Terminal | undefined
  const app: App = new App({
    env: process.env,
    listen: 'attended',
    terminal: () => terminal,
    events: {
      ...noticesTo((notice) => notify(notice)),
      question: (question, waiting, ended) => approvalPrompt.show(question, waiting, ended),
    },
  })
  const approvalPrompt = new ApprovalPrompt({
    print: (kind, text) => notify({ kind, text }),
    answer: (decision) => app.answer(decision),
  })
  const identity = await app.start()
  const price = process.stdin.isTTY ? followPrice(app) : undefined
  const repl = startRepl({
    input: process.stdin,
    output: process.stdout,
    env: process.env,
    json,
    historyFile: join(app.directory, 'history'),
    addSink: (sink) => app.runner.addSink(sink),
    run: (command) => app.runner.run({ runId: randomUUID(), source: 'repl', command }),
    answer: (line) => approvalPrompt.take(line),
    interrupt: () => void app.runner.interrupt(({ source }) => source === 'repl'),
    completion: completionNames(app),
    promptState() {
      const { defaultAccount, defaultSymbol } = app.ports.config.read()
      const last = price?.last()
      return { account: defaultAccount, symbol: defaultSymbol, ...(last === undefined ? {} : { last }) }
    },
  })
  terminal = repl.terminal
  notify = ({ kind, text }) => repl.print(kind, text)
  if (process.stdin.isTTY) notify({ kind: 'info', text: `hookline ${VERSION}; type help for commands, exit to quit` })
  for (const notice of [...early, ...startNotices(app)]) notify(notice)
  const stopWaiting = afterStart(app, identity?.listenerId, notify)
  onStopSignal(() => repl.stop())
  // The terminal is gone. Later signals change nothing.
  process.on('SIGHUP', () => repl.stop())
  const { failedLines } = await repl.closed
  price?.stop()
  stopWaiting()
  const { running } = app.runner.counts()
  if (running > 0) {
    const text = `waiting up to ${LISTENER_LIMITS.drainMs / 1_000} s for ${running} running`
    process.stdout.write(`${json ? JSON.stringify({ type: 'notice', kind: 'info', text }) : text}\n`)
  }
  await app.stop(LISTENER_LIMITS.drainMs)
  process.exit(strict && failedLines > 0 ? EXIT_CODE.failed : EXIT_CODE.ok)
}
