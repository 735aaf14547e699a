// The journals of this process: who ordered what, what ran, and what it said.
import { join } from 'node:path'
import { countedRunsOf } from '../hooks/fire-limits.ts'
import { hideTokens } from '../language/printable.ts'
import { openRunJournal } from '../runtime/run-journal.ts'
import { openRunOutputLog, type RunOutputLog } from '../runtime/run-output-log.ts'
import { openLineTail } from '../stores/durable-journal.ts'
import type { HookStore } from '../stores/hooks.ts'
import { tailFills } from '../trading/fill-tail.ts'
import { createOrderJournal, openOrderFile } from '../trading/order-journal.ts'
import { createGuardBook } from './guard-book.ts'
import { describeJournalProblem, describeOrderJournalProblem, describeRunOutputProblem } from './warnings.ts'

interface JournalOptions {
  readonly directory: string
  /** ms since the epoch. */
  readonly now: () => number
  readonly hooks: Pick<HookStore, 'isSecret' | 'list'>
  readonly warn: (text: string) => void
}

export function openJournals({ directory, now, hooks, warn }: JournalOptions) {
  const ordersPath = join(directory, 'orders.jsonl')
  const { journal: orders, fills } = tailFills(
    createOrderJournal(openOrderFile(ordersPath), {
      tail: openLineTail(ordersPath),
      onProblem: (error) => warn(describeOrderJournalProblem(error)),
    }),
  )
  const output: RunOutputLog = openRunOutputLog({
    path: join(directory, 'run-output.jsonl'),
    hideSecrets: (text) => hideTokens(text, (candidate) => hooks.isSecret(candidate)),
    onProblem: (error) => warn(describeRunOutputProblem(error)),
  })
  return {
    orders,
    /** What they fill, as it is written down. */
    fills,
    /** What the orders of all accounts add up to. */
    book: createGuardBook(ordersPath, orders, now),
    runs: openRunJournal({
      path: join(directory, 'runs.jsonl'),
      countedRuns: countedRunsOf(hooks),
      onProblem: (error) => warn(describeJournalProblem(error)),
    }),
    output,
  }
}
