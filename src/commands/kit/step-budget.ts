// How many steps one run may take (behaviour 30): a hook or page that asks for a million would keep every other run waiting.
import { CommandError } from './command-error.ts'

/** Every command counts, also one inside a group, and an alias with the commands it stands for. */
export const MAX_STEPS = 10_000

/** For the step after the last. */
export function tooManySteps(): CommandError {
  return new CommandError('too-many-steps', 'a run may take 10,000 steps, and this one has taken them', {
    hint: 'repeat less often, or do the rest in another run',
  })
}
