// `hookline listen`: the listener without a prompt, for a service manager. Prints what the REPL would print, line by line.
import { LISTENER_LIMITS } from '../listener/listener-limits.ts'
import { MAX_MIRRORED_LINE, mayColour, mirrorPrefix, renderLines } from '../repl/render.ts'
import { createScreen } from '../repl/screen.ts'
import { type App, createApp } from './app.ts'
import { EXIT_CODE } from './exit-code.ts'
import { listenerNotice, type Notice, startNotices } from './notices.ts'
import { onStopSignal } from './stop-signals.ts'

export async function startHeadless(): Promise<void> {
  const screen = createScreen({ output: process.stdout })
  const coloured = mayColour(process.stdout, process.env)
  const say = ({ kind, text }: Notice) => screen.show(renderLines(kind, text, { coloured }))
  const app = createApp({
    env: process.env,
    listen: true,
    onListener: (event) => say(listenerNotice(event)),
    warn: (text) => say({ kind: 'warn', text }),
  })
  app.runner.addSink({
    output(run, kind, text) {
      const prefix = mirrorPrefix(run)
      screen.mirror(prefix, renderLines(kind, text, { coloured, prefix, maxLength: MAX_MIRRORED_LINE }))
    },
  })
  await app.start()
  for (const notice of startNotices(app)) say(notice)
  // A taken port is retried on an unref'd timer; this process has nothing else that keeps it alive.
  const alive = setInterval(() => {}, 2 ** 30)
  onStopSignal(() => {
    clearInterval(alive)
    void stop(app, screen)
  })
}

async function stop(app: App, screen: { close(): Promise<void> }): Promise<void> {
  await app.stop(LISTENER_LIMITS.drainMs)
  await screen.close()
  process.exit(EXIT_CODE.ok)
}
