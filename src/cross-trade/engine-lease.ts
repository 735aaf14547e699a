// One engine at a time: two would order everything twice (behaviours 42, 143). `cross-trade-running.json` names the holder. Whether it is free is
// decided under the lock of that file; a process that died holds nothing, and one that lives holds it however long it has been silent.
import { randomUUID } from 'node:crypto'
import { defined } from '../base/defined.ts'
import { type CrossTradeEngine, type HeartbeatFile, STALE_MS } from '../stores/cross-trade-engine.ts'
import { isAlive, ownIdentity, ownPlace } from '../stores/kernel-files.ts'
import type { CopierState } from './engine-port.ts'
import { type EngineAnswer, type EngineRequest, openRequest } from './engine-requests.ts'

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
   * Takes the lease where it is free, and says that the engine is alive where it is held. A file that somebody removed is made again.
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

/** Who holds it so that nobody else may. What this process has left over from a start before is its own to take. */
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
