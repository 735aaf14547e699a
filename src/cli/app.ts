// The composition root: the only place that knows every part. Data flows one way:
//
//   line, POST /hook/<id> ──> Runner ──> commands ──> Exchange
//                               │ emits
//                               └──> sinks: the terminal, the run journal
import { join } from 'node:path'
import type { ListenerStatus, Services, Terminal, TradingAccount } from '../commands/command.ts'
import { Listener, type ListenerEvent } from '../listener/listener.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import { unknownAccount } from '../runtime/run-context.ts'
import { type InterruptedRun, openRunJournal } from '../runtime/run-journal.ts'
import { Runner } from '../runtime/runner.ts'
import { openAccountStore } from '../stores/accounts.ts'
import { openConfigStore } from '../stores/config.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'
import { openHookStore } from '../stores/hooks.ts'
import { StoreError, type StoreProblem } from '../stores/store-error.ts'
import { openTextMap } from '../stores/text-map.ts'
import { openTrustedClients } from '../stores/trusted-clients.ts'
import { delay } from './delay.ts'
import { createLog, type Log } from './log.ts'
import { VERSION } from './version.ts'

export interface AppOptions {
  readonly env: NodeJS.ProcessEnv
  /** `exec` and the hook subcommands run without a listener. */
  readonly listen: boolean
  /** The REPL's terminal, once there is one. */
  readonly terminal?: () => Terminal | undefined
  readonly onListener?: (event: ListenerEvent) => void
  /** Something the operator should know that is no run's output. */
  readonly warn: (text: string) => void
}

export interface App {
  readonly directory: string
  readonly services: Services
  readonly runner: Runner
  readonly log: Log
  /** Binds the listener; resolves when the first attempt is decided. */
  start(): Promise<void>
  /** Runs that a crash cut off, not reported before. */
  takeInterrupted(): InterruptedRun[]
  /** Files that cannot be used as they are. */
  problems(): readonly StoreProblem[]
  /** No new fires; running ones get up to `graceMs`; then everything is closed. */
  stop(graceMs: number): Promise<void>
}

const NOT_STARTED: ListenerStatus = {
  state: 'not-started',
  address: `${LISTENER_HOST}:${LISTENER_PORT}`,
  pid: process.pid,
  sockets: 0,
}

export function createApp(options: AppOptions): App {
  const directory = configDirectory(options.env)
  prepareDirectory(directory)
  const log = createLog(join(directory, 'hookline.log'))
  const config = openConfigStore(directory)
  const accounts = openAccountStore(directory)
  const hooks = openHookStore(directory)
  const trustedClients = openTrustedClients(directory)
  const variables = openTextMap(directory, 'vars.json')
  const aliases = openTextMap(directory, 'aliases.json')
  const connections = new Map<string, Promise<TradingAccount>>()

  const services: Services = {
    version: VERSION,
    config,
    accounts,
    hooks,
    trustedClients,
    variables,
    aliases,
    connect: (name) => connect(name),
    async disconnect(name) {
      const connection = connections.get(name)
      connections.delete(name)
      await (await connection)?.exchange.close()
    },
    runs: (limit) => runner.runs(limit),
    listenerStatus: () => listener?.status() ?? NOT_STARTED,
    get terminal() {
      return options.terminal?.()
    },
    now: Date.now,
    delay,
  }
  const journal = openRunJournal({
    path: join(directory, 'runs.jsonl'),
    onProblem: (error) => options.warn(describeJournalProblem(error)),
  })
  const runner = new Runner({ services, journal, reportBug: (error) => log.bug(error) })
  const listener = options.listen
    ? new Listener({ config, hooks, runner, notify: (event) => options.onListener?.(event) })
    : undefined

  async function connect(name: string): Promise<TradingAccount> {
    const row = accounts.find(name)
    if (!row) throw unknownAccount(name)
    const known = connections.get(name)
    if (known) return known
    const opening = import('./open-exchange.ts').then(async ({ openExchange }) => ({
      name,
      exchange: await openExchange(row, directory, (problem) => tellProblem(name, problem)),
    }))
    connections.set(name, opening)
    // A failed attempt is not remembered: the next command tries again.
    opening.catch(() => connections.delete(name))
    return opening
  }

  function tellProblem(account: string, problem: unknown): void {
    if (problem instanceof StoreError) options.warn(`account ${account}: ${problem.message}`)
    else log.bug(problem)
  }

  return {
    directory,
    services,
    runner,
    log,
    async start() {
      await listener?.start()
      await accounts.ensurePaper()
    },
    takeInterrupted: () => journal.takeInterrupted(),
    problems: () => [config, accounts, hooks, trustedClients, variables, aliases].flatMap((store) => store.problem() ?? []),
    async stop(graceMs) {
      listener?.stopAccepting()
      await runner.drain(graceMs)
      await listener?.stop()
      const open = await Promise.allSettled(connections.values())
      await Promise.all(
        open.map((result) => (result.status === 'fulfilled' ? result.value.exchange.close() : undefined)),
      )
      journal.close()
    },
  }
}

function describeJournalProblem(error: Error | undefined): string {
  return error
    ? `runs are no longer recorded in runs.jsonl: ${error.message}. They still run; free the disk or mend the permissions`
    : 'runs are recorded in runs.jsonl again'
}
