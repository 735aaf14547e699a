// `hookline`: the REPL with its listener, on a terminal or fed by a pipe.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import { startRepl } from '../repl/repl.ts'
import { createApp } from './app.ts'
import { completionNames } from './completion-names.ts'
import { EXIT_CODE } from './exit-code.ts'
import { followPrice } from './live-price.ts'
import { listenerNotice, type Notice, startNotices } from './notices.ts'
import { onStopSignal } from './stop-signals.ts'

export interface InteractiveOptions {
  /** Exit with 1 when a line failed (fed by a pipe). */
  readonly strict: boolean
}

export async function startInteractive({ strict }: InteractiveOptions): Promise<void> {
  const early: Notice[] = []
  let notify = (notice: Notice): void => void early.push(notice)
  const app = createApp({
    env: process.env,
    listen: true,
    terminal: () => repl?.terminal,
    onListener: (event) => notify(listenerNotice(event)),
    warn: (text) => notify({ kind: 'warn', text }),
  })
  await app.start()
  const price = process.stdin.isTTY ? followPrice(app.services) : undefined
  const repl = startRepl({
    input: process.stdin,
    output: process.stdout,
    env: process.env,
    historyFile: join(app.directory, 'history'),
    addSink: (sink) => app.runner.addSink(sink),
    run: (command) => app.runner.run({ runId: randomUUID(), source: 'repl', command }),
    interrupt: () => void app.runner.interrupt('repl'),
    completion: completionNames(app),
    promptState() {
      const { defaultAccount, defaultSymbol } = app.services.config.read()
      const last = price?.last()
      return { account: defaultAccount, symbol: defaultSymbol, ...(last === undefined ? {} : { last }) }
    },
  })
  notify = ({ kind, text }) => repl.print(kind, text)
  for (const notice of [...early, ...startNotices(app)]) notify(notice)
  onStopSignal(() => repl.stop())
  const { failedLines } = await repl.closed
  price?.stop()
  await app.stop(LISTENER_LIMITS.drainMs)
  process.exit(strict && failedLines > 0 ? EXIT_CODE.failed : EXIT_CODE.ok)
}
