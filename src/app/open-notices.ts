// The notices that leave the terminal (behaviour 50): which events, runs, halts and panics are sent, and how they went. And what the operator is told
// of runs that were stopped, or never began (behaviour 30).

import { isStopCode } from '../authority/stop-table.ts'
import { SerialQueue, type StartTimer, startUnheldTimer } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import { resumeLine } from '../commands/hooks/hook-fire.ts'
import type { Output } from '../commands/kit/command.ts'
import type { ErrorData, ListenerStatus, OrderData } from '../commands/kit/data.ts'
import { printOrderEvent } from '../commands/kit/lines.ts'
import { describePanic } from '../commands/session/panic.ts'
import { isAlert } from '../commands/tasks/task-words.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { isGuardCode } from '../exchange/exchange-error.ts'
import type { KnownMarkets } from '../exchange/market.ts'
import { isForced, isNothingLeft, isTriggerType } from '../exchange/order.ts'
import { hideTokens, printable } from '../language/printable.ts'
import { type Notice, TEXT_LENGTH } from '../notices/notice.ts'
import { Notices } from '../notices/notices.ts'
import type { ChannelSurroundings } from '../notices/open-channel.ts'
import { isOfTask, type RunData, type RunRequest, type RunSink } from '../runs/run.ts'
import { type PausedHook, whyUnbegun } from '../runtime/hook-circuit-breaker.ts'
import type { InterruptedRun } from '../runtime/run-journal.ts'
import type { UnbegunFires } from '../runtime/runner.ts'
import type { ConfigStore } from '../stores/config.ts'
import { fromWhom, type GuardMode, type GuardStore } from '../stores/guards.ts'
import {
  listensIn,
  type NoticeResult,
  type NoticeResultStore,
  type UnsentNotice,
  type UnsentNoticeStore,
} from '../stores/notices.ts'
import type { Panic, PanicStore } from '../stores/panic.ts'
import type { Task } from '../stores/tasks.ts'
import type { TaskReport } from '../tasks/task-port.ts'
import { showTime } from '../trading/figures.ts'
import type { Meanwhile } from '../trading/offline-changes.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { AppEvents, Notice as TerminalNotice } from './app-events.ts'
import type { Log } from './log.ts'
import type { Stores } from './open-stores.ts'
import type { PhoneOptions } from './phone.ts'
import { taskNotice } from './task-work.ts'
import { VERSION } from './this-process.ts'

interface OpenNoticesOptions {
  readonly env: NodeJS.ProcessEnv
  readonly stores: Pick<
    Stores,
    'config' | 'guards' | 'hooks' | 'panic' | 'noticeResults' | 'unsentNotices' | 'chatUpdates'
  >
  readonly credentials: Credentials
  readonly events: AppEvents
  readonly log: Pick<Log, 'bug' | 'writeSeldom'>
  /** undefined: this process does not listen. */
  readonly listenerState: () => ListenerStatus['state'] | undefined
  /** Counts notices, before any channel takes them. */
  readonly onNotice: (notice: Notice) => void
}

export interface NoticeWork {
  readonly port: Notices
  /** The events given; some become notices too. */
  readonly events: AppEvents
  /** Takes what runs do. */
  readonly sink: RunSink
  /** Fires were accepted and ended before they began. */
  readonly unbegun: (fires: UnbegunFires) => void
  /** A hook was paused. */
  readonly paused: (paused: PausedHook) => void
  /** Runs that a crash cut off. */
  interrupted(runs: readonly InterruptedRun[]): void
  /** Notices of halts and panic, and what dead processes left unsent. @param tasks of every process @returns stops them */
  follow(tasks: () => readonly Task[]): () => void
  /** What the operator writes to the bot, while a chat listens. @returns stops it */
  followPhone(runs: PhoneRuns): () => void
  /** What waits is sent in 2 s, or by the next process. */
  close(): Promise<void>
}

const END_MS = 2_000

export function openNotices(options: OpenNoticesOptions): NoticeWork {
  const { stores, events, listenerState, log } = options
  const results = keepNoticeResults(stores.noticeResults, stores.config, (error) =>
    log.writeSeldom('warn', 'the results of notices are not saved', { reason: String(error) }),
  )
  const unsent = keepUnsent(
    stores.unsentNotices,
    () => port.unsent(),
    (error) => log.writeSeldom('warn', 'notices that are not sent yet are not saved', { reason: String(error) }),
  )
  const port: Notices = openPort(options, results, unsent)
  // Of several processes on these files, the one that listens reports what happens on accounts.
  const isMain = () => !['port-taken', undefined].includes(listenerState())
  const ports = { isMain, notify: port.send.bind(port), reported: unsent.reported }
  return {
    port,
    events: withNotices(events, ports),
    sink: runNotices(ports),
    unbegun(fires) {
      const text = describeUnbegun(fires)
      events.warn(text)
      // A limit that skips a fire works as meant, and the operator knows of a stop.
      if (fires.unbegun === 'skipped' || fires.unbegun === 'stopped') return
      port.send({ kind: 'failed-hook', severity: 'warn', text })
    },
    paused(paused) {
      const text = describePaused(paused)
      events.warn(text)
      const severity = paused.pause.by === 'failures' ? 'urgent' : 'info'
      port.send({ kind: 'paused-hook', severity, text, hook: paused.hook.name })
    },
    interrupted(runs) {
      const { length } = runs.filter(({ source }) => source === 'hook')
      if (length === 0) return
      const text = `${length === 1 ? '1 run of a hook was' : `${length} runs of hooks were`} interrupted when hookline stopped; nothing was started again`
      port.send({ kind: 'failed-hook', severity: 'warn', text })
    },
    follow(tasks) {
      const stops = [
        stateNotices({ ...stores, notify: (notice) => isMain() && port.send(notice) }),
        followUnsent({ ...options, isMain, port, tasks }),
      ]
      return () => {
        for (const stop of stops) stop()
      }
    },
    followPhone: (runs) => followPhone(options, runs, isMain),
    async close() {
      await port.close(END_MS)
      await Promise.all([results.close(), unsent.flush()])
    },
  }
}

function openPort(options: OpenNoticesOptions, results: KeptNoticeResults, unsent: KeptUnsent): Notices {
  const { env, stores, credentials, events, log } = options
  return new Notices({
    now: Date.now,
    pause: unheldPause,
    onNotice: options.onNotice,
    warn: events.warn,
    onBug: (error) => log.bug(error),
    onResult: results.note,
    onUnsent: unsent.changed,
    keep: unsent.flush,
    hide: (text) => hideTokens(text, stores.hooks.isSecret),
    settings: () => stores.config.readOncePerTurn().notices,
    async open(channel) {
      const { openChannel } = await import('../notices/open-channel.ts')
      return openChannel(channel, {
        platform: process.platform,
        env,
        version: VERSION,
        now: Date.now,
        readKeys: (owner, place) => credentials.read(owner, place),
      })
    },
  })
}

/** What lines from the phone need of the rest. */
type PhoneRuns = Pick<PhoneOptions, 'run' | 'addSink' | 'focus' | 'isAccount' | 'marketsOf' | 'proposals' | 'audit'>

/** Loads the phone with the first chat that listens: a start without one does not pay for it. */
function followPhone(
  { stores, credentials, events, log }: OpenNoticesOptions,
  runs: PhoneRuns,
  isMain: () => boolean,
): () => void {
  let stop: (() => void) | undefined
  let isStopped = false
  let loading: Promise<void> | undefined
  async function load(): Promise<void> {
    const [phone, { openChat }] = await Promise.all([import('./phone.ts'), import('../notices/open-channel.ts')])
    if (isStopped) return
    const hidden = (text: string) => hideTokens(text, stores.hooks.isSecret)
    const readKeys: ChannelSurroundings['readKeys'] = (owner, place) => credentials.read(owner, place)
    const surroundings = { now: Date.now, pause: unheldPause, readKeys }
    stop = phone.followPhone({
      ...runs,
      config: stores.config,
      updates: stores.chatUpdates,
      isMain,
      now: Date.now,
      hide: hidden,
      openChat: (channel, chatEvents) => openChat(channel, surroundings, chatEvents),
      warn: events.warn,
      log: (error) => log.writeSeldom('warn', 'no reply was sent to the phone', { reason: String(error) }),
    })
  }
  const look = (): void => {
    if (loading !== undefined || !stores.config.readOncePerTurn().notices.channels.some(listensIn)) return
    loading = load().catch((error: unknown) => log.bug(error))
  }
  look()
  const stopWatch = stores.config.watch(look)
  return () => {
    isStopped = true
    stopWatch()
    stop?.()
  }
}

/** A process that has nothing else to do ends meanwhile. */
function unheldPause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stop = startUnheldTimer(ms, end)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

interface EventNoticePorts {
  readonly notify: (notice: Notice) => void
  /** Whether this process reports what happens on accounts: of several, one does. */
  readonly isMain: () => boolean
  /** The report of an alert is given to the channels. Default: no one is told. */
  readonly reported?: (alert: string) => void
}

/** The same events; some become notices as well. */
export function withNotices(events: AppEvents, { notify, isMain, reported }: EventNoticePorts): AppEvents {
  const sendIf = (notice: Notice | undefined): void => {
    if (notice !== undefined) notify(notice)
  }
  return {
    ...events,
    order(account, event, known) {
      events.order(account, event, known)
      for (const notice of noticesOfOrder(account, event, known)) {
        if (isOwnNews(event.type, notice) || isMain()) notify(notice)
      }
    },
    task(report, known) {
      events.task(report, known)
      if (isAlertReport(report.task)) reported?.(report.task.id)
      sendIf(noticeOfTask(report, known))
    },
    meanwhile(account, meanwhile, known) {
      events.meanwhile(account, meanwhile, known)
      if (isMain()) notify(noticeOfMeanwhile(account, meanwhile))
    },
    unfired: (hook, text) => notify({ kind: 'failed-hook', severity: 'warn', text, hook }),
    engine(notice) {
      events.engine?.(notice)
      sendIf(noticeOfEngine(notice))
    },
  }
}

function noticesOfOrder(account: string, event: OrderEvent, known: KnownMarkets): readonly Notice[] {
  const found: Notice[] = []
  const printLine: Output['print'] = (text, data) => {
    const notice = data?.type === 'order' ? orderNotice(text, data, { account }) : undefined
    if (notice !== undefined) found.push(notice)
  }
  const out = { print: printLine, success: printLine, warn: printLine, error: printLine, info: printLine }
  printOrderEvent(event, { name: account, known }, out)
  return found
}

/** A task that is over, waits for a person, or has news: not each of its fills. */
export function noticeOfTask(report: TaskReport, known: KnownMarkets): Notice | undefined {
  const { task } = report
  if (report.type === 'news')
    return { kind: 'task', severity: 'warn', text: taskNotice(report, known).text, account: task.account }
  // Each leaves once; what the operator asks for himself does not.
  if (report.type !== 'status' || report.isElsewhere === true || report.isOwn === true) return undefined
  if (task.status === 'cancelled') return undefined
  if (task.status === 'running' && task.paused !== true) return undefined
  const isQuiet = task.status === 'done' && !isAlert(task)
  const severity = isQuiet ? 'info' : task.status === 'failed' ? 'urgent' : 'warn'
  return { kind: 'task', severity, text: taskNotice(report, known).text, account: task.account }
}

function noticeOfMeanwhile(account: string, { since, fills, ended, positions }: Meanwhile): Notice {
  const counts = [
    count(fills.length, 'order filled', 'orders filled'),
    count(ended.length, 'order ended', 'orders ended'),
  ]
  const changes = count(positions.length, 'position changed', 'positions changed')
  const text = `since the last record of the account, ${showTime(since)} UTC: ${[...counts, changes].join(', ')}`
  return { kind: 'fill', severity: 'warn', text, account }
}

/** What the copier cannot do; what it copies is in the terminal. */
function noticeOfEngine({ kind, text }: TerminalNotice): Notice | undefined {
  if (kind !== 'warn' && kind !== 'error') return undefined
  return { kind: 'task', severity: kind === 'error' ? 'urgent' : 'warn', text: `cross-trade: ${text}` }
}

function count(many: number, one: string, several: string): string {
  return `${many} ${many === 1 ? one : several}`
}

type About = Pick<Notice, 'account' | 'hook'>

/** Fills, stops, and orders whose fate is unknown. @param text as the terminal has it @returns undefined: the terminal is enough */
export function orderNotice(text: string, data: OrderData, about: About): Notice | undefined {
  const weight = weigh(data)
  return weight === undefined ? undefined : { ...weight, text, ...about }
}

/** What only the process that sent the order knows. */
function isOwnNews(event: OrderData['event'], { kind }: Pick<Notice, 'kind'>): boolean {
  return kind === 'unknown-order' || event === 'stop-failed' || event === 'stop-passed'
}

type Weight = Pick<Notice, 'kind' | 'severity'>

function weigh(data: OrderData): Weight | undefined {
  const { event, order, trades = [], changes = [] } = data
  const isStop = order !== undefined && isTriggerType(order.type)
  const causes = [order?.cause, ...trades.map(({ cause }) => cause)]
  if (causes.some(isForced)) return { kind: isStop && trades.length === 0 ? 'stop' : 'fill', severity: 'urgent' }
  switch (event) {
    case 'filled':
    case 'filled-later':
    case 'filled-meanwhile':
      return isStop ? { kind: 'stop', severity: 'warn' } : { kind: 'fill', severity: 'info' }
    case 'elsewhere':
      return weighElsewhere(data, isStop)
    case 'changed-elsewhere':
      return changes.some(({ before }) => isTriggerType(before.type)) ? { kind: 'stop', severity: 'warn' } : undefined
    case 'stop-failed':
    case 'stop-passed':
      return { kind: 'stop', severity: 'urgent' }
    case 'left':
      return { kind: 'stop', severity: 'warn' }
    case 'unknown':
    case 'unsettled':
    case 'change-unknown':
      return { kind: 'unknown-order', severity: 'urgent' }
    case 'settled':
    case 'change-settled':
      return { kind: 'unknown-order', severity: 'warn' }
    case 'ended':
      return weighEnd(data, isStop)
    case 'placed-elsewhere':
    case 'sent':
    case 'rests':
    case 'protected':
    case 'withdrawn':
    case 'still-rests':
    case 'stop-waits':
    case 'offset':
      return undefined
  }
}

function weighElsewhere({ order, trades = [], reason }: OrderData, isStop: boolean): Weight | undefined {
  // A liquidation has a reason.
  if (trades.length > 0 && !isStop) return { kind: 'fill', severity: reason === undefined ? 'info' : 'urgent' }
  if (!isStop) return undefined
  const isGrave = trades.length === 0 && (reason !== undefined || order?.cause === 'trigger-failed')
  return { kind: 'stop', severity: isGrave ? 'urgent' : 'warn' }
}

function weighEnd({ order, outcome }: OrderData, isStop: boolean): Weight | undefined {
  // Of these nothing is without its stop against the operator's will.
  if (outcome === 'flat' || outcome === 'taken-back') return undefined
  if (outcome === undefined && (!isStop || order?.status === 'closed' || isNothingLeft(order?.cause))) return undefined
  return { kind: 'stop', severity: 'urgent' }
}

interface RunNoticePorts {
  readonly notify: (notice: Notice) => void
  /** Whether this process reports what happens on accounts: of several, one does. */
  readonly isMain: () => boolean
}

/**
 * Of runs: failed hooks, orders that a limit refused, fills and stops. The person who typed the line, or clicked for it, reads it there.
 */
export function runNotices({ notify, isMain }: RunNoticePorts): RunSink {
  /** Runs of hooks whose refused order was reported: their end repeats it. */
  const refused = new Set<string>()
  return {
    output(run, _kind, text, data) {
      if (data === undefined) return
      if (isOrder(data)) {
        const notice = orderNotice(text, data, aboutOf(run))
        if (notice !== undefined && isNews(run, data, notice, isMain)) notify(notice)
      } else if (isError(data) && data.code === 'stop-failed') {
        // The entry was placed, and what it opened is without its stop.
        notify({ kind: 'stop', severity: 'urgent', text, ...aboutOf(run) })
      } else if (isError(data) && (isGuardCode(data.code) || isStopCode(data.code)) && run.source === 'hook') {
        refused.add(run.runId)
        notify({ kind: 'guard', severity: 'warn', text: `${nameOf(run)}: ${data.message}`, ...aboutOf(run) })
      }
    },
    done(run, { success, error, cut }) {
      const isReported = refused.delete(run.runId)
      // A halt, a panic and the operator's stop are reported by themselves.
      if (success || cut === true || isReported || run.source !== 'hook') return
      const why = error === undefined ? '' : `: ${error}`
      notify({ kind: 'failed-hook', severity: 'warn', text: `${nameOf(run)} failed${why}`, ...aboutOf(run) })
    },
  }
}

/** A line that a person waits for is read there; a later or grave one is not. */
function isNews(run: RunRequest, { event }: OrderData, notice: Notice, isMain: () => boolean): boolean {
  if (isOwnNews(event, notice)) return true
  // Nobody waits for the line of a hook, nor for one that a task has run.
  return isMain() && (run.source === 'hook' || isOfTask(run) || event !== 'filled')
}

function aboutOf({ account, source, origin }: RunRequest): Pick<Notice, 'account' | 'hook'> {
  return { ...defined({ account }), ...(source === 'hook' && origin !== undefined ? { hook: origin } : {}) }
}

const nameOf = ({ origin }: RunRequest): string => (origin === undefined ? 'a hook' : `hook ${origin}`)

const isOrder = (data: RunData): data is OrderData => data.type === 'order'
const isError = (data: RunData): data is ErrorData => data.type === 'error'

interface StateNoticePorts {
  readonly guards: Pick<GuardStore, 'readAll' | 'list' | 'watch'>
  readonly panic: Pick<PanicStore, 'read' | 'watch'>
  readonly notify: (notice: Notice) => void
}

/** By account; '' is all of them. */
type States = ReadonlyMap<string, GuardMode>

/** Halts and panic, by any process or page. @returns stops the notices */
function stateNotices({ guards, panic, notify }: StateNoticePorts): () => void {
  let panicSince = panic.read()?.since
  const stops = [
    watchStates(guards, notify),
    panic.watch(() => {
      const now = panic.read()
      if (now?.since === panicSince) return
      panicSince = now?.since
      if (now === undefined)
        notify({ kind: 'halt', severity: 'info', text: 'panic is off: hooks and pages can run commands again' })
      else
        notify({ kind: 'halt', severity: 'urgent', text: `panic is on (turned on ${fromWhom(printable(now.by, 80))})` })
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** @param changed gets each state that begins or ends, and its row as it is then @returns stops it */
function watchStates(
  guards: StateNoticePorts['guards'],
  changed: (notice: Notice, account: string, mode: GuardMode) => void,
): () => void {
  let states = readStates(guards)
  return guards.watch(() => {
    const before = states
    states = readStates(guards)
    for (const account of new Set([...before.keys(), ...states.keys()])) {
      const mode = states.get(account) ?? {}
      const notice = changeOf(account, before.get(account), mode)
      if (notice !== undefined) changed(notice, account, mode)
    }
  })
}

function readStates(guards: StateNoticePorts['guards']): States {
  return new Map([['', guards.readAll()], ...guards.list().map((row) => [row.account, row] as const)])
}

function changeOf(account: string, before: GuardMode = {}, now: GuardMode): Notice | undefined {
  const state = now.state ?? 'active'
  if ((before.state ?? 'active') === state) return undefined
  const [who, takes, was, sends] =
    account === '' ? ['all accounts', 'take', 'were', 'send'] : [`account ${account}`, 'takes', 'was', 'sends']
  const by = now.by === undefined ? '' : ` ${fromWhom(printable(now.by, 80))}`
  const about = account === '' ? {} : { account }
  if (state === 'active') return { kind: 'halt', severity: 'info', text: `${who} ${sends} orders again`, ...about }
  const reducing = `${takes} only orders that reduce a position${by === '' ? '' : ` (set${by})`}`
  const text = `${who} ${state === 'halted' ? `${was} halted${by}` : reducing}`
  return { kind: 'halt', severity: 'urgent', text, ...about }
}

/** An alert that has said what it is for. */
const isAlertReport = (task: Task): boolean => task.status === 'done' && isAlert(task)

const AGAIN_AFTER_MS = 250

interface KeptUnsent {
  /** What is unsent is more than before. */
  changed(): void
  /** Resolves once the file has what is unsent now. Never rejects. */
  flush(): Promise<void>
  /** The report of an alert is given to the channels. */
  reported(alert: string): void
}

/** What is not sent yet is in a file before it is sent, so that a kill loses none of it. A flood of notices is written four times a second. */
export function keepUnsent(
  store: Pick<UnsentNoticeStore, 'keep'>,
  unsent: () => readonly UnsentNotice[],
  onProblem: (error: unknown) => void,
): KeptUnsent {
  let alerts: string[] = []
  let kept = '[]'
  let isDue = false
  let isPaused = false
  const writes = new SerialQueue()

  async function write(): Promise<void> {
    isDue = false
    const [notices, given] = [unsent(), alerts]
    const now = JSON.stringify(notices)
    if (now === kept && given.length === 0) return
    alerts = []
    try {
      await store.keep(notices, given)
      kept = now
    } catch (error) {
      alerts = [...given, ...alerts]
      onProblem(error)
    }
  }

  async function flush(): Promise<void> {
    // What one turn tells is one write.
    await Promise.resolve()
    await writes.run(write)
  }

  function changed(): void {
    isDue = true
    if (isPaused) return
    isPaused = true
    void flush()
    startUnheldTimer(AGAIN_AFTER_MS, () => {
      isPaused = false
      if (isDue) changed()
    })
  }

  return {
    changed,
    flush,
    reported(alert) {
      alerts.push(alert)
      changed()
    },
  }
}

/** Once it is known whether this process listens. */
const FIRST_LOOK_MS = 1_000
const LOOK_MS = 5_000
/** A process that still runs has given the report of its alert to the channels by then. */
const REPORTED_AFTER_MS = 10_000

interface UnsentWork extends Pick<OpenNoticesOptions, 'log'> {
  readonly stores: {
    readonly config: Pick<ConfigStore, 'read'>
    readonly unsentNotices: Pick<UnsentNoticeStore, 'takeOver' | 'claim'>
  }
  readonly isMain: () => boolean
  readonly port: Pick<Notices, 'takeOver' | 'send'>
  readonly tasks: () => readonly Task[]
  /** ms since the epoch. Default: this machine's clock. */
  readonly now?: () => number
  /** Default: one that does not keep the process alive. */
  readonly startTimer?: StartTimer
}

/** Sends what a process that has ended left unsent, and the reports of alerts that it did not come to. @returns stops that */
export function followUnsent(work: UnsentWork): () => void {
  const { log, isMain, port, tasks, now = Date.now, startTimer = startUnheldTimer } = work
  const { unsentNotices: store, config } = work.stores
  let isStopped = false

  async function look(): Promise<void> {
    if (!isMain() || config.read().notices.channels.length === 0) return
    const left = await store.takeOver()
    port.takeOver(left.map(({ row, ...rest }) => ({ ...rest, row: { ...row, text: lateText(row.text, row.at) } })))
    const ended = tasks().filter((task) => isAlertReport(task) && now() - task.updatedAt >= REPORTED_AFTER_MS)
    for (const task of await store.claim(ended)) {
      // The reason of an alert has the figures that it was given.
      const notice = noticeOfTask({ type: 'status', task }, () => undefined)
      if (notice !== undefined) port.send({ ...notice, text: lateText(notice.text, task.updatedAt) })
    }
  }

  async function goOn(): Promise<void> {
    await look().catch((error: unknown) =>
      log.writeSeldom('warn', 'unsent notices cannot be read', { reason: String(error) }),
    )
    if (!isStopped) stopTimer = startTimer(LOOK_MS, () => void goOn())
  }

  let stopTimer = startTimer(FIRST_LOOK_MS, () => void goOn())
  return () => {
    isStopped = true
    stopTimer()
  }
}

function lateText(text: string, at: number): string {
  return `${printable(text, TEXT_LENGTH - 40)} (at ${showTime(at)} UTC)`
}

const WRITE_AFTER_MS = 3_000

interface KeptNoticeResults {
  note(channel: string, result: NoticeResult): void
  /** Never rejects. */
  close(): Promise<void>
}

/** Results go to a file every few seconds and at the end: another process may be asked. */
export function keepNoticeResults(
  store: NoticeResultStore,
  config: Pick<ConfigStore, 'read'>,
  onProblem: (error: unknown) => void,
): KeptNoticeResults {
  let waiting = new Map<string, NoticeResult>()
  let stopTimer: (() => void) | undefined
  const writes = new SerialQueue()

  function write(): void {
    stopTimer?.()
    stopTimer = undefined
    if (waiting.size === 0) return
    const results = waiting
    waiting = new Map()
    const known = config.read().notices.channels.map(({ name }) => name)
    writes.run(() => store.note(results, known)).catch(onProblem)
  }

  return {
    note(channel, result) {
      waiting.set(channel, result)
      stopTimer ??= startUnheldTimer(WRITE_AFTER_MS, write)
    },
    async close() {
      write()
      await writes.idle()
    },
  }
}

/** Panic that another process begins or ends is told here too; who types it reads it anyway. @returns stops telling */
export function reportPanic(
  panic: Pick<PanicStore, 'read' | 'changedBy' | 'watch'>,
  notify: (text: string) => void,
): () => void {
  let since = panic.read()?.since
  return panic.watch(() => {
    const now = panic.read()
    if (now?.since === since) return
    since = now?.since
    if (panic.changedBy() === process.pid) return
    notify(now === undefined ? 'panic is off: hooks and pages can run commands again' : panicNotice(now))
  })
}

/** As of panic: halts, limits that were hit, and their ends. @returns stops the reports */
export function reportHalts(
  guards: Pick<GuardStore, 'readAll' | 'list' | 'isOwn' | 'watch'>,
  notify: (text: string) => void,
): () => void {
  return watchStates(guards, ({ text }, account, mode) => {
    if (guards.isOwn(account === '' ? undefined : account, mode)) return
    const isOver = (mode.state ?? 'active') === 'active'
    notify(`${printable(text, 200)}${isOver ? '' : '; type `resume` to end it'}`)
  })
}

/** What a start says as well. */
export function panicNotice(panic: Panic): string {
  return `${describePanic(panic)}: hooks and pages run nothing; type \`resume\` to end it`
}

/** `hook dip is paused: its last 5 runs failed; …` */
function describePaused({ hook, pause, unkept }: PausedHook): string {
  const name = printable(hook.name, 64)
  const what = `hook ${name} is paused: ${printable(pause.why ?? pause.by, 200)}`
  const kept = unkept === undefined ? '' : `, and hooks.json does not have it: ${describeUnkept(unkept)}`
  const next = pause.by === 'failures' ? 'see `runs --failed`, then ' : ''
  return `${what}${kept}; ${next}\`${resumeLine(hook)}\` lets it run again`
}

function describeUnkept(error: unknown): string {
  return error instanceof Error ? printable(error.message, 200) : 'it could not be written'
}

const SHOWN_HOOKS = 5

/** `hook dip skipped 1 fire: cooldown of 1m`, `412 fires were skipped: 400 of hook dip, 12 of hook flat; expired: they waited longer than 30s`. */
function describeUnbegun(fires: UnbegunFires): string {
  const { error, counts } = fires
  const byCount = [...counts].sort(([, a], [, b]) => b - a)
  const total = byCount.reduce((sum, [, count]) => sum + count, 0)
  const shown = byCount.slice(0, SHOWN_HOOKS).map(([name, count]) => `${count} of hook ${printable(name, 40)}`)
  const others = byCount.length - shown.length
  const hooks = [...shown, ...(others > 0 ? [`the rest of ${others} more`] : [])].join(', ')
  const [only] = byCount
  if (only !== undefined && byCount.length === 1) {
    return `hook ${printable(only[0], 40)} skipped ${total === 1 ? '1 fire' : `${total} fires`}: ${whyUnbegun(fires)}`
  }
  return `${total} fires were skipped: ${hooks}; ${error}`
}
