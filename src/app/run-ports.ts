// Runs as commands and pages see them: the archive, stops, the facts and counts of hooks, and previews.
import { join } from 'node:path'
import { lookup } from '../commands/catalogue.ts'
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { CommandPorts, PreviewPort, ReplayPort, RunArchive, RunStops } from '../commands/kit/ports.ts'
import type { LookAtHooks } from '../hooks/fire-limits.ts'
import { isAskedFor, type RunQuery, type RunSummary } from '../runs/run.ts'
import { createHookCounts, type ReadHookCounts } from '../runtime/hook-counts.ts'
import type { RunEnvironment } from '../runtime/run-context.ts'
import type { RunJournal } from '../runtime/run-journal.ts'
import { outputOfRun } from '../runtime/run-output-log.ts'
import { findJournalledRuns } from '../runtime/run-pages.ts'
import type { Runner } from '../runtime/runner.ts'
import { digestOf } from '../runtime/trigger-fire.ts'
import { filesSince } from '../stores/durable-journal.ts'
import { linesBackwards, withBackup } from '../stores/journal-file.ts'
import { isAlive } from '../stores/kernel-files.ts'
import type { StopStore } from '../stores/stops.ts'
import { ordersOfRun } from '../trading/history/journal-history.ts'

interface RunArchiveOptions {
  /** Writes what this process has printed and not written yet. */
  readonly flushOutput: () => void
  readonly directory: string
  readonly runner: { runs(limit?: number): readonly RunSummary[] }
}

/** Runs of this process come from memory, those of others and of earlier processes from the files. */
export function createRunArchive({ directory, runner, flushOutput }: RunArchiveOptions): RunArchive {
  const file = (name: string) => join(directory, name)

  async function find(query: RunQuery): Promise<readonly RunSummary[]> {
    const here = runner.runs()
    const known = new Set(here.map(({ runId }) => runId))
    // A pid of ours in a line that is not of ours is a pid that has come round again.
    const isRunning = (pid: number) => pid !== process.pid && isAlive({ pid })
    const lines = linesBackwards(withBackup(file('runs.jsonl')))
    const written = await findJournalledRuns(lines, { ...query, limit: query.limit + known.size }, isRunning)
    const runs = [...here.filter((run) => isAskedFor(run, query)), ...written.filter(({ runId }) => !known.has(runId))]
    const rank = ({ state }: RunSummary) => (state === 'running' ? 0 : 1)
    return runs.sort((a, b) => rank(a) - rank(b) || b.startedAt - a.startedAt).slice(0, query.limit)
  }

  return {
    find,
    output(run) {
      flushOutput()
      return outputOfRun(linesBackwards(withBackup(file('run-output.jsonl'))), run)
    },
    orders: async (run) => {
      const files = await filesSince(file('orders.jsonl'), run.startedAt)
      return ordersOfRun(linesBackwards(files), run.runId)
    },
  }
}

/** @param runner made after the ports are */
export function runStops(
  runner: () => Pick<Runner, 'stop' | 'panic' | 'spare'>,
  stops: Pick<StopStore, 'issueStop'>,
): RunStops {
  return {
    async stopScope(scope, requestedIn) {
      const issued = stops.issueStop(scope)
      const stopped = runner().panic(requestedIn)
      await issued
      return stopped
    },
    stop: (matches) => runner().stop(matches, 'stopped: runs stop'),
    panic: (requestedIn) => runner().panic(requestedIn),
    spare: (runId) => runner().spare(runId),
  }
}

interface HookFactsPorts extends Pick<ListenerStatus, 'state'> {
  readonly runner: Pick<Runner, 'hookFacts' | 'onlyReduces'>
  readonly journal: Pick<RunJournal, 'readAgain' | 'firstRun'>
}

/** By which the limits of hooks are judged. Runs that another process has begun are in the file; our own are known. */
export function lookAtHooks({ runner, journal, state }: HookFactsPorts): ReturnType<LookAtHooks> {
  if (state !== 'listening') journal.readAgain()
  return (hook) => ({
    ...runner.hookFacts(hook),
    onlyReduces: (line) => runner.onlyReduces(line),
    firstRun: (key) => journal.firstRun(hook.id, digestOf(key)),
  })
}

interface OpenHookCountsOptions {
  readonly archive: () => Pick<RunArchive, 'find'>
  readonly runner: () => Pick<Runner, 'addSink'>
  readonly listenerStatus: () => ListenerStatus
}

/** Outcomes of a hook's runs, for `hook show` and pages. Nothing is read or counted before the first question. */
export function openHookCounts({ archive, runner, listenerStatus }: OpenHookCountsOptions): ReadHookCounts {
  return createHookCounts({
    find: (query) => archive().find(query),
    addSink: (sink) => runner().addSink(sink),
    now: Date.now,
    isListening: () => listenerStatus().state === 'listening',
  })
}

/** Shows the effect of a line. None of its code is loaded before the first question. */
export function openPreview(environment: () => RunEnvironment, reportBug: (error: unknown) => void): PreviewPort {
  let opening: Promise<PreviewPort> | undefined
  const open = async () => {
    const { createPreviewLine } = await import('../runtime/preview/preview-line.ts')
    return createPreviewLine({ environment: environment(), reportBug })
  }
  return async (request, care) => {
    opening ??= open()
    return (await opening)(request, care)
  }
}

interface ReplayOptions {
  readonly stores: Pick<CommandPorts, 'config' | 'guards' | 'aliases' | 'variables'>
  readonly now: () => number
  readonly reportBug: (error: unknown) => void
}

/** Tries triggers on candles of the past. None of its code is loaded before the first question. */
export function openReplay({ stores, now, reportBug }: ReplayOptions): ReplayPort {
  let opening: Promise<ReplayPort> | undefined
  const open = async () => {
    const { createReplay } = await import('../replay/open-replay.ts')
    return createReplay({ ...stores, lookup, now, reportBug })
  }
  return async (request, care) => {
    opening ??= open()
    return (await opening)(request, care)
  }
}
