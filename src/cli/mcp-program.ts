// `hookline mcp`: the tools of a language model's program, by stdio. Its code is a file of its own, which this command alone loads.
import { type Command, InvalidArgumentError, Option } from 'commander'
import { VERSION } from '../app/this-process.ts'
import { GRANT_LEVELS, type GrantLevel } from '../protocol/rows.ts'
import { configDirectory, prepareDirectory } from '../stores/directory.ts'

const CONFIGS = ['json', 'vscode', 'toml'] as const
type ConfigKind = (typeof CONFIGS)[number]

const DEFAULT_ORIGIN = 'http://127.0.0.1:53220'

interface Asked {
  readonly name: string
  readonly may: GrantLevel
  readonly accounts?: readonly string[]
  readonly perOrder?: string
  readonly origin: string
  readonly printConfig?: ConfigKind
}

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('MCP server for an AI agent, by stdio: it looks and proposes, and you decide')
    .option('--name <name>', 'of the agent, which has a key of its own', 'agent')
    .addOption(new Option('--may <grant>', 'what you are asked to grant').choices(GRANT_LEVELS).default('propose'))
    .option('--accounts <names>', 'on these accounts, with commas', readNames)
    .option('--per-order <dollars>', 'dollars of one order at most', readDollars)
    .option('--origin <origin>', 'one of listener.allowedOrigins', DEFAULT_ORIGIN)
    .addOption(new Option('--print-config <kind>', 'print what the settings of such a program need').choices(CONFIGS))
    .action(async (asked: Asked) => {
      if (asked.printConfig !== undefined) return void process.stdout.write(configOf(asked.printConfig, asked))
      const { name, may, accounts, perOrder, origin } = asked
      const directory = configDirectory(process.env)
      prepareDirectory(directory)
      const { serveMcp } = await loadServer()
      const grant = { may, ...(accounts && { accounts: [...accounts] }), ...(perOrder && { perOrder }) }
      await serveMcp({ directory, name, version: VERSION, grant, origin })
    })
}

/** Where the build has put the server, from the program; sources run unbundled only in tests. */
declare const __HOOKLINE_MCP__: string | undefined

async function loadServer(): Promise<typeof import('../mcp/serve.ts')> {
  if (typeof __HOOKLINE_MCP__ === 'string') return require(__HOOKLINE_MCP__)
  const source = '../mcp/serve.ts'
  return import(source)
}

/** What starts this hookline again from there: by npx where that has started it, and on the same state. */
function configOf(kind: ConfigKind, { name, may, accounts, perOrder, origin }: Asked): string {
  const isRunByNpx = process.env.npm_command === 'exec'
  const directory = process.env.HOOKLINE_CONFIG_DIR
  const args = [
    'mcp',
    '--name',
    name,
    '--may',
    may,
    ...(accounts === undefined ? [] : ['--accounts', accounts.join(',')]),
    ...(perOrder === undefined ? [] : ['--per-order', perOrder]),
    ...(origin === DEFAULT_ORIGIN ? [] : ['--origin', origin]),
  ]
  const [command, ...before] = isRunByNpx ? ['npx', '-y', 'hookline'] : ['hookline']
  const server = {
    command,
    args: [...before, ...args],
    ...(directory !== undefined && { env: { HOOKLINE_CONFIG_DIR: directory } }),
  }
  if (kind === 'toml') {
    const env = directory === undefined ? '' : `env = { HOOKLINE_CONFIG_DIR = ${JSON.stringify(directory)} }\n`
    return `[mcp_servers.hookline]\ncommand = "${command}"\nargs = ${JSON.stringify(server.args)}\n${env}`
  }
  const config =
    kind === 'json' ? { mcpServers: { hookline: server } } : { servers: { hookline: { type: 'stdio', ...server } } }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

function readNames(text: string): readonly string[] {
  const names = text.split(',')
  if (names.every((each) => /^[^\s,]{1,64}$/.test(each)) && names.length <= 64) return names
  throw new InvalidArgumentError('names with commas, such as paper,swing')
}

function readDollars(text: string): string {
  const bare = text.replace(/^\$/, '')
  if (/^\d{1,15}(?:\.\d{1,8})?$/.test(bare)) return bare
  throw new InvalidArgumentError('dollars, such as 100')
}
