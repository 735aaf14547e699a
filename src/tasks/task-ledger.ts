// What is known of one task, line by line as it is written down.
import type { Clock } from '../trading/clock.ts'
import { type Applied, withLine } from './task-fold.ts'
import type { TaskRecord } from './task-record.ts'

export interface TaskLedgerPorts {
  readonly clock: Clock
  /** Resolves when it is on the disk. @throws {StoreError} */
  append(line: Applied): Promise<void>
  /** Nobody waits for it. */
  note(line: Applied): void
}

/** What a driver writes of its own task. */
type OwnLine = Exclude<Applied, { t: 'asked' | 'answered' }>
type Unnumbered<Line> = Line extends OwnLine ? Omit<Line, 'id' | 'n' | 'at'> : never
type LedgerLine = Unnumbered<OwnLine>

export class TaskLedger {
  readonly #ports: TaskLedgerPorts
  #record: TaskRecord

  constructor(record: TaskRecord, ports: TaskLedgerPorts) {
    this.#record = record
    this.#ports = ports
  }

  get record(): TaskRecord {
    return this.#record
  }

  /** It runs, and nobody has paused or ended it. */
  get isRunning(): boolean {
    const { status, isPaused, ending } = this.#record
    return status === 'running' && !isPaused && ending === undefined
  }

  /** @throws {StoreError} */
  append(line: LedgerLine): Promise<void> {
    return this.#ports.append(this.#numbered(line))
  }

  note(line: LedgerLine): void {
    this.#ports.note(this.#numbered(line))
  }

  #numbered(line: LedgerLine): OwnLine {
    const { id, lastLine } = this.#record
    const numbered = { ...line, id, n: lastLine + 1, at: this.#ports.clock.now() } as OwnLine
    this.#record = withLine(this.#record, numbered)
    return numbered
  }
}
