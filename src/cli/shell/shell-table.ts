// What a shell can type, as data: read from the option parser and from the catalogue of the prompt, so that completion, the manual and help never
// differ.
import type { Command as ParsedCommand } from 'commander'
import { defined } from '../../base/defined.ts'
import type { Command } from '../../commands/kit/command.ts'
import { isFamily, namesOf } from '../../commands/kit/resolve.ts'

interface ShellWord {
  readonly word: string
  readonly summary: string
}

export interface ShellOption {
  /** `-a`, `--account`. */
  readonly flags: readonly string[]
  /** `<name>`; absent: it takes none. */
  readonly value?: string
  readonly summary: string
}

export interface ShellCommand {
  /** The words before it, and its own: `hook create`; empty for `hookline` itself. */
  readonly path: readonly string[]
  readonly summary: string
  /** `<name> <command>`. */
  readonly usage: string
  readonly options: readonly ShellOption[]
  readonly commands: readonly ShellCommand[]
  /** What an argument may be, where that is known before anything runs. */
  readonly words: readonly ShellWord[]
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** @param catalogue the commands of the prompt */
export function readShellTable(program: ParsedCommand, catalogue: readonly Command[]): ShellCommand {
  const atPrompt = catalogue.map(({ name, summary }) => ({ word: name, summary }))
  const inShell = visible(program).map((command) => ({ word: command.name(), summary: command.description() }))
  const wordsOf = (name: string): readonly ShellWord[] => {
    if (name === 'help')
      return [...inShell, ...atPrompt.filter(({ word }) => !inShell.some((each) => each.word === word))]
    if (name === 'exec') return atPrompt
    if (name === 'completion') return SHELLS.map((word) => ({ word, summary: `for ${word}` }))
    return []
  }
  const read = (command: ParsedCommand, path: readonly string[]): ShellCommand => {
    const commands = visible(command).map((each) => read(each, [...path, each.name()]))
    const family = isPassedOn(command) ? formsOf(command.name(), catalogue) : wordsOf(path[0] ?? '')
    return {
      path,
      summary: command.description(),
      usage: usageOf(command),
      options: optionsOf(command),
      commands,
      words: family.filter(({ word }) => !commands.some((each) => each.path.at(-1) === word)),
    }
  }
  return read(program, [])
}

/** Every command, each after the one that it belongs to. */
export function allCommands(table: ShellCommand): readonly ShellCommand[] {
  return [table, ...table.commands.flatMap(allCommands)]
}

/** What may come next, and what each is. */
export function nextWords({ commands, words, options }: ShellCommand): readonly ShellWord[] {
  return [
    ...commands.map(({ path, summary }) => ({ word: path.at(-1) ?? '', summary })),
    ...words,
    ...options.flatMap(({ flags, summary }) => flags.map((word) => ({ word, summary }))),
  ]
}

function visible(command: ParsedCommand): readonly ParsedCommand[] {
  return command.commands.filter((each) => !isHidden(each))
}

/** Commander has no question for it. */
function isHidden(command: ParsedCommand): boolean {
  return (command as unknown as { readonly _hidden?: boolean })._hidden === true
}

/** Its words are those of the prompt: `account`, `vault`. */
function isPassedOn({ registeredArguments: [first] }: ParsedCommand): boolean {
  return first?.variadic === true
}

function formsOf(name: string, catalogue: readonly Command[]): readonly ShellWord[] {
  const command = catalogue.find((each) => namesOf(each).includes(name))
  if (command === undefined || !isFamily(command)) return []
  return command.forms.map((form) => ({ word: form.name, summary: form.summary }))
}

function usageOf({ registeredArguments }: ParsedCommand): string {
  return registeredArguments
    .map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    .join(' ')
}

function optionsOf({ options }: ParsedCommand): readonly ShellOption[] {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ short, long, flags, description }) => {
      const value = /<[^>]+>|\[[^\]]+\]/.exec(flags)?.[0]
      return { flags: [short, long].filter((flag) => flag !== undefined), ...defined({ value }), summary: description }
    })
}
