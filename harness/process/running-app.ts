// The real composition root in this process, on the real port, over real files in a temporary directory.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { App, type AppOptions } from '../../src/app/app.ts'
import type { PendingClient, Terminal } from '../../src/commands/kit/ports.ts'
import type { EditEnd, EditQuestion } from '../../src/listener/approvals/edit-questions.ts'
import type { ListenerEvent } from '../../src/listener/listener-state.ts'
import type { ClientActivity } from '../../src/listener/sessions/sessions-options.ts'
import type { RunRequest, RunResult, RunSink } from '../../src/runs/run.ts'
import type { Hook, NewHook } from '../../src/stores/hooks.ts'
import { tempDirectory } from '../files/temp-directory.ts'

export interface RunningApp {
  readonly app: App
  readonly directory: string
  readonly events: ListenerEvent[]
  readonly warnings: string[]
  /** Every change of the question shown to the operator. */
  readonly questions: { readonly question: PendingClient | undefined; readonly waiting: number }[]
  /** Every change of the edit shown to the operator. */
  readonly edits: { readonly question: EditQuestion | undefined; readonly waiting: number; readonly ended?: EditEnd }[]
  readonly activities: ClientActivity[]
  /** Ended runs in the order they ended. */
  readonly done: { readonly run: RunRequest; readonly result: RunResult }[]
  /** Output lines: `kind text`. */
  readonly output: string[]
  /** Fires that ended without running. */
  readonly unbegun: { readonly run: RunRequest; readonly result: RunResult }[]
  createHook(command?: string, options?: Partial<NewHook>): Promise<Hook>
  /** Fires a hook as the listener does, without HTTP. */
  fire(hook: Hook, runId?: string): void
  writeConfig(config: unknown): void
  /** Resolves when `count` runs have ended. */
  runsDone(count: number): Promise<void>
  /** Resolves when the listener has told of an event of this type after the call. */
  nextEvent(type: ListenerEvent['type']): Promise<ListenerEvent>
}

export interface RunningAppOptions {
  /** Who is asked: as the REPL's. */
  readonly terminal?: Terminal
  readonly directory?: string
  readonly config?: unknown
  readonly listen?: AppOptions['listen']
  /** Whether the console's port is held by a server of this user; default true. */
  readonly isConsoleServed?: boolean
}

/** Waits for what happens again and again. */
function createBell() {
  let wake = (): void => {}
  return {
    ring: () => wake(),
    rung: () =>
      new Promise<void>((resolve) => {
        wake = resolve
      }),
  }
}

type Waiter = (event: ListenerEvent) => void

/** @param waiters are told of each event */
function nextOf(type: ListenerEvent['type'], waiters: Set<Waiter>): Promise<ListenerEvent> {
  return new Promise((resolve) => {
    const waiter = (event: ListenerEvent) => {
      if (event.type !== type) return
      waiters.delete(waiter)
      resolve(event)
    }
    waiters.add(waiter)
  })
}

function requestOf({ id: hookId, name: origin, command }: Hook, runId: string): RunRequest {
  return { runId, source: 'hook', command, origin, hookId }
}

const SILENT = { order: () => {}, task: () => {}, meanwhile: () => {} }

/** Tells those that wait for an event of the listener. */
function heard(events: ListenerEvent[], waiters: ReadonlySet<Waiter>): (event: ListenerEvent) => void {
  return (event) => {
    events.push(event)
    for (const waiter of waiters) waiter(event)
  }
}

function recorder({
  output,
  done,
  unbegun,
  ended,
}: Pick<RunningApp, 'output' | 'done' | 'unbegun'> & { readonly ended: ReturnType<typeof createBell> }): RunSink {
  return {
    output: (_run, kind, text) => void output.push(`${kind} ${text}`),
    done(run, result) {
      done.push({ run, result })
      ended.ring()
    },
    unbegun: (run, result) => void unbegun.push({ run, result }),
  }
}

export async function startApp(options: RunningAppOptions = {}): Promise<RunningApp> {
  const directory = options.directory ?? tempDirectory()
  const writeConfig = (config: unknown) => writeFileSync(join(directory, 'config.json'), JSON.stringify(config))
  if (options.config !== undefined) writeConfig(options.config)
  const events: ListenerEvent[] = []
  const warnings: string[] = []
  const done: RunningApp['done'] = []
  const unbegun: RunningApp['unbegun'] = []
  const output: string[] = []
  const ended = createBell()
  const waiters = new Set<Waiter>()
  const questions: RunningApp['questions'] = []
  const edits: RunningApp['edits'] = []
  const activities: RunningApp['activities'] = []
  const app = new App({
    env: { HOOKLINE_CONFIG_DIR: directory },
    listen: options.listen ?? 'attended',
    ...(options.terminal === undefined ? {} : { terminal: () => options.terminal }),
    isConsoleServed: async () => options.isConsoleServed ?? true,
    events: {
      listener: heard(events, waiters),
      ...SILENT,
      warn: (text) => void warnings.push(text),
      problem: ({ path, message }) => void warnings.push(`${path} ${message}`),
      question: (question, waiting) => void questions.push({ question, waiting }),
      editQuestion: (question, waiting, ended) => void edits.push({ question, waiting, ...(ended && { ended }) }),
      activity: (activity) => void activities.push(activity),
    },
  })
  app.runner.addSink(recorder({ output, done, unbegun, ended }))
  onTestFinished(() => app.stop(0))
  await app.start()
  let hooks = 0
  return {
    app,
    directory,
    events,
    warnings,
    questions,
    edits,
    activities,
    done,
    output,
    unbegun,
    writeConfig,
    createHook: (command = 'echo ok', options = {}) =>
      app.ports.hooks.create({ name: `hook-${++hooks}`, command, ...options }),
    fire: (hook, runId = randomUUID()) => app.runner.fire(requestOf(hook, runId), hook, () => {}),
    async runsDone(count) {
      while (done.length < count) await ended.rung()
    },
    nextEvent: (type) => nextOf(type, waiters),
  }
}
