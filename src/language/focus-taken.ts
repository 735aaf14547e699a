// A chain in which one step names a symbol and a later one that needs one does not (behaviour 29): `buy $250 BTCUSDT; stop at -2%` buys BTCUSDT and
// protects whatever is in focus. Which symbols a command works on is its own to say; here they are only compared.

import type { Argument, Chain, CommandCall } from './chain.ts'
import { callsIn, expandAlias, replaceVariables } from './expansion.ts'
import { LanguageError } from './language-error.ts'
import { printArgument } from './print.ts'
import { shown } from './printable.ts'

/** Which symbols a command works on. `none`: it needs none, or names orders. */
export type SymbolUse =
  | { readonly kind: 'named'; readonly symbols: readonly string[] }
  | { readonly kind: 'focus' }
  | { readonly kind: 'none' }

/** Of an intent that names symbols, or one, or takes the focus. */
export function symbolsOf(intent: {
  readonly symbols?: readonly string[]
  readonly symbol?: string | undefined
}): SymbolUse {
  const symbols = intent.symbols ?? (intent.symbol === undefined ? [] : [intent.symbol])
  return symbols.length === 0 ? FOCUS : { kind: 'named', symbols }
}

export const FOCUS: SymbolUse = { kind: 'focus' }
export const NO_SYMBOL: SymbolUse = { kind: 'none' }

/** What a line is looked at with. */
export interface SymbolTable {
  /** Whether a command of this name exists; aliases never shadow one. */
  has(name: string): boolean
  /** @param args without any variable @throws {LanguageError} */
  symbolUse(call: CommandCall): SymbolUse
}

export interface FocusQuestion {
  readonly table: SymbolTable
  /** Name → chain. */
  readonly aliases: Readonly<Record<string, string>>
  /** Name → text, where they are known. */
  readonly variables?: Readonly<Record<string, string>>
  /** Absent: whatever will be in focus then. */
  readonly focus?: string
}

/** A step that takes the focus behind one that names another symbol. */
export interface FocusTaken {
  /** As typed. */
  readonly call: CommandCall
  /** The command that takes it, which an alias may stand for. */
  readonly verb: string
  readonly named: { readonly verb: string; readonly symbols: readonly string[]; readonly typed: string }
}

/**
 * The first such step. What does not parse is not looked at: its own step says why. A variable that is not known is taken for whatever would name
 * a symbol where one is needed.
 */
export function focusTakenIn(chain: Chain, question: FocusQuestion): FocusTaken | undefined {
  if (isPlain(chain, question.table)) return undefined
  const calls = expandedCalls(callsIn(chain), question)
  const open = openVariables(calls, question.variables)
  let first: FocusTaken | undefined
  for (const values of choicesOf(open)) {
    const looked = lookThrough(calls, question, { ...values, ...question.variables })
    if (looked === 'unread') continue
    if (looked === undefined) return undefined
    first ??= looked
  }
  return first
}

/** Whether a command of a line works on the symbol in focus, whichever that is when it runs. */
export function takesFocus(chain: Chain, question: Omit<FocusQuestion, 'focus'>): boolean {
  return expandedCalls(callsIn(chain), question).some(
    ({ call }) => readUse(call, question.table, question.variables ?? {})?.use.kind === 'focus',
  )
}

/** The symbols that the commands of a line name, each once; of one whose words are not known now, none. */
export function symbolsNamedIn(chain: Chain, question: Omit<FocusQuestion, 'focus'>): readonly string[] {
  const named = expandedCalls(callsIn(chain), question).flatMap(({ call }) => {
    const use = readUse(call, question.table, question.variables ?? {})?.use
    return use?.kind === 'named' ? use.symbols : []
  })
  return [...new Set(named)]
}

/** Whether a command works on this market; also where its words are not known now. */
export function mayWorkOn(
  symbol: string,
  call: CommandCall,
  { table, focus, variables = {} }: Omit<FocusQuestion, 'aliases'>,
): boolean {
  const use = readUse(call, table, variables)?.use
  if (use?.kind === 'named') return use.symbols.some((named) => isFocus([named], symbol))
  return use?.kind !== 'focus' || focus === undefined || isFocus([focus], symbol)
}

/** One command without a group: it costs nothing. */
function isPlain({ stages: [stage, ...more] }: Chain, table: SymbolTable): boolean {
  const [only, ...others] = stage?.commands ?? []
  if (only === undefined) return true
  if (more.length > 0 || others.length > 0 || only.links !== undefined) return false
  return table.has(only.name) && only.args.every(({ kind }) => kind !== 'group')
}

/** @returns `unread`: these values make no sense somewhere */
function lookThrough(
  calls: readonly Expanded[],
  { table, focus }: FocusQuestion,
  values: Readonly<Record<string, string>>,
): FocusTaken | 'unread' | undefined {
  let named: FocusTaken['named'] | undefined
  let found: FocusTaken | undefined
  for (const { typed, call, isOpen } of calls) {
    const read = readUse(call, table, values)
    if (read === undefined && isOpen) return 'unread'
    if (read === undefined) continue
    const { use, args } = read
    if (use.kind === 'named') {
      named = { verb: call.name, symbols: use.symbols, typed: typedSymbols(call, args, use.symbols) }
    } else if (use.kind === 'focus' && named !== undefined && !isFocus(named.symbols, focus)) {
      found ??= { call: typed, verb: call.name, named }
    }
  }
  return found
}

/** The line with the symbols named wherever they are missing; undefined where a step takes no such list. */
function withSymbolsNamed(line: string, read: (line: string) => Chain, question: FocusQuestion): string | undefined {
  let corrected = line
  for (let count = 0; count < MAX_CORRECTIONS; count += 1) {
    const found = focusTakenIn(read(corrected), question)
    if (found === undefined) return count === 0 ? undefined : corrected
    const next = placesIn(found.call)
      .map((at) => `${corrected.slice(0, at)} ${found.named.typed}${corrected.slice(at)}`)
      .find((candidate) => isBetter(candidate, found, read, question))
    if (next === undefined) return undefined
    corrected = next
  }
  return undefined
}

const MAX_CORRECTIONS = 20
/** Of a line that a hint repeats. */
const MAX_HINT = 160

/**
 * For what is kept, and runs when something else may be in focus.
 * @throws {LanguageError} `takes-focus`
 */
export function refuseFocusTaken(line: string, read: (line: string) => Chain, question: FocusQuestion): void {
  const found = focusTakenIn(read(line), question)
  if (found === undefined) return
  const { verb, named } = found
  const message = `\`${verb}\` names no symbol and takes the one in focus, while \`${named.verb}\` names ${shown(named.typed)}`
  throw new LanguageError('takes-focus', message, found.call.column, correctionOf(line, read, question))
}

/** What to type instead. */
export function correctionOf(line: string, read: (line: string) => Chain, question: FocusQuestion): string {
  const corrected = withSymbolsNamed(line, read, question)
  if (corrected !== undefined && corrected.length <= MAX_HINT) return `type ${corrected}`
  return 'name the symbol in each step, or in none'
}

interface Expanded {
  readonly typed: CommandCall
  readonly call: CommandCall
  /** A variable of it has no known value. */
  readonly isOpen?: boolean
}

function expandedCalls(
  calls: readonly CommandCall[],
  { aliases, table, variables = {} }: FocusQuestion,
): readonly Expanded[] {
  return calls
    .flatMap((call) => expanded(call, call, aliases, table))
    .map((each) => ({ ...each, isOpen: openNames(each.call, variables).length > 0 }))
}

function expanded(
  typed: CommandCall,
  call: CommandCall,
  aliases: FocusQuestion['aliases'],
  table: SymbolTable,
): readonly Expanded[] {
  if (table.has(call.name)) return [{ typed, call }]
  try {
    const chain = expandAlias(call, aliases)
    if (chain === undefined) return []
    return callsIn(chain).flatMap((inner) => expanded(typed, inner, aliases, table))
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return []
  }
}

/** A market may be named by its coin alone, or as another terminal writes it. */
function isFocus(symbols: readonly string[], focus: string | undefined): boolean {
  if (focus === undefined) return false
  const plain = (text: string) => text.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return symbols.every((symbol) => plain(focus).startsWith(plain(symbol)))
}

/** What a variable may stand for, by the shape of what commands take. */
const SHAPES = ['$1', 'ASYMBOL', '+1%', 'long', '1m', '1']
const MAX_OPEN = 3

interface ReadUse {
  readonly use: SymbolUse
  readonly args: readonly Argument[]
}

/** @returns undefined where it does not parse */
function readUse(call: CommandCall, table: SymbolTable, values: Readonly<Record<string, string>>): ReadUse | undefined {
  try {
    const args = replaceVariables(call.args, (name) => (Object.hasOwn(values, name) ? values[name] : '1'))
    return { use: table.symbolUse({ ...call, args }), args }
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return undefined
  }
}

function openVariables(calls: readonly Expanded[], variables: FocusQuestion['variables'] = {}): readonly string[] {
  return [...new Set(calls.flatMap(({ call }) => openNames(call, variables)))].slice(0, MAX_OPEN)
}

/** Of words that are a variable and nothing else. */
function openNames({ args }: CommandCall, variables: Readonly<Record<string, string>>): readonly string[] {
  return args
    .flatMap((argument) =>
      argument.kind === 'word' ? (/^@([A-Za-z_][A-Za-z0-9_]*)$/.exec(argument.text)?.[1] ?? []) : [],
    )
    .filter((name) => !Object.hasOwn(variables, name))
}

function choicesOf(names: readonly string[]): readonly Readonly<Record<string, string>>[] {
  return names.reduce<Readonly<Record<string, string>>[]>(
    (choices, name) => choices.flatMap((choice) => SHAPES.map((shape) => ({ ...choice, [name]: shape }))),
    [{}],
  )
}

/** The argument that named them, as it can be typed again: a slot and a variable stay what they are. */
function typedSymbols({ args: typed }: CommandCall, args: readonly Argument[], symbols: readonly string[]): string {
  const list = symbols.join(',')
  const at = args.findIndex((argument) => argument.kind === 'word' && argument.text.toUpperCase() === list)
  const found = typed[at]
  if (found === undefined || found.kind !== 'word') return list
  return found.slot?.text ?? found.text
}

/** Where the list may go: behind the verb, or behind an argument. */
function placesIn({ name, args, column }: CommandCall): readonly number[] {
  const ends = args.map((argument) => argument.column - 1 + lengthOf(argument))
  return [column - 1 + name.length, ...ends]
}

function lengthOf(argument: Argument): number {
  return argument.kind === 'word' && argument.slot !== undefined
    ? argument.slot.text.length
    : printArgument(argument).length
}

function isBetter(
  line: string,
  { call, named }: FocusTaken,
  read: (line: string) => Chain,
  question: FocusQuestion,
): boolean {
  try {
    const chain = read(line)
    const found = focusTakenIn(chain, question)
    if (found !== undefined && found.call.column <= call.column) return false
    const again = expandedCalls(
      callsIn(chain).filter(({ column }) => column === call.column),
      question,
    )
    const values = {
      ...Object.fromEntries(openVariables(again).map((name) => [name, 'ASYMBOL'])),
      ...question.variables,
    }
    return again.some((each) => {
      const typed = readUse(each.call, question.table, values)
      if (typed === undefined || typed.use.kind !== 'named') return typed?.use.kind === 'none'
      return typedSymbols(each.call, typed.args, typed.use.symbols) === named.typed
    })
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return false
  }
}
