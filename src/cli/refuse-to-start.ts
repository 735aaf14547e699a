import { EXIT_CODE } from '../app/this-process.ts'
import { CommandError, describeRefusal } from '../commands/kit/errors.ts'
import { StoreError } from '../stores/store-error.ts'

/**
 * One line for people when the files cannot be used, which ends the process, or when a command is refused.
 * @throws anything else: a bug, whose stack is wanted
 */
export function refuseToStart(error: unknown): void {
  if (error instanceof CommandError) {
    process.stderr.write(`error: ${describeRefusal(error)}\n`)
    process.exitCode = EXIT_CODE.usage
    return
  }
  if (!(error instanceof StoreError)) throw error
  process.stderr.write(`error: hookline cannot start: ${describeRefusal(error)}\n`)
  process.exit(EXIT_CODE.failed)
}
