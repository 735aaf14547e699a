import type { StoreProblem } from './store-error.ts'

/** One JSON file of the config directory, shared with other processes and with editors (design decision 22). */
export interface JsonFile<T> {
  readonly path: string
  /**
   * The value as on disk now. One bigint stat tells whether the file changed; it is read only then. Never throws for bad
   * content: the last good value (else the defaults) serves, and `problem()` says why.
   */
  read(): T
  /** As `read()`, but one stat serves all calls of one event-loop turn: the listener's hot path. */
  readInTurn(): T
  /** What is wrong with the file as of the last read. */
  problem(): StoreProblem | undefined
  /** The file exists, is bad, and no good content was ever read: callers fail closed. */
  unusable(): boolean
  /**
   * Under the cross-process lock: reads fresh, applies `change`, writes atomically. Returning the same reference writes
   * nothing. Updates of one process queue in order.
   * @throws {StoreError} `store-corrupt`, `store-locked`, `store-write-failed`; or whatever `change` throws
   */
  update(change: (current: T) => T): Promise<T>
  /** Calls `handler` after any change, by whomever. @returns stops the calls */
  watch(handler: () => void): () => void
}
