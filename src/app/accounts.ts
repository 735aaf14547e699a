// The accounts of this process: connected at first use, watched, and looked after.

import { defined } from '../base/defined.ts'
import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import type { Trade } from '../exchange/order.ts'
import type { DayBook } from '../guards/day-book.ts'
import type { Focus } from '../stores/focus.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Task } from '../stores/tasks.ts'
import type { Clock } from '../trading/clock.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import { orderIdPrefix } from '../trading/order-plan.ts'
import { AccountWatching } from './account-watching.ts'
import type { AppEvents } from './app-events.ts'
import { type Connections, createConnections } from './connections.ts'
import type { Log } from './log.ts'
import type { OpenAccountOptions } from './open-account.ts'
import type { Stores } from './open-stores.ts'

interface AccountsOptions {
  readonly directory: string
  readonly stores: Stores
  readonly focus: Focus
  readonly resolveKeys: OpenAccountOptions['resolveKeys']
  readonly requireKeys: OpenAccountOptions['requireKeys']
  readonly journal: OrderJournal
  readonly clock: Clock
  readonly book: () => Promise<DayBook>
  readonly log: Log
  readonly meter: OpenAccountOptions['meter']
  readonly events: Pick<AppEvents, 'order' | 'task' | 'meanwhile' | 'warn'>
  /** Whether changes on them are reported (behaviour 34). */
  readonly isWatching: boolean
}

export interface Accounts
  extends Pick<Connections, 'connect' | 'connected' | 'marketsOf' | 'disconnect'>,
    Pick<CommandPorts, 'tryAccount' | 'proveAccount'> {
  /** Connects those in use, and takes over orders of dead processes: at once, every 30 s and on request. */
  lookAfter(): OrderRecovery
  close(): Promise<void>
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { directory, stores, focus, resolveKeys, requireKeys, journal, clock, log, events, isWatching } = options
  const onProblem = (account: string, problem: unknown): void => {
    if (problem instanceof StoreError) events.warn(`account ${account}: ${problem.message}`)
    // A venue that is silent or refuses is nothing of ours; what depends on it says so.
    else if (isRefusal(problem))
      log.writeSeldom('warn', 'an account could not be asked', { account, reason: describeRefusal(problem) })
    else log.bug(problem)
  }
  const watching = isWatching
    ? new AccountWatching({
        lastSeen: stores.lastSeen,
        now: clock.now,
        onProblem,
        report(account, event) {
          const driven = drivenElsewhere(event, stores)
          if (driven === undefined) events.order(account, event, marketsOf(account))
          else if (driven.trades.length > 0) events.task({ type: 'filled', ...driven }, marketsOf(account))
        },
        reportMeanwhile: (account, meanwhile) => events.meanwhile(account, meanwhile, marketsOf(account)),
        noteMade: (account, trade) => journal.fill(trade.orderId, account, trade),
      })
    : undefined
  const reportOrder = (account: string, event: OrderEvent): void => {
    if (watching?.isNews(account, event) ?? true) events.order(account, event, marketsOf(account))
  }
  const { connect, connected, marketsOf, disconnect, closeAll } = createConnections({
    accounts: stores.accounts,
    open: async (row) => {
      const { openAccount } = await import('./open-account.ts')
      const book = await options.book()
      const account = await openAccount(row, {
        directory,
        resolveKeys,
        requireKeys,
        journal,
        clock,
        book,
        ...defined({ meter: options.meter }),
        guards: stores.guards,
        onTripped: events.warn,
        report: (event) => reportOrder(row.name, event),
        onProblem: (problem) => onProblem(row.name, problem),
      })
      watching?.opened(account)
      return account
    },
    onProblem,
  })
  return {
    connect,
    connected,
    marketsOf,
    async disconnect(name) {
      await watching?.leaving(name)
      await disconnect(name)
    },
    async tryAccount(row, keys) {
      const { openExchange } = await import('./open-account.ts')
      const { questionsOf } = await import('../guards/guard-exchange.ts')
      return questionsOf(await openExchange(row, keys, directory, (problem) => onProblem(row.name, problem)))
    },
    async proveAccount(row, run) {
      const { proveAccount } = await import('./open-account.ts')
      const { openProofFiles } = await import('../stores/proof-files.ts')
      const files = openProofFiles(directory, row.name, clock.now())
      const [book, { guards }] = [await options.book(), stores]
      const onWarning = (problem: unknown) => onProblem(row.name, problem)
      const result = await proveAccount(row, {
        ...run,
        directory,
        resolveKeys,
        clock,
        guards,
        book,
        onProblem: onWarning,
        record: files.record,
      })
      const report = { ...run.about, account: row.name, symbol: run.symbol, ...result }
      return { ...result, files: await files.write(report) }
    },
    lookAfter: () =>
      lookAfterAccounts({
        stores,
        focus,
        journal,
        connect,
        watching,
        onProblem(problem) {
          if (isRefusal(problem)) events.warn(`orders of an earlier process: ${describeRefusal(problem)}`)
          else log.bug(problem)
        },
        reportBug: (error) => log.bug(error),
      }),
    async close() {
      await watching?.stop()
      await closeAll()
    },
  }
}

/** An order of a task that another process drives: its fills are those of the task, and what becomes of it its driver says. */
export function drivenElsewhere(
  event: OrderEvent,
  { tasks, tasksDriver }: Pick<Stores, 'tasks' | 'tasksDriver'>,
): { readonly task: Task; readonly trades: readonly Trade[] } | undefined {
  if (event.type !== 'elsewhere') return undefined
  const { order, trades } = event
  const id = order?.clientOrderId ?? trades[0]?.clientOrderId
  const task = id === undefined ? undefined : tasks.list().find((each) => id.startsWith(orderIdPrefix(each.id)))
  return task === undefined || tasksDriver.holder() === undefined ? undefined : { task, trades }
}

// Accounts in use are connected without waiting for a command, so that changes on them are reported: the one in focus, and those that hooks
// are pinned to.

/** The accounts that hooks trade on, whatever is in focus. */
export function pinnedAccounts(hooks: Pick<Stores['hooks'], 'list'>): readonly string[] {
  return hooks.list().flatMap(({ account }) => (account === undefined ? [] : [account]))
}

const LOOK_AGAIN_MS = 30_000
const MAX_ACCOUNTS = 20

interface AccountsInUseOptions {
  readonly names: () => Iterable<string>
  readonly connect: Connections['connect']
  /** Resolves when the changes meanwhile on a connected account were reported. */
  readonly reported: (name: string) => Promise<void>
  readonly reportBug: (error: unknown) => void
}

interface AccountsInUse {
  /** Resolves when the changes meanwhile on all reachable accounts were reported; after 10 s at the latest. */
  readonly ready: Promise<void>
  /** Accounts can be reached that could not be before. */
  lookNow(): Promise<void>
  stop(): void
}

/** A venue that does not answer must not keep the orders of another from being looked after. */
const READY_WITHIN_MS = 10_000

function keepConnected({ names, connect, reported, reportBug }: AccountsInUseOptions): AccountsInUse {
  const connectOne = async (name: string): Promise<void> => {
    try {
      await connect(name)
      await reported(name)
    } catch (error) {
      // Commands report a venue that cannot be reached or traded on.
      if (!isRefusal(error)) reportBug(error)
    }
  }
  const connectAll = async (): Promise<void> => {
    await Promise.all([...new Set(names())].slice(0, MAX_ACCOUNTS).map(connectOne))
  }
  const timer = setInterval(() => void connectAll(), LOOK_AGAIN_MS).unref()
  let giveUp: NodeJS.Timeout | undefined
  const ready = Promise.race([
    connectAll(),
    new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, READY_WITHIN_MS).unref()
    }),
  ]).finally(() => clearTimeout(giveUp))
  return { ready, lookNow: connectAll, stop: () => clearInterval(timer) }
}

interface LookAfterOptions extends Pick<OrderRecoveryOptions, 'journal' | 'connect' | 'onProblem'> {
  readonly stores: Pick<Stores, 'hooks'>
  readonly focus: Pick<Focus, 'account'>
  readonly watching: AccountWatching | undefined
  readonly reportBug: (error: unknown) => void
}

/** Connects accounts in use, and sees to what dead processes have left open. */
function lookAfterAccounts(options: LookAfterOptions): OrderRecovery {
  const { stores, focus, journal, connect, watching, onProblem, reportBug } = options
  const inUse = keepConnected({
    names: () => [focus.account(), ...pinnedAccounts(stores.hooks)],
    reported: async (name) => watching?.ready(name),
    connect,
    reportBug,
  })
  const recovery = keepRecovering({ after: inUse.ready, journal, connect, onProblem })
  return {
    first: recovery.first,
    // Changes meanwhile are reported first, then the fate of the orders that were left.
    lookNow: () => void inUse.lookNow().then(recovery.lookNow),
    stop() {
      inUse.stop()
      recovery.stop()
    },
  }
}

// Orders that a dead process left open are taken over by a living one: at its start, and when another one dies beside it.

const RECOVER_AGAIN_MS = 30_000

interface OrderRecoveryOptions {
  /** The first look waits for this: changes meanwhile are reported first. */
  readonly after: Promise<void>
  readonly journal: { accountsLeft(): Promise<readonly string[]> }
  readonly connect: Connections['connect']
  readonly onProblem: (problem: unknown) => void
}

interface OrderRecovery {
  /** Resolves after the first look. */
  readonly first: Promise<void>
  /** Accounts can be reached that could not be before. */
  lookNow(): void
  stop(): void
}

function keepRecovering({ after, journal, connect, onProblem }: OrderRecoveryOptions): OrderRecovery {
  let isLooking = false
  const failing = new Set<string>()
  const recover = async (name: string): Promise<void> => {
    try {
      const { orders } = await connect(name)
      await orders.recoverAgain()
      failing.delete(name)
    } catch (error) {
      // Tried again each time, and reported once.
      if (!failing.has(name)) onProblem(error)
      failing.add(name)
    }
  }
  const look = async (): Promise<void> => {
    for (const name of await journal.accountsLeft()) {
      // An account that is gone cannot be asked, and must not keep the others waiting; its orders stay in the journal.
      await recover(name)
    }
  }
  const lookOnce = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    await look()
      .catch(onProblem)
      .finally(() => {
        isLooking = false
      })
  }
  const first = after.then(lookOnce)
  const timer = setInterval(() => void lookOnce(), RECOVER_AGAIN_MS)
  timer.unref()
  return { first, lookNow: () => void after.then(lookOnce), stop: () => clearInterval(timer) }
}
