// While panic is on, only what stops, reduces or looks may be typed (behaviour 30). What sends an order may be typed too: in front of the venue
// the guard lets through only what reduces or protects.
import type { AnyForm } from '../commands/kit/command.ts'
import { CommandError } from '../commands/kit/command-error.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import type { PanicStore } from '../stores/panic.ts'

/** The table as runs use it: `resolve` throws {CommandError} `panic` for all that must wait for `resume`. */
export function lookupUnderPanic(lookup: CommandLookup, panic: Pick<PanicStore, 'readOncePerTurn'>): CommandLookup {
  return {
    ...lookup,
    resolve(call) {
      const resolved = lookup.resolve(call)
      if (panic.readOncePerTurn() !== undefined && !mayRunUnderPanic(resolved.form)) {
        throw new CommandError('panic', `panic is on, so \`${resolved.path}\` does not run`, {
          hint: 'type `resume` in the terminal first',
        })
      }
      return resolved
    },
  }
}

export function mayRunUnderPanic({
  immediate,
  underPanic,
  sends,
}: Pick<AnyForm, 'immediate' | 'underPanic' | 'sends'>): boolean {
  return immediate === true || underPanic === true || sends === true
}
