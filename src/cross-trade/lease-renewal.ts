// The engine's pulse: every 5 s, and soon after a copier's state changed. It stops while the engine's data are stale, so that pages and other
// processes know; after a sleep of the machine nothing is ordered before the lease has been taken again.
import { isDeepStrictEqual } from 'node:util'
import { STALE_MS } from '../stores/cross-trade-engine.ts'
import type { EngineLease, OtherEngine } from './engine-lease.ts'
import type { CopierState, EngineReport } from './engine-port.ts'
import type { EngineRequest } from './engine-requests.ts'

export const BEAT_MS = 5_000
/** How often it looks whether there is something to say. */
const LOOK_MS = 500
/** Copiers in one beat; those that are not in step come first. */
const MAX_COPIERS = 1_000

interface HeartbeatPorts {
  readonly lease: EngineLease
  /** ms since the epoch. */
  readonly now: () => number
  readonly report: () => EngineReport
  readonly isStale: () => boolean
  /** The machine slept, or this process was stopped: end the engine, and `resume()` before it begins again. */
  readonly onSlept: () => void
  /** Another engine has the lease. */
  readonly onLost: (other: OtherEngine) => void
  readonly onStopAsked: (by: string) => void
  /** Told once of each request. */
  readonly onRequest: (request: EngineRequest) => void
  /** A beat could not be written. */
  readonly onProblem: (error: unknown) => void
}

export class LeaseRenewal {
  readonly #ports: HeartbeatPorts
  #timer: NodeJS.Timeout | undefined
  #lookedAt: number
  #beatAt = Number.NEGATIVE_INFINITY
  #told: readonly CopierState[] = []
  #beating: Promise<unknown> = Promise.resolve()
  #isBeating = false
  #requestId: string | undefined
  #isSuspended = false
  #isStopped = false

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports
    this.#lookedAt = ports.now()
  }

  /** Looked at before each order. */
  isLeader(): boolean {
    return !this.#isSuspended && !this.#isStopped && !this.#hasSlept() && this.#ports.lease.isHeld()
  }

  /**
   * Takes the lease or keeps it, now.
   * @returns the other engine, where one has it
   * @throws {StoreError}
   */
  async beat(): Promise<OtherEngine | undefined> {
    const { lease, report, now } = this.#ports
    const { configs, copiers } = report()
    this.#told = copiers
    this.#beatAt = this.#lookedAt = now()
    return lease.beat({ configIds: configs.map(({ id }) => id), copiers: mostTelling(copiers) })
  }

  /** After a sleep, when nothing of the old engine is left: as `beat`, and orders may be sent again. @throws {StoreError} */
  async resume(): Promise<OtherEngine | undefined> {
    const other = await this.beat()
    if (other === undefined) this.#isSuspended = false
    return other
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
  }

  /** Resolves once nothing is written any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#beating
  }

  #hasSlept(): boolean {
    return Math.abs(this.#ports.now() - this.#lookedAt) > STALE_MS
  }

  #look(): void {
    const { now, lease, isStale, report, onSlept, onStopAsked } = this.#ports
    if (this.#isSuspended) return
    if (this.#hasSlept()) {
      this.#isSuspended = true
      this.#lookedAt = now()
      return onSlept()
    }
    this.#lookedAt = now()
    const by = lease.stopAskedBy()
    if (by !== undefined) return onStopAsked(by)
    this.#lookForRequest()
    if (this.#isBeating || isStale()) return
    if (now() - this.#beatAt < BEAT_MS && isDeepStrictEqual(report().copiers, this.#told)) return
    this.#isBeating = true
    this.#beating = this.#beatAlone().finally(() => {
      this.#isBeating = false
    })
  }

  #lookForRequest(): void {
    const request = this.#ports.lease.request()
    if (request === undefined || request.id === this.#requestId) return
    this.#requestId = request.id
    this.#ports.onRequest(request)
  }

  async #beatAlone(): Promise<void> {
    try {
      const other = await this.beat()
      if (other === undefined || this.#isStopped) return
      this.#isSuspended = true
      this.#ports.onLost(other)
    } catch (error) {
      this.#ports.onProblem(error)
    }
  }
}

function mostTelling(copiers: readonly CopierState[]): readonly CopierState[] {
  if (copiers.length <= MAX_COPIERS) return copiers
  const rank = ({ state }: CopierState) => (state === 'in-step' ? 1 : 0)
  return copiers.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_COPIERS)
}
