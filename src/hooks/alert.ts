// From the body of a fire to the values of its hook's slots (behaviour 44).
import { type AlertSlot, readSlotValue } from '../language/alert-slot.ts'
import { parseHookChain, type SlotValues, slotsIn } from '../language/hook-chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { AlertError } from './alert-error.ts'
import { readAlert } from './alert-text.ts'

const NONE: readonly AlertSlot[] = []
const MAX_REMEMBERED = 1_000

const remembered = new Map<string, readonly AlertSlot[]>()

/** What alerts must say for this command. None where it has no slots, or does not parse: then its run says why. */
export function slotsOf(command: string): readonly AlertSlot[] {
  if (!command.includes('{')) return NONE
  const known = remembered.get(command)
  if (known !== undefined) return known
  const slots = readSlotsOf(command)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(command, slots)
  return slots
}

function readSlotsOf(command: string): readonly AlertSlot[] {
  try {
    return slotsIn(parseHookChain(command))
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return NONE
  }
}

/**
 * The values of the slots, each within what its slot declares. What else the body says does not count.
 * @throws {AlertError}
 */
export function fillSlots(slots: readonly AlertSlot[], body: Uint8Array): SlotValues {
  const fields = readAlert(body)
  // Names of slots begin with a letter: none is `__proto__`.
  const values: Record<string, string> = {}
  for (const slot of slots) {
    const text = fields.get(slot.name)
    if (text === undefined) throw new AlertError(`${slot.name} is missing`)
    const read = readSlotValue(slot, text)
    if (!read.ok) throw new AlertError(read.why)
    values[slot.name] = read.value
  }
  return values
}
