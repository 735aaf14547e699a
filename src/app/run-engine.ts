// The engine of `hookline cross-trade run`, in the child of its supervisor: an app without a listener and without a prompt.
import { randomUUID } from 'node:crypto'
import { describeRow, describeWaiting, shortId } from '../commands/cross-trade/row-words.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import type { EngineReport } from '../cross-trade/engine-port.ts'
import { checkRows } from '../cross-trade/rows-check.ts'
import { findVenue } from '../exchanges/venues.ts'
import { printable } from '../language/printable.ts'
import { type AccountRow, isDemo } from '../stores/accounts.ts'
import type { CrossTradeConfig } from '../stores/cross-trade.ts'
import { createPrinter } from '../terminal/printer.ts'
import { mayColour } from '../terminal/render.ts'
import { createScreen } from '../terminal/screen.ts'
import { stampLines } from '../terminal/stamped-screen.ts'
import { App } from './app.ts'
import type { Notice } from './app-events.ts'
import { noticesTo } from './notices.ts'
import { type FromEngine, isStop } from './supervise-engine.ts'
import { EXIT_CODE, onStopSignal } from './this-process.ts'

const STATUS_MS = 30_000
/** A line that says nothing new comes as often as that. */
const QUIET_MS = 10 * 60_000

type Notify = (notice: Notice) => void

/** Ends the process. Where it only throws, its parent starts it again. */
export async function runEngine({ force }: { readonly force: boolean }): Promise<void> {
  const screen = createScreen({ output: process.stdout })
  const printer = createPrinter(stampLines(screen), mayColour(process.stdout, process.env))
  const notify: Notify = ({ kind, text }) => printer.print(kind, text)
  const stopAsked = whenAskedToStop()
  let app: App | undefined
  let code: number = EXIT_CODE.failed
  try {
    app = openApp(notify)
    await app.start()
    for (const notice of bannerOf(app)) notify(notice)
    code = await copy(app, { force, notify, stopAsked })
  } catch (error) {
    if (!isRefusal(error)) return crash(error, app, notify)
    notify({ kind: 'error', text: describeRefusal(error) })
  }
  await app?.stop(0)
  await screen.close()
  await notifyParent({ t: 'ending', code })
  process.exit(code)
}

/** A bug: without a word to the parent, which starts another one. What was under way is settled by that. */
function crash(error: unknown, app: App | undefined, notify: Notify): never {
  if (app === undefined) throw error
  app.log.bug(error)
  notify({ kind: 'error', text: 'internal error in the engine; see hookline.log' })
  process.exit(EXIT_CODE.failed)
}

interface Copying {
  readonly force: boolean
  readonly notify: Notify
  readonly stopAsked: Promise<'stop'>
}

/** @returns the exit code @throws why it could not begin */
async function copy(app: App, { force, notify, stopAsked }: Copying): Promise<number> {
  const alone = app.engine.endsAlone()
  await app.engine.start({ force })
  await audit(app, force, notify)
  notify({ kind: 'success', text: 'the engine copies; Ctrl-C or `cross-trade stop` ends it' })
  const stopReporting = reportStatus(app, notify)
  const why = await Promise.race([stopAsked, alone])
  stopReporting()
  if (why !== 'stop') return why === 'asked' ? EXIT_CODE.ok : EXIT_CODE.failed
  notify({ kind: 'info', text: 'ending; orders under way are settled first' })
  await app.engine.stop()
  notify({ kind: 'info', text: 'the engine has stopped; copiers keep their positions' })
  return EXIT_CODE.ok
}

function openApp(notify: Notify): App {
  return new App({
    env: process.env,
    listen: 'none',
    drivesTasks: true,
    events: { ...noticesTo(notify), question: () => {}, editQuestion: () => {} },
  })
}

/** By a signal, or by its parent; without that no one would start it again, or end it. */
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

async function audit(app: App, force: boolean, notify: Notify): Promise<void> {
  try {
    await app.audit.record('cross-trade run', force ? { force } : {}, { source: 'exec', runId: randomUUID() })
  } catch (error) {
    if (!isRefusal(error)) throw error
    notify({ kind: 'warn', text: `this start is not in the audit log: ${describeRefusal(error)}` })
  }
}

/** @returns ends it */
function reportStatus(app: App, notify: Notify): () => void {
  const lines = new StatusLines(QUIET_MS)
  const timer = setInterval(() => {
    const report = app.engine.report()
    const text = report && lines.next(engineStatus(report), performance.now())
    if (text !== undefined) notify({ kind: 'info', text })
  }, STATUS_MS)
  return () => clearInterval(timer)
}

function notifyParent(message: FromEngine): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve()
    process.send(message, () => resolve())
  })
}

/** For the first lines of `hookline cross-trade run`. */
interface BannerFacts {
  readonly version: string
  readonly pid: number
  /** As they may copy. */
  readonly rows: readonly CrossTradeConfig[]
  /** What of them waits for a yes at the terminal, by their ids. */
  readonly waiting?: ReadonlyMap<string, readonly string[]>
  readonly find: (account: string) => AccountRow | undefined
  /** Whether its keys are in the vault, and that is locked. */
  readonly isLocked: (row: AccountRow) => boolean
}

export function engineBanner({ version, pid, rows, waiting, find, isLocked }: BannerFacts): readonly Notice[] {
  const enabled = rows.filter((row) => row.enabled)
  const off = rows.length - enabled.length
  const accounts = accountsOf(enabled)
  const head = `hookline ${version} cross-trade, pid ${pid}: ${countOf(enabled.length, 'row')} on, ${off} off`
  const problems = checkRows(rows, (name) => find(name) !== undefined)
  const whyNot = (row: CrossTradeConfig) => problems.find(({ configId }) => configId === row.id)?.why
  return [
    { kind: 'info', text: head },
    ...enabled.map((row): Notice => {
      const why = whyNot(row)
      if (why === undefined) return { kind: 'info', text: describeRow(row) }
      return { kind: 'warn', text: `${describeRow(row)} is not copied: ${printable(why, 160)}` }
    }),
    ...rows.flatMap((row): Notice[] => {
      const what = waiting?.get(row.id)
      if (what === undefined) return []
      return [
        {
          kind: 'warn',
          text: `${describeRow(row)} ${describeWaiting(what)}: \`cross-trade enable ${shortId(row.id)}\``,
        },
      ]
    }),
    ...(accounts.length === 0 ? [] : [{ kind: 'info', text: describeMoney(accounts, find) } as const]),
    ...accounts.flatMap((name) => lockedNotice(find(name), isLocked)),
    ...(enabled.length === 0 ? [NOTHING_ON] : []),
  ]
}

const NOTHING_ON: Notice = {
  kind: 'warn',
  text: 'no row is on, so nothing is copied yet; `hookline cross-trade enable <id>` turns one on, and this engine follows',
}

/** `paper and swing are paper accounts; main trades real money on bybit`. */
function describeMoney(names: readonly string[], find: BannerFacts['find']): string {
  const words = names.map((name) => {
    const row = find(name)
    const shown = printable(name, 40)
    if (row === undefined) return `${shown} is not an account`
    if (row.exchange === 'paper') return `${shown} is a paper account`
    const venue = printable(findVenue(row.exchange)?.name ?? row.exchange, 32)
    return isDemo(row) ? `${shown} is for practice on ${venue}` : `${shown} trades REAL money on ${venue}`
  })
  return words.join('; ')
}

function lockedNotice(row: AccountRow | undefined, isLocked: BannerFacts['isLocked']): readonly Notice[] {
  if (row === undefined || !isLocked(row)) return []
  const text =
    `the vault with the keys of account ${printable(row.name, 40)} is locked, and this process has no terminal to ask at: ` +
    'set HOOKLINE_VAULT_PASSPHRASE_FILE and start it again, or type `vault unlock` and `cross-trade start` at the prompt'
  return [{ kind: 'warn', text }]
}

/** `3 copiers: 2 in step, 1 blocked`. */
export function engineStatus({ configs, copiers }: EngineReport): string {
  const rows = countOf(configs.filter(({ enabled }) => enabled).length, 'row')
  if (copiers.length === 0) return `${rows}, and no copier has anything to do`
  const counts = new Map<string, number>()
  for (const { state } of copiers) counts.set(state, (counts.get(state) ?? 0) + 1)
  const states = [...counts].map(([state, count]) => `${count} ${state.replaceAll('-', ' ')}`)
  return `${rows}, ${countOf(copiers.length, 'copier')}: ${states.join(', ')}`
}

/** A status line when it changed, and one after `quietMs` without, so that a log shows a living engine. */
export class StatusLines {
  readonly #quietMs: number
  #last = ''
  #at = Number.NEGATIVE_INFINITY

  constructor(quietMs: number) {
    this.#quietMs = quietMs
  }

  /** @returns undefined: nothing new */
  next(text: string, now: number): string | undefined {
    if (text === this.#last && now - this.#at < this.#quietMs) return undefined
    this.#last = text
    this.#at = now
    return text
  }
}

function accountsOf(rows: readonly CrossTradeConfig[]): readonly string[] {
  const names = rows.flatMap(({ masterAccount, copiers }) => [masterAccount, ...copiers.map(({ account }) => account)])
  return [...new Set(names)]
}

function countOf(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`
}
