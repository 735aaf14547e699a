// What every folder needs once of things that happen at the same time: a limit on waiting, turns, bounded memory and growing pauses.

// Node and browsers both have these; the folder has the types of neither.
declare function setTimeout(run: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void

/** Runs `run` once after `ms`. @returns stops the timer */
export type StartTimer = (ms: number, run: () => void) => () => void

/** A timer that keeps the process alive. */
const startTimer: StartTimer = (ms, run) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** A timer that keeps no process alive. */
export const startUnheldTimer: StartTimer = (ms, run) => {
  const timer = setTimeout(run, ms)
  ;(timer as { unref?: () => void }).unref?.()
  return () => clearTimeout(timer)
}

/**
 * The result of `work`, or of `late` where `work` has not settled after `ms`. The work goes on; a failure that comes later is dropped.
 *
 * @param start the timer; one that keeps the process alive where none is given
 */
export async function withTimeout<Result, Late>(
  work: PromiseLike<Result>,
  ms: number,
  late: () => Late | PromiseLike<Late>,
  start: StartTimer = startTimer,
): Promise<Result | Late> {
  let stop = (): void => {}
  const timedOut = new Promise<typeof TIMED_OUT>((resolve) => {
    stop = start(ms, () => resolve(TIMED_OUT))
  })
  let first: Result | typeof TIMED_OUT
  try {
    first = await Promise.race([work, timedOut])
  } finally {
    stop()
  }
  return first === TIMED_OUT ? late() : (first as Result)
}

const TIMED_OUT = Symbol('timed out')

/** Runs work one after another, in the order of the calls. A failure goes to its caller and stops nothing. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Result | PromiseLike<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.then(
      () => {},
      () => {},
    )
    return result
  }

  /** Resolves when all work that was asked for until now has ended. */
  async idle(): Promise<void> {
    await this.#last
  }
}

/** A map of at most `max` entries: one more drops the oldest. Setting a key again makes it the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number
  readonly #onDrop: (key: Key, value: Value) => void

  /** @param onDrop gets each entry that the bound dropped, after it has left the map */
  constructor(max: number, onDrop: (key: Key, value: Value) => void = () => {}) {
    super()
    this.#max = max
    this.#onDrop = onDrop
  }

  override set(key: Key, value: Value): this {
    super.delete(key)
    super.set(key, value)
    if (this.size > this.#max) {
      const [oldest] = this.entries()
      if (oldest !== undefined) {
        super.delete(oldest[0])
        this.#onDrop(...oldest)
      }
    }
    return this
  }
}

/** A set of at most `max` values: one more drops the oldest. Adding a value again makes it the newest. */
export class BoundedSet<Value> extends Set<Value> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override add(value: Value): this {
    super.delete(value)
    super.add(value)
    const [oldest] = this
    if (this.size > this.#max) super.delete(oldest as Value)
    return this
  }
}

/** ms to wait after `failures` in a row: `firstMs` after one, twice as long after each further one, never more than `mostMs`; 0 after none. */
export function backoffMs(
  failures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
): number {
  return failures < 1 ? 0 : Math.min(firstMs * 2 ** Math.min(failures - 1, 32), mostMs)
}
