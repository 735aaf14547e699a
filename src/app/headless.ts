// `hookline listen`: the listener without a prompt, for a service manager. Prints what the REPL would print, line by line.
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import { isJournal } from '../stores/kernel-files.ts'
import { createPrinter } from '../terminal/printer.ts'
import { mayColour } from '../terminal/render.ts'
import { createScreen } from '../terminal/screen.ts'
import { stampLines } from '../terminal/stamped-screen.ts'
import { afterStart } from './after-start.ts'
import { App } from './app.ts'
import type { Notice } from './app-events.ts'
import { CONSOLE_IN_MS } from './console-server.ts'
import { noticesTo, startNotices } from './notices.ts'
import { EXIT_CODE, onStopSignal } from './this-process.ts'

export async function startHeadless(): Promise<void> {
  const screen = createScreen({ output: process.stdout })
  // The journal has a time for each line.
  const lines = isJournal(process.env) ? screen : stampLines(screen)
  const printer = createPrinter(lines, mayColour(process.stdout, process.env))
  const notify = ({ kind, text }: Notice) => printer.print(kind, text)
  const app = new App({
    env: process.env,
    listen: 'unattended',
    consoleInMs: CONSOLE_IN_MS,
    events: { ...noticesTo(notify), question: () => {}, editQuestion: () => {}, proposal: notify },
  })
  app.runner.addSink(printer.sink)
  const stopAsked = new Promise<void>(onStopSignal)
  const identity = await app.start()
  for (const notice of startNotices(app)) notify(notice)
  afterStart(app, identity?.listenerId, notify)
  // A taken port is retried on an unref'd timer; this process has nothing else that keeps it alive.
  const alive = setInterval(() => {}, 2 ** 30)
  await stopAsked
  clearInterval(alive)
  await app.stop(LISTENER_LIMITS.drainMs)
  await screen.close()
  process.exit(EXIT_CODE.ok)
}
