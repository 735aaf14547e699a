// `tasks.jsonl` (behaviour 41): what tasks are, what was decided, and what was asked of them, by whichever process. A decision is on the disk
// before any order of it leaves.
import { basename, join } from 'node:path'
import { watchFileClosely } from '../stores/directory-watch.ts'
import { type DurableJournal, openDurableJournal } from '../stores/durable-journal.ts'
import { type LineTail, openLineTail } from '../stores/line-tail.ts'
import { lookAtRecord, type RecordLook } from '../stores/private-file.ts'
import { StoreError, systemReason } from '../stores/store-error.ts'
import { linesToKeep } from './task-fold.ts'
import { encodeTaskLine, type JournalledTask } from './task-lines.ts'

export interface TaskJournal {
  look(): RecordLook
  /** Resolves when it is on the disk. @throws {StoreError} */
  append(line: JournalledTask): Promise<void>
  /** Survives the process, though not the machine; nobody waits for it. */
  note(line: JournalledTask): void
  /** All lines that count. @throws {StoreError} */
  read(): Promise<readonly string[]>
  /** What was written since the last call, by any process; some of it may have been there before. @throws {StoreError} */
  readOn(): Promise<readonly string[]>
  /** As `readOn`, for another reader, whose first call reads all that there is. */
  follow(): () => Promise<readonly string[]>
  /** Calls `look` soon after the file may have changed. @returns stops the calls */
  watch(look: () => void): () => void
  close(): Promise<void>
}

export interface TaskJournalOptions {
  readonly file: DurableJournal
  readonly look: () => RecordLook
  readonly openTail: () => LineTail
  readonly watch: (look: () => void) => () => void
  readonly now: () => number
  /** Called once when writing begins to fail, and with undefined when it works again. */
  readonly onProblem: (error: unknown) => void
}

/** Clocks of one machine; a file that was set aside is read again for so long. */
const ASIDE_MS = 10_000

export function openTaskJournal(directory: string, options: Pick<TaskJournalOptions, 'onProblem'>): TaskJournal {
  const path = join(directory, 'tasks.jsonl')
  return createTaskJournal({
    file: openDurableJournal({ path, carryOver: linesToKeep }),
    look: () => lookAtRecord(path),
    openTail: () => openLineTail(path),
    watch: (look) => watchFileClosely(path, look),
    now: Date.now,
    ...options,
  })
}

export function createTaskJournal({ file, look, openTail, watch, now, onProblem }: TaskJournalOptions): TaskJournal {
  const readWith = (tail: LineTail) => async (): Promise<readonly string[]> => {
    try {
      return (await tail.readOn(now() - ASIDE_MS)).lines
    } catch (error) {
      if (error instanceof StoreError) throw error
      const why = `${basename(file.path)} cannot be read: ${systemReason(error)}`
      throw new StoreError('store-corrupt', why, { hint: 'check its permissions', cause: error })
    }
  }
  let isFailing = false
  const note = async (line: JournalledTask): Promise<void> => {
    try {
      await file.note([encodeTaskLine(line)])
      if (isFailing) onProblem(undefined)
      isFailing = false
    } catch (error) {
      if (!isFailing) onProblem(error)
      isFailing = true
    }
  }
  return {
    look,
    append: (line) => file.append([encodeTaskLine(line)]),
    note: (line) => void note(line),
    read: () => file.read(),
    readOn: readWith(openTail()),
    follow: () => readWith(openTail()),
    watch,
    close: () => file.close(),
  }
}
