export interface LoadPlan {
  /** On 127.0.0.1. */
  readonly port: number
  /** Whole requests; every connection goes round them. */
  readonly requests: readonly string[]
  readonly connections: number
  /** Send exactly so many; without it, send for `durationMs`. */
  readonly count?: number
  readonly durationMs?: number
}

export interface LoadResult {
  /** Answers with status 200 within the measured time. */
  readonly perSecond: number
  readonly p50Us: number
  readonly p99Us: number
  /** Answers with status 200. */
  readonly accepted: number
  /** Answers with another status. */
  readonly others: Readonly<Record<string, number>>
}

/** Runs a plan in a process of its own. */
export function applyLoad(plan: LoadPlan): Promise<LoadResult>

/** Memory in use by a process, as the kernel counts it. */
export function residentKiB(pid: number): number

/** A masked text frame. */
export function clientFrame(text: string): Buffer

/** A WebSocket that looks at what comes only as far as it must; being hung up on ends the run. */
export class LoadSocket {
  /** A session that has been welcomed. */
  static openSession(port: number, clientId: string): Promise<LoadSocket>
  /** Takes each text as it comes, instead of throwing it away. */
  onTexts(onText: (text: string) => void): void
  send(frame: Buffer): void
  /** Resolves when the frame, which has no answer, has been taken in. */
  sendAndSettle(frame: Buffer): Promise<void>
  close(): void
}

/** Opens many in batches. */
export function openMany<T>(count: number, open: (index: number) => Promise<T>): Promise<T[]>
