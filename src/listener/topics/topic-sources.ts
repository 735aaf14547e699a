// Where each topic's snapshot comes from, and what may change it. Rows are built field by field, so nothing secret or unknown
// leaves (behaviour 18).
import { basename } from 'node:path'
import { defined } from '../../base/defined.ts'
import { whenData, withoutHoldings } from '../../commands/hooks/hook-trigger.ts'
import { seesAllProposals } from '../../commands/kit/effects.ts'
import { guardingOf } from '../../commands/kit/lines.ts'
import type { CommandPorts, ProposalPort } from '../../commands/kit/ports.ts'
import { printable } from '../../language/printable.ts'
import type { NoticeBoard } from '../../notices/notice-board.ts'
import type { Frame, GuardRow } from '../../protocol/frames.ts'
import type { RunRequest, RunSummary } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import { scrubAccount } from '../../stores/accounts.ts'
import type { ConfigStore } from '../../stores/config.ts'
import {
  type CrossTradeEngine,
  type CrossTradeStore,
  type LeadingPages,
  scrubCrossTradeConfig,
} from '../../stores/cross-trade.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import { type Hook, type ScrubbedHook, scrubHook } from '../../stores/hooks.ts'
import type { FileState } from '../../stores/json-file.ts'
import type { PanicStore } from '../../stores/panic.ts'
import type { Proposal, ProposalBook } from '../../stores/proposals.ts'
import type { StoreProblem } from '../../stores/store-error.ts'
import { scrubTask, type TaskStore } from '../../stores/tasks.ts'
import type { TrustedClientStore } from '../../stores/trusted-clients.ts'
import type { TriggerSight } from '../../tasks/hook-triggers.ts'
import type { FillTail, OwnOrderFill } from '../../trading/fill-tail.ts'
import { fillRowOf, shownProposal, shownRun } from '../requests/questions.ts'
import { type PortfolioPorts, PortfolioSource } from './portfolio.ts'
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
  /** Of hooks that fire by themselves, as far as this process judges them. */
  readonly triggers?: (() => readonly TriggerSight[]) | undefined
  readonly notices: Pick<NoticeBoard, 'list' | 'watch'>
  readonly proposals: Pick<ProposalPort, 'follow'>
  readonly trustedClients: Pick<TrustedClientStore, 'grantOf' | 'watch'>
  /** Every file of the config directory. */
  readonly files: readonly FileState[]
  readonly hasSubscribers: (topic: SnapshotTopic) => boolean
  readonly onBug: (error: unknown) => void
}

/** Values of conditions move with the market. */
const SIGHTS_EVERY_MS = 5_000

/** With what is known of their conditions now. */
function hookRows(hooks: readonly Hook[], sights: readonly TriggerSight[], isHidden: boolean): ScrubbedHook[] {
  const now = Date.now()
  const byId = new Map(sights.map((sight) => [sight.hookId, sight]))
  return hooks.map((hook) => {
    const row = scrubHook(hook)
    if (hook.when === undefined) return row
    const known = byId.get(hook.id) ?? {}
    return { ...row, when: whenData(hook.when, now, isHidden ? withoutHoldings(hook.when, known) : known) }
  })
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
      snapshot() {
        const isHidden = !config.read().listener.accountSync
        return { t: 'state:hooks', hooks: hookRows(hooks.list(), stores.triggers?.() ?? [], isHidden) }
      },
      watch(changed) {
        const stopWatching = hooks.watch(changed)
        const timer = setInterval(() => {
          if (stores.hasSubscribers('hooks') && hooks.list().some(({ when }) => when !== undefined)) changed()
        }, SIGHTS_EVERY_MS).unref()
        return () => {
          clearInterval(timer)
          stopWatching()
        }
      },
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
    proposals: proposalsTopic(stores),
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

// The `flags` topic: what is switched off, held up or invalid, and by whom.

interface FlagStores {
  readonly services: Pick<CommandPorts, 'config' | 'focus' | 'accounts' | 'guards'>
  readonly panic: Pick<PanicStore, 'read'>
  /** Every file of the config directory. */
  readonly files: readonly FileState[]
}

/** Problems that are told one by one; all are counted. */
const MAX_PROBLEMS = 20
const MAX_TEXT = 300

function flagsTopic(stores: FlagStores): TopicSource {
  const { focus } = stores.services
  return {
    snapshot: () => flagsOf(stores),
    watch(changed) {
      const stops = [focus.watch(changed), ...stores.files.map((file) => file.watch(changed))]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

function flagsOf({ services, panic, files }: FlagStores): Frame<'state:flags'> {
  const { config, focus, accounts } = services
  const { remoteExec, accountSync } = config.read().listener
  const { guard, simulated, since, by } = guardRowOf(services, focus.account())
  const faulty = files.map(problemsOf).filter((problems) => problems.length > 0)
  const sent = faulty.flat().slice(0, MAX_PROBLEMS)
  const isPanic = panic.read()
  const held = accountSync ? accounts.list().flatMap(({ name }) => heldUp(guardRowOf(services, name))) : []
  return {
    t: 'state:flags',
    remoteExec,
    accountSync,
    invalidFiles: faulty.length,
    ...defined({ guard }),
    ...(simulated === true ? { simulated } : {}),
    ...defined({ since, by }),
    ...(isPanic && {
      panic: { ...(isPanic.since === 0 ? {} : { since: isPanic.since }), by: printable(isPanic.by, MAX_TEXT) },
    }),
    ...(held.length > 0 && { accounts: held }),
    ...(sent.length > 0 && { files: sent.map(fileFault) }),
  }
}

function problemsOf(file: FileState): readonly StoreProblem[] {
  file.look()
  return file.problems()
}

/** Of the path its last part: where the files are is nothing that a page has to know. */
function fileFault({ kind, path, line, message }: StoreProblem) {
  const place = line === undefined ? '' : `line ${line}: `
  return { file: basename(path), message: printable(`${place}${message}`, MAX_TEXT), kind }
}

function guardRowOf(services: FlagStores['services'], account: string): GuardRow {
  const { state, simulated, since, by } = guardingOf(services, account)
  return {
    account,
    ...(state === 'active' ? {} : { guard: state }),
    ...(simulated ? { simulated } : {}),
    ...defined({ since }),
    ...(by === undefined ? {} : { by: printable(by, MAX_TEXT) }),
  }
}

function heldUp(row: GuardRow): readonly GuardRow[] {
  return row.guard === undefined && row.simulated !== true ? [] : [row]
}

// The topics `runs`, `fills` and `equity`: what happens, as it happens. The first two are told in parts after their first snapshot: what has
// changed since the last frame.

/** Rows of one frame. */
const MAX_ROWS = 200
/** Changes that are told apart; the others are counted. */
const MAX_CHANGES = 1_000

type Config = Pick<ConfigStore, 'read' | 'watch'>

/** @param isSubscribed without anybody who listens a run costs nothing here */
function runsTopic(runner: Pick<Runner, 'runs' | 'addSink'>, isSubscribed: () => boolean): TopicSource {
  const changed = new Set<string>()
  let uncounted = 0
  return {
    snapshot: () => ({ t: 'state:runs', runs: rowsOf(runner.runs(MAX_ROWS)) }),
    change() {
      const changes = runner.runs().filter(({ runId }) => changed.has(runId))
      const sent = changes.slice(0, MAX_ROWS)
      const leftOut = changed.size + uncounted - sent.length
      changed.clear()
      uncounted = 0
      if (sent.length === 0 && leftOut === 0) return undefined
      return { t: 'state:runs', runs: rowsOf(sent), part: true, ...(leftOut > 0 ? { leftOut } : {}) }
    },
    watch(notify) {
      const note = ({ runId }: RunRequest): void => {
        if (!isSubscribed()) return
        if (changed.size < MAX_CHANGES) changed.add(runId)
        else uncounted += 1
        notify()
      }
      return runner.addSink({ started: note, done: note, unbegun: note })
    },
  }
}

function rowsOf(runs: readonly RunSummary[]) {
  return runs.map(shownRun)
}

function fillsTopic(fills: FillTail, config: Config, isSubscribed: () => boolean): TopicSource {
  let news: OwnOrderFill[] = []
  let uncounted = 0
  return {
    snapshot() {
      if (!config.read().listener.accountSync) return 'accountSync disabled'
      return { t: 'state:fills', fills: fills.list().map(rowOf) }
    },
    change() {
      const sent = news.toReversed()
      const leftOut = uncounted
      news = []
      uncounted = 0
      if (sent.length === 0 || !config.read().listener.accountSync) return undefined
      return { t: 'state:fills', fills: sent.map(rowOf), part: true, ...(leftOut > 0 ? { leftOut } : {}) }
    },
    watch: (notify) =>
      fills.watch((fill) => {
        if (!isSubscribed()) return
        news.push(fill)
        if (news.length > MAX_ROWS) {
          news.shift()
          uncounted += 1
        }
        notify()
      }),
  }
}

function rowOf({ account, trade, by }: OwnOrderFill) {
  return fillRowOf(account, { trade, ...defined({ by }) })
}

/** What the accounts in use are worth, as it was last looked at. */
export interface EquitySource {
  latest(): readonly EquityRecord[]
  watch(handler: () => void): () => void
  read(account: string, from?: number, to?: number): Promise<readonly EquityRecord[]>
  /** Writes down what an account is worth now. */
  note(record: EquityRecord): void
}

function equityTopic(equity: EquitySource, config: Config): TopicSource {
  return {
    snapshot() {
      if (!config.read().listener.accountSync) return 'accountSync disabled'
      return {
        t: 'state:equity',
        accounts: equity
          .latest()
          .map(({ account, currency, at, total, wallet }) => ({ account, currency, at, total, wallet })),
      }
    },
    watch(changed) {
      const stops = [equity.watch(changed), config.watch(changed)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

/** Those of the last that a person still looks at. */
const MAX_PROPOSALS = 30

/** They show accounts: as with notices, a page that may not see those sees none. A client that may not trade sees its own alone. */
function proposalsTopic({ proposals, trustedClients, services: { config } }: TopicStores): TopicSource {
  let book: ProposalBook = { proposals: [] }
  const shown = (seen: readonly Proposal[]): Frame<'state:proposals'> => ({
    t: 'state:proposals',
    proposals: seen.slice(-MAX_PROPOSALS).map(shownProposal),
  })
  return {
    snapshot: () => undefined,
    shareOf({ caller: { clientId, origin } }) {
      if (!config.read().listener.accountSync) return 'accountSync disabled'
      if (seesAllProposals(trustedClients.grantOf(clientId, origin))) return shown(book.proposals)
      return shown(book.proposals.filter((each) => each.clientId === clientId))
    },
    watch: (changed) =>
      all(
        proposals.follow((next) => {
          book = next
          changed()
        }),
        config.watch(changed),
        trustedClients.watch(changed),
      ),
  }
}
