// `tasks.jsonl` (behaviour 41): what tasks are, what was decided, and what was asked of them, by whichever process. A decision is on the disk
// before any order of it leaves.
import { basename, join } from 'node:path'
import { watchFileClosely } from '../stores/directory-watch.ts'
import { type DurableJournal, type LineTail, openDurableJournal, openLineTail } from '../stores/durable-journal.ts'
import { currentTurn } from '../stores/event-loop-turn.ts'
import { lookAtRecord, type RecordLook } from '../stores/private-file.ts'
import { StoreError, systemReason } from '../stores/store-error.ts'
import type { TaskStore } from '../stores/tasks.ts'
import type { RiskEffect } from './task-kind.ts'
import { encodeTaskLine, foldTasks, type JournalledTask, linesToKeep, type TaskRecord } from './task-record.ts'
import { type Hold, heldByFile } from './task-rules.ts'

export interface TaskJournal {
  look(): RecordLook
  /** Resolves when it is on the disk. @throws {StoreError} */
  append(line: JournalledTask): Promise<void>
  /** Survives the process, though not the machine; no one waits for it. */
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
      const own = tail.takeOwn?.() ?? []
      if (tail.isAtEnd?.() === true) return own
      return [...own, ...(await tail.readOn(now() - ASIDE_MS)).lines]
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
  const tail = openTail()
  file.onWritten?.((written) => tail.noteOwn?.(written))
  return {
    look,
    append: (line) => file.append([encodeTaskLine(line)]),
    note: (line) => void note(line),
    read: () => file.read(),
    readOn: readWith(tail),
    follow: () => readWith(openTail()),
    watch,
    close: () => file.close(),
  }
}

// Whether `tasks.jsonl`, by which tasks are steered and found again, and `tasks.json`, by which they are seen, can be relied on (behaviour 41). What
// adds does not go on where either cannot; what was lost of the first is written anew from what its driver knows.

interface TaskFilesPorts {
  readonly journal: Pick<TaskJournal, 'look' | 'read' | 'append'>
  readonly rows: Pick<TaskStore, 'list' | 'losses' | 'problem'>
  readonly now: () => number
  /** Of tasks that this process drives. */
  records(): readonly TaskRecord[]
  /** Their rows are not in the file any more. */
  writeRows(): void
}

/** Editors and `git pull` write in pieces. */
const BAD_FOR_MS = 800

export class TaskFiles {
  readonly #ports: TaskFilesPorts
  /** Of `tasks.jsonl`, as it was when it had all that is known here. */
  #identity: string | undefined
  #rowsBadSince: number | undefined
  /** What was found last: it holds what began before. */
  #last: { readonly at: number; readonly why: string } | undefined
  #isFaulty = false
  /** One look serves all questions of an event-loop turn. */
  #seen: { readonly turn: number; readonly look: RecordLook } | undefined
  #lossesSeen: number
  /** Over since the journal could last be written. */
  readonly #ended = new Map<string, TaskRecord>()

  constructor(ports: TaskFilesPorts) {
    this.#ports = ports
    this.#lossesSeen = ports.rows.losses()
  }

  /** By the table of stops. @param since what was over by then holds no longer; undefined: nothing that is over does */
  hold(effect: RiskEffect, since: number | undefined): Hold | undefined {
    const { fault } = this.#lookOncePerTurn()
    const rows = this.#rowsFault()
    const last = since !== undefined && this.#last !== undefined && this.#last.at > since ? this.#last.why : undefined
    return (
      (fault === undefined ? undefined : heldByFile('tasks.jsonl unreadable', effect, fault)) ??
      (rows === undefined ? undefined : heldByFile('tasks.json unreadable', effect, rows)) ??
      (last === undefined ? undefined : heldByFile('tasks.jsonl gone', effect, last))
    )
  }

  #lookOncePerTurn(): RecordLook {
    const turn = currentTurn()
    if (this.#seen?.turn !== turn) this.#seen = { turn, look: this.#ports.journal.look() }
    return this.#seen.look
  }

  /** Once a second. @throws {StoreError} what was lost cannot be written yet */
  async look(): Promise<void> {
    const { journal, now } = this.#ports
    const { fault, identity } = journal.look()
    this.#lookAtRows()
    const why = fault ?? this.#rowsFault()
    if (why !== undefined && !this.#isFaulty) this.#last = { at: now(), why }
    this.#isFaulty = why !== undefined
    if (fault !== undefined) this.#identity = undefined
    else if (identity !== this.#identity) await this.#compare(identity)
  }

  /** It may have ended while that could not be written. */
  ended(record: TaskRecord): void {
    if (this.#identity === undefined) this.#ended.set(record.id, record)
  }

  async #compare(identity: string): Promise<void> {
    const { journal, now, records } = this.#ports
    const own = () => [...records(), ...this.#ended.values()]
    const before = new Set(own().map(({ id }) => id))
    const known = foldTasks(await journal.read())
    // One that began meanwhile is not in what was read, and not gone.
    const all = own().filter(({ id }) => before.has(id))
    const isGone = all.some(({ id }) => !known.has(id))
    if (isGone) this.#last = { at: now(), why: 'tasks.jsonl was gone' }
    // Set aside because it had grown, it has them all.
    const behind = all.filter(({ id, lastLine }) => lastLine > (known.get(id)?.lastLine ?? -1))
    for (const record of behind) await journal.append({ t: 'kept', id: record.id, record })
    for (const { id } of all) this.#ended.delete(id)
    // One that began and ended meanwhile is looked for once more.
    if (this.#ended.size === 0) this.#identity = behind.length === 0 ? identity : journal.look().identity
  }

  #lookAtRows(): void {
    const { rows, now, writeRows } = this.#ports
    rows.list()
    if (rows.problem() === undefined) this.#rowsBadSince = undefined
    else this.#rowsBadSince ??= now()
    if (rows.losses() === this.#lossesSeen) return
    this.#lossesSeen = rows.losses()
    this.#last = { at: now(), why: 'tasks.json was gone' }
    writeRows()
  }

  #rowsFault(): string | undefined {
    const { rows, now } = this.#ports
    const since = this.#rowsBadSince
    if (since === undefined || now() - since < BAD_FOR_MS || rows.problem() === undefined) return undefined
    return 'tasks.json cannot be read'
  }
}
