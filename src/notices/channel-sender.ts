// What waits for one channel, sent piece by piece. A channel that is slow or gone holds up no one: not a run, not another channel.
import { randomUUID } from 'node:crypto'
import { BoundedMap } from '../base/concurrency.ts'
import { defined } from '../base/defined.ts'
import type { UnsentNotice } from '../stores/notices.ts'
import { type ChannelStatus, keyOf, NoticeError, type NoticeRow } from './notice.ts'
import { AGAIN_MS } from './notice-board.ts'

/** Sends what was taken as one message, once. @throws {NoticeError} */
export type Deliver = (taken: Taken, signal: AbortSignal) => Promise<void>

interface ChannelSenderOptions {
  readonly name: string
  readonly deliver: Deliver
  /** So many notices in one message. */
  readonly bundle: number
  /** ms between two messages. */
  readonly gapMs: number
  /** ms since the epoch. */
  readonly now: () => number
  /** Resolves early when the signal aborts; never rejects. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** It failed after it had worked, or works again. */
  readonly onChange: (error: NoticeError | undefined) => void
  /** What is not sent yet became more. Default: no one is told. */
  readonly onUnsent?: () => void
  /** Resolves once what is not sent yet is kept, as it is now: before each message and after it. Never rejects. Default: at once. */
  readonly keep?: () => Promise<void>
  /** How a notice went. */
  readonly onResult: (result: NonNullable<ChannelStatus['last']>) => void
  readonly onBug: (error: unknown) => void
}

/** One message gets so long for each try. */
const DELIVERY_MS = 5_000
/** Pauses before the second try and the later ones. */
export const RETRY_MS: readonly number[] = [1_000, 5_000, 25_000]
/** ms between two looks whether a locked vault was unlocked. */
export const LOCKED_MS = 2_000
/** A receiver that asks for more is given up. */
const MAX_RETRY_AFTER_MS = 300_000

export class ChannelSender {
  readonly #options: ChannelSenderOptions
  readonly #waiting = new WaitingNotices()
  #underWay: Taken = NOTHING
  /** Aborts pauses: nothing is held back any more. */
  readonly #hurry = new AbortController()
  /** Aborts a try that is under way. */
  readonly #giveUp = new AbortController()
  /** Ends the pause that is under way. */
  #wake = new AbortController()
  #wakesAt = 0
  /** The channel takes nothing before. */
  #nextAt = 0
  #working: Promise<void> | undefined
  #sent = 0
  #failed = 0
  #leftOut = 0
  #last: ChannelStatus['last']
  #isFailing = false

  constructor(options: ChannelSenderOptions) {
    this.#options = options
  }

  /** @param id under which a receiver knows it again; default: a new one */
  push(row: NoticeRow, id?: string): void {
    if (this.#hurry.signal.aborted) return
    if (this.#waiting.push(row, this.#options.now(), id)) this.#leftOut += 1
    this.#options.onUnsent?.()
    if (this.#dueAt() < this.#wakesAt) this.#wake.abort()
    // What one turn tells goes out together.
    this.#working ??= Promise.resolve().then(() => this.#work())
  }

  status(): ChannelStatus {
    const { name } = this.#options
    const counts = { waiting: this.unsent().length, sent: this.#sent, failed: this.#failed, leftOut: this.#leftOut }
    return { name, ...counts, ...defined({ last: this.#last }) }
  }

  /** Oldest first; what is under way too, until it was delivered or given up. */
  unsent(): readonly Unsent[] {
    const { rows, ids } = this.#underWay
    return [...rows.map((row, at) => ({ id: ids[at] ?? '', row })), ...this.#waiting.list()]
  }

  /** Sends one notice at once and once, beside what waits. @throws {NoticeError} */
  async test(row: NoticeRow): Promise<void> {
    const taken = { rows: [row], ids: [randomUUID()], leftOut: 0 }
    const error = await this.#try(taken)
    // The error tells the one who asked.
    this.#isFailing = error !== undefined
    this.#ended(taken, error)
    if (error !== undefined) throw error
  }

  /** Sends what waits at once and without retries; what is not sent by then stays unsent. Never rejects. */
  async close(graceMs: number): Promise<void> {
    this.#hurry.abort()
    this.#wake.abort()
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs)
    await this.#working
    clearTimeout(timer)
  }

  async #work(): Promise<void> {
    const { bundle, gapMs, now, pause, keep = async () => {} } = this.#options
    try {
      while (this.#waiting.size > 0 && !this.#giveUp.signal.aborted) {
        this.#wakesAt = this.#isHurried ? 0 : this.#dueAt()
        const leftMs = this.#wakesAt - now()
        if (leftMs > 0) {
          this.#wake = new AbortController()
          await pause(leftMs, this.#wake.signal)
          continue
        }
        const taken = this.#waiting.take(bundle, now(), this.#isHurried)
        this.#underWay = taken
        await keep()
        // What could not be sent in the end is still unsent.
        if (!(await this.#send(taken))) return
        this.#underWay = NOTHING
        await keep()
        this.#nextAt = now() + gapMs
      }
    } catch (error) {
      this.#options.onBug(error)
    } finally {
      this.#working = undefined
    }
  }

  get #isHurried(): boolean {
    return this.#hurry.signal.aborted
  }

  /** When something may be sent again. */
  #dueAt(): number {
    return Math.max(this.#nextAt, this.#waiting.dueAt() ?? Number.POSITIVE_INFINITY)
  }

  /** @returns false: hookline ends before it was delivered or given up */
  async #send(taken: Taken): Promise<boolean> {
    for (let attempt = 0; ; ) {
      const error = await this.#try(taken)
      const isLocked = error?.code === 'locked'
      if (error !== undefined && this.#isHurried && (isLocked || error.mayRetry)) {
        this.#turned(error)
        return false
      }
      const pauseMs = error && (isLocked ? LOCKED_MS : pauseAfter(error, attempt))
      if (pauseMs === undefined) {
        this.#ended(taken, error)
        return true
      }
      if (isLocked) this.#turned(error)
      else attempt += 1
      await this.#options.pause(pauseMs, this.#hurry.signal)
    }
  }

  async #try(taken: Taken): Promise<NoticeError | undefined> {
    const stop = new AbortController()
    const giveUp = () => stop.abort()
    const timer = setTimeout(giveUp, DELIVERY_MS)
    this.#giveUp.signal.addEventListener('abort', giveUp, { once: true })
    try {
      await orAborted(this.#options.deliver(taken, stop.signal), stop.signal)
      return undefined
    } catch (error) {
      if (error instanceof NoticeError) return error
      if (stop.signal.aborted) return timedOut()
      this.#options.onBug(error)
      return new NoticeError('unreachable', 'internal error; see hookline.log')
    } finally {
      clearTimeout(timer)
      this.#giveUp.signal.removeEventListener('abort', giveUp)
    }
  }

  #ended({ rows }: Taken, error?: NoticeError): void {
    if (error === undefined) this.#sent += rows.length
    else this.#failed += rows.length
    this.#last = { at: this.#options.now(), ...defined({ error: error?.message }) }
    this.#options.onResult(this.#last)
    this.#turned(error)
  }

  /** Once when it fails, and once when it works again. */
  #turned(error: NoticeError | undefined): void {
    const isFailing = error !== undefined
    if (isFailing === this.#isFailing) return
    this.#isFailing = isFailing
    this.#options.onChange(error)
  }
}

function timedOut(): NoticeError {
  return new NoticeError('timeout', `no answer within ${DELIVERY_MS / 1_000} s`, { mayRetry: true })
}

/** @param attempt from 0 @returns undefined: it is given up */
function pauseAfter({ mayRetry, retryAfterMs = 0 }: NoticeError, attempt: number): number | undefined {
  const pauseMs = RETRY_MS[attempt]
  if (!mayRetry || pauseMs === undefined || retryAfterMs > MAX_RETRY_AFTER_MS) return undefined
  return Math.max(pauseMs, retryAfterMs)
}

/** A delivery may not listen to the signal: no one waits for it longer. */
async function orAborted(delivery: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([delivery, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    aborted.catch(() => {})
  }
}

// What one channel has still to send: bounded, and the same said again is one notice with a count. Pure.

/** Beyond it the oldest goes, and is counted. */
export const MAX_WAITING = 100
/** So many texts are remembered as sent. */
const MAX_REMEMBERED = 200

type Unsent = Omit<UnsentNotice, 'channel'>

const NOTHING: Taken = { rows: [], ids: [], leftOut: 0 }

interface Waiting {
  readonly id: string
  row: NoticeRow
  /** Not before: the same was sent a moment ago. */
  readonly dueAt: number
}

/** One message. */
export interface Taken {
  /** Oldest first. */
  readonly rows: readonly NoticeRow[]
  /** Of each row; that of the first is the message's. */
  readonly ids: readonly string[]
  /** Had no room since the last time. */
  readonly leftOut: number
}

export class WaitingNotices {
  readonly #waiting = new Map<string, Waiting>()
  readonly #sentAt = new BoundedMap<string, number>(MAX_REMEMBERED)
  #leftOut = 0

  get size(): number {
    return this.#waiting.size
  }

  /** Oldest first. */
  list(): readonly Unsent[] {
    return [...this.#waiting.values()].map(({ id, row }) => ({ id, row }))
  }

  /** @returns whether another one lost its place */
  push(row: NoticeRow, now: number, id: string = randomUUID()): boolean {
    const key = keyOf(row)
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.row = { ...waiting.row, at: row.at, count: waiting.row.count + row.count }
      return false
    }
    const sentAt = this.#sentAt.get(key)
    this.#waiting.set(key, { id, row, dueAt: sentAt === undefined ? now : Math.max(now, sentAt + AGAIN_MS) })
    if (this.#waiting.size <= MAX_WAITING) return false
    const [oldest = ''] = this.#waiting.keys()
    this.#waiting.delete(oldest)
    this.#leftOut += 1
    return true
  }

  /** When the next may be sent; undefined: nothing waits. */
  dueAt(): number | undefined {
    if (this.#waiting.size === 0) return undefined
    return Math.min(...[...this.#waiting.values()].map((waiting) => waiting.dueAt))
  }

  /** @param max so many @param isLast all that waits is due */
  take(max: number, now: number, isLast = false): Taken {
    const due = [...this.#waiting].filter(([, { dueAt }]) => isLast || dueAt <= now).slice(0, max)
    for (const [key] of due) {
      this.#waiting.delete(key)
      this.#sentAt.set(key, now)
    }
    const leftOut = due.length === 0 ? 0 : this.#leftOut
    this.#leftOut -= leftOut
    return { rows: due.map(([, { row }]) => row), ids: due.map(([, { id }]) => id), leftOut }
  }
}
