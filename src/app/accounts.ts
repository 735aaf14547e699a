// The accounts of this process: connected at first use, watched, and looked after.

import { describeRefusal, isRefusal } from '../commands/kit/errors.ts'
import type { CommandPorts, Focus } from '../commands/kit/ports.ts'
import type { DayBook } from '../guards/day-book.ts'
import { StoreError } from '../stores/store-error.ts'
import type { Clock } from '../trading/clock.ts'
import type { OrderEvent } from '../trading/order-event.ts'
import type { OrderJournal } from '../trading/order-journal.ts'
import { AccountWatching } from './account-watching.ts'
import { lookAfterAccounts } from './accounts-in-use.ts'
import type { AppEvents } from './app-events.ts'
import { type Connections, createConnections } from './connections.ts'
import type { Log } from './log.ts'
import type { OpenAccountOptions } from './open-account.ts'
import type { Stores } from './open-stores.ts'
import type { OrderRecovery } from './order-recovery.ts'

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
  readonly events: Pick<AppEvents, 'order' | 'meanwhile' | 'warn'>
  /** Whether what happens on them is told (behaviour 34). */
  readonly isWatching: boolean
}

export interface Accounts
  extends Pick<Connections, 'connect' | 'connected' | 'disconnect'>,
    Pick<CommandPorts, 'tryAccount' | 'proveAccount'> {
  /** Connects those in use, and sees to what dead processes have left open: now and then, and when told to. */
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
        tell: events.order,
        tellMeanwhile: events.meanwhile,
        noteMade: (account, trade) => journal.fill(trade.orderId, account, trade),
      })
    : undefined
  const tellOrder = (account: string, event: OrderEvent): void => {
    if (watching?.isNews(account, event) ?? true) events.order(account, event)
  }
  const { connect, connected, disconnect, closeAll } = createConnections({
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
        guards: stores.guards,
        onTripped: events.warn,
        report: (event) => tellOrder(row.name, event),
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
    async disconnect(name) {
      await watching?.leaving(name)
      await disconnect(name)
    },
    async tryAccount(row, keys) {
      const { openExchange } = await import('./open-exchange.ts')
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
