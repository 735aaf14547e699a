// Where each topic's snapshot comes from, and what may change it. Rows are built field by field, so nothing secret or unknown
// leaves (design decision 18).
import type { Services } from '../commands/command.ts'
import type { CrossTradeConfig, TaskRow } from '../protocol/frames.ts'
import { scrubAccount } from '../stores/accounts.ts'
import type { CrossTradeStore, CrossTradeConfig as StoredCrossTradeConfig } from '../stores/cross-trade.ts'
import type { CrossTradeEngine } from '../stores/cross-trade-engine.ts'
import { scrubHook } from '../stores/hooks.ts'
import type { TaskStore } from '../stores/tasks.ts'
import type { SnapshotTopic, TopicSource } from './topics.ts'

export interface TopicStores {
  readonly services: Pick<Services, 'config' | 'accounts' | 'hooks'>
  readonly tasks: TaskStore
  readonly crossTrade: CrossTradeStore
  readonly crossTradeEngine: CrossTradeEngine
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
      snapshot: () => ({ t: 'state:tasks', tasks: tasks.list().map(taskRow) }),
      watch: (changed) => tasks.watch(changed),
    },
    'cross-trade': {
      snapshot() {
        const configs = crossTrade.list().map(configRow)
        return { t: 'state:cross-trade', ...crossTradeEngine.read(), configCount: configs.length, configs }
      },
      watch: (changed) => both(crossTrade.watch(changed), crossTradeEngine.watch(changed)),
    },
  }
}

function both(first: () => void, second: () => void): () => void {
  return () => {
    first()
    second()
  }
}

function taskRow({
  id,
  kind,
  account,
  symbol,
  command,
  runId,
  status,
  progress,
  startedAt,
  updatedAt,
}: TaskRow): TaskRow {
  return { id, kind, account, symbol, command, runId, status, progress, startedAt, updatedAt }
}

function configRow(config: StoredCrossTradeConfig): CrossTradeConfig {
  const { id, enabled, masterAccount, masterSymbol, masterWeight, copiers, updatedAt } = config
  return {
    id,
    enabled,
    masterAccount,
    ...(masterSymbol === undefined ? {} : { masterSymbol }),
    masterWeight,
    copiers: copiers.map(({ account, symbol, weight, mode }) => ({
      account,
      ...(symbol === undefined ? {} : { symbol }),
      weight,
      mode,
    })),
    updatedAt,
  }
}
