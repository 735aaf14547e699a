// An order journal without a disk: for tests that move a clock by hand and must not wait for real input and output.
import type { DurableJournal } from '../../src/stores/durable-journal.ts'

export interface JournalInMemory extends DurableJournal {
  readonly lines: string[]
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
