// `runs:query` and `runs:show`: the run journal, page by page, and one run in full (behaviour 31).
import { defined } from '../../base/defined.ts'
import { CommandError } from '../../commands/kit/command-error.ts'
import type { RunArchive } from '../../commands/kit/ports.ts'
import { runOrderRow, runRow } from '../../protocol/desk-rows.ts'
import { pick } from '../../protocol/pick.ts'
import type { RunFilters, RunPages } from '../../runtime/run-pages.ts'
import type { Answerers } from './question.ts'

export interface RunQuestionPorts {
  readonly runPages: Pick<RunPages, 'page' | 'find'>
  readonly runArchive: Pick<RunArchive, 'output' | 'orders'>
  /** Whether pages see accounts. */
  readonly showsAccounts: () => boolean
}

export const DEFAULT_PAGE = 50
/** A UUID, or how one begins. */
const RUN_ID = /^[0-9a-f-]{8,36}$/

export function runQuestions({
  runPages,
  runArchive,
  showsAccounts,
}: RunQuestionPorts): Pick<Answerers, 'runs:query' | 'runs:show'> {
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
  }
}
