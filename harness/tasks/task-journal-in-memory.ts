// `tasks.jsonl` without a disk. Two on the same lines are two processes.
import { createTaskJournal, type TaskJournal } from '../../src/tasks/task-journal.ts'
import { failLoudly } from '../commands/guarded-account.ts'
import { journalInMemory, tailInMemory } from '../venues/journal-in-memory.ts'

export function taskJournalInMemory(now: () => number, lines: string[] = []): TaskJournal {
  return createTaskJournal({
    ...{ file: journalInMemory(lines), tail: tailInMemory(lines), watch: () => () => {} },
    ...{ now, onProblem: (error) => error === undefined || failLoudly(error) },
  })
}
