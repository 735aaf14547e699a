// What the limits of hooks are judged by, for commands.
import type { ListenerStatus } from '../commands/kit/data.ts'
import type { CommandPorts } from '../commands/kit/ports.ts'
import type { RunJournal } from '../runtime/run-journal.ts'
import type { Runner } from '../runtime/runner.ts'

interface HookFactsPorts extends Pick<ListenerStatus, 'state'> {
  readonly runner: Pick<Runner, 'hookFacts'>
  readonly journal: Pick<RunJournal, 'readAgain'>
}

/** The runs that another process has begun are in the file; our own are known. */
export function lookAtHooks({ runner, journal, state }: HookFactsPorts): ReturnType<CommandPorts['hookFacts']> {
  if (state !== 'listening') journal.readAgain()
  return (hook) => runner.hookFacts(hook)
}
