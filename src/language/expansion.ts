// An alias is a chain under a name. What follows the name when it is used goes to the places `@1` to `@9`, and what is left to the chain's last
// command.
import { columnAt } from './arguments.ts'
import type { Argument, Chain, CommandCall, Group, Step, Word } from './chain.ts'
import { AT_THE_MARKET } from './foreign-syntax-hints.ts'
import { LanguageError } from './language-error.ts'
import { parseChain } from './parse.ts'
import { shown } from './printable.ts'
import { MAX_LINE_LENGTH } from './tokenize.ts'

/** How deep aliases may be nested. */
export const MAX_ALIAS_DEPTH = 8

/**
 * The chain that `call` stands for; undefined when its name is not an alias. Aliases inside the chain are left for when
 * their turn comes, but how deep they go is checked here, so expanding always ends.
 * @param aliases name → chain, names in lower case
 * @returns every column points at the call as it was typed
 * @throws {LanguageError} at the call: `alias-too-deep`, `bad-alias` (the stored chain does not parse), `missing-argument` for a place without a value
 */
export function expandAlias(call: CommandCall, aliases: Readonly<Record<string, string>>): Chain | undefined {
  const chain = parseAlias(call.name, aliases, call.column)
  if (chain === undefined) return undefined
  if (depthOf(call, aliases, new Map()) > MAX_ALIAS_DEPTH) {
    throw new LanguageError(
      'alias-too-deep',
      `alias ${call.name} is nested more than ${MAX_ALIAS_DEPTH} aliases deep`,
      call.column,
      '`alias` lists them; an alias may not lead back to itself',
    )
  }
  const places = placesIn(chain)
  const [missing] = places.filter((place) => call.args[place - 1] === undefined)
  if (missing !== undefined) throw missingValue(call, missing, places, aliases)
  const filled = fillPlaces(relocate(chain, call.column), call.args)
  return appendToLast(filled, call.args.slice(Math.max(0, ...places)))
}

/** `@1` to `@9`, at the start of a word or behind a mark that a value may follow, as variables are. */
const PLACE = /(?<=^|[$+\-=,(<>])@([1-9])(?![A-Za-z0-9_])/g

/** The places of a chain, each once, in order. */
export function placesIn(chain: Chain): readonly number[] {
  const words = callsIn(chain).flatMap(({ args }) => args.flatMap((each) => (each.kind === 'word' ? [each.text] : [])))
  const found = words.flatMap((text) => [...text.matchAll(PLACE)].map(([, place]) => Number(place)))
  return [...new Set(found)].sort((a, b) => a - b)
}

function missingValue(
  { name, args, column }: CommandCall,
  place: number,
  places: readonly number[],
  aliases: Readonly<Record<string, string>>,
): LanguageError {
  const wanted = Math.max(...places)
  const values = wanted === 1 ? 'a value' : `${wanted} values`
  const message = `alias ${name} needs ${values}, and ${args.length === 0 ? 'none is' : `@${place} is not`} given`
  return new LanguageError('missing-argument', message, column, `${name} = ${aliases[name.toLowerCase()]}`)
}

/** A value that is a word of its own stays what it is, also a text in quotes or a group; inside a word only words can be. */
function fillPlaces(chain: Chain, values: readonly Argument[]): Chain {
  const fill = (argument: Argument): Argument => {
    if (argument.kind === 'group') return { ...argument, chain: fillPlaces(argument.chain, values) }
    if (argument.kind !== 'word' || !argument.text.includes('@')) return argument
    const [, whole] = /^@([1-9])$/.exec(argument.text) ?? []
    if (whole !== undefined) return values[Number(whole) - 1] ?? argument
    const typed = argument.text.slice(0, argument.quotedFrom)
    const text = typed.replace(PLACE, (_, place: string) => {
      const value = values[Number(place) - 1]
      // What an alert fills in is a whole word, so that no bound of it changes its unit.
      if (value?.kind === 'word' && value.slot === undefined) return value.text
      throw new LanguageError('bad-argument', `@${place} is inside a word, and this value cannot be`, argument.column)
    })
    if (argument.quotedFrom === undefined) return { ...argument, text }
    return { ...argument, text: text + argument.text.slice(argument.quotedFrom), quotedFrom: text.length }
  }
  return mapCalls(chain, (call) => ({ ...call, args: call.args.map(fill) }))
}

function parseAlias(name: string, aliases: Readonly<Record<string, string>>, column: number): Chain | undefined {
  const key = name.toLowerCase()
  const text = Object.hasOwn(aliases, key) ? aliases[key] : undefined
  if (text === undefined) return undefined
  try {
    return parseChain(text)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    throw new LanguageError(
      'bad-alias',
      `alias ${name} does not parse: ${error.message}`,
      column,
      `define it again: alias ${name} "buy $250"`,
    )
  }
}

/** 1 for an alias of plain commands. `Infinity` for one that leads back to itself. */
function depthOf(
  { name, column }: CommandCall,
  aliases: Readonly<Record<string, string>>,
  known: Map<string, number>,
): number {
  const key = name.toLowerCase()
  const before = known.get(key)
  if (before !== undefined) return before
  const chain = parseAlias(key, aliases, column)
  if (chain === undefined) return 0
  known.set(key, Number.POSITIVE_INFINITY)
  const depth = 1 + Math.max(0, ...callsIn(chain).map((call) => depthOf(call, aliases, known)))
  known.set(key, depth)
  return depth
}

/** Every command of a chain, in the order typed, those inside groups included. */
export function callsIn(chain: Chain): readonly CommandCall[] {
  return chain.stages.flatMap(({ commands }) => commands.flatMap(callsOf))
}

function callsOf(step: Step): readonly CommandCall[] {
  return [step, ...(step.links ?? []).map(({ call }) => call)].flatMap((call) => [
    call,
    ...call.args.flatMap((argument) => (argument.kind === 'group' ? callsIn(argument.chain) : [])),
  ])
}

/** The chain with each of its commands as `change` makes it; groups inside are the arguments' own to look through. */
export function mapCalls(chain: Chain, change: <Call extends CommandCall>(call: Call) => Call): Chain {
  const changeStep = (step: Step): Step =>
    step.links === undefined
      ? change(step)
      : { ...change(step), links: step.links.map((link) => ({ ...link, call: change(link.call) })) }
  return { stages: chain.stages.map(({ commands }) => ({ commands: commands.map(changeStep) })) }
}

function relocate(chain: Chain, column: number): Chain {
  const moveGroup = (group: Group): Group => ({ ...group, column, chain: relocate(group.chain, column) })
  const move = (argument: Argument): Argument =>
    argument.kind === 'group' ? moveGroup(argument) : { ...argument, column }
  return mapCalls(chain, (call) => ({ ...call, column, args: call.args.map(move) }))
}

function appendToLast(chain: Chain, args: readonly Argument[]): Chain {
  const stages = [...chain.stages]
  const stage = stages.pop()
  const last = stage?.commands.at(-1)
  if (stage === undefined || last === undefined || args.length === 0) return chain
  const commands = [...stage.commands.slice(0, -1), withMore(last, args)]
  return { stages: [...stages, { commands }] }
}

function withMore(step: Step, args: readonly Argument[]): Step {
  const links = [...(step.links ?? [])]
  const link = links.pop()
  if (link === undefined) return { ...step, args: [...step.args, ...args] }
  return { ...step, links: [...links, { ...link, call: { ...link.call, args: [...link.call.args, ...args] } }] }
}

// Named values in words: `@x` stands for a variable's text, `$last $bid $ask $entry $pnl` for what the market says now.
// Strings and groups are left alone: a group's words are replaced when its own commands start.

/** At the start of a word, or behind a mark that a value may follow: `$@x`, `-@x`, `timeout=@x`, `a,@x`, `price>@x`. */
const VARIABLE = /(?<=^|[$+\-=,(<>])@([A-Za-z_][A-Za-z0-9_]*)/g

const LIVE_NAMES = ['last', 'bid', 'ask', 'entry', 'pnl'] as const
const LIVE = new RegExp(`\\$(${LIVE_NAMES.join('|')})(?![A-Za-z0-9_])`, 'gi')

export type LiveName = (typeof LIVE_NAMES)[number]

/**
 * The arguments with `@name` replaced in words. A word stays one word whatever its variables hold, and what they hold is
 * not searched again.
 * @param lookup the text of a variable, or undefined where there is none
 * @throws {LanguageError} `unknown-variable`; `too-long` for a word above 8192 units
 */
export function replaceVariables(args: readonly Argument[], lookup: (name: string) => string | undefined): Argument[] {
  return args.map((argument) => (argument.kind === 'word' ? replaceInWord(argument, lookup) : argument))
}

function replaceInWord(word: Word, lookup: (name: string) => string | undefined): Word {
  // Most words have none, and `matchAll` costs a microsecond.
  if (!word.text.includes('@')) return word
  const typed = word.text.slice(0, word.quotedFrom)
  let text = ''
  let done = 0
  for (const match of typed.matchAll(VARIABLE)) {
    const [reference, name = ''] = match
    const value = lookup(name)
    if (value === undefined) {
      const message = `no variable ${shown(reference)} found`
      const isMarket = /^@(market|mkt)$/i.test(word.text)
      const hint = isMarket ? AT_THE_MARKET : '`set` lists them'
      throw new LanguageError('unknown-variable', message, columnAt(word, match.index), hint)
    }
    text += typed.slice(done, match.index) + value
    done = match.index + reference.length
    if (text.length > MAX_LINE_LENGTH) {
      const message = `with its variables this word is longer than ${MAX_LINE_LENGTH} characters`
      throw new LanguageError('too-long', message, word.column, 'use fewer or shorter variables')
    }
  }
  if (done === 0) return word
  text += typed.slice(done)
  if (word.quotedFrom === undefined) return { ...word, text }
  return { ...word, text: text + word.text.slice(word.quotedFrom), quotedFrom: text.length }
}

/** Whether what a word stands for is known only when the line runs. */
export function hasVariable(args: readonly Argument[]): boolean {
  return args.some((argument) => argument.kind === 'word' && /@[A-Za-z_]/.test(argument.text))
}

/** The live values that `text` asks for, each once, in order. Case does not count. */
export function findLiveNames(text: string): LiveName[] {
  if (!text.includes('$')) return []
  const found = Array.from(text.matchAll(LIVE), (match) => toLiveName(match[1] ?? ''))
  return [...new Set(found)].filter((name) => name !== undefined)
}

/**
 * @param others names besides the live ones that may come, in lower case: they are filled in later
 * @throws {LanguageError} `unknown-variable` for `$name` of no known name outside quotes
 */
export function requireKnownNames(args: readonly Argument[], others: readonly string[] = []): void {
  const known: readonly string[] = [...LIVE_NAMES, ...others]
  for (const word of args) {
    if (word.kind !== 'word' || !word.text.includes('$')) continue
    for (const match of word.text.slice(0, word.quotedFrom).matchAll(/\$([A-Za-z_][A-Za-z0-9_]*)/g)) {
      const [typed, name = ''] = match
      if (known.includes(name.toLowerCase())) continue
      const hint = /^(?:balance|equity)$/i.test(name)
        ? `\`balance\` shows it; known names: $${known.join(' $')}`
        : `known names: $${known.join(' $')}; variables are @name; quotes keep a text as it is`
      throw new LanguageError('unknown-variable', `no name ${shown(typed)} found`, columnAt(word, match.index), hint)
    }
  }
}

/** `text` with live values filled in; those without a value stay as typed. */
export function replaceLive(text: string, values: Readonly<Partial<Record<LiveName, string>>>): string {
  return text.replace(LIVE, (typed, name: string) => {
    const live = toLiveName(name)
    return live === undefined ? typed : (values[live] ?? typed)
  })
}

function toLiveName(name: string): LiveName | undefined {
  const lower = name.toLowerCase()
  return LIVE_NAMES.find((candidate) => candidate === lower)
}
