// Takes fires out of their lines as places become free, and looks again at all that may have changed since they were accepted (behaviour 30, 47).
import type { Authority } from '../authority/authority.ts'
import type { RunResult, Unbegun } from '../runs/run.ts'
import { showDuration } from '../trading/figures.ts'
import type { Accepted, AcceptedFire } from './active-run.ts'
import type { UnorderedSet } from './collections.ts'
import { MAX_HOLD_MS } from './execute-chain.ts'
import type { FireQueue, Moment, QueuedFire } from './fire-queue.ts'
import type { FireCare } from './hook-circuit-breaker.ts'

interface FireStartsOptions {
  readonly queue: FireQueue<AcceptedFire>
  readonly authority: Authority
  readonly care: FireCare
  /** Runs that are on their way: they can be stopped, and a stop waits for them. */
  readonly accepting: UnorderedSet<Accepted>
  readonly now: () => Moment
  readonly begin: (fire: AcceptedFire) => void
  readonly endUnbegun: (fire: AcceptedFire, result: RunResult) => void
  /** All that may begin has begun. */
  readonly onLooked: () => void
}

export class FireStarts {
  readonly #options: FireStartsOptions
  #isScheduled = false
  #isStarting = false

  constructor(options: FireStartsOptions) {
    this.#options = options
  }

  /** When all that the journal wrote at once has been answered: no caller's answer waits for another's run. */
  soon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.all()
    })
  }

  /** Runs that end at once come back here; the outer loop goes on for them, so the stack stays flat. */
  all(): void {
    if (this.#isStarting) return
    this.#isStarting = true
    const { queue } = this.#options
    try {
      const now = this.#options.now()
      const until = now.monotonicMs + MAX_HOLD_MS
      for (let next = queue.take(); next !== undefined; next = queue.take()) {
        this.#start(next, now)
        if (performance.now() < until) continue
        setImmediate(() => this.all())
        break
      }
    } finally {
      this.#isStarting = false
    }
    this.#options.onLooked()
  }

  expired(fire: AcceptedFire): RunResult {
    const maxAge = showDuration(this.#options.queue.maxAgeMs(fire))
    return notBegun('expired', `expired: it waited longer than ${maxAge}`)
  }

  #start(fire: AcceptedFire, now: Moment): void {
    const { care, accepting } = this.#options
    const no = this.#whyNot(fire, now)
    const asked = no === undefined ? care.ask(fire) : undefined
    if (asked === undefined) return this.#beginOrLeave(fire, no)
    accepting.add(fire)
    void asked.then((skip) => {
      accepting.remove(fire)
      this.#beginOrLeave(fire, skip ?? this.#whyNot(fire, this.#options.now()))
      this.soon()
    })
  }

  #whyNot(fire: AcceptedFire, now: Moment): RunResult | undefined {
    const { authority, queue, care } = this.#options
    const stopped = fire.cut?.reason ?? authority.whyEndedInTurn(fire.admission)
    if (stopped !== undefined) return notBegun('stopped', stopped)
    return queue.isExpired(fire, now) ? this.expired(fire) : care.look(fire)
  }

  #beginOrLeave(fire: AcceptedFire, no: RunResult | undefined): void {
    const { queue, care, begin, endUnbegun } = this.#options
    if (no === undefined) {
      care.begin(fire)
      return begin(fire)
    }
    queue.ended(fire.hook.id)
    endUnbegun(fire, no)
  }
}

export function notBegun(unbegun: Unbegun, error: string): RunResult {
  return { success: false, error, unbegun }
}

// Ends fires that have waited too long, also when nothing else moves (behaviour 30).

/** A machine that slept has aged what waits: ages are looked at so often, whatever is due. */
const LOOK_AT_AGES_MS = 1_000

export class ExpiryTimer<T extends QueuedFire> {
  readonly #queue: FireQueue<T>
  readonly #now: () => Moment
  readonly #onExpired: (fire: T) => void
  #timer: NodeJS.Timeout | undefined

  constructor(queue: FireQueue<T>, now: () => Moment, onExpired: (fire: T) => void) {
    this.#queue = queue
    this.#now = now
    this.#onExpired = onExpired
  }

  /** Something waits, perhaps. Keeps no process alive. */
  arm(): void {
    if (this.#timer !== undefined || this.#queue.queued === 0) return
    const next = this.#queue.nextExpiryMs(this.#now())
    if (next === undefined) return
    this.#timer = setTimeout(() => this.#look(), Math.min(next + 1, LOOK_AT_AGES_MS)).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    this.#timer = undefined
    for (const fire of this.#queue.removeExpired(this.#now())) this.#onExpired(fire)
    this.arm()
  }
}
