// `cross-trade-running.json` (behaviour 24): the heartbeat of whatever process runs the cross-trade engine. An engine
// that dies leaves the file as it is: on this machine its death is seen, of any other the clock alone tells (behaviour 109).
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { defined } from '../base/defined.ts'
import { type CopierStateRow, copierStateRow, pick, time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { isAlive, ownPlace, type ProcessIdentity } from './kernel-files.ts'
import { recordOf } from './rows.ts'

interface EngineState {
  readonly running: boolean
  /** Of the last heartbeat that could be read, running or not. */
  readonly pid?: number
  /** ms since the epoch. */
  readonly startedAt?: number
  /** The state of its copiers, while it runs and tells it. */
  readonly copiers?: CopierStateRow[]
}

/** Who holds the engine: a process, and one start of the engine in it. */
interface EngineHolder extends ProcessIdentity {
  /** Of this start alone. */
  readonly lease: string
  /** Where `pid` means something: one boot of one machine, one space of pids. Empty: not known. */
  readonly place: string
}

/** What the file has; each field may be missing, and what other programs wrote beside them is kept. */
export interface HeartbeatFile extends Partial<EngineHolder> {
  readonly startedAt?: number
  readonly heartbeatAt?: number
  readonly configIds?: readonly string[]
  readonly copiers?: readonly unknown[]
  /** Somebody asks the holder to stop: who, for people. */
  readonly stopAskedBy?: string
  /** What else somebody asks the holder, and what it answered last (`cross-trade/engine-requests.ts`). */
  readonly request?: unknown
  readonly answer?: unknown
}

export interface CrossTradeEngine extends FileState {
  /** Not running: no file, a bad one, or a heartbeat more than 15 s from now on either side. */
  read(): EngineState
  /**
   * Calls `handler` after any change of what `read()` tells, by the file or by the clock alone, and of the problems.
   * @returns stops the calls
   */
  watch(handler: () => void): () => void
  /** The file as it is, for who holds the engine or wants to. */
  readFile(): HeartbeatFile
  /** As `watch`, after any change of the file. */
  watchFile(handler: () => void): () => void
  /** Under the lock of the file. @throws {StoreError} */
  update(change: (content: HeartbeatFile) => HeartbeatFile): Promise<HeartbeatFile>
}

/** Behaviour 140. */
export const STALE_MS = 15_000
/** Timers stand still while the machine sleeps, and clocks get set: no wait for the clock is longer, in ms. */
const MAX_WAIT_MS = 1_000

/** Each field may be missing: what is there of a bad heartbeat is still reported. */
const fileSchema = z.looseObject({
  pid: z.exactOptional(z.int().check(z.nonnegative('must not be negative'))),
  startedAt: z.exactOptional(time),
  heartbeatAt: z.exactOptional(time),
  born: z.exactOptional(z.string()),
  lease: z.exactOptional(z.string()),
  place: z.exactOptional(z.string()),
  configIds: z.exactOptional(z.array(z.string())),
  // Looked at one by one: a heartbeat with a copier that cannot be read is a heartbeat.
  copiers: z.exactOptional(z.array(z.unknown())),
  stopAskedBy: z.exactOptional(z.string()),
  request: z.exactOptional(z.unknown()),
  answer: z.exactOptional(z.unknown()),
})

export function openCrossTradeEngine(directory: string, now: () => number = Date.now): CrossTradeEngine {
  const copiersOf = latestDerived(readCopiers)
  const file = createJsonFile<HeartbeatFile>({
    path: join(directory, 'cross-trade-running.json'),
    parse: recordOf<HeartbeatFile>(fileSchema),
    defaults: {},
    // Who writes it renames it into place: without the file nothing runs.
    graceMs: 0,
  })

  function read(): EngineState {
    const content = file.read()
    const { pid, startedAt, heartbeatAt } = content
    const isFresh = heartbeatAt !== undefined && Math.abs(now() - heartbeatAt) <= STALE_MS
    const running = file.problem() === undefined && isFresh && !isKnownDead(content)
    const copiers = running ? copiersOf(content) : undefined
    return { running, ...defined({ pid, startedAt }), ...(copiers && { copiers }) }
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
    readFile: file.read,
    watchFile: file.watch,
    update: file.update,
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
  return (
    a.running === b.running && a.pid === b.pid && a.startedAt === b.startedAt && isDeepStrictEqual(a.copiers, b.copiers)
  )
}

/** One that died on this machine is gone at once; of any other its heartbeat alone tells. */
function isKnownDead({ lease, pid, born, place }: HeartbeatFile): boolean {
  if (lease === undefined || pid === undefined || place !== ownPlace()) return false
  return !isAlive({ pid, ...defined({ born }) })
}

function readCopiers({ copiers }: HeartbeatFile): CopierStateRow[] | undefined {
  return copiers?.flatMap((row) => {
    const { success, data } = z.safeParse(copierStateRow, row)
    return success ? [pick(copierStateRow, data)] : []
  })
}

// `cross-trade-pages.json`: which pages say that they lead cross-trading (behaviour 143), as the hookline they are connected to knows it. A process
// that does not listen learns it here. As with the engine's own heartbeat, the clock alone ends what a hookline that died has left.

export interface LeadingPages extends FileState {
  /** Labels of the pages that lead, as they gave them; empty where none does, or nobody has said so for 15 s. */
  read(): readonly string[]
  /** @throws {StoreError} */
  write(labels: readonly string[]): Promise<void>
}

/** One page at a time leads, by its own rules; nobody needs to see more of those that do not keep them. */
const MAX_LABELS = 10

const pagesSchema = z.looseObject({
  pid: z.exactOptional(z.int()),
  seenAt: z.exactOptional(time),
  labels: z.exactOptional(z.array(z.string())),
})
type PagesFile = z.infer<typeof pagesSchema>

export function openLeadingPages(directory: string, now: () => number = Date.now): LeadingPages {
  const file = createJsonFile<PagesFile>({
    path: join(directory, 'cross-trade-pages.json'),
    parse: recordOf<PagesFile>(pagesSchema),
    defaults: {},
    graceMs: 0,
  })
  return {
    ...stateOf(file),
    read() {
      const { seenAt, labels = [] } = file.read()
      const isFresh = file.problem() === undefined && seenAt !== undefined && Math.abs(now() - seenAt) <= STALE_MS
      return isFresh ? labels : []
    },
    async write(labels) {
      await file.update((content) => {
        // Only the hookline that has the port has pages, so nothing of another one is lost.
        if (labels.length === 0 && (content.labels ?? []).length === 0) return content
        return { pid: process.pid, seenAt: now(), labels: labels.slice(0, MAX_LABELS) }
      })
    },
  }
}
