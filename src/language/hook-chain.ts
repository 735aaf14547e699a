// The body of a hook (behaviour 44): a chain whose arguments may be slots, and what it becomes with the values of one fire. Values take their
// places after the line was parsed, each as the one word that its slot stands for: no value can be anything else.
import { readSlotValue } from './alert.ts'
import type { AlertSlot, Argument, Chain, CommandCall } from './chain.ts'
import { mapCalls } from './expansion.ts'
import { LanguageError } from './language-error.ts'
import { parseChain } from './parse.ts'
import { printChain } from './print.ts'

/** By the slots' names. */
export type SlotValues = Readonly<Record<string, string>>

/** @throws {LanguageError} what `parseChain` throws; `bad-slot` */
export function parseHookChain(line: string): Chain {
  const chain = parseChain(line, { withSlots: true })
  const found = new Map<string, AlertSlot>()
  for (const { slot, column } of slotWordsOf(chain)) {
    const first = found.get(slot.name)
    if (first !== undefined && first.text !== slot.text) {
      const hint = `write ${first.text} here too`
      throw new LanguageError('bad-slot', `the slot ${slot.name} is declared in two ways`, column, hint)
    }
    found.set(slot.name, slot)
  }
  const names = new Set(found.keys())
  for (const { name, text } of Object.values(chain.stamps ?? {})) {
    if (names.has(name)) {
      const hint = 'give each value a name of its own'
      throw new LanguageError('bad-slot', `${name} is declared in two ways`, line.lastIndexOf(text) + 1, hint)
    }
    names.add(name)
  }
  return chain
}

/** Each once, in the order of the line. */
export function slotsIn(chain: Chain): readonly AlertSlot[] {
  return [...new Map(slotWordsOf(chain).map(({ slot }) => [slot.name, slot])).values()]
}

interface SlotWord {
  readonly slot: AlertSlot
  readonly column: number
}

function slotWordsOf(chain: Chain): readonly SlotWord[] {
  return chain.stages.flatMap(({ commands }) =>
    commands.flatMap((step) => [step, ...(step.links ?? []).map(({ call }) => call)].flatMap(slotWordsOfCall)),
  )
}

function slotWordsOfCall({ args }: CommandCall): readonly SlotWord[] {
  return args.flatMap((argument) => {
    if (argument.kind === 'group') return slotWordsOf(argument.chain)
    if (argument.kind !== 'word' || argument.slot === undefined) return []
    return [{ slot: argument.slot, column: argument.column }]
  })
}

/** @throws {LanguageError} `bad-slot` where a value is missing, or is not one that its slot declares */
export function bindSlots(chain: Chain, values: SlotValues): Chain {
  const bindArgument = (argument: Argument): Argument => {
    if (argument.kind === 'group') return { ...argument, chain: bindSlots(argument.chain, values) }
    if (argument.kind !== 'word' || argument.slot === undefined) return argument
    return { ...argument, text: wordOf(argument.slot, argument.column, values) }
  }
  return mapCalls(chain, (call) => ({ ...call, args: call.args.map(bindArgument) }))
}

/**
 * The line that a fire with these values runs.
 * @param values absent: the line has no slots
 * @returns undefined where the values do not fit the line, as after a change of the hook
 */
export function filledLine(line: string, values: SlotValues | undefined): string | undefined {
  if (values === undefined) return line
  try {
    return printChain(bindSlots(parseHookChain(line), values))
  } catch (error) {
    if (error instanceof LanguageError) return undefined
    throw error
  }
}

function wordOf(slot: AlertSlot, column: number, values: SlotValues): string {
  const text = Object.hasOwn(values, slot.name) ? values[slot.name] : undefined
  const read = text === undefined ? { ok: false as const, why: `${slot.name} is missing` } : readSlotValue(slot, text)
  if (read.ok) return read.word
  throw new LanguageError('bad-slot', read.why, column, `send what fits ${slot.text}`)
}

/** Values to try a body with before any alert comes: every choice of each slot once, and the ends of its bounds. */
export function sampleValues(slots: readonly AlertSlot[]): readonly SlotValues[] {
  const samples = slots.map((slot) => ({ name: slot.name, texts: samplesOf(slot) }))
  const first = Object.fromEntries(samples.map(({ name, texts }) => [name, texts[0] ?? '']))
  const others = samples.flatMap(({ name, texts }) => texts.slice(1).map((text) => ({ ...first, [name]: text })))
  return [first, ...others]
}

function samplesOf(slot: AlertSlot): readonly string[] {
  switch (slot.type) {
    case 'usd':
      return [slot.max, ...(slot.min === undefined ? [] : [slot.min])]
    case 'number':
      return [...new Set([slot.max ?? slot.min ?? '100', slot.min ?? slot.max ?? '100'])]
    default:
      return slot.choices
  }
}
