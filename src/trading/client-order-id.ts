// The ids that orders carry before they are sent (behaviour 36): 32 hexadecimal characters, of which the first 24 are those of the run,
// so that a venue's list of orders can be read back to who ordered. The same run and step always give the same id.
import { createHash } from 'node:crypto'

const RUN_LENGTH = 24
const MAX_STEP = 0xff_ff_ff
/** How often a protective stop may be placed anew for one entry. */
export const MAX_STOP_ATTEMPTS = 0x7f

/** @param step counts the orders of one run from 0 @throws {RangeError} beyond 16 million steps */
export function clientOrderId(runId: string, step: number): string {
  if (!Number.isInteger(step) || step < 0 || step > MAX_STEP) throw new RangeError(`no step ${step} in an order id`)
  return `${runPart(runId)}00${step.toString(16).padStart(6, '0')}`
}

/** The id of the stop that protects an entry: of the first one, or of one placed after others have ended. */
export function stopOrderId(entryId: string, attempt: number): string {
  if (attempt < 0 || attempt > MAX_STOP_ATTEMPTS) throw new RangeError(`no attempt ${attempt} in an order id`)
  return `${entryId.slice(0, RUN_LENGTH)}${(0x80 + attempt).toString(16)}${entryId.slice(RUN_LENGTH + 2)}`
}

/** How the ids of all orders of a run begin. */
export function orderIdPrefix(runId: string): string {
  return runPart(runId)
}

/** A UUID has enough bits of its own; any other id is hashed. */
function runPart(runId: string): string {
  const bare = runId.replaceAll('-', '').toLowerCase()
  const hex = /^[0-9a-f]{32}$/.test(bare) ? bare : createHash('sha256').update(runId).digest('hex')
  return hex.slice(0, RUN_LENGTH)
}
