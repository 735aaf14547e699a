// Why a call to hookline failed, in a line for people.
import { ClientError } from '../client/client-error.ts'

/** @throws anything but a failed call */
export function describeFailure(error: unknown): string {
  if (!(error instanceof ClientError)) throw error
  // The client's own hint is for programmers.
  if (error.code === 'not-connected')
    return 'nothing was sent: this page is not connected (the badge above says what to do)'
  return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
}
