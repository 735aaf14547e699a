// `cross-trade-running.json` (behaviour 24): the heartbeat of whatever process runs the cross-trade engine. An engine
// that dies leaves the file as it is, so the clock alone ends its life (behaviour 109).
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { recordOf } from './row-file.ts'

export interface EngineState {
  readonly running: boolean
  /** Of the last heartbeat that could be read, running or not. */
  readonly pid?: number
  /** ms since the epoch. */
  readonly startedAt?: number
}

export interface CrossTradeEngine extends FileState {
  /** Not running: no file, a bad one, or a heartbeat more than 15 s from now on either side. */
  read(): EngineState
  /**
   * Calls `handler` after any change of what `read()` tells, by the file or by the clock alone, and of the problems.
   * @returns stops the calls
   */
  watch(handler: () => void): () => void
}

/** Behaviour 140. */
const STALE_MS = 15_000
/** Timers stand still while the machine sleeps, and clocks get set: no wait for the clock is longer, in ms. */
const MAX_WAIT_MS = 1_000

/** Each field may be missing: what is there of a bad heartbeat is still reported. */
const fileSchema = z.looseObject({
  pid: z.exactOptional(z.int().check(z.nonnegative('must not be negative'))),
  startedAt: z.exactOptional(time),
  heartbeatAt: z.exactOptional(time),
})
type Heartbeat = z.infer<typeof fileSchema>

export function openCrossTradeEngine(directory: string, now: () => number = Date.now): CrossTradeEngine {
  const file = createJsonFile<Heartbeat>({
    path: join(directory, 'cross-trade-running.json'),
    parse: recordOf<Heartbeat>(fileSchema),
    defaults: {},
    // Who writes it renames it into place: without the file nothing runs.
    graceMs: 0,
  })

  function read(): EngineState {
    const { pid, startedAt, heartbeatAt } = file.read()
    const running =
      file.problem() === undefined && heartbeatAt !== undefined && Math.abs(now() - heartbeatAt) <= STALE_MS
    return { running, ...(pid !== undefined && { pid }), ...(startedAt !== undefined && { startedAt }) }
  }

  /** When the clock alone will change what `read()` tells; undefined: never. */
  function nextTurn(): number | undefined {
    const { heartbeatAt } = file.read()
    if (file.problem() !== undefined || heartbeatAt === undefined) return undefined
    return [heartbeatAt - STALE_MS, heartbeatAt + STALE_MS + 1].find((turn) => turn > now())
  }

  return {
    ...stateOf(file),
    read,
    watch(handler) {
      let seen = read()
      let problems = file.problems()
      let timer: NodeJS.Timeout | undefined
      const look = (): void => {
        clearTimeout(timer)
        const turn = nextTurn()
        if (turn !== undefined) timer = setTimeout(look, Math.min(turn - now(), MAX_WAIT_MS)).unref()
        const state = read()
        if (isSame(state, seen) && file.problems() === problems) return
        seen = state
        problems = file.problems()
        handler()
      }
      const stop = file.watch(look)
      look()
      return () => {
        clearTimeout(timer)
        stop()
      }
    },
  }
}

function isSame(a: EngineState, b: EngineState): boolean {
  return a.running === b.running && a.pid === b.pid && a.startedAt === b.startedAt
}
