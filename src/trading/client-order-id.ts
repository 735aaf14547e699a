// The ids that orders carry before they are sent (behaviour 36): 32 hexadecimal characters, of which the first 24 are those of the run,
// so that a venue's list of orders can be read back to who ordered. The same run and step always give the same id.
import { createHash } from 'node:crypto'

const RUN_LENGTH = 24
const MAX_STEP = 0xff_ff_ff
/** How often a protective order may be placed anew for one entry: one that fills in many parts, or whose venue is away for days, needs many. */
export const MAX_ATTEMPTS = 0xff_ff
/** The byte of the role counts so many of the attempts. */
const ATTEMPTS_IN_MARK = 0x40
/** The others are counted above the steps that a run can take. */
const STEP_BITS = 14

/** What a protective order is there for: to limit the loss, or to take the profit. */
export type ProtectiveRole = 'stop' | 'take'

const ROLE_MARKS: Readonly<Record<ProtectiveRole, number>> = { stop: 0x80, take: 0xc0 }

/** @param step counts the orders of one run from 0 @throws {RangeError} beyond 16 million steps */
export function clientOrderId(runId: string, step: number): string {
  if (!Number.isInteger(step) || step < 0 || step > MAX_STEP) throw new RangeError(`no step ${step} in an order id`)
  return `${runPart(runId)}00${step.toString(16).padStart(6, '0')}`
}

/** The id of an order that protects an entry: of the first one, or of one placed after others have ended. */
export function protectiveOrderId(entryId: string, role: ProtectiveRole, attempt: number): string {
  if (attempt < 0 || attempt > MAX_ATTEMPTS) throw new RangeError(`no attempt ${attempt} in an order id`)
  const mark = (ROLE_MARKS[role] + (attempt % ATTEMPTS_IN_MARK)).toString(16)
  const step = Number.parseInt(entryId.slice(RUN_LENGTH + 2), 16)
  const marked = (step ^ (Math.floor(attempt / ATTEMPTS_IN_MARK) << STEP_BITS)).toString(16).padStart(6, '0')
  return `${entryId.slice(0, RUN_LENGTH)}${mark}${marked}`
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
