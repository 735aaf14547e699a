// Waiting that ends with the run.
import type { CommandContext } from './command.ts'
import { CommandError } from './command-error.ts'

/** The longest single delay asked of the clock: timers count no further than 24 days. */
const LONGEST_DELAY_MS = 24 * 60 * 60_000

/** For a wait that the end of the process cut short. */
export function interrupted(): CommandError {
  return new CommandError('interrupted', 'the run was cut short')
}

/** @throws {CommandError} `interrupted` when the run is cut short first */
export async function pause(context: CommandContext, ms: number): Promise<void> {
  if (!context.signal.aborted) await context.clock.delay(ms, context.signal)
  if (context.signal.aborted) throw interrupted()
}

/** Resolves when `signal` aborts, or after `timeoutMs` where given. */
export async function untilAborted(context: CommandContext, signal: AbortSignal, timeoutMs?: number): Promise<void> {
  if (timeoutMs !== undefined && !signal.aborted) return context.clock.delay(timeoutMs, signal)
  while (!signal.aborted) await context.clock.delay(LONGEST_DELAY_MS, signal)
}
