// `runs:query`, `runs:show` and `hooks:counts`: the run journal page by page, one run in full (behaviour 31), and how the fires of each hook went.

import { defined } from '../../base/defined.ts'
import { leftData } from '../../commands/hooks/limit-lines.ts'
import { CommandError } from '../../commands/kit/errors.ts'
import type { RunArchive } from '../../commands/kit/ports.ts'
import { isCounted } from '../../hooks/fire-limits.ts'
import { type Answerers, runOrderRow, runRow } from '../../protocol/desk-frames.ts'
import { pick } from '../../protocol/rows.ts'
import type { HookCounts } from '../../runs/run.ts'
import type { RunFilters, RunPages } from '../../runtime/run-pages.ts'
import type { Runner } from '../../runtime/runner.ts'
import type { HookStore } from '../../stores/hooks.ts'

interface RunQuestionPorts {
  readonly runPages: Pick<RunPages, 'page' | 'find'>
  readonly runArchive: Pick<RunArchive, 'output' | 'orders'>
  /** Whether pages see accounts. */
  readonly showsAccounts: () => boolean
  readonly hooks: Pick<HookStore, 'list'>
  /** Of the last 24 h, by hook id. */
  readonly hookCounts: () => Promise<ReadonlyMap<string, HookCounts>>
  readonly runner: Pick<Runner, 'hookFacts'>
}

export const DEFAULT_PAGE = 50
/** A UUID, or how one begins. */
const RUN_ID = /^[0-9a-f-]{8,36}$/

export function runQuestions({
  runPages,
  runArchive,
  showsAccounts,
  hooks,
  hookCounts,
  runner,
}: RunQuestionPorts): Pick<Answerers, 'runs:query' | 'runs:show' | 'hooks:counts'> {
  return {
    async 'runs:query'({ id, limit = DEFAULT_PAGE, cursor, filters = {} }) {
      const { runs, next } = await runPages.page(limit, filters as RunFilters, cursor)
      return { t: 'runs:page', id, runs: runs.map((run) => pick(runRow, run)), ...defined({ next }) }
    },
    async 'runs:show'({ id, runId }) {
      const wanted = runId.toLowerCase()
      const run = RUN_ID.test(wanted) ? await runPages.find(wanted) : undefined
      if (run === undefined)
        throw new CommandError('unknown-run', 'there is no such run', { hint: 'ask for `runs:query`' })
      // A page sees what pages and hooks did; what the operator's own terminal showed is the operator's.
      if (run.source === 'repl' || run.source === 'exec') {
        throw new CommandError('terminal-only', 'what was typed in a terminal is shown in a terminal only', {
          hint: `type \`runs show ${run.runId.slice(0, 8)}\` there`,
        })
      }
      const [output, orders] = await Promise.all([
        runArchive.output(run),
        showsAccounts() ? runArchive.orders(run) : undefined,
      ])
      return {
        t: 'runs:run',
        id,
        run: pick(runRow, run),
        leftOut: output.leftOut,
        steps: output.steps.map(([afterMs, tookMs, success, text]) => ({ afterMs, tookMs, success, text })),
        output: output.lines.map(([afterMs, kind, text]) => ({ afterMs, kind, text })),
        ...defined({ orders: orders?.map((order) => pick(runOrderRow, order)) }),
      }
    },
    async 'hooks:counts'({ id }) {
      const counts = await hookCounts()
      const all = hooks.list()
      // The runs that count are in memory: the journal is read for the first one that asks, be it a fire or a page.
      const left = all.filter(isCounted).map((hook) => ({ hookId: hook.id, ...leftData(hook, runner.hookFacts(hook)) }))
      return {
        t: 'hooks:day',
        id,
        hooks: all.flatMap(({ id: hookId }) => {
          const day = counts.get(hookId)
          return day === undefined ? [] : [{ hookId, ...day }]
        }),
        left,
      }
    },
  }
}
