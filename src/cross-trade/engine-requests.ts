// How a command in one process asks the engine in another, or in its own: a request in the heartbeat file, and its answer there. One at a time; a
// request that nobody took in time is never done later.
import * as z from 'zod/mini'
import type { CrossTradeEngine, HeartbeatFile } from '../stores/cross-trade-engine.ts'
import type { CopierState, PlannedCopy } from './engine-port.ts'

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
export function openRequest({ request }: HeartbeatFile, now: number): EngineRequest | undefined {
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
