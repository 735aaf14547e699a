// How hooks fared, for `hook show` and pages: nothing is read or counted before somebody asks.
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { RunArchive } from '../commands/kit/ports.ts'
import { createHookCounts, type ReadHookCounts } from '../runtime/hook-counts.ts'
import type { Runner } from '../runtime/runner.ts'

interface OpenHookCountsOptions {
  readonly archive: () => Pick<RunArchive, 'find'>
  readonly runner: () => Pick<Runner, 'addSink'>
  readonly listenerStatus: () => ListenerStatus
}

export function openHookCounts({ archive, runner, listenerStatus }: OpenHookCountsOptions): ReadHookCounts {
  return createHookCounts({
    find: (query) => archive().find(query),
    addSink: (sink) => runner().addSink(sink),
    now: Date.now,
    isListening: () => listenerStatus().state === 'listening',
  })
}
