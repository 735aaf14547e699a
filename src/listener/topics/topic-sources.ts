// Where each topic's snapshot comes from, and what may change it. Rows are built field by field, so nothing secret or unknown
// leaves (behaviour 18).
import { defined } from '../../base/defined.ts'
import type { CommandPorts } from '../../commands/kit/ports.ts'
import type { NoticeBoard } from '../../notices/notice-board.ts'
import type { Runner } from '../../runtime/runner.ts'
import { scrubAccount } from '../../stores/accounts.ts'
import { type CrossTradeStore, scrubCrossTradeConfig } from '../../stores/cross-trade.ts'
import type { CrossTradeEngine } from '../../stores/cross-trade-engine.ts'
import { scrubHook } from '../../stores/hooks.ts'
import type { FileState } from '../../stores/json-file.ts'
import type { LeadingPages } from '../../stores/leading-pages.ts'
import type { PanicStore } from '../../stores/panic.ts'
import { scrubTask, type TaskStore } from '../../stores/tasks.ts'
import type { FillTail } from '../../trading/fill-tail.ts'
import { flagsTopic } from './flags-topic.ts'
import { type PortfolioPorts, PortfolioSource } from './portfolio.ts'
import { type EquitySource, equityTopic, fillsTopic, runsTopic } from './tail-topics.ts'
import type { SnapshotTopic, TopicSource } from './topics.ts'

export interface TopicStores {
  readonly services: Pick<CommandPorts, 'config' | 'focus' | 'accounts' | 'hooks' | 'guards'>
  readonly connect: PortfolioPorts['connect']
  readonly panic: Pick<PanicStore, 'read'>
  readonly tasks: TaskStore
  readonly crossTrade: CrossTradeStore
  readonly crossTradeEngine: CrossTradeEngine
  readonly leadingPages: Pick<LeadingPages, 'read' | 'watch'>
  readonly runner: Pick<Runner, 'runs' | 'addSink'>
  readonly fills: FillTail
  readonly equity: EquitySource
  readonly notices: Pick<NoticeBoard, 'list' | 'watch'>
  /** Every file of the config directory. */
  readonly files: readonly FileState[]
  readonly hasSubscribers: (topic: SnapshotTopic) => boolean
  readonly onBug: (error: unknown) => void
}

export function topicSources(stores: TopicStores): Readonly<Record<SnapshotTopic, TopicSource>> {
  const { services, tasks, crossTrade, crossTradeEngine, leadingPages } = stores
  const { config, focus, accounts, hooks } = services
  const portfolio = new PortfolioSource({
    services,
    connect: stores.connect,
    hasSubscribers: () => stores.hasSubscribers('portfolio'),
    onBug: stores.onBug,
  })
  return {
    accounts: accountsSource(services),
    hooks: {
      snapshot: () => ({ t: 'state:hooks', hooks: hooks.list().map(scrubHook) }),
      watch: (changed) => hooks.watch(changed),
    },
    tasks: {
      snapshot: () => ({ t: 'state:tasks', tasks: tasks.list().map(scrubTask) }),
      watch: (changed) => tasks.watch(changed),
    },
    'cross-trade': {
      snapshot() {
        const configs = crossTrade.list().map(scrubCrossTradeConfig)
        const waiting = [...crossTrade.waiting()].map(([configId, what]) => ({ configId, what: [...what] }))
        const [engine, leading] = [crossTradeEngine.read(), leadingPages.read().length]
        return {
          t: 'state:cross-trade',
          ...engine,
          configCount: configs.length,
          configs,
          ...(waiting.length > 0 && { waiting }),
          ...(leading > 0 && { leading }),
        }
      },
      watch: (changed) => all(crossTrade.watch(changed), crossTradeEngine.watch(changed), leadingPages.watch(changed)),
    },
    portfolio,
    focus: {
      snapshot() {
        const [account, symbol] = [focus.account(), focus.symbol()]
        if (!config.read().listener.accountSync) return { t: 'state:focus', account, symbol }
        const exchange = accounts.find(account)?.exchange
        const problem = portfolio.problem()
        return {
          t: 'state:focus',
          account,
          symbol,
          ...defined({ exchange }),
          ...(problem && { problem }),
          ...(portfolio.isStale() && { stale: true }),
        }
      },
      watch: (changed) =>
        all(focus.watch(changed), accounts.watch(changed), config.watch(changed), portfolio.watchProblem(changed)),
    },
    flags: flagsTopic(stores),
    runs: runsTopic(stores.runner, () => stores.hasSubscribers('runs')),
    fills: fillsTopic(stores.fills, config, () => stores.hasSubscribers('fills')),
    equity: equityTopic(stores.equity, config),
    notices: noticesSource(stores),
  }
}

function accountsSource({ accounts, config }: TopicStores['services']): TopicSource {
  return {
    snapshot: () =>
      config.read().listener.accountSync
        ? { t: 'state:accounts', accounts: accounts.list().map(scrubAccount) }
        : 'accountSync disabled',
    watch: (changed) => all(accounts.watch(changed), config.watch(changed)),
  }
}

/** They tell of accounts and of what was traded: a page that may not see those sees none of it. */
function noticesSource({ notices, services: { config } }: TopicStores): TopicSource {
  return {
    snapshot: () =>
      config.read().listener.accountSync
        ? { t: 'state:notices', notices: [...notices.list()] }
        : 'accountSync disabled',
    watch: (changed) => all(notices.watch(changed), config.watch(changed)),
  }
}

function all(...stops: readonly (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop()
  }
}
