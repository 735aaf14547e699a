// The lease of the copier's engine: requests to its holder, who holds it, and its renewal, all in `cross-trade-running.json`.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { type CrossTradeEngine, type HeartbeatFile, STALE_MS } from '../stores/cross-trade.ts'
import { isAlive, ownIdentity, ownPlace } from '../stores/kernel-files.ts'
import type { CopierState, EngineReport, PlannedCopy } from './engine-port.ts'

// A command asks the engine, in another process or its own, by a request in the heartbeat file, and is answered there. One at a time; a request
// that nothing took in time is never done later.

/** Made when the first one is read: most starts read none. */
function makeSchema() {
  return z.object({
    id: z.string(),
    op: z.enum(['plan', 'resync']),
    configId: z.string(),
    flatten: z.boolean(),
    /** The run that asks. */
    source: z.enum(['repl', 'exec']),
    runId: z.string(),
    askedAt: z.int(),
  })
}

let schema: ReturnType<typeof makeSchema> | undefined

export type EngineRequest = z.infer<ReturnType<typeof makeSchema>>

/** What was due, and how the copiers of the row are after it; or why it was not done. */
export interface EngineAnswer {
  readonly id: string
  readonly orders: readonly PlannedCopy[]
  readonly copiers: readonly CopierState[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
}

/** An engine that lives looks twice a second. */
const TAKEN_WITHIN_MS = 10_000
/** A resync waits for its orders. */
const ANSWERED_WITHIN_MS = 60_000

interface AskPorts {
  readonly file: CrossTradeEngine
  readonly clock: { now(): number; delay(ms: number, signal: AbortSignal): Promise<void> }
  readonly signal: AbortSignal
}

/**
 * Asks the engine that runs, and waits for its answer.
 * @returns `busy`: it is being asked something else; `silent`: no answer came, and one may still come
 * @throws {StoreError}
 */
export async function askEngine(
  request: Omit<EngineRequest, 'askedAt'>,
  { file, clock, signal }: AskPorts,
): Promise<EngineAnswer | 'busy' | 'silent'> {
  const askedAt = clock.now()
  let isAsked = false
  await file.update((content) => {
    isAsked = openRequest(content, askedAt) === undefined
    return isAsked ? { ...content, request: { ...request, askedAt } } : content
  })
  if (!isAsked) return 'busy'
  let answer: EngineAnswer | undefined
  await waitForFile(ANSWERED_WITHIN_MS, { file, clock, signal }, () => {
    answer = answerOf(file.readFile(), request.id)
    return answer !== undefined
  })
  return answer ?? 'silent'
}

/**
 * Waits until the file says so.
 * @returns whether it does; false after `ms`, or when the run was cut short
 */
export async function waitForFile(
  ms: number,
  { file, clock, signal }: AskPorts,
  isSo: () => boolean,
): Promise<boolean> {
  const ended = new AbortController()
  const seen = new Promise<void>((resolve) => {
    const unwatch = file.watchFile(() => isSo() && resolve())
    ended.signal.addEventListener('abort', unwatch)
  })
  const either = AbortSignal.any([signal, ended.signal])
  try {
    if (!isSo()) await Promise.race([seen, clock.delay(ms, either)])
    return isSo()
  } finally {
    ended.abort()
  }
}

/** The request that waits to be taken; one that is older counts for nothing. */
function openRequest({ request }: HeartbeatFile, now: number): EngineRequest | undefined {
  if (request === undefined) return undefined
  schema ??= makeSchema()
  const { success, data } = z.safeParse(schema, request)
  return success && Math.abs(now - data.askedAt) <= TAKEN_WITHIN_MS ? data : undefined
}

function answerOf({ answer }: HeartbeatFile, id: string): EngineAnswer | undefined {
  // The engine wrote it, by the same program.
  const { id: answered } = (answer ?? {}) as Partial<EngineAnswer>
  return answered === id ? (answer as EngineAnswer) : undefined
}

// One engine at a time: two would order everything twice (behaviours 42, 143). `cross-trade-running.json` names the holder. Whether it is free is
// decided under the lock of that file; a process that died holds nothing, and one that lives holds it however long it has been silent.

/** What a beat tells besides the time. */
interface Beat {
  readonly configIds: readonly string[]
  readonly copiers: readonly CopierState[]
}

/** Another engine. */
export interface OtherEngine {
  /** Absent where the file does not say. */
  readonly pid?: number
}

export class EngineLease {
  readonly #file: CrossTradeEngine
  readonly #now: () => number
  readonly #id = randomUUID()
  readonly #startedAt: number
  #beatAt = Number.NEGATIVE_INFINITY

  /** @param now ms since the epoch: a monotonic clock stands still while the machine sleeps */
  constructor(file: CrossTradeEngine, now: () => number) {
    this.#file = file
    this.#now = now
    this.#startedAt = now()
  }

  /**
   * Takes the lease where it is free, and says that the engine is alive where it is held. A file that someone removed is made again.
   * @returns the other engine, where one holds it: nothing is changed then
   * @throws {StoreError}
   */
  async beat({ configIds, copiers }: Beat): Promise<OtherEngine | undefined> {
    let other: OtherEngine | undefined
    const at = this.#now()
    await this.#file.update((content) => {
      const isOurs = content.lease === this.#id
      other = isOurs ? undefined : holderOf(content, at)
      if (other !== undefined) return content
      // What the one before was asked is nothing to this one.
      const { stopAskedBy, request, answer, ...rest } = content
      return {
        ...(isOurs ? content : rest),
        ...ownIdentity(),
        place: ownPlace(),
        lease: this.#id,
        startedAt: this.#startedAt,
        heartbeatAt: at,
        configIds,
        copiers,
      }
    })
    if (other === undefined) this.#beatAt = at
    return other
  }

  /** Looked at before each order: whether this engine is the one, as the file says at this moment. */
  isHeld(): boolean {
    const isFresh = Math.abs(this.#now() - this.#beatAt) <= STALE_MS
    return isFresh && this.#file.readFile().lease === this.#id && this.#file.problem() === undefined
  }

  /** Who asks this engine to stop. */
  stopAskedBy(): string | undefined {
    const { lease, stopAskedBy } = this.#file.readFile()
    return lease === this.#id ? stopAskedBy : undefined
  }

  /** What this engine is asked and has not answered. */
  request(): EngineRequest | undefined {
    const content = this.#file.readFile()
    return content.lease === this.#id ? openRequest(content, this.#now()) : undefined
  }

  /** @throws {StoreError} */
  async answer(answer: EngineAnswer): Promise<void> {
    await this.#file.update(({ request, ...content }) =>
      content.lease === this.#id ? { ...content, answer } : { ...content, request },
    )
  }

  /** Orders no more from here on; `running` is false at once. @throws {StoreError} */
  async release(): Promise<void> {
    this.#beatAt = Number.NEGATIVE_INFINITY
    await this.#file.update((content) => (content.lease === this.#id ? released(content) : content))
  }
}

/**
 * Asks the engine to stop, in whatever process it runs.
 * @returns the engine that was asked; undefined: none runs
 * @throws {StoreError}
 */
export async function askToStop(file: CrossTradeEngine, by: string, now: number): Promise<OtherEngine | undefined> {
  let asked: OtherEngine | undefined
  await file.update((content) => {
    asked = engineOf(content, now)
    return asked === undefined ? content : { ...content, stopAskedBy: by }
  })
  return asked
}

/** The engine that runs, if one does. One of this process counts. */
export function engineOf(content: HeartbeatFile, now: number): OtherEngine | undefined {
  return isHeldBy(content, now) ? pidOf(content) : undefined
}

/** Who holds it so that no one else may. What this process has left over from a start before is its own to take. */
function holderOf(content: HeartbeatFile, now: number): OtherEngine | undefined {
  const own = ownIdentity()
  const isOwn = content.place === ownPlace() && content.pid === own.pid && content.born === own.born
  return isHeldBy(content, now) && !(isOwn && content.lease !== undefined) ? pidOf(content) : undefined
}

/** What runs where its pid says nothing here, and what never took a lease, is known by its heartbeat alone. */
function isHeldBy({ lease, pid, born, place, heartbeatAt }: HeartbeatFile, now: number): boolean {
  if (lease === undefined || pid === undefined || place !== ownPlace()) {
    return heartbeatAt !== undefined && Math.abs(now - heartbeatAt) <= STALE_MS
  }
  return isAlive({ pid, ...defined({ born }) })
}

function pidOf({ pid }: HeartbeatFile): OtherEngine {
  return defined({ pid })
}

/** The last holder stays named: `state:cross-trade` tells of it. */
function released(content: HeartbeatFile): HeartbeatFile {
  const { lease, born, place, heartbeatAt, copiers, stopAskedBy, request, answer, ...rest } = content
  return rest
}

// The engine's pulse: every 5 s, and soon after a copier's state changed. It stops while the engine's data are stale, so that pages and other
// processes know; after a sleep of the machine nothing is ordered before the lease has been taken again.

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
  /** Reported once of each request. */
  readonly onRequest: (request: EngineRequest) => void
  /** A beat could not be written. */
  readonly onProblem: (error: unknown) => void
}

export class LeaseRenewal {
  readonly #ports: HeartbeatPorts
  #timer: NodeJS.Timeout | undefined
  #lookedAt: number
  #beatAt = Number.NEGATIVE_INFINITY
  #reported: readonly CopierState[] = []
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
    this.#reported = copiers
    this.#beatAt = this.#lookedAt = now()
    return lease.beat({ configIds: configs.map(({ id }) => id), copiers: mostRelevant(copiers) })
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
    if (now() - this.#beatAt < BEAT_MS && isDeepStrictEqual(report().copiers, this.#reported)) return
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

function mostRelevant(copiers: readonly CopierState[]): readonly CopierState[] {
  if (copiers.length <= MAX_COPIERS) return copiers
  const rank = ({ state }: CopierState) => (state === 'in-step' ? 1 : 0)
  return copiers.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_COPIERS)
}
