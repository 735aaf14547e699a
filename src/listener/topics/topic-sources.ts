// Where each topic's snapshot comes from, and what may change it. Rows are built field by field, so nothing secret or unknown
// leaves (behaviour 18).
import type { CommandPorts } from '../../commands/kit/ports.ts'
import { scrubAccount } from '../../stores/accounts.ts'
import { type CrossTradeStore, scrubCrossTradeConfig } from '../../stores/cross-trade.ts'
import type { CrossTradeEngine } from '../../stores/cross-trade-engine.ts'
import { scrubHook } from '../../stores/hooks.ts'
import { scrubTask, type TaskStore } from '../../stores/tasks.ts'
import { type PortfolioPorts, portfolioSource } from './portfolio.ts'
import type { SnapshotTopic, TopicSource } from './topics.ts'

export interface TopicStores {
  readonly services: Pick<CommandPorts, 'config' | 'focus' | 'accounts' | 'hooks'>
  readonly connect: PortfolioPorts['connect']
  readonly tasks: TaskStore
  readonly crossTrade: CrossTradeStore
  readonly crossTradeEngine: CrossTradeEngine
  readonly hasSubscribers: (topic: SnapshotTopic) => boolean
  readonly onBug: (error: unknown) => void
}

export function topicSources(stores: TopicStores): Readonly<Record<SnapshotTopic, TopicSource>> {
  const { services, tasks, crossTrade, crossTradeEngine } = stores
  const { config, accounts, hooks } = services
  return {
    accounts: {
      snapshot: () =>
        config.read().listener.accountSync
          ? { t: 'state:accounts', accounts: accounts.list().map(scrubAccount) }
          : 'accountSync disabled',
      watch: (changed) => both(accounts.watch(changed), config.watch(changed)),
    },
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
        return { t: 'state:cross-trade', ...crossTradeEngine.read(), configCount: configs.length, configs }
      },
      watch: (changed) => both(crossTrade.watch(changed), crossTradeEngine.watch(changed)),
    },
    portfolio: portfolioSource({
      services,
      connect: stores.connect,
      hasSubscribers: () => stores.hasSubscribers('portfolio'),
      onBug: stores.onBug,
    }),
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first()
    second()
  }
}
