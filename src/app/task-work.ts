// The tasks of this process: loaded after the start, or by the first command that wants them, so that no start waits for them.

import { randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import { fillLine } from '../commands/kit/lines.ts'
import {
  filledOf,
  isAlert,
  isUnderWay,
  shortTaskId,
  stateOf,
  taskName,
  tradedOf,
} from '../commands/tasks/task-words.ts'
import type { KnownMarkets, Market } from '../exchange/market.ts'
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import type { Runner } from '../runtime/runner.ts'
import type { GuardStore } from '../stores/guards.ts'
import type { HookStore } from '../stores/hooks.ts'
import type { PanicStore } from '../stores/panic.ts'
import { MIN_PREFIX_LENGTH } from '../stores/rows.ts'
import { faultsOf, type Task, type TaskStore, type TasksDriverStore } from '../stores/tasks.ts'
import type { AskedBy, ReportTask, TaskPort, TaskReport } from '../tasks/task-port.ts'
import type { TaskRecord } from '../tasks/task-record.ts'
import type { TaskSupervisor, TaskSupervisorPorts } from '../tasks/task-supervisor.ts'
import type { Clock } from '../trading/clock.ts'
import type { AppEvents, Notice } from './app-events.ts'
import type { Connections } from './connections.ts'
import type { Log } from './log.ts'
import { describeTaskJournalProblem } from './warnings.ts'

interface TaskWorkOptions {
  readonly directory: string
  readonly clock: Clock
  readonly stores: {
    readonly tasks: TaskStore
    readonly tasksDriver: TasksDriverStore
    readonly guards: GuardStore
    readonly panic: PanicStore
    readonly hooks: HookStore
  }
  readonly connect: Connections['connect']
  readonly marketsOf: Connections['marketsOf']
  /** Whether this process lives long enough to drive tasks. */
  readonly mayDrive: boolean
  /** Why what was begun so may add no more. Default: nothing ends it. */
  readonly whyEnded?: (by: AskedBy) => string | undefined
  /** Runs a line that a task wants run. */
  readonly runLine?: TaskSupervisorPorts['runLine']
  /** Fires a hook whose condition or time has come. @returns why the fire is lost; undefined: the hook has it */
  readonly fireHook: NonNullable<TaskSupervisorPorts['triggers']>['fire']
  readonly events: Pick<AppEvents, 'task' | 'unfired' | 'warn'>
  readonly log: Pick<Log, 'bug'>
}

export interface TaskWork {
  readonly port: TaskPort
  /** From soon on this process drives what is to be driven. Resolves when it has taken up what goes on, or has failed to. */
  start(): Promise<void>
  /** The process ends soon: nothing that adds is placed any more. */
  beginStopping(): Promise<void>
  stop(): Promise<void>
}

/** What a start does first comes first. */
const START_AFTER_MS = 300

export function createTaskWork(options: TaskWorkOptions): TaskWork {
  const { stores, mayDrive, events, log } = options
  const problem = (error: unknown) => reportTaskProblem(error, { warn: events.warn, log })
  let loading: Promise<TaskSupervisor> | undefined
  let loaded: TaskSupervisor | undefined
  const timers = new Set<NodeJS.Timeout>()
  const report: ReportTask = (event) => {
    events.task(event, options.marketsOf(event.task.account))
  }
  const begun = new BegunTasks(() => stores.tasks.list(), report)

  async function load(): Promise<TaskSupervisor> {
    const [{ LOOK_EVERY_MS, TaskSupervisor }, { TASK_KINDS }, { openTaskJournal }, { openTriggerJournal }] =
      await Promise.all([
        import('../tasks/task-supervisor.ts'),
        import('../tasks/kinds.ts'),
        import('../tasks/task-journal.ts'),
        import('../tasks/hook-triggers.ts'),
      ])
    const { clock, connect, directory, whyEnded, runLine, fireHook } = options
    const supervisor = new TaskSupervisor({
      clock,
      connect,
      report,
      problem,
      mayDrive,
      kinds: TASK_KINDS,
      guards: stores.guards,
      panic: stores.panic,
      lease: stores.tasksDriver,
      rows: stores.tasks,
      ...defined({ whyEnded, runLine }),
      triggers: {
        hooks: stores.hooks,
        journal: openTriggerJournal(directory),
        fire: fireHook,
        report({ name }, text, isNote) {
          const line = `hook ${printable(name, 60)}: ${printable(text, 400)}`
          events.warn(line)
          if (isNote !== true) events.unfired?.(name, line)
        },
      },
      journal: openTaskJournal(directory, { onProblem: (error) => events.warn(describeTaskJournalProblem(error)) }),
    })
    loaded = supervisor
    const look = () => {
      begun.look(supervisor.isDriving)
      void supervisor.look()
    }
    if (mayDrive) timers.add(setInterval(look, LOOK_EVERY_MS).unref())
    return supervisor
  }

  const supervisor = (): Promise<TaskSupervisor> => {
    loading ??= load()
    return loading
  }

  return {
    port: {
      driver: () => stores.tasksDriver.holder()?.pid,
      list: () => loaded?.list() ?? stores.tasks.list(),
      listFault: () => faultsOf(stores.tasks)[0],
      begin: async (seed) => {
        const task = await (await supervisor()).begin(seed)
        begun.follow(task.id)
        return task
      },
      async ask(id, what, by, isAnswered) {
        const task = await (await supervisor()).ask(id, what, by, isAnswered)
        if (isAnswered === true) begun.reported(task)
        return task
      },
      underWay: async () => (await supervisor()).underWay(),
      triggers: () => loaded?.triggers() ?? [],
      history: async (id) => (await supervisor()).history(id),
    },
    start: () =>
      new Promise((resolve) => {
        const begin = async (): Promise<void> => (await supervisor()).look()
        timers.add(setTimeout(() => void begin().catch(problem).finally(resolve), START_AFTER_MS).unref())
      }),
    beginStopping: async () => (await loading?.catch(() => undefined))?.beginStopping(),
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await (await loading?.catch(() => undefined))?.stop()
    },
  }
}

/** Tasks that this process has begun and another one drives: who typed them hears what becomes of them, too. */
export class BegunTasks {
  readonly #list: () => readonly Task[]
  readonly #report: ReportTask
  /** How each was reported last, by its id. */
  readonly #reported = new Map<string, string>()

  constructor(list: () => readonly Task[], report: ReportTask) {
    this.#list = list
    this.#report = report
  }

  follow(id: string): void {
    this.#reported.set(id, RUNNING)
  }

  /** A command of this process has shown it as it is. */
  reported(task: Task): void {
    if (!this.#reported.has(task.id)) return
    if (isUnderWay(task)) this.#reported.set(task.id, standingOf(task))
    else this.#reported.delete(task.id)
  }

  /** Once a second. @param isDriving its driver reports all tasks */
  look(isDriving: boolean): void {
    if (isDriving) this.#reported.clear()
    if (this.#reported.size === 0) return
    for (const task of this.#list()) {
      const before = this.#reported.get(task.id)
      if (before === undefined || before === standingOf(task)) continue
      this.reported(task)
      this.#report({ type: 'status', task, isElsewhere: true })
    }
  }
}

function standingOf({ status, paused = false }: Pick<Task, 'status' | 'paused'>): string {
  return `${status} ${paused}`
}

const RUNNING = standingOf({ status: 'running' })

// A line that a task wants run, as one of `hookline exec`: no one answers its questions, and all that stops a typed line stops it.

export async function runLineOfTask(
  runner: Pick<Runner, 'run' | 'addSink'>,
  { id, seed }: TaskRecord,
  command: string,
): Promise<{ readonly type: 'ran'; readonly error?: string; readonly outcome?: string }> {
  const runId = randomUUID()
  let outcome: string | undefined
  const endSink = runner.addSink({
    done(run, _result, end) {
      if (run.runId === runId) outcome = end.outcome
    },
  })
  const { account, symbol, kind } = seed
  const origin = `${kind} ${id.slice(0, MIN_PREFIX_LENGTH)}`
  const result = await runner.run({ runId, source: 'exec', command, origin, account, symbol })
  endSink()
  const error = result.success ? undefined : (result.error ?? 'it failed')
  return { type: 'ran', ...defined({ error, outcome }) }
}

// What tasks tell the operator, one line each (behaviour 34): `[chase a1b2c3d4] …`.

export function taskNotice(report: TaskReport, known: KnownMarkets): Notice {
  const [kind, text] = lineOf(report, known)
  return { kind, text: `[${taskName(report.task)}] ${printable(text, 300)}` }
}

const SHOWN_INTERRUPTED = 5

/** At a start, of tasks that were interrupted before it: the driver reports only those that it interrupts itself. */
export function interruptedTaskNotices(tasks: readonly Task[], marketsOf: Connections['marketsOf']): readonly Notice[] {
  const interrupted = tasks.filter(({ status }) => status === 'interrupted')
  const shown = interrupted.slice(0, SHOWN_INTERRUPTED).map((task) => {
    return taskNotice({ type: 'status', task }, marketsOf(task.account))
  })
  const rest = interrupted.length - shown.length
  if (rest === 0) return shown
  return [
    ...shown,
    { kind: 'warn', text: `${rest} more ${rest === 1 ? 'task is' : 'tasks are'} interrupted; see \`tasks\`` },
  ]
}

function lineOf(report: TaskReport, known: KnownMarkets): readonly [OutputKind, string] {
  switch (report.type) {
    case 'line':
      return [report.level, report.text]
    case 'news':
      return ['warn', report.text]
    case 'filled':
      return ['success', fillLine(report.trades, known)]
    case 'status':
      return statusLine(report.task, known(report.task.symbol))
  }
}

/** The reason of a cancel is a sentence of its own: who canceled it, or what ended it. A chase or a twap that has filled whole needs none. */
function endOf(task: Task): string {
  const { kind, status, reason, filled, amount } = task
  if (status === 'cancelled') return reason ?? 'canceled'
  const isWhole =
    (kind === 'chase' || kind === 'twap') && status === 'done' && filled !== undefined && filled === amount
  return `${stateOf(task)}${reason === undefined || isWhole ? '' : `: ${reason}`}`
}

/** A protection mostly ends with nothing of its own filled, which goes without saying. */
function endedWith(task: Task, market: Market | undefined): string {
  const isProtection = task.kind === 'trail' || task.kind === 'oco'
  return isProtection && task.filled === undefined ? '' : `; ${filledOf(task, market)}`
}

function statusLine(task: Task, market: Market | undefined): readonly [OutputKind, string] {
  const { status, paused, reason } = task
  const why = reason === undefined ? '' : `: ${reason}`
  const id = shortTaskId(task)
  if (status === 'running' && paused !== true) return ['info', 'continues']
  if (status === 'running') {
    // It goes on by itself.
    if (task.pausedFor === 'simulation') return ['warn', `paused${why}`]
    if (task.pausedFor === undefined || task.pausedFor === 'request') {
      return ['warn', `${reason ?? 'paused'}; \`tasks resume ${id}\``]
    }
    const end = task.pausedFor === 'source' ? ` or \`tasks cancel ${id}\`` : ''
    return ['warn', `paused${why}; \`tasks resume ${id}\`${end}`]
  }
  if (status === 'interrupted') {
    return ['warn', `interrupted${why}${tradedOf(task, market)}; \`tasks resume ${id}\` or \`tasks cancel ${id}\``]
  }
  if (isAlert(task)) return [status === 'done' ? 'warn' : 'info', reason ?? stateOf(task)]
  return [status === 'done' ? 'success' : 'warn', `${endOf(task)}${endedWith(task, market)}`]
}

/** No one waits for it: a refusal is told in words, anything else is a bug of ours. */
function reportTaskProblem(
  error: unknown,
  { warn, log }: { readonly warn: AppEvents['warn']; readonly log: Pick<Log, 'bug'> },
): void {
  if (isRefusal(error)) warn(`tasks: ${describeRefusal(error)}`)
  else log.bug(error)
}
