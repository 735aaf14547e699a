// When a line runs that is typed while another one does, or over a question.

import type { CommandForm } from '../commands/kit/command.ts'
import { effectOf } from '../commands/kit/effects.ts'
import type { CommandLookup } from '../commands/kit/resolve.ts'
import type { Chain, CommandCall } from '../language/chain.ts'
import { expandAlias } from '../language/expansion.ts'
import { parseClose } from '../language/order.ts'
import { parseChain } from '../language/parse.ts'

export interface KnownCommands {
  readonly lookup: CommandLookup
  /** Name → chain. */
  aliases(): Readonly<Record<string, string>>
}

/**
 * `at-once`: it only stops or looks. `asks`: it takes away what a waiting line may place later. `protects`: it protects what is held, and a line
 * that takes long does not keep it. `in-turn`: anything else.
 */
export type Urgency = 'at-once' | 'asks' | 'protects' | 'in-turn'

/** What a line does that is typed over a question. `answers`: it closes, cancels or stops. `protects`: it may set protection, too. `looks`: it only reads. */
export type OverQuestion = 'answers' | 'protects' | 'looks'

/** By the effects of every command of the line, also of the aliases in it. @returns undefined: the line waits for the answer */
export function overQuestion(line: string, known: KnownCommands): OverQuestion | undefined {
  const kinds = new Set(formsIn(line, known).map(kindOverQuestion))
  if (kinds.size === 0 || kinds.has(undefined)) return undefined
  if (kinds.has('protects')) return 'protects'
  return kinds.has('answers') ? 'answers' : 'looks'
}

function kindOverQuestion({ effect, immediate, isProtective }: Marks): OverQuestion | undefined {
  if (effect === 'reduces' || effect === 'stops') return 'answers'
  if (isProtective) return 'protects'
  // What is not immediate would wait in the queue behind the line that asks.
  return effect === 'looks' && immediate ? 'looks' : undefined
}

interface Marks extends Pick<CommandForm, 'immediate' | 'asksToOvertake' | 'isProtective'> {
  readonly effect: ReturnType<typeof effectOf>
  /** Twice it does twice as much. */
  readonly isCounted: boolean
}

/** Whether the line does more when it runs twice: it orders, or closes a part. */
export function ordersTwice(line: string, known: KnownCommands): boolean {
  return formsIn(line, known).some(({ isCounted }) => isCounted)
}

/** By the marks of every command of the line, also of the aliases in it. One that cannot be read waits for its turn. */
export function urgencyOf(line: string, known: KnownCommands): Urgency {
  const marks = formsIn(line, known)
  if (marks.length === 0) return 'in-turn'
  if (marks.every(({ immediate }) => immediate)) return marks.some((each) => each.asksToOvertake) ? 'asks' : 'at-once'
  return marks.every(({ immediate, isProtective }) => immediate || isProtective) ? 'protects' : 'in-turn'
}

function formsIn(line: string, known: KnownCommands): readonly Marks[] {
  try {
    return marksOfChain(parseChain(line), known)
  } catch {
    // Its turn will come, and tell what is wrong with it.
    return []
  }
}

function marksOfChain({ stages }: Chain, known: KnownCommands): readonly Marks[] {
  const calls = stages.flatMap(({ commands }) =>
    commands.flatMap((step) => [step, ...(step.links ?? []).map(({ call }) => call)]),
  )
  return calls.flatMap((call) => marksOfCall(call, known))
}

function marksOfCall(call: CommandCall, known: KnownCommands): readonly Marks[] {
  // As where it is run: an alias never shadows a command. How deep aliases go is checked by `expandAlias`.
  const alias = known.lookup.find(call.name) ? undefined : expandAlias(call, known.aliases())
  if (alias) return marksOfChain(alias, known)
  const { path, form, args } = known.lookup.resolve(call)
  const effect = effectOf(path, args)
  const isPart = path === 'close' && parseClose(args).size !== undefined
  const inside = args.flatMap((each) => (each.kind === 'group' ? marksOfChain(each.chain, known) : []))
  // It ends what is held, as `close` does.
  const marks =
    path === 'position' && effect === 'reduces' ? ({ ...form, immediate: true, asksToOvertake: true } as const) : form
  return [{ ...marks, effect, isCounted: effect === 'adds' || isPart || inside.some((each) => each.isCounted) }]
}
