// An order journal without a disk: for tests that move a clock by hand and must not wait for real input and output.
import type { DurableJournal, LineTail } from '../../src/stores/durable-journal.ts'

export interface JournalInMemory extends DurableJournal {
  readonly lines: string[]
}

/** Reads on where it was. */
export function tailInMemory(lines: readonly string[]): LineTail {
  let read: number | undefined
  return {
    async readOn() {
      // Removed, and begun again.
      if (read !== undefined && lines.length < read) read = undefined
      const isAnew = read === undefined
      const from = read ?? 0
      read = lines.length
      return { isAnew, lines: lines.slice(from) }
    },
    forget() {
      read = undefined
    },
  }
}

export function journalInMemory(lines: string[] = []): JournalInMemory {
  const keep = async (more: readonly string[]) => void lines.push(...more)
  return {
    path: '/nowhere/orders.jsonl',
    lines,
    append: keep,
    note: keep,
    read: async () => [...lines],
    version: async () => String(lines.length),
    close: async () => {},
  }
}
