import { describeRefusal } from '../commands/refusal.ts'
import { StoreError } from '../stores/store-error.ts'
import { EXIT_CODE } from './exit-code.ts'

/**
 * Ends the process with one line for people when its files cannot be used.
 * @throws anything else: a mistake of ours, whose stack is wanted
 */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof StoreError)) throw error
  process.stderr.write(`error: hookline cannot start: ${describeRefusal(error)}\n`)
  process.exit(EXIT_CODE.failed)
}
