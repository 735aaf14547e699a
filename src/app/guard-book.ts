// The day of every account, as the order journal has it: one book for all accounts of this process, opened by the first that needs it.
import type { DayBook } from '../guards/day-book.ts'
import { openLineTail } from '../stores/durable-journal.ts'
import type { OrderJournal } from '../trading/order-journal.ts'

/** @param path of the order journal */
export function createGuardBook(path: string, journal: OrderJournal, now: () => number): () => Promise<DayBook> {
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
