// The engine of `hookline cross-trade run`, in the child of its supervisor: an app without a listener and without a prompt.
import { randomUUID } from 'node:crypto'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { createPrinter } from '../terminal/printer.ts'
import { mayColour } from '../terminal/render.ts'
import { createScreen } from '../terminal/screen.ts'
import { stampLines } from '../terminal/stamped-screen.ts'
import { App } from './app.ts'
import { engineBanner, engineStatus, StatusLines } from './engine-status.ts'
import { EXIT_CODE } from './exit-code.ts'
import type { Notice } from './notice.ts'
import { noticesTo } from './notices.ts'
import { onStopSignal } from './stop-signals.ts'
import { type FromEngine, isStop } from './supervise-engine.ts'

const STATUS_MS = 30_000
/** A line that says nothing new comes as often as that. */
const QUIET_MS = 10 * 60_000

type Say = (notice: Notice) => void

/** Ends the process. Where it only throws, its parent starts it again. */
export async function runEngine({ force }: { readonly force: boolean }): Promise<void> {
  const screen = createScreen({ output: process.stdout })
  const printer = createPrinter(stampLines(screen), mayColour(process.stdout, process.env))
  const say: Say = ({ kind, text }) => printer.print(kind, text)
  const stopAsked = whenAskedToStop()
  let app: App | undefined
  let code: number = EXIT_CODE.failed
  try {
    app = openApp(say)
    await app.start()
    for (const notice of bannerOf(app)) say(notice)
    code = await copy(app, { force, say, stopAsked })
  } catch (error) {
    if (!isRefusal(error)) return crash(error, app, say)
    say({ kind: 'error', text: describeRefusal(error) })
  }
  await app?.stop(0)
  await screen.close()
  await tellParent({ t: 'ending', code })
  process.exit(code)
}

/** A bug: without a word to the parent, which starts another one. What was under way is settled by that. */
function crash(error: unknown, app: App | undefined, say: Say): never {
  if (app === undefined) throw error
  app.log.bug(error)
  say({ kind: 'error', text: 'internal error in the engine; see hookline.log' })
  process.exit(EXIT_CODE.failed)
}

interface Copying {
  readonly force: boolean
  readonly say: Say
  readonly stopAsked: Promise<'stop'>
}

/** @returns the exit code @throws why it could not begin */
async function copy(app: App, { force, say, stopAsked }: Copying): Promise<number> {
  const alone = app.engine.endsAlone()
  await app.engine.start({ force })
  await audit(app, force, say)
  say({ kind: 'success', text: 'the engine copies; Ctrl-C or `cross-trade stop` ends it' })
  const stopTelling = tellStatus(app, say)
  const why = await Promise.race([stopAsked, alone])
  stopTelling()
  if (why !== 'stop') return why === 'asked' ? EXIT_CODE.ok : EXIT_CODE.failed
  say({ kind: 'info', text: 'ending; orders under way are settled first' })
  await app.engine.stop()
  say({ kind: 'info', text: 'the engine has stopped; what copiers hold stays' })
  return EXIT_CODE.ok
}

function openApp(say: Say): App {
  return new App({
    env: process.env,
    listen: 'none',
    drivesTasks: true,
    events: { ...noticesTo(say), question: () => {}, editQuestion: () => {} },
  })
}

/** By a signal, or by its parent; without that nobody would start it again, or end it. */
function whenAskedToStop(): Promise<'stop'> {
  return new Promise((resolve) => {
    const stop = () => resolve('stop')
    onStopSignal(stop)
    // The terminal is gone.
    process.on('SIGHUP', stop)
    process.on('message', (message) => isStop(message) && stop())
    process.on('disconnect', stop)
  })
}

function bannerOf({ ports }: App): readonly Notice[] {
  const { accounts, crossTrade, credentials, version } = ports
  const { vault } = credentials
  return engineBanner({
    version,
    pid: process.pid,
    rows: crossTrade.approved(),
    waiting: crossTrade.waiting(),
    find: accounts.find,
    isLocked: (row) => row.credentials?.from === 'vault' && vault.state() === 'locked' && !vault.mayOpenByFile(),
  })
}

async function audit(app: App, force: boolean, say: Say): Promise<void> {
  try {
    await app.audit.record('cross-trade run', force ? { force } : {}, { source: 'exec', runId: randomUUID() })
  } catch (error) {
    if (!isRefusal(error)) throw error
    say({ kind: 'warn', text: `this start is not in the audit log: ${describeRefusal(error)}` })
  }
}

/** @returns ends it */
function tellStatus(app: App, say: Say): () => void {
  const lines = new StatusLines(QUIET_MS)
  const timer = setInterval(() => {
    const report = app.engine.report()
    const text = report && lines.next(engineStatus(report), performance.now())
    if (text !== undefined) say({ kind: 'info', text })
  }, STATUS_MS)
  return () => clearInterval(timer)
}

function tellParent(message: FromEngine): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve()
    process.send(message, () => resolve())
  })
}
