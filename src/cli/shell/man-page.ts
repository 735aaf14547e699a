// hookline(1), from the same table as help and completion.
import type { Command, CommandGroup } from '../../commands/kit/command.ts'
import { namesOf } from '../../commands/kit/resolve.ts'
import { HEADINGS } from '../../commands/session/help.ts'
import { allCommands, type ShellCommand, type ShellOption } from './shell-table.ts'

export interface ManualParts {
  readonly version: string
  readonly table: ShellCommand
  readonly catalogue: readonly Command[]
}

export function manPage({ version, table, catalogue }: ManualParts): string {
  const [, ...commands] = allCommands(table)
  return [
    `.TH HOOKLINE 1 "" ${argument(`hookline ${version}`)} ${argument('User Commands')}`,
    ...section('Name', ['hookline \\- a trading command line that listens']),
    ...section('Synopsis', ['.B hookline', '.RI [ option ...]', '.RI [ command ...]']),
    ...section('Description', [
      ...text(
        'Orders are typed by intent, on live and on paper accounts. POST requests from alert services, and web pages that were approved, run the same commands on this machine, through a listener on 127.0.0.1:53219.',
      ),
      '.PP',
      ...text('Without a command it is the terminal, with the listener.'),
    ]),
    ...section('Options', table.options.flatMap(describeOption)),
    ...section('Commands', commands.flatMap(describeCommand)),
    ...section('Commands of the prompt', [
      ...text(
        'Typed at the prompt, run by `hookline exec`, and by hooks and pages where each may be. `hookline help <command>` has the details.',
      ),
      ...describeCatalogue(catalogue),
    ]),
    ...section('Exit status', [
      ...entry(['0'], 'All went well.'),
      ...entry(['1'], 'A step failed; of `doctor`: a fire could not trade.'),
      ...entry(['2'], 'The command line was not understood.'),
    ]),
    ...section('Environment', [
      ...entry(['HOOKLINE_CONFIG_DIR'], 'The directory with all that hookline keeps; default `~/.hookline`.'),
      ...entry(['HOOKLINE_VAULT_PASSPHRASE_FILE'], 'A file with the passphrase of the vault, for an unattended start.'),
      ...entry(
        ['HOOKLINE_<ACCOUNT>_API_KEY', 'HOOKLINE_<ACCOUNT>_SECRET'],
        'The keys of an account that has them in the environment.',
      ),
      ...entry(['NO_COLOR'], 'Without colours.'),
    ]),
    ...section('Files', [...entry(['~/.hookline'], 'Accounts, hooks, settings, journals; readable only by you.')]),
    '',
  ].join('\n')
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${argument(title.toUpperCase())}`, ...lines]
}

function describeCommand({ path, usage, summary, options }: ShellCommand): readonly string[] {
  const name = `.B ${escaped(['hookline', ...path].join(' '))}`
  const lines = ['.TP', usage === '' ? name : `${name} \\fR${escaped(usage)}`, ...text(summary)]
  return options.length === 0 ? lines : [...lines, '.RS', ...options.flatMap(describeOption), '.RE']
}

function describeOption({ flags, value, summary }: ShellOption): readonly string[] {
  const words = flags.map((flag) => (value === undefined ? flag : `${flag} ${value}`))
  return entry(words, summary)
}

function describeCatalogue(catalogue: readonly Command[]): readonly string[] {
  return (Object.entries(HEADINGS) as [CommandGroup, string][]).flatMap(([group, heading]) => {
    const commands = catalogue.filter((command) => command.group === group)
    if (commands.length === 0) return []
    return [`.SS ${argument(heading)}`, ...commands.flatMap((command) => entry(namesOf(command), command.summary))]
  })
}

function entry(words: readonly string[], summary: string): readonly string[] {
  return ['.TP', `.B ${escaped(words.join(', '))}`, ...text(summary)]
}

/** One line of text, with what is in backquotes in bold. */
function text(sentence: string): readonly string[] {
  const parts = sentence.split('`').map((part, index) => (index % 2 === 0 ? escaped(part) : `\\fB${escaped(part)}\\fR`))
  const line = parts.join('')
  // A line that begins so would be a request.
  return [/^[.']/.test(line) ? `\\&${line}` : line]
}

/** roff is ASCII here: other characters by their names, hyphens as they are typed. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll(/[^\n -~]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`
    })
}

function argument(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`
}
