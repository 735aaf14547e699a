// `tasks.jsonl` without a disk. Two on the same lines are two processes; each hears of what is written, as by a watched file.

import type { RecordLook } from '../../src/stores/private-file.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { createTaskJournal, type TaskJournal } from '../../src/tasks/task-journal.ts'
import { failLoudly } from '../commands/guarded-account.ts'
import { journalInMemory, tailInMemory } from '../venues/journal-in-memory.ts'

const watchers = new WeakMap<string[], Set<() => void>>()

/** @param isFailing no line can be written @param look default: nothing is wrong */
export function taskJournalInMemory(
  now: () => number,
  lines: string[] = [],
  isFailing: () => boolean = () => false,
  look: () => RecordLook = () => ({ identity: 'in memory' }),
): TaskJournal {
  const file = journalInMemory(lines)
  const looks = watchers.get(lines) ?? new Set()
  watchers.set(lines, looks)
  const write = async (more: readonly string[]): Promise<void> => {
    if (isFailing()) throw new StoreError('store-write-failed', 'tasks.jsonl cannot be written')
    lines.push(...more)
    for (const look of looks) look()
    // A write that is on the disk was seen before its writer goes on.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return createTaskJournal({
    file: { ...file, append: write, note: write },
    look,
    openTail: () => tailInMemory(lines),
    watch(look) {
      looks.add(look)
      return () => looks.delete(look)
    },
    now,
    onProblem: (error) => error === undefined || isFailing() || failLoudly(error),
  })
}
