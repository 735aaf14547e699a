// Waiting that ends with the run.
import { CommandError, type CommandContext } from './command.ts'

/** The longest `sleep`, `wait <duration>` and `timeout=`. */
export const MAX_PAUSE_MS = 10 * 60_000

/** For a wait that the end of the process cut short. */
export function interrupted(): CommandError {
  return new CommandError('interrupted', 'the run was cut short')
}

/** @throws {CommandError} `interrupted` when the run is cut short first */
export async function pause(context: CommandContext, ms: number): Promise<void> {
  if (!context.signal.aborted) await context.services.delay(ms, context.signal)
  if (context.signal.aborted) throw interrupted()
}
