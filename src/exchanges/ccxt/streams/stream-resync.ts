// Whether what the streams tell is current. Any failure or silence makes it stale; only reading the gap again makes it live. Between gaps the
// account is looked at every half a minute, for what a stream has left out without a word.
import { backoffMs } from '../../../base/concurrency.ts'
import type { ExchangeEvent } from '../../../exchange/exchange.ts'
import type { OrderRef } from '../../../exchange/order.ts'
import type { AccountReading } from './account-reading.ts'
import type { LoopState, StreamTimers, WatchLoop } from './watch-loop.ts'

/** Where a stream tells. */
const AUDIT_MS = 30_000
/** After a gap, and after a stream was made. */
const SECOND_LOOK_MS = 10_000
const GAP_LOOKS = 2
/** Where there is no stream. */
const POLL_MS = 3_000
/** Without a word from the stream and without an answer for so long. */
const SILENT_MS = 75_000
const SILENT_POLL_MS = 20_000
const CHECK_MS = 5_000
const RETRY_MS = 2_000
/** Rows that cannot be read come in numbers: one look for all of them. */
const DISTRUST_MS = 500
const LONGEST_RETRY_MS = 30_000

interface StreamResyncOptions {
  readonly reading: AccountReading
  readonly loops: readonly Pick<WatchLoop, 'state'>[]
  /** Whether all that the account has is on its streams, as far as is known; else it is looked at as often as without them. */
  readonly isTrusted: () => boolean
  readonly timers: StreamTimers
  readonly now: () => number
  readonly notify: (event: ExchangeEvent) => void
  readonly onProblem: (problem: unknown) => void
}

export class StreamResync {
  isStale = false
  readonly #options: StreamResyncOptions
  #receivedAt: number
  #isBegun = false
  /** Looks that have to read all: after a gap two, since venues list fills late and ccxt does not say when it hears. */
  #gapLooks = 0
  #isDistrusting = false
  /** A look has found what no stream had told, and none has told anything since. */
  #isDeaf = false
  /** Whether streams alone tell for now. Else nothing is missed when one is lost: the account is asked as if there were none. */
  #isRelied = false
  #isEnded = false
  #failures = 0
  #nextLook: () => void = () => {}
  #looking: Promise<void> | undefined
  /** Of this outage, told once. */
  #hasComplained = false

  constructor(options: StreamResyncOptions) {
    this.#options = options
    this.#receivedAt = options.now()
  }

  /** Whether all was read since the streams were made, and nothing has been missed since, as far as is known. */
  get isWhole(): boolean {
    const isRead = this.#isBegun && this.#gapLooks === 0 && this.#failures === 0
    return isRead && !this.isStale && !this.#isDistrusting && !this.#isDeaf && this.#options.isTrusted()
  }

  begin(): void {
    this.received()
    this.#isRelied = this.#options.isTrusted()
    this.#options.timers.every(CHECK_MS, () => this.#check())
    void this.#look()
  }

  /** The venue has told something. */
  received(): void {
    this.#receivedAt = this.#options.now()
  }

  /** A stream of own orders or fills has told something. */
  reported(): void {
    this.received()
    this.#isDeaf = false
  }

  /** A stream is up, down or missing now. */
  loopChanged(state: LoopState, error: unknown): void {
    if (state === 'down' && !this.#isRelied) this.#complain(error)
    else if (state === 'down') this.lose(error)
    else if (this.isStale || state === 'missing') this.#lookIn(0)
    else if (!this.#isMaking()) this.opened()
  }

  /** A stream was made: what happened meanwhile was told by no one. */
  opened(): void {
    this.#gapLooks = GAP_LOOKS
    if (!this.isStale) this.#lookIn(0)
  }

  /** What happens from now on may not be told. */
  lose(error: unknown): void {
    if (this.#isEnded) return
    this.#complain(error)
    if (this.isStale) return
    this.isStale = true
    this.#gapLooks = GAP_LOOKS
    this.#options.notify({ type: 'stream', state: 'stale' })
    this.#lookIn(RETRY_MS)
  }

  /** A stream has told something that cannot be read. */
  distrust(): void {
    if (this.#isEnded || this.#isDistrusting) return
    this.#gapLooks = Math.max(this.#gapLooks, 1)
    if (this.isStale) return
    this.#isDistrusting = true
    this.#lookIn(DISTRUST_MS)
  }

  /** Asks for orders that have changed. @returns those that the venue does not know yet. What it does not answer is read with the gap. */
  async ask(refs: readonly OrderRef[]): Promise<readonly OrderRef[]> {
    let unknown: readonly OrderRef[] = []
    if (this.#isEnded || refs.length === 0) return unknown
    let isAnswered = false
    await this.#alone(async () => {
      unknown = await this.#options.reading.ask(refs)
      this.received()
      isAnswered = true
    })
    if (isAnswered || this.#isEnded) return unknown
    this.#gapLooks = GAP_LOOKS
    if (!this.isStale) this.#lookIn(RETRY_MS)
    throw new Error('the venue does not answer')
  }

  /** Asks for what orders and fills wait for. While stale there is a look coming that asks for all of it. */
  async settle(): Promise<void> {
    if (this.isStale || this.#isEnded) return
    await this.#alone(async () => {
      await this.#options.reading.settle()
      this.received()
    })
    if (this.#failures > 0) this.#lookIn(RETRY_MS)
  }

  end(): void {
    this.#isEnded = true
    this.#nextLook()
  }

  /** Whether every stream that the venue has tells. */
  #isStreaming(): boolean {
    const { loops } = this.#options
    return loops.length > 0 && loops.every(({ state }) => state !== 'missing')
  }

  #isMaking(): boolean {
    return this.#options.loops.some(({ state }) => state === 'down' || state === 'waiting')
  }

  #check(): void {
    const silentMs = this.#options.now() - this.#receivedAt
    if (silentMs > (this.#isStreaming() ? SILENT_MS : SILENT_POLL_MS)) this.lose(new Error('the venue is silent'))
  }

  #lookIn(ms: number): void {
    this.#nextLook()
    if (!this.#isEnded) this.#nextLook = this.#options.timers.after(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    this.#isDistrusting = false
    if (this.#isEnded) return
    const wasStale = this.isStale
    // What is read while a stream is being made would be read again when it is there: that tells when.
    if (wasStale && this.#isMaking()) return
    await this.#alone(async () => {
      const { reading } = this.#options
      const owed = this.#gapLooks
      if (this.#isBegun) await this.#reread(owed > 0)
      else await reading.begin()
      this.received()
      this.#failures = 0
      if (wasStale) this.#resync()
      // Of what was lost meanwhile, and while a stream is made, the look comes yet.
      if (this.#isBegun && !this.isStale && owed === this.#gapLooks) this.#gapLooks = Math.max(owed - 1, 0)
      this.#isBegun = true
    })
    this.#lookIn(this.#pauseMs())
  }

  async #reread(isGap: boolean): Promise<void> {
    const isNews = await this.#options.reading.reread(isGap)
    if (isNews && !isGap) this.#isDeaf = true
  }

  #pauseMs(): number {
    if (this.#failures > 0) return backoffMs(this.#failures, { firstMs: RETRY_MS, mostMs: LONGEST_RETRY_MS })
    if (this.isStale) return RETRY_MS
    this.#isRelied = this.#isStreaming() && !this.#isDeaf && this.#options.isTrusted()
    if (!this.#isRelied) return POLL_MS
    return this.#gapLooks > 0 ? SECOND_LOOK_MS : AUDIT_MS
  }

  /** Live again, unless a stream is still being made: then what happens from here on would be missed. */
  #resync(): void {
    if (this.#isMaking() || !this.isStale || this.#isEnded) return
    this.isStale = false
    this.#hasComplained = false
    this.#options.notify({ type: 'stream', state: 'resynced' })
  }

  /** One question after the other: what is asked twice at once would be told in any order. */
  async #alone(work: () => Promise<void>): Promise<void> {
    while (this.#looking !== undefined) await this.#looking
    const looking = work().catch((error: unknown) => this.#failed(error))
    this.#looking = looking
    await looking
    this.#looking = undefined
  }

  #failed(error: unknown): void {
    if (this.#isEnded) return
    this.#failures += 1
    this.#complain(error)
    if (this.#failures > 1) this.lose(error)
  }

  #complain(error: unknown): void {
    if (this.#hasComplained || this.#isEnded) return
    this.#hasComplained = true
    this.#options.onProblem(error)
  }
}
