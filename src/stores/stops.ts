// `stops.json` (behaviour 30): when each stop was last said, also of those that are over: what was let in before it has ended, in a process that
// slept through it too. And which files the directory has had, so that one that is gone is missed by every process alike.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { time } from '../protocol/rows.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { recordOf } from './rows.ts'

/** The kill switches of config.json (behaviour 108), each true unless a person turned it off. Runs end by all but `accountSync`. */
export const SWITCHES = ['enabled', 'accountSync', 'remoteExec'] as const
export type Switch = (typeof SWITCHES)[number]

/**
 * What was stopped: a switch that was turned off, all runs, a hook that was paused, the runs of a hook (both by its id), one run (by its id or
 * the beginning of it), a client that was revoked (by its id), an account that was removed (by its name).
 */
export type StopScope =
  | Switch
  | 'runs'
  | `hook:${string}`
  | `runs:${string}`
  | `run:${string}`
  | `client:${string}`
  | `account:${string}`

export interface StopStore extends FileState {
  /** ms since the epoch; undefined: never. */
  latest(scope: StopScope): number | undefined
  /** As `latest()`, with one stat per event-loop turn. */
  latestOncePerTurn(scope: StopScope): number | undefined
  /** Stops of single runs: the beginnings of their ids. With one stat per event-loop turn. */
  stoppedRunsOncePerTurn(): readonly string[]
  /**
   * Holds in this process at once, in all others when the promise resolves.
   * @throws {StoreError} it holds in this process only, and is written as soon as it can be
   */
  issueStop(scope: StopScope): Promise<void>
  /** Whether the directory has had this file; true where stops.json cannot be read. */
  has(file: string): boolean
  /** @throws {StoreError} */
  note(file: string): Promise<void>
}

/** What a store asks whose file must not vanish unnoticed. */
export type FilesHad = Pick<StopStore, 'has' | 'note'>

/** A run is over by then. */
const KEPT_MS = 7 * 86_400_000

const schema = z.looseObject({
  stops: z.exactOptional(z.record(z.string(), time)),
  files: z.exactOptional(z.array(z.string())),
})

type StopsFile = z.infer<typeof schema>

export function openStopStore(directory: string, now: () => number = Date.now): StopStore {
  const file = createJsonFile<StopsFile>({
    path: join(directory, 'stops.json'),
    parse: recordOf<StopsFile>(schema),
    defaults: {},
  })
  const latestIn = ({ stops }: StopsFile, scope: StopScope) => stops?.[scope]
  const stoppedRuns = latestDerived(runsIn)

  return {
    latest: (scope) => latestIn(file.read(), scope),
    latestOncePerTurn: (scope) => latestIn(file.readOncePerTurn(), scope),
    stoppedRunsOncePerTurn: () => stoppedRuns(file.readOncePerTurn()),
    async issueStop(scope) {
      // Two within a millisecond are two.
      const at = Math.max(now(), (latestIn(file.read(), scope) ?? 0) + 1)
      await file.restrict(({ stops = {}, ...rest }) => ({ ...rest, stops: { ...recent(stops, at), [scope]: at } }))
    },
    has: (name) => file.readOncePerTurn().files?.includes(name) === true || file.problem() !== undefined,
    async note(name) {
      if (file.read().files?.includes(name) === true && file.problem() === undefined) return
      await file.update((content) =>
        content.files?.includes(name) === true ? content : { ...content, files: [...(content.files ?? []), name] },
      )
    },
    ...stateOf(file),
  }
}

const RUN = 'run:'

function runsIn({ stops = {} }: StopsFile): readonly string[] {
  return Object.keys(stops).flatMap((scope) => (scope.startsWith(RUN) ? [scope.slice(RUN.length)] : []))
}

/** Switches are few; hooks, clients and runs come and go. */
function recent(stops: Readonly<Record<string, number>>, at: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(stops).filter(([scope, stoppedAt]) => !scope.includes(':') || at - stoppedAt < KEPT_MS),
  )
}
