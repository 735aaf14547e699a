// The journals of this process: orders, runs and their output.
import { join } from 'node:path'
import type { DayBook } from '../guards/day-book.ts'
import { countedRunsOf } from '../hooks/fire-limits.ts'
import { hideTokens } from '../language/printable.ts'
import { openRunJournal } from '../runtime/run-journal.ts'
import { openRunOutputLog, type RunOutputLog } from '../runtime/run-output-log.ts'
import { openLineTail } from '../stores/durable-journal.ts'
import type { HookStore } from '../stores/hooks.ts'
import { openNoteStore } from '../stores/notes.ts'
import { tailFills } from '../trading/fill-tail.ts'
import { createOrderJournal, type OrderJournal, openOrderFile } from '../trading/order-journal.ts'
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
    notes: openNoteStore(directory),
  }
}

/** One book of the day for all accounts of this process, read from the order journal and opened by the first that needs it. */
function createGuardBook(path: string, journal: OrderJournal, now: () => number): () => Promise<DayBook> {
  let book: Promise<DayBook> | undefined
  const open = async () => {
    const { openDayBook } = await import('../guards/day-book.ts')
    return openDayBook({ journal, tail: openLineTail(path), now })
  }
  return () => {
    book ??= open()
    return book
  }
}
