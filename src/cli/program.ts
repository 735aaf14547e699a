// argv → what to start. The only file that knows the option parser.
import { Command, CommanderError } from 'commander'
import { startHeadless } from '../app/headless.ts'
import { startInteractive } from '../app/interactive.ts'
import { buildFacts, EXIT_CODE, ignoreBrokenPipe, VERSION } from '../app/this-process.ts'
import { lookup } from '../commands/catalogue.ts'
import { describe, describeTopic } from '../commands/session/help.ts'
import type { Argument } from '../language/chain.ts'
import { LanguageError } from '../language/language-error.ts'
import { parseChain } from '../language/parse.ts'
import { printable, shown } from '../language/printable.ts'
import { refuseEatenDollar } from '../language/shell-dollar.ts'
import { nearest } from '../language/typo-match.ts'
import { addCareCommands } from './care-program.ts'
import { addHookCommands } from './hook-commands.ts'
import { addMcpCommand } from './mcp-program.ts'
import { runOneShot } from './one-shot.ts'
import { refuseToStart } from './refuse-to-start.ts'
import { quoted, shellLine, word } from './shell-line.ts'
import { addSignInCommands } from './sign-in-commands.ts'

const EXAMPLES = `
Examples:
  $ hookline                the terminal, with the listener on 127.0.0.1:53219
  $ hookline listen         only the listener, for a service manager
  $ hookline service install
                            the same as your own service, day and night
  $ hookline doctor         what keeps a fire from trading
  $ hookline bug            a report to paste, without keys, tokens and amounts
  $ hookline web --open     the console in the browser
  $ hookline watch          the account on one screen, beside a hookline that runs
  $ hookline exec "buy 1000usd BTCUSDT; positions"
  $ hookline hook create dip "buy 1000usd BTCUSDT stop -2%"
  $ hookline help buy       how a command of the prompt is used
  $ printf 'price\\nbalance\\n' | hookline --strict

State lives in ~/.hookline; HOOKLINE_CONFIG_DIR moves it.`

function buildProgram(argv: readonly string[], setExitCode: (code: number) => void): Command {
  const program = new Command('hookline')
    .exitOverride()
    .enablePositionalOptions()
    .showHelpAfterError('run `hookline --help` for usage')
    .description('A trading command line that listens: orders typed by intent, webhooks that run the same commands.')
    .option('-v, --version', 'print the version; with --json also Node, the platform and the commit')
    .on('option:version', () => printVersion(argv.includes('--json')))
    .option('--strict', 'fed by a pipe: stop at the first line that fails, and exit with 1')
    .option('--json', 'fed by a pipe: print data, one JSON object per line')
    // Not commander's own: this one also knows the commands of the prompt.
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .action(({ strict = false, json = false }: { strict?: boolean; json?: boolean }, { args }: Command) => {
      refusePromptCommand(program, args)
      refuseUnknownCommand(program, args)
      if (json && process.stdin.isTTY)
        program.error('error: --json is for lines from a pipe; run `hookline exec --json`')
      return startInteractive({ strict, json })
    })
  program
    .command('help')
    .description('how hookline, one of its commands or a command of the prompt is used')
    .argument('[command]')
    .allowExcessArguments()
    .action((name: string | undefined, _options, { args }: Command) => printHelp(program, name, args[1]))
  program
    .command('listen')
    .description('run the listener without a prompt until SIGINT or SIGTERM')
    .action(() => startHeadless())
  program
    .command('exec')
    .description('run one line as if typed, then end; exit status 1 when a step failed')
    .argument('<line>', 'the commands, in quotes')
    .allowExcessArguments()
    .allowUnknownOption()
    .option('-a, --account <name>', 'run on this account instead of the one in focus')
    .option('-s, --symbol <symbol>', 'run on this symbol instead of the one in focus')
    .option('--json', 'one JSON object per line of output, and a last one with the result')
    .action(async (line: string, { json = false, ...scope }: ExecOptions, { args }: Command) => {
      if (args.length > 1 || line.startsWith('--')) refuseUnquoted(program, args)
      // A variable of the shell that is not set leaves nothing.
      if (line.trim() === '')
        program.error("error: the line is empty; type the commands in quotes, as in: hookline exec 'price'")
      setExitCode(await runOneShot(line, { ...scope, json }))
    })
  program
    .command('watch')
    .description('positions, protection, orders and runs on one screen, beside a hookline that runs; it only looks')
    .option('-a, --account <name>', 'of this account instead of the one in focus')
    .option('-s, --symbol <symbol>', 'with the price of this symbol instead of the one in focus')
    .option('--once', 'print the screen as it is now')
    .option('--json', 'with --once: as data, one JSON object per line')
    .action(async ({ once, json = false, ...scope }: WatchOptions) =>
      setExitCode(await runOneShot(shellLine('watch', once === true ? [word('--once')] : []), { ...scope, json })),
    )
  addHookCommands(program, refuseUnknownCommand, setExitCode)
  addClientsCommands(program, setExitCode)
  addAuditCommands(program, setExitCode)
  addPromptFamilies(program, setExitCode)
  addSignInCommands(program, setExitCode)
  addCareCommands(program, setExitCode)
  addMcpCommand(program)
  // Only now, because subcommands copy their parent's settings when they are made.
  return program.allowExcessArguments()
}

interface ExecOptions {
  readonly account?: string
  readonly symbol?: string
  readonly json?: boolean
}

interface WatchOptions {
  readonly account?: string
  readonly symbol?: string
  readonly once?: boolean
  readonly json?: boolean
}

/** Before any other word of the command line is looked at. */
function printVersion(json: boolean): never {
  process.stdout.write(`${json ? JSON.stringify(buildFacts()) : VERSION}\n`)
  throw new CommanderError(EXIT_CODE.ok, 'commander.version', VERSION)
}

function addClientsCommands(program: Command, setExitCode: (code: number) => void): void {
  const clients = program
    .command('clients')
    .description('pages and programs you approved: list (default), revoke, trust')
  const run = async (...args: readonly Argument[]) =>
    setExitCode(await runOneShot(shellLine('clients', args), { json: false }))

  clients
    .command('list', { isDefault: true })
    .description('clients you have approved')
    .allowExcessArguments()
    .action((_options, { args }: Command) => {
      refuseUnknownCommand(clients, args)
      return run(word('list'))
    })
  clients
    .command('revoke')
    .description('stop trusting a client; its open sessions are cut')
    .argument('[id]', 'the id, or at least 8 characters of it')
    .option('--all', 'every client')
    .action((id: string | undefined, { all }: { all?: true }, command: Command) => {
      if ((id === undefined) === (all === undefined)) command.error('error: give an id, or --all')
      return run(word('revoke'), id === undefined ? word('--all') : quoted(id))
    })
  clients
    .command('trust')
    .description('approve a client in advance, where there is no prompt')
    .argument('<clientId>')
    .option('--origin <origin>', 'the only origin it may come from; default: the first of listener.allowedOrigins')
    .option('--label <text>', 'what you call it')
    .option('--key <key>', 'the public key that it proves itself with; a client without one cannot')
    .action((clientId: string, { origin, label, key }: { origin?: string; label?: string; key?: string }) =>
      run(
        word('trust'),
        quoted(clientId),
        ...option('--origin', origin),
        ...option('--label', label),
        ...option('--key', key),
      ),
    )
}

function addAuditCommands(program: Command, setExitCode: (code: number) => void): void {
  const audit = program.command('audit').description('who changed what: list (default), verify')
  const run = async (...args: readonly Argument[]) =>
    setExitCode(await runOneShot(shellLine('audit', args), { json: false }))
  audit
    .command('list', { isDefault: true })
    .description('the last deeds')
    .argument('[count]', 'how many; default 20')
    .option('--since <time>', 'only those of the last 30m or 12h, or since a UTC time')
    .action((count: string | undefined, { since }: { since?: string }) =>
      run(word('list'), ...(count === undefined ? [] : [quoted(count)]), ...option('--since', since)),
    )
  audit
    .command('verify')
    .description('whether every line is as it was written; exit status 1 if not')
    .action(() => run(word('verify')))
}

/** `hookline account add …`: the prompt's own commands. Answers to their questions are the next lines of a pipe. */
function addPromptFamilies(program: Command, setExitCode: (code: number) => void): void {
  for (const family of [
    ['account', 'accounts and their keys: list (default), add, check, use, balances, keys, reset, remove'],
    ['vault', 'the encrypted file with the keys of accounts: status (default), unlock, lock, change'],
  ] as const) {
    promptFamily(program, setExitCode, family)
  }
  addCrossTradeCommands(program, setExitCode)
}

/** A family of the prompt, word for word. */
function promptFamily(
  program: Command,
  setExitCode: (code: number) => void,
  [name, description]: readonly [name: string, description: string],
): Command {
  const asTyped = (text: string) => (/^[\w.:$%/=-]+$/.test(text) ? word(text) : quoted(text))
  return program
    .command(name)
    .description(`${description}; \`hookline help ${name}\` has the details`)
    .argument('[words...]', 'as at the prompt')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: readonly string[]) => {
      if (words.some((text) => text === '--help' || text === '-h')) return printHelp(program, name, formIn(words))
      const json = words.includes('--json')
      const args = words.filter((text) => text !== '--json').map(asTyped)
      setExitCode(await runOneShot(shellLine(name, args), { json }))
    })
}

/** The form that help is asked for: `add` in `account add --help`. */
function formIn([first = '-']: readonly string[]): string | undefined {
  return first.startsWith('-') ? undefined : first
}

/** `hookline cross-trade run`, which is a process of its own; all else is the prompt's. */
function addCrossTradeCommands(program: Command, setExitCode: (code: number) => void): void {
  const crossTrade = promptFamily(program, setExitCode, [
    'cross-trade',
    'copy one account to another: run (the engine), list (default), add, copier, enable, disable, remove, resync, stop, status',
  ])
  crossTrade
    .command('run')
    .helpOption('-h, --help')
    .description('run the engine until SIGINT or SIGTERM; it is started again should it die')
    .option('--force', 'although a page claims to lead cross-trading')
    .action(async ({ force = false }: { force?: boolean }) => {
      const { runCrossTrade } = await import('./engine-program.ts')
      setExitCode(await runCrossTrade({ force }))
    })
}

function option(name: string, value: string | undefined): Argument[] {
  return value === undefined ? [] : [word(name), quoted(value)]
}

/** `hookline help`, `hookline help hook`, `hookline help buy`. What the shell and the prompt both know is the shell's here. */
function printHelp(program: Command, name: string | undefined, formName: string | undefined): void {
  // What is at the prompt as in the shell is described by the prompt's own help.
  const isBoth = name === 'account' || name === 'vault' || name === 'cross-trade'
  const command = isBoth ? undefined : program.commands.find((candidate) => candidate.name() === name)
  const form = command?.commands.find((candidate) => candidate.name() === formName)
  if (name === undefined || command) return (form ?? command ?? program).outputHelp()
  const words = formName === undefined ? [name] : [name, formName]
  if (!lookup.find(name) && !describeTopic(lookup.all(), words)) return refuseUnknownCommand(program, [name])
  process.stdout.write(`${describe(lookup, name, formName).join('\n')}\n`)
}

/** `hookline balance`: a command, but one of the prompt. */
function refusePromptCommand(program: Command, args: readonly string[]): void {
  const [name] = args
  if (name === undefined || !lookup.find(name)) return
  const typed = printable(args.join(' '), 200)
  const eaten = eatenDollarIn(typed)
  if (eaten !== undefined) program.error(`error: ${eaten.message}; ${eaten.hint}`)
  const line = typed.replaceAll("'", "'\\''")
  program.error(`error: ${shown(name)} is a command of the prompt; run it as: hookline exec '${line}'`)
}

/** `hookline exec buy 250usd BTCUSDT stop -2%`: the shell has made several arguments of the line. */
function refuseUnquoted(program: Command, args: readonly string[]): void {
  const [first = '', second = ''] = args
  // Of a line in quotes: what follows it is refused in commander's own words.
  const option = first.startsWith('-') ? first : /\s/.test(first) && second.startsWith('-') ? second : undefined
  if (option !== undefined) program.error(`error: unknown option '${printable(option, 40)}'`)
  if (/\s/.test(first))
    program.error(`error: too many arguments: the line is ${shown(first)}, and ${shown(second)} follows`)
  const typed = printable(args.join(' '), 200)
  const eaten = eatenDollarIn(typed)
  if (eaten !== undefined) program.error(`error: ${eaten.message}; ${eaten.hint}`)
  program.error(`error: the line has no quotes; put it in quotes: hookline exec '${typed.replaceAll("'", "'\\''")}'`)
}

function eatenDollarIn(line: string): LanguageError | undefined {
  try {
    refuseEatenDollar(parseChain(line), lookup)
  } catch (error) {
    if (!(error instanceof LanguageError)) throw error
    return error
  }
  return undefined
}

/** A misspelt command looks to commander like an argument too many of the command that a bare name runs. */
function refuseUnknownCommand(parent: Command, [name]: readonly string[]): void {
  if (name === undefined) return
  const near = nearest(
    name,
    parent.commands.map((command) => command.name()),
  )
  parent.error(`error: unknown command '${name}'${near === undefined ? '' : `: did you mean '${near}'?`}`)
}

/** @param argv as `process.argv` */
export async function runProgram(argv: readonly string[]): Promise<void> {
  ignoreBrokenPipe()
  const program = buildProgram(argv, (code) => {
    process.exitCode = code
  })
  try {
    // Commander takes one letter for one option.
    await program.parseAsync(argv.map((argument, index) => (index === 2 && argument === '-V' ? '-v' : argument)))
  } catch (error) {
    if (!(error instanceof CommanderError)) return refuseToStart(error)
    process.exitCode = error.exitCode === 0 ? EXIT_CODE.ok : EXIT_CODE.usage
  }
}
