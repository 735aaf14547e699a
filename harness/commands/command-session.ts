// Everything a command touches, for tests: real stores in a temporary directory, the real paper exchange on a scripted
// market, and a clock that moves only when a test moves it.

import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openCredentials } from '../../src/app/account-keys.ts'
import { createAudit } from '../../src/app/audit.ts'
import { createCandleFiles } from '../../src/app/candle-files.ts'
import { openStores, storeProblems } from '../../src/app/open-stores.ts'
import { defined } from '../../src/base/defined.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import type { ConsoleStatus, ListenerStatus } from '../../src/commands/kit/data.ts'
import { CommandError } from '../../src/commands/kit/errors.ts'
import type { Clients, CommandPorts, StoppedRuns, Terminal } from '../../src/commands/kit/ports.ts'
import type { CommandLookup } from '../../src/commands/kit/resolve.ts'
import type { Keychain } from '../../src/credentials/keychain.ts'
import type { EngineControl } from '../../src/cross-trade/engine-port.ts'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { openDayBook } from '../../src/guards/day-book.ts'
import type { BegunRun } from '../../src/hooks/fire-limits.ts'
import type { NoticePort } from '../../src/notices/notice.ts'
import { createReplay } from '../../src/replay/open-replay.ts'
import { type HookCounts, isAskedFor, type KeptOutput, type RunSummary } from '../../src/runs/run.ts'
import { createPreviewLine } from '../../src/runtime/preview/preview-line.ts'
import { Proposals } from '../../src/runtime/proposals.ts'
import type { RunEnvironment } from '../../src/runtime/run-context.ts'
import { SignIn } from '../../src/sign-in/sign-in.ts'
import { openEquityLog, readEquity } from '../../src/stores/equity-log.ts'
import { createProcessFocus } from '../../src/stores/focus.ts'
import { openNoteStore } from '../../src/stores/notes.ts'
import { openProposalStore } from '../../src/stores/proposals.ts'
import type { TaskSupervisor } from '../../src/tasks/task-supervisor.ts'
import type { Clock } from '../../src/trading/clock.ts'
import { type RunOrder, readJournalHistory } from '../../src/trading/history/journal-history.ts'
import type { TradingAccount } from '../../src/trading/order-desk.ts'
import type { OrderEvent } from '../../src/trading/order-event.ts'
import { createOrderJournal } from '../../src/trading/order-journal.ts'
import { quickKey } from '../credentials/quick-key.ts'
import { tempDirectory } from '../files/temp-directory.ts'
import { type ApprovingProvider, approvingProvider } from '../sign-in/approving-provider.ts'
import { openSessionTasks, type SessionTaskOptions } from '../tasks/session-tasks.ts'
import { journalInMemory, tailInMemory } from '../venues/journal-in-memory.ts'
import { openReplayable } from '../venues/replayable.ts'
import { createScriptedMarket, type ScriptedMarket } from '../venues/scripted-market.ts'
import { failLoudly, openGuardedAccount } from './guarded-account.ts'
import { type Delay, manualDelay } from './manual-delay.ts'
import { quietNotices } from './quiet-notices.ts'
import { type RunOptions, type StartedRun, startRun } from './started-run.ts'

export interface CommandSession {
  readonly directory: string
  readonly market: ScriptedMarket
  readonly ports: CommandPorts
  connect(name: string): Promise<TradingAccount>
  readonly tasks: TaskSupervisor
  /** Lines of the order journal. */
  readonly journal: readonly string[]
  /** From now on the account `paper` is this exchange. */
  useExchange(exchange: Exchange): void
  readonly lookup: CommandLookup
  /** Starts a line and does not wait for it. */
  start(line: string, options?: RunOptions): StartedRun
  /** Runs a line to its end. @returns its output */
  run(line: string, options?: RunOptions): Promise<readonly string[]>
  /** Moves the clock on, tick by tick: the market ticks, delays end. @param tickMs default: a second */
  advance(ms: number, tickMs?: number): Promise<void>
  /** Lets everything run that needs no time. */
  settle(): Promise<void>
}

export interface SessionOptions extends SessionTaskOptions {
  /** What the account `paper` is, made from the scripted market's exchange; default: that. */
  readonly exchange?: (paper: Exchange) => Exchange
  readonly lookup?: CommandLookup
  readonly terminal?: Terminal
  readonly prices?: Readonly<Record<string, string>>
  readonly runs?: readonly RunSummary[]
  /** Runs that hooks have begun. */
  readonly begun?: readonly BegunRun[]
  /** The run that came first under each key of a fire. */
  readonly keys?: Readonly<Record<string, string>>
  /** What becomes of `hook fire`; absent: this process does not listen. */
  readonly fireHook?: CommandPorts['fireHook']
  /** How hooks fared. */
  readonly hookCounts?: ReadonlyMap<string, HookCounts>
  /** What is kept of each of them. */
  readonly kept?: { readonly output?: KeptOutput; readonly orders?: readonly RunOrder[] }
  readonly listener?: Partial<ListenerStatus>
  /** The hookline that listens, for one without a listener. */
  readonly listeningPid?: number
  /** Default served. */
  readonly console?: Partial<ConsoleStatus>
  /** Default: as in a process without a listener. */
  readonly clients?: Clients
  /** Default: as in `exec`. */
  readonly copier?: EngineControl
  /** Opens the venue of an account that is not stored. Default: a scripted market. */
  readonly tryAccount?: CommandPorts['tryAccount']
  readonly proveAccount?: CommandPorts['proveAccount']
  /** What hookline is started with. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: the system's, if there is one. */
  readonly keychain?: Keychain
  /** Default: always one half. */
  readonly random?: () => number
  /** Default: nothing leaves. */
  readonly notices?: NoticePort
  /** Where `login` goes; default: one whose person has approved already. */
  readonly provider?: ApprovingProvider
  /** Default: there is none. */
  readonly browser?: (url: string) => void
  /** Default: of this session's own files, whose runs are lines of this session. */
  readonly proposals?: CommandPorts['proposals']
  /** Another process that holds the port; default: none does. */
  readonly portHolder?: { readonly pid?: number }
}

export async function createSession(options: SessionOptions = {}): Promise<CommandSession> {
  const directory = tempDirectory()
  const market = createScriptedMarket({ prices: { BTCUSDT: '65000', ETHUSDT: '3000', ...options.prices } })
  const stores = openStores(directory, market.now)
  const { accounts } = stores
  const credentials = openCredentials({
    env: options.env ?? {},
    directory,
    file: stores.vaultFile,
    ...(options.keychain && { keychain: options.keychain }),
    deriveKey: quickKey,
  })
  await accounts.ensurePaper()
  const delays = new Set<Delay>()
  const others = new Map<string, TradingAccount>()
  const journal = journalInMemory()
  const notes = openNoteStore(directory)
  const orderJournal = createOrderJournal(journal, { now: market.now, onProblem: failLoudly })
  const book = openDayBook({ journal: orderJournal, tail: tailInMemory(journal.lines), now: market.now })
  const tasks = openSessionTasks(
    { ...stores, connect, now: market.now, delays, runLine: (line) => runLine(line) },
    options,
  )
  const proposalStore = openProposalStore(directory)
  const proposals = new Proposals({
    store: proposalStore,
    ports: () => ports,
    lookup: options.lookup ?? lookup,
    now: market.now,
    steady: market.now,
    onBug: failLoudly,
    run: async ({ command, ...request }) => {
      const run = start(command, request)
      const success = await run.done
      return {
        success,
        ...defined({ error: success ? undefined : run.lines.findLast((each) => each.startsWith('error ')) }),
      }
    },
  })
  const ports: CommandPorts = {
    version: '0.0.0-test',
    random: options.random ?? (() => 0.5),
    ...stores,
    tasks,
    proposals: options.proposals ?? proposals,
    focus: createProcessFocus({ config: stores.config, otherHolder: async () => options.portHolder }),
    audit: createAudit(stores),
    guardBook: async () => book,
    fileProblems: () => storeProblems(stores),
    connect,
    marketsOf: (name) => (symbol) => {
      const account = name === 'paper' ? paper : others.get(name)
      return account?.venue.knownMarket?.(symbol)
    },
    async disconnect(name) {
      others.delete(name)
    },
    credentials,
    tryAccount: options.tryAccount ?? (async () => createScriptedMarket().exchange),
    proveAccount: options.proveAccount ?? (() => Promise.reject(new Error('this session proves no account'))),
    hookFacts: () => () => ({
      begun: options.begun ?? [],
      failures: 0,
      steadyMs: market.now(),
      wallMs: market.now(),
      onlyReduces: () => false,
      firstRun: (key) => options.keys?.[key],
    }),
    runs: (limit) => (options.runs ?? []).slice(0, limit),
    fireHook: async (hook, body) => options.fireHook?.(hook, body),
    // Runs of a session are none of a runner's.
    stops: {
      stop: (matches) => countUnderWay((options.runs ?? []).filter(matches)),
      stopScope: async () => countUnderWay(options.runs ?? []),
      panic: () => countUnderWay(options.runs ?? []),
      spare: () => {},
    },
    runArchive: {
      find: async (query) => (options.runs ?? []).filter((run) => isAskedFor(run, query)).slice(0, query.limit),
      output: async () => options.kept?.output ?? { lines: [], steps: [], leftOut: 0 },
      orders: async () => options.kept?.orders ?? [],
    },
    notes,
    equityHistory: (name, from, to) => readEquity(join(directory, 'equity.jsonl'), name, from, to),
    noteEquity(record) {
      const log = openEquityLog({ path: join(directory, 'equity.jsonl') })
      log.append(record)
      log.close()
    },
    orderHistory: (name) => readJournalHistory(linesNewestFirst(journal.lines), name),
    listenerStatus: () => ({
      state: 'listening',
      address: '127.0.0.1:53219',
      pid: 4711,
      sockets: 0,
      ...options.listener,
    }),
    hookCounts: async () => options.hookCounts ?? new Map(),
    preview: (request, care) => preview(request, care),
    replay: createReplay({ ...stores, lookup, now: market.now, reportBug: failLoudly }),
    candles: createCandleFiles(directory),
    notices: options.notices ?? quietNotices(stores.config, market.now),
    signIn: new SignIn({
      store: stores.signInFile,
      credentials: credentials.ownOnly(),
      now: market.now,
      delay: async () => {},
      openProvider: (options.provider ?? approvingProvider(market.now)).open,
    }),
    browser: options.browser,
    askListeningPid: async () => options.listeningPid,
    askConsole: async () => ({ state: 'served', address: 'http://127.0.0.1:53220', ...options.console }),
    clients: options.clients,
    copier: options.copier,
    terminal: options.terminal,
  }
  const clock: Clock = { now: market.now, delay: (ms, signal) => manualDelay(delays, market.now() + ms, signal) }
  const events: OrderEvent[] = []
  const report = (event: OrderEvent) => void events.push(event)
  function accountOn(name: string, raw: Exchange): TradingAccount {
    return openGuardedAccount(name, raw, { guards: stores.guards, book, clock, journal: orderJournal, report })
  }
  let paper = accountOn('paper', options.exchange?.(market.exchange) ?? market.exchange)
  async function connect(name: string): Promise<TradingAccount> {
    if (accounts.find(name) === undefined) throw new CommandError('unknown-account', `no account ${name}`)
    if (name === 'paper') return paper
    const account = others.get(name) ?? accountOn(name, openReplayable(market, directory, name))
    others.set(name, account)
    return account
  }
  const table = options.lookup ?? lookup
  const environment: RunEnvironment = { lookup: table, ports, clock, connect }
  const preview = createPreviewLine({ environment, reportBug: failLoudly })
  const start = (line: string, runOptions: RunOptions = {}) => startRun(line, environment, runOptions)
  const runLine = async (line: string): Promise<string | undefined> => {
    const run = start(line, { source: 'exec' })
    return (await run.done) ? undefined : (run.lines.findLast((each) => each.startsWith('error ')) ?? 'it failed')
  }
  // Commands, the scripted market and its store need microtasks only; all of them have run when an immediate comes.
  /** A run on a busy machine yields to the event loop between two steps: one turn is not always enough. */
  const settle = async () => {
    for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  onTestFinished(async () => {
    await notes.close()
    await proposalStore.close()
    await market.exchange.close()
  })

  return {
    directory,
    market,
    ports,
    tasks,
    connect,
    journal: journal.lines,
    useExchange(exchange) {
      paper = accountOn('paper', exchange)
    },
    lookup: table,
    start,
    settle,
    async run(line, runOptions) {
      const run = start(line, runOptions)
      await run.done
      return run.lines
    },
    async advance(ms, tickMs = 1_000) {
      for (let left = ms; left > 0; left -= tickMs) {
        await market.leap(Math.min(tickMs, left))
        for (const delay of [...delays]) if (delay.at <= market.now()) delay.end()
        if (tasks.isDriving) await tasks.look()
        await settle()
      }
    },
  }
}

const SETTLING_TURNS = 5

async function* linesNewestFirst(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines.toReversed()
}

function countUnderWay(runs: readonly RunSummary[]): StoppedRuns {
  const count = (state: RunSummary['state']) => runs.filter((run) => run.state === state).length
  return { running: count('running'), waiting: count('waiting') }
}
