// `hookline hook …`, as the shell's parser knows it.
import type { Command } from 'commander'
import { defined } from '../base/defined.ts'
import type { Argument } from '../language/chain.ts'
import { addHookLooks } from './hook-looks.ts'
import { type HookRequest, runHookRequest } from './hook-program.ts'
import { runOneShot } from './one-shot.ts'
import { quoted, shellLine, word } from './shell-line.ts'

/** And limits, as typed. */
interface HookOptions {
  readonly json?: boolean
  readonly account?: string
}

const LIMIT_OPTIONS = [
  ['--dry', 'its fires show what they would order, and order nothing'],
  ['--cooldown <duration>', 'from the begin of a run to that of the next'],
  ['--rate <runs/duration>', 'runs in any stretch of that time, such as 5/1m'],
  ['--per-day <runs>', 'runs since 00:00 UTC'],
  ['--once', 'one run, until `hook resume`'],
  ['--max <dollars>', 'what the orders of one fire may be worth together'],
  ['--only-if <position>', 'flat, long or short'],
  ['--window <from-to>', 'hours such as 0930-1600, UTC'],
  ['--days <days>', 'days such as mon-fri'],
  ['--zone <zone>', 'the time zone of the hours, such as Europe/Berlin'],
  ['--when <condition>', 'fire it by itself too: "close(1h) > ema(50)", "every mon 09:00", "at 14:30"'],
] as const

/** As at the prompt. */
const HOOK_CARE = {
  edit: 'change its limits or its command: `hookline help hook edit`',
  pause: 'its fires run nothing: [for <duration>] [reason]',
  resume: 'a paused hook runs again',
} as const

/** Flags and plain words as they are; what the prompt would take apart, in quotes. */
function typed(text: string): Argument {
  return /^[\w.,:/$=-]+$/.test(text) ? word(text) : quoted(text)
}

export function addHookCommands(
  program: Command,
  refuseUnknownCommand: (family: Command, args: readonly string[]) => void,
  setExitCode: (code: number) => void,
): void {
  const hook = program
    .command('hook')
    .description(
      'the hooks that POST requests fire: list (default), create, show, test, logs, edit, pause, resume, rotate, revoke',
    )
  const run = async (request: HookRequest, { json = false }: { json?: boolean }) =>
    setExitCode(await runHookRequest(request, { json }))
  const form = (name: string, description: string) =>
    hook
      .command(name, { isDefault: name === 'list' })
      .description(description)
      .option('--json', 'print JSON, with the token where the text form shows it')
  const ID = 'the name, the id, or at least 8 characters of the id'

  form('list', 'hooks with their commands and limits')
    .allowExcessArguments()
    .action((options, { args }: Command) => {
      refuseUnknownCommand(hook, args)
      return run({ op: 'list' }, options)
    })
  const create = form('create', 'register a command body; prints its address and token')
    .argument('<name>')
    .argument('<command>', 'the command body, in quotes')
    .option('--account <name>', 'always run on this account')
    .option('--parallel <runs>', 'run at most this many of its fires at once (default 20)')
    .option('--max-age <duration>', 'a fire that has waited longer does not run (default 30s)')
    .action((name: string, command: string, { json, account, ...flags }: HookOptions) => {
      const pin = defined({ account })
      return run({ op: 'create', name, command, ...pin, flags }, defined({ json }))
    })
  for (const [flag, helpText] of LIMIT_OPTIONS) create.option(flag, helpText)
  form('show', 'reveal the token again and how to fire it')
    .argument('<id>', ID)
    .action((id: string, options) => run({ op: 'show', id }, options))
  form('rotate', 'a new token; the old one stops working at once')
    .argument('<id>', ID)
    .action((id: string, options) => run({ op: 'rotate', id }, options))
  addHookLooks(hook, ID, setExitCode)
  addCareCommands(hook, ID, setExitCode)
  form('revoke', 'delete one hook, or all with --all')
    .argument('[id]', ID)
    .option('--all', 'delete every hook')
    .action((id: string | undefined, { all, ...options }: { all?: true }, command: Command) => {
      if ((id === undefined) === (all === undefined)) command.error('error: give a name or an id, or --all')
      return run({ op: 'revoke', id: id ?? '--all' }, options)
    })
}

function addCareCommands(hook: Command, idText: string, setExitCode: (code: number) => void): void {
  for (const [name, description] of Object.entries(HOOK_CARE)) {
    hook
      .command(name)
      .description(description)
      .argument('<id>', idText)
      .argument('[words...]')
      .allowUnknownOption()
      .action(async (_id: string, _words: string[], _options, { args }: Command) =>
        setExitCode(await runOneShot(shellLine('hook', [word(name), ...args.map(typed)]), { json: false })),
      )
  }
}
