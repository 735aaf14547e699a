import { EXIT_CODE } from '../app/this-process.ts'
import { describeRefusal } from '../commands/kit/errors.ts'
import { StoreError } from '../stores/store-error.ts'

/**
 * Ends the process with one line for people when its files cannot be used.
 * @throws anything else: a bug, whose stack is wanted
 */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof StoreError)) throw error
  process.stderr.write(`error: hookline cannot start: ${describeRefusal(error)}\n`)
  process.exit(EXIT_CODE.failed)
}
