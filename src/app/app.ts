// The composition root: the only place that knows every part. Data flows one way:
//
//   REPL line, POST /hook/<id>, cmd:exec ──> Runner ──> commands ──> Exchange
//                                              │ emits
//                                              └──> sinks: the terminal, web sessions; and the run journal
import { join } from 'node:path'
import { lookup } from '../commands/catalogue.ts'
import type { CommandPorts, ListenerStatus, PendingClient, Terminal } from '../commands/kit/ports.ts'
import { describeRefusal, isRefusal } from '../commands/kit/refusal.ts'
import { printable } from '../language/printable.ts'
import type { Answer } from '../listener/approvals/approvals.ts'
import type { WebSessions } from '../listener/http/web-upgrade.ts'
import { Listener } from '../listener/listener.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { SessionEvents } from '../listener/sessions/session-events.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { RunEnvironment } from '../runtime/run-context.ts'
import { type InterruptedRun, openRunJournal } from '../runtime/run-journal.ts'
import { Runner } from '../runtime/runner.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'
import { StoreError, type StoreProblem } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import { createOrderJournal, type OrderJournal, openOrderFile } from '../trading/order-journal.ts'
import { type Connections, createConnections } from './connections.ts'
import { delay } from './delay.ts'
import { reportInvalidFiles } from './invalid-files.ts'
import { createLog, type Log } from './log.ts'
import { reportMistypedOrigins } from './mistyped-origins.ts'
import { filesOf, openStores, storeProblems } from './open-stores.ts'
import { keepRecovering } from './order-recovery.ts'
import { VERSION } from './version.ts'
import { createWebSide } from './web-side.ts'

/** What the app reports, for whichever front shows it to a person. */
export interface AppEvents extends Pick<SessionEvents, 'question' | 'activity'> {
  /** Something the operator should know that does not belong to a run. */
  warn(text: string): void
  listener(event: ListenerEvent): void
  /** A file, or a row in one, has gone bad. */
  problem(problem: StoreProblem): void
  /** Something became of an order that nobody here waits for. */
  order(account: string, event: OrderEvent): void
}

export interface AppOptions {
  readonly env: NodeJS.ProcessEnv
  /** `none`: `exec` and the hook subcommands. `unattended`: nobody answers questions, unknown clients are denied. */
  readonly listen: 'none' | 'attended' | 'unattended'
  readonly events: AppEvents
  /** The REPL's terminal, once there is one. */
  readonly terminal?: () => Terminal | undefined
}

const NOT_STARTED: ListenerStatus = {
  state: 'not-started',
  address: `${LISTENER_HOST}:${LISTENER_PORT}`,
  pid: process.pid,
  sockets: 0,
}

const CLOCK: Clock = { now: Date.now, delay }

export class App {
  readonly directory: string
  readonly ports: CommandPorts
  readonly connect: Connections['connect']
  readonly environment: RunEnvironment
  readonly runner: Runner
  readonly log: Log
  readonly #options: AppOptions
  readonly #stores
  readonly #connections
  readonly #journal
  readonly #orderJournal: OrderJournal
  readonly #web
  readonly #listener: Listener | undefined
  /**
   * Fires are answered as soon as the port is bound. People are told only when pages are answered as well: a file that another process
   * has locked may hold up the very first start, and until the identity is there a page gets a 503.
   */
  readonly #prepared: Promise<void>
  #resolvePrepared = (): void => {}
  #stopTelling = (): void => {}

  /** @throws {StoreError} the config directory cannot be used */
  constructor(options: AppOptions) {
    this.#options = options
    this.#prepared = new Promise((resolve) => {
      this.#resolvePrepared = resolve
    })
    this.directory = configDirectory(options.env)
    prepareDirectory(this.directory)
    this.log = createLog(join(this.directory, 'hookline.log'))
    this.#stores = openStores(this.directory)
    this.#orderJournal = createOrderJournal(openOrderFile(join(this.directory, 'orders.jsonl')), {
      onProblem: (error) => options.events.warn(describeOrderJournalProblem(error)),
    })
    const onProblem = (account: string, problem: unknown) => this.#tellAccountProblem(account, problem)
    this.#connections = createConnections({
      accounts: this.#stores.accounts,
      open: async (row) => {
        const { openAccount } = await import('./open-account.ts')
        return openAccount(row, {
          directory: this.directory,
          journal: this.#orderJournal,
          clock: CLOCK,
          report: (event) => options.events.order(row.name, event),
          onProblem: (problem) => onProblem(row.name, problem),
        })
      },
      onProblem,
    })
    this.connect = this.#connections.connect
    this.ports = this.#createPorts()
    this.environment = { lookup, ports: this.ports, clock: CLOCK, connect: this.connect }
    this.#journal = openRunJournal({
      path: join(this.directory, 'runs.jsonl'),
      onProblem: (error) => options.events.warn(describeJournalProblem(error)),
    })
    const reportBug = (error: unknown) => this.log.bug(error)
    this.runner = new Runner({
      environment: { lookup, ports: this.ports, clock: CLOCK, connect: this.connect },
      journal: this.#journal,
      reportBug,
    })
    this.#web = options.listen === 'none' ? undefined : this.#createWebSide()
    this.#listener = this.#web && this.#createListener(this.#web)
  }

  /** Binds the listener; resolves when the first attempt is decided. @returns the identity that web pages pin */
  async start(): Promise<{ readonly listenerId: string } | undefined> {
    await this.#listener?.start()
    const identity = await this.#prepareFiles()
    this.#resolvePrepared()
    if (this.#listener) {
      const { warn, problem } = this.#options.events
      const stops = [
        keepRecovering({
          journal: this.#orderJournal,
          connect: this.connect,
          onProblem: (problem) => this.#tellOrderProblem(problem),
        }),
        reportMistypedOrigins(this.#stores.config, warn),
        reportInvalidFiles(filesOf(this.#stores), problem),
      ]
      this.#stopTelling = () => {
        for (const stop of stops) stop()
      }
    }
    return identity
  }

  /** Runs that a crash cut off, not reported before. */
  takeInterrupted(): InterruptedRun[] {
    return this.#journal.takeInterrupted()
  }

  /** What is wrong with the files of the config directory now. */
  problems(): readonly StoreProblem[] {
    return storeProblems(this.#stores)
  }

  /** Whether a web client has been let in since the start. */
  hasHadClient(): boolean {
    return this.#web?.loaded?.hasHadClient ?? false
  }

  /** The operator answers the question shown. */
  async answer(decision: 'approved' | 'denied'): Promise<Answer> {
    return (await this.#web?.loaded?.approvals.answer(decision)) ?? { outcome: 'nobody' }
  }

  /** No new fires; running ones get up to `graceMs`; then everything is closed. */
  async stop(graceMs: number): Promise<void> {
    this.#stopTelling()
    this.#listener?.stopAccepting()
    await this.runner.drain(graceMs)
    await this.#listener?.stop()
    await this.#connections.closeAll()
    this.#journal.close()
    await this.#orderJournal.close()
  }

  /** What the very first start makes: the account and the identity. */
  async #prepareFiles(): Promise<{ readonly listenerId: string } | undefined> {
    try {
      await this.#stores.accounts.ensurePaper()
      return await this.#web?.start()
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      // What is wrong with the file is among the problems; everything that does not need it works.
      this.log.write('warn', error.message)
      return undefined
    }
  }

  #createPorts(): CommandPorts {
    const { disconnect } = this.#connections
    const listenerStatus = () => this.#listener?.status() ?? NOT_STARTED
    const clients = () => this.#web?.clients
    const { terminal } = this.#options
    return {
      version: VERSION,
      ...this.#stores,
      fileProblems: () => this.problems(),
      disconnect,
      runs: (limit) => this.runner.runs(limit),
      listenerStatus,
      get clients() {
        return clients()
      },
      get terminal() {
        return terminal?.()
      },
    }
  }

  #createWebSide() {
    const { events, listen } = this.#options
    const { question, activity } = events
    const { connect, disconnect } = this.#connections
    const unattended = (client: PendingClient) => events.warn(describeUnattended(client))
    return createWebSide({
      stores: this.#stores,
      runner: this.runner,
      ...{ connect, disconnect },
      events: {
        ...{ question, activity, bug: (error) => this.log.bug(error) },
        unattended: listen === 'unattended' ? unattended : undefined,
        unproven: (client) => this.log.writeSeldom('warn', 'refused a client that did not prove itself', shown(client)),
      },
    })
  }

  #createListener(web: WebSessions) {
    const { config, hooks } = this.#stores
    return new Listener({
      config,
      hooks,
      runner: this.runner,
      web,
      notify: (event) => void this.#prepared.then(() => this.#options.events.listener(event)),
      onTooManyRuns: () => this.log.writeSeldom('warn', 'refused a fire: too many runs', this.runner.counts()),
      onRefusedUpgrade: (reason) =>
        this.log.writeSeldom('warn', 'refused a WebSocket', { reason: printable(reason, 500) }),
    })
  }

  #tellOrderProblem(problem: unknown): void {
    if (isRefusal(problem)) this.#options.events.warn(`orders of an earlier process: ${describeRefusal(problem)}`)
    else this.log.bug(problem)
  }

  #tellAccountProblem(account: string, problem: unknown): void {
    if (problem instanceof StoreError) this.#options.events.warn(`account ${account}: ${problem.message}`)
    else this.log.bug(problem)
  }
}

function describeJournalProblem(error: Error | undefined): string {
  return error
    ? `runs are no longer recorded in runs.jsonl: ${error.message}; they still run: free disk space or fix the permissions`
    : 'runs are recorded in runs.jsonl again'
}

function describeOrderJournalProblem(error: unknown): string {
  return error === undefined
    ? 'orders are recorded in orders.jsonl again'
    : `orders.jsonl cannot be written: ${error instanceof Error ? error.message : String(error)}. No order is sent until it can; free the disk or fix the permissions`
}

function describeUnattended({ clientId, origin, label, key }: PendingClient): string {
  const name = printable(label || 'a web page', 60)
  const words = [clientId, origin].map((text) => shellWord(printable(text, 100)))
  const line = `hookline clients trust ${words[0]} --origin ${words[1]}${key === undefined ? '' : ` --key ${key}`}`
  return `${name} was denied: nobody is here to approve it; to let it in: ${line}`
}

function shown({ clientId, origin, label }: PendingClient): Record<string, string> {
  return { clientId: printable(clientId, 64), label: printable(label, 60), origin: printable(origin, 100) }
}

/** The stranger chose this text, and the operator is told to paste it into a shell (POSIX, 2.2.2). */
function shellWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
