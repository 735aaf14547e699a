// From a typed call to the form it means. The table is handed in late because `help` and `hook` are in the table and
// look things up in it.

import type { BodyCommands } from '../../hooks/registration.ts'
import type { Argument, CommandCall, Word } from '../../language/chain.ts'
import { hasVariable } from '../../language/expansion.ts'
import { NO_SYMBOL, type SymbolUse } from '../../language/focus-taken.ts'
import { hintForCommand, hintForForm, plainForm } from '../../language/foreign-syntax-hints.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printArgument } from '../../language/print.ts'
import { printable, shown } from '../../language/printable.ts'
import { requireTimeUnit } from '../../language/time.ts'
import { nearest } from '../../language/typo-match.ts'
import { type AnyForm, type Command, type CommandFamily, type CompletionContext, requireMayRun } from './command.ts'
import { CommandError } from './errors.ts'
import { takeFlag, takeTags } from './read-arguments.ts'

export interface ResolvedForm {
  /** As one would type it without aliases: `hook create`. */
  readonly path: string
  readonly form: AnyForm
  /** What is left for the form: without the family's form name, and without `--dry`. */
  readonly args: readonly Argument[]
  /** `--dry` was typed. */
  readonly isDry: boolean
  /** `--json` was typed: its data are printed. */
  readonly isJson: boolean
  /** `--near` was typed. */
  readonly isNear: boolean
  /** `--far` was typed. */
  readonly isFar: boolean
  /** `--wide` was typed. */
  readonly isWide: boolean
  /** `#breakout` was typed: without the `#`. */
  readonly tags: readonly string[]
}

/** Of a command that sends something. */
export const DRY = '--dry'
/** Of a command that places a protective stop. */
export const NEAR = '--near'
/** Of a command that takes a price. */
export const FAR = '--far'
/** Of a command whose table loses columns on a narrow terminal. */
export const WIDE = '--wide'
/** Of a command that answers with data. */
export const JSON_FLAG = '--json'

/** The one table, as commands see it. */
export interface CommandLookup extends BodyCommands {
  readonly all: () => readonly Command[]
  /** By name or alias, in any case. */
  find(name: string): Command | undefined
  /** Whether a number alone is a size behind it. */
  takesSize(name: string): boolean
  /** @throws {CommandError} `unknown-command`, with the nearest name as the hint */
  resolve(call: CommandCall): ResolvedForm
}

export function isFamily(command: Command): command is CommandFamily {
  return 'forms' in command
}

/** Every name a command answers to. */
export function namesOf(command: { readonly name: string; readonly aliases?: readonly string[] }): readonly string[] {
  return [command.name, ...(command.aliases ?? [])]
}

/** A form of a family by its name or alias. */
export function findForm(family: CommandFamily, name: string): AnyForm | undefined {
  const wanted = name.toLowerCase()
  return family.forms.find((form) => namesOf(form).includes(wanted))
}

/** Typed where nothing asked, or after the question has gone. */
const ANSWER = /^(?:y|yes|n|no)$/i

export function createCommandLookup(all: () => readonly Command[]): CommandLookup {
  let byName: ReadonlyMap<string, Command> | undefined
  const index = () => {
    byName ??= new Map(all().flatMap((command) => namesOf(command).map((name) => [name, command] as const)))
    return byName
  }
  const find = (name: string) => index().get(name) ?? index().get(name.toLowerCase())
  // A line is parsed once for all its fires and rounds, and each of its calls resolved once.
  const resolved = new WeakMap<CommandCall, ResolvedForm>()
  const resolve = (call: CommandCall): ResolvedForm => {
    const known = resolved.get(call)
    if (known !== undefined) return known
    const found = resolveAnew(call)
    resolved.set(call, found)
    return found
  }
  const resolveAnew = (call: CommandCall): ResolvedForm => {
    const command = find(call.name)
    if (command === undefined) {
      if (ANSWER.test(call.name)) throw new CommandError('no-question', 'no question is waiting for an answer')
      const near = { candidates: guessesAmong(all()), prefix: '', otherwise: '`help` lists the commands' }
      throw unknown(call.name, call.name, near, firstWordHint(call))
    }
    const help = helpOf(command, call)
    if (help !== undefined) return resolveAnew(help)
    const { path, form, args } = isFamily(command)
      ? resolveInFamily(command, call.args)
      : { path: command.name, form: command, args: call.args }
    if (form.takesText !== true) refuseShell(call)
    return argsOf(path, form, args)
  }
  return {
    all,
    find,
    resolve,
    has: (name) => find(name) !== undefined,
    takesSize(name) {
      const command = find(name)
      return command !== undefined && !isFamily(command) && command.takesSize === true
    },
    checkCall: (call) => checkInHook(call, resolve),
    symbolUse: (call) => symbolUseOf(call, resolve),
  }
}

/** `close --help` and `hook create -h` as `help close` and `help hook create`. */
function helpOf(command: Command, { name, args, column }: CommandCall): CommandCall | undefined {
  const flag = args.at(-1)
  if (!isFlag(flag, '--help') && !isFlag(flag, '-h')) return undefined
  const [form, ...others] = args.slice(0, -1)
  const isForm = form === undefined || (isFamily(command) && form.kind === 'word' && findForm(command, form.text))
  if (!isForm || others.length > 0 || command.name === 'help') return undefined
  const word: Word = { kind: 'word', text: name, column }
  return { name: 'help', column, args: [word, ...(form === undefined ? [] : [form])] }
}

/** `trades --csv | head`: only a shell has pipes and files. @throws {LanguageError} `unexpected-argument` */
function refuseShell({ name, args }: CommandCall): void {
  const at = args.findIndex((argument) => isFlag(argument, '|'))
  const [pipe, tool] = [args[at], args[at + 1]]
  if (pipe === undefined || tool?.kind !== 'word' || !SHELL_TOOL.test(tool.text)) return
  const line = [name, ...args.slice(0, at).map(printArgument)].join(' ')
  const piped = args.slice(at).map(printArgument).join(' ')
  const hint = `type it in your shell: \`hookline exec '${printable(line, 80)}' ${printable(piped, 40)}\``
  throw new LanguageError('unexpected-argument', 'a pipe belongs to your shell', pipe.column, hint)
}

const SHELL_TOOL = /^(head|tail|grep|rg|less|more|wc|sort|uniq|cut|awk|sed|jq|cat|tee|column|xargs)$/

/** What stops a call in a hook, told at its place in the body. */
function checkInHook(call: CommandCall, resolve: CommandLookup['resolve']): void {
  try {
    const { path, form, args } = resolve(call)
    if (path === 'help' && call.name !== 'help') {
      throw new CommandError('bad-argument', 'a hook with `--help` does nothing', { hint: 'leave it out' })
    }
    requireMayRun(path, form.where, 'hook')
    for (const word of form.durations?.(args) ?? []) requireTimeUnit(word)
    refuseSlots(path, form, call)
    // What a variable will stand for is known only when the hook fires.
    if (!hasVariable(args)) form.check?.(args)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new LanguageError('bad-argument', error.message, call.column, error.hint)
  }
}

/** @throws {LanguageError} `bare-number`; what does not resolve says so in its own step */
export function requireTimeUnits(call: CommandCall, { resolve }: Pick<CommandLookup, 'resolve'>): void {
  // Nearly no line has one, and resolving a call takes microseconds.
  if (!call.args.some((argument) => argument.kind === 'word' && /^(?:\w+=)?[\d.]+$/.test(argument.text))) return
  let durations: readonly Word[]
  try {
    const { form, args } = resolve(call)
    durations = form.durations?.(args) ?? []
  } catch (error) {
    if (error instanceof CommandError || error instanceof LanguageError) return
    throw error
  }
  for (const word of durations) requireTimeUnit(word)
}

/** A command that is not known says so when it is resolved. */
function symbolUseOf(call: CommandCall, resolve: CommandLookup['resolve']): SymbolUse {
  try {
    const { form, args } = resolve(call)
    return form.symbolUse?.(args) ?? NO_SYMBOL
  } catch (error) {
    if (error instanceof CommandError) return NO_SYMBOL
    throw error
  }
}

const TEXT_COMMANDS: ReadonlySet<string> = new Set(['echo', 'notify'])

/** An alert fills in what is traded, and what is said of it: never an account, a setting or which command it is (behaviour 44). */
function refuseSlots(path: string, { sends }: AnyForm, { args }: CommandCall): void {
  const slot = args.find((argument) => argument.kind === 'word' && argument.slot !== undefined)
  if (slot === undefined || sends === true || TEXT_COMMANDS.has(path)) return
  const hint = 'slots are for commands that order, for echo and for notify'
  throw new LanguageError('bad-slot', `\`${path}\` takes no slots`, slot.column, hint)
}

function argsOf(path: string, form: AnyForm, typed: readonly Argument[]): ResolvedForm {
  const { rest: untagged, tags } = form.takesTags === true ? takeTags(typed) : { rest: typed, tags: [] }
  const { rest: alike, given: isNear } =
    form.takesNear === true ? takeFlag(untagged, NEAR) : { rest: untagged, given: false }
  const { rest: others, given: isFar } = form.takesFar === true ? takeFlag(alike, FAR) : { rest: alike, given: false }
  const { rest: narrow, given: isDry } = form.sends === true ? takeFlag(others, DRY) : { rest: others, given: false }
  const { rest, given: isWide } = form.takesWide === true ? takeFlag(narrow, WIDE) : { rest: narrow, given: false }
  const { args, isJson } = takeJson(path, form, rest)
  return { path, form, args, isDry, isJson, isNear, isFar, isWide, tags }
}

/** @throws {LanguageError} `unexpected-argument` where there is nothing that it could print */
function takeJson(
  path: string,
  { rows, takesText, examples }: AnyForm,
  args: readonly Argument[],
): Pick<ResolvedForm, 'args' | 'isJson'> {
  const flag = args.find((argument) => isFlag(argument, JSON_FLAG))
  if (flag === undefined || rows === 'own') return { args, isJson: false }
  if (rows === true || (rows === 'bare' && args.length === 1)) {
    if (args.some((argument) => isFlag(argument, '--csv'))) {
      throw new LanguageError('bad-argument', '`--csv` and `--json` exclude each other', flag.column)
    }
    return { args: args.filter((argument) => argument !== flag), isJson: true }
  }
  if (rows === 'bare' || takesText === true) return { args, isJson: false }
  const hint = `\`hookline exec --json '${examples[0]?.line ?? path}'\` prints what any command answers`
  throw new LanguageError(
    'unexpected-argument',
    `\`${path}\` shows nothing that \`--json\` could print`,
    flag.column,
    hint,
  )
}

function isFlag(argument: Argument | undefined, flag: string): boolean {
  return argument?.kind === 'word' && argument.text === flag
}

function resolveInFamily(
  family: CommandFamily,
  args: readonly Argument[],
): Pick<ResolvedForm, 'path' | 'form' | 'args'> {
  const first = args[0]
  if (isFlag(first, JSON_FLAG))
    return resolveInFamily(family, [{ kind: 'word', text: family.bare, column: first?.column ?? 1 }, ...args])
  const name = first === undefined ? family.bare : first.kind === 'group' ? '(' : first.text
  const form = findForm(family, name)
  const otherwise = family.otherwise === undefined || isWord(first) ? undefined : findForm(family, family.otherwise)
  if (form === undefined && otherwise !== undefined)
    return { path: `${family.name} ${otherwise.name}`, form: otherwise, args }
  if (form === undefined) {
    const near = {
      candidates: guessesAmong(family.forms),
      prefix: `${family.name} `,
      otherwise: hintForForm(family.name, name, args.slice(1).map(printArgument)) ?? `type \`help ${family.name}\``,
    }
    throw unknown(`${family.name} ${name}`, name, near)
  }
  return { path: `${family.name} ${form.name}`, form, args: args.slice(1) }
}

function isWord(argument: Argument | undefined): boolean {
  return argument?.kind !== 'word' || /^[a-z]/i.test(argument.text)
}

function firstWordHint({ name, args }: CommandCall): string | undefined {
  const plain = plainForm(name)
  return plain === undefined
    ? hintForCommand(name, args.map(printArgument))
    : `type ${printable(plain, 40)}, in plain characters`
}

/** Who follows a hint in haste trades nothing by it, and lifts no stop. */
function guessesAmong(candidates: readonly (Command | AnyForm)[]): readonly string[] {
  const isGuessed = (each: Command | AnyForm) => 'forms' in each || !(each.sends === true || each.neverGuessed === true)
  return candidates.filter(isGuessed).flatMap(namesOf)
}

interface Near {
  readonly candidates: readonly string[]
  /** Of a family: its name and a space, in front of each candidate. */
  readonly prefix: string
  /** The hint where no candidate is near. */
  readonly otherwise: string
}

function unknown(typed: string, name: string, { candidates, prefix, otherwise }: Near, known?: string): CommandError {
  const near = nearest(name.toLowerCase(), candidates)
  const hint = known ?? (near === undefined ? otherwise : `did you mean \`${prefix}${near}\`?`)
  return new CommandError('unknown-command', `unknown command ${shown(typed)}`, { hint })
}

// What Tab offers, from the command table.

const VALUE_FOLLOWS: ReadonlySet<string> = new Set([
  'at',
  'stop',
  'tp',
  'limit',
  'from',
  'to',
  'into',
  'skew',
  'sizeskew',
])

/**
 * Candidates for the word at the cursor; the caller filters them by what is typed of it.
 * @param call the command at the cursor, with the words before the cursor, as `completionTarget` finds them;
 *   undefined where a command name is being typed
 */
export function candidates(
  lookup: CommandLookup,
  call: { readonly name: string; readonly words: readonly string[] } | undefined,
  live: Omit<CompletionContext, 'words'>,
): readonly string[] {
  if (call === undefined) return [...live.commands, ...live.aliases]
  const command = lookup.find(call.name)
  if (command === undefined) return []
  if (!isFamily(command)) {
    const own = command.complete?.({ ...live, words: call.words }) ?? []
    // Once it says what to send, and no value is being typed.
    const isWhole = call.words.length > 0 && !VALUE_FOLLOWS.has(call.words.at(-1) ?? '')
    return [...own, ...(command.sends === true && isWhole ? [DRY] : []), ...(command.takesWide === true ? [WIDE] : [])]
  }
  const [formName, ...words] = call.words
  if (formName === undefined) return command.forms.map((form) => form.name)
  return findForm(command, formName)?.complete?.({ ...live, words }) ?? []
}
