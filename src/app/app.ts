// The composition root: the only place that knows every part. Data flows one way:
//
//   REPL line, POST /hook/<id>, cmd:exec ──> Runner ──> commands ──> Exchange
//                                              │ emits
//                                              └──> sinks: the terminal, web sessions; and the run journal
import { join } from 'node:path'
import { type Authority, createAuthority } from '../authority/authority.ts'
import { lookup } from '../commands/catalogue.ts'
import { replayForPage } from '../commands/hooks/hook-replay.ts'
import type { CommandPorts, PendingClient, Terminal } from '../commands/kit/ports.ts'
import type { Credentials } from '../credentials/credentials.ts'
import type { Answer } from '../listener/approvals/approvals.ts'
import type { EditAnswer, EditDecision } from '../listener/approvals/edit-questions.ts'
import { askHolderPid } from '../listener/holder-pid.ts'
import type { Listener } from '../listener/listener.ts'
import type { GrantLevel } from '../protocol/rows.ts'
import { lineProtects, lookupUnderPanic } from '../runtime/execute-chain.ts'
import type { RunEnvironment } from '../runtime/run-context.ts'
import type { InterruptedRun } from '../runtime/run-journal.ts'
import { Runner } from '../runtime/runner.ts'
import { fireByTrigger } from '../runtime/trigger-fire.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'
import { type EquityRecord, openEquityLog, readEquity } from '../stores/equity-log.ts'
import { createProcessFocus, type Focus } from '../stores/focus.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import { readOrderHistory } from '../trading/history/journal-history.ts'
import { createKeysAtRest, type KeysAtRest, openCredentials } from './account-keys.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import type { AppEvents } from './app-events.ts'
import { type AuditTrail, createAuditTrail } from './audit.ts'
import { withBareNotices } from './bare-notices.ts'
import { createCandleFiles } from './candle-files.ts'
import type { Connections } from './connections.ts'
import { askConsole, openConsoleServer } from './console-server.ts'
import { delay, giveWay } from './delay.ts'
import { createDeskSources, type OwnDeskSources } from './desk-sources.ts'
import { type EngineHost, openEngine } from './engine-host.ts'
import { createLog, type Log } from './log.ts'
import { browserHere } from './open-browser.ts'
import { openJournals } from './open-journals.ts'
import { createWebSide, findOtherHolder, NOT_STARTED, openListener } from './open-listener.ts'
import { type MetricsWork, openMetrics } from './open-metrics.ts'
import { type NoticeWork, openNotices, reportHalts, reportPanic } from './open-notices.ts'
import { openProposals, type ProposalWork, proposalNotices } from './open-proposals.ts'
import { openSignInWork } from './open-sign-in.ts'
import {
  filesOf,
  openStores,
  prepareFiles,
  reportInvalidFiles,
  reportMistypedOrigins,
  storeProblems,
} from './open-stores.ts'
import { createRunArchive, lookAtHooks, openHookCounts, openPreview, openReplay, runStops } from './run-ports.ts'
import { createTaskWork, runLineOfTask, type TaskWork } from './task-work.ts'
import { VERSION } from './this-process.ts'
import { describeEquityProblem, describeUnattended, shownClient } from './warnings.ts'

export interface AppOptions {
  readonly env: NodeJS.ProcessEnv
  /** `none`: `exec` and the hook subcommands. `unattended`: no one answers questions, unknown clients are denied. */
  readonly listen: 'none' | 'attended' | 'unattended'
  readonly events: AppEvents
  /** Drives tasks though it does not listen, where no one else does: the engine of `cross-trade run`. */
  readonly drivesTasks?: boolean
  /** How soon after its start the console's server is started, ms. Default: when a page asks for the first time. */
  readonly consoleInMs?: number
  /** Instead of the console's server of this process, for tests: whether it has the port. */
  readonly isConsoleServed?: () => Promise<boolean>
  /** The REPL's terminal, once there is one. */
  readonly terminal?: () => Terminal | undefined
}

const CLOCK: Clock = { now: Date.now, delay }
const GRANT_ENDS_MS = 60_000

export class App {
  readonly directory: string
  readonly ports: CommandPorts
  /** The cross-trade engine, which runs while someone wants it to. */
  readonly engine: EngineHost
  readonly connect: Connections['connect']
  readonly connected: Connections['connected']
  readonly environment: RunEnvironment
  readonly runner: Runner
  /** Of a hookline that listens: resolves when it has taken over what dead processes left, orders with their stops and tasks. */
  takenOver: Promise<void> = Promise.resolve()
  readonly log: Log
  readonly #options: AppOptions
  readonly audit: AuditTrail
  readonly #stores
  readonly #credentials: Credentials
  readonly #keys: KeysAtRest
  readonly signIn
  readonly #focus: Focus
  readonly #accounts: Accounts
  readonly #tasks: TaskWork
  readonly authority: Authority
  readonly #journals
  readonly #desk: OwnDeskSources | undefined
  readonly #metrics: MetricsWork | undefined
  readonly #notices: NoticeWork
  readonly #proposals: ProposalWork
  readonly #web
  readonly #listener: Listener | undefined
  readonly #console: ReturnType<typeof openConsoleServer> | undefined
  #resolvePrepared = (): void => {}
  /**
   * Fires are answered as soon as the port is bound. People are told only when pages are answered as well: a file that another process
   * has locked may hold up the very first start, and until the identity is there a page gets a 503.
   */
  readonly #prepared = new Promise<void>((resolve) => {
    this.#resolvePrepared = resolve
  })
  #stopFollowing = (): void => {}
  #settling: Promise<void> = Promise.resolve()
  /** Of what follows files. */
  readonly #stops: (() => void)[] = []

  /** @throws {StoreError} the config directory cannot be used */
  constructor(options: AppOptions) {
    this.directory = configDirectory(options.env)
    prepareDirectory(this.directory)
    this.log = createLog(join(this.directory, 'hookline.log'))
    this.#stores = openStores(this.directory)
    this.#credentials = openCredentials({ env: options.env, directory: this.directory, file: this.#stores.vaultFile })
    this.signIn = openSignInWork(this.#stores, this.#credentials, CLOCK)
    this.#metrics =
      options.listen === 'none'
        ? undefined
        : openMetrics({
            directory: this.directory,
            stores: this.#stores,
            now: CLOCK.now,
            log: this.log,
            events: options.events,
            runCounts: () => this.runner.counts(),
            listenerStatus: () => this.ports.listenerStatus(),
            clients: () => this.#web?.clients.connected() ?? new Map(),
          })
    this.#notices = openNotices({
      ...options,
      onNotice: ({ kind, severity }) => this.#metrics?.noticed(kind, severity),
      stores: this.#stores,
      credentials: this.#credentials,
      log: this.log,
      listenerState: () => this.#listener?.status().state,
    })
    const bareNotices = withBareNotices(this.#notices.events, {
      // A line of `exec` reports its own orders.
      connect:
        options.listen === 'none' && options.drivesTasks !== true ? undefined : (name) => this.#accounts.connect(name),
      focus: () => this.#focus.account(),
      placesStopAhead: (runId, symbol) => this.runner.placesStopAhead(runId, symbol),
      isProtectedElsewhere: async (clientOrderId, symbol) => {
        const sent = await this.#journals.orders.recordOf(clientOrderId)
        if (sent === undefined) return false
        const [run] = await this.ports.runArchive.find({ limit: 1, id: sent.intent.by.runId })
        return run?.state === 'running' && lineProtects(run.command, symbol, this.environment)
      },
      notify: (notice) => this.#notices.port.send(notice),
      bug: (error) => this.log.bug(error),
    })
    const { events } = bareNotices
    this.#stops.push(bareNotices.stop)
    this.#options = { ...options, events }
    const shared = { directory: this.directory, stores: this.#stores, clock: CLOCK, log: this.log, events }
    this.#focus = createProcessFocus({
      config: this.#stores.config,
      otherHolder: async () => findOtherHolder(this.#listener?.status()),
    })
    this.audit = createAuditTrail({ stores: this.#stores, warn: events.warn, bug: this.log.bug })
    this.#keys = createKeysAtRest({
      accounts: this.#stores.accounts,
      credentials: this.#credentials,
      audit: this.audit,
      warn: events.warn,
      bug: (error) => this.log.bug(error),
      disconnect: (name) => this.#accounts.disconnect(name),
    })
    this.#journals = openJournals({
      directory: this.directory,
      now: CLOCK.now,
      warn: events.warn,
      hooks: this.#stores.hooks,
    })
    this.#accounts = createAccounts({
      ...shared,
      focus: this.#focus,
      journal: this.#journals.orders,
      book: this.#journals.book,
      resolveKeys: (row) => this.#credentials.resolveKeys(row),
      requireKeys: () => this.#credentials.vault.requireHeld(),
      meter: this.#metrics?.venues,
      isWatching: options.listen !== 'none',
    })
    this.connect = this.#accounts.connect
    this.connected = this.#accounts.connected
    this.authority = createAuthority(this.#stores)
    this.#tasks = createTaskWork({
      ...shared,
      connect: this.connect,
      marketsOf: this.#accounts.marketsOf,
      mayDrive: options.listen !== 'none' || options.drivesTasks === true,
      whyEnded: ({ admission }) => this.authority.whySealedEnded(admission),
      runLine: (task, line) => runLineOfTask(this.runner, task, line),
      fireHook: (fire) => {
        const { config, panic } = this.#stores
        return fireByTrigger(fire, { config, panic, runner: this.runner, journal: this.#journals.runs })
      },
    })
    this.engine = openEngine({ ...shared, connect: this.connect, tasks: this.#tasks.port })
    this.#proposals = openProposals({
      directory: this.directory,
      ports: () => this.ports,
      lookup,
      runner: () => this.runner,
      now: CLOCK.now,
      bug: (error) => this.log.bug(error),
    })
    this.ports = this.#createPorts()
    this.environment = {
      ports: this.ports,
      clock: CLOCK,
      connect: this.connect,
      lookup: lookupUnderPanic(lookup, this.#stores.panic),
    }
    this.runner = new Runner({
      environment: this.environment,
      journal: this.#journals.runs,
      authority: this.authority,
      reportBug: this.log.bug,
      onUnbegun: this.#notices.unbegun,
      onPaused: this.audit.pausing(this.#notices.paused),
    })
    this.runner.addSink(this.#journals.output.sink)
    this.runner.addSink(this.#notices.sink)
    this.runner.addSink(bareNotices.sink)
    if (this.#metrics) this.runner.addSink(this.#metrics.sink)
    this.#desk =
      options.listen === 'none' ? undefined : createDeskSources(this, this.#accounts, this.#journals.fills, events.warn)
    this.#web = this.#desk && this.#createWebSide(this.#desk)
    this.#console =
      this.#web && options.isConsoleServed === undefined
        ? openConsoleServer({ stores: this.#stores, events, log: this.log })
        : undefined
    this.#listener =
      this.#web &&
      openListener({
        stores: this.#stores,
        runner: this.runner,
        journal: this.#journals.runs,
        web: this.#web,
        log: this.log,
        refused: this.#metrics?.refused,
        isConsoleServed: options.isConsoleServed ?? (() => this.#console?.isServed() ?? Promise.resolve(false)),
        notify: (event) => {
          // Whose port is taken does not let pages in either.
          if (event.type !== 'port-taken' && options.consoleInMs !== undefined)
            this.#console?.startIn(options.consoleInMs)
          if (event.type === 'listening') this.#metrics?.serve()
          void this.#prepared.then(() => options.events.listener(event))
        },
      })
  }

  /** Binds the listener; resolves when the first attempt is decided. @returns the identity that web pages pin */
  async start(): Promise<{ readonly listenerId: string } | undefined> {
    this.#stopFollowing = this.authority.watch(() => void this.runner.stopRefused())
    // Before anything else can change what config.json says.
    this.#focus.account()
    await this.#listener?.start().then(giveWay)
    const identity = await prepareFiles({ accounts: this.#stores.accounts, web: this.#web, log: this.log })
    this.#resolvePrepared()
    if (this.#options.drivesTasks === true) void this.#tasks.start()
    this.#stops.push(this.#keys.followLock())
    if (this.#listener) {
      const { warn, problem } = this.#options.events
      this.#settling = this.#keys.settle()
      const tasksTakenUp = this.#tasks.start()
      this.#desk?.equity.start()
      const accounts = this.#accounts.lookAfter()
      this.takenOver = Promise.all([accounts.first, tasksTakenUp]).then(() => {})
      this.#credentials.vault.onUnlocked = () => {
        accounts.lookNow()
        void this.#keys.settle()
      }
      this.#stops.push(
        accounts.stop,
        reportMistypedOrigins(this.#stores.config, warn),
        reportInvalidFiles(filesOf(this.#stores), problem),
        this.audit.followSwitches(this.#stores.config),
        reportPanic(this.#stores.panic, warn),
        reportHalts(this.#stores.guards, warn),
        this.#notices.follow(() => this.ports.tasks.list()),
        this.#notices.followPhone({
          run: (request) => this.runner.run(request),
          addSink: (sink) => this.runner.addSink(sink),
          focus: () => this.#focus.account(),
          isAccount: (name) => this.#stores.accounts.find(name) !== undefined,
          marketsOf: this.ports.marketsOf,
          proposals: this.#proposals.port,
          audit: async (what, details) => {
            await this.audit.record(what, details, { source: 'phone' }).catch((error: unknown) => this.log.bug(error))
          },
        }),
        this.#followGrantEnds(),
        this.#proposals.port.follow(
          proposalNotices((notice) => this.#options.events.proposal?.(notice), this.ports.marketsOf),
        ),
      )
    }
    return identity
  }

  /** Runs that a crash cut off, not reported before. */
  takeInterrupted(): InterruptedRun[] {
    const runs = this.#journals.runs.takeInterrupted()
    this.#notices.interrupted(runs)
    return runs
  }

  /** What is wrong with the files of the config directory now. */
  problems(): readonly StoreProblem[] {
    return storeProblems(this.#stores)
  }

  /** Resolves once it is known whether the console is served, where this process serves it unasked. */
  async consoleDecided(): Promise<void> {
    if (this.#options.consoleInMs !== undefined) await this.#console?.isServed()
  }

  /** Whether a web client has been let in since the start. */
  hasHadClient(): boolean {
    return this.#web?.loaded?.hasHadClient ?? false
  }

  /** The operator answers the question shown. */
  async answer(decision: 'approved' | 'denied', may?: GrantLevel): Promise<Answer> {
    const answer = (await this.#web?.loaded?.approvals.answer(decision, may)) ?? { outcome: 'no-question' as const }
    this.audit.answered(answer, may ?? (answer.outcome === 'approved' ? answer.question.asks && 'look' : undefined))
    return answer
  }

  /** The operator answers the edit shown. */
  answerEdit(decision: EditDecision): EditAnswer {
    return this.#web?.loaded?.editQuestions.answer(decision) ?? { outcome: 'no-question' }
  }

  /** A process without a listener writes into the same file. */
  #noteEquity(record: EquityRecord): void {
    if (this.#desk !== undefined) return this.#desk.equity.note(record)
    const log = openEquityLog({
      path: join(this.directory, 'equity.jsonl'),
      onProblem: (error) => this.#options.events.warn(describeEquityProblem(error)),
    })
    log.append(record)
    log.close()
  }

  /** No new fires; running ones get up to `graceMs`; then everything is closed. */
  async stop(graceMs: number): Promise<void> {
    for (const stop of this.#stops) stop()
    this.#listener?.stopAccepting()
    const consoleEnded = this.#console?.stop()
    await Promise.all([this.#tasks.beginStopping(), this.runner.drain(graceMs)])
    await this.#settling
    this.#stopFollowing()
    await this.#metrics?.close()
    await this.#listener?.stop()
    await consoleEnded
    await this.engine.stop()
    await this.#tasks.stop()
    this.#desk?.equity.stop()
    await this.#accounts.close()
    await this.#notices.close()
    await this.signIn.settled(2_000)
    await this.audit.settled()
    this.#journals.runs.close()
    this.#journals.output.close()
    await this.#journals.orders.close()
    await this.#journals.notes.close()
    await this.#proposals.close()
  }

  /** Ends of grants reach the disk though no client asks. @returns stops looking */
  #followGrantEnds(): () => void {
    const note = () => void this.#stores.trustedClients.noteEnds().catch((error: unknown) => this.log.bug(error))
    note()
    const timer = setInterval(note, GRANT_ENDS_MS).unref()
    return () => clearInterval(timer)
  }

  #createPorts(): CommandPorts {
    const { connect, marketsOf, disconnect, tryAccount, proveAccount } = this.#accounts
    const listenerStatus = () => this.#listener?.status() ?? NOT_STARTED
    const clients = () => this.#web?.clients
    const { terminal } = this.#options
    return {
      version: VERSION,
      random: Math.random,
      ...this.#stores,
      tasks: this.#tasks.port,
      proposals: this.#proposals.port,
      focus: this.#focus,
      audit: this.audit,
      guardBook: this.#journals.book,
      fileProblems: () => this.problems(),
      connect,
      marketsOf,
      disconnect,
      tryAccount,
      proveAccount,
      credentials: this.#credentials,
      hookFacts: () => lookAtHooks({ runner: this.runner, journal: this.#journals.runs, ...listenerStatus() }),
      runs: (limit) => this.runner.runs(limit),
      stops: runStops(() => this.runner, this.#stores.stops),
      fireHook: async (hook, body) => this.#listener?.fireHook(hook, body),
      runArchive: createRunArchive({
        directory: this.directory,
        runner: { runs: () => this.runner.runs() },
        flushOutput: () => this.#journals.output.flush(),
      }),
      hookCounts: openHookCounts({ archive: () => this.ports.runArchive, runner: () => this.runner, listenerStatus }),
      preview: openPreview(() => this.environment, this.log.bug),
      replay: openReplay({ stores: this.#stores, now: CLOCK.now, reportBug: this.log.bug }),
      notices: this.#notices.port,
      signIn: this.signIn,
      browser: browserHere(this.#options.env, this.#options.events.warn),
      candles: createCandleFiles(this.directory),
      notes: this.#journals.notes,
      equityHistory: (name, from, to) => readEquity(join(this.directory, 'equity.jsonl'), name, from, to),
      noteEquity: (record) => this.#noteEquity(record),
      orderHistory: (name) => readOrderHistory(this.directory, this.#stores.accounts.find(name) ?? { name }),
      copier: this.#options.listen === 'none' ? undefined : this.engine,
      listenerStatus,
      askListeningPid: askHolderPid,
      askConsole: () => askConsole({ stores: this.#stores, isServing: this.#console !== undefined }),
      get clients() {
        return clients()
      },
      get terminal() {
        return terminal?.()
      },
    }
  }

  #createWebSide(desk: OwnDeskSources) {
    const { events, listen } = this.#options
    const { question, editQuestion, activity } = events
    const { connect, disconnect } = this.#accounts
    const { preview, proposals, guardBook, hookCounts, hookFacts } = this.ports
    const unattended = (client: PendingClient) => events.warn(describeUnattended(client))
    return createWebSide({
      stores: { ...this.#stores, accounts: this.#keys.watched() },
      clock: CLOCK,
      focus: this.#focus,
      files: filesOf(this.#stores),
      notices: this.#notices.port.board,
      runner: this.runner,
      connect,
      disconnect,
      desk,
      preview,
      proposals,
      guardBook,
      hookCounts,
      hookFacts,
      replayHook: (asked, signal) => replayForPage(this.ports, lookup, asked, CLOCK.now(), signal),
      events: {
        question,
        editQuestion,
        bug: (error) => this.log.bug(error),
        activity: this.audit.following(activity),
        unattended: listen === 'unattended' ? unattended : undefined,
        unproven: (client) =>
          this.log.writeSeldom('warn', 'refused a client that did not prove itself', shownClient(client)),
      },
    })
  }
}
