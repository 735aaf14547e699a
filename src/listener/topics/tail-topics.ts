// The topics `runs`, `fills` and `equity`: what happens, as it happens. The first two are told in parts after their first snapshot: what has
// changed since the last frame.
import { defined } from '../../base/defined.ts'
import { runRow } from '../../protocol/desk-rows.ts'
import { pick } from '../../protocol/pick.ts'
import type { RunRequest, RunSummary } from '../../runs/run.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { EquityRecord } from '../../stores/equity-log.ts'
import type { FillTail, OwnOrderFill } from '../../trading/fill-tail.ts'
import { fillRowOf } from '../requests/account-questions.ts'
import type { TopicSource } from './topics.ts'

/** Rows of one frame. */
export const MAX_ROWS = 200
/** Changes that are told apart; the others are counted. */
const MAX_CHANGES = 1_000

type Config = Pick<ConfigStore, 'read' | 'watch'>

/** @param isHeard without anybody who listens a run costs nothing here */
export function runsTopic(runner: Pick<Runner, 'runs' | 'addSink'>, isHeard: () => boolean): TopicSource {
  const changed = new Set<string>()
  let uncounted = 0
  return {
    snapshot: () => ({ t: 'state:runs', runs: rowsOf(runner.runs(MAX_ROWS)) }),
    change() {
      const changes = runner.runs().filter(({ runId }) => changed.has(runId))
      const told = changes.slice(0, MAX_ROWS)
      const leftOut = changed.size + uncounted - told.length
      changed.clear()
      uncounted = 0
      if (told.length === 0 && leftOut === 0) return undefined
      return { t: 'state:runs', runs: rowsOf(told), part: true, ...(leftOut > 0 ? { leftOut } : {}) }
    },
    watch(tell) {
      const note = ({ runId }: RunRequest): void => {
        if (!isHeard()) return
        if (changed.size < MAX_CHANGES) changed.add(runId)
        else uncounted += 1
        tell()
      }
      return runner.addSink({ started: note, done: note, unbegun: note })
    },
  }
}

function rowsOf(runs: readonly RunSummary[]) {
  return runs.map((run) => pick(runRow, run))
}

export function fillsTopic(fills: FillTail, config: Config, isHeard: () => boolean): TopicSource {
  let news: OwnOrderFill[] = []
  let uncounted = 0
  return {
    snapshot() {
      if (!config.read().listener.accountSync) return 'accountSync disabled'
      return { t: 'state:fills', fills: fills.list().map(rowOf) }
    },
    change() {
      const told = news.toReversed()
      const leftOut = uncounted
      news = []
      uncounted = 0
      if (told.length === 0 || !config.read().listener.accountSync) return undefined
      return { t: 'state:fills', fills: told.map(rowOf), part: true, ...(leftOut > 0 ? { leftOut } : {}) }
    },
    watch: (tell) =>
      fills.watch((fill) => {
        if (!isHeard()) return
        news.push(fill)
        if (news.length > MAX_ROWS) {
          news.shift()
          uncounted += 1
        }
        tell()
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
}

export function equityTopic(equity: EquitySource, config: Config): TopicSource {
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
