// The listener of this process, on its stores and its runner, and its WebSocket side.
import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '../base/defined.ts'
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { Clients } from '../commands/kit/ports.ts'
import { hideTokens, printable } from '../language/printable.ts'
import { askHolderPid } from '../listener/holder-pid.ts'
import type { WebSessions } from '../listener/http/upgrade-guard.ts'
import { Listener, type ListenerOptions } from '../listener/listener.ts'
import type { ListenerEvent } from '../listener/listener-state.ts'
import type { Sessions } from '../listener/sessions/sessions.ts'
import type { SessionsOptions } from '../listener/sessions/sessions-options.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'
import type { RunJournal } from '../runtime/run-journal.ts'
import type { Runner } from '../runtime/runner.ts'
import type { ConsoleKeyStore, IdentityStore, ListenerKeyStore } from '../stores/identity.ts'
import type { Log } from './log.ts'
import type { Refused } from './open-metrics.ts'
import type { Stores } from './open-stores.ts'

interface OpenListenerOptions {
  readonly stores: Pick<Stores, 'config' | 'hooks' | 'panic'>
  readonly runner: Runner
  readonly journal: RunJournal
  readonly web: WebSessions
  readonly log: Log
  readonly isConsoleServed: () => Promise<boolean>
  readonly notify: (event: ListenerEvent) => void
  /** Counts callers that were refused. */
  readonly refused: ((why: Refused) => void) | undefined
}

export function openListener({
  stores,
  runner,
  journal,
  web,
  log,
  isConsoleServed,
  notify,
  refused,
}: OpenListenerOptions): Listener {
  const { config, hooks, panic } = stores
  return new Listener({
    config,
    hooks,
    panic,
    runner,
    journal,
    web,
    isConsoleServed,
    notify(event) {
      // Another process may have had the port, and begun runs.
      if (event.type === 'listening') journal.readAgain()
      notify(event)
    },
    ...counted(
      {
        onTooManyRuns: () => log.writeSeldom('warn', 'refused a fire: too many runs', runner.counts()),
        ...logRefusals(log, (text) => hideTokens(text, hooks.isSecret)),
      },
      refused,
    ),
  })
}

type Reports = Pick<ListenerOptions, Refusals | 'onTooManyRuns'>

function counted(reports: Reports, refused: OpenListenerOptions['refused']): Reports {
  if (refused === undefined) return reports
  const { onTooManyRuns, onWrongToken, onForeignPage, onRefusedUpgrade } = reports
  const counting = <Args extends readonly unknown[]>(why: Refused, report: (...args: Args) => void) => {
    return (...args: Args) => {
      refused(why)
      report(...args)
    }
  }
  return {
    ...reports,
    onTooManyRuns: counting('too-many-runs', onTooManyRuns),
    onWrongToken: counting('wrong-token', onWrongToken),
    onForeignPage: counting('page', onForeignPage),
    onRefusedUpgrade: counting('websocket', onRefusedUpgrade),
  }
}

/** Of a process without a listener of its own. */
export const NOT_STARTED: ListenerStatus = {
  state: 'not-started',
  address: `${LISTENER_HOST}:${LISTENER_PORT}`,
  pid: process.pid,
  sockets: 0,
}

type Refusals = 'onWrongToken' | 'onForeignPage' | 'onUnknownUser' | 'onRefusedUpgrade'

/**
 * Refusals go to the log with their cause: strangers learn the status alone.
 * @param hideSecrets a sender may put its token where a page's origin belongs
 */
export function logRefusals(log: Log, hideSecrets: (text: string) => string): Pick<ListenerOptions, Refusals> {
  const shown = (reason: string, length: number) => printable(hideSecrets(reason), length)
  return {
    onWrongToken: ({ id, name }) =>
      log.writeSeldom('warn', 'refused a fire: invalid token', { hook: printable(name, 64), id }),
    onForeignPage: (reason) =>
      log.writeSeldom('warn', 'refused a fire: it comes from a page', { reason: shown(reason, 300) }),
    onUnknownUser: (reason) => log.write('info', 'the user that opens a WebSocket is unknown', { reason }),
    onRefusedUpgrade: (reason) => log.writeSeldom('warn', 'refused a WebSocket', { reason: shown(reason, 500) }),
  }
}

/** How often the port is asked for its listener. */
const PAUSE_MS = 200

/** Waits for a listener on this machine, of whatever process. @returns its pid; undefined: none within that time */
export async function awaitListener(withinMs: number): Promise<number | undefined> {
  const until = performance.now() + withinMs
  for (;;) {
    const pid = await askHolderPid()
    if (pid !== undefined || performance.now() > until) return pid
    await delay(PAUSE_MS)
  }
}

/** The process that keeps the default focus in our place. A process without a listener has to ask who holds the port. */
export async function findOtherHolder(
  status: ListenerStatus | undefined,
): Promise<{ readonly pid?: number } | undefined> {
  if (status !== undefined) {
    const { state, holderPid } = status
    if (state !== 'port-taken') return undefined
    return defined({ pid: holderPid })
  }
  const pid = await askHolderPid()
  return pid === undefined ? undefined : { pid }
}

interface WebSide extends WebSessions {
  /** Reads the identity and its key, made at the first start. @throws {StoreError} without them no page is let in; hooks work */
  start(): Promise<{ readonly listenerId: string }>
  /** For the `clients` commands. */
  readonly clients: Clients
}

interface WebSideOptions extends Omit<SessionsOptions, 'identity' | 'now'> {
  readonly stores: SessionsOptions['stores'] & {
    readonly identity: IdentityStore
    readonly listenerKey: ListenerKeyStore
    readonly consoleKey: ConsoleKeyStore
  }
}

/** No client has connected yet. */
const NO_CLIENTS: Clients = { connected: () => new Map(), pending: () => [], decide: async () => false }

/** Sessions are loaded with the first page that the guard lets through: a process that only serves hooks starts faster. */
export function createWebSide(options: WebSideOptions): WebSide {
  let identity: ReturnType<SessionsOptions['identity']>
  let loading: Promise<Sessions> | undefined
  let sessions: Sessions | undefined

  async function load(): Promise<Sessions> {
    const { Sessions } = await import('../listener/sessions/sessions.ts')
    sessions = new Sessions({ ...options, identity: () => identity, now: Date.now })
    return sessions
  }

  return {
    get isReady() {
      return identity !== undefined
    },
    load() {
      loading ??= load()
      return loading
    },
    get loaded() {
      return sessions
    },
    get clients() {
      return sessions?.asClients() ?? NO_CLIENTS
    },
    async start() {
      const { listenerId } = await options.stores.identity.load()
      const { listenerKey, consoleKey } = options.stores
      identity = { listenerId, key: await listenerKey.load(), consoleKey: await consoleKey.load() }
      return { listenerId }
    },
  }
}
