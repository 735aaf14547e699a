// The tasks of one staged process, on a journal in memory.
import { onTestFinished } from 'vitest'
import type { GuardStore } from '../../src/stores/guards.ts'
import type { PanicStore } from '../../src/stores/panic.ts'
import type { TaskStore, TasksDriverStore } from '../../src/stores/tasks.ts'
import { TASK_KINDS, type TaskKinds } from '../../src/tasks/kinds.ts'
import type { ReportTask } from '../../src/tasks/task-port.ts'
import { TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import { failLoudly } from '../commands/guarded-account.ts'
import { type Delay, manualDelay } from '../commands/manual-delay.ts'
import { taskJournalInMemory } from './task-journal-in-memory.ts'

export interface SessionTaskOptions {
  /** Whether this process may drive tasks. Default: yes. */
  readonly drivesTasks?: boolean
  /** Default: those of hookline. */
  readonly taskKinds?: TaskKinds
  /** What `tasks.jsonl` has from before. */
  readonly taskLines?: readonly string[]
  /** What the terminal is told of them. Default: nothing. */
  readonly onTaskReport?: ReportTask
}

/** What runs the lines of tasks. @returns why it failed; undefined: it did not */
export type RunLine = (line: string) => Promise<string | undefined>

interface Surroundings {
  readonly guards: GuardStore
  readonly panic: PanicStore
  readonly tasks: TaskStore
  readonly tasksDriver: TasksDriverStore
  readonly connect: (account: string) => Promise<TradingAccount>
  readonly now: () => number
  readonly delays: Set<Delay>
  readonly runLine: RunLine
}

export function openSessionTasks(
  { guards, panic, tasks, tasksDriver, connect, now, delays, runLine }: Surroundings,
  { drivesTasks = true, taskKinds = TASK_KINDS, taskLines = [], onTaskReport = () => {} }: SessionTaskOptions,
): TaskSupervisor {
  const supervisor = new TaskSupervisor({
    guards,
    panic,
    connect,
    kinds: taskKinds,
    lease: tasksDriver,
    rows: tasks,
    mayDrive: drivesTasks,
    report: onTaskReport,
    problem: failLoudly,
    async runLine(_task, line) {
      const error = await runLine(line)
      return error === undefined ? { type: 'ran' } : { type: 'ran', error }
    },
    journal: taskJournalInMemory(now, [...taskLines]),
    clock: { now, delay: (ms, signal) => manualDelay(delays, now() + ms, signal) },
  })
  onTestFinished(() => supervisor.abandonAsKilled())
  return supervisor
}
