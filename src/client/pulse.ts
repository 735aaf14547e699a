// Whether hookline still says anything, and what its clock says. A WebSocket of a program that hangs stays open: only its beats end.
import { WIRE_LIMITS } from '../protocol/frames.ts'
import { Handlers } from './handlers.ts'

// Time and chance, as ports: tests set them, everybody else takes the environment's.

export interface Timers {
  /** ms since the epoch. */
  now(): number
  /** @returns cancels it */
  after(ms: number, action: () => void): () => void
}

/** From 0 to below 1. */
export type Random = () => number

export const REAL_TIMERS: Timers = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms)
    return () => clearTimeout(timer)
  },
}

/** One beat may be late. */
const SILENCE_MS = WIRE_LIMITS.beatMs + 3_000
/** What arrived while this page itself did nothing is taken first. */
const GRACE_MS = 250
/** The beat of these that took the least time tells the clock best. */
const BEATS = 3

export class Pulse {
  readonly #timers: Timers
  readonly #silences = new Handlers<number | undefined>()
  #receivedAt = 0
  #isBeating = false
  #silentSince: number | undefined
  #offsets: readonly number[] = []
  #cancel = (): void => {}

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** When hookline was heard last, where that is too long ago; ms since the epoch. */
  get silentSince(): number | undefined {
    return this.#silentSince
  }

  /** @returns stops the calls */
  onSilence(handler: (since: number | undefined) => void): () => void {
    return this.#silences.add(handler)
  }

  /** hookline's clock, as far as its beats tell it; else this one's. */
  get time(): number {
    return this.#timers.now() + (this.#offsets.length === 0 ? 0 : Math.max(...this.#offsets))
  }

  /** Any frame. @param beat what hookline's clock said, where it is a beat */
  received(beat: number | undefined): void {
    this.#receivedAt = this.#timers.now()
    if (beat !== undefined) this.#offsets = [...this.#offsets, beat - this.#receivedAt].slice(-BEATS)
    this.#become(undefined)
    // An older hookline does not beat, and may have nothing to say.
    if (beat === undefined || this.#isBeating) return
    this.#isBeating = true
    this.#watch(SILENCE_MS)
  }

  /** The connection has ended. */
  stop(): void {
    this.#cancel()
    this.#isBeating = false
    this.#offsets = []
    this.#become(undefined)
  }

  #watch(ms: number): void {
    this.#cancel = this.#timers.after(ms, () => {
      const quietMs = this.#timers.now() - this.#receivedAt
      if (quietMs < SILENCE_MS) return this.#watch(SILENCE_MS - quietMs)
      this.#cancel = this.#timers.after(GRACE_MS, () => {
        if (this.#timers.now() - this.#receivedAt >= SILENCE_MS) this.#become(this.#receivedAt)
        this.#watch(SILENCE_MS)
      })
    })
  }

  #become(silentSince: number | undefined): void {
    if (this.#silentSince === silentSince) return
    this.#silentSince = silentSince
    this.#silences.call(silentSince)
  }
}
