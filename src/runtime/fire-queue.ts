// Fires on their way to run (behaviour 30): a line for each hook, in the order accepted, and hooks take turns. One hook may neither hold all
// places nor fill the whole waiting room.
import { MIN_MAX_AGE_MS } from '../stores/hooks.ts'
import { Fifo } from './collections.ts'

/** How many runs there may be, and how long a fire may wait (behaviour 30). */
export interface RunLimits {
  /** Fires running at once. */
  readonly running: number
  /** Of one hook, unless it has `parallel`. */
  readonly runningPerHook: number
  /** Fires accepted and not yet begun. */
  readonly waiting: number
  /** Of one hook: none fills the waiting room for the others. */
  readonly waitingPerHook: number
  /** How long a fire may wait before it expires, unless its hook has `maxAgeMs`. */
  readonly maxAgeMs: number
  /** Ended runs that `runs` still shows. */
  readonly remembered: number
}

export const RUN_LIMITS: RunLimits = {
  running: 100,
  runningPerHook: 20,
  waiting: 10_000,
  waitingPerHook: 2_000,
  maxAgeMs: 30_000,
  remembered: 200,
}

/** The row of the hook as it was when it fired. */
export interface FiredHook {
  readonly id: string
  readonly name: string
  readonly secret: string
  /** Runs at once; absent: `runningPerHook`. */
  readonly parallel?: number
  /** How long a fire may wait; absent: the limits' `maxAgeMs`. */
  readonly maxAgeMs?: number
  /** Those that run only from one position begin one after another: two at once would both find it. */
  readonly limits?: { readonly onlyIf?: string }
}

/** A moment on both clocks: one stops while the machine sleeps, the other may be set back. */
export interface Moment {
  /** `performance.now()`. */
  readonly monotonicMs: number
  /** ms since the epoch. */
  readonly wallMs: number
}

export interface QueuedFire {
  readonly hook: FiredHook
  readonly acceptedAt: Moment
}

interface Lane<T> {
  /** As of its latest fire: limits that were changed hold for those that wait too. */
  hook: FiredHook
  readonly waiting: Fifo<T & object>
  /** Accepted; the journal does not have them yet. */
  announced: number
  running: number
  isInTurn: boolean
}

/** Lanes without fires are kept up to here: hooks that fire again and again do not make one each time. */
const IDLE_LANES = 256

export class FireQueue<T extends QueuedFire> {
  readonly #limits: RunLimits
  readonly #lanes = new Map<string, Lane<T>>()
  /** Lanes with a fire that may begin as soon as there is a place. */
  readonly #turns = new Fifo<Lane<T>>()
  /** Announced and queued. */
  #waiting = 0
  #announced = 0
  #running = 0

  constructor(limits: RunLimits) {
    this.#limits = limits
  }

  /** Those that wait for their turn. */
  get queued(): number {
    return this.#waiting - this.#announced
  }

  /** Hooks that it knows. */
  get laneCount(): number {
    return this.#lanes.size
  }

  hasRoom(hookId: string): boolean {
    const { waiting, waitingPerHook } = this.#limits
    if (this.#waiting >= waiting) return false
    const lane = this.#lanes.get(hookId)
    return lane === undefined || lane.announced + lane.waiting.length < waitingPerHook
  }

  /** A fire has been accepted; `add` follows. */
  announce(hook: FiredHook): void {
    const lane = this.#laneOf(hook)
    lane.hook = hook
    lane.announced++
    this.#announced++
    this.#waiting++
  }

  /** What was announced does not come. */
  withdraw({ id }: FiredHook): void {
    const lane = this.#lanes.get(id)
    if (lane === undefined) return
    lane.announced--
    this.#announced--
    this.#waiting--
  }

  /** It is in the journal and may begin in its turn. */
  add(fire: T): void {
    const lane = this.#laneOf(fire.hook)
    lane.announced--
    this.#announced--
    lane.waiting.add(fire)
    this.#giveTurn(lane)
  }

  /** The next that may begin now; it counts as running until `ended`. */
  take(): T | undefined {
    while (this.#running < this.#limits.running) {
      const lane = this.#turns.take()
      if (lane === undefined) return undefined
      lane.isInTurn = false
      const fire = this.#mayBegin(lane) ? lane.waiting.take() : undefined
      if (fire === undefined) continue
      lane.running++
      this.#running++
      this.#waiting--
      this.#giveTurn(lane)
      return fire
    }
    return undefined
  }

  /** One of this hook that `take` gave has ended. */
  ended(hookId: string): void {
    const lane = this.#lanes.get(hookId)
    if (lane === undefined) return
    lane.running--
    this.#running--
    this.#giveTurn(lane)
    this.#forgetIdle(lane)
  }

  /** Takes queued fires out, of each hook in the order accepted. */
  removeWhere(matches: (fire: T) => boolean): T[] {
    return this.#fromEach((lane) => lane.waiting.removeWhere(matches))
  }

  /** Takes out what has waited longer than it may. */
  removeExpired(now: Moment): T[] {
    return this.#fromEach((lane) => {
      const expired: T[] = []
      for (let first = lane.waiting.peek(); first !== undefined; first = lane.waiting.peek()) {
        if (!this.isExpired(first, now)) break
        lane.waiting.take()
        expired.push(first)
      }
      return expired
    })
  }

  isExpired(fire: T, now: Moment): boolean {
    const age = ageMs(fire.acceptedAt, now)
    return age > MIN_MAX_AGE_MS && age > this.maxAgeMs(fire)
  }

  /** Until the next one expires; undefined: none waits. */
  nextExpiryMs(now: Moment): number | undefined {
    let next: number | undefined
    for (const { waiting } of this.#lanes.values()) {
      const first = waiting.peek()
      if (first === undefined) continue
      const left = Math.max(0, this.maxAgeMs(first) - ageMs(first.acceptedAt, now))
      next = Math.min(next ?? left, left)
    }
    return next
  }

  /** How long a fire of this hook may wait. */
  maxAgeMs({ hook }: QueuedFire): number {
    return (this.#lanes.get(hook.id)?.hook ?? hook).maxAgeMs ?? this.#limits.maxAgeMs
  }

  #fromEach(removed: (lane: Lane<T>) => T[]): T[] {
    const all: T[] = []
    for (const lane of [...this.#lanes.values()]) {
      if (lane.waiting.length === 0) continue
      const some = removed(lane)
      this.#waiting -= some.length
      all.push(...some)
      this.#forgetIdle(lane)
    }
    return all
  }

  #laneOf(hook: FiredHook): Lane<T> {
    const known = this.#lanes.get(hook.id)
    if (known !== undefined) return known
    const lane: Lane<T> = { hook, waiting: new Fifo(), announced: 0, running: 0, isInTurn: false }
    this.#lanes.set(hook.id, lane)
    return lane
  }

  #mayBegin({ hook, waiting, running }: Lane<T>): boolean {
    return waiting.length > 0 && running < this.#placesOf(hook)
  }

  #placesOf({ parallel, limits }: FiredHook): number {
    return limits?.onlyIf === undefined ? (parallel ?? this.#limits.runningPerHook) : 1
  }

  #giveTurn(lane: Lane<T>): void {
    if (lane.isInTurn || !this.#mayBegin(lane)) return
    lane.isInTurn = true
    this.#turns.add(lane)
  }

  #forgetIdle(lane: Lane<T>): void {
    if (this.#lanes.size <= IDLE_LANES || lane.isInTurn) return
    if (lane.running + lane.announced + lane.waiting.length === 0) this.#lanes.delete(lane.hook.id)
  }
}

/** By whichever clock says more: a fire that slept through the night with the machine is old. */
function ageMs(from: Moment, now: Moment): number {
  return Math.max(now.monotonicMs - from.monotonicMs, now.wallMs - from.wallMs)
}
