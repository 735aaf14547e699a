// What an operator's monitor may know of this process (behaviour 149): how much, how long and how often. Never what: no amount, symbol, account,
// line, key or token is a label or a value.
import type { ListenerStatus } from '../commands/kit/data.ts'
import { isPausedAt } from '../hooks/fire-limits.ts'
import { Exposition, type Sample } from '../metrics/exposition.ts'
import { type MetricsServer, startMetricsServer } from '../metrics/metrics-server.ts'
import { VenueMeter } from '../metrics/venue-meter.ts'
import { NOTICE_KINDS } from '../notices/notice.ts'
import type { RunResult, RunSink, Source } from '../runs/run.ts'
import { loadMetricsToken, type MetricsAddress } from '../stores/metrics.ts'
import { SWITCHES } from '../stores/stops.ts'
import { countWriteFailures, StoreError } from '../stores/store-error.ts'
import type { AppEvents } from './app-events.ts'
import type { Log } from './log.ts'
import { type Stores, storeProblems } from './open-stores.ts'
import { buildFacts } from './this-process.ts'

interface MetricsOptions {
  readonly directory: string
  readonly stores: Stores
  readonly now: () => number
  readonly log: Pick<Log, 'bug'>
  readonly events: Pick<AppEvents, 'warn'>
  readonly runCounts: () => { readonly running: number; readonly waiting: number }
  readonly listenerStatus: () => ListenerStatus
  /** Sessions of each client. */
  readonly clients: () => ReadonlyMap<string, number>
}

/** Why the listener refused a caller before a run began. */
export type Refused = 'wrong-token' | 'page' | 'too-many-runs' | 'websocket'

export interface MetricsWork {
  readonly venues: VenueMeter
  readonly sink: RunSink
  readonly refused: (why: Refused) => void
  readonly noticed: (kind: string, severity: string) => void
  /** Serves the figures, once. Of several hooklines on a machine, the one that holds the port does. */
  serve(): void
  close(): Promise<void>
}

/** What runs and fires may come to. */
const OUTCOMES = ['done', 'failed', 'cut'] as const
const UNBEGUN = ['skipped', 'expired', 'refused', 'stopped', 'left'] as const
const SOURCES: readonly Source[] = ['repl', 'exec', 'hook', 'web', 'phone']
const REFUSALS: readonly Refused[] = ['wrong-token', 'page', 'too-many-runs', 'websocket']
/** Of so many the kinds are counted. */
const MAX_TASKS = 1_000
/** ms. */
const LOOP_RESOLUTION_MS = 50

/** @returns undefined: `metrics.listen` is not set as this process starts */
export function openMetrics(options: MetricsOptions): MetricsWork | undefined {
  const { listen } = options.stores.config.read().metrics
  return listen === undefined ? undefined : createMetrics(listen, options)
}

function createMetrics(address: MetricsAddress, options: MetricsOptions): MetricsWork {
  const { directory, log, events } = options
  const exposition = new Exposition((error) => log.bug(error))
  const stopProcessFigures = addProcess(exposition, options)
  const runs = addRuns(exposition, options)
  const venues = new VenueMeter(exposition)
  const notices = exposition.counter(
    { name: 'hookline_notices', help: 'Notices to the operator, whether or not a channel takes them' },
    ['kind', 'severity'],
    NOTICE_KINDS.flatMap((kind) => [
      [kind, 'warn'],
      [kind, 'urgent'],
    ]),
  )
  addState(exposition, options)
  let serving: Promise<MetricsServer | undefined> | undefined

  async function start(): Promise<MetricsServer | undefined> {
    try {
      const token = address.kind === 'loopback' ? await loadMetricsToken(directory) : undefined
      return await startMetricsServer({
        address,
        text: () => exposition.text(),
        onBug: (error) => log.bug(error),
        ...(token === undefined ? {} : { token }),
      })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      events.warn(`metrics are not served: ${error.message}${error.hint === undefined ? '' : `; ${error.hint}`}`)
      return undefined
    }
  }

  return {
    venues,
    ...runs,
    noticed: (kind, severity) => notices.add(kind, severity),
    serve() {
      serving ??= start().catch((error: unknown) => {
        log.bug(error)
        return undefined
      })
    },
    async close() {
      stopProcessFigures()
      await (await serving)?.close()
    },
  }
}

function addProcess(exposition: Exposition, { now }: MetricsOptions): () => void {
  const { version, node, platform, commit } = buildFacts()
  const begun = performance.now()
  exposition.info({ name: 'hookline_build', help: 'What runs' }, { version, node, platform, commit: commit ?? '' })
  const startedAt = now() / 1_000
  exposition.gauge(
    { name: 'hookline_start_time_seconds', help: 'When this process started, since the epoch', unit: 'seconds' },
    () => startedAt,
  )
  exposition.gauge(
    { name: 'hookline_uptime_seconds', help: 'Time since then', unit: 'seconds' },
    () => Math.round(performance.now() - begun) / 1_000,
  )
  exposition.gauge({ name: 'hookline_resident_memory_bytes', help: 'Memory of the process', unit: 'bytes' }, () =>
    process.memoryUsage.rss(),
  )
  exposition.gauge(
    { name: 'hookline_heap_used_bytes', help: 'Memory of objects', unit: 'bytes' },
    () => process.memoryUsage().heapUsed,
  )
  exposition.countedElsewhere({ name: 'hookline_cpu_seconds', help: 'Processor time', unit: 'seconds' }, () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  // Loaded here: a start without metrics does not pay a millisecond for it.
  const delay = process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  delay.enable()
  exposition.gauge(
    {
      name: 'hookline_event_loop_delay_seconds',
      help: 'Delay of the event loop since the figures were read before',
      unit: 'seconds',
    },
    () => {
      const beyond = (ns: number) => Math.max(0, (Number.isFinite(ns) ? ns : 0) / 1e9 - LOOP_RESOLUTION_MS / 1_000)
      const samples: readonly Sample[] = [
        [{ statistic: 'p50' }, beyond(delay.percentile(50))],
        [{ statistic: 'p99' }, beyond(delay.percentile(99))],
        [{ statistic: 'max' }, delay.count === 0 ? 0 : beyond(delay.max)],
      ]
      delay.reset()
      return samples
    },
  )
  exposition.countedElsewhere(
    { name: 'hookline_disk_write_errors', help: 'Writes that the disk or the permissions refused' },
    countWriteFailures,
  )
  return () => delay.disable()
}

function addRuns(exposition: Exposition, { runCounts }: MetricsOptions): Pick<MetricsWork, 'sink' | 'refused'> {
  const runs = exposition.counter(
    { name: 'hookline_runs', help: 'Runs that have ended, by source and outcome' },
    ['source', 'outcome'],
    SOURCES.flatMap((source) => OUTCOMES.map((outcome) => [source, outcome])),
  )
  const fires = exposition.counter(
    { name: 'hookline_fires', help: 'Accepted fires of hooks that have ended, by outcome; left: hookline ended first' },
    ['outcome'],
    [...OUTCOMES, ...UNBEGUN].map((outcome) => [outcome]),
  )
  const refusals = exposition.counter(
    { name: 'hookline_refused_callers', help: 'Callers that the listener refused, by reason' },
    ['reason'],
    REFUSALS.map((reason) => [reason]),
  )
  exposition.gauge({ name: 'hookline_runs_under_way', help: 'Runs that run, and fires that wait' }, () => {
    const { running, waiting } = runCounts()
    return [
      [{ state: 'running' }, running],
      [{ state: 'waiting' }, waiting],
    ]
  })
  return {
    sink: {
      done({ source }, result) {
        const outcome = outcomeOf(result)
        runs.add(source, outcome)
        if (source === 'hook') fires.add(outcome)
      },
      unbegun: (_, { unbegun = 'left' }) => fires.add(unbegun),
    },
    refused: (why) => refusals.add(why),
  }
}

function outcomeOf({ success, declined, cut }: RunResult): (typeof OUTCOMES)[number] {
  if (success || declined === true) return 'done'
  return cut === true ? 'cut' : 'failed'
}

function addState(exposition: Exposition, { stores, now, listenerStatus, clients }: MetricsOptions): void {
  exposition.gauge(
    { name: 'hookline_connections', help: 'Connections to the listener, without sessions' },
    () => listenerStatus().sockets,
  )
  exposition.gauge({ name: 'hookline_clients', help: 'Clients that are connected' }, () => clients().size)
  exposition.gauge({ name: 'hookline_sessions', help: 'Sessions of those clients' }, () =>
    [...clients().values()].reduce((sum, sessions) => sum + sessions, 0),
  )
  exposition.gauge({ name: 'hookline_hooks', help: 'Hooks, by state' }, () => {
    const all = stores.hooks.list()
    const paused = all.filter((hook) => hook.paused !== undefined && isPausedAt(hook.paused, now())).length
    return [
      [{ state: 'active' }, all.length - paused],
      [{ state: 'paused' }, paused],
    ]
  })
  exposition.gauge({ name: 'hookline_tasks', help: 'Tasks that are not over, by kind' }, () => {
    const running = stores.tasks
      .list()
      .filter(({ status }) => status === 'running')
      .slice(0, MAX_TASKS)
    const counts = new Map<string, number>()
    for (const { kind } of running) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return [...counts].map(([kind, count]): Sample => [{ kind }, count])
  })
  exposition.gauge({ name: 'hookline_accounts', help: 'Accounts, by the state of their guard' }, () => {
    const states = stores.accounts.list().map(({ name }) => stores.guards.readOncePerTurn(name).state)
    return (['active', 'reducing', 'halted'] as const).map(
      (state): Sample => [{ state }, states.filter((each) => each === state).length],
    )
  })
  exposition.gauge({ name: 'hookline_panic', help: '1: panic is on' }, () =>
    stores.panic.readOncePerTurn() === undefined ? 0 : 1,
  )
  exposition.gauge({ name: 'hookline_switch', help: 'Kill switches; 0: off' }, () => {
    const { listener } = stores.config.readOncePerTurn()
    return SWITCHES.map((name): Sample => [{ name }, listener[name] ? 1 : 0])
  })
  exposition.gauge({ name: 'hookline_engine_running', help: '1: the cross-trade engine runs' }, () =>
    stores.crossTradeEngine.read().running ? 1 : 0,
  )
  exposition.gauge(
    { name: 'hookline_file_problems', help: 'Files, rows and settings that cannot be used' },
    () => storeProblems(stores).length,
  )
}
